#!/usr/bin/env bats
# The preload alone, in a job script that exports it and nothing else but the
# machine: whatever the script calls is as without, and its jobs are placed.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	[ ! -e /etc/evenkeel.conf ] || skip "this host has a site file"
	mkdir "$T/here"
	cd "$T/here"
	echo b >two
	echo a >one
}

# scripts_run [NAME=VALUE...]: the script's lines come on stdin and are run
# without us (plain) and with us and the variables (with).
scripts_run()
{
	local mode export rc
	cat >"$T/lines"
	for mode in plain with; do
		export=""
		[ $mode = plain ] || export="export LD_PRELOAD='$EK_LIB' EVENKEEL_MACHINE='$TWO_NODES' $*"
		printf '%s\n' "export VICTIM_DIR=$T/out" "$export" >"$T/script"
		cat "$T/lines" >>"$T/script"
		rm -rf "${T:?}/$mode"
		mkdir "$T/out"
		rc=0
		setsid -w timeout -k 5 120 bash "$T/script" </dev/null >"$T/out/stdout" \
			2>"$T/out/stderr" 3>&- || rc=$?
		echo $rc >"$T/out/status"
		mv "$T/out" "$T/$mode"
	done
}

# In their order: only one process writes at a time here.
scripts_same()
{
	diff -u "$T/plain/$1" "$T/with/$1"
}

@test "what a job script calls says the same and ends the same" {
	scripts_run <<-'EOF'
	ls; echo "ls $?"
	ls -l no-such-file; echo "ls $?"
	sh -c 'echo in sh; exit 3'; echo "sh $?"
	bash -c 'kill -TERM $$'; echo "bash $?"
	python3 -c 'import sys; print(sorted(x for x in open("one"))); sys.exit(4)'; echo "python3 $?"
	python3 -c 'import subprocess as s; print(s.run(["ls", "two"]).returncode)'
	python3 -c 'import os; print(os.wait4(os.posix_spawn("/bin/ls", ["ls"], {}), 0)[1])'
	python3 -c 'import os; print(os.system("exit 5")); os.execve("/usr/bin/env", ["env"], {"A": "1"})'
	date -u -d @0; echo "date $?"
	cat one two | sort | tr a-z A-Z; echo "pipe ${PIPESTATUS[*]}"
	echo "$(awk 'BEGIN { system("echo from awk"); exit 6 }') $?"
	find . -name 'o*' -exec cat {} \; ; echo "find $?"
	printf 'one two' | xargs -d ' ' -n 1 ls; echo "xargs $?"
	./no-such-program; echo "missing $?"
	./one; echo "no program $?"
	(exec ./no-such-program); echo "exec $?"
	env -i /bin/echo alone; echo "env $?"
	nice -n 1 timeout 10 env A=1 sh -c 'echo $A'; echo "nice $?"
	exit 9
	EOF
	scripts_same stdout
	scripts_same stderr
	scripts_same status
	[ "$(cat "$T/with/status")" = 9 ]
}

@test "ranks of a job script are placed, other programs are not" {
	export V
	scripts_run <<-'EOF'
	"$EK_MPIEXEC" -n 2 "$V/mpi" init | sort
	echo "mpiexec ${PIPESTATUS[*]}"
	"$V/mpi" init; echo "alone $?"
	"$EK_MPIEXEC" -n 1 "$V/quiet" exit 8; echo "mpiexec $?"
	EOF
	scripts_same stdout
	scripts_same stderr
	scripts_same status
	RANKS=(x)
	mv "$T/with" "$T/held"
	job_masks held main wide
	job_masks held up wide
	job_mask held 1 main "$CPU1"
	job_mask held 1 up "$CPU1"
	job_mask held 0 up "$CPU0"
	# The last job was of one rank, of which nothing is asked.
	job_mask held 0 main "$CPUS"
	RANKS=(0 1)
	job_without_us held
	job_same held 0.environ 1.environ
}

@test "ranks of a job script settle with EVENKEEL_MODE=settle" {
	export V
	scripts_run EVENKEEL_MODE=settle <<-'EOF'
	nice -n 1 timeout 60 "$EK_MPIEXEC" -n 2 "$V/mpi" init | sort
	EOF
	scripts_same stdout
	scripts_same stderr
	mv "$T/with" "$T/settled"
	job_masks settled main node
	job_masks settled up wide
}

@test "the launcher places as the preload alone does" {
	local how
	[ -x "$EK_BIN" ] || skip "the launcher is not built"
	export V EK_BIN TWO_NODES
	scripts_run <<-'EOF'
	"$EK_MPIEXEC" -n 2 "$V/mpi" init
	EOF
	mv "$T/with" "$T/alone"
	for how in '"$EK_BIN" run --machine "$TWO_NODES" --' \
		'eval "$("$EK_BIN" env --machine "$TWO_NODES")";'; do
		# shellcheck disable=SC2016 # for the script
		printf '%s "$EK_MPIEXEC" -n 2 "$V/mpi" init\n' "$how" | scripts_run
		rm -rf "$T/launched"
		mv "$T/plain" "$T/launched"
		cp -r "$T/alone" "$T/plain"
		job_same launched stdout stderr status {0,1}.{fds,libs}
		job_without_us launched
		job_masks launched main node
		job_masks launched up node
	done
}

@test "an MPI program on its own is left alone" {
	RANKS=(x)
	job_run_all "$V/mpi" init
	for mode in held settled; do
		job_same $mode stdout stderr status
		job_masks $mode main plain
		job_masks $mode up plain
	done
}

@test "a set-uid program is as without us" {
	local su
	su=$(command -v mount) && [ -u "$su" ] || skip "no set-uid program"
	printf '%s --version; echo "$?"\n' "$su" | scripts_run
	scripts_same stdout
	scripts_same stderr
}

@test "the ledger of the default folder has one file, for the user alone" {
	local file
	"$EK_MPIEXEC" -n 2 true
	env LD_PRELOAD="$EK_LIB" EVENKEEL_MACHINE="$TWO_NODES" setsid -w "$EK_MPIEXEC" -n 2 true
	file=$(echo /dev/shm/evenkeel-"$(id -u)"-"$(readlink /proc/self/ns/pid | tr -dc 0-9)")
	[ "$(stat -c '%a %U %F' "$file")" = "600 $(id -un) regular file" ]
}
