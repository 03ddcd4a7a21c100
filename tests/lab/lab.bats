# The lab itself, with a QEMU that only plays a console: what it accepts, what it
# counts, and that it can fail.
load "$EK_SRC/tests/bats_help.bash"

setup()
{
	ek_setup
	for program in busybox mpiexec.hydra; do
		command -v $program >/dev/null || skip "$program is not here"
	done
	[ -e "$EK_LIB" ] || skip "this build has no preload library"
	LAB=$BATS_TEST_DIRNAME/lab
	cd "$T"
	mkdir bin
	touch vmlinuz-6.12.99
	export PATH=$T/bin:$PATH EVENKEEL_LAB_CACHE=$T/cache TMPDIR=$T
}

# qemu LINES...: a QEMU whose guest says these lines.
qemu()
{
	printf '%s\n' '@@ booted 6.12.99' "$@" >console
	printf '#!/bin/sh\ncat %s/console\n' "$T" >bin/qemu-system-x86_64
	chmod +x bin/qemu-system-x86_64
}

# job NUMBER MAIN INIT END [MASK_MAIN MASK_INIT]: a run's lines.
job()
{
	local moment all= rank="{\"rank\": 0, \"mask_main\": \"${5-0-7}\", \"mask_init\": \"${6-0-7}\"}"
	for moment in main:$2 MPI_Init:$3 95%:$4; do
		all+=${all:+, }"{\"at\": \"${moment%:*}\", \"ranks_per_node\": [${moment#*:}]}"
	done
	echo "@@ start $1 1.0 2.0"
	echo "{\"moments\": [$all], \"rank\": [$rank]}"
	echo "@@ end $1 0 1.5 2.0"
}

lab()
{
	"$EK_PYTHON" "$LAB" --kernel "$T/vmlinuz-6.12.99" --runs 1 "$@" >out 2>err
}

# refused STATUS TEXT COMMAND...
refused()
{
	local want=$1 text=$2 rc=0
	shift 2
	"$@" || rc=$?
	[ $rc = "$want" ] || { echo "status $rc, wanted $want"; cat out err; return 1; }
	grep -q -- "$text" out err || { cat out err; return 1; }
}

@test "what cannot be run is refused" {
	qemu
	refused 2 "shape '3x3'" lab --shape 3x3
	echo 'smp 4 nonsense' >bad
	echo 'nodes 3' >>bad
	refused 2 "bad:2: 'nodes 3'" lab --shape bad
	refused 2 "variant 'held'" lab --variant held
	refused 2 "job 'bt.S'" lab --job bt.S
	refused 2 "two, cpuset or nobalance" lab --job where+load
	refused 2 "no list of numbers" lab --ranks four
	refused 2 "at least 1" lab --runs 0
}

@test "without QEMU, kernel or build it is skipped with a reason" {
	mkdir few
	ln -s "$("$EK_PYTHON" -c 'import sys; print(sys.executable)')" few/python3
	refused 77 "qemu-system-x86_64 was not found" \
		env PATH="$T/few" "$LAB" --kernel vmlinuz-6.12.99 >out 2>err
	qemu
	refused 77 "wanted a file or one of" "$LAB" --kernel 4.19 >out 2>err
	refused 77 "is not built" lab --build "$T/nowhere"
}

@test "a held run that is even at every moment is as wanted" {
	qemu "$(job 0 2,2 2,2 2,2)" '@@ done'
	lab --variant preload
	grep -q '^1 runs, 1 boots' out
}

@test "an uneven held run fails, whenever it is uneven" {
	for moments in '3,1 2,2 2,2' '2,2 4,0 2,2' '2,2 2,2 1,3'; do
		# shellcheck disable=SC2086 # three words
		qemu "$(job 0 $moments)" '@@ done'
		refused 1 'preload: [0-9]/[0-9] at' lab --variant preload
	done
}

@test "a settled run fails when it is uneven as MPI_Init returns, not later" {
	qemu "$(job 0 2,2 1,3 2,2 0-7 0-15)" '@@ done'
	refused 1 'settle: 1/3 at MPI_Init' lab --variant settle
	qemu "$(job 0 2,2 2,2 1,3 0-7 0-15)" '@@ done'
	lab --variant settle
}

@test "wrong masks fail" {
	qemu "$(job 0 2,2 2,2 2,2 0-15 0-15)" '@@ done'
	refused 1 'mask 0-15 at main' lab --variant preload
	qemu "$(job 0 2,2 2,2 2,2 0-7 0-15)" '@@ done'
	refused 1 'mask 0-15 after MPI_Init' lab --variant preload
	qemu "$(job 0 2,2 2,2 2,2 0-7 0-7)" '@@ done'
	refused 1 'mask 0-7 after MPI_Init' lab --variant settle
}

