# The short proof on an emulated machine of two nodes, as `make lab-quick` runs it: real
# MPICH jobs under a real kernel. It takes minutes of both cpus, so it waits until the
# other tests have ended, and is left out unless EK_LAB is yes.
load "$EK_SRC/tests/bats_help.bash"

setup_file()
{
	[ "${EK_LAB-}" = yes ] || return 0
	export LAB_RC=0 LAB_OUT=$BATS_FILE_TMPDIR
	TMPDIR=$LAB_OUT EK_BUILD=$EK_BUILD "$BATS_TEST_DIRNAME/lab" quick --json "$LAB_OUT/json" \
		>"$LAB_OUT/out" 2>"$LAB_OUT/err" 3>&- || LAB_RC=$?
	sed 's/^/# /' "$LAB_OUT/out" >&3
}

setup()
{
	[ "${EK_LAB-}" = yes ] || skip "minutes long: make lab-quick, or EK_LAB=yes make check"
	[ -e "$EK_LIB" ] || skip "this build has no preload library"
	[ "$LAB_RC" != 77 ] || skip "$(sed -n 's/^lab: skipped: //p' "$LAB_OUT/err")"
	[ -s "$LAB_OUT/json" ] || { cat "$LAB_OUT/err"; return 1; }
}

# holds EXPRESSION: it is true of the runs; each is a dict as in the file of results.
holds()
{
	"$EK_PYTHON" - "$LAB_OUT/json" "$1" <<-'END' || { cat "$LAB_OUT/out" "$LAB_OUT/err"; return 1; }
	import json, sys
	runs = json.load(open(sys.argv[1]))["runs"]
	of = lambda *names: [r for r in runs if r["variant"] in names]
	uneven = lambda name: sum(bool(r["uneven_at"]) for r in of(name))
	sys.exit(not eval(sys.argv[2]))
	END
}

@test "in the lab all jobs end well, in at least three boots" {
	holds 'all(r["exit"] == 0 for r in runs) and len({r["boot"] for r in runs}) >= 3'
}

@test "in the lab several of twelve plain jobs are uneven" {
	holds 'len(of("plain-nowalk")) >= 12 and uneven("plain-nowalk") >= 3'
}

@test "in the lab no held rank is ever on the wrong node" {
	holds 'len(of("preload")) >= 12 and not any(r["faults"] for r in of("preload"))'
}

@test "in the lab no settled rank is on the wrong node when MPI_Init returns" {
	holds 'len(of("settle")) >= 12 and not any(r["faults"] for r in of("settle"))'
}

@test "the lab sees it when ranks are let go before MPI_Init" {
	holds 'any("MPI_Init" in r["uneven_at"] for r in of("early"))'
}

@test "the lab itself calls it a proof" {
	[ "$LAB_RC" = 0 ] || { cat "$LAB_OUT/err"; return 1; }
}
