#!/usr/bin/env bats
# A host that is shared: other jobs, foreign processes, little to go round.

load "$EK_SRC/tests/preload/jobs_help.bash"

MAPS='awk "{ print \$2; exit }" /proc/self/numa_maps'

# as_if RUNNING [BUSY,...]: the jobs that follow see a host on which so many
# tasks run and these cpus are busy, whatever else this one does.
as_if()
{
	local user=()
	[ "$(id -u)" = 0 ] || user=(-r)
	unshare "${user[@]}" -m true 2>/dev/null || skip "no mount namespace is to be had"
	[ -z "$faker" ] || kill "$faker"
	rm -rf "$T/proc"
	mkdir -p "$T/proc"
	"$EK_PYTHON" "$EK_SRC/tests/preload/fakeload.py" "$T/proc" "$1" $((CPU1 + 1)) "${2-}" 3>&- &
	faker=$!
	wait_for test -s "$T/proc/stat"
	printf '%s\n' '#!/bin/sh' \
		"mount --bind '$T/proc/stat' /proc/stat &&" \
		"mount --bind '$T/proc/loadavg' /proc/loadavg && exec \"\$@\"" >"$T/as_if"
	chmod +x "$T/as_if"
	WRAP=(unshare "${user[@]}" -m "$T/as_if")
	"${WRAP[@]}" true 2>/dev/null || skip "nothing may be mounted over /proc"
}

wait_for()
{
	local i
	for i in {1..1500}; do
		"$@" && return
		sleep 0.02
	done
	echo "in vain: $*"
	return 1
}

setup()
{
	preload_setup
	started=() WRAP=() faker= MEASURE=on
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER="$T/ledger")
}

teardown()
{
	local name
	[ -z "$faker" ] || kill "$faker"
	for name in "${started[@]}"; do
		touch "$T/$name/go"
	done
	wait
}

# job COMMAND...: one that is waited for, within WRAP; out and err are its.
job()
{
	setsid -w timeout -k 5 90 "${WRAP[@]}" env LD_PRELOAD="$EK_LIB" \
		EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_CONF="$CONF" \
		EVENKEEL_MEASURE="$MEASURE" "${OURS[@]}" "$@" \
		</dev/null >"$T/out" 2>"$T/err" 3>&-
}

# mask_alone: of the one rank of a job of its own.
mask_alone()
{
	job "$EK_MPIEXEC" -n 1 sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
	cat "$T/out"
}

# goes_to CPU: within a few tries, since on a crowded host a window may see
# nothing of what goes on, or too much.
goes_to()
{
	local i got
	for i in 1 2 3 4 5 6 7 8; do
		got=$(mask_alone)
		[ "$got" != "$1" ] || return 0
	done
	echo "on $got, not $1"
	return 1
}

# --- other jobs --------------------------------------------------------------

@test "small jobs go round the nodes" {
	local name
	as_if 1
	for name in a b c d; do
		start $name 1
		await $name 0
	done
	[ "$(for name in a b c d; do mask_of $name 0; done | xargs)" = \
		"$CPU0 $CPU1 $CPU0 $CPU1" ]
	finish b
	finish d
	start e 1
	await e 0
	[ "$(mask_of e 0)" = "$CPU1" ]
	for name in a c e; do
		finish $name
	done
}

@test "a job of two ranks leaves the others where they were" {
	as_if 1
	start a 1
	await a 0
	start b 2
	await b 0
	await b 1
	[ "$(mask_of a 0) $(mask_of b 0) $(mask_of b 1)" = "$CPU0 $CPU0 $CPU1" ]
	start c 1
	await c 0
	[ "$(mask_of c 0)" = "$CPU1" ]
	finish a
	finish b
	finish c
}

@test "SLURM_CPUS_PER_TASK says the width as well" {
	as_if 1
	OURS=(SLURM_CPUS_PER_TASK=1 EVENKEEL_LEDGER="$T/ledger")
	start a 1
	await a 0
	start b 1
	await b 0
	[ "$(mask_of a 0) $(mask_of b 0)" = "$CPU0 $CPU1" ]
	finish a
	finish b
}

