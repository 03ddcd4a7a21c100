# The checkers that are cheap enough for every `make check`: valgrind over unit
# tests and launcher commands, clang over the sources. `make check-memory` runs
# the rest.
load "$EK_SRC/tests/bats_help.bash"

VALGRIND='valgrind -q --error-exitcode=99 --leak-check=full --child-silent-after-fork=yes'

# Minutes under valgrind: check-memory's.
SLOW='test_(plan_properties|sim|topology|stats_power)'

setup()
{
	ek_setup
	cd "$T" || return
	# Automake's is relative to where we were.
	export srcdir=$EK_SRC
}

needs_valgrind()
{
	command -v valgrind >/dev/null || skip "valgrind is not there"
	[ -e "$EK_LIB" ] || skip "built with sanitizers, which do not go with valgrind"
}

@test "unit tests are clean under valgrind" {
	local program bad=()
	needs_valgrind
	for program in "$EK_BUILD"/tests/unit/test_*; do
		[[ -x $program && ! $program =~ (\.(log|trs|o)|/$SLOW)$ ]] || continue
		$VALGRIND "$program" >out 2>&1 && continue
		bad+=("${program##*/}")
		tail -n 30 out
	done
	[ "${#bad[@]}" = 0 ]
}

@test "valgrind finds a leak and a byte too far" {
	needs_valgrind
	cat >bad.c <<-'EOF'
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			char *p = malloc(8);
			(void)argv;
			if (argc == 1)
				return p[8] == 3;
			p = NULL;
			return p != NULL;
		}
	EOF
	"${EK_CC%% *}" -O0 -o bad bad.c
	run $VALGRIND ./bad
	[ "$status" = 99 ]
	run $VALGRIND ./bad leak
	[ "$status" = 99 ]
}

@test "launcher commands are clean under valgrind" {
	needs_valgrind
	[ -n "$EK_MPIEXEC" ] || skip "MPICH's mpiexec is not there"
	# shellcheck disable=SC2086 # words are wanted
	"$EK_SRC/tests/checkers/commands" "$EK_BIN" "$EK_SRC/tests/machines" "$EK_MPIEXEC" $VALGRIND
}

@test "the sources compile with clang without a warning" {
	command -v clang >/dev/null || skip "clang is not there"
	[ "${EK_CC##*/}" != clang ] || skip "this build is clang's"
	# shellcheck disable=SC2046 # words are wanted
	clang -fsyntax-only -std=gnu17 -D_GNU_SOURCE -iquote "$EK_SRC" -iquote "$EK_BUILD" -Werror \
		-Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
		-DPKGLIBDIR='"/nowhere"' -DMACHINES='"/nowhere"' \
		-DMETRICS='"/nowhere"' -DGOLDEN='"/nowhere"' \
		$(for p in hwloc jansson numa pmix cmocka; do pkg-config --cflags $p; done) \
		"$EK_SRC"/{core,shim,launcher,tests/unit}/*.c
}
