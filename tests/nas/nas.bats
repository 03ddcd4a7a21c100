# The NAS kernels on real MPICH: official values, refusals, the result block.
#
# Each run is made plain and, where the launcher was built, under `evenkeel run`
# on a machine of two nodes. NAS_PREFIX='a command' runs them under that only.
# MPICH busy-polls: more ranks than cpus only where ranks hardly talk.
load "$EK_SRC/tests/bats_help.bash"

setup()
{
	ek_setup
	cd "$T"
	# MPICH itself leaks a little, which is not what is tested here.
	export ASAN_OPTIONS=detect_leaks=0
	PREFIXES=('')
	if [ -n "${NAS_PREFIX-}" ]; then
		PREFIXES=("$NAS_PREFIX")
	elif [ -x "$EK_BIN" ] && [ -f "$EK_LIB" ]; then
		PREFIXES+=("$EK_BIN run --machine two-nodes")
		tr ';' '\n' <<<"$TWO_NODES" >two-nodes
	fi
}

# nas STATUS KERNEL RANKS [OPTION]...: runs it; its output is in out and err.
# $prefix comes from the caller's loop.
nas()
{
	local want=$1 kernel=$2 ranks=$3 status=0

	shift 3
	# shellcheck disable=SC2086 # the prefix is a command with arguments
	timeout 120 $prefix "$EK_MPIEXEC" -n "$ranks" "$EK_BUILD/examples/nas/$kernel" "$@" \
		>out 2>err </dev/null || status=$?
	if [ "$status" -ne "$want" ]; then
		echo "$prefix $kernel -n $ranks $*: status $status, wanted $want"
		cat out err
		return 1
	fi
}

# block FILE KERNEL CLASS RANKS VERIFICATION
block()
{
	local size iterations operation='floating point'

	case $2$3 in
	epS) size=33554432 iterations=0 ;;
	epW) size=67108864 iterations=0 ;;
	cgS) size=1400 iterations=15 ;;
	cgW) size=7000 iterations=15 ;;
	mgS) size='32x  32x  32' iterations=4 ;;
	mgW) size='128x 128x 128' iterations=4 ;;
	ftS) size='64x  64x  64' iterations=6 ;;
	ftW) size='128x 128x  32' iterations=6 ;;
	isS) size=65536 iterations=10 ;;
	isW) size=1048576 iterations=10 ;;
	esac
	case $2 in
	ep) operation='Random numbers generated' ;;
	is) operation='keys ranked' ;;
	esac
	awk -v kernel="${2^^}" -v class="$3" -v ranks="$4" -v verification="$5" \
		-v size="$size" -v iterations="$iterations" -v operation="$operation" \
		-f "$EK_SRC/tests/nas/block.awk" "$1"
}

# verified KERNEL CLASS RANKS [OPTION]...
verified()
{
	local kernel=$1 class=$2 ranks=$3

	shift 3
	for prefix in "${PREFIXES[@]}"; do
		nas 0 "$kernel" "$ranks" -c "$class" "$@"
		block out "$kernel" "$class" "$ranks" SUCCESSFUL
		[ ! -s err ]
	done
}

# For commands that must not succeed: bats does not look at "! command".
fails()
{
	if "$@" >said; then
		echo "succeeded: $*"
		return 1
	fi
}

# S and W at 1 and, where there are two cpus, 2 ranks.
verified_small()
{
	for class in S W; do
		verified "$1" "$class" 1
		if [ -n "$CPU1" ]; then
			verified "$1" "$class" 2
		fi
	done
}

# refused KERNEL RANKS OPTION...: status 2, one line, no result.
refused()
{
	local kernel=$1

	nas 2 "$@"
	[ ! -s out ]
	[ "$(wc -l <err)" -eq 1 ]
	grep -q "^$kernel: ." err
}

@test "three ranks are refused but by EP, and the nearest count is named" {
	for prefix in "${PREFIXES[@]}"; do
		for kernel in cg mg ft is; do
			refused "$kernel" 3 -c S
			grep -q ' 3 ranks: .*; the nearest allowed count is 2$' err
		done
	done
	prefix=
	refused cg 7 -c S
	grep -q ' 7 ranks: .*; the nearest allowed count is 8$' err
}

@test "too few ranks for a class are refused" {
	for prefix in "${PREFIXES[@]}"; do
		refused is 1 -c D
		grep -q ' 1 rank: .*; the nearest allowed count is 4$' err
	done
}

@test "more memory than there is is refused before it is taken" {
	free=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
	# FT of class D takes 69 GB on one rank, 103 GB on more.
	[ "$free" -lt 60 ] || skip "this host has memory for class D"
	for prefix in "${PREFIXES[@]}"; do
		for ranks in 1 2; do
			refused ft "$ranks" -c D
			grep -q 'not enough memory for class D .* needs [0-9.]* GB and has ' err
		done
	done
}

