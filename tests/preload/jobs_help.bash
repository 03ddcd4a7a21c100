# What the tests of several jobs at once share: jobs that are there until told.
# Load with: load "$EK_SRC/tests/preload/jobs_help.bash"
load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	started=() WRAP=()
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

# start NAME RANKS: a job whose ranks sleep until finish NAME. WRAP goes in front
# of it, OURS are variables of its own.
start()
{
	mkdir -p "$T/$1"
	started+=("$1")
	setsid -w timeout -k 5 90 "${WRAP[@]}" env VICTIM_DIR="$T/$1" LD_PRELOAD="$EK_LIB" \
		EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_CONF="$CONF" EVENKEEL_MEASURE="$MEASURE" "${OURS[@]}" \
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
