# A Slurm of its own on the hosts of a test: slurmctld on h0, a slurmd on each of the
# others, a munged for all. Load with: load "$EK_SRC/tests/clusters/slurm_help.bash"
#
# A test file calls slurm_up after cluster_up in setup_file, and slurm_down before
# cluster_down in teardown_file.
load "$EK_SRC/tests/clusters/cluster_help.bash"

# Why there can be no Slurm here; empty when there can.
slurm_missing()
{
	local tool
	cluster_missing | grep . && return
	for tool in munged slurmctld slurmd srun salloc sbatch sinfo; do
		command -v $tool >/dev/null || { echo "$tool is not installed" && return; }
	done
	grep -qs . /sys/fs/cgroup/cgroup.controllers /sys/fs/cgroup/*/tasks ||
		echo "slurmd wants cgroups under /sys/fs/cgroup"
}

slurm_needs()
{
	local why
	why=$(slurm_missing)
	[ -z "$why" ] || skip "$why"
	[ -z "$(cat "$S/failed" 2>/dev/null)" ] || { cat "$S/failed" && false; }
}

# slurm_config TASKPLUGIN CPUS: with more CPUS than the machine has, tasks of one host
# can be more than its cpus; task/affinity needs the true number.
slurm_config()
{
	cat <<-EOF
		ClusterName=evenkeel
		SlurmctldHost=h0($CLUSTER_NET.10)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$S/munge.socket
		CredType=cred/munge
		SlurmctldPidFile=$S/slurmctld.pid
		SlurmdPidFile=$S/slurmd.%n.pid
		SlurmctldLogFile=$S/slurmctld.log
		SlurmdLogFile=$S/slurmd.%n.log
		StateSaveLocation=$S/state
		SlurmdSpoolDir=$S/spool.%n
		TmpFS=$S/tmp.%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=$1
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ReturnToService=2
		SlurmdParameters=config_overrides
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SwitchType=switch/none
		SchedulerType=sched/backfill
		InactiveLimit=0
		KillWait=2
		MessageTimeout=20
		PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP OverSubscribe=FORCE:4
	EOF
	for ((i = 1; i <= SLURM_HOSTS; i++)); do
		echo "NodeName=h$i NodeAddr=$CLUSTER_NET.$((10 + i)) CPUs=$2 Sockets=1" \
			"CoresPerSocket=$2 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN"
	done
}

# slurm_run HOST COMMAND...: a server on HOST, for half an hour at most, whatever becomes
# of the test.
slurm_run()
{
	local ON
	on_host "$1"
	shift
	"${ON[@]}" setsid timeout -k 5 1800 "$@" </dev/null >/dev/null 2>&1 3>&- 4>&- &
	disown
}

slurm_start()
{
	local i
	head -c 1024 /dev/urandom >"$S/munge.key" && chmod 600 "$S/munge.key"
	slurm_run h0 munged --foreground --force --key-file="$S/munge.key" \
		--socket="$S/munge.socket" --pid-file="$S/munged.pid" \
		--log-file="$S/munged.log" --seed-file="$S/munge.seed"
	for i in {1..150}; do
		[ ! -S "$S/munge.socket" ] || break
		sleep 0.1
	done
	slurm_run h0 slurmctld -D
	for ((i = 1; i <= SLURM_HOSTS; i++)); do
		slurm_run h$i slurmd -D
	done
	for i in {1..300}; do
		[ "$(on h0 timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" != "$SLURM_HOSTS" ] || return 0
		sleep 0.1
	done
	on h0 timeout 5 sinfo
	return 1
}

# slurm_up HOSTS TASKPLUGIN [CPUS]
slurm_up()
{
	local i
	[ -z "$(slurm_missing)" ] || return 0
	export S=$BATS_FILE_TMPDIR/slurm SLURM_HOSTS=$1
	export SLURM_CONF=$S/slurm.conf
	mkdir -p "$S/state"
	for ((i = 1; i <= $1; i++)); do
		mkdir -p "$S/tmp.h$i" "$S/spool.h$i"
	done
	slurm_config "$2" "${3-$(nproc)}" >"$SLURM_CONF"
	slurm_start >"$S/failed" 2>&1 && : >"$S/failed"
}

# Ends NAME by its file and waits until it is gone; a zombie is.
slurm_end()
{
	local file=$S/$1.pid pid i
	[ -s "$file" ] || return 0
	pid=$(cat "$file")
	kill "$pid" 2>/dev/null || return 0
	for i in {1..100}; do
		[ -e "$file" ] || return 0
		sleep 0.05
	done
	kill -KILL "$pid" 2>/dev/null || true
}

slurm_down()
{
	local i
	[ -n "${S-}" ] && [ -d "$S" ] || return 0
	for ((i = 1; i <= SLURM_HOSTS; i++)); do
		slurm_end slurmd.h$i
	done
	slurm_end slurmctld
	slurm_end munged
}

# Jobs of this test run on h0. Files are told by the rank in the whole job: two ranks
# on h1, then two on h2.
slurm_setup()
{
	cluster_setup
	VARS=(VICTIM_GLOBAL=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
	RANKS=(0 1 2 3)
	NODE_OF=("$CPU0" "$CPU1" "$CPU1" "$CPU0")
}

# placed node|plain MODE...: as without us but for the masks, which are those.
placed()
{
	local masks=$1 mode
	shift
	for mode in "$@"; do
		job_same "$mode" "${SEEN[@]}" || return
		job_masks "$mode" main "$masks" || return
	done
}