@test "a rank wider than a node has neighbouring nodes, and counts on both" {
	as_if 1
	OURS=(OMP_NUM_THREADS=2 EVENKEEL_LEDGER="$T/ledger")
	start a 1
	await a 0
	[ "$(mask_of a 0 | tr ',-' '\n\n' | xargs)" = "$CPU0 $CPU1" ]
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER="$T/ledger")
	start b 1
	await b 0
	start c 1
	await c 0
	[ "$(mask_of b 0) $(mask_of c 0)" = "$CPU0 $CPU1" ]
	finish a
	finish b
	finish c
}

mpiexec_of()
{
	local pid=pid_of_$1
	ps -s "${!pid}" -o pid=,comm= | awk '$2 ~ /^mpiexec/ { print $1 }'
}

@test "a job whose mpiexec is killed counts as long as its ranks live" {
	local pid rank
	as_if 1
	start a 1
	await a 0
	rank=$(pgrep -x -f "$V/quiet wait $T/a/go")
	pid=$(mpiexec_of a)
	kill -KILL "$pid"
	# Hydra may take the rank with it or not; the ledger follows the rank.
	sleep 0.2
	start b 1
	await b 0
	if kill -0 "$rank" 2>/dev/null && ! grep -q 'State:.Z' "/proc/$rank/status"; then
		[ "$(mask_of b 0)" = "$CPU1" ]
	else
		[ "$(mask_of b 0)" = "$CPU0" ]
	fi
	kill -KILL "$rank" 2>/dev/null || true
	wait_for sh -c "! kill -0 $rank 2>/dev/null || grep -q 'State:.Z' /proc/$rank/status"
	finish b
	start c 1
	await c 0
	[ "$(mask_of c 0)" = "$CPU0" ]
	finish c
}

@test "what a ledger of gone processes says is forgotten" {
	local file
	as_if 1
	start a 1
	await a 0
	file=$(echo "$T"/ledger/evenkeel-*)
	cp "$file" "$T/old"
	finish a
	# As a ledger would look whose job ended with the host.
	cat "$T/old" >"$file"
	start b 1
	await b 0
	[ "$(mask_of b 0)" = "$CPU0" ]
	finish b
}

@test "ranks that a rank spawns are placed beside it, from the proxy's cpus" {
	as_if 1
	mkdir "$T/s" "$T/go"
	rm -rf "$T/go"
	printf '%s\n' '#!/bin/sh' \
		"sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status >$T/s/\$PMI_RANK.t" \
		"mv $T/s/\$PMI_RANK.t $T/s/\$PMI_RANK" >"$T/child"
	chmod +x "$T/child"
	(wait_for test -s "$T/s/0"; touch "$T/go") 3>&- &
	job "$EK_MPIEXEC" -n 1 "$EK_PYTHON" "$EK_SRC/tests/preload/victims/pmi_spawn.py" "$T/go" 1 "$T/child" || {
		cat "$T/err"
		return 1
	}
	# The parent is on the first node, so the child's mask is none of its.
	[ "$(cat "$T/s/0")" = "$CPU1" ]
}

# --- what runs from elsewhere --------------------------------------------------

@test "a rank goes where foreign processes are not" {
	as_if 9 "$CPU0"
	goes_to "$CPU1"
	as_if 9 "$CPU1"
	goes_to "$CPU0"
}

@test "EVENKEEL_MEASURE=off: nobody looks" {
	as_if 9 "$CPU0"
	OURS+=(EVENKEEL_MEASURE=off)
	goes_to "$CPU0"
}

@test "where everything is busy, or nothing, the lower node is taken" {
	as_if 9 "$CPU0,$CPU1"
	goes_to "$CPU0"
	as_if 9
	goes_to "$CPU0"
}

