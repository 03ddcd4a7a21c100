# What the tests of faults share: a job without us, held and settled, where
# something is broken; all three must look alike and take as long.
# Load with: load "$EK_SRC/tests/faults/faults_help.bash"
load "$EK_SRC/tests/preload/preload_help.bash"

F=$EK_BUILD/tests/faults

# A job with us may take this much longer than one without.
SLACK_MS=1500

# A test may also set:
#   WRAP     what stands in front of mpiexec in all three runs
#   WITH     what stands there besides in the runs with us
#   BEFORE   a command before each run with us, AFTER one after it
faults_setup()
{
	preload_setup
	RANKS=(0 1 2 3) NODE_OF=("$CPU0" "$CPU0" "$CPU1" "$CPU1")
	WRAP=() WITH=() BEFORE=(:) AFTER=(:)
	LEDGER=$T/ledger/evenkeel-$(id -u)-$(stat -Lc %i /proc/self/ns/pid)
	HOLDER=
	JOB=("$EK_MPIEXEC" -n 4 "$V/quiet")
	MPI=("$EK_MPIEXEC" -n 2 "$V/mpi" init)
	ROOT=$(id -u)
	[ "$ROOT" != 0 ] || ROOT=
}

needs_root()
{
	[ -z "$ROOT" ] || skip "needs root"
}

# The command with its mounts to itself.
needs_mounts()
{
	needs_root
	unshare -m true 2>/dev/null || skip "no mount namespace is to be had"
}

now_ms()
{
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# timed MODE COMMAND...: the milliseconds go to MS_MODE.
timed()
{
	local mode=$1 start with=()
	shift
	if [ "$mode" != plain ]; then
		with=("${WITH[@]}")
		"${BEFORE[@]}"
	fi
	start=$(now_ms)
	job_run "$mode" "${WRAP[@]}" "${with[@]}" "$@"
	eval "MS_$mode=$(($(now_ms) - start))"
	[ "$mode" = plain ] || "${AFTER[@]}"
}

# Other work on this machine may hold up any run; three are had before one
# counts as slow.
not_slow()
{
	local mode=$1 ms=MS_$1 try
	shift
	for try in 1 2 3; do
		[ "${!ms}" -gt $((MS_plain + SLACK_MS)) ] || return 0
		echo "$mode: ${!ms} ms, plain $MS_plain ms"
		timed plain "$@"
		timed "$mode" "$@"
	done
	return 1
}

# fault node|wide|any COMMAND...: with us the job says and ends as without, its
# ranks have the same environment, descriptors and signals, and are on their
# nodes (node), not placed (wide) or one of the two (any).
fault()
{
	local want=$1 mode
	shift
	timed plain "$@"
	for mode in held settled; do
		timed $mode "$@"
		job_same_output $mode
		[ "$want" = any ] || job_masks $mode main "$want"
		not_slow $mode "$@"
	done
}

# The same for an MPI job of two ranks.
fault_mpi()
{
	RANKS=(0 1) NODE_OF=("$CPU0" "$CPU1")
	rm -rf "$T"/{plain,held,settled}
	fault "$1" "${MPI[@]}"
}

make_ledger()
{
	rm -rf "$LEDGER"
	"$EK_PYTHON" "$EK_SRC/tests/faults/ledger.py" "$1" "$LEDGER" "${@:2}"
}

# at OFFSET TEXT: overwrites that much of a good ledger.
make_ledger_with()
{
	make_ledger good
	printf '%b' "$2" | dd of="$LEDGER" bs=1 seek="$1" conv=notrunc status=none
}

make_ledger_cut()
{
	make_ledger good
	truncate -s "$1" "$LEDGER"
}

# One of tests/golden.
make_ledger_golden()
{
	rm -rf "$LEDGER"
	sed 's/#.*//' "$EK_SRC/tests/golden/$1" | "$EK_PYTHON" -c 'import sys
sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$LEDGER"
	chmod 600 "$LEDGER"
}

# Someone has the lock.
hold_lock()
{
	rm -rf "$LEDGER"
	"$F/lock" "$LEDGER" sleep 100 3>&- &
	HOLDER=$!
	until [ "$(cat /proc/$HOLDER/comm)" = sleep ]; do
		sleep 0.01
	done
}

stop_holder()
{
	hold_lock
	kill -STOP "$HOLDER"
}

# Killed while the ranks wait, some 200 ms after they began.
kill_holder_soon()
{
	local holder
	stop_holder
	holder=$HOLDER
	(sleep 0.3 && kill -KILL "$holder") 3>&- &
}

end_holder()
{
	[ -z "$HOLDER" ] || kill -KILL "$HOLDER" 2>/dev/null || true
	wait
	HOLDER=
}

# mounted COMMANDS: the job, after these commands in mounts of its own.
mounted()
{
	needs_mounts
	WRAP+=(unshare -m --propagation private sh -c "$1 || exit 9; exec \"\$@\"" sh)
}

# limited OPTIONS: the job under these limits of the shell.
limited()
{
	WRAP+=(bash -c "ulimit $1 && exec \"\$@\"" bash)
}

refused()
{
	"$F/refuse" "$@" -- true || skip "no seccomp filter is to be had"
	WRAP+=("$F/refuse" "$@" --)
}
