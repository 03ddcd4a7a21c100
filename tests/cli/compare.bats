# `evenkeel compare`: measuring, reading, and what goes wrong.
load helper

# Two programs that differ: steps of time that do not depend on the load.
quick='sh -c :'

# compare ARGUMENTS...: with what it says on err.
compare()
{
	ek compare "$@" 2>err
}

# values FILE: the values of a record's counted runs, by variant.
counted()
{
	"$EK_PYTHON" - "$1" <<-'P'
	import json, sys
	for line in open(sys.argv[1]):
	    r = json.loads(line)
	    if r["kind"] == "run":
	        print(r["run"], r["variant"], "warmup" if r["warmup"] else r["failed"] or "counted")
	P
}

@test "bad options are refused with what was wanted" {
	for row in --runs=0 --runs=-1 --runs=10001 --runs=1.5 --runs= --warmup=x --warmup=-1 \
		--timeout=-1 --timeout=1s --timeout= --timeout=nan --cooldown=1e99 --cooldown=x \
		--schedule=baba --better=best --seed=-1 --seed=x --fail-on=all --fail-on= \
		--variants= --variants=nosuch --variants=plain,,evenkeel --variants=plain,plain \
		--variants=evenkee --variants==true --metric= '--metric=(' --metric=nbp \
		'--metric=t=([0-9]+)' --plot= --record= --setup= --json=1 --csv=x; do
		refused 2 ek compare "$row" true
	done
	refused 2 ek compare --csv --json true
	refused 2 ek compare --markdown --json --from x
}

@test "a missing command, or one too many, is refused" {
	refused 2 ek compare
	refused 2 ek compare --
	refused 2 ek compare --runs 2
	refused 2 ek compare --from x true
	for row in --runs=2 --warmup=1 --schedule=abab --timeout=1 --setup=true --cooldown=1 \
		--record=x; do
		refused 2 ek compare --from x "$row"
	done
}

@test "bind-numa wants mpiexec" {
	refused 2 ek compare --variants plain,bind-numa true
	grep -q mpiexec err
}

@test "a comparison that could not place anything is refused" {
	make_bare bare
	refused 2 bare/launcher/evenkeel compare true
	grep -q libevenkeel.so err
	refused 2 env EVENKEEL=off "$EK_BIN" compare true
	grep -q 'switched off' err
	EVENKEEL=off ek compare -r 1 --warmup 0 --variants plain true >/dev/null 2>&1
}

