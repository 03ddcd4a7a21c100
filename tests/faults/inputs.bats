#!/usr/bin/env bats
# Faults in what a job is given: the machine's file, the site's file, variables,
# preload lists, the program evenkeel itself. One row per fault.

load "$EK_SRC/tests/faults/faults_help.bash"

setup() { faults_setup; }

# machine_is FILE: also the word that names no file.
machine_is() { OURS=(EVENKEEL_MACHINE="$1"); }
site_is() { CONF=$1; }

# --- EVENKEEL_MACHINE ---

@test "a machine's file that is not there" { machine_is "$T/nothing"; fault wide "${JOB[@]}"; fault_mpi wide; }
@test "an empty machine's file" { machine_is /dev/null; fault wide "${JOB[@]}"; }
@test "a machine's file that is a folder" { machine_is "$T"; fault wide "${JOB[@]}"; }
@test "a machine's file that is a FIFO" { mkfifo "$T/fifo"; machine_is "$T/fifo"; fault wide "${JOB[@]}"; }
@test "a machine's file without end" { machine_is /dev/zero; fault wide "${JOB[@]}"; }
@test "a machine's file of a megabyte" {
	{ echo 'evenkeel-machine 1'; yes '# nothing' | head -c 1000000; } >"$T/machine"
	machine_is "$T/machine"
	fault wide "${JOB[@]}"
}
@test "a machine's file of random bytes" {
	head -c 10000 /dev/urandom >"$T/machine"
	machine_is "$T/machine"
	fault wide "${JOB[@]}"
}
@test "a machine's file cut in a line" { machine_is "${TWO_NODES%cpus*}cp"; fault wide "${JOB[@]}"; }
@test "a machine's text of 100,000 bytes" {
	machine_is "$TWO_NODES;$(yes '# nothing' | tr '\n' ';' | head -c 100000)"
	fault node "${JOB[@]}"
}
@test "another host's machine, of cpus that this one has not" {
	machine_is 'evenkeel-machine 1;node 0 cpus 1000-1019;node 1 cpus 1020-1039'
	fault wide "${JOB[@]}"
	fault_mpi wide
}
@test "another host's machine, of which this one has one node" {
	machine_is "evenkeel-machine 1;node 0 cpus $CPU0-$CPU1;node 1 cpus 1020-1039"
	fault wide "${JOB[@]}"
}
@test "another host's machine with 1,024 nodes" {
	local n text="evenkeel-machine 1"
	for n in {0..1023}; do
		text+=";node $n cpus $n"
	done
	machine_is "$text"
	fault any "${JOB[@]}"
}

# --- the site's file, and options ---

@test "a site's file that is a folder" { site_is "$T"; fault node "${JOB[@]}"; }
@test "a site's file of random bytes" { head -c 10000 /dev/urandom >"$T/conf"; site_is "$T/conf"; fault any "${JOB[@]}"; }
@test "a site's file without end" { site_is /dev/zero; fault node "${JOB[@]}"; }
@test "a site's file of ten megabytes" { yes mode | head -c 10000000 >"$T/conf"; site_is "$T/conf"; fault node "${JOB[@]}"; }
@test "a site's file that is a FIFO" { mkfifo "$T/fifo"; site_is "$T/fifo"; fault node "${JOB[@]}"; }
@test "options that cannot be" {
	OURS=(EVENKEEL_WIDTH=-1 EVENKEEL_ORDER=up EVENKEEL_MEM=all EVENKEEL_BIND= EVENKEEL_KERNEL=x
		EVENKEEL_RULE=% EVENKEEL_VERBOSE=9 EVENKEEL_LEDGER=relative EVENKEEL_=1
		EVENKEEL_WIDTH_=99999999999999999999)
	fault node "${JOB[@]}"
}
@test "an option's value of 100,000 bytes" {
	OURS=(EVENKEEL_ORDER="$(head -c 100000 /dev/zero | tr '\0' a)")
	fault node "${JOB[@]}"
}
@test "widths that cannot be" {
	VARS=(OMP_NUM_THREADS=-3 SLURM_CPUS_PER_TASK=4294967297)
	fault node "${JOB[@]}"
}

# --- EVENKEEL_RANK ---

