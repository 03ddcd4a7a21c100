# Hosts for the tests of clusters: network namespaces of this machine, each with its
# own host name, address and mounts, behind one switch. Files, processes and IPC are
# this machine's: with an IPC namespace of its own UCX takes TCP between two hosts,
# and MPICH 4.0.2 then hangs in MPI_Finalize.
# Load with: load "$EK_SRC/tests/clusters/cluster_help.bash"
#
# A test file calls cluster_up in setup_file and cluster_down in teardown_file; its
# tests find the hosts by H, and run commands there with `on HOST COMMAND...`.
#   h0         where mpiexec runs
#   h1 ... hN  the others
#   $H/here    a folder that each host has for its own: $H/of/HOST
load "$EK_SRC/tests/preload/preload_help.bash"

CLUSTER_NET=198.51.100

# Why hosts cannot be had here; empty when they can.
cluster_missing()
{
	local tool
	[ "${EK_CLUSTERS-}" = yes ] || { echo "minutes long: make check-clusters" && return; }
	[ "$(id -u)" = 0 ] || { echo "making hosts needs root" && return; }
	for tool in unshare nsenter ip setsid; do
		command -v $tool >/dev/null || { echo "$tool is not installed" && return; }
	done
	unshare --net --uts --mount true 2>/dev/null || echo "namespaces cannot be had"
}

cluster_needs()
{
	local why
	why=$(cluster_missing)
	[ -z "$why" ] || skip "$why"
}

# The words in front of a command that run it on HOST, in the current folder, with the
# environment of here: into ON.
on_host()
{
	ON=(nsenter -t "$(cat "$H/$1.pid")" -n -u -m -w"$PWD" --)
}

# on HOST COMMAND...
on()
{
	local ON
	on_host "$1"
	shift
	"${ON[@]}" "$@" 3>&-
}

# A process that keeps the namespaces of NAME, for half an hour at most.
cluster_hold()
{
	local tries
	# shellcheck disable=SC2016 # for the inner shell
	setsid unshare --net --uts --mount --propagation slave \
		bash -c 'echo $$ >"$1.new" && mv "$1.new" "$1" && exec sleep 1800' hold "$H/$1.pid" \
		</dev/null >/dev/null 2>&1 3>&- &
	disown
	for tries in {1..500}; do
		[ ! -s "$H/$1.pid" ] || return 0
		sleep 0.01
	done
	echo "no namespaces for $1 after ${tries} looks"
	return 1
}

# root's home is an empty folder, or each login would read this machine's start-up
# files.
cluster_passwd()
{
	sed "s#^\(root:.*:\)[^:]*:[^:]*\$#\1$H/home:$2#" /etc/passwd >"$H/of/$1/passwd.new"
	# In place: the file is mounted.
	cat "$H/of/$1/passwd.new" >"$H/of/$1/passwd"
}

cluster_host()
{
	local host=$1 number=${1#h} pid
	cluster_hold "$host" || return
	pid=$(cat "$H/$host.pid")
	mkdir -p "$H/of/$host"
	echo "$host" >"$H/of/$host/hostname"
	cluster_passwd "$host" /bin/bash
	nsenter -t "$(cat "$H/switch.pid")" -n sh -ec "
		ip link add port$number type veth peer name eth0 netns $pid
		ip link set port$number master br0 up" || return
	nsenter -t "$pid" -n -u -m sh -ec "
		hostname $host
		ip addr add $CLUSTER_NET.$((10 + number))/24 dev eth0
		ip link set lo up
		ip link set eth0 up
		mount --bind '$H/hosts' /etc/hosts
		mount --bind '$H/of/$host/passwd' /etc/passwd
		mount --bind '$H/of/$host' '$H/here'"
}

# cluster_up N: h0 to hN.
cluster_up()
{
	local i
	[ -z "$(cluster_missing)" ] || return 0
	export H=$BATS_FILE_TMPDIR/hosts
	mkdir -p "$H/here" "$H/of" "$H/home"
	echo "127.0.0.1 localhost" >"$H/hosts"
	for ((i = 0; i <= $1; i++)); do
		echo "$CLUSTER_NET.$((10 + i)) h$i"
	done >>"$H/hosts"
	cluster_hold switch || return
	nsenter -t "$(cat "$H/switch.pid")" -n sh -ec '
		ip link add br0 type bridge
		ip link set br0 up' || return
	for ((i = 0; i <= $1; i++)); do
		cluster_host "h$i" || return
	done
}

# The processes of HOST, its keeper among them.
cluster_processes()
{
	local net
	net=$(readlink "/proc/$(cat "$H/$1.pid")/ns/net") || return 0
	stat -c "%n %N" /proc/[0-9]*/ns/net 2>/dev/null | grep -F "'$net'" | cut -d/ -f3
}

# Whatever still runs on a host ends with it.
cluster_down()
{
	local file
	[ -n "${H-}" ] && [ -d "$H" ] || return 0
	for file in "$H"/*.pid; do
		file=${file##*/}
		# shellcheck disable=SC2046 # a word each
		kill -KILL $(cluster_processes "${file%.pid}") 2>/dev/null || true
	done
}

