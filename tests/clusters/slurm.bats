#!/usr/bin/env bats
# Jobs that Slurm starts, or that start in what it allocates, on two hosts: nobody
# binds (task/none). h1's node 0 has the first cpu, h2's the second.

load "$EK_SRC/tests/clusters/slurm_help.bash"

setup_file() { cluster_up 2 && slurm_up 2 task/none; }
teardown_file() { slurm_down; cluster_down; }

setup()
{
	slurm_needs
	slurm_setup
}

teardown() { cluster_show_library; }

@test "srun --mpi=pmi2 of an MPICH program" {
	job_run_all srun -N2 -n4 --mpi=pmi2 "$V/mpi" init
	grep -q 'of 4, sum 6$' "$T/plain/stdout"
	placed node held settled
	job_masks held up node
	job_masks settled up wide
}
@test "srun --mpi=pmi2 of an MPICH program, in a shell" {
	job_run_all srun -N2 -n4 --mpi=pmi2 sh -c "'$V/mpi' init; echo after \$?"
	placed node held settled
	job_masks held up node
	job_masks settled up wide
}
@test "srun --mpi=pmix of an Open MPI program" {
	needs_mpi4py
	job_run_all srun -N2 -n4 --mpi=pmix "${PY[@]}"
	grep -q 'of 4, sum 6$' "$T/plain/stdout"
	placed node held settled
	job_masks held up node
	job_masks settled up wide
}
@test "srun of a program without MPI" {
	job_run_all srun -N2 -n4 "$V/quiet"
	placed node held settled
}
@test "mpiexec in an allocation" {
	job_run_all salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	grep -q 'of 4, sum 6$' "$T/plain/stdout"
	placed node held settled
	job_without_us held
	job_masks held up node
	job_masks settled up wide
}
@test "mpirun of Open MPI in an allocation" {
	needs_mpi4py
	job_run_all salloc -Q -N2 -n4 mpirun.openmpi --bind-to none "${PY[@]}"
	grep -q 'of 4, sum 6$' "$T/plain/stdout"
	placed node held settled
	job_without_us held
}
@test "mpirun of Open MPI in an allocation, which binds by itself" {
	needs_mpi4py
	job_run_all salloc -Q -N2 -n4 mpirun.openmpi "${PY[@]}"
	placed plain held settled
}
@test "evenkeel run srun" {
	THROUGH=("$EK_BIN" run)
	job_run plain srun -N2 -n4 --mpi=pmi2 "$V/mpi" init
	job_run held srun -N2 -n4 --mpi=pmi2 "$V/mpi" init
	placed node held
}
@test "evenkeel run mpiexec in an allocation" {
	THROUGH=("$EK_BIN" run)
	job_run plain salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	job_run held salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	placed node held
	job_without_us held
}
@test "mpiexec in an allocation with a host without the library, without a word" {
	job_run plain salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	hide_library h2
	job_run held salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/mpi" init
	NODE_OF=("$CPU0" "$CPU1" "$CPUS" "$CPUS")
	placed node held
	THROUGH=("$EK_BIN" run --verbose=1)
	job_run held salloc -Q -N2 -n4 "$EK_MPIEXEC" "$V/quiet"
	grep -qxF "evenkeel run: active on 1 of 2 hosts" "$T/held/stderr"
	grep -qxF "evenkeel run: not active on h2: $EK_LIB is not there" "$T/held/stderr"
	! grep -F 'ld.so' "$T/held/stderr"
}
@test "srun with a host without the library: ld.so's line, and the job runs" {
	hide_library h2
	job_run plain srun -N2 -n4 "$V/quiet"
	job_run held srun -N2 -n4 "$V/quiet"
	[ "$(cat "$T/held/status")" = 0 ]
	NODE_OF=("$CPU0" "$CPU1" "$CPUS" "$CPUS")
	job_masks held main node
	grep -qF "$EK_LIB" "$T/held/stderr"
	! grep -vF 'cannot be preloaded' "$T/held/stderr"
}
@test "--export=NONE takes the preload away, and the job is a plain one" {
	job_run_all srun --export=NONE -N2 -n4 "$V/quiet"
	[ "$(cat "$T/held/status")" = 0 ]
	job_same held stdout stderr
	job_same settled stdout stderr
	! ls "$T"/held/*.main
}
@test "--export with the variables named" {
	local names=VICTIM_DIR=$T/out,VICTIM_GLOBAL=1 ours
	ours=LD_PRELOAD=$EK_LIB,EVENKEEL_MACHINE=$H/here/machine,EVENKEEL_LEDGER=$H/here/ledger
	job_run plain srun -N2 -n4 --export="$names" "$V/quiet"
	job_run held srun -N2 -n4 --export="$names,$ours,EVENKEEL_MEASURE=off" "$V/quiet"
	placed node held
}
@test "a batch script, and what it runs itself, is no rank" {
	printf '%s\n' '#!/bin/sh' "'$V/quiet'" "srun -n4 '$V/quiet'" >"$T/script"
	job_run plain sbatch -W -Q -N2 -n4 -o "$T/batch.out" "$T/script"
	job_run held sbatch -W -Q -N2 -n4 -o "$T/batch.out" "$T/script"
	placed node held
	RANKS=(0)
	# The script's own program had SLURM_PROCID=0 before rank 0 had.
	[ "$(wc -l <"$T/held/0.main")" -ge 1 ]
}
@test "the job scripts of examples/jobs" {
	local script
	needs_mpi4py
	VARS+=(PATH="$EK_BUILD/launcher:$PATH" APP="$V/mpi" EVENKEEL_MACHINE="$H/here/machine"
		EVENKEEL_LEDGER="$H/here/ledger" EVENKEEL_MEASURE=off)
	for script in slurm-mpich slurm-srun; do
		job_run plain sbatch -W -Q -N2 --ntasks-per-node=2 -o "$T/out.txt" \
			"$EK_SRC/examples/jobs/$script.sbatch" init
		[ "$(cat "$T/plain/status")" = 0 ]
		[ "$(grep -c 'of 4, sum 6$' "$T/out.txt")" = 4 ]
		[ "$(sort -u "$T"/plain/?.main | wc -l)" = 2 ]
	done
	VARS+=(APP="${PY[0]}")
	for script in srun mpirun.openmpi; do
		job_run plain env BY=$script sbatch -W -Q -N2 --ntasks-per-node=2 -o "$T/out.txt" \
			"$EK_SRC/examples/jobs/slurm-openmpi.sbatch" "${PY[@]:1}"
		[ "$(cat "$T/plain/status")" = 0 ]
		[ "$(grep -c 'of 4, sum 6$' "$T/out.txt")" = 4 ]
		[ "$(sort -u "$T"/plain/?.main | wc -l)" = 2 ]
	done
}
@test "one line per host and job" {
	OURS+=(EVENKEEL_VERBOSE=1)
	job_run held srun -N2 -n4 --mpi=pmi2 sh -c "'$V/mpi' init; '$V/quiet'"
	sort -o "$T/said" <(sed 's/^evenkeel.[0-9]*.: //' "$T/held/stderr")
	printf '%s\n' "h1: 2 ranks, node 0: 1, node 1: 1, hold, one of h[1-2]" \
		"h2: 2 ranks, node 0: 1, node 1: 1, hold, one of h[1-2]" | diff - "$T/said"
}
@test "two steps at once see each other" {
	OURS+=(EVENKEEL_WIDTH=1)
	mkdir "$T/first"
	"${ON[@]}" env "${OURS[@]}" LD_PRELOAD="$EK_LIB" EVENKEEL_MEASURE=off VICTIM_GLOBAL=1 \
		VICTIM_DIR="$T/first" timeout 60 srun -w h1 -n1 -O "$V/quiet" wait "$T/first/go" \
		</dev/null >/dev/null 2>&1 3>&- &
	local i
	for i in {1..1000}; do
		[ ! -s "$T/first/0.libs" ] || break
		sleep 0.02
	done
	job_run held srun -w h1 -n3 -O "$V/quiet"
	touch "$T/first/go"
	wait
	# One rank keeps no node of its own; three beside it do.
	[ "$(sort -u "$T"/held/?.main | wc -l)" = 2 ]
}
