#!/usr/bin/env bats
# A placement aid must not be able to fail a job: many launches, all end well.

load "$EK_SRC/tests/preload/preload_help.bash"

setup() { preload_setup; }

# launches COUNT COMMAND...: from a shell that has our library loaded as well.
launches()
{
	local start=$SECONDS
	RANKS=()
	# shellcheck disable=SC2016 # for the inner shell
	job_run held bash -c 'n=$1; shift
		for ((i = 0; i < n; i++)); do
			"$@" || { echo "launch $i: status $?" >&2; exit 1; }
		done' launches "$@"
	cat "$T/held/stderr"
	[ "$(cat "$T/held/status")" = 0 ]
	[ ! -s "$T/held/stderr" ]
	echo "# $1 launches in $((SECONDS - start)) s" >&3
}

@test "200 launches of mpiexec -n 8 /bin/true" {
	launches 200 "$EK_MPIEXEC" -n 8 /bin/true
}

@test "50 launches of an MPI program of two ranks" {
	launches 50 "$EK_MPIEXEC" -n 2 "$V/mpi" init
	[ "$(grep -c 'of 2, sum 1$' "$T/held/stdout")" = 100 ]
}