# forged MARKER: each rank gets it, with our library, from its own shell.
forged()
{
	cat >"$T/forge" <<-'EOF2'
		#!/bin/sh
		if [ -n "$X_FORGED" ]; then
			export EVENKEEL_RANK="$X_FORGED" LD_PRELOAD="$X_LIBRARY"
		fi
		unset X_FORGED X_LIBRARY
		exec "$@"
	EOF2
	chmod +x "$T/forge"
	OURS=(X_FORGED="$1" X_LIBRARY="$EK_LIB")
	MPI=("$EK_MPIEXEC" -n 2 "$T/forge" "$V/mpi" init)
	fault_mpi node
	job_masks held up node
	MPI=("$EK_MPIEXEC" -n 2 "$V/mpi" init)
}

marker()
{
	echo "1:settle:$(cat /proc/sys/kernel/random/boot_id):$(stat -Lc %i /proc/self/ns/pid):$1"
}

@test "a rank's marker of another process" { forged "$(marker "1:1:$CPU0:$CPUS:")"; }
@test "a rank's marker of another boot" { forged "1:settle:0:0:1:1:$CPU0:$CPUS:"; }
@test "a rank's marker cut off" { local m; m=$(marker "1:1:$CPU0"); forged "$m"; forged "${m%:*:*}"; }
@test "a rank's marker of random bytes" { forged "$(head -c 1000 /dev/urandom | tr -d '\0\n')"; }
@test "a rank's marker as long as a variable can be" {
	forged "$(marker "1:1:$(yes 0,1 | tr '\n' , | head -c 130000)")"
}
@test "a rank's marker in mpiexec's own environment" {
	OURS=(EVENKEEL_RANK="$(marker "$$:1:$CPU0:$CPUS:")")
	fault_mpi node
}

# --- environments ---

@test "an empty environment" {
	# shellcheck disable=SC2016 # for the shell in between
	WRAP=(sh -c 'exec env -i VICTIM_DIR="$VICTIM_DIR" ${LD_PRELOAD:+LD_PRELOAD="$LD_PRELOAD"} \
		${EVENKEEL_MACHINE:+EVENKEEL_MACHINE="$EVENKEEL_MACHINE"} \
		${EVENKEEL_MODE:+EVENKEEL_MODE="$EVENKEEL_MODE"} \
		${EVENKEEL_LEDGER:+EVENKEEL_LEDGER="$EVENKEEL_LEDGER"} \
		${EVENKEEL_MEASURE:+EVENKEEL_MEASURE="$EVENKEEL_MEASURE"} "$@"' sh)
	fault node "${JOB[@]}"
	fault_mpi node
}
@test "no HOME, no PATH, no language" {
	WRAP=(env -u HOME -u PATH LANG=xx_YY.nothing LC_ALL=)
	fault node "${JOB[@]}"
}
@test "an environment of 5,000 variables" {
	local n
	for n in {1..5000}; do
		VARS+=("X_$n=$n")
	done
	fault node "${JOB[@]}"
}
@test "entries of the environment that have no name or no value" {
	cat >"$T/odd.c" <<-'EOF2'
		#include <unistd.h>
		extern char **environ;
		int main(int argc, char **argv)
		{
			static char *odd[4096] = { "EVENKEEL_=", "EVENKEEL_RANK=",
						   "EVENKEEL=", "MPI_LOCALRANKID=", "", "=",
						   "=x", "EVENKEEL", "LD_PRELOAD", "EVENKEEL_",
						   "MPI_LOCALRANKID", "EVENKEEL_RANK" };
			/* mpiexec itself dies of entries without a value. */
			int n = argv[1][0] == 'v' ? 4 : 12;

			for (char **e = environ; *e && n < 4095; e++)
				odd[n++] = *e;
			(void)argc;
			return execve(argv[2], argv + 2, odd);
		}
	EOF2
	"$EK_CC" -o "$T/odd" "$T/odd.c"
	WRAP=("$T/odd" value)
	fault node "${JOB[@]}"
	# Of what no process has it makes none.
	RANKS=()
	WRAP=("$T/odd" none)
	fault any "${JOB[@]}"
}
# The kernel takes a quarter of the stack's limit for arguments and environment.
# big BYTES: so much in VARS.
big()
{
	local one
	printf -v one '%*s' $(($1 / 3)) ''
	VARS=(X_1="$one" X_2="$one" X_3="$one")
}

