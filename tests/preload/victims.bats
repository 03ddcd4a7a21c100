#!/usr/bin/env bats
# Every kind of program that may be a rank: the run under us is the run without
# us but for the masks, which are the node's for life (hold) or until MPI is up
# (settle).

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	J=("$EK_MPIEXEC" -n 2)
}

needs_fortran()
{
	[ -x "$V/$1" ] || skip "no Fortran compiler wrapper of MPICH"
	! ldd "$V/$1" | grep libmpi_
}

@test "C, MPI_Init" { victim settles "${J[@]}" "$V/mpi" init; }
@test "C, MPI_Init_thread" { victim settles "${J[@]}" "$V/mpi" thread; }

@test "mpif.h, mpi_init" {
	needs_fortran init_mpif
	victim settles "${J[@]}" "$V/init_mpif"
}
@test "mpif.h, mpi_init_thread" {
	needs_fortran init_mpif
	victim settles "${J[@]}" "$V/init_mpif" thread
}
@test "use mpi, MPI_Init" {
	needs_fortran init_mpi
	victim settles "${J[@]}" "$V/init_mpi"
}
@test "use mpi, MPI_Init_thread" {
	needs_fortran init_mpi
	victim settles "${J[@]}" "$V/init_mpi" thread
}
@test "use mpi_f08, MPI_Init" {
	needs_fortran init_mpi_f08
	victim settles "${J[@]}" "$V/init_mpi_f08"
}
@test "use mpi_f08, MPI_Init_thread" {
	needs_fortran init_mpi_f08
	victim settles "${J[@]}" "$V/init_mpi_f08" thread
}

@test "a session settles at its first communicator, not before" {
	victim settles "${J[@]}" "$V/mpi" session
	job_masks held session node
	job_masks settled session node
}

@test "a module loaded with RTLD_LOCAL that starts MPI" {
	victim settles "${J[@]}" "$V/host" module "$V/module.so"
}
@test "MPI's functions taken by name, as ctypes does" {
	victim stays "${J[@]}" "$V/host" symbols
}

@test "a rank in a shell" { victim settles "${J[@]}" sh -c "'$V/mpi' init; echo after \$?"; }
@test "a rank in a script" {
	printf '#!/bin/bash\necho before\nexec env A=1 "%s" init\n' "$V/mpi" >"$T/script"
	chmod +x "$T/script"
	victim settles "${J[@]}" "$T/script"
}
@test "a rank that executes another program" { victim settles "${J[@]}" "$V/mpi" exec; }

@test "a rank that never starts MPI" { victim never "${J[@]}" "$V/mpi" never; }
@test "a rank that knows no MPI" { victim never "${J[@]}" "$V/quiet"; }
@test "a static rank" {
	"$EK_CC" -static -D_GNU_SOURCE -o "$T/static" "$EK_SRC"/tests/preload/victims/{quiet,victim}.c ||
		skip "no static C library here"
	victim never "${J[@]}" "$T/static"
}
@test "a rank with a static MPI library" {
	# shellcheck disable=SC2046 # flags are words
	"$EK_CC" -D_GNU_SOURCE $(pkg-config --cflags mpich) -o "$T/semi" \
		"$EK_SRC"/tests/preload/victims/{mpi,victim}.c -Wl,-Bstatic -lmpich -Wl,-Bdynamic \
		-lm -l:libhwloc.so.15 -l:libucp.so.0 -l:libucs.so.0 ||
		skip "no static MPICH that links here"
	victim stays "${J[@]}" "$T/semi" init
}

@test "a rank that forks before and after MPI_Init" {
	victim settles "${J[@]}" "$V/mpi" fork
	job_masks held child-before node
	job_masks held child-after node
	job_masks settled child-before node
	job_masks settled child-after wide
}
@test "a rank with threads before MPI_Init" {
	victim settles "${J[@]}" "$V/mpi" threads
	job_masks settled threads node
	[ "$(wc -l <"$T/plain/0.threads")" = 4 ]
}
@test "a rank that chose its own mask before MPI_Init keeps it, and errno" {
	job_run_all "${J[@]}" "$V/mpi" repin "$CPU1" "$CPU0"
	for mode in held settled; do
		job_same_output $mode
		job_masks $mode main node
		job_masks $mode up plain
	done
}
@test "a rank that dies by SIGSEGV" {
	# Of two ranks that die Hydra names, and returns, the one it meets first.
	SEEN=(stderr)
	victim settles "${J[@]}" "$V/mpi" segv
	[ "$(cat "$T/held/status")" != 0 ]
}
@test "a rank that dies by SIGKILL" {
	# Of two ranks that die Hydra names, and returns, the one it meets first.
	SEEN=(stderr)
	victim settles "${J[@]}" "$V/mpi" kill
	[ "$(cat "$T/held/status")" != 0 ]
}
@test "a rank that exits with status 7" {
	victim settles "${J[@]}" "$V/mpi" exit7
	[ "$(cat "$T/held/status")" = 7 ]
}
@test "a rank that calls MPI_Init twice" {
	# What MPICH says of it is lost now and then: Hydra ends the job first. Of 25 such
	# plain jobs of MPICH 4.2.1 13 end with 15 and 12 with 0.
	SEEN=(stdout)
	victim settles "${J[@]}" "$V/mpi" twice
	[[ "$(cat "$T/plain/status" "$T/held/status" | tr '\n' ' ')" = @(0|15)' '@(0|15)' ' ]] ||
		cmp "$T/plain/status" "$T/held/status"
}
@test "a rank that cannot be executed" {
	RANKS=()
	job_run_all "${J[@]}" "$T/no-such-program"
	job_same_output held
	job_same_output settled
	[ "$(cat "$T/held/status")" != 0 ]
}

