#!/usr/bin/env bats
# Jobs of one user see each other in the ledger, asleep or not.

load "$EK_SRC/tests/preload/jobs_help.bash"

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