@test "plain runs may be uneven" {
	qemu "$(job 0 2,2 4,0 3,1)" '@@ done'
	lab --variant plain
	grep -Eq 'plain +1 +1 +0 +4 +2' out
}

@test "a job that fails, a guest that dies and one that hangs are told, with the log" {
	qemu "$(job 0 2,2 2,2 2,2 | sed 's/@@ end 0 0/@@ end 0 9/')" '@@ done'
	refused 1 'exit 9' lab --variant preload
	qemu '@@ start 0 1.0 2.0' 'Kernel panic'
	refused 1 'ended too soon, after: Kernel panic' lab --variant preload
	printf '#!/bin/sh\necho @@ booted 6.12.99\nexec sleep 100\n' >bin/qemu-system-x86_64
	refused 1 'nothing on the console for 1 s' lab --variant preload --bound 1
	log=$(sed -n 's/^lab: logs are in //p' err)
	grep -q booted "$log/boot1.log"
}

@test "the quick proof fails when nothing is wrong with plain, or with letting go early" {
	# Runs of a boot are shuffled: all of them say the same.
	even() { for i in $(seq 0 9); do job "$i" 2,2 2,2 2,2; done; }
	qemu "$(even)" '@@ done'
	refused 1 'the lab proves nothing here' "$LAB" quick --kernel "$T/vmlinuz-6.12.99" >out 2>err
	grep -q 'would not see that fault' err
}

@test "what counts as uneven follows capacity and what else runs" {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME "$EK_PYTHON" - <<-'END'
	from results import difference, fisher, uneven
	even = lambda *a: not uneven(*a)
	assert uneven([4, 0], [8, 8]) and uneven([4, 2], [8, 8])
	assert even([2, 2], [8, 8]) and even([3, 2], [8, 8]) and even([2, 3], [8, 8])
	assert even([2], [8]) and uneven([4], [8, 8]), "a node without ranks may be left out"
	assert even([2, 4], [4, 8]) and even([2, 2], [4, 8]) and uneven([3, 3], [4, 8]) and uneven([4, 2], [4, 8])
	assert even([2, 2, 0], [8, 8, 0]) and uneven([1, 2, 1], [8, 8, 0])
	import boot, results
	r = results.Run("where+busy4", 4, "run", 0, boot.Shape("2x8"))
	r.planned = [1, 3]
	assert not r.is_uneven([1, 3]) and r.is_uneven([0, 4]) and r.is_uneven([2, 2])
	r.planned = [0, 4]
	assert r.is_uneven([4])
	assert difference([4, 1], [8, 8]) == 3 and difference([4], [8, 8]) == 4
	# Fisher's tea: 3 of 4 and 1 of 4 (34/70); all and none of 12 (2 / C(24,12)).
	assert abs(fisher(3, 4, 1, 4) - 34 / 70) < 1e-12
	assert abs(fisher(0, 12, 12, 12) - 2 / 2704156) < 1e-15
	assert fisher(0, 5, 0, 5) == 1
	END
}

@test "a job's words become the shell's" {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME "$EK_PYTHON" - <<-'END'
	import jobs
	class o: seconds, mb = 0.05, 1
	c = lambda *a: jobs.command(*a, o)
	assert "LD_PRELOAD" not in c("where", 4, "plain")
	assert "HWLOC_COMPONENTS=-x86 mpiexec.hydra -n 4 " in c("where", 4, "plain-nowalk")
	assert "EVENKEEL_MODE=settle" in c("where", 4, "settle")
	assert "/job/launcher/evenkeel run mpiexec.hydra -n 6 " in c("where", 6, "run")
	assert "-bind-to numa -n 4 " in c("where", 4, "bind-numa")
	assert "seq 0 3" in c("where+busy4", 4, "plain") and jobs.busy("where+busy4") == [4, 0]
	assert jobs.reports(["noise {", '{"a":', '1} x', "@sampler [[1]]", '{"b": 2}']) == [
	    {"a": 1}, {"b": 2}]
	assert jobs.moves({"rank": [{"node_at": [0, 1, 1, 0]}]}, []) == (1, 2)
	assert jobs.moves({}, ["@sampler [[0, [7, 0]], [20, [7, 1], [8, 0]]]"]) == (1, 1)
	END
}
