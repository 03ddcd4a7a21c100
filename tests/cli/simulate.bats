# `evenkeel simulate`: what it must show, and what it must refuse.
load helper

SKYLAKE='numa:2 core:20 pu:2'
M=$EK_SRC/tests/machines
# A version of every generation.
GENERATIONS=4.2,4.19,5.5,5.6,5.7,5.10,5.11,5.13,5.15.33,5.18,6.0,6.12.117,7.1

# sim_is EXPRESSION OPTION...: a Python expression on the JSON object p.
sim_is()
{
	local expression=$1

	shift
	ek simulate --json "$@" >sim.json
	"$EK_PYTHON" - "$expression" <<'P' || { printf '%s: not %s\n' "$*" "$expression"; return 1; }
import json, sys
p = json.load(open("sim.json"))
sys.exit(not eval("(" + sys.argv[1] + ")"))
P
}

@test "what is no launch is refused" {
	refused 2 ek simulate --machine "$SKYLAKE"
	refused 2 ek simulate -n 2 --machine "$SKYLAKE" more
	while IFS= read -r options; do
		eval "refused 2 ek simulate --machine '$SKYLAKE' -n 2 $options"
	done <<-'T'
		-n 0
		-n 65537
		-n 1048577
		-n -1
		-n two
		-r 0
		--runs 1000001
		--runs 1.5
		--runs ''
		--seed 4294967296
		--seed -1
		--seed x
		--launch slurm
		--launch ''
		--at ''
		--at 1,1
		--at 2,1
		--at 0,
		--at nan
		--at 100001
		--at 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
		--gap-us -1
		--gap-us 1.5
		--gap-us 1000000001
		--sleep-us inf
		--jitter 1.01
		--jitter nan
		--jitter ''
		--unrelated -0.5
		--unrelated 2
		--bandwidth-share NaN
		--bandwidth-share 1.1
		--bandwidth-share 1e-1
		--mb 0
		--mb inf
		--even-seconds nan
		--even-seconds 100001
		--busy 1
		--busy 1,x
		--cpus 80-90
		--cpus x
		--kernel six
		--rule G77
		--walk=yes
		--json=1
	T
}

@test "patches that are none, or have no place in the rule, are refused" {
	while IFS= read -r options; do
		eval "refused 2 ek simulate --machine '$SKYLAKE' -n 2 $options"
	done <<-'T'
		--kernel 6.12 --with tenth
		--kernel 6.12 --with ''
		--kernel 6.12 --with eighth
		--kernel 5.18 --without eighth
		--kernel 5.18 --with eighth,eighth
		--kernel 5.18 --with eighth,
		--kernel 5.15 --with eighth
		--kernel 5.10 --with adjust-before-halve
		--kernel 5.12 --without late-blocked-load
		--kernel 5.13 --with late-blocked-load
		--rule 2015 --with allowed-limit
		--rows ''
		--rows 5.18,
		--rows 5.18+
		--rows 5.18+tenth
		--rows 5.18/eighth
		--rows 6.12+eighth
		--rows G99
		--rows 5.18+eighth+eighth
		--rows 5.18 --with eighth
		--rows 5.18 --kernel 6.12
		--rows 5.18 --rule G8
		--rows 5.18 --without late-blocked-load
	T
	ek simulate -n 2 --machine "$SKYLAKE" --kernel 5.18 --without eighth 2>err || true
	grep -q "'eighth': the rule G7 has it not" err
	ek simulate -n 2 --machine "$SKYLAKE" --kernel 5.10 --with eighth 2>err || true
	grep -q 'G4b has nothing that it would change' err
}

@test "it says that it is a model" {
	ek simulate -n 4 -r 2 --machine "$SKYLAKE" >out
	[[ "$(head -n 1 out)" == simulated*model*'nothing was run or measured' ]]
	sim_is '"model" in p["simulated"]' -n 4 -r 2 --machine "$SKYLAKE"
	ek simulate --help | grep -q 'a model'
}

