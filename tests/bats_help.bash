# What the bats tests share. Load with: load "$EK_SRC/tests/bats_help.bash"

EK_BIN=$EK_BUILD/launcher/evenkeel
EK_LIB=$EK_BUILD/shim/.libs/libevenkeel.so

# The python3 of the path may be a wrapper that takes longer than what it starts. A
# function of that name would not do: in the background $! is its shell.
: "${EK_PYTHON:=/usr/bin/python3}"

# A folder for the test, with a ledger of its own; no option of the caller's
# environment, no site file.
ek_setup()
{
	local name
	for name in $(compgen -e | grep '^EVENKEEL' || true) OMP_NUM_THREADS SLURM_CPUS_PER_TASK; do
		unset "$name"
	done
	unset LD_PRELOAD
	T=$BATS_TEST_TMPDIR
	mkdir -p "$T/ledger"
	# What else runs on the host must not decide about a test: those of
	# load from elsewhere take the variable away.
	export EVENKEEL_LEDGER=$T/ledger EVENKEEL_CONF=$T/none.conf EVENKEEL_MEASURE=off
	ek_cpus
}

# The first two cpus this process may use: CPU0, CPU1; all of them: CPUS.
ek_cpus()
{
	local range
	CPUS=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	set --
	for range in ${CPUS//,/ }; do
		# shellcheck disable=SC2046 # one word per cpu is wanted
		set -- "$@" $(seq "${range%-*}" "${range#*-}")
	done
	CPU0=$1 CPU1=${2-}
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0;node 1 cpus $CPU1"
}

ek_needs_two_cpus()
{
	[ -n "$CPU1" ] || skip "this process may use one cpu only"
}
