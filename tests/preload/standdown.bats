#!/usr/bin/env bats
# The user's own binding wins: what runs with affinity of its own, or is told to
# be left alone, is as without us. The nodes of the test machine are in reverse
# order, so that a rank we placed is never where another tool would put it.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU1;node 1 cpus $CPU0"
	NODE_OF=("$CPU1" "$CPU0")
	J=("$EK_MPIEXEC" -n 2)
	Q=("${J[@]}" "$V/quiet")
}

is_placed() { victim never "$@"; }

script()
{
	printf '%s\n' "$@" >"$T/script"
	chmod +x "$T/script"
}

@test "without a reason to stand down these ranks are placed" { is_placed "${Q[@]}"; }

@test "mpiexec -bind-to core" { stands_down "${J[@]}" -bind-to core "$V/mpi" init; }
@test "mpiexec -bind-to numa" { stands_down "${J[@]}" -bind-to numa "$V/mpi" init; }
@test "HYDRA_BINDING=core" {
	VARS=(HYDRA_BINDING=core)
	stands_down "${J[@]}" "$V/mpi" init
}
@test "mpiexec -bind-to none asks for nothing" { is_placed "${J[@]}" -bind-to none "$V/quiet"; }

@test "taskset in front of mpiexec" { stands_down taskset -c "$CPU0" "${Q[@]}"; }
@test "taskset and timeout in front of mpiexec" {
	stands_down taskset -c "$CPU0" timeout 60 "${Q[@]}"
}
@test "taskset that leaves both nodes, in front of mpiexec" {
	stands_down taskset -c "$CPU0" sh -c 'taskset -c "$0" "$@"; exit $?' "$CPU0,$CPU1" "${Q[@]}"
}
@test "taskset that leaves both nodes, with timeout before mpiexec" {
	stands_down taskset -c "$CPU0" sh -c 'taskset -c "$0" timeout 60 "$@"; exit $?' \
		"$CPU0,$CPU1" "${Q[@]}"
}
@test "a mask that the whole session has is its limit, and ranks are placed in it" {
	# shellcheck disable=SC2016 # for the inner shell
	job_run_all taskset -c "$CPU0" sh -c 'taskset -c "$0" setsid -w "$@"; exit $?' \
		"$CPU0,$CPU1" "${Q[@]}"
	job_masks held main node
	job_masks settled main node
}
@test "numactl in front of mpiexec" {
	needs_tool numactl
	stands_down taskset -c "$CPU0" sh -c 'numactl -a -C "$0" "$@"; exit $?' \
		"$CPU0,$CPU1" "${Q[@]}"
}

@test "taskset around the rank" { stands_down "${J[@]}" taskset -c "$CPU0,$CPU1" "$V/mpi" init; }
@test "taskset to one cpu around the rank" { stands_down "${J[@]}" taskset -c "$CPU0" "$V/quiet"; }
@test "numactl -C around the rank" {
	needs_tool numactl
	stands_down "${J[@]}" numactl -C "$CPU0" "$V/mpi" init
}
@test "numactl -N around the rank" {
	needs_tool numactl
	stands_down "${J[@]}" numactl -N 0 "$V/quiet"
}
@test "numactl --localalloc around the rank" {
	needs_tool numactl
	stands_down "${J[@]}" numactl --localalloc "$V/quiet"
}
@test "env and numactl around the rank" {
	needs_tool numactl
	stands_down "${J[@]}" env A=1 numactl -C "$CPU0" "$V/quiet"
}
@test "taskset in the rank's sh -c" {
	stands_down "${J[@]}" sh -c "taskset -c $CPU0,$CPU1 '$V/quiet'"
}
@test "numactl in the rank's sh -c" {
	needs_tool numactl
	stands_down "${J[@]}" sh -c "numactl -C $CPU0 '$V/quiet'"
}
@test "taskset in the rank's script" {
	script '#!/bin/bash' "if true; then taskset -c $CPU0,$CPU1 '$V/quiet'; fi"
	stands_down "${J[@]}" "$T/script"
}
@test "numactl in the rank's script, called by its shell" {
	needs_tool numactl
	script "exec numactl -C $CPU0 '$V/quiet'"
	stands_down "${J[@]}" bash "$T/script"
}
@test "numactl in a script that is found in PATH" {
	needs_tool numactl
	script '#!/bin/sh' "exec numactl -N 0 '$V/quiet'"
	VARS=(PATH="$T:$PATH")
	stands_down "${J[@]}" script
}
@test "a word with taskset in it is not taskset" {
	is_placed "${J[@]}" sh -c ": mytaskset taskset2; '$V/quiet'"
}

@test "EVENKEEL=off" {
	OURS=(EVENKEEL=off)
	stands_down "${Q[@]}"
}
@test "EVENKEEL_OFF=1" {
	OURS=(EVENKEEL_OFF=1)
	stands_down "${Q[@]}"
}
@test "mpiexec -genv EVENKEEL off" { stands_down "${J[@]}" -genv EVENKEEL off "$V/quiet"; }
@test "mpiexec -env EVENKEEL off leaves out that part of the job" {
	job_run_all "$EK_MPIEXEC" -n 1 -env EVENKEEL off "$V/quiet" : -n 1 "$V/quiet"
	for mode in held settled; do
		job_same_output $mode
		job_mask $mode 0 main "$CPUS"
		job_mask $mode 1 main "$CPU0"
	done
}
@test "a site file that says off, whatever the user says" {
	echo off >"$T/site.conf"
	CONF=$T/site.conf OURS=(EVENKEEL=on EVENKEEL_OFF=0)
	stands_down "${Q[@]}"
}
@test "a site file that denies the program, whatever the user says" {
	echo "deny other quiet" >"$T/site.conf"
	CONF=$T/site.conf OURS=(EVENKEEL_DENY=none)
	stands_down "${Q[@]}"
}
@test "a site file that denies another program" {
	echo "deny other" >"$T/site.conf"
	CONF=$T/site.conf
	is_placed "${Q[@]}"
}

