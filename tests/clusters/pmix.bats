#!/usr/bin/env bats
# Ranks of which nobody says how many there are: srun --mpi=pmix, and the SLURM_*
# variables taken away before the rank starts. What is left is PMIX_NAMESPACE and
# PMIX_RANK. Without any SLURM_* Open MPI 4.1 takes each rank for a job of its own; the
# four that it looks at are left to it where a real job is wanted.

load "$EK_SRC/tests/clusters/slurm_help.bash"

setup_file() { cluster_up 1 && slurm_up 1 task/none; }
teardown_file() { slurm_down; cluster_down; }

setup()
{
	slurm_needs
	slurm_setup
	needs_mpi4py
	cat >"$T/bare" <<-'EOF'
		#!/bin/bash
		for name in "${!SLURM@}"; do
			[[ " $LEFT " = *" $name "* ]] || unset "$name"
		done
		exec "$@"
	EOF
	chmod +x "$T/bare"
	VARS+=(LEFT="SLURM_JOBID SLURM_JOB_ID SLURM_STEP_ID SLURM_NODELIST")
}

# ranks N COMMAND...: plain, held and settled; RANKS are all of them.
ranks()
{
	mapfile -t RANKS < <(seq 0 $(($1 - 1)))
	job_run_all srun -N1 -n"$1" -O --mpi=pmix "$T/bare" "${@:2}"
}

# even MODE MOMENT: the nodes' ranks differ by one at most, and each is on one.
even()
{
	local rank mask on0=0 on1=0
	for rank in "${RANKS[@]}"; do
		mask=$(sort -u "$T/$1/$rank.$2")
		case $mask in
		"$CPU0") on0=$((on0 + 1)) ;;
		"$CPU1") on1=$((on1 + 1)) ;;
		*) echo "rank $rank of $1 has $mask" && return 1 ;;
		esac
	done
	echo "$on0 and $on1"
	((on0 - on1 <= 1 && on1 - on0 <= 1))
}

undisturbed()
{
	local mode
	for mode in held settled; do
		job_same $mode "${SEEN[@]}" || return
		even $mode main || return
	done
	even held up && job_masks settled up wide
}

@test "2 ranks" {
	ranks 2 "${PY[@]}"
	grep -q 'of 2, sum 1$' "$T/plain/stdout"
	undisturbed
}
@test "3 ranks" {
	ranks 3 "${PY[@]}"
	undisturbed
}
@test "5 ranks" {
	ranks 5 "${PY[@]}"
	grep -q 'of 5, sum 10$' "$T/plain/stdout"
	undisturbed
}
@test "3 ranks in a shell, that starts them and others" {
	ranks 3 sh -c "env true; $(printf "'%s' " "${PY[@]}"); echo \"after \$?\""
	undisturbed
}
@test "3 ranks in a shell that becomes the rank" {
	ranks 3 sh -c "exec $(printf "'%s' " "${PY[@]}")"
	undisturbed
}
@test "2, 3 and 5 ranks without any SLURM_* variable" {
	local n
	VARS+=(LEFT=)
	for n in 2 3 5; do
		ranks $n "$V/quiet"
		job_same held "${SEEN[@]}"
		job_same settled "${SEEN[@]}"
		even held main
		even settled main
	done
}
@test "Open MPI without any SLURM_* variable" {
	VARS+=(LEFT=)
	ranks 3 "${PY[@]}"
	job_same held "${SEEN[@]}"
	job_same settled "${SEEN[@]}"
	even held main
}
@test "one rank of unknown width is left alone, and one of known width is placed" {
	ranks 1 "$V/quiet"
	job_masks held main plain
	OURS+=(EVENKEEL_WIDTH=1)
	job_run held srun -N1 -n1 --mpi=pmix "$T/bare" "$V/quiet"
	NODE_OF=("$CPU0")
	job_masks held main node
}
@test "without a ledger they are left alone" {
	OURS+=(EVENKEEL_LEDGER=none)
	ranks 3 "$V/quiet"
	job_masks held main plain
	job_masks settled main plain
}
@test "one line says that they come one by one" {
	RANKS=(0 1)
	OURS+=(EVENKEEL_VERBOSE=1)
	job_run held srun -N1 -n2 -O --mpi=pmix "$T/bare" "$V/quiet"
	[ "$(wc -l <"$T/held/stderr")" = 1 ]
	grep -q ': h1: ranks that come one by one, hold$' "$T/held/stderr"
}
