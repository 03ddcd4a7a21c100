#!/usr/bin/env bats
# What others can do to us: other users, set-uid programs, other PID namespaces.
# docs/security.md says what is promised.

load "$EK_SRC/tests/faults/faults_help.bash"

setup() { faults_setup; }
teardown() { [ -z "${W-}" ] || rm -rf "$W"; }

# A world-writable folder with the sticky bit, as /dev/shm is, and its way there open
# to all: W. The ledger there is LEDGER.
shared_folder()
{
	W=$(mktemp -d "${TMPDIR:-/tmp}/evenkeel-XXXXXX")
	chmod 755 "$W"
	mkdir -m 1777 "$W/shm"
	LEDGER=$W/shm/${LEDGER##*/}
	OURS=(EVENKEEL_LEDGER="$W/shm")
}

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

needs_nobody()
{
	needs_root
	as_nobody true 2>/dev/null || skip "setpriv cannot become nobody"
}

# The kernel's own help (fs.protected_*) is not to be what saves us: it is off here or
# comes on top.
@test "a ledger is its owner's alone, whatever the umask" {
	local mask
	shared_folder
	for mask in 000 022 077; do
		rm -f "$LEDGER"
		WITH=(bash -c "umask $mask; exec \"\$@\"" bash)
		job_run held "${WITH[@]}" "${JOB[@]}"
		[ "$(stat -c '%a %u %F' "$LEDGER")" = "600 $(id -u) regular file" ]
	done
}

@test "another user can neither read nor fill nor lock nor delete a ledger" {
	local file
	needs_nobody
	shared_folder
	job_run held "${JOB[@]}"
	[ -s "$LEDGER" ]
	cp "$LEDGER" "$T/was"
	cp "$F/lock" "$W/lock"
	! as_nobody cat "$LEDGER" || return 1
	! as_nobody sh -c "echo x >>'$LEDGER'" || return 1
	! as_nobody "$W/lock" "$LEDGER" true || return 1
	! as_nobody rm -f "$LEDGER" || return 1
	! as_nobody mv "$LEDGER" "$LEDGER.old" || return 1
	cmp "$T/was" "$LEDGER"
}

# squats COMMANDS: nobody runs them where the ledger will be, and the job does not
# mind.
squats()
{
	rm -rf "$LEDGER" "$T"/{plain,held,settled}
	as_nobody sh -c "$1" sh "$LEDGER" "$W"
	fault node "${JOB[@]}"
}

@test "another user who takes a ledger's name first gets no job to use what is there" {
	needs_nobody
	shared_folder
	echo precious >"$W/precious"
	chmod 600 "$W/precious"
	squats 'echo mine >$1; chmod 666 $1'
	[ "$(cat "$LEDGER")" = mine ]
	squats 'truncate -s 1T $1'
	squats 'mkdir $1; chmod 777 $1'
	[ -z "$(ls -A "$LEDGER")" ]
	squats 'mkfifo -m 666 $1'
	squats 'ln -s $2/precious $1'
	squats 'ln -s $2/created $1'
	squats 'ln -s /dev/zero $1'
	squats 'ln -s $1 $1'
	[ "$(cat "$W/precious")" = precious ]
	[ ! -e "$W/created" ]
}

@test "another user who links a file of the user's to the ledger's name gets it left alone" {
	needs_nobody
	shared_folder
	echo precious >"$W/shm/precious"
	chmod 600 "$W/shm/precious"
	# Where fs.protected_hardlinks forbids it to nobody, root does it for them.
	as_nobody ln "$W/shm/precious" "$LEDGER" 2>/dev/null || ln "$W/shm/precious" "$LEDGER"
	fault node "${JOB[@]}"
	[ "$(cat "$W/shm/precious")" = precious ]
}

@test "another user's jobs are no part of a ledger, nor its name" {
	needs_nobody
	shared_folder
	job_run held "${JOB[@]}"
	cp "$LEDGER" "$T/was"
	mkdir -m 755 "$W/bin"
	cp "$EK_LIB" "$V/quiet" "$W/bin"
	(cd "$W/bin" && as_nobody env -i PATH="$PATH" LD_PRELOAD="$W/bin/libevenkeel.so" \
		EVENKEEL_MACHINE="$TWO_NODES" EVENKEEL_LEDGER="$W/shm" "$EK_MPIEXEC" -n 2 ./quiet) >"$T/out"
	grep -q 'quiet rank 1' "$T/out"
	cmp "$T/was" "$LEDGER"
	[ "$(stat -c '%a %u' "$W/shm/evenkeel-65534-${LEDGER##*-}")" = '600 65534' ]
}

@test "another user who renames a shared folder's file under us harms nobody" {
	# No sticky bit: they may delete and replace, again and again.
	needs_nobody
	shared_folder
	chmod 777 "$W/shm"
	echo precious >"$W/precious"
	# It ends with the test's folder, whoever ends the test.
	# shellcheck disable=SC2016 # for nobody's shell
	as_nobody sh -c 'while sleep 0.001 && [ -e "$2/precious" ]; do rm -rf $1; ln -s $2/precious $1; rm -rf $1; mkfifo $1
		rm -rf $1; mkdir $1; done' sh "$LEDGER" "$W" 2>/dev/null 3>&- &
	HOLDER=$!
	for _ in 1 2 3 4 5; do
		rm -rf "$T"/{plain,held,settled}
		fault node "${JOB[@]}"
	done
	kill "$HOLDER"
	wait "$HOLDER" || true
	[ "$(cat "$W/precious")" = precious ]
}

# --- set-uid programs ---

# secure_copy NAME [MODE]: the program linked with our library, nobody's and set-uid.
secure_copy()
{
	"$EK_CC" -o "$W/$1" "$EK_SRC/tests/faults/secure.c" -D_GNU_SOURCE -Wl,--no-as-needed \
		-Wl,--disable-new-dtags,-rpath,"$W/lib" "$W/lib/libevenkeel.so" &&
		chown nobody "$W/$1" && chmod "${2-4755}" "$W/$1"
}

needs_set_uid()
{
	needs_nobody
	shared_folder
	mkdir -m 755 "$W/lib"
	cp "$EK_LIB" "$W/lib"
	secure_copy secure || skip "no program can be linked with the library here"
	[ "$("$W/secure")" = "secure 1, $(nproc) cpus" ] || skip "set-uid programs have no privileges here"
}

@test "a set-uid rank places nothing, writes nothing, opens nothing that its environment names" {
	needs_set_uid
	secure_copy plain 755
	mkdir -m 777 "$W/ledger"
	tr ';' '\n' <<<"$TWO_NODES" >"$W/machine"
	export OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=job
	export EVENKEEL_LEDGER=$W/ledger EVENKEEL_MACHINE=$W/machine EVENKEEL_VERBOSE=2
	# Only under a launcher's daemon is it a rank. The same without the bit is
	# placed, and has a ledger.
	ln -s "$(command -v bash)" "$W/orted"
	# shellcheck disable=SC2016 # for the daemon's shell
	[ "$("$W/orted" -c '"$0"; :' "$W/plain" 2>/dev/null)" = "secure 0, 1 cpus" ]
	[ -n "$(ls -A "$W/ledger")" ]
	rm "$W"/ledger/*
	# shellcheck disable=SC2016
	[ "$("$W/orted" -c '"$0"; :' "$W/secure" 2>&1)" = "secure 1, $(nproc) cpus" ]
	[ -z "$(ls -A "$W/ledger")" ]
	EVENKEEL_RANK="1:settle:x:1:1:1:0:0:" "$W/secure" >"$T/out" 2>&1
	[ "$(cat "$T/out")" = "secure 1, $(nproc) cpus" ]
}

@test "a set-uid program under a daemon's name does nothing of ours" {
	local mask=(/bin/sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	needs_set_uid
	export EVENKEEL_LEDGER=$W/ledger EVENKEEL_MACHINE=$TWO_NODES MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2
	mkdir -m 777 "$W/ledger"
	# The same without the bit places what it starts.
	secure_copy hydra_pmi_proxy 755
	[ "$("$W/hydra_pmi_proxy" "${mask[@]}")" = "secure 0, $(nproc) cpus
$CPU1" ]
	rm "$W"/ledger/*
	secure_copy hydra_pmi_proxy
	[ "$("$W/hydra_pmi_proxy" "${mask[@]}")" = "secure 1, $(nproc) cpus
$CPUS" ]
	[ -z "$(ls -A "$W/ledger")" ]
}

# --- what grows ---

@test "a hundred jobs leave one file of some bytes" {
	local i
	shared_folder
	for ((i = 0; i < 100; i++)); do
		LD_PRELOAD=$EK_LIB EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_LEDGER=$W/shm EVENKEEL_WIDTH=1 \
			"$EK_MPIEXEC" -n 2 true
	done
	[ "$(ls -A "$W/shm")" = "${LEDGER##*/}" ]
	# Of jobs whose daemon is younger than ten seconds there may be some.
	[ "$(stat -c %s "$LEDGER")" -lt $((32 + 101 * 80)) ]
}

@test "each PID namespace has a ledger of its own" {
	needs_root
	unshare -pf --mount-proc true 2>/dev/null || skip "no PID namespace is to be had"
	shared_folder
	job_run held "${JOB[@]}"
	cp "$LEDGER" "$T/was"
	rm -rf "$T/held"
	WRAP=(unshare -pf --mount-proc)
	job_run held "${WRAP[@]}" "${JOB[@]}"
	[ "$(cat "$T/held/status")" = 0 ]
	[ "$(cat "$T/held/0.main")" = "$CPU0" ] && [ "$(cat "$T/held/3.main")" = "$CPU1" ]
	cmp "$T/was" "$LEDGER"
	[ "$(ls -A "$W/shm" | wc -l)" = 2 ]
}

# A number is used again when its namespace is gone, so that files are no more than
# there were namespaces at a time.
@test "PID namespaces one after the other leave few files" {
	local i
	needs_root
	unshare -pf --mount-proc true 2>/dev/null || skip "no PID namespace is to be had"
	shared_folder
	for i in {1..20}; do
		LD_PRELOAD=$EK_LIB EVENKEEL_MACHINE=$TWO_NODES EVENKEEL_LEDGER=$W/shm \
			unshare -pf --mount-proc "$EK_MPIEXEC" -n 2 true
	done
	ls -A "$W/shm"
	[ "$(ls -A "$W/shm" | wc -l)" -le 10 ]
}