@test "a profiling tool linked into the program" { victim settles "${J[@]}" "$V/mpi_tool" init; }
@test "a profiling tool preloaded before us" {
	PRELOAD=$V/tool.so:@ USERS=$V/tool.so
	victim settles "${J[@]}" "$V/mpi" init
}
@test "a profiling tool preloaded after us has its part done before the rank settles" {
	PRELOAD=@:$V/tool.so USERS=$V/tool.so
	victim settles "${J[@]}" "$V/mpi" init
	job_masks settled tool node
}
@test "our library listed twice" {
	PRELOAD=@:@
	victim settles "${J[@]}" "$V/mpi" init
}
@test "other preload libraries keep their order and what stands between them" {
	PRELOAD="$V/other2.so @ $V/other1.so:$V/tool.so"
	USERS="$V/other2.so $V/other1.so:$V/tool.so"
	victim settles "${J[@]}" "$V/mpi" init
	grep -qx "LD_PRELOAD=$USERS" "$T/held/0.environ"
}
@test "blanks and colons around our library in the preload list" {
	PRELOAD=" $V/other1.so : @ :$V/other2.so"
	USERS="$V/other1.so :$V/other2.so"
	job_run held "${J[@]}" "$V/mpi" init
	grep -q "^LD_PRELOAD=$V/other1.so *: *$V/other2.so$" "$T/held/0.environ"
	job_without_us held
	grep -q other1.so "$T/held/0.libs"
	grep -q other2.so "$T/held/0.libs"
}

@test "mpiexec by its other names" {
	local name
	for name in mpiexec.mpich mpirun.mpich; do
		[ "$(readlink -f "${EK_MPIEXEC%/*}/$name")" = "$(readlink -f "$EK_MPIEXEC")" ] ||
			skip "MPICH has no $name here"
		victim never "${EK_MPIEXEC%/*}/$name" -n 2 "$V/quiet"
	done
}
@test "different programs in one job" {
	RANKS=(0 1 2 3 4) NODE_OF=("$CPU0" "$CPU0" "$CPU0" "$CPU1" "$CPU1")
	victim never "$EK_MPIEXEC" -n 2 "$V/quiet" : -n 3 "$V/mpi" never
}
@test "different programs in one MPI job" {
	victim settles "$EK_MPIEXEC" -n 1 "$V/mpi" init : -n 1 "$V/mpi" init
}
@test "mpiexec -pmi-port" {
	"${J[@]}" -pmi-port "$V/mpi" init >/dev/null 2>&1 || skip "not this MPICH's MPI_Init"
	victim settles "${J[@]}" -pmi-port "$V/mpi" init
}
@test "mpiexec -genvnone" { victim settles "${J[@]}" -genvnone "$V/mpi" init; }
@test "mpiexec -genvlist" { victim settles "${J[@]}" -genvlist PATH "$V/mpi" init; }
@test "an emptied LD_PRELOAD stays empty, and its rank is held for life" {
	victim stays "${J[@]}" -genv LD_PRELOAD "" "$V/mpi" init
	job_without_us settled
}
@test "a preload given to the ranks alone" {
	victim settles "${J[@]}" -genv LD_PRELOAD "$V/other1.so" "$V/mpi" init
}

@test "a rank that starts mpiexec: the inner job is within the outer rank" {
	RANKS=()
	export V
	# shellcheck disable=SC2016 # for the ranks' shell
	job_run_all "${J[@]}" sh -c 'VICTIM_DIR=$VICTIM_DIR/in$MPI_LOCALRANKID &&
		mkdir "$VICTIM_DIR" && export VICTIM_DIR && "$EK_MPIEXEC" -n 2 "$V/mpi" never'
	RANKS=(in0/0 in0/1 in1/0 in1/1) NODE_OF=("$CPU0" "$CPU0" "$CPU1" "$CPU1")
	for mode in held settled; do
		job_same_output $mode
		job_masks $mode main node
		job_without_us $mode
	done
}
@test "a lone rank that starts mpiexec: EVENKEEL_KEEP=1 places the inner ranks" {
	RANKS=()
	job_run plain "${J[@]}" "$V/mpi" init
	OURS=(EVENKEEL_KEEP=1)
	job_run held "$EK_MPIEXEC" -n 1 sh -c "'$EK_MPIEXEC' -n 2 '$V/mpi' init"
	RANKS=(0 1)
	job_masks held main node
	job_masks held up node
	job_same held stdout stderr status
	OURS=()
	job_run held "$EK_MPIEXEC" -n 1 sh -c "'$EK_MPIEXEC' -n 2 '$V/mpi' init"
	job_masks held main wide
	job_without_us held
}
