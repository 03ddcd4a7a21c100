# What the tests of the preload library share: they run a job without us, held
# and settled, and compare all that can be seen of it.
# Load with: load "$EK_SRC/tests/preload/preload_help.bash"
load "$EK_SRC/tests/bats_help.bash"

V=$EK_BUILD/tests/preload/victims

# A test may set before it runs a job:
#   PRELOAD   LD_PRELOAD with @ where our library is to be
#   USERS     what of it is the user's own, as a job without us has it
#   VARS      more variables for all three runs (NAME=VALUE ...)
#   OURS      more variables for the runs with us
#   ON        a command that runs the job on a host: nsenter ...
#   THROUGH   evenkeel run ...: then there is no LD_PRELOAD
#   RANKS     the local ranks whose files are compared
#   SEEN      what of stdout, stderr and status is compared
#   NODE_OF   the cpu each of them is to be held on, in the same order
preload_setup()
{
	[ -e "$EK_LIB" ] || skip "the preload library is not built"
	ek_setup
	ek_needs_two_cpus
	# These reach a job by job_run alone, so that a run without us has none; a
	# test that runs a job by itself must not hang on the host's load either.
	unset EVENKEEL_LEDGER EVENKEEL_CONF
	CONF=$T/none.conf MEASURE=off
	PRELOAD=@ USERS="" VARS=() OURS=() RANKS=(0 1) NODE_OF=("$CPU0" "$CPU1")
	SEEN=(stdout stderr status) ON=() THROUGH=()
	ulimit -c 0
}

# job_run plain|held|settled COMMAND...: leaves stdout, stderr, status and the
# victims' files in the folder $T/MODE.
job_run()
{
	local mode=$1 rc=0 vars=(VICTIM_DIR="$T/out")
	shift
	mkdir "$T/out"
	vars+=("${VARS[@]}")
	if [ "$mode" = plain ]; then
		[ -z "$USERS" ] || vars+=(LD_PRELOAD="$USERS")
	else
		vars+=(EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_LEDGER="$T/ledger"
			EVENKEEL_CONF="$CONF" EVENKEEL_MEASURE="$MEASURE" "${OURS[@]}")
		[ "$mode" != settled ] || vars+=(EVENKEEL_MODE=settle)
		[ ${#THROUGH[@]} != 0 ] || vars+=(LD_PRELOAD="${PRELOAD//@/$EK_LIB}")
		vars+=("${THROUGH[@]}")
	fi
	# A session of its own, so that a mask set for the whole test run is not
	# taken for the doing of mpiexec's caller.
	setsid -w timeout -k 5 120 "${ON[@]}" env -u EVENKEEL_MEASURE "${vars[@]}" "$@" \
		</dev/null >"$T/out/stdout" 2>"$T/out/stderr" 3>&- || rc=$?
	echo "$rc" >"$T/out/status"
	rm -rf "${T:?}/$mode"
	mv "$T/out" "$T/$mode"
}

job_run_all()
{
	local mode
	for mode in plain held settled; do
		job_run "$mode" "$@"
	done
}

# A file of a run, less what is different each time: the order of ranks,
# process ids, addresses, ports.
job_file()
{
	case $1 in
	*/stdout | */stderr)
		sed -E -e 's/\[proxy:[^]]*] //g' -e 's/PID [0-9]+/PID/' -e 's/tid: +[0-9]+/tid/' \
			-e 's/\[[^]:]*:[0-9]+ *:[0-9]+:[0-9]+\]/[]/' \
			-e 's/0x[0-9a-f]+/0x/g' "$1" | sort
		;;
	*.environ)
		# What a rank that will settle has of ours.
		sed -E -e '/^EVENKEEL/d' -e 's/^(PMI_PORT|PMI_ID|SSH_[A-Z]+)=.*/\1=/' \
			-e '/^LD_PRELOAD=.*libevenkeel/{' -e "s#${EK_LIB}[ :]?##g" \
			-e 's/[ :]$//' -e '/=$/d' -e '}' "$1"
		;;
	*.libs)
		grep -v "^$EK_LIB\$" "$1" | sort -u
		;;
	*)
		cat "$1"
		;;
	esac
}