@test "bad options are refused in one line" {
	prefix=
	for options in '-c X' '-c SS' '-c' '--json' '--json=/nonexistent/x' '--nonsense' 'S' \
		'--layout=slabs'; do
		# shellcheck disable=SC2086 # words are wanted
		refused mg 2 $options
	done
	refused ft 1 --layout=cubes
}

@test "--help and --version are printed once" {
	prefix=
	for kernel in ep cg mg ft is; do
		nas 0 "$kernel" 2 --help
		[ "$(grep -c '^Usage: mpiexec ' out)" -eq 1 ]
		nas 0 "$kernel" 2 --version
		[ "$(cat out)" = "${kernel^^} (evenkeel $(sed -n \
			's/^AC_INIT(\[evenkeel\], \[\(.*\)\])$/\1/p' "$EK_SRC/configure.ac"))" ]
	done
}

@test "one spoilt input makes every kernel fail, with status 1" {
	for prefix in "${PREFIXES[@]}"; do
		for kernel in ep cg mg ft is; do
			# Who holds the spoilt input is tried once.
			for ranks in 1 $([ -n "$prefix" ] || echo "${CPU1:+2}"); do
				nas 1 "$kernel" "$ranks" -c S --self-test-damage --json=json
				block out "$kernel" S "$ranks" UNSUCCESSFUL
				"$EK_PYTHON" "$EK_SRC/tests/nas/result.py" json out "$ranks" 0
			done
		done
	done
}

@test "the result block's grammar refuses what is not quite it" {
	prefix=
	nas 0 mg 1 -c S
	block out mg S 1 SUCCESSFUL
	fails block out mg W 1 SUCCESSFUL
	fails block out mg S 2 SUCCESSFUL
	fails block out mg S 1 UNSUCCESSFUL
	fails block out cg S 1 SUCCESSFUL
	for change in 's/^ Class  /Class  /' 's/^ Size  /  Size /' 's/Completed\./Completed/' \
		's/^ Time in seconds = /&1/' 's/\(Mop.s total .*\)...$/  \1/' \
		's/\(Mop.s.process *= \).*/\1                 9999.00/' \
		'/^ Iterations/d' 's/^ Active procs /Active process/' '/Benchmark Completed/p' \
		's/SUCCESSFUL$/SUCCESSFUL /' 's/^\( Version .*\)evenkeel/\1npbnpbnp/' \
		's/^\( Compile date .*\)..$/\1 1/' '/MG Benchmark Completed/{x;s/.*/ x/;p;x}'; do
		echo "change: $change"
		sed "$change" out >changed
		fails cmp -s out changed
		fails block changed mg S 1 SUCCESSFUL
	done
}

@test "EP has the official values for classes S and W" {
	verified_small ep
}

@test "CG has the official values for classes S and W" {
	verified_small cg
}

@test "MG has the official values for classes S and W" {
	verified_small mg
}

@test "FT has the official values for classes S and W" {
	verified_small ft
}

@test "IS has the official values for classes S and W" {
	verified_small is
}

@test "EP takes any number of ranks" {
	for ranks in 3 4 5; do
		verified ep S "$ranks"
	done
}

@test "EP counts the known pairs in each annulus" {
	prefix=
	nas 0 ep 1 -c S
	[ "$(awk '/Counts:/ { on = 1; next } on && NF == 2 { print $2 }' out | xargs)" = \
		'6140517 5865300 1100361 68546 1648 17 0 0 0 0' ]
	nas 0 ep 3 -c W
	[ "$(awk '/Counts:/ { on = 1; next } on && NF == 2 { print $2 }' out | xargs)" = \
		'12281576 11729692 2202726 137368 3371 36 0 0 0 0' ]
}

@test "FT has the official values in slabs and in pencils" {
	for layout in slabs pencils; do
		verified ft S 4 --layout="$layout"
	done
	verified ft S 2 --layout=pencils
	verified ft S 8 --layout=pencils
}

@test "--json says what the result block says" {
	for prefix in "${PREFIXES[@]}"; do
		for kernel in ep cg mg ft is; do
			nas 0 "$kernel" 1 -c S --json json
			"$EK_PYTHON" "$EK_SRC/tests/nas/result.py" json out 1 0
		done
	done
}

@test "--report-nodes counts every rank, and tells the share of remote pages" {
	for prefix in "${PREFIXES[@]}"; do
		for kernel in ep ft; do
			nas 0 "$kernel" 4 -c S --report-nodes --json=json
			block out "$kernel" S 4 SUCCESSFUL
			"$EK_PYTHON" "$EK_SRC/tests/nas/result.py" json out 4 1
			[ "$(awk '/^ Ranks on node   = / { n += $5 } END { print n }' out)" -eq 4 ]
			grep -Eq '^ Remote pages    = +([0-9.]+ %|unknown)$' out
		done
	done
}

@test "the kernels know nothing but MPI" {
	cd "$EK_SRC/examples/nas"
	[ "$(grep -hE '^#include "' ./*.[ch] |
		grep -cvE '"(examples/nas/[a-z_]+|config)\.h"$')" -eq 0 ]
}
