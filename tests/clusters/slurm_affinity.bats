#!/usr/bin/env bats
# Slurm that binds (task/affinity beside task/cgroup): its masks are limits, and one
# narrower than a node is a binding. As slurm.bats, on two hosts.

load "$EK_SRC/tests/clusters/slurm_help.bash"

setup_file() { cluster_up 2 && slurm_up 2 task/affinity,task/cgroup; }
teardown_file() { slurm_down; cluster_down; }

setup()
{
	slurm_needs
	[ "$(nproc)" = "$(nproc --all)" ] || skip "slurmd would bind to cpus this process may not use"
	slurm_setup
}

@test "a cpu for each task is a binding, and is left alone" {
	# On the nodes of h2 the other way round, too.
	job_run_all srun -N2 -n4 --mpi=pmi2 "$V/mpi" init
	placed plain held settled
}
@test "the line says why" {
	OURS+=(EVENKEEL_VERBOSE=1)
	job_run held srun -N2 -n4 "$V/quiet"
	[ "$(grep -c "2 ranks, not placed: the affinity is not the launcher's, one of h" \
		"$T/held/stderr")" = 2 ]
}
@test "--cpu-bind=none leaves the placing to us" {
	job_run_all srun --cpu-bind=none -N2 -n4 --mpi=pmi2 "$V/mpi" init
	placed node held settled
	job_masks held up node
	job_masks settled up wide
}
@test "--cpu-bind=none by variable" {
	VARS+=(SLURM_CPU_BIND=none)
	job_run_all srun -N2 -n4 --mpi=pmi2 "$V/mpi" init
	placed node held settled
}
@test "more tasks than cpus, all on one of them" {
	RANKS=(0 1 2)
	job_run_all srun -N1 -n3 -O "$V/quiet"
	placed plain held settled
}
@test "srun --mpi=pmix of an Open MPI program" {
	needs_mpi4py
	job_run_all srun -N2 -n4 --mpi=pmix "${PY[@]}"
	placed plain held settled
	job_run_all srun --cpu-bind=none -N2 -n4 --mpi=pmix "${PY[@]}"
	placed node held settled
}
@test "mpiexec in an allocation" {
	job_run_all salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	placed node held settled
	job_without_us held
}
