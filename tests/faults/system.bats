#!/usr/bin/env bats
# Faults of the system around a job: no /proc, no /sys, no memory, descriptors at
# their limit, refused calls, closed files. One row per fault.

load "$EK_SRC/tests/faults/faults_help.bash"

setup() { faults_setup; }
teardown() { end_holder; }

# --- mounts ---

@test "/sys is not mounted" {
	mounted 'umount -l /sys'
	VARS=(UCX_LOG_LEVEL=fatal)
	fault node "${JOB[@]}"
	fault_mpi node
	# The machine is read from there when none is given.
	WITH=(env -u EVENKEEL_MACHINE)
	rm -rf "$T"/{plain,held,settled}
	RANKS=(0 1 2 3)
	fault wide "${JOB[@]}"
}
@test "/sys is empty" {
	mounted 'mount -t tmpfs none /sys'
	WITH=(env -u EVENKEEL_MACHINE)
	fault wide "${JOB[@]}"
}
@test "/sys has lists of cpus that are none" {
	mounted 'mount -t tmpfs none /sys && mkdir -p /sys/devices/system/cpu /sys/devices/system/node &&
		head -c 5000 /dev/urandom >/sys/devices/system/cpu/online &&
		echo 0-1 >/sys/devices/system/node/online'
	WITH=(env -u EVENKEEL_MACHINE)
	fault wide "${JOB[@]}"
}
@test "/proc is not mounted" {
	mounted 'umount -l /proc'
	VARS=(UCX_LOG_LEVEL=fatal)
	fault any "${JOB[@]}"
	# MPICH gives up there; which ranks get to say so is a matter of luck.
	SEEN=(status)
	fault_mpi any
}
@test "neither /proc nor /sys is mounted" {
	mounted 'umount -l /proc && umount -l /sys'
	# Hydra itself ends the job before any rank.
	RANKS=()
	fault any "${JOB[@]}"
}
@test "/proc is another's" {
	mounted 'mount -t tmpfs none /proc && mkdir -p /proc/self && head -c 5000 /dev/urandom >/proc/self/stat &&
		cp /proc/self/stat /proc/stat && cp /proc/self/stat /proc/loadavg'
	fault any "${JOB[@]}"
}
@test "/dev is not there" {
	mounted 'umount -l /dev/shm; mount -t tmpfs -o ro none /dev'
	WITH=(env -u EVENKEEL_LEDGER)
	fault node "${JOB[@]}"
}

# --- limits ---

@test "no memory for us at all" {
	PRELOAD="$F/nomem.so:@" USERS=$F/nomem.so
	VARS=(NOMEM_LIBRARY="$EK_LIB")
	fault any "${JOB[@]}"
	fault_mpi any
}
@test "no memory for us after the first pieces" {
	local n
	PRELOAD="$F/nomem.so:@" USERS=$F/nomem.so
	for n in 1 2 3 4 5 6 7 8 10 12 16; do
		VARS=(NOMEM_LIBRARY="$EK_LIB" NOMEM_AFTER=$n)
		rm -rf "$T"/{plain,held,settled}
		fault any "${JOB[@]}"
	done
}
@test "little address space" {
	# As little as the job needs by itself, and our library's own 200 KiB.
	local kb=4096
	while limited "-v $kb" && job_run plain "${WRAP[@]}" "${JOB[@]}" && [ "$(cat "$T/plain/status")" != 0 ]; do
		WRAP=()
		kb=$((kb + 256))
		[ $kb -lt 100000 ]
	done
	WRAP=()
	limited "-v $((kb + 256))"
	fault any "${JOB[@]}"
}
@test "few descriptors" {
	# As few as the job needs by itself.
	local n=4
	while limited "-n $n" && job_run plain "${WRAP[@]}" "${JOB[@]}" && [ "$(cat "$T/plain/status")" != 0 ]; do
		WRAP=()
		n=$((n + 1))
		[ $n -lt 200 ]
	done
	fault any "${JOB[@]}"
}
@test "no file may be written" {
	limited '-f 0'
	# The victim's own files cannot be either; stdout is a pipe in the job.
	RANKS=()
	fault any "${JOB[@]}"
	[ "$(cat "$T/plain/status")" = "$(cat "$T/held/status")" ]
}
@test "the ledger may not grow, nor be written again" {
	# 2,000 living ranks take 24 KiB; a victim's own files less than 16.
	limited '-f 16'
	BEFORE=(make_ledger crowd 2000)
	fault any "${JOB[@]}"
	[ "$(cat "$T/plain/status")" = 0 ]
}
@test "a small stack" { limited '-s 128'; fault node "${JOB[@]}"; }
@test "no locked memory" { limited '-l 0'; fault node "${JOB[@]}"; }

# --- refused calls ---

