# `evenkeel run`: the command, its arguments, its environment and its end.
load helper

statuses()
{
	"$EK_PYTHON" "$BATS_TEST_DIRNAME/statuses.py" "$@"
}

@test "a command that is not there or cannot be run has env's statuses" {
	mkdir folder
	echo 'echo no' >script
	for report in '' --report; do
		refused 127 ek run $report nosuchcommand
		refused 127 ek run $report ./nosuch
		refused 127 ek run $report ''
		refused 126 ek run $report ./folder
		refused 126 ek run $report ./script
		refused 126 ek run $report /dev/null
	done
}

@test "the command's exit status is kept" {
	for report in '' --report -v; do
		for status in 0 1 7 125 255; do
			[ "$(statuses "$EK_BIN" run $report sh -c "exit $status" 2>/dev/null)" = $status ]
		done
	done
}

@test "death by a signal is kept, or with --report told by 128+n" {
	for signal in TERM:15 KILL:9 SEGV:11 HUP:1 INT:2; do
		kill="ulimit -c 0; kill -${signal%:*} \$\$"
		[ "$(statuses "$EK_BIN" run sh -c "$kill")" = -${signal#*:} ]
		[ "$(statuses "$EK_BIN" run --report sh -c "$kill" 2>/dev/null)" = \
			$((128 + ${signal#*:})) ]
	done
}

@test "arguments arrive untouched" {
	for report in '' --report; do
		for dashes in '' --; do
			"$EK_PYTHON" "$BATS_TEST_DIRNAME/arguments.py" -n 2 --order x '' ' a  b ' "it's" \
				'"q"' '$HOME' '*' -- --help -v $'new\nline' '\' -env 'A=b c' >want
			ek run $report $dashes "$EK_PYTHON" "$BATS_TEST_DIRNAME/arguments.py" -n 2 --order x \
				'' ' a  b ' "it's" '"q"' '$HOME' '*' -- --help -v $'new\nline' '\' -env \
				'A=b c' >got 2>/dev/null
			cmp want got
		done
	done
}

@test "standard input, output and error are the command's" {
	for report in '' --report; do
		[ "$(echo in | ek run $report sh -c 'cat; echo out')" = $'in\nout' ]
	done
	for verbose in '' --verbose=1; do
		printf 'x\n\0y' | ek run $verbose sh -c 'cat >&2' 2>err
		printf 'x\n\0y' | cmp - err
	done
}

@test "nothing is said unless asked for" {
	make_bare bare
	make_tree tree
	for program in bare tree; do
		$program/launcher/evenkeel run true >out 2>err
		[ ! -s out ] && [ ! -s err ]
		$program/launcher/evenkeel run -v true >out 2>err
		[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
	done
	grep -q "preloading $PWD/tree/shim/.libs/libevenkeel.so" err
}

@test "without a usable library the command runs plain" {
	make_bare bare
	make_tree 'a blank'
	make_tree 'a:colon'
	env | grep -v '^_=' | sort >want
	for program in bare 'a blank' 'a:colon'; do
		"$program/launcher/evenkeel" run --width 2 env 2>err | grep -v '^_=' | sort >got
		cmp want got
		[ ! -s err ]
	done
}

@test "switched off the command runs plain" {
	make_tree tree
	echo off >conf
	EVENKEEL=off tree/launcher/evenkeel run env | grep LD_PRELOAD && return 1
	EVENKEEL_CONF=$PWD/conf tree/launcher/evenkeel run env | grep LD_PRELOAD && return 1
	EVENKEEL=off tree/launcher/evenkeel run -v true 2>&1 | grep -q 'switched off'
}

@test "the library stands first, once, and others are kept in order" {
	[ -e "$EK_LIB" ] || skip "a build with sanitizers does not bear preloads"
	make_tree tree
	ours=$PWD/tree/shim/.libs/libevenkeel.so
	for row in "=$ours" "/a.so=$ours:/a.so" "/a.so:/b.so=$ours:/a.so:/b.so" \
		"/a.so /b.so=$ours:/a.so:/b.so" "/a.so:$ours:/b.so=$ours:/a.so:/b.so" \
		"$ours=$ours" "::=$ours"; do
		got=$(LD_PRELOAD=${row%%=*} tree/launcher/evenkeel run env 2>/dev/null |
			sed -n 's/^LD_PRELOAD=//p')
		[ "$got" = "${row#*=}" ]
	done
}

@test "options become variables of the command" {
	make_tree tree
	tree/launcher/evenkeel run --width 4 --mode settle --together --keep -v \
		--machine 'numa:2 core:1 pu:1' env 2>/dev/null | grep ^EVENKEEL_ | sort >got
	cat >want <<-T
		EVENKEEL_CONF=$EVENKEEL_CONF
		EVENKEEL_KEEP=1
		EVENKEEL_LEDGER=$EVENKEEL_LEDGER
		EVENKEEL_MEASURE=off
		EVENKEEL_MODE=settle
		EVENKEEL_TOGETHER=1
		EVENKEEL_VERBOSE=2
		EVENKEEL_WIDTH=4
	T
	grep -v MACHINE got | cmp - want
	grep '^EVENKEEL_MACHINE=evenkeel-machine 1;' got | grep -q ';node 1 cpus 1'
}

@test "a variable that was set gives way to the option" {
	make_tree tree
	[ "$(EVENKEEL_WIDTH=9 tree/launcher/evenkeel run --width 4 \
		sh -c 'echo $EVENKEEL_WIDTH')" = 4 ]
	[ "$(EVENKEEL_WIDTH=9 tree/launcher/evenkeel run sh -c 'echo $EVENKEEL_WIDTH')" = 9 ]
	[ "$(EVENKEEL_MACHINE=nonsense tree/launcher/evenkeel run --machine live \
		sh -c 'echo $EVENKEEL_MACHINE')" = live ]
}

@test "with -v what the command has left running may write on" {
	ek run --verbose=1 sh -c '(while [ ! -e go ]; do sleep 0.02; done; echo late >&2) & echo now >&2' \
		>/dev/null 2>err
	[ "$(cat err)" = now ]
	: >go
	wait_for grep -q late err
}

@test "with -v a reader that goes away ends the command, not evenkeel" {
	status=0
	{ ek run --verbose=1 sh -c 'while :; do echo x >&2 || exit; done' 2>&1 || echo $? >status; } |
		head -n 1 >/dev/null
	[ "$(cat status)" = $((128 + 13)) ]
}

@test "nothing stays behind without --report" {
	"$EK_BIN" run sh -c 'echo $$ >child' &
	pid=$!
	wait $pid
	[ "$(cat child)" = $pid ]
}

@test "with --report the command is in the same process group" {
	ek run --report sh -c 'ps -o pgid= -p $$; ps -o pgid= -p $PPID' >out 2>/dev/null
	[ "$(sort -u out | wc -l)" -eq 1 ]
}

@test "with --report TERM, HUP, USR1 and USR2 are passed on" {
	for signal in TERM HUP USR1 USR2; do
		rm -f ready
		[ "$(statuses kill=$signal "$EK_BIN" run --report sh -c \
			"trap 'exit 9' $signal; : >ready; while :; do sleep 0.02; done" 2>err)" = 9 ]
	done
}

@test "with --report INT and QUIT are left to the command" {
	for signal in INT QUIT; do
		rm -f ready
		[ "$(statuses kill=$signal "$EK_BIN" run --report sh -c \
			': >ready; sleep 0.3; exit 3' 2>err)" = 3 ]
	done
}

@test "signals of the command are as without --report" {
	grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >want
	ek run --report grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status 2>/dev/null | cmp - want
	(
		trap '' HUP USR1
		grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status >want
		ek run --report grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status 2>/dev/null | cmp - want
	)
}

@test "a job without ranks has a report of one line" {
	ek run --report true 2>err
	[ "$(wc -l <err)" -eq 1 ]
	grep -q 'no rank' err
}

@test "the report tells each rank's plan, node and cpus" {
	taskset -c 0,1 true 2>/dev/null || skip "cpus 0 and 1 are not both allowed"
	ek run --report --machine 'numa:2 core:1 pu:1' sh -c \
		"$EK_BUILD/tests/cli/fakeproxy ledger sleep 0.6" 2>err
	grep -Eq '^ +0 +0 +0:100% +0$' err
	grep -Eq '^ +1 +1 +1:100% +1$' err
	grep -q 'planned 1,1; seen 1,1; worst difference 0 in [1-9]' err
}

@test "the report shows a rank's worker behind a wrapper, and no plan without a record" {
	taskset -c 0,1 true 2>/dev/null || skip "cpus 0 and 1 are not both allowed"
	ek run --report --machine 'numa:2 core:1 pu:1' "$EK_BUILD/tests/cli/fakeproxy" none sh -c \
		'taskset -p -c 1 $$ >/dev/null; timeout 1 sh -c "while :; do :; done"; true' 2>err
	[ "$(grep -cE '^ +[01] +- +.*1:[0-9]+%' err)" -eq 2 ]
	grep -q 'planned -; seen 0,2' err
}

@test "the report of a placed job has plan and fact" {
	[ -n "$EK_MPIEXEC" ] || skip "no MPICH"
	[ -e "$EK_LIB" ] || skip "no shim in this build"
	ek_needs_two_cpus
	ek run --report --machine "$TWO_NODES" "$EK_MPIEXEC" -n 2 sleep 0.5 2>err
	grep -Eq "^ +0 +0 +0:100% +$CPU0$" err
	grep -Eq "^ +1 +1 +1:100% +$CPU1$" err
	grep -q 'planned 1,1; seen 1,1; worst difference 0' err
}

@test "the report of more ranks than cpus warns" {
	taskset -c 0,1 true 2>/dev/null || skip "cpus 0 and 1 are not both allowed"
	ek run --report --width 1 --machine 'numa:2 core:1 pu:1' \
		"$EK_BUILD/tests/cli/fakeproxy" ledger sleep 0.5 2>err
	! grep -q warning err
	taskset -c 0 "$EK_BIN" run --report --machine 'numa:2 core:1 pu:1' \
		"$EK_BUILD/tests/cli/fakeproxy" none sleep 2 2>err
	[ "$(grep -c '^evenkeel run: warning: more cpus were wanted than were idle$' err)" = 1 ]
	[ -n "$EK_MPIEXEC" ] && [ -e "$EK_LIB" ] || return 0
	ek_needs_two_cpus
	ek run --report --width 1 --machine "$TWO_NODES" "$EK_MPIEXEC" -n 3 sleep 2 2>err
	[ "$(grep -c 'warning: more cpus were wanted' err)" = 1 ]
}

@test "a real job is run and reported" {
	mpiexec=$EK_MPIEXEC
	[ -n "$mpiexec" ] || skip "no MPICH"
	ek run --report "$mpiexec" -n 2 sleep 0.5 2>err
	[ "$(grep -cE '^ +[01]  ' err)" -eq 2 ]
	[ "$(ek run "$mpiexec" -n 3 echo hello | grep -c hello)" -eq 3 ]
	status=0
	ek run --report "$mpiexec" -n 2 sh -c 'exit 7' >out 2>err || status=$?
	[ $status -eq 7 ]
}
