# strace as oracle: which system calls the preload library adds to a process.
# An inert program: none but the loader's own. Launcher, proxy, the proxy's
# children and ranks: those listed, with their reasons, in syscalls/*.txt.
load "$EK_SRC/tests/bats_help.bash"

ORACLE=$EK_SRC/tests/preload/oracle.py
LISTS=$EK_SRC/tests/preload/syscalls

setup()
{
	ek_setup
	[ -e "$EK_LIB" ] || skip "built without the preload library"
	strace -o /dev/null true 2>/dev/null || skip "strace is not there or may not trace"
	cd "$T" || return
	export EVENKEEL_CONF=$T/evenkeel.conf
	# What would differ from run to run.
	export PYTHONHASHSEED=0
}

# The library makes no difference to COMMAND. A program whose allocator goes by
# addresses differs from run to run by itself, so a few pairs of runs are had; a
# call of ours would be in every one.
inert()
{
	local try
	for try in 1 2 3 4 5 6; do
		# A variable as long: a program's copy of its environment moves its heap.
		strace -f -y -o plain -E LD_PRELOAX="${LIBRARY:-$EK_LIB}" "$@" >out
		mv out out.plain
		strace -f -y -o with -E LD_PRELOAD="${LIBRARY:-$EK_LIB}" "$@" >out
		cmp out.plain out
		"$EK_PYTHON" "$ORACLE" inert "${LIBRARY:-$EK_LIB}" plain with >differences && return
	done
	cat differences
	return 1
}

# A library that is loaded by our name, with code of its own in its constructor.
other_library()
{
	mkdir -p other
	printf '%s\n' '#include <fcntl.h>' '#include <stdlib.h>' '#include <unistd.h>' \
		"__attribute__((constructor)) static void start(void) { $1; }" >other/other.c
	"${EK_CC%% *}" -shared -fPIC -o other/libevenkeel.so other/other.c
	LIBRARY=$T/other/libevenkeel.so
}

# The program itself: python3 in the path may be a script.
python()
{
	"$EK_PYTHON" -c 'import sys; print(sys.executable)'
}

needs_stacks()
{
	strace -k -o /dev/null true 2>/dev/null || skip "this strace shows no stacks (-k)"
	[ -n "$EK_MPIEXEC" ] || skip "MPICH's mpiexec is not there"
}

# An MPI that only starts a thread, and a rank that uses it: what a real MPI does
# in MPI_Init would drown ours, and UCX rewrites the code that strace looks at.
# The thread ends before the process, or strace may lose its stack and give up.
build_rank()
{
	cat >mpi.c <<-'EOF'
		#include <pthread.h>
		static pthread_mutex_t up = PTHREAD_MUTEX_INITIALIZER;
		static pthread_t thread;
		static void *wait_for_end(void *arg) { pthread_mutex_lock(&up); return arg; }
		int MPI_Init(int *argc, char ***argv)
		{
			(void)argc;
			(void)argv;
			pthread_mutex_lock(&up);
			return pthread_create(&thread, NULL, wait_for_end, NULL);
		}
		int MPI_Finalize(void)
		{
			pthread_mutex_unlock(&up);
			return pthread_join(thread, NULL);
		}
	EOF
	cat >rank.c <<-'EOF'
		int MPI_Init(int *argc, char ***argv);
		int MPI_Finalize(void);
		int main(int argc, char **argv)
		{
			return MPI_Init(&argc, &argv) || MPI_Finalize();
		}
	EOF
	"${EK_CC%% *}" -shared -fPIC -pthread -o libfakempi.so mpi.c
	"${EK_CC%% *}" -o rank rank.c -L. -lfakempi -Wl,-rpath,"$T"
}

# traced COMMAND...: under the library, with stacks, into the file trace.
traced()
{
	strace -f -k -y -o trace -E LD_PRELOAD="$EK_LIB" "$@"
}

roles()
{
	"$EK_PYTHON" "$ORACLE" roles "$EK_LIB" trace "$LISTS" "$@"
}

@test "the oracle sees a call that a constructor makes" {
	other_library 'getpid()'
	run inert /bin/true
	[ "$status" = 1 ]
	[[ $output == *"+process 0: getpid -"* ]]
}

@test "the oracle sees a file that a constructor opens, and memory that it takes" {
	other_library 'open("/etc/evenkeel.conf", O_RDONLY)'
	run inert /bin/true
	[ "$status" = 1 ]
	[[ $output == *"+process 0: openat /etc/evenkeel.conf"* ]]
	other_library 'setenv("A", "B", 1)'
	run inert /bin/true
	[ "$status" = 1 ]
	[[ $output == *"brk"* ]]
}

@test "the oracle sees that nothing was loaded" {
	LIBRARY=$T/not-there/libevenkeel.so
	run inert /bin/true
	[ "$status" = 1 ]
	[[ $output == *"nothing was tested"* ]]
}

@test "true makes the same calls under the library" {
	inert /bin/true
}

