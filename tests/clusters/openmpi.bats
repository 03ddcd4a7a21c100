#!/usr/bin/env bats
# Jobs of Open MPI over two hosts, which mpirun reaches by ssh: no preload reaches an
# orted there, so the ranks have it (-x LD_PRELOAD) and place themselves.

load "$EK_SRC/tests/clusters/slurm_help.bash"

setup_file() { cluster_up 2 && cluster_ssh_up; }
teardown_file() { cluster_down; }

setup()
{
	cluster_needs_ssh
	slurm_setup
	needs_mpi4py
	needs_tool mpirun.openmpi
}

# job MODE mpirun-options... -- COMMAND...: two ranks on each host.
job()
{
	local mode=$1 options=(-x VICTIM_DIR -x VICTIM_GLOBAL)
	shift
	[ "$mode" = plain ] || options+=(-x LD_PRELOAD -x EVENKEEL_MACHINE -x EVENKEEL_LEDGER
		-x EVENKEEL_MEASURE)
	[ "$mode" != settled ] || options+=(-x EVENKEEL_MODE)
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	job_run "$mode" mpirun.openmpi --mca plm_rsh_agent "$H/ssh/ssh" -H h1:2,h2:2 -n 4 \
		"${options[@]}" "$@"
}

job_all()
{
	local mode
	for mode in plain held settled; do
		job $mode "$@"
	done
}

@test "mpirun over ssh: ranks are placed by their own host's plan" {
	job_all --bind-to none -- "${PY[@]}"
	grep -q 'of 4, sum 6$' "$T/plain/stdout"
	placed node held settled
	job_masks held up node
	job_masks settled up wide
}
@test "mpirun over ssh, which binds by itself" {
	job_all -- "${PY[@]}"
	placed plain held settled
}
@test "evenkeel run --replace-binding mpirun over ssh" {
	job plain -- "${PY[@]}"
	THROUGH=("$EK_BIN" run --replace-binding)
	job held -- "${PY[@]}"
	placed node held
}
