#!/usr/bin/env bats
# Jobs of one user see each other in the ledger, asleep or not.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	started=()
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER="$T/ledger")
}

teardown()
{
	local name
	for name in "${started[@]}"; do
		touch "$T/$name/go"
	done
	wait
}

# start NAME RANKS: a job whose ranks sleep until finish NAME.
start()
{
	mkdir -p "$T/$1"
	started+=("$1")
	setsid -w timeout -k 5 90 env VICTIM_DIR="$T/$1" LD_PRELOAD="$EK_LIB" \
		EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_CONF="$CONF" "${OURS[@]}" \
		"$EK_MPIEXEC" -n "$2" "$V/quiet" wait "$T/$1/go" \
		</dev/null >"$T/$1/stdout" 2>"$T/$1/stderr" 3>&- &
	eval "pid_of_$1=$!"
}

# Until rank R of job NAME has said where it is.
await()
{
	local i
	for i in {1..1500}; do
		[ ! -s "$T/$1/$2.libs" ] || return 0
		sleep 0.02
	done
	echo "job $1: no rank $2"
	cat "$T/$1/stderr"
	return 1
}

# The job ends with status 0 and has said nothing on stderr.
finish()
{
	local pid=pid_of_$1
	touch "$T/$1/go"
	wait "${!pid}" || return
	[ ! -s "$T/$1/stderr" ]
}

mask_of()
{
	sort -u "$T/$1/$2.main"
}

@test "a second job takes the node that the first one left, and the first node after its end" {
	start a 1
	await a 0
	[ "$(mask_of a 0)" = "$CPU0" ]
	start b 1
	await b 0
	[ "$(mask_of b 0)" = "$CPU1" ]
	finish a
	start c 1
	await c 0
	[ "$(mask_of c 0)" = "$CPU0" ]
	finish b
	finish c
}

@test "two jobs started at once are on different nodes" {
	start a 1
	start b 1
	await a 0
	await b 0
	[ "$(mask_of a 0; mask_of b 0)" = "$CPU0
$CPU1" ] || [ "$(mask_of b 0; mask_of a 0)" = "$CPU0
$CPU1" ]
	finish a
	finish b
}

@test "OMP_NUM_THREADS says the width as well" {
	OURS=(OMP_NUM_THREADS=1 EVENKEEL_LEDGER="$T/ledger")
	start a 1
	await a 0
	start b 1
	await b 0
	[ "$(mask_of a 0)" = "$CPU0" ]
	[ "$(mask_of b 0)" = "$CPU1" ]
	finish a
	finish b
}

@test "a job that was killed is forgotten" {
	start a 1
	await a 0
	# The whole session, which setsid made of its own process.
	pkill -KILL -s "$pid_of_a"
	wait "$pid_of_a" || true
	start b 1
	await b 0
	[ "$(mask_of b 0)" = "$CPU0" ]
	finish b
}

@test "EVENKEEL_LEDGER=none: jobs do not see each other" {
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER=none)
	start a 1
	await a 0
	start b 1
	await b 0
	[ "$(mask_of a 0)" = "$CPU0" ]
	[ "$(mask_of b 0)" = "$CPU0" ]
	[ -z "$(ls -A "$T/ledger")" ]
	finish a
	finish b
}

@test "a ledger that cannot be had costs no job its placement" {
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER="$T/nowhere")
	start a 2
	await a 0
	await a 1
	[ "$(mask_of a 0)" = "$CPU0" ]
	[ "$(mask_of a 1)" = "$CPU1" ]
	finish a
}

@test "a damaged ledger is set aside" {
	start a 1
	await a 0
	finish a
	head -c 5000 /dev/zero | tr '\0' 'x' >"$T/x"
	cp "$T/x" "$(echo "$T"/ledger/evenkeel-*)"
	start b 1
	await b 0
	start c 1
	await c 0
	[ "$(mask_of b 0)" = "$CPU0" ]
	[ "$(mask_of c 0)" = "$CPU1" ]
	finish b
	finish c
}

@test "eight jobs at once are each placed evenly" {
	local name
	OURS=(EVENKEEL_LEDGER="$T/ledger")
	for name in a b c d e f g h; do
		start $name 2
	done
	for name in a b c d e f g h; do
		await $name 0
		await $name 1
		[ "$(mask_of $name 0)" = "$CPU0" ]
		[ "$(mask_of $name 1)" = "$CPU1" ]
		finish $name
	done
}