@test "ls makes the same calls under the library" {
	inert ls -l "$EK_SRC/tests/preload"
}

@test "a shell and what it starts make the same calls under the library" {
	inert sh -c 'ls /; (true; false) || echo "$0"; exec date +%Y'
}

@test "programs that exec and spawn through the hooks make the same calls" {
	local python
	python=$(python)
	inert env A=B true
	inert "$python" -I -S -c 'import os, sys
pid = os.posix_spawn("/bin/true", ["true"], os.environ)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))'
	inert "$python" -I -S -c 'import os; os.execvp("true", ["true"])'
}

@test "python makes the same calls under the library" {
	inert "$(python)" -I -S -c 'import os; print(os.getcwd())'
}

@test "a held rank that keeps the library makes the same calls" {
	MPI_LOCALNRANKS=2 MPI_LOCALRANKID=0 EVENKEEL_RANK=1:held inert /bin/true
}

@test "switched off by the user or the site, programs make the same calls" {
	EVENKEEL=off inert /bin/true
	EVENKEEL=off inert sh -c 'true; date +%Y'
	echo off >evenkeel.conf
	inert /bin/true
	EVENKEEL=off OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2 inert /bin/true
}

@test "options and a job of one rank cost no call" {
	EVENKEEL_VERBOSE=2 EVENKEEL_MODE=settle EVENKEEL_MACHINE=$TWO_NODES inert /bin/true
	OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 inert /bin/true
}

@test "launcher, proxy and the child it places make only the calls listed" {
	needs_stacks
	ek_needs_two_cpus
	build_rank
	EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_VERBOSE=2 traced "$EK_MPIEXEC" -n 2 ./rank 2>said
	grep -q 'rank 1 on node 1' said
	roles launcher:launcher proxy:proxy child:child
}

@test "the oracle names a call of launcher or child that is not listed" {
	needs_stacks
	ek_needs_two_cpus
	build_rank
	EVENKEEL_MACHINE=$TWO_NODES traced "$EK_MPIEXEC" -n 2 ./rank
	cp -r "$LISTS" lists
	LISTS=$T/lists
	sed -i '/^getsid/d' lists/launcher.txt
	sed -i '/^sched_setaffinity/d; /evenkeel-/d' lists/child.txt
	run roles launcher:launcher proxy:proxy child:child rank:settle
	[ "$status" = 1 ]
	[[ $output == *"launcher is not allowed: getsid"* ]]
	[[ $output == *"child is not allowed: sched_setaffinity"* ]]
	[[ $output == *"child is not allowed: openat "*/evenkeel-* ]]
	[[ $output == *"rank made no call: nothing was tested"* ]]
}

@test "on the live machine, with a site file and a script as rank, only the calls listed" {
	needs_stacks
	printf '#!/bin/sh\nexec true\n' >where-ranks.sh
	chmod +x where-ranks.sh
	echo 'deny emacs' >evenkeel.conf
	traced "$EK_MPIEXEC" -n 2 ./where-ranks.sh
	roles launcher:launcher proxy:proxy child:child
}

@test "with the machine in a file only the calls listed" {
	needs_stacks
	ek_needs_two_cpus
	tr ';' '\n' <<<"$TWO_NODES" >machine.txt
	printf '#!/bin/sh\nexec true\n' >where-ranks.sh
	chmod +x where-ranks.sh
	EVENKEEL_MACHINE=$T/machine.txt traced "$EK_MPIEXEC" -n 2 ./where-ranks.sh
	roles launcher:launcher proxy:proxy child:child
}

@test "a rank that settles makes only the calls listed" {
	needs_stacks
	ek_needs_two_cpus
	build_rank
	EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_MODE=settle traced "$EK_MPIEXEC" -n 2 ./rank
	roles launcher:launcher proxy:proxy child:child rank:settle
	# Two ranks of two threads each: every one of them was widened.
	[ "$(grep -c '^[0-9]* *sched_setaffinity([1-9]' trace)" -ge 2 ]
}

@test "a rank that places itself makes only the calls listed" {
	needs_stacks
	ek_needs_two_cpus
	build_rank
	export OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2
	# Only under a launcher's daemon is it a rank.
	ln -s "$(command -v bash)" slurmstepd
	EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_VERBOSE=2 traced ./slurmstepd -c './rank; :' 2>said
	grep -q 'rank 1 on node 1' said
	roles rank:start
	traced ./slurmstepd -c './rank; :'
	roles rank:start
}

@test "switched off, neither proxy nor ranks load the library" {
	needs_stacks
	build_rank
	for how in env site; do
		[ $how = env ] && export EVENKEEL=off
		[ $how = site ] && unset EVENKEEL && echo off >evenkeel.conf
		traced "$EK_MPIEXEC" -n 2 ./rank
		roles launcher:launcher
		[ "$(grep -c 'openat(.*libevenkeel\.so' trace)" = 1 ]
	done
}