@test "foreign processes and other jobs add up" {
	as_if 1
	start a 1
	await a 0
	[ "$(mask_of a 0)" = "$CPU0" ]
	as_if 9 "$CPU1"
	start b 1
	await b 0
	# One each: the lower node. (The first job's rank sleeps.)
	[ "$(mask_of b 0)" = "$CPU0" ]
	finish a
	finish b
}

@test "a dozen jobs at once beside foreign processes all find the ledger" {
	local i names
	as_if 9
	for i in {1..12}; do
		start j$i 1
	done
	for i in {1..12}; do
		await j$i 0
		names+=" $(mask_of j$i 0)"
	done
	[ "$(grep -o "\b$CPU0\b" <<<"$names" | wc -l)" = 6 ] || { echo "$names"; return 1; }
	for i in {1..12}; do
		finish j$i
	done
}

@test "ranks of one job agree, whatever each of them sees" {
	local i
	as_if 9 "$CPU0"
	start a 8
	for i in {0..7}; do
		await a $i
	done
	# Seven or eight more cpus are wanted than there are: what the first rank has
	# seen decides, and one of the two answers it is.
	case $(for i in {0..7}; do mask_of a $i; done | sort | uniq -c | awk '{ print $1 }' | xargs) in
	"4 4" | "3 5") ;;
	*) return 1 ;;
	esac
	finish a
}

needs_strace()
{
	strace -o /dev/null true 2>/dev/null || skip "strace is not there or may not trace"
}

