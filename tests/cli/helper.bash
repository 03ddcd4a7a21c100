# What every file here begins with.
load "$EK_SRC/tests/bats_help.bash"

setup()
{
	local name

	ek_setup
	# What the user has set must not decide a test.
	for name in $(compgen -e); do
		case $name in
		SLURM_* | HWLOC_*) unset "$name" ;;
		esac
	done
	cd "$T"
}

ek()
{
	"$EK_BIN" "$@"
}

# refused STATUS COMMAND...: exits so, with one line on stderr and nothing on
# stdout.
refused()
{
	local want=$1 status=0

	shift
	"$@" >out 2>err </dev/null || status=$?
	if [ "$status" -ne "$want" ] || [ -s out ] || [ "$(wc -l <err)" -ne 1 ] ||
		[ "$(wc -c <err)" -lt 12 ]; then
		printf 'not refused as wanted: status %s:' "$status"
		printf ' %q' "$@"
		printf '\nstdout: %s\nstderr: %s\n' "$(cat out)" "$(cat err)"
		return 1
	fi
}

# A program and a library beside each other below $1, as after a build. Any
# library will do for what is tested here: a build with sanitizers has no shim.
make_tree()
{
	local library

	library=$EK_LIB
	[ -e "$library" ] || library=$(ldd "$EK_BIN" | awk '/libjansson/ { print $3 }')
	mkdir -p "$1/launcher" "$1/shim/.libs"
	cp "$EK_BIN" "$1/launcher/evenkeel"
	cp "$library" "$1/shim/.libs/libevenkeel.so"
}

# A program without a library beside it.
make_bare()
{
	mkdir -p "$1/launcher"
	cp "$EK_BIN" "$1/launcher/evenkeel"
}

# wait_for COMMAND...: until it succeeds, at most ten seconds.
wait_for()
{
	local i

	for ((i = 0; i < 500; i++)); do
		"$@" && return
		sleep 0.02
	done
	echo "in vain: $*"
	return 1
}