@test "an environment that just fits, until a rank that settles has its marker" {
	local low=100000 high=260000 middle less tried=0
	limited '-s 1024'
	while [ $((high - low)) -gt 16 ]; do
		middle=$(((low + high) / 2))
		big $middle
		job_run plain "${WRAP[@]}" "${JOB[@]}"
		if [ "$(cat "$T/plain/status")" = 0 ]; then
			low=$middle
		else
			high=$middle
		fi
	done
	for less in 16 100 200 400; do
		big $((low - less))
		timed settled "${JOB[@]}"
		# mpiexec itself could not be executed, for EVENKEEL_* are the user's.
		[ "$(cat "$T/settled/status")" != 126 ] || continue
		fault any "${JOB[@]}"
		[ "$(cat "$T/plain/status")" = 0 ]
		tried=$((tried + 1))
	done
	[ $tried -ge 3 ]
}
@test "a daemon that executes with no environment, no arguments, no name" {
	local how
	RANKS=()
	for how in execve-env execve-argv execve-name execv-cleared spawn-env spawn-all; do
		for name in hydra_pmi_proxy mpiexec.hydra; do
			cp "$F/nulls" "$T/$name"
			rm -rf "$T"/{plain,held,settled}
			fault any "$T/$name" $how "$V/quiet"
		done
	done
}

# --- preload lists ---

# A rank that settles has the list as it was given, odd or not.
same_but_preload()
{
	RANKS=()
	fault any "${JOB[@]}"
	RANKS=(0 1 2 3)
	job_masks held main node
	job_masks settled main node
	job_without_us held
}

@test "a preload list with what is not there" {
	PRELOAD="@:$T/nothing.so" USERS="$T/nothing.so"
	fault node "${JOB[@]}"
}
@test "a preload list with much between" {
	PRELOAD=":: : @ :: "
	same_but_preload
}
@test "a preload list with our library by another way" {
	ln -s "${EK_LIB%/*}" "$T/libs"
	PRELOAD="$T/libs/libevenkeel.so:@:$T/libs/.//libevenkeel.so"
	same_but_preload
}
@test "our library under another name" {
	# Hydra's own way then: it hands the list on, and ranks place themselves.
	cp "$EK_LIB" "$T/libother.so"
	PRELOAD="$T/libother.so"
	job_run_all "${JOB[@]}"
	job_same held stdout stderr status
	job_same settled stdout stderr status
}

# --- the program evenkeel ---

@test "evenkeel is missing, in a script that asks it for variables" {
	# shellcheck disable=SC2016 # for the job's script
	JOB=(sh -c 'eval "$("$X_EVENKEEL" env 2>/dev/null)"; exec "$@"' sh "${JOB[@]}")
	WITH=(env -u LD_PRELOAD)
	VARS=(X_EVENKEEL="$T/nowhere/evenkeel")
	fault wide "${JOB[@]}"
}
@test "evenkeel cannot be executed, in a script that asks it for variables" {
	# shellcheck disable=SC2016
	JOB=(sh -c 'eval "$("$X_EVENKEEL" env 2>/dev/null)"; exec "$@"' sh "${JOB[@]}")
	cp "$EK_BIN" "$T/evenkeel"
	chmod 600 "$T/evenkeel"
	WITH=(env -u LD_PRELOAD)
	VARS=(X_EVENKEEL="$T/evenkeel")
	fault wide "${JOB[@]}"
}

# alone: a copy of the program, with TEXT as the library beside it.
alone()
{
	mkdir -p "$T/build/launcher" "$T/build/shim/.libs"
	cp "$EK_BIN" "$T/build/launcher/evenkeel"
	WITH=(env -u LD_PRELOAD "$T/build/launcher/evenkeel" run)
}

@test "evenkeel run, whose library is missing" { alone; fault wide "${JOB[@]}"; }
@test "evenkeel run, whose library is a folder" {
	alone
	mkdir "$T/build/shim/.libs/libevenkeel.so"
	fault wide "${JOB[@]}"
}
@test "evenkeel run, whose library is empty" {
	alone
	: >"$T/build/shim/.libs/libevenkeel.so"
	fault wide "${JOB[@]}"
}
@test "evenkeel run, whose library is cut" {
	alone
	head -c 20000 "$EK_LIB" >"$T/build/shim/.libs/libevenkeel.so"
	fault wide "${JOB[@]}"
}
@test "evenkeel run, whose library is of another machine" {
	alone
	{ head -c 18 "$EK_LIB"; printf '\0377\0377'; tail -c +21 "$EK_LIB"; } \
		>"$T/build/shim/.libs/libevenkeel.so"
	fault wide "${JOB[@]}"
}
@test "evenkeel run where hwloc fails" {
	WITH=(env -u LD_PRELOAD "$EK_BIN" run)
	WRAP=(env HWLOC_XMLFILE=/dev/null)
	fault any "${JOB[@]}"
}
