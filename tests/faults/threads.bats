#!/usr/bin/env bats
# Threads of one process in the library at once, under ThreadSanitizer.

load "$EK_SRC/tests/bats_help.bash"

setup()
{
	ek_setup
	export TSAN_OPTIONS=exitcode=66
}

# build PROGRAM SOURCE...: with ThreadSanitizer.
build()
{
	"${EK_CC%% *}" -std=gnu17 -g -O1 -fsanitize=thread -pthread -D_GNU_SOURCE -iquote "$EK_SRC" \
		-o "$T/$1" "${@:2}" -lm 2>"$T/errors" && "$T/$1" "$T/ledger" 2>"$T/errors"
}

@test "ThreadSanitizer is there, and sees a race" {
	cat >"$T/race.c" <<-'EOF2'
		#include <pthread.h>
		static int n;
		static void *add(void *arg) { n++; return arg; }
		int main(void)
		{
			pthread_t a, b;
			pthread_create(&a, 0, add, 0);
			pthread_create(&b, 0, add, 0);
			pthread_join(a, 0);
			return pthread_join(b, 0);
		}
	EOF2
	echo 'int main(void) { return 0; }' >"$T/none.c"
	build none "$T/none.c" || skip "no ThreadSanitizer here"
	! build race "$T/race.c"
	grep -q 'data race' "$T/errors"
}

@test "threads settle, look functions up and use the ledger without a race" {
	echo 'int main(void) { return 0; }' >"$T/none.c"
	build none "$T/none.c" || skip "no ThreadSanitizer here"
	build threads "$EK_SRC"/tests/faults/threads.c "$EK_SRC"/core/*.c \
		"$EK_SRC"/shim/{affinity,env,foreign,join,launchvars,marker,memory,place,place_open,rank,real,machine,say,script,standdown}.c || {
		head -40 "$T/errors"
		return 1
	}
}
