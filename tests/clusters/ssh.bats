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
}

teardown() { cluster_show_library; }

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

@test "a host without the library runs its ranks unplaced, without a word, and is named when asked" {
	local rank
	job plain "$V/mpi" init
	hide_library h3
	job held "$V/mpi" init
	job_same_output held
	for rank in 4 5; do
		job_same held $rank.main
		job_same held $rank.up
		NODE_OF[rank]=$CPUS
	done
	job_masks held main node
	THROUGH=("$EK_BIN" run --verbose=1)
	job held "$V/quiet"
	grep -qxF "evenkeel run: active on 3 of 4 hosts" "$T/held/stderr"
	grep -qxF "evenkeel run: not active on h3: $EK_LIB is not there" "$T/held/stderr"
	! grep -F 'ld.so' "$T/held/stderr"
	THROUGH=("$EK_BIN" run --report)
	job held "$V/quiet"
	grep -qxF "evenkeel run: active on 3 of 4 hosts" "$T/held/stderr"
	grep -qxF "evenkeel run: not active on h3: $EK_LIB is not there" "$T/held/stderr"
	! grep -F 'evenkeel[' "$T/held/stderr"
}

# A library that wants a symbol of a C library that is not there yet: each program that
# preloads it ends with an error.
too_new_library()
{
	mkdir "$T/new"
	cd "$T/new" || return
	echo 'int tomorrow(void) { return 0; }' >libc.c
	echo 'EK_9.99 { global: tomorrow; };' >libc.map
	"${EK_CC%% *}" -shared -fPIC -nostdlib -o libc.so.6 -Wl,-soname,libc.so.6 \
		-Wl,--version-script=libc.map libc.c
	echo 'int tomorrow(void); int today(void) { return tomorrow(); }' >ours.c
	"${EK_CC%% *}" -shared -fPIC -nostdlib -o libevenkeel.so ours.c ./libc.so.6
	cd - >/dev/null || return
	! LD_PRELOAD="$T/new/libevenkeel.so" /bin/true 2>/dev/null
}

@test "a library that would end every program that loads it is not given to a proxy" {
	local host
	too_new_library
	cp "$EK_LIB" "$T/cut.so"
	truncate -s 4096 "$T/cut.so"
	echo text >"$T/text.so"
	job plain "$V/quiet"
	hide_library h2 "$T/new/libevenkeel.so"
	hide_library h3 "$T/cut.so"
	hide_library h4 "$T/text.so"
	job held "$V/quiet"
	job_same_output held
	RANKS=(0 1)
	job_masks held main node
	THROUGH=("$EK_BIN" run --verbose=1)
	job held "$V/quiet"
	grep -qxF "evenkeel run: active on 1 of 4 hosts" "$T/held/stderr"
	for host in h2 h3 h4; do
		grep -q "not active on .*$host.*: $EK_LIB cannot be loaded\$" "$T/held/stderr"
	done
}

@test "login shells of the csh family start placed ranks too" {
	[ -x /usr/bin/tcsh ] || skip "tcsh is not installed"
	cluster_shell h2 /usr/bin/tcsh
	cluster_shell h3 "$([ -x /usr/bin/bsd-csh ] && echo /usr/bin/bsd-csh || echo /usr/bin/tcsh)"
	cluster_shell h4 /bin/sh
	[ "$("${ON[@]}" "$SSH" h2 'echo $0:q $version:q' | grep -c tcsh)" = 1 ]
	job plain "$V/quiet"
	job held "$V/quiet"
	for host in h2 h3 h4; do
		cluster_shell $host /bin/bash
	done
	placed held
	job_without_us held
}

@test "a user's wrapper keeps working, understood or not" {
	printf '#!/bin/sh\n# goes by ssh\nexec /usr/bin/ssh -o ConnectTimeout=20 -F %s/ssh/config "$@"\n' \
		"$H" >"$T/wrapper"
	printf '#!/bin/sh\nexec %s h0 %s "$@"\n' "$SSH" "$SSH" >"$T/hops"
	printf '#!/bin/sh\neval "set -- \\"\\$@\\""\nexec %s "$@"\n' "$SSH" >"$T/odd"
	chmod +x "$T/wrapper" "$T/hops" "$T/odd"
	job plain "$V/quiet"
	MPIEXEC=("$EK_MPIEXEC" -launcher ssh -launcher-exec "$T/wrapper")
	job held "$V/quiet"
	placed held
	for wrapper in hops odd; do
		MPIEXEC=("$EK_MPIEXEC" -launcher-exec "$T/$wrapper")
		job held "$V/quiet"
		job_same_output held
		job_masks held main wide
	done
	VARS+=(HYDRA_LAUNCHER_EXEC="$T/odd")
	MPIEXEC=("$EK_MPIEXEC")
	THROUGH=("$EK_BIN" run --verbose=1)
	job held "$V/quiet"
	grep -qxF "evenkeel run: active on 0 of 4 hosts" "$T/held/stderr"
	grep -q 'not active on .*h1.*: what starts the proxy is not known' "$T/held/stderr"
	VARS+=(HYDRA_LAUNCHER_EXEC="$T/wrapper")
	THROUGH=()
	job held "$V/quiet"
	job_masks held main node
}

@test "rsh, and blanks in the proxy's path" {
	mkdir "$T/my mpi"
	cp "$(readlink -f "$EK_MPIEXEC")" "$(dirname "$(readlink -f "$EK_MPIEXEC")")/hydra_pmi_proxy" \
		"$T/my mpi"
	job plain "$V/quiet"
	MPIEXEC=("$T/my mpi/mpiexec.hydra" -launcher rsh -launcher-exec "$SSH")
	job held "$V/quiet"
	placed held
	job_without_us held
}

@test "variables with blanks, quotes and dollars reach the other host as they are" {
	odd="$H/here/it's a \$HOME;x"
	for host in h1 h2 h3 h4; do
		mkdir -p "$H/of/$host/${odd##*/}"
	done
	OURS+=(EVENKEEL_CONF="$odd/conf" EVENKEEL_LEDGER="$odd")
	job plain "$V/quiet"
	job held "$V/quiet"
	placed held
	for host in h1 h2 h3 h4; do
		[ -s "$H/of/$host/${odd##*/}"/evenkeel-* ]
	done
}

@test "--remote off keeps to this host, and a binding is the user's on every host" {
	THROUGH=("$EK_BIN" run --remote off --verbose=1)
	job plain "$V/quiet"
	job held "$V/quiet"
	job_masks held main wide
	grep -q 'not active on h1, h2, h3, h4\|not active on h.*: other hosts are switched off' \
		"$T/held/stderr"
	THROUGH=()
	MPIEXEC+=(-bind-to core)
	job plain "$V/quiet"
	job held "$V/quiet"
	job_same_output held
	job_masks held main plain
}

@test "ranks that keep the preload have it on every host, and only where it is" {
	hide_library h4
	OURS+=(EVENKEEL_KEEP=1)
	job held "$V/quiet"
	[ ! -s "$T/held/stderr" ]
	for rank in 0 1 2 3 4 5; do
		grep -q "^LD_PRELOAD=$EK_LIB\$" "$T/held/$rank.environ"
		grep -qF "$EK_LIB" "$T/held/$rank.libs"
	done
	for rank in 6 7; do
		! grep -e ^LD_PRELOAD -e ^EVENKEEL "$T/held/$rank.environ"
	done
}
