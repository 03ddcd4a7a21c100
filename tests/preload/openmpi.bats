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

# --- mpirun's own binding ---

# bound run-options... -- mpirun-options...: plain, and under `evenkeel run`.
bound()
{
	local ours=() PRELOAD=""
	while [ "$1" != -- ]; do
		ours+=("$1")
		shift
	done
	shift
	job_run plain "${J[@]}" "$@" "$V/quiet"
	job_run held "$EK_BIN" run "${ours[@]}" "${J[@]}" "$@" "$V/quiet"
	job_same held stdout status
}

@test "--replace-binding places the ranks of mpirun on the two nodes" {
	bound --replace-binding --
	job_masks held main node
	[ ! -s "$T/held/stderr" ]
}
@test "--replace-binding on nodes in reverse order" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	NODE_OF=("$CPU1" "$CPU0")
	bound --replace-binding --
	job_masks held main node
}
@test "without --replace-binding mpirun's own binding stays, and -v says so" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	bound --verbose=1 --
	job_masks held main plain
	# One line for the job, whatever is said of its hosts.
	[ "$(grep -c 'not placed' "$T/held/stderr")" = 1 ]
	grep -q "2 ranks, not placed: mpirun binds (run --replace-binding)" "$T/held/stderr"
}
@test "--replace-binding leaves --bind-to core alone" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	bound --replace-binding -- --bind-to core
	job_masks held main plain
}
@test "--replace-binding leaves the user's own variable alone" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	VARS+=(OMPI_MCA_hwloc_base_binding_policy=core)
	bound --replace-binding --
	job_masks held main plain
}
@test "--replace-binding leaves cpus per rank alone" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	bound --replace-binding -- --map-by slot:PE=1
	job_masks held main plain
}
@test "a binding to everything is a binding" {
	bound -- --bind-to board
	job_masks held main plain
}

# --- what is said, and who places ---

# alone COMMAND...: no preload reaches mpirun, as on another host it reaches no orted.
alone()
{
	PRELOAD='' job_run held "${J[@]}" --bind-to none -x LD_PRELOAD="$EK_LIB" "$@"
}
# What starts programs of its own, from a shell and not.
parents()
{
	PARENTS=(sh -c "'$V/quiet'; env sleep 0; '$1' -c 'import os; os.system(\"$V/quiet\")'")
}

@test "a held rank of mpirun has nothing of ours" {
	job_run_all "${J[@]}" --bind-to none "$V/quiet"
	job_without_us held
}
@test "ranks whose mpirun is not preloaded place themselves" {
	job_run plain "${J[@]}" --bind-to none "$V/quiet"
	alone "$V/quiet"
	seen held node
	job_run plain "${J[@]}" --bind-to none sh -c "'$V/quiet' exit 0; echo after \$?"
	alone sh -c "'$V/quiet' exit 0; echo after \$?"
	seen held node
}
@test "one line per job and host, whatever its ranks start" {
	local python
	OURS=(EVENKEEL_VERBOSE=1)
	python=$(command -v python3)
	parents "$python"
	job_run held "${J[@]}" --bind-to none "${PARENTS[@]}"
	[ "$(grep -c evenkeel "$T/held/stderr")" = 1 ]
	grep -q ': 2 ranks, node 0: 1, node 1: 1, hold$' "$T/held/stderr"
	alone "${PARENTS[@]}"
	[ "$(grep -c evenkeel "$T/held/stderr")" = 1 ]
	grep -q ': 2 ranks, node 0: 1, node 1: 1, hold$' "$T/held/stderr"
}
@test "one line per rank, whatever the ranks start" {
	OURS=(EVENKEEL_VERBOSE=2)
	parents "$(command -v python3)"
	alone "${PARENTS[@]}"
	[ "$(grep -c evenkeel "$T/held/stderr")" = 3 ]
	[ "$(grep -c '1\]: rank 1 on node 1' "$T/held/stderr")" = 1 ]
}
@test "run --report sees the ranks of mpirun" {
	OURS=(EVENKEEL_MACHINE="$TWO_NODES")
	PRELOAD='' job_run held "$EK_BIN" run --report --replace-binding \
		"${J[@]}" "$V/quiet" wait "$T/nothing" &
	local job=$! i
	for i in {1..500}; do
		[ -s "$T/out/1.main" ] && [ -s "$T/out/0.main" ] && break
		sleep 0.02
	done
	# Its looks are a tenth of a second apart.
	sleep 0.3
	touch "$T/nothing"
	wait $job
	grep -q 'ranks per node: planned 1,1; seen 1,1;' "$T/held/stderr"
}