@test "all members that are promised are there" {
	sim_is 'set(p) >= set("simulated machine ranks runs seed mode plan plain planned rows".split())
		and p["ranks"] == 5 and p["runs"] == 7 and p["seed"] == 3 and p["mode"] == "hold"
		and p["plan"] == [3, 2] and len(p["rows"]) == 1
		and set(p["rows"][0]) == {"name", "rule", "patches", "plain", "planned"}
		and all(set(v) == {"uneven", "worst", "samples", "seconds", "first"}
			and [s["at"] for s in v["samples"]] == [0, 0.5, 3]
			and all(sum(s["differences"]) == 7 for s in v["samples"])
			and all(len(s["differences"]) == s["worst"] + 1 for s in v["samples"])
			and v["uneven"] == v["samples"][0]["uneven"]
			and v["worst"] == v["samples"][0]["worst"]
			and set(v["seconds"]) == {"min", "max", "range", "mean"}
			and v["seconds"]["min"] <= v["seconds"]["mean"] <= v["seconds"]["max"]
			and len(v["first"]) == 5 for v in (p["plain"], p["planned"]))' \
		-n 5 -r 7 --seed 3 --at 0,0.5,3 --machine "$SKYLAKE"
}

@test "the same seed gives the same bytes, another others" {
	for form in --json -v; do
		ek simulate -n 20 -r 20 --machine "$M/zen3-nps4.xml" --kernel 6.1 $form >a
		ek simulate -n 20 -r 20 --machine "$M/zen3-nps4.xml" --kernel 6.1 $form --seed 1 |
			cmp - a
		ek simulate -n 20 -r 20 --machine "$M/zen3-nps4.xml" --kernel 6.1 $form --seed 2 >b
		! cmp -s a b
	done
	# Of the first launches, whatever follows them.
	ek simulate -n 20 -r 1 --machine "$M/zen3-nps4.xml" --kernel 6.1 -v | tail -n 2 >a
	ek simulate -n 20 -r 9 --machine "$M/zen3-nps4.xml" --kernel 6.1 -v | tail -n 2 | cmp - a
}

@test "plain launches are uneven when they wake, planned ones are not" {
	for mode in hold settle; do
		for machine in two-20c-smt2 zen3-nps1 zen3-nps2 zen3-nps4 spr-snc4-56c \
			quad-ring-32c; do
			sim_is 'len(p["rows"]) == 13
				and all(r["plain"]["uneven"] == 20 for r in p["rows"])
				and all(s["uneven"] == 0 for r in p["rows"]
					for s in r["planned"]["samples"])' \
				-n 16 -r 20 --mode $mode --machine "$M/$machine.xml" \
				--rows $GENERATIONS
		done
	done
}

@test "children begin where the kernel's rule says, rank by rank" {
	# first KERNEL OPTION...: letters, as -v shows them.
	first()
	{
		local kernel=$1

		shift
		ek simulate -r 1 --gap-us 10 --kernel $kernel -v "$@" |
			sed -n 's/^.* plain: \([LR]*\);.*/\1/p'
	}
	while read -r kernel machine n want; do
		[ "$(first $kernel --launch spin -n $n --machine "$M/$machine")" = $want ]
	done <<-'T'
		4.18 two-20c-smt2.xml 16 LLLLLLLLLLRLRLRL
		5.6 two-20c-smt2.xml 16 LLLLLLLLLLLLLLLL
		5.11 two-20c-smt2.xml 32 LLLLLLLLLLLLLLLLLLLRRRRRRRRRRRRR
		5.15.33 two-20c-smt2.xml 16 LLLLLLLLRRRRRRRR
		5.18 two-20c-smt2.xml 16 LLLLLLLLLRRRRRRR
		6.0 two-20c-smt2.xml 16 LLRLRLRRRLRLRLRL
		7.1 two-20c-smt2.xml 16 LLRLRLRRRLRLRLRL
		6.0 zen3-nps1.xml 32 LLRLRLRLRLRLRRRLRLRLRLRLRLRLRLRL
		6.12 lab-2x8.xml 10 RLRLRLRLRL
	T
	[ "$(first 6.0 --launch sleep -n 16 --machine "$M/two-20c-smt2.xml")" = LLLLLLLLLLLLLLLL ]
	[ "$(first 6.0 --launch sleep -n 6 --machine "$M/lab-2x8.xml")" = RRRRRR ]
}

