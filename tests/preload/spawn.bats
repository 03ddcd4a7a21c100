#!/usr/bin/env bats
# Ranks that ranks start by MPI_Comm_spawn. What Hydra does for it is tested with all
# releases (share.bats); MPI_Comm_spawn itself works in some only.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	timeout 60 "$EK_MPIEXEC" -n 1 "$V/mpi" spawn >/dev/null 2>&1 3>&- </dev/null ||
		skip "MPI_Comm_spawn does not work in this MPICH"
}

@test "a spawned group is placed as a group of its own, and settles" {
	OURS=(EVENKEEL_WIDTH=1)
	RANKS=(0 child/0 child/1) NODE_OF=("$CPU0" "$CPU0" "$CPU1")
	job_run_all "$EK_MPIEXEC" -n 1 "$V/mpi" spawn
	job_without_us held
	for mode in held settled; do
		job_same_output $mode
		job_masks $mode main node
	done
	job_masks held up node
	job_masks settled up wide
}