@test "with nothing foreign a launch waits for nothing and looks at one file" {
	needs_strace
	as_if 1
	job strace -f -e trace=openat,nanosleep,clock_nanosleep,select,pselect6 -o "$T/trace" \
		"$EK_MPIEXEC" -n 1 true
	grep -q '"/proc/loadavg"' "$T/trace"
	if grep -E 'nanosleep\(|select\(' "$T/trace"; then
		return 1
	fi
	[ "$(grep -c '"/proc/stat"' "$T/trace")" = 0 ]
	# And this is how it looks with something.
	as_if 9
	job strace -f -y -e trace=openat,close,nanosleep,clock_nanosleep -o "$T/trace" \
		"$EK_MPIEXEC" -n 1 true
	[ "$(grep -c '"/proc/stat"' "$T/trace")" = 2 ]
	[ "$(grep -c 'clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME' "$T/trace")" = 1 ]
	# Nobody else has to wait for the ledger meanwhile.
	awk '/openat\(.*\/evenkeel-.*= [0-9]/ { held = 1 } /close\(.*\/evenkeel-/ { held = 0; n++ }
		/clock_nanosleep\(/ && held { exit 1 } END { exit n != 2 }' "$T/trace"
}

@test "who is not placed does not wait either" {
	needs_strace
	as_if 9
	# A lone rank of unknown width; a machine of one node.
	OURS=(EVENKEEL_LEDGER="$T/ledger")
	job strace -f -e trace=clock_nanosleep -o "$T/trace" "$EK_MPIEXEC" -n 1 true
	! grep clock_nanosleep "$T/trace" || return
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0,$CPU1" OURS=(EVENKEEL_WIDTH=1)
	job strace -f -e trace=clock_nanosleep -o "$T/trace" "$EK_MPIEXEC" -n 2 true
	! grep clock_nanosleep "$T/trace"
}

# ticks CPU: busy and idle time since boot.
ticks()
{
	awk -v cpu="cpu$1" '$1 == cpu { print $2 + $3 + $4 + $7 + $8 + $9, $5 + $6 }' /proc/stat
}

# idle CPU: nine tenths of 0.2 s.
idle()
{
	local before after
	before=$(ticks "$1")
	sleep 0.2
	after=$(ticks "$1")
	# shellcheck disable=SC2086 # two numbers each
	set -- $before $after
	[ $((10 * ($4 - $2))) -ge $((9 * ($4 - $2 + $3 - $1))) ] && [ "$4" -gt "$2" ]
}

@test "a busy loop on the first node: the one rank goes to the second" {
	local i tries=0 ours
	taskset -c "$CPU0" sh -c 'while :; do :; done' 3>&- &
	faker=$!
	sleep 1
	for i in {1..20}; do
		idle "$CPU1" || continue
		ours=$(mask_alone)
		[ "$ours" != "$CPU1" ] || return 0
		# A stranger may have come meanwhile; a third time it is our fault.
		idle "$CPU1" || continue
		tries=$((tries + 1))
		[ $tries -lt 3 ] || { echo "on cpu $ours"; return 1; }
	done
	skip "the other cpu is not idle"
}

# --- memory ---------------------------------------------------------------------

needs_numa_maps()
{
	[ -r /proc/self/numa_maps ] || skip "this kernel has no numa_maps"
	# Rank 0's node is one that the host has, rank 1's none.
	TWO_NODES=${TWO_NODES/node 1/node 1023}
	WRAP=()
}

# policies POLICY: those that the two ranks have.
policies()
{
	OURS=(EVENKEEL_LEDGER=none EVENKEEL_MEM="$1" "${MORE[@]}")
	# shellcheck disable=SC2016 # for the ranks' shell
	job "${FRONT[@]}" "$EK_MPIEXEC" -n 2 sh -c 'echo "$MPI_LOCALRANKID $('"$MAPS"')"' || return
	[ ! -s "$T/err" ] || return
	sort "$T/out" | awk '{ print $2 }' | xargs
}

@test "--mem gives ranks a memory policy, where there is such memory" {
	local mode
	needs_numa_maps
	for mode in hold settle; do
		MORE=(EVENKEEL_MODE=$mode)
		[ "$(policies none)" = "default default" ]
		[ "$(policies local)" = "local local" ]
		[ "$(policies bind)" = "bind:0 default" ]
		[ "$(policies interleave)" = "interleave:0 default" ]
		[ "$(policies nonsense)" = "default default" ]
	done
}

@test "--mem none leaves what was inherited, local does not" {
	needs_numa_maps
	needs_tool numactl
	numactl --interleave=0 true 2>/dev/null || skip "this host allows no memory policy"
	MORE=() FRONT=(numactl --interleave=0)
	[ "$(policies none)" = "interleave:0 interleave:0" ]
	[ "$(policies local)" = "local local" ]
}

needs_filter()
{
	local status=0
	"$V/deny" EPERM true 2>/dev/null || status=$?
	[ $status != 125 ] || skip "this kernel filters no system calls"
}

@test "a memory policy that is refused is quiet, and the mask is set all the same" {
	local error
	needs_numa_maps
	needs_filter
	for error in EPERM EINVAL ENOSYS; do
		FRONT=("$V/deny" $error) MORE=()
		[ "$(policies bind)" = "default default" ]
		OURS=(EVENKEEL_WIDTH=1 EVENKEEL_MEM=bind EVENKEEL_LEDGER=none)
		job "${FRONT[@]}" "$EK_MPIEXEC" -n 2 sed -n \
			's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
		[ "$(sort "$T/out" | xargs)" = "$CPU0 $CPU1" ]
	done
}

@test "a mask that is refused is quiet, and the job runs as it would" {
	local error
	needs_filter
	for error in EPERM EINVAL ENOSYS; do
		job "$V/deny" $error affinity "$EK_MPIEXEC" -n 2 sed -n \
			's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
		[ ! -s "$T/err" ]
		[ "$(sort -u "$T/out")" = "$CPUS" ]
	done
}

# --- little to go round ------------------------------------------------------------

@test "more ranks than cpus: spread in proportion, and one line says so" {
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER=none EVENKEEL_VERBOSE=1)
	job "$EK_MPIEXEC" -n 5 sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status
	[ "$(sort "$T/out" | uniq -c | awk '{ print $1 }' | xargs)" = "3 2" ]
	[ "$(wc -l <"$T/err")" = 2 ]
	[ "$(grep -c 'warning: more cpus are wanted than are idle: 5 ranks, 2 cpus, 0 busy$' \
		"$T/err")" = 1 ]
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_LEDGER=none)
	job "$EK_MPIEXEC" -n 5 true
	[ ! -s "$T/err" ]
	OURS+=(EVENKEEL_VERBOSE=1)
	job "$EK_MPIEXEC" -n 2 true
	[ "$(wc -l <"$T/err")" = 1 ]
}

