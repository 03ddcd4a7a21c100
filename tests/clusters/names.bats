#!/usr/bin/env bats
# Hosts that are this machine: several names for it, and many that a stand-in for ssh
# plays. Neither namespaces nor sshd are needed.

load "$EK_SRC/tests/preload/preload_help.bash"

setup() { preload_setup; }

# Which cpus each rank has, by its number in the job.
masks()
{
	sed -n 's/^rank //p' "$T/held/stdout" | sort -n
}

# SCRIPT that says "rank N MASK", N being the number in the job.
rank_script()
{
	cat >"$T/rank" <<-'EOF'
		#!/bin/sh
		while read -r name mask; do
			[ "$name" != Cpus_allowed_list: ] || echo "rank $PMI_RANK $mask"
		done </proc/self/status
		while [ -e "$1" ]; do sleep 0.1; done
	EOF
	chmod +x "$T/rank"
}

@test "ranks of three names for this machine spread when their width is known" {
	rank_script
	OURS=(EVENKEEL_WIDTH=1)
	touch "$T/wait"
	# Each looks at its mask and waits, so that all are in the ledger at once.
	(for _ in {1..600}; do
		[ "$(grep -c ^rank "$T/out/stdout" 2>/dev/null)" != 3 ] || break
		sleep 0.1
	done; rm -f "$T/wait") 3>&- &
	job_run held "$EK_MPIEXEC" -hosts "localhost,127.0.0.1,$(uname -n)" -ppn 1 -n 3 \
		"$T/rank" "$T/wait"
	wait
	[ ! -s "$T/held/stderr" ]
	[ "$(masks | wc -l)" = 3 ]
	# The nodes have one cpu each: 2 and 1, or 1 and 2.
	[ "$(masks | cut -d' ' -f2 | sort -u | wc -l)" = 2 ]
	! masks | grep -v " $CPU0\$\| $CPU1\$"
}

@test "without a width they stay as they are, and -v says why" {
	rank_script
	THROUGH=("$EK_BIN" run --verbose=1)
	job_run held "$EK_MPIEXEC" -hosts "localhost,127.0.0.1,$(uname -n)" -ppn 1 -n 3 \
		"$T/rank" "$T/nosuch"
	[ "$(masks | grep -c " $CPUS\$")" = 3 ]
	[ "$(grep -c ': 1 rank, not placed: ' "$T/held/stderr")" = 3 ]
	grep 'not placed' "$T/held/stderr" | grep -q 'a lone rank of unknown width may use everything'
	grep -qxF 'evenkeel run: active on 1 of 1 host' "$T/held/stderr"
}

# A stand-in for ssh, which starts the proxy here, each host with a ledger of its own.
fake_ssh()
{
	cat >"$T/ssh" <<-EOF
		#!/bin/sh
		shift
		mkdir -p "$T/hosts/\$1"
		export EVENKEEL_LEDGER="$T/hosts/\$1"
		shift
		exec env -u LD_PRELOAD sh -c "\$*"
	EOF
	chmod +x "$T/ssh"
}

@test "64 hosts, 256 ranks: each host has its own plan" {
	local hosts rank wanted
	fake_ssh
	rank_script
	hosts=$(seq -s, -f 'node%02g' 0 63)
	# Its own ledger is what makes a host of them, so mpiexec's is not handed on.
	job_run held env -u EVENKEEL_LEDGER "$EK_MPIEXEC" -launcher-exec "$T/ssh" -hosts "$hosts" \
		-ppn 4 -n 256 "$T/rank" "$T/nosuch"
	[ "$(cat "$T/held/status")" = 0 ]
	[ ! -s "$T/held/stderr" ]
	# Four ranks a host in blocks: two on each node.
	for ((rank = 0; rank < 256; rank++)); do
		((rank % 4 < 2)) && wanted=$CPU0 || wanted=$CPU1
		echo "$rank $wanted"
	done | diff - <(masks)
	[ "$(find "$T/hosts" -name 'evenkeel-*' | wc -l)" = 64 ]
}