@test "runs alternate, warm-up first" {
	make_tree tree
	tree/launcher/evenkeel compare -r 2 --variants plain,'x=exit 0' -o rec $quick >out 2>err
	[ "$(counted rec | cut -d' ' -f1-3)" = "1 plain warmup
2 x warmup
3 plain counted
4 x counted
5 plain counted
6 x counted" ]
	grep -q 'prove little' err
	grep -q 'so few runs show hardly anything' out
	ek compare -r 10 --warmup 0 --variants plain $quick 2>err >out
	[ ! -s err ]
}

@test "a random schedule is a round of all variants each time, the same for a seed" {
	for seed in 1 1 2; do
		rm -f rec
		ek compare -r 8 --warmup 0 --schedule random --seed $seed -o rec \
			--variants 'a=:,b=:,c=:' >/dev/null 2>&1
		counted rec | cut -d' ' -f2 >>order$seed
	done
	for i in 0 3 6 9 12 15 18 21; do
		[ "$(tail -n +$((i + 1)) order1 | head -n 3 | sort | tr -d '\n')" = abc ]
	done
	cmp <(head -n 24 order1) <(tail -n 24 order1)
	cmp -s <(head -n 24 order1) order2 && return 1
	# The first is the first of the list, whichever ran first.
	ek compare --from rec | grep -q '^against a'
}

@test "plain and evenkeel get what they should" {
	make_tree tree
	export LD_PRELOAD=/nosuch/libevenkeel.so:
	export EVENKEEL_MODE=hold
	tree/launcher/evenkeel compare -r 1 --warmup 0 --width 3 \
		--variants "plain,evenkeel,settle,own=env | sed 's/^/own /'" \
		--metric '(x)*' --better lower env >/dev/null 2>err || true
	unset LD_PRELOAD
	cat >show <<-'S'
	echo "$1: LD_PRELOAD=${LD_PRELOAD-none} EVENKEEL=${EVENKEEL-none} WIDTH=${EVENKEEL_WIDTH-none} MODE=${EVENKEEL_MODE-none} VERBOSE=${EVENKEEL_VERBOSE-none}" >>"$2"
	S
	LD_PRELOAD="/nosuch/libevenkeel.so" tree/launcher/evenkeel compare -v -r 1 --warmup 0 \
		--width 3 --variants 'plain,evenkeel,settle,own="$@"' sh ./show x "$PWD/seen" \
		>/dev/null 2>err
	lib=$PWD/tree/shim/.libs/libevenkeel.so
	cat >want <<-T
	x: LD_PRELOAD=none EVENKEEL=off WIDTH=none MODE=hold VERBOSE=none
	x: LD_PRELOAD=$lib EVENKEEL=none WIDTH=3 MODE=hold VERBOSE=none
	x: LD_PRELOAD=$lib EVENKEEL=none WIDTH=3 MODE=settle VERBOSE=none
	x: LD_PRELOAD=none EVENKEEL=none WIDTH=none MODE=hold VERBOSE=none
	T
	[ -e "$EK_LIB" ] || skip "a build with sanitizers does not bear preloads"
	cmp want seen
}

@test "commas in commands are written with a backslash, and --variants may be repeated" {
	ek compare -r 1 --warmup 0 --variants 'a=echo 1\,2 >x,b=echo 3 >y' --variants 'c=echo 4 >z' \
		>out 2>/dev/null
	[ "$(cat x y z | tr '\n' ' ')" = '1,2 3 4 ' ]
	[ "$(grep -c '^verdict' out)" -eq 2 ]
}

@test "a command that is not there or cannot be run stops with env's statuses" {
	status=0
	compare --variants plain nosuchcommand >out || status=$?
	[ $status -eq 127 ]
	grep -q 'cannot be run: No such file' err
	mkdir folder
	status=0
	compare --variants plain ./folder >out || status=$?
	[ $status -eq 126 ]
}

@test "a failed run is kept, shown and not counted" {
	echo 0 >n
	cat >fails <<-'S'
	n=$(($(cat n) + 1)); echo $n >n; echo "run $n"; [ $n != 4 ] || { echo "broken pipe organ"; exit 7; }
	S
	compare -r 10 --variants plain -o rec sh ./fails >out
	[ "$(grep -c 'not counted' err)" -eq 1 ]
	grep -q '  | broken pipe organ' err
	grep -q '^plain *9 of 10 ' out
	grep -q 'not counted: run 4 of plain: exit status 7' out
	[ "$(counted rec | grep -c 'counted$')" -eq 9 ]
	ek compare --from rec | grep -q '^plain *9 of 10 '
}

@test "a command that always fails is given up, and says how it ended" {
	status=0
	compare --variants plain,'b=:' sh -c 'echo no such luck >&2; exit 3' >out || status=$?
	[ $status -eq 1 ]
	grep -q 'no such luck' err
	grep -q 'the first 3 runs of plain have all failed' err
	grep -q 'exit status 3' out
	status=0
	compare --variants plain sh -c 'kill -9 $$' >out || status=$?
	[ $status -eq 1 ]
	grep -q 'ended by signal 9' out
}

@test "a metric that is not printed stops at once and shows the last lines" {
	status=0
	compare --variants plain --metric hackbench sh -c 'seq 1 9' >out || status=$?
	[ $status -eq 1 ]
	grep -q "the metric 'hackbench' is not in the output" err
	grep -q '  | 9$' err
	grep -q '  | 5$' err
	grep -q '  | 4$' err && return 1
	[ "$(grep -c 'not counted: run' out)" -eq 1 ]
}

@test "metrics are read from standard output and error" {
	compare -r 10 --variants plain --metric 't=([0-9.]+)' --better higher --metric wall \
		sh -c 'echo t=1.5; echo t=2.5 >&2' >out
	grep -q '^t=(\[0-9.\]+), higher is better' out
	grep -q '^plain *10 *2.500 ' out
	grep -q '^wall (s), lower is better' out
}

@test "a run that takes too long is ended with all that it started" {
	status=0
	compare -r 1 --warmup 0 --variants plain --timeout 0.3 \
		sh -c 'setsid sleep 987654 & echo $! >pid; wait' >out || status=$?
	[ $status -eq 1 ]
	grep -q 'not done after 0.3 s' out
	pid=$(cat pid)
	wait_for sh -c "! kill -0 $pid 2>/dev/null || grep -q '^State:.Z' /proc/$pid/status"
}

@test "a command that leaves something behind is not waited for" {
	compare -r 1 --warmup 0 --variants plain sh -c 'sleep 30 & echo $! >pid' >out
	kill "$(cat pid)"
	[ "$(ek compare -r 1 --warmup 0 --variants plain --csv true 2>/dev/null | wc -l)" -eq 2 ]
}

@test "ctrl-C ends the run and shows what there is" {
	for signal in INT TERM HUP; do
		rm -f ready rec
		[ "$("$EK_PYTHON" "$BATS_TEST_DIRNAME/statuses.py" kill=$signal "$EK_BIN" compare -r 50 \
			--warmup 0 --variants plain,b=: -o rec sh -c \
			'[ -e second ] && : >ready && sleep 60; : >second' 2>err | tail -n 1)" = \
			$((128 + $(kill -l $signal))) ]
		grep -q 'stopped by a signal' rec
		[ "$(counted rec | grep -c 'counted$')" -ge 1 ] || [ $signal != INT ]
		rm -f second
		ek compare --from rec >out
		grep -q '^not counted: run' out
	done
}

@test "a second of pause and a set-up come before each run" {
	compare -r 2 --variants plain --setup 'echo up >>log' --cooldown 0.01 \
		sh -c 'echo run >>log' >out
	[ "$(tr '\n' ' ' <log)" = 'up run up run up run ' ]
	status=0
	compare -r 2 --variants plain --setup 'echo no server; exit 4' true >out || status=$?
	[ $status -eq 1 ]
	grep -q -- '--setup: exit status 4' err
	grep -q '  | no server' err
}

@test "a record is not written over, and a folder for it is wanted" {
	echo old >rec
	refused 1 ek compare -r 10 -o rec --variants plain true
	[ "$(cat rec)" = old ]
	refused 1 ek compare -r 10 -o nosuch/rec --variants plain true
}

@test "a read-only folder is refused before anything runs" {
	mkdir ro
	chmod 555 ro
	if [ "$(id -u)" = 0 ]; then
		mount -t tmpfs -o ro none ro 2>/dev/null || skip "root, and no mount"
	fi
	status=0
	for option in --record=ro/x.jsonl --plot=ro/x.svg; do
		refused 1 ek compare -r 10 $option --variants plain sh -c ': >ran' || status=1
	done
	[ "$(id -u)" != 0 ] || umount ro
	[ $status -eq 0 ] && [ ! -e ran ]
}

@test "a full disk is one line, and all that was measured is shown and kept" {
	[ "$(id -u)" = 0 ] || skip "not root: no disk to fill"
	mkdir small
	mount -t tmpfs -o size=16k none small 2>/dev/null || skip "root, and no mount"
	status=0
	ek compare -r 200 --warmup 0 --variants a=:,b=: -o small/rec >out 2>err || status=$?
	lines=$(wc -l <err) good=$(counted small/rec | wc -l)
	# The line that did not fit has left nothing.
	[ "$(tail -c 1 small/rec)" = "" ] || lines=broken
	umount small
	[ $status -eq 1 ]
	[ "$lines" -eq 1 ]
	grep -q 'No space left' err
	[ "$good" -gt 10 ]
	grep -q '^a *200 ' out
}

@test "a plot that cannot be written is one line" {
	[ -e /dev/full ] || skip "no /dev/full"
	refused 1 ek compare -r 10 --plot /dev/full --variants plain true
	refused 1 ek compare -r 10 --plot x.gif --variants plain true
	mkdir d.svg
	refused 1 ek compare -r 10 --plot d.svg --variants plain true
	refused 1 ek compare -r 10 --plot nosuch/x.svg --variants plain true
}

@test "standard output that is full is a failure, and the record is whole" {
	[ -e /dev/full ] || skip "no /dev/full"
	status=0
	ek compare -r 10 --warmup 0 --variants plain -o rec true >/dev/full 2>err || status=$?
	[ $status -eq 1 ]
	[ "$(counted rec | wc -l)" -eq 10 ]
}

@test "without gnuplot a line says so, and the dots are there" {
	mkdir bin
	for tool in sh true; do
		ln -s "$(type -P $tool)" bin/$tool
	done
	status=0
	PATH=$PWD/bin ek compare -r 10 --variants plain --plot x.svg true >out 2>err || status=$?
	[ $status -eq 1 ] && [ ! -e x.svg ]
	grep -q 'gnuplot is not in the PATH' err
	grep -q '^plain |.*|$' out
	PATH=$PWD/bin ek compare -r 10 --metric wall --variants plain true >/dev/null 2>err
	[ ! -s err ]
}

@test "pictures are drawn, whole, and nothing else is left" {
	command -v gnuplot >/dev/null || skip "no gnuplot"
	ek compare --from "$EK_SRC/tests/golden/compare-v1.jsonl" --plot x.svg >/dev/null || true
	grep -q '</svg>' x.svg
	grep -q evenkeel x.svg
	ek compare -r 10 --plot x.png --variants "a\"b\`\$'\\\\=:",'%s{/=:' >/dev/null 2>err
	[ "$(head -c 4 x.png | tail -c 3)" = PNG ]
	[ -z "$(ls ./*.part 2>/dev/null)" ]
}

@test "published rows are printed in their layout, the range computed anew" {
	ek compare --from "$EK_SRC/tests/golden/mg-D.csv" >out
	awk -F, 'NR > 1 { print $1, $2, $3, $4, $5 }' "$EK_SRC/tests/golden/mg-D.csv" >want
	sed -n '2,14s/  */ /gp' out | sed -E 's/ - ([0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+) - .*/ \1/' |
		cmp - want
	grep -q 'nothing can be tested' out
	sed 's/0\.71/0.72/' "$EK_SRC/tests/golden/mg-D.csv" >bad.csv
	refused 2 ek compare --from bad.csv
	grep -q 'line 2: the range is 0.72, but max - min is 0.71' err
	sed 's/154\.70/94.70/' "$EK_SRC/tests/golden/mg-D.csv" >bad.csv
	refused 2 ek compare --from bad.csv
	grep -q 'line 4: the mean 94.70 is not between' err
}

@test "a record with two groups is told as the manual has it" {
	ek compare --from "$EK_SRC/tests/golden/compare-groups.jsonl" | tr -s ' \n' ' ' >out
	# The paragraph of the manual, cut into words where it leaves something out.
	sed -n '/^wall (s), lower/,/^\.\.\.\./p' "$EK_SRC/launcher/evenkeel-compare.1.adoc" | grep -v '^\.\.\.\.' |
		sed 's/ *\.\.\.$//' >want
	[ "$(wc -l <want)" -gt 15 ]
	while read -r line; do
		[ -z "$line" ] || grep -qF -- "$(tr -s ' ' ' ' <<<"$line")" out
	done <want
}

@test "two files with the same variant keep them apart" {
	printf 'variant,value\nplain,1\nplain,2\n' >A.csv
	printf 'variant,value\nplain,3\nplain,4\n' >B.csv
	printf 'variant,value\nother,3\n' >C.csv
	ek compare --from A.csv --from B.csv >out
	grep -q '^A:plain' out && grep -q '^B:plain' out
	ek compare --from A.csv --from C.csv >out
	grep -q '^plain ' out && grep -q '^other ' out
	refused 2 ek compare --from A.csv --from A.csv
	refused 2 ek compare --from A.csv --from nosuch.csv
	refused 2 ek compare --from A.csv --from "$EK_SRC/tests/golden/mg-D.csv"
	refused 2 ek compare --from A.csv --variants nosuch
	refused 2 ek compare --from A.csv --metric tbench
}

@test "the same record gives the same answer, in every form" {
	printf 'variant,value\n' >A.csv
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "a,$((100 + i * i % 7))" >>A.csv
		echo "b,$((100 + i * i % 5 + i % 3))" >>A.csv
	done
	for form in '' -v --csv --markdown --json; do
		ek compare --from A.csv $form >1
		ek compare --from A.csv $form | cmp - 1
	done
	ek compare --from A.csv --json >1
	"$EK_PYTHON" - <<-'P'
	import json, csv, io, subprocess, os
	j = json.load(open("1"))["metrics"][0]
	text = subprocess.check_output([os.environ["EK_BUILD"] + "/launcher/evenkeel", "compare", "--from", "A.csv", "--csv"], text=True)
	rows = list(csv.DictReader(io.StringIO(text)))
	assert [r["variant"] for r in rows] == ["a", "b"]
	for v, r in zip(j["variants"], rows):
	    for name in "min", "max", "range", "mean", "median", "stddev":
	        assert float(r[name]) == v[name], name
	c = j["comparisons"][0]
	assert float(rows[1]["spread_p_holm"]) == c["spread_p_holm"]
	assert c["verdict"].startswith("verdict: ")
	P
}

@test "--fail-on gives 3 for what it names alone" {
	printf 'variant,value\n' >A.csv
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "steady,$((1000 + i % 3))" >>A.csv
		echo "rough,$((960 + i * i % 11 * 8))" >>A.csv
		echo "slow,$((1100 + i % 3))" >>A.csv
	done
	for row in 'steady,rough spread 3' 'steady,rough slower 0' 'steady,slow slower 3' \
		'steady,slow spread 0' 'rough,steady spread 0' 'slow,steady slower 0'; do
		set -- $row
		status=0
		ek compare --from A.csv --variants $1 --fail-on $2 >/dev/null || status=$?
		[ $status -eq $3 ]
	done
	status=0
	ek compare --from A.csv --variants slow,steady --better higher --fail-on slower \
		>/dev/null || status=$?
	[ $status -eq 3 ]
}

# On a busy host a run may end before both ranks were seen at once.
@test "ranks are counted where they are" {
	taskset -c 0,1 true 2>/dev/null || skip "cpus 0 and 1 are not both allowed"
	ek compare -r 3 --warmup 0 --machine 'numa:2 core:1 pu:1' --variants 'one="$@"' -o rec \
		"$EK_BUILD/tests/cli/fakeproxy" none sh -c \
		'taskset -p -c 1 $$ >/dev/null; timeout 0.8 sh -c "while :; do :; done"; true' \
		>out 2>err
	"$EK_PYTHON" - <<-'P'
	import json
	runs = [json.loads(l) for l in open("rec")][1:]
	seen = [r["placement"] for r in runs if r["placement"] and r["placement"]["ranks"] == 2]
	assert seen
	for p in seen:
	    assert p["end"] == [0, 2] and p["worst"] == 2, p
	    assert p["remote_share"] is None and p["run_delay_s"] > 0 and p["samples"] > 0, p
	P
	grep -q '^one .*0/2 x' out
}

@test "a placed job is even in every run" {
	[ -n "$EK_MPIEXEC" ] || skip "no MPICH"
	[ -e "$EK_LIB" ] || skip "no shim in this build"
	ek_needs_two_cpus
	ek compare -r 3 --warmup 0 --machine "$TWO_NODES" -o rec --variants plain,evenkeel,bind-numa \
		"$EK_MPIEXEC" -n 2 "$EK_BUILD/examples/where" --seconds 0.3 >out 2>err
	grep -q '^evenkeel  *1/1 x[123]  *1/1 x[123]  *0 ' out
	grep -q '"mpi":"Hydra' rec
	[ "$(counted rec | grep -c counted)" -eq 9 ]
}
