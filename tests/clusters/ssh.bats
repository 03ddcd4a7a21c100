#!/usr/bin/env bats
# Jobs over four hosts that Hydra starts by ssh.

load "$EK_SRC/tests/clusters/cluster_help.bash"

setup_file() { cluster_up 4 && cluster_ssh_up; }
teardown_file() { cluster_down; }

setup()
{
	cluster_needs_ssh
	cluster_setup
	RANKS=(0 1 2 3 4 5 6 7)
	NODE_OF=("$CPU0" "$CPU1" "$CPU1" "$CPU0" "$CPU0" "$CPU1" "$CPU1" "$CPU0")
	SSH=$H/ssh/ssh
	MPIEXEC=("$EK_MPIEXEC" -launcher ssh -launcher-exec "$SSH")
	HIDDEN=()
}

teardown()
{
	local host
	for host in "${HIDDEN[@]}"; do
		on "$host" umount "${EK_LIB%/*}"
	done
}

# job MODE PROGRAM...: two ranks on each of the four hosts. Of the files that ranks
# write, by their number on their host, each host has its own folder.
job()
{
	local mode=$1 host file rank
	shift
	rm -rf "$H"/of/h*/out
	mkdir -p "$H"/of/h{1,2,3,4}/out
	VARS+=(VICTIM_DIR="$H/here/out")
	job_run "$mode" "${MPIEXEC[@]}" -hosts h1,h2,h3,h4 -ppn 2 -n 8 "$@"
	for host in 1 2 3 4; do
		for file in "$H/of/h$host"/out/*; do
			[ -e "$file" ] || continue
			rank=${file##*/}
			rank=$((2 * host - 2 + ${rank%%.*}))
			# The shell of the other host may put its environment in another order.
			case $file in
			*.environ) sort "$file" >"$T/$mode/$rank.${file##*.}" ;;
			*) mv "$file" "$T/$mode/$rank.${file##*.}" ;;
			esac
		done
	done
}

# The library of this build is not on HOST, until the test's end; or FILE is in its
# place.
hide_library()
{
	on "$1" mount -t tmpfs none "${EK_LIB%/*}"
	HIDDEN+=("$1")
	[ $# = 1 ] || on "$1" cp "$2" "$EK_LIB"
}

# As without us but for the masks, which are the plan's.
placed()
{
	local mode
	for mode in "$@"; do
		job_same_output "$mode"
		job_masks "$mode" main node
	done
}

# The processes named $2 of host $1.
processes()
{
	local process
	for process in $(cluster_processes "$1"); do
		[ "$(cat "/proc/$process/comm" 2>/dev/null)" != "$2" ] || echo "/proc/$process"
	done
}

# A rank on each host that waits for $T/go.
start_waiting()
{
	rm -rf "$H"/of/h*/out
	mkdir -p "$H"/of/h{1,2,3,4}/out
	"${ON[@]}" timeout -k 5 120 env LD_PRELOAD="$EK_LIB" "${OURS[@]}" \
		VICTIM_DIR="$H/here/out" "${MPIEXEC[@]}" -hosts h1,h2,h3,h4 -ppn 1 -n 4 \
		"$V/quiet" wait "$T/go" </dev/null >"$T/stdout" 2>"$T/stderr" 3>&- &
}

await_file()
{
	for _ in {1..1500}; do
		[ ! -s "$1" ] || return 0
		sleep 0.02
	done
	echo "$1 never came"
	return 1
}

@test "hosts have names of their own and reach each other by ssh" {
	run on h0 "$SSH" h3 'hostname; cat '"$H/here/hostname"
	[ "$output" = "h3
h3" ]
}

@test "every rank of four hosts is placed by its own host's plan, held and settled" {
	job plain "$V/mpi" init
	job_masks plain main wide
	grep -q 'of 8, sum 28$' "$T/plain/stdout"
	job held "$V/mpi" init
	job settled "$V/mpi" init
	placed held settled
	job_without_us held
	job_masks held up node
	job_masks settled up wide
}

@test "evenkeel run does the same" {
	THROUGH=("$EK_BIN" run)
	job plain "$V/mpi" init
	job held "$V/mpi" init
	placed held
	job_without_us held
	job_masks held up node
}

@test "every remote proxy has the library, and no rank" {
	local host proxy pid
	start_waiting
	pid=$!
	for host in h1 h2 h3 h4; do
		await_file "$H/of/$host/out/0.libs"
		proxy=$(processes $host hydra_pmi_proxy)
		[ "$(echo "$proxy" | wc -l)" = 1 ]
		grep -q "$EK_LIB" "$proxy/maps"
		! grep libevenkeel "$H/of/$host/out/0.libs"
	done
	touch "$T/go"
	wait $pid
	[ ! -s "$T/stderr" ]
}
