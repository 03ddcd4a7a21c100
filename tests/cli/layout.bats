# Who may include what. EK_SRC is the root of the sources.
load helper

sources()
{
	find "$EK_SRC/core" "$EK_SRC/shim" "$EK_SRC/launcher" "$EK_SRC/examples" "$EK_SRC/bench" \
		"$EK_SRC/tests" -name '*.[ch]' 2>/dev/null
}

# quoted DIR PATTERN: includes by quotes in DIR that PATTERN does not allow.
quoted()
{
	grep -rnE --include='*.[ch]' '^[ \t]*#[ \t]*include[ \t]*"' "$EK_SRC/$1" |
		grep -vE "include[ \\t]*\"($2)\"" || true
}

# others DIR: system includes in DIR that are no part of libc.
others()
{
	grep -rnE --include='*.[ch]' \
		'include[ \t]*<(hwloc|numa|jansson|pmix|mpi|ncurses|cmocka)' "$EK_SRC/$1" || true
}

# callers DIR: files in DIR that change affinity.
callers()
{
	grep -rlE --include='*.[ch]' \
		'\<(sched_setaffinity|pthread_(attr_)?setaffinity_np|numa_(bind|run_on_node(_mask)?(_all)?|sched_setaffinity)|hwloc_set_(proc_|thread_)?cpubind)[ \t]*\(|__NR_sched_setaffinity|SYS_sched_setaffinity' \
		"$EK_SRC/$1" || true
}

@test "the sources are where they are looked for" {
	[ -f "$EK_SRC/core/plan.h" ]
	[ "$(sources | wc -l)" -gt 20 ]
}

@test "core includes core and libc" {
	[ -z "$(quoted core 'core/[a-z_]+\.h')" ]
	[ -z "$(others core)" ]
}

@test "the shim includes itself, core and libc" {
	[ -z "$(quoted shim '(core|shim)/[a-z_]+\.h|config\.h')" ]
	[ -z "$(others shim)" ]
}

@test "the launcher includes itself and core" {
	[ -z "$(quoted launcher '(core|launcher)/[a-z_]+\.h|config\.h')" ]
}

@test "the examples include nothing of ours" {
	[ -z "$(quoted examples '[a-z_]+\.h' | grep -vE 'include "examples/')" ]
	[ -z "$(grep -rnE --include='*.[ch]' 'include[ \t]*"(core|shim|launcher)/' "$EK_SRC/examples")" ]
}

@test "only topology.c includes hwloc.h" {
	[ "$(grep -rlE --include='*.[ch]' 'include[ \t]*[<"]hwloc' "$EK_SRC/core" "$EK_SRC/shim" \
		"$EK_SRC/launcher" "$EK_SRC/examples")" = "$EK_SRC/launcher/topology.c" ]
}

@test "at most one file of each product changes affinity, core none" {
	[ -z "$(callers core)" ]
	[ "$(callers shim | wc -l)" -le 1 ]
	[ "$(callers launcher | wc -l)" -le 1 ]
}

# A child that could not exec has no other way out than _exit.
@test "only main.c and cmd_*.c of the launcher print or exit" {
	[ -z "$(grep -nE '\<(printf|fprintf|puts|fputs|putchar|perror|exit|abort)[ \t]*\(' \
		"$EK_SRC"/launcher/*.[ch] | grep -vE '/(main|cmd_[a-z]+)\.c:')" ]
}

@test "no C file is longer than 800 lines" {
	[ -z "$(sources | xargs wc -l | awk '$2 != "total" && $1 > 800')" ]
}

@test "every test file is run and every Makemodule.am is included" {
	local file missing=
	for file in $(cd "$EK_SRC" && find . -name Makemodule.am -not -path './build*'); do
		grep -rqF --include=Makefile.am --include=Makemodule.am \
			"include ${file#./}" "$EK_SRC" || missing+=" $file"
	done
	for file in $(cd "$EK_SRC" && find tests -name '*.bats' -o -name 'test_*.c'); do
		file=${file%.c}
		grep -rqE --include=Makemodule.am "(^|[[:space:]])$file( |\$)" "$EK_SRC/tests" ||
			missing+=" $file"
	done
	[ -z "$missing" ] || {
		echo "in no list:$missing" >&2
		false
	}
}
