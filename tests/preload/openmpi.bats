#!/usr/bin/env bats
# Ranks that no proxy of ours started place themselves: Open MPI's mpirun.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	needs_tool mpirun.openmpi
	VARS=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
		OMPI_MCA_oob_tcp_if_include=lo)
	J=(mpirun.openmpi -n 2)
	SEEN=(stdout status)
}

# mpi4py belongs to the system's Python, which need not be the first in PATH.
needs_mpi4py()
{
	local python
	for python in python3 /usr/bin/python3; do
		PY=("$python" "$EK_SRC/tests/preload/victims/mpi4py_rank.py" "$V/libvictim.so")
		! "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("mpi4py") is None)' ||
			return 0
	done
	skip "mpi4py is not installed"
}

# Says the same and has the masks: MODE main-masks up-masks
seen()
{
	job_same "$1" "${SEEN[@]}" || return
	job_masks "$1" main "$2" || return
	[ -z "${3-}" ] || job_masks "$1" up "$3"
}

@test "mpi4py under mpirun --bind-to none" {
	needs_mpi4py
	job_run_all "${J[@]}" --bind-to none "${PY[@]}"
	seen held node node
	seen settled node wide
}
@test "mpi4py under mpirun, which binds to cores by itself" {
	needs_mpi4py
	job_run_all "${J[@]}" "${PY[@]}"
	seen held plain plain
	seen settled plain plain
}
@test "mpirun --bind-to core on nodes in reverse order" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	job_run_all "${J[@]}" --bind-to core "$V/quiet"
	seen held plain
	seen settled plain
}
@test "a rank without MPI under mpirun --bind-to none" {
	job_run_all "${J[@]}" --bind-to none "$V/quiet"
	seen held node
	seen settled node
}
@test "a rank in a shell under mpirun --bind-to none" {
	job_run_all "${J[@]}" --bind-to none sh -c "'$V/quiet' exit 0; echo after \$?"
	seen held node
	seen settled node
}
@test "numactl around the rank under mpirun --bind-to none" {
	needs_tool numactl
	job_run_all "${J[@]}" --bind-to none numactl -C "$CPU1" "$V/quiet"
	seen held plain
	seen settled plain
}
@test "numactl with just the planned cpu is the user's, and is not undone" {
	needs_mpi4py
	needs_tool numactl
	# shellcheck disable=SC2016 # for the ranks' shell
	job_run_all "${J[@]}" --bind-to none bash -c \
		'exec numactl -C $([ $OMPI_COMM_WORLD_LOCAL_RANK = 0 ] && echo $0 || echo $1) "${@:2}"' \
		"$CPU0" "$CPU1" "${PY[@]}"
	seen held plain plain
	seen settled plain plain
}
@test "EVENKEEL=off under mpirun" {
	OURS=(EVENKEEL=off)
	job_run_all "${J[@]}" --bind-to none "$V/quiet"
	seen held plain
}
@test "a one-rank job under mpirun is left alone" {
	RANKS=(0)
	job_run_all mpirun.openmpi -n 1 --bind-to none "$V/quiet"
	seen held plain
}
@test "status 7 of a rank under mpirun" {
	# Open MPI says on stdout which rank it was, the first to be seen.
	SEEN=(status)
	job_run_all "${J[@]}" --bind-to none "$V/quiet" exit 7
	seen held node
	[ "$(cat "$T/held/status")" = 7 ]
}