@test "mpiexec -gpus-per-proc 1" { stands_down "${J[@]}" -gpus-per-proc 1 "$V/quiet"; }
@test "GPUs named for the whole job are no reason" {
	VARS=(CUDA_VISIBLE_DEVICES=0)
	is_placed "${Q[@]}"
}
@test "GOMP_CPU_AFFINITY" {
	VARS=(GOMP_CPU_AFFINITY="$CPU0 $CPU1")
	stands_down "${Q[@]}"
}
@test "OMP_PLACES with cpu numbers" {
	VARS=(OMP_PLACES="{$CPU0},{$CPU1}")
	stands_down "${Q[@]}"
}
@test "OMP_PLACES=cores and OMP_PROC_BIND are no reason" {
	VARS=(OMP_PLACES=cores OMP_PROC_BIND=close)
	is_placed "${Q[@]}"
}

@test "a machine of one node" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0,$CPU1"
	stands_down "${Q[@]}"
}
@test "a machine that cannot be read" {
	TWO_NODES=$T/no-such-machine
	stands_down "${Q[@]}"
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0;node"
	stands_down "${Q[@]}"
}
@test "options that cannot be read are passed over" {
	OURS=(EVENKEEL_WIDTH=abc EVENKEEL_ORDER=none EVENKEEL_RULE=G99 EVENKEEL_NONSENSE=1)
	is_placed "${Q[@]}"
}

@test "mpiexec -bind-to numa with another mpiexec in its rank" {
	RANKS=()
	inner="'$EK_MPIEXEC' -n 2 '$V/quiet'"
	job_run_all "$EK_MPIEXEC" -bind-to numa -n 1 sh -c "$inner"
	RANKS=(0 1)
	for mode in held settled; do
		job_same_output $mode
		job_without_us $mode
		job_masks $mode main plain
	done
	# The inner job asked for no binding: what it sees of the outer one's
	# request is no reason.
	OURS=(EVENKEEL_KEEP=1)
	job_run held "$EK_MPIEXEC" -bind-to numa -n 1 sh -c "$inner"
	job_same held stdout stderr status
	job_masks held main node
}

# Of a pipe the rank would never see what we had read.
@test "a script that comes through a pipe or a FIFO is left for the rank" {
	# shellcheck disable=SC2016 # for the ranks' shell
	printf '%s\n' '#!/bin/sh' 'echo "echo from a pipe" | "$@" /dev/stdin' >"$T/pipe"
	chmod +x "$T/pipe"
	RANKS=()
	job_run plain "$EK_MPIEXEC" -n 1 "$T/pipe" bash : -n 1 true
	job_run held "$EK_MPIEXEC" -n 1 "$T/pipe" bash : -n 1 true
	job_same held stdout stderr status
	grep -q "from a pipe" "$T/held/stdout"
	mkfifo "$T/fifo"
	for mode in plain held; do
		echo 'echo from a fifo' >"$T/fifo" 3>&- &
		job_run $mode "$EK_MPIEXEC" -n 1 sh "$T/fifo" : -n 1 true
		wait
	done
	job_same held stdout stderr status
	grep -q "from a fifo" "$T/held/stdout"
}

# A job script may start them; a function missing for them would end them.
@test "a program of another C library starts and is left alone" {
	command -v musl-gcc >/dev/null || skip "musl-gcc is not installed"
	printf '%s\n' '#include <stdio.h>' 'int main(void) { return puts("hello") < 0; }' >"$T/m.c"
	musl-gcc "$T/m.c" -o "$T/m"
	run env LD_PRELOAD="$EK_LIB" MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 "$T/m"
	[ "$status" = 0 ]
	[ "$output" = hello ]
}

@test "launch variables without a launcher make no rank" {
	run env LD_PRELOAD="$EK_LIB" EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_VERBOSE=2 \
		MPI_LOCALRANKID=0 MPI_LOCALNRANKS=4 setsid -w \
		sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
	[ "$output" = "$CPUS" ]
}

@test "what the kernel refused is not said to be done" {
	strace -o /dev/null true 2>/dev/null || skip "strace is not there or may not trace"
	run -0 setsid -w env LD_PRELOAD="$EK_LIB" EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_VERBOSE=2 \
		EVENKEEL_LEDGER="$T/ledger" EVENKEEL_MEASURE=off strace -f -o /dev/null \
		-e inject=sched_setaffinity:error=EPERM "$EK_MPIEXEC" -n 2 true
	[ "$(grep -c 'rank . not placed: the kernel refused the mask' <<<"$output")" = 2 ]
	! grep -q held <<<"$output"
}

@test "the site's off and deny hold whatever other file is named" {
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "no mount namespace is to be had"
	local line
	mkdir "$T/etc"
	cp -a /etc/. "$T/etc" 2>/dev/null || true
	for line in off "deny true"; do
		echo "$line" >"$T/etc/evenkeel.conf"
		run unshare -m sh -c "mount --bind '$T/etc' /etc && exec \"\$@\"" sh \
			setsid -w env LD_PRELOAD="$EK_LIB" EVENKEEL_MACHINE="$TWO_NODES" \
			EVENKEEL_VERBOSE=2 EVENKEEL_CONF=/dev/null EVENKEEL_LEDGER="$T/ledger" \
			EVENKEEL_MEASURE=off "$EK_MPIEXEC" -n 2 true
		[ "$status" = 0 ]
		grep -q "not placed" <<<"$output"
		! grep -q held <<<"$output" || return
	done
}
