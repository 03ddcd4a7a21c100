# `evenkeel plan`: the numbers that the program must show.
load helper

SKYLAKE='numa:2 core:20 pu:2'

# plan_is EXPRESSION OPTION...: a Python expression on the JSON object p.
plan_is()
{
	local expression=$1

	shift
	ek plan --json "$@" >plan.json
	"$EK_PYTHON" - "$expression" <<'P' || { printf '%s: not %s\n' "$*" "$expression"; return 1; }
import json, sys
p = json.load(open("plan.json"))
counts = [n["ranks"] for n in p["nodes"]]
sys.exit(not eval("(" + sys.argv[1] + ")"))
P
}

@test "every golden row of the kernel's policy is met" {
	"$EK_PYTHON" "$BATS_TEST_DIRNAME/policy_rows.py" "$EK_BIN" "$EK_SRC/tests/machines"
}

@test "counts are even where they must be" {
	while IFS='|' read -r want options; do
		eval "plan_is 'counts == [$want]' $options"
	done <<-'T'
		8, 8|-n 16 --machine 'numa:2 core:20 pu:2'
		1, 1|-n 2 --machine 'numa:2 core:20 pu:2'
		2, 1|-n 3 --machine 'numa:2 core:20 pu:2'
		50, 50|-n 100 --machine 'numa:2 core:20 pu:2'
		2, 0|-n 2 --machine 'numa:2 core:20 pu:2' --width 1 --together
		1, 1|-n 2 --machine 'numa:2 core:20 pu:2' --width 1
		0, 8|-n 8 --machine 'numa:2 core:20 pu:2' --busy 8,0 --width 1
		8, 0|-n 8 --machine 'numa:2 core:20 pu:2' --busy 0,8 --width 1
		1, 1, 1, 1, 1, 1, 1, 1|-n 8 --machine 'pack:2 numa:4 l3:2 core:8 pu:2'
		1, 1|-n 2 --machine 'numa:2 core:1 pu:1'
		0, 0|-n 0 --machine 'numa:2 core:1 pu:1'
		8, 8|-n 16 --machine "$EK_SRC/tests/machines/two-20c-smt2.xml"
		1, 1, 1, 1, 1, 1, 1, 1|-n 8 --machine "$EK_SRC/tests/machines/zen3-nps4.xml"
	T
}

@test "counts do not depend on the kernel unless together is asked for" {
	for kernel in 4.18 5.5 5.10 5.14 5.15.40 5.18 6.12 6.12.117 7.1; do
		plan_is 'counts == [8, 8] and p["stable"]' -n 16 --machine "$SKYLAKE" \
			--kernel $kernel
	done
}

@test "all members that are promised are there" {
	plan_is 'set(p) >= set("kernel levels nodes ranks difference stable".split()) and
		set(p["kernel"]) >= {"version", "generation"} and
		set(p["levels"][0]) >= {"name", "span", "imb_numa_nr", "fork_limit",
			"balance_limit"} and
		set(p["nodes"][0]) >= {"node", "cpus", "capacity", "busy", "ranks"} and
		set(p["ranks"][0]) >= {"rank", "nodes", "cpus"}' -n 4 --machine "$SKYLAKE"
}

@test "ranks have the nodes and cpus of the plan, in block and cyclic order" {
	plan_is '[r["rank"] for r in p["ranks"]] == list(range(16)) and
		[r["nodes"] for r in p["ranks"]] == [[0]] * 8 + [[1]] * 8 and
		[r["cpus"] for r in p["ranks"]] == ["0-39"] * 8 + ["40-79"] * 8' \
		-n 16 --machine "$SKYLAKE"
	plan_is '[r["nodes"] for r in p["ranks"]] == [[0], [1]] * 8' \
		-n 16 --machine "$SKYLAKE" --order cyclic
}

@test "nodes and cpus have the system's numbers" {
	printf '%s\n' 'evenkeel-machine 1' 'node 3 cpus 0-1,8-9' 'node 9 cpus 2-7' >file
	plan_is '[n["node"] for n in p["nodes"]] == [3, 9] and
		[n["cpus"] for n in p["nodes"]] == ["0-1,8-9", "2-7"] and
		[n["capacity"] for n in p["nodes"]] == [4, 6] and
		p["ranks"][0]["nodes"] == [3] and p["ranks"][0]["cpus"] == "0-1,8-9" and
		p["ranks"][1]["nodes"] == [9]' -n 2 --machine file
}

