# What the library may call between fork and exec: async-signal-safe functions, each
# with its reason in imports.txt.
load "$EK_SRC/tests/bats_help.bash"

REACH=$EK_SRC/tests/preload/reach.py
LIST=$EK_SRC/tests/preload/imports.txt
HOOKS=(execv execve execvp execvpe posix_spawn posix_spawnp)

setup()
{
	ek_setup
	[ -e "$EK_LIB" ] || skip "built without the preload library"
}

# listed WHEN...: names in the list, sorted.
listed()
{
	local when
	for when; do
		awk -F'\t' -v when="$when" '$1 == when && $3 != "" { print $2 }' "$LIST"
	done | sort
}

# Names as they are without a distribution's _FORTIFY_SOURCE.
plain_names()
{
	sed -E 's/^__(.*)_chk$/\1/; s/64$//' | sort -u
}

reachable()
{
	"$EK_PYTHON" "$REACH" "$EK_BUILD"/shim/.libs/*.o "$EK_BUILD"/core/.libs/*.o -- "$@"
}

@test "between fork and exec only what the list allows there can be called" {
	reachable "${HOOKS[@]}" | plain_names >"$T/reached"
	[ "$(wc -l <"$T/reached")" -gt 20 ]
	comm -13 <(listed between) "$T/reached" >"$T/more"
	cat "$T/more"
	[ ! -s "$T/more" ]
}

@test "all that is imported has its reason" {
	nm -D --undefined-only "$EK_LIB" | awk '{ sub(/@.*/, "", $2); print $2 }' | plain_names >"$T/imports"
	comm -13 <(listed between start) "$T/imports" >"$T/more"
	cat "$T/more"
	[ ! -s "$T/more" ]
}

@test "every hook of exec and spawn is looked at" {
	sed -n '/global:/,/local:/s/^[[:space:]]*\([a-z_]*\);.*/\1/p' "$EK_SRC/shim/libevenkeel.map" |
		grep -v '^$' | sort >"$T/exported"
	diff "$T/exported" <(printf '%s\n' "${HOOKS[@]}" | sort)
}

@test "the test sees a call through any function, static or in a table, and no other" {
	cat >"$T/a.c" <<-'EOF2'
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>
		int other(int n);
		static int by_table(int n) { return raise(n); }
		static int never(int n) { return system(n ? "a" : "b"); }
		static int (*const table[])(int) = { by_table, other };
		__attribute__((noinline)) static int inner(int n) { return table[n](n) + getpid(); }
		int start(int n);
		int start(int n) { return inner(n); }
		int elsewhere(int n);
		int elsewhere(int n) { return never(n); }
	EOF2
	cat >"$T/b.c" <<-'EOF2'
		#include <unistd.h>
		int other(int n);
		int other(int n) { return (int)alarm((unsigned int)n); }
	EOF2
	(cd "$T" && "${EK_CC%% *}" -O1 -fPIC -ffunction-sections -fdata-sections -c a.c b.c)
	[ "$("$EK_PYTHON" "$REACH" "$T/a.o" "$T/b.o" -- start | tr '\n' ' ')" = "alarm getpid raise " ]
	[ "$("$EK_PYTHON" "$REACH" "$T/a.o" "$T/b.o" -- elsewhere)" = system ]
}
