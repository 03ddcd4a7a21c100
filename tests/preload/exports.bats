# The preload library as the loader sees it: what it exports, imports and needs.
load "$EK_SRC/tests/bats_help.bash"

MAP=$EK_SRC/shim/libevenkeel.map

setup()
{
	ek_setup
	LIBRARY=${LIBRARY:-$EK_LIB}
	[ -e "$LIBRARY" ] || skip "built without the preload library"
}

# The names of the version script's global part.
globals()
{
	sed -n '/global:/,/local:/s/^[[:space:]]*\([A-Za-z_][A-Za-z0-9_]*\);.*/\1/p' "$MAP" | sort
}

exports()
{
	nm -D --defined-only "$LIBRARY" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort
}

imports()
{
	nm -D --undefined-only "$LIBRARY" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort
}

# Functions that allocate, buffer, translate, or change what others see; also by
# their names of fortified and of newer libcs.
FORBIDDEN='(malloc|calloc|realloc|reallocarray|free|strn?dup|asprintf|vasprintf|getline'
FORBIDDEN+='|_*(v|f|d|s|sn|vs|vsn|vf|vd)?printf(_chk)?|puts|fputs|putc(har)?|fputc|perror'
FORBIDDEN+='|f(d|re|mem)?open(64)?|fclose|fread|fwrite|fgets|fflush|stdin|stdout|stderr'
FORBIDDEN+='|_*(isoc(99|23)_)?(s|f|vs)?scanf|setlocale|newlocale|uselocale|nl_langinfo'
FORBIDDEN+='|_*(isoc23_)?strto(u?ll?|[dfl]|[iu]max)|ato[ifl]+|strerror(_r)?|strftime|iswctype|mb.*towcs?|wc.*tombs?'
FORBIDDEN+='|(secure_)?getenv|__secure_getenv|setenv|putenv|unsetenv|clearenv|getpw.*|getgr.*|getaddrinfo'
FORBIDDEN+='|opendir|readdir(64)?|closedir|scandir|glob|qsort|system|popen|fork|v?fork|exec.*|posix_spawnp?'
FORBIDDEN+='|exit|_exit|abort|__assert_fail|__stack_chk_fail|atexit|__cxa_.*|signal|sigaction|raise|sleep|usleep)'

@test "what the library exports is what its version script names" {
	[ "$(globals | wc -l)" -ge 12 ]
	diff <(globals) <(exports)
}

@test "every exported function is defined with its reason in a hook file" {
	local name file
	for name in $(globals); do
		file=$(grep -lE "^HOOK int $name\\(" "$EK_SRC"/shim/hook_*.c)
		[ "$(wc -w <<<"$file")" = 1 ]
		# The reason: the file opens with a comment of two lines or more.
		[[ $(sed -n 1p "$file") == '/* '* && $(sed -n 1p "$file") != *'*/' ]]
	done
}

@test "the library needs libc and nothing else" {
	[ "$(readelf -d "$LIBRARY" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')" = libc.so.6 ]
}

@test "nothing of malloc, stdio, locale or the environment is imported" {
	imports >"$T/imports"
	grep -qx dlsym "$T/imports"
	[ "$(grep -xE "$FORBIDDEN" "$T/imports")" = "" ]
}

@test "the test of imports sees what is forbidden" {
	local name
	for name in malloc free printf __fprintf_chk vsnprintf fopen64 getenv secure_getenv setenv \
		setlocale strtol __isoc23_strtoul execvp __assert_fail stderr __cxa_finalize; do
		grep -qxE "$FORBIDDEN" <<<"$name"
	done
	# The hooks reach the real functions by dlsym; the raw calls below are allowed.
	for name in mmap open read write dlsym dladdr getpid memcpy environ __errno_location; do
		[ -z "$(grep -xE "$FORBIDDEN" <<<"$name")" ]
	done
}

@test "the library is position-independent, without text relocations or a runpath" {
	readelf -h "$LIBRARY" | grep -q 'DYN'
	[ -z "$(readelf -d "$LIBRARY" | grep -E 'TEXTREL|RPATH|RUNPATH')" ]
	[ -z "$(readelf -lW "$LIBRARY" | grep -E 'LOAD.* RWE|GNU_STACK.* RWE')" ]
}

@test "the library has one constructor and no destructor" {
	local word
	word=$(readelf -h "$LIBRARY" | grep -q ELF64 && echo 8 || echo 4)
	readelf -d "$LIBRARY" | grep -qE "INIT_ARRAYSZ.* $word \\(bytes\\)"
	[ -z "$(readelf -d "$LIBRARY" | grep -E '\((INIT|FINI|FINI_ARRAY|PREINIT_ARRAY)\)')" ]
}

@test "its name is what a preload list is searched for" {
	grep -q "#define ENV_LIBRARY \"$(basename "$LIBRARY")\"" "$EK_SRC/shim/env.h"
}