@test "on a machine of one node too" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0,$CPU1"
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_VERBOSE=1 EVENKEEL_LEDGER=none)
	job "$EK_MPIEXEC" -n 3 true
	grep -q '3 ranks, not placed: at most one node' "$T/err"
	[ "$(grep -c 'warning: more cpus are wanted' "$T/err")" = 1 ]
}

@test "a quota counts as the cpus that there are" {
	TWO_NODES+=";quota 1"
	OURS=(EVENKEEL_WIDTH=1 EVENKEEL_VERBOSE=1 EVENKEEL_LEDGER=none)
	job "$EK_MPIEXEC" -n 2 true
	grep -q 'warning: more cpus are wanted.* 2 ranks, 2 cpus, 0 busy, a quota of 1$' "$T/err"
}

# --- slices -----------------------------------------------------------------------

# masks_of N: those of N ranks, by rank.
masks_of()
{
	# shellcheck disable=SC2016 # for the ranks' shell
	job "$EK_MPIEXEC" -n "$1" sh -c 'echo "$MPI_LOCALRANKID $(sed -n \
		"s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)"'
	sort -n "$T/out" | awk '{ print $2 }' | xargs
}

@test "ranks that pin themselves share cpus where there are too few" {
	OURS=(OMP_PROC_BIND=true OMP_NUM_THREADS=1 EVENKEEL_LEDGER=none)
	[ "$(masks_of 2)" = "$CPU0 $CPU1" ]
	[ "$(masks_of 4)" = "$CPU0 $CPU0 $CPU1 $CPU1" ]
}

@test "ranks that pin themselves have their own part of a host of one node" {
	TWO_NODES="evenkeel-machine 1;node 0 cpus $CPU0,$CPU1"
	OURS=(OMP_PROC_BIND=true OMP_NUM_THREADS=1 EVENKEEL_LEDGER=none)
	[ "$(masks_of 2)" = "$CPU0 $CPU1" ]
	# A lone rank, or one whose threads are not pinned, asks for nothing.
	[ "$(masks_of 1)" = "$CPUS" ]
	OURS=(OMP_PROC_BIND=false OMP_NUM_THREADS=1 EVENKEEL_LEDGER=none)
	[ "$(masks_of 2)" = "$CPUS $CPUS" ]
}

@test "ranks of one node that pin themselves have their own part of it" {
	local cpus
	# shellcheck disable=SC2046 # one word per cpu is wanted
	set -- $(tr ',' '\n' <<<"$CPUS" | awk -F- '{ for (i = $1; i <= $NF; i++) print i }')
	[ $# -ge 4 ] || skip "four cpus are wanted"
	TWO_NODES="evenkeel-machine 1;node 0 cpus $1,$2;node 1 cpus $3,$4"
	OURS=(OMP_PROC_BIND=true OMP_NUM_THREADS=1 EVENKEEL_LEDGER=none)
	[ "$(masks_of 4)" = "$1 $2 $3 $4" ]
	OURS=(OMP_PROC_BIND=false OMP_NUM_THREADS=1 EVENKEEL_LEDGER=none)
	cpus=$(masks_of 4)
	[ "$(wc -w <<<"$cpus")" = 4 ] && [[ $cpus != "$1 $2 $3 $4" ]]
	OURS=(EVENKEEL_BIND=slice EVENKEEL_LEDGER=none)
	[ "$(masks_of 4)" = "$1 $2 $3 $4" ]
}