@test "fewer ranks than nodes share the nodes out" {
	plan_is 'sorted(sum((r["nodes"] for r in p["ranks"]), [])) == list(range(8))' \
		-n 2 --machine 'pack:2 numa:4 core:8 pu:2'
}

@test "a plan without a request says why" {
	plan_is 'p["why"] and p["ranks"][0]["nodes"] == [0, 1]' -n 1 --machine "$SKYLAKE"
	plan_is 'p["why"] and counts == [5]' -n 5 --machine 'numa:1 core:4 pu:1'
	plan_is 'p["why"] and p["ranks"] == []' -n 0 --machine "$SKYLAKE"
	plan_is 'p["why"] is None' -n 2 --machine "$SKYLAKE"
	ek plan -n 1 --machine "$SKYLAKE" | grep -q 'no rank asks for anything'
}

@test "a vendor's or unknown kernel says which generation was assumed" {
	for kernel in 4.18.0-513.el8.x86_64 5.14.0-362.el9.x86_64 99.1; do
		plan_is 'p["kernel"]["generation"] and p["kernel"]["certainty"] != "exact"' \
			-n 2 --machine "$SKYLAKE" --kernel $kernel
		ek plan -n 2 --machine "$SKYLAKE" --kernel $kernel | grep -q '^kernel.*assumed'
	done
	plan_is 'p["kernel"]["certainty"] == "exact"' -n 2 --machine "$SKYLAKE" --kernel 6.12
}

@test "the kernel is this host's unless told" {
	plan_is 'p["kernel"]["version"] == "'"$(uname -r)"'"' -n 2
}

@test "a rule goes before the kernel" {
	plan_is 'p["kernel"]["rule"] == "v4.1" and p["kernel"]["generation"] == "G8" and
		p["levels"][0]["imb_numa_nr"] == 10' -n 2 --machine "$SKYLAKE" --kernel 6.12 --rule v4.1
	plan_is 'p["kernel"]["rule"] == "G7" and p["levels"][0]["imb_numa_nr"] == 10' \
		-n 2 --machine "$SKYLAKE" --kernel 6.12 --rule g7
}

@test "the width comes from the option, then the environment" {
	plan_is 'p["request"]["width"] == 0' -n 2 --machine "$SKYLAKE"
	export SLURM_CPUS_PER_TASK=2
	plan_is 'p["request"]["width"] == 2' -n 2 --machine "$SKYLAKE"
	export OMP_NUM_THREADS=3,2
	plan_is 'p["request"]["width"] == 3' -n 2 --machine "$SKYLAKE"
	export EVENKEEL_WIDTH=4
	plan_is 'p["request"]["width"] == 4' -n 2 --machine "$SKYLAKE"
	plan_is 'p["request"]["width"] == 5' -n 2 --machine "$SKYLAKE" --width 5
}

@test "the command line goes before the environment, that before the site file" {
	printf 'order cyclic # for all\nwidth 7\nnonsense\nmachine numa:2 core:4 pu:1\n' >conf
	export EVENKEEL_CONF=$PWD/conf
	plan_is 'p["request"]["order"] == "cyclic" and p["request"]["width"] == 7 and
		len(p["nodes"]) == 2' -n 2
	export EVENKEEL_WIDTH=6 EVENKEEL_ORDER=nonsense
	plan_is 'p["request"]["order"] == "cyclic" and p["request"]["width"] == 6' -n 2
	plan_is 'p["request"]["order"] == "block" and p["request"]["width"] == 1' -n 2 \
		--order block --width 1
}

@test "the live machine is planned for the cpus that are allowed" {
	cpu=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
	taskset -c "$cpu" "$EK_BIN" plan -n 2 --json >plan.json
	"$EK_PYTHON" -c 'import json, sys
p = json.load(open("plan.json"))
sys.exit(not (p["machine"]["allowed"] == sys.argv[1] and p["ranks"][0]["cpus"] == sys.argv[1]))' "$cpu"
	taskset -c "$cpu" "$EK_BIN" plan -n 4 --json --machine "$SKYLAKE" >plan.json
	grep -q '"allowed": "0-79"' plan.json
}