@test "sched_setaffinity: EPERM" { refused sched_setaffinity:EPERM; fault wide "${JOB[@]}"; fault_mpi wide; }
@test "sched_setaffinity: EINVAL" { refused sched_setaffinity:EINVAL; fault wide "${JOB[@]}"; }
@test "sched_setaffinity: ENOSYS" { refused sched_setaffinity:ENOSYS; fault wide "${JOB[@]}"; fault_mpi wide; }
@test "sched_getaffinity: EPERM" { refused sched_getaffinity:EPERM; fault wide "${JOB[@]}"; }
@test "sched_getaffinity: EINVAL" { refused sched_getaffinity:EINVAL; fault wide "${JOB[@]}"; }
@test "sched_getaffinity: ENOSYS" { refused sched_getaffinity:ENOSYS; fault wide "${JOB[@]}"; }
@test "set_mempolicy: EPERM, EINVAL and ENOSYS" {
	local error
	OURS=(EVENKEEL_MEM=bind)
	for error in EPERM EINVAL ENOSYS; do
		WRAP=()
		refused set_mempolicy:$error
		rm -rf "$T"/{plain,held,settled}
		fault node "${JOB[@]}"
	done
}
@test "no locks of open files (F_OFD_SETLK): EINVAL" { refused fcntl/1=37:EINVAL; fault node "${JOB[@]}"; }
@test "fallocate: ENOSYS" { refused fallocate:ENOSYS; fault node "${JOB[@]}"; }
@test "pwrite: ENOSPC" { refused pwrite:ENOSPC; fault node "${JOB[@]}"; }
@test "ftruncate: EPERM" { refused ftruncate:EPERM; fault node "${JOB[@]}"; }
@test "kill with signal 0: EPERM" { refused kill/1=0:EPERM; BEFORE=(make_ledger stale 100); fault node "${JOB[@]}"; }
@test "clock_nanosleep: ENOSYS, and the lock is taken" {
	refused clock_nanosleep:ENOSYS
	BEFORE=(stop_holder) AFTER=(end_holder)
	fault node "${JOB[@]}"
}
@test "readlink: EACCES" { refused readlink:EACCES; fault any "${JOB[@]}"; fault_mpi any; }
@test "getsid: EPERM" { refused getsid:EPERM; fault node "${JOB[@]}"; }
@test "uname: EPERM" {
	# Of that Hydra itself dies.
	refused uname:EPERM
	RANKS=()
	OURS=(EVENKEEL_TOGETHER=1 EVENKEEL_WIDTH=1)
	fault any "${JOB[@]}"
}

# --- stdin, stdout, stderr ---

# streams REDIRECTIONS
streams()
{
	WRAP=(bash -c "exec \"\$@\" $1" bash)
}

@test "stdin is closed" { streams '<&-'; fault node "${JOB[@]}"; fault_mpi node; }
# Of these Hydra's own jobs die, more or less cleanly.
@test "stdout is closed" { streams '>&-'; RANKS=(); fault any "${JOB[@]}"; }
@test "stderr is closed" { streams '2>&-'; RANKS=(); fault any "${JOB[@]}"; }
@test "stdin, stdout and stderr are closed" { streams '<&- >&- 2>&-'; RANKS=(); fault any "${JOB[@]}"; }
@test "stdout and stderr are full" { streams '>/dev/full 2>&1'; RANKS=(); fault any "${JOB[@]}"; }
@test "stderr is a pipe that nobody reads, and mpiexec has something to say" {
	# shellcheck disable=SC2016
	streams '2> >(exit)'
	OURS=(EVENKEEL_VERBOSE=2)
	# A reason for mpiexec itself to say a line, after the pipe's reader is gone.
	JOB=(bash -c 'sleep 0.3; taskset -c "$0" "$@"' "$CPU0" "${JOB[@]}")
	NODE_OF=("$CPU0" "$CPU0" "$CPU0" "$CPU0")
	fault node "${JOB[@]}"
}
@test "stderr is a full pipe that nobody reads, and mpiexec has something to say" {
	mkfifo "$T/fifo"
	exec 7<>"$T/fifo"
	dd if=/dev/zero of=/dev/fd/7 bs=4096 oflag=nonblock status=none 2>/dev/null || true
	streams '2>&7'
	OURS=(EVENKEEL_VERBOSE=2)
	JOB=(taskset -c "$CPU0" "${JOB[@]}")
	RANKS=()
	fault any "${JOB[@]}"
	exec 7<&-
}

# --- what a rank reads ---

@test "a shell's script in a FIFO is read by the rank alone" {
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/bash' 'fifo=$VICTIM_DIR/fifo' 'mkfifo "$fifo"' \
		'timeout 10 sh -c "echo echo said by the script >$fifo" &' \
		'timeout 10 "$EK_MPIEXEC" -n 1 sh "$fifo"; echo "status $?"; wait' >"$T/job"
	chmod +x "$T/job"
	RANKS=()
	export EK_MPIEXEC
	fault any "$T/job"
	grep -q 'said by the script' "$T/plain/stdout"
}
@test "a shell's script on stdin is read by the rank alone" {
	# shellcheck disable=SC2016
	printf '%s\n' '#!/bin/bash' 'for n in {1..2000}; do echo "echo line $n"; done |' \
		'timeout 20 "$EK_MPIEXEC" -n 1 bash /dev/stdin; echo "status $?"' >"$T/job"
	chmod +x "$T/job"
	RANKS=()
	export EK_MPIEXEC
	fault any "$T/job"
	grep -q 'line 2000' "$T/plain/stdout"
}

# --- what a rank leaves ---

@test "launch variables that come from no launcher make no rank and no record" {
	export EVENKEEL_LEDGER=$T/ledger EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_CONF=$CONF
	export OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 VICTIM_DIR=$T
	PMIX_NAMESPACE=job LD_PRELOAD=$EK_LIB "$V/quiet"
	[ "$(cat "$T/1.main")" = "$CPUS" ]
	[ -z "$(ls -A "$T/ledger")" ]
}
