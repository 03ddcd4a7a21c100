#!/usr/bin/env bats
# Faults of the ledger: its content, its file, its lock. A placement aid must not
# be able to hurt a job: whatever is broken, a job with us ends as one without us,
# and as soon. One row per fault.

load "$EK_SRC/tests/faults/faults_help.bash"

setup() { faults_setup; }
teardown() { end_holder; }

# --- the ledger's content ---

@test "no fault: the tests can see that ranks are placed" { fault node "${JOB[@]}"; fault_mpi node; }
@test "an empty ledger" { BEFORE=(make_ledger_cut 0); fault node "${JOB[@]}"; }
@test "a ledger cut in its head" { BEFORE=(make_ledger_cut 17); fault node "${JOB[@]}"; }
@test "a ledger cut in its last slot" { BEFORE=(make_ledger_cut 107); fault node "${JOB[@]}"; }
@test "a ledger with a wrong checksum" { BEFORE=(make_ledger_with 60 x); fault node "${JOB[@]}"; fault_mpi node; }
@test "a ledger of another program" { BEFORE=(make_ledger_with 0 elsewise); fault node "${JOB[@]}"; }
@test "a ledger of a later format" { BEFORE=(make_ledger_with 8 '\03'); fault node "${JOB[@]}"; }
@test "a ledger that tells a length beyond its end" { BEFORE=(make_ledger_with 12 '\0377\0377\0377'); fault node "${JOB[@]}"; }
@test "a damaged ledger of format 1, as it was kept" { BEFORE=(make_ledger_golden ledger-v1-damaged.hex); fault node "${JOB[@]}"; fault_mpi node; }
@test "a ledger of format 1, as it was kept" { BEFORE=(make_ledger_golden ledger-v1.hex); fault node "${JOB[@]}"; }
@test "a damaged ledger of format 2, as it was kept" { BEFORE=(make_ledger_golden ledger-v2-damaged.hex); fault node "${JOB[@]}"; fault_mpi node; }
@test "a ledger of format 2, as it was kept" { BEFORE=(make_ledger_golden ledger-v2.hex); fault node "${JOB[@]}"; }
@test "a ledger of format 2 with a job that ranks join one by one" { BEFORE=(make_ledger_golden ledger-v2-open.hex); fault node "${JOB[@]}"; }
@test "a ledger of random bytes" {
	random() { rm -f "$LEDGER"; head -c 100000 /dev/urandom >"$LEDGER"; chmod 600 "$LEDGER"; }
	BEFORE=(random)
	fault node "${JOB[@]}"
}
@test "a ledger of a terabyte" {
	huge() { rm -f "$LEDGER"; (umask 077; truncate -s 1T "$LEDGER"); }
	BEFORE=(huge)
	fault node "${JOB[@]}"
	[ "$(stat -c %s "$LEDGER")" -lt 10000 ]
}
@test "a good ledger whose numbers are absurd" { BEFORE=(make_ledger absurd); fault any "${JOB[@]}"; fault_mpi any; }
@test "1,000 stale jobs" {
	BEFORE=(make_ledger stale 1000)
	fault node "${JOB[@]}"
	[ "$(stat -c %s "$LEDGER")" -lt 1000 ]
}
@test "8,000 jobs whose process ids are others' now" { BEFORE=(make_ledger reused 8000); fault node "${JOB[@]}"; }
@test "a job of 80,000 living ranks" { BEFORE=(make_ledger crowd 80000); fault any "${JOB[@]}"; }

# --- the ledger's file ---