@test "a job is planned for the cpus that it is given" {
	plan_is 'p["machine"]["allowed"] == "0-2,20-27" and
		[n["capacity"] for n in p["nodes"]] == [3, 8] and counts == [1, 3] and
		p["ranks"][0]["cpus"] == "0-2" and p["ranks"][3]["cpus"] == "20-27"' \
		-n 4 --machine 'numa:2 core:20 pu:1' --cpus 0-2,20-27
	plan_is 'p["machine"]["allowed"] == "3" and p["why"]' -n 4 --machine "$SKYLAKE" --cpus 3
	plan_is 'p["machine"]["allowed"] == "0,79"' -n 2 --machine "$SKYLAKE" --cpus 79-16383,0
	# Given, they go before those that this process may use.
	plan_is 'p["machine"]["allowed"] == "1" and counts == [0, 2]' -n 2 \
		--machine 'evenkeel-machine 1;node 0 cpus 0;node 1 cpus 1' --cpus 1
}

@test "slices are shown rank by rank" {
	plan_is '[r["cpus"] for r in p["ranks"]] ==
		["0-9", "10-19", "20-29", "30-39"]' -n 4 --bind slice \
		--machine 'numa:2 core:20 pu:1'
	plan_is '[r["cpus"] for r in p["ranks"]] == ["0-19", "0-19", "20-39", "20-39"]' \
		-n 4 --machine 'numa:2 core:20 pu:1'
	ek plan -n 4 --bind slice --machine 'numa:2 core:20 pu:1' >out
	grep -q ' 1 on node 0: cpus 10-19' out
	# One node calls for no choice of nodes, but for parts of it.
	plan_is '[r["cpus"] for r in p["ranks"]] == ["0-3", "4-7"] and p["why"] is None' \
		-n 2 --bind slice --machine 'numa:1 core:8 pu:1'
	ek plan -n 2 --bind slice --machine 'numa:1 core:8 pu:1' >out
	grep -q ' 1 on node 0: cpus 4-7' out
	plan_is '[r["cpus"] for r in p["ranks"]] == ["0-7"] and "one node" in p["why"]' \
		-n 1 --bind slice --machine 'numa:1 core:8 pu:1'
}

@test "people see ranges, with -v every rank" {
	ek plan -n 16 --machine "$SKYLAKE" >out
	[ "$(grep -c 'on node' out)" -eq 2 ]
	grep -q ' 0-7 on node 0: cpus 0-39' out
	ek plan -n 16 --machine "$SKYLAKE" -v >out
	[ "$(grep -c 'on node' out)" -eq 16 ]
	ek plan -n 1000000 --machine "$SKYLAKE" --order cyclic >out
	[ "$(wc -l <out)" -lt 30 ]
}

@test "the largest number of ranks is planned" {
	ek plan -n 1048576 --machine "$SKYLAKE" --json >plan.json
	grep -q '"rank": 1048575,' plan.json
	"$EK_PYTHON" -c 'import json
assert len(json.load(open("plan.json"))["ranks"]) == 1048576'
}

@test "no number of ranks makes it fail" {
	for machine in 'numa:1 core:1 pu:1' "$SKYLAKE" 'pack:2 numa:4 core:1 pu:1'; do
		for n in 0 1 2 3 7 8 9 79 80 81 4097; do
			for width in '' '--width 1' '--width 3' '--width 16384'; do
				ek plan -n $n --machine "$machine" $width --json >plan.json
				ek plan -n $n --machine "$machine" $width --together >out
			done
		done
	done
}

@test "options keep their letters and short forms" {
	ek plan -n2 --machine "$SKYLAKE" --json >a
	ek plan --ranks=2 --machine="$SKYLAKE" --json | cmp - a
	ek plan --json --machine "$SKYLAKE" --ranks 2 --mode settle | cmp - a
	ek plan -n 5 -n 2 --machine "$SKYLAKE" --json | cmp - a
}
