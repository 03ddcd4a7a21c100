# `evenkeel machine`: what it prints can be read again.
load helper

@test "the text of a machine is read back as the same machine" {
	for spec in 'numa:1 core:1 pu:1' 'numa:2 core:20 pu:2' 'pack:2 numa:4 l3:2 core:4 pu:2' \
		'numa:16 core:1 pu:1' live; do
		ek machine "$spec" >first
		head -1 first | grep -qx 'evenkeel-machine 1'
		ek machine first >second
		grep -v '^#' first | cmp - second
		ek machine <second /dev/stdin | cmp - second
	done
}

@test "every recorded machine is read and read back" {
	for file in "$EK_SRC"/tests/machines/*.xml; do
		ek machine "$file" >first
		ek machine first | cmp - first
		ek machine --json "$file" >json
		"$EK_PYTHON" -c 'import json; assert json.load(open("json"))["nodes"]'
	done
}

@test "no argument, live and --machine live are one" {
	ek machine >first
	ek machine live | cmp - first
	ek machine --machine live | cmp - first
}

@test "the live machine tells what this process is allowed" {
	ek machine >out
	grep -q '^# kernel ' out
	cpus=$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)
	grep -qx "# cpus-allowed $cpus" out
	mems=$(sed -n 's/^Mems_allowed_list:\t//p' /proc/self/status)
	grep -qx "# mems-allowed $mems" out
	ek machine 'numa:2 core:1 pu:1' | grep '#' && return 1
	true
}

@test "a smaller affinity leaves the live machine as it is" {
	cpu=$(sed -n 's/^Cpus_allowed_list:\t\([0-9]*\).*/\1/p' /proc/self/status)
	ek machine | grep -v '^#' >whole
	taskset -c "$cpu" "$EK_BIN" machine >out
	grep -v '^#' out | cmp - whole
	grep -qx "# cpus-allowed $cpu" out
}

@test "the JSON form has the nodes, distances, caches and cores" {
	ek machine --json 'pack:2 numa:1 l3:2 core:2 pu:2' >out
	"$EK_PYTHON" - <<'P'
import json
m = json.load(open("out"))
assert [n["node"] for n in m["nodes"]] == [0, 1]
assert [n["cpus"] for n in m["nodes"]] == ["0-7", "8-15"]
assert [n["capacity"] for n in m["nodes"]] == [8, 8]
assert m["distances"][0][0] == 10 and m["distances"][0][1] > 10
assert m["llcs"] == ["0-3", "4-7", "8-11", "12-15"]
assert m["cores"][:2] == ["0-1", "2-3"] and len(m["cores"]) == 8
assert m["left_out"] == [] and m["isolated"] == "" and m["quota"] == 0
P
}

@test "the environment's machine holds where none is given" {
	EVENKEEL_MACHINE='numa:2 core:2 pu:1' ek machine | grep -qx 'node 1 cpus 2-3'
	EVENKEEL_MACHINE='numa:2 core:2 pu:1' ek machine live | grep -q '^# kernel'
}