@test "rows are rules with and without patches" {
	sim_is '[r["rule"] for r in p["rows"]] == ["G5", "G5", "G7", "G7", "G8", "v4.1", "2015"] and
		[len(r["patches"]) for r in p["rows"]] == [0, 1, 1, 2, 5, 1, 0] and
		p["rows"][3]["patches"] == ["eighth", "late-blocked-load"] and
		"late-blocked-load" not in p["rows"][4]["patches"] and
		p["rows"][3]["name"] == "5.18+eighth" and
		p["plain"] == p["rows"][0]["plain"]' -n 2 -r 1 --machine "$SKYLAKE" \
		--rows 5.12,5.13,5.18,5.18+eighth,6.0/late-blocked-load,v4.1,2015
	sim_is 'p["rows"][0]["patches"] == ["no-swap", "eighth"]' -n 2 -r 1 --machine "$SKYLAKE" \
		--kernel 5.19 --with eighth,no-swap --without late-blocked-load
	sim_is 'p["rows"][0]["rule"] == "v3"' -n 2 -r 1 --machine "$SKYLAKE" --kernel 6.1 --rule v3
}

@test "the series takes the differences that 5.18 leaves" {
	sim_is 'p["plain"]["samples"][3]["uneven"] == 20 and
		p["rows"][1]["plain"]["samples"][3]["uneven"] == 0' -n 16 -r 20 \
		--machine "$M/two-20c-smt2.xml" \
		--rows 5.18,5.18+retry-init+no-swap+adjust-before-halve+eighth
}

@test "threads are not placed" {
	sim_is 'p["planned"] is None and p["rows"][0]["planned"] is None and
		p["plain"]["first"][0] in range(8)' -n 16 -r 5 --launch threads \
		--machine "$M/zen3-nps4.xml" --rule v3
	ek simulate -n 4 -r 2 --launch threads --machine "$SKYLAKE" >out
	grep -q 'threads are not placed' out
	! grep -q '^.* planned ' out
}

@test "ranks that walk over the cpus end up by the last one" {
	ek simulate -n 4 -r 1 -v --walk --at 0 --machine "$M/two-20c-smt2.xml" |
		grep 'plain: .*; wake 0/4$'
	# A plan holds them all the same.
	sim_is 'p["planned"]["uneven"] == 0' -n 4 -r 20 --walk --machine "$M/two-20c-smt2.xml"
}

@test "busy cpus and a list of cpus are obeyed" {
	sim_is 'p["plan"] == [0, 4] and p["planned"]["samples"][0]["differences"][4] == 10' \
		-n 4 -r 10 --width 1 --busy 36,0 --machine "$M/two-20c-smt2.xml"
	sim_is 'p["plain"]["worst"] == 0' -n 4 -r 10 --cpus 0-3 --machine "$M/two-20c-smt2.xml"
}

@test "a machine of one node, and one rank, are no trouble" {
	sim_is 'p["plain"]["uneven"] == p["planned"]["uneven"] == 0' -n 9 -r 5 \
		--machine 'numa:1 core:4 pu:1'
	sim_is 'p["plain"]["uneven"] == 0' -n 1 -r 5 --machine "$SKYLAKE"
	sim_is 'p["planned"]["samples"][0]["worst"] == 0' -n 2 -r 5 \
		--machine 'evenkeel-machine 1;node 0 cpus 0;node 1 cpus 1'
	sim_is 'p["ranks"] == 300' -n 300 -r 2 --machine 'numa:2 core:2 pu:1' --even-seconds 5
}

@test "a picture is drawn, whole or not at all" {
	command -v gnuplot >/dev/null || skip "gnuplot is not there"
	ek simulate -n 16 -r 20 --machine "$SKYLAKE" --plot one.svg >out
	grep -q '</svg>' one.svg
	grep -q 'share of launches (per cent)' one.svg
	ek simulate -n 16 -r 20 --machine "$SKYLAKE" --plot two.svg --seed 1 >out
	cmp one.svg two.svg
	ek simulate -n 16 -r 20 --machine "$SKYLAKE" --rows 5.3,5.18,6.0 --plot rows.svg >out
	grep -q 'run time (seconds)' rows.svg
	ek simulate -n 16 -r 20 --machine "$SKYLAKE" --launch threads --plot threads.png >out
	[ "$(head -c 4 threads.png | tail -c 3)" = PNG ]
	refused 2 ek simulate -n 2 -r 1 --machine "$SKYLAKE" --plot x.pdf
	refused 2 ek simulate -n 2 -r 1 --machine "$SKYLAKE" --plot nosuch/x.svg
	refused 2 ek simulate -n 2 -r 1 --machine "$SKYLAKE" --plot ''
	[ ! -e x.pdf ]
	mkdir empty
	refused 2 env PATH="$PWD/empty" "$EK_BIN" simulate -n 2 -r 1 --machine "$SKYLAKE" \
		--plot x.svg
	[ -z "$(ls | grep -E "part$|^x" || true)" ]
}