# The whole of a file into a variable, without another process.
slurp()
{
	[ -e "$2" ] || { echo "$2: not there" && return 1; }
	IFS= read -rd '' "$1" <"$2" || true
}

# job_same MODE FILE...: equal to the run without us.
job_same()
{
	local mode=$1 file plain ours
	shift
	for file in "$@"; do
		slurp plain "$T/plain/$file" || return
		slurp ours "$T/$mode/$file" || return
		[ "$plain" != "$ours" ] || continue
		diff -u --label "plain $file" --label "$mode $file" \
			<(job_file "$T/plain/$file") <(job_file "$T/$mode/$file") || return
	done
}

# All that a user can see but the masks.
job_same_output()
{
	local mode=$1 rank
	job_same "$mode" "${SEEN[@]}" || return
	for rank in "${RANKS[@]}"; do
		job_same "$mode" "$rank.fds" "$rank.signals" "$rank.environ" \
			"$rank.libs" || return
	done
}

# Nothing of ours is in a rank: no variable, no library, not even mapped.
job_without_us()
{
	local mode=$1 rank
	for rank in "${RANKS[@]}"; do
		[ -s "$T/$mode/$rank.libs" ] || [ -s "$T/$mode/$rank.environ" ] || return
		! grep -H -e '^EVENKEEL' -e '^LD_PRELOAD=.*libevenkeel' \
			"$T/$mode/$rank.environ" || return
		! grep -H libevenkeel "$T/$mode/$rank.libs" || return
	done
}

# job_mask MODE RANK MOMENT MASK: every thread has MASK, and there are as many
# threads as without us.
job_mask()
{
	diff -u --label "wanted $2.$3" --label "$1 $2.$3" \
		<(sed "s/.*/$4/" "$T/plain/$2.$3") "$T/$1/$2.$3"
}

# job_masks MODE MOMENT node|wide|plain
job_masks()
{
	local i mask
	for i in "${!RANKS[@]}"; do
		case $3 in
		plain)
			job_same "$1" "${RANKS[$i]}.$2" || return
			continue
			;;
		node) mask=${NODE_OF[$i]} ;;
		wide) mask=$CPUS ;;
		esac
		job_mask "$1" "${RANKS[$i]}" "$2" "$mask" || return
	done
}

# victim settles|stays|never COMMAND...: the three runs differ in masks alone:
# node masks when held, and until MPI is up when settled. stays: it passes no
# hook and is held for life. never: it does not start MPI at all.
victim()
{
	local how=$1 mode
	shift
	job_run_all "$@"
	for mode in held settled; do
		job_same_output $mode
		job_masks $mode main node
		[ "$how" = never ] || job_masks held up node
	done
	job_without_us held
	job_masks plain main wide
	case $how in
	settles) job_masks settled up wide && job_masks plain up wide ;;
	stays) job_masks settled up node ;;
	esac
}

needs_tool()
{
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# A rank of Open MPI, by mpi4py, into PY. mpi4py belongs to the system's Python, which
# need not be the first in PATH.
needs_mpi4py()
{
	local python
	for python in python3 /usr/bin/python3; do
		PY=("$python" "$EK_SRC/tests/preload/victims/mpi4py_rank.py" "$V/libvictim.so")
		! "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("mpi4py") is None)' ||
			return 0
	done
	skip "mpi4py is not installed"
}

# stands_down COMMAND...: masks and all else are as without us, in both modes,
# and no rank has anything of ours.
stands_down()
{
	local mode file
	job_run_all "$@"
	for mode in held settled; do
		job_same_output $mode
		job_without_us $mode
		for file in "$T"/plain/*.main "$T"/plain/*.up; do
			[ ! -e "$file" ] || job_same $mode "${file##*/}"
		done
	done
}
