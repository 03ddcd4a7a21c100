#!/usr/bin/env bats
# The ways in which a proxy may start its ranks. Hydra's own forks and calls
# execvp; others, and later ones, need not.

load "$EK_SRC/tests/preload/preload_help.bash"

setup()
{
	preload_setup
	ln -s "$V/spawner" "$T/hydra_pmi_proxy"
	ln -s "$V/quiet" "$T/quiet"
	P=$T/hydra_pmi_proxy
	VARS=(PATH="$T:$PATH")
}

# A rank is held for life here: it knows no MPI.
proxy_places()
{
	job_run_all "$P" "$@"
	for mode in held settled; do
		job_same_output $mode
		job_masks $mode main node
	done
	job_without_us held
}

@test "fork and execv" { proxy_places fork-execv 2 "$V/quiet"; }
@test "fork and execvp" { proxy_places fork-execvp 2 quiet; }
@test "fork and execve" { proxy_places fork-execve 2 "$V/quiet"; }
@test "fork and execvpe" { proxy_places fork-execvpe 2 quiet; }
@test "vfork and execve" { proxy_places vfork-execve 2 "$V/quiet"; }
@test "posix_spawn, which leaves the proxy's own mask as it was" {
	proxy_places spawn 2 "$V/quiet"
	grep -q 'cpus for the proxy' "$T/held/stdout"
}
@test "posix_spawnp" { proxy_places spawnp 2 quiet; }

@test "--mem for ranks that are spawned, and not for the proxy" {
	local how
	# One node only is sure to be there: what rank 1 wants is refused, and it must
	# not have what rank 0 was given.
	# shellcheck disable=SC2016 # for the ranks' shell
	printf '%s\n' '#!/bin/sh' \
		'echo "$MPI_LOCALRANKID $(awk "{ print \$2; exit }" /proc/self/numa_maps)"' >"$T/rank"
	chmod +x "$T/rank"
	OURS=(EVENKEEL_MEM=interleave) RANKS=()
	TWO_NODES=${TWO_NODES/node 1/node 1023}
	for how in spawn spawnp vfork-execve fork-execvp; do
		job_run held "$P" $how 2 "$T/rank"
		grep -q '^0 interleave:0$' "$T/held/stdout"
		grep -q '^1 default$' "$T/held/stdout"
		[ ! -s "$T/held/stderr" ]
	done
}

@test "a program that is not there: the same error in each way" {
	local how
	RANKS=()
	for how in fork-execv fork-execvp fork-execve fork-execvpe vfork-execve spawn spawnp; do
		job_run_all "$P" $how 2 "$T/no-such-program"
		job_same_output held
		job_same_output settled
		[ "$(cat "$T/held/status")" = 1 ]
	done
}

@test "two groups of ranks in one proxy see each other" {
	local how
	# shellcheck disable=SC2016 # for the ranks' shell
	printf '%s\n' '#!/bin/sh' 'VICTIM_DIR=$VICTIM_DIR/$VICTIM_GROUP; mkdir $VICTIM_DIR' \
		'export VICTIM_DIR; exec quiet wait $VICTIM_DIR/../go' >"$T/rank"
	chmod +x "$T/rank"
	OURS=(EVENKEEL_WIDTH=1)
	RANKS=(0/0 1/0)
	for how in fork-execvp spawnp; do
		(
			for i in {1..1500}; do
				[ ! -s "$T/out/0/0.libs" ] || [ ! -s "$T/out/1/0.libs" ] || break
				sleep 0.02
			done
			touch "$T/out/go"
		) 3>&- &
		job_run held "$P" $how 1,1 rank
		wait
		# Which of the two comes first is theirs; they must not share.
		[ "$(cat "$T"/held/[01]/0.main | sort -u)" = \
			"$(printf '%s\n' "$CPU0" "$CPU1" | sort -u)" ]
	done
}

@test "a program of another name is no proxy" {
	ln -s "$V/spawner" "$T/other_proxy"
	job_run_all "$T/other_proxy" fork-execvp 2 quiet
	job_same held stdout stderr status
	# Nor are its ranks ranks: their variables come from no launcher that we know.
	job_masks held main wide
}

@test "what starts a proxy on another host has nothing of ours, and its ranks are placed" {
	local name file
	# shellcheck disable=SC2016 # for the agent
	printf '%s\n' '#!/bin/bash' 'env >"$VICTIM_DIR/agent"' 'shift 2' \
		'exec env -i HOME="$HOME" PATH="$PATH" bash -c "$*"' >"$T/agent"
	chmod +x "$T/agent"
	for name in "$EK_MPIEXEC" "${EK_MPIEXEC%/*}/mpirun.mpich"; do
		[ -x "$name" ] || continue
		job_run_all "$name" -launcher ssh -launcher-exec "$T/agent" -hosts elsewhere \
			-n 2 "$V/mpi" init
		# A shell hands on its environment in an order of its own.
		for file in "$T"/{plain,held,settled}/[01].environ; do
			[ ! -e "$file" ] || sort -o "$file" "$file"
		done
		for mode in held settled; do
			job_same_output $mode
			job_masks $mode main node
			! grep -e '^EVENKEEL' -e libevenkeel "$T/$mode/agent" || return 1
		done
		job_without_us held
	done
}