# cluster_two_nodes HOST CPU CPU: there node 0 has one cpu, node 1 the other, as
# $H/here/machine says; $H/here/ledger is its own ledger.
cluster_two_nodes()
{
	mkdir -p "$H/of/$1/ledger"
	printf 'evenkeel-machine 1\nnode 0 cpus %s\nnode 1 cpus %s\n' "$2" "$3" \
		>"$H/of/$1/machine"
}

# Jobs of this test run on h0, and each host plans by its own machine file: on h2, h4
# ... the two nodes are the other way round than on h1, h3 ...
cluster_setup()
{
	local file number
	cluster_needs
	preload_setup
	HIDDEN=()
	for file in "$H"/of/h*; do
		number=${file##*/h}
		if ((number % 2)); then
			cluster_two_nodes "h$number" "$CPU0" "$CPU1"
		else
			cluster_two_nodes "h$number" "$CPU1" "$CPU0"
		fi
	done
	on_host h0
	OURS=(EVENKEEL_MACHINE="$H/here/machine" EVENKEEL_LEDGER="$H/here/ledger")
}

# hide_library HOST [FILE]: the library of this build is not on HOST, until the test
# calls cluster_show_library as it ends; or FILE is in its place.
hide_library()
{
	on "$1" mount -t tmpfs none "${EK_LIB%/*}"
	HIDDEN+=("$1")
	[ $# = 1 ] || on "$1" cp "$2" "$EK_LIB"
}

cluster_show_library()
{
	local host
	for host in "${HIDDEN[@]}"; do
		on "$host" umount "${EK_LIB%/*}"
	done
}

# --- ssh ----------------------------------------------------------------------

cluster_needs_ssh()
{
	cluster_needs
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	command -v ssh >/dev/null || skip "ssh is not installed"
}

cluster_sshd_config()
{
	cat <<-EOF
		ListenAddress $CLUSTER_NET.$((10 + ${1#h})):22
		HostKey $H/ssh/hostkey
		PidFile $H/ssh/$1.pid
		AuthorizedKeysFile $H/ssh/id.pub
		PermitRootLogin prohibit-password
		PasswordAuthentication no
		UsePAM no
		StrictModes no
		PrintMotd no
		UseDNS no
		MaxStartups 100
	EOF
}

# An sshd on every host. $H/ssh/ssh logs in everywhere without a question.
cluster_ssh_up()
{
	local host file
	[ -n "${H-}" ] && [ -x /usr/sbin/sshd ] || return 0
	mkdir -p "$H/ssh" /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$H/ssh/hostkey" || return
	ssh-keygen -q -t ed25519 -N '' -f "$H/ssh/id" || return
	cat >"$H/ssh/config" <<-EOF
		Host *
		User root
		IdentityFile $H/ssh/id
		IdentitiesOnly yes
		UserKnownHostsFile $H/ssh/known_hosts
		GlobalKnownHostsFile /dev/null
		StrictHostKeyChecking yes
		BatchMode yes
		LogLevel ERROR
	EOF
	printf '#!/bin/sh\nexec /usr/bin/ssh -F %s/ssh/config "$@"\n' "$H" >"$H/ssh/ssh"
	chmod +x "$H/ssh/ssh"
	for file in "$H"/of/*; do
		host=${file##*/}
		echo "$host,$CLUSTER_NET.$((10 + ${host#h})) $(cut -d' ' -f1,2 "$H/ssh/hostkey.pub")"
	done >"$H/ssh/known_hosts"
	for file in "$H"/of/*; do
		host=${file##*/}
		cluster_sshd_config "$host" >"$H/ssh/sshd.$host"
		on "$host" /usr/sbin/sshd -f "$H/ssh/sshd.$host" -E "$H/ssh/$host.log" || return
	done
}

# cluster_shell HOST SHELL: root's login shell there.
cluster_shell()
{
	cluster_passwd "$1" "$2"
}