@test "a ledger that is a folder" {
	folder() { rm -rf "$LEDGER"; mkdir "$LEDGER"; }
	BEFORE=(folder)
	fault node "${JOB[@]}"
}
@test "a ledger that is a FIFO" {
	fifo() { rm -f "$LEDGER"; mkfifo -m 600 "$LEDGER"; }
	BEFORE=(fifo)
	fault node "${JOB[@]}"
}
@test "a ledger that is a socket" {
	sock() { rm -f "$LEDGER"; "$EK_PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$LEDGER"; }
	BEFORE=(sock)
	fault node "${JOB[@]}"
}
@test "a ledger that is a link to a file, which stays as it is" {
	link() { rm -f "$LEDGER"; echo precious >"$T/file"; chmod 600 "$T/file"; ln -s "$T/file" "$LEDGER"; }
	BEFORE=(link)
	fault node "${JOB[@]}"
	[ "$(cat "$T/file")" = precious ]
}
@test "a ledger that is a link to nothing, which is not made" {
	link() { rm -f "$LEDGER"; ln -s "$T/nothing" "$LEDGER"; }
	BEFORE=(link)
	fault node "${JOB[@]}"
	[ ! -e "$T/nothing" ]
}
@test "a ledger with a second name, which stays as it is" {
	link() { rm -f "$LEDGER" "$T/file"; echo precious >"$T/file"; chmod 600 "$T/file"; ln "$T/file" "$LEDGER"; }
	BEFORE=(link)
	fault node "${JOB[@]}"
	[ "$(cat "$T/file")" = precious ]
}
@test "a ledger of another owner" {
	needs_root
	other() { make_ledger good; chown nobody "$LEDGER"; cp -p "$LEDGER" "$T/was"; }
	BEFORE=(other)
	fault node "${JOB[@]}"
	cmp "$T/was" "$LEDGER"
}
@test "a ledger that others may write" {
	open() { make_ledger good; chmod 666 "$LEDGER"; cp -p "$LEDGER" "$T/was"; }
	BEFORE=(open)
	fault node "${JOB[@]}"
	cmp "$T/was" "$LEDGER"
}
@test "a ledger that its owner may not write" {
	closed() { make_ledger good; chmod 400 "$LEDGER"; }
	BEFORE=(closed)
	fault node "${JOB[@]}"
}
@test "a ledger deleted again and again" {
	deleting() { (while sleep 0.002; do rm -f "$LEDGER"; done) 3>&- & HOLDER=$!; }
	BEFORE=(deleting) AFTER=(end_holder)
	fault node "${JOB[@]}"
}
@test "a ledger in a folder that is not there" { OURS=(EVENKEEL_LEDGER="$T/no/such/folder"); fault node "${JOB[@]}"; }
@test "a ledger in a folder where no file can be made" { OURS=(EVENKEEL_LEDGER=/proc/self); fault node "${JOB[@]}"; }
@test "a ledger in a folder with a name of 100,000 bytes" {
	OURS=(EVENKEEL_LEDGER="/$(head -c 100000 /dev/zero | tr '\0' a)")
	fault node "${JOB[@]}"
}
@test "a ledger on a full file system" {
	mounted "mount -t tmpfs -o size=64k none '$T/ledger' && ! head -c 1M /dev/zero >'$T/ledger/full' 2>/dev/null"
	fault node "${JOB[@]}"
	fault_mpi node
}
@test "a ledger on a file system without a free inode" {
	mounted "mount -t tmpfs -o nr_inodes=1 none '$T/ledger'"
	fault node "${JOB[@]}"
}
@test "a ledger on a read-only file system" {
	mounted "mount -t tmpfs -o ro none '$T/ledger'"
	fault node "${JOB[@]}"
}
@test "a full /dev/shm" {
	mounted "mount -t tmpfs -o size=64k none /dev/shm && ! head -c 1M /dev/zero >/dev/shm/full 2>/dev/null"
	WITH=(env -u EVENKEEL_LEDGER)
	fault node "${JOB[@]}"
}
@test "a read-only /dev/shm, and a runtime folder to go to" {
	mounted 'mount -t tmpfs -o ro none /dev/shm'
	mkdir -m 700 "$T/runtime"
	WITH=(env -u EVENKEEL_LEDGER XDG_RUNTIME_DIR="$T/runtime")
	SEEN=(stdout stderr status)
	VARS=(XDG_RUNTIME_DIR="$T/runtime")
	fault node "${JOB[@]}"
	[ -s "$T/runtime/${LEDGER##*/}" ]
}
@test "no /dev/shm, and odd runtime folders" {
	local odd
	mkdir -m 755 "$T/open"
	mkfifo -m 700 "$T/fifo"
	mounted 'mount -t tmpfs -o ro none /dev/shm'
	WITH=(env -u EVENKEEL_LEDGER)
	for odd in "" relative /proc/self "$T/open" "$T/fifo" "/$(head -c 100000 /dev/zero | tr '\0' a)"; do
		rm -rf "$T"/{plain,held,settled}
		VARS=(XDG_RUNTIME_DIR="$odd")
		fault node "${JOB[@]}"
	done
	[ -z "$(ls -A "$T/open")" ]
}

# --- the ledger's lock ---

@test "the lock's holder is stopped" {
	BEFORE=(stop_holder) AFTER=(end_holder)
	fault node "${JOB[@]}"
	fault_mpi node
}
@test "the lock's holder is killed while ranks wait" {
	BEFORE=(kill_holder_soon) AFTER=(end_holder)
	fault node "${JOB[@]}"
}
@test "the lock's holder was killed" {
	killed() { hold_lock; end_holder; }
	BEFORE=(killed)
	fault node "${JOB[@]}"
}
@test "the lock's holder is stopped, and the proxy starts its ranks one after the other" {
	ln -s "$V/spawner" "$T/hydra_pmi_proxy"
	BEFORE=(stop_holder) AFTER=(end_holder)
	fault node "$T/hydra_pmi_proxy" spawn 4 "$V/quiet"
	rm -rf "$T"/{plain,held,settled}
	fault node "$T/hydra_pmi_proxy" vfork-execve 4 "$V/quiet"
}
