/* What may be wrong with the ledger's file, its folder and its system, but for
 * the content: that is in test_ledger_format.c. */
#include "tests/unit/ledger_help.h"

#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#define NOBODY 65534

/* Bytes of format 1, told in core/ledger_format.c; one job of slots alone can
 * fill a file to its last byte. */
enum { HEAD = 32, JOB = 32, SLOT = 12 };

static void make_link_to_nothing(const char *path, const char *other)
{
	assert_int_equal(symlink(other, path), 0);
}

static void make_link_to_ledger(const char *path, const char *other)
{
	bytes_write(other, "x", 1);
	assert_int_equal(symlink(other, path), 0);
}

static void make_fifo(const char *path, const char *other)
{
	(void)other;
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path, const char *other)
{
	(void)other;
	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_socket(const char *path, const char *other)
{
	(void)other;
	assert_int_equal(mknod(path, S_IFSOCK | 0600, 0), 0);
}

static void make_second_link(const char *path, const char *other)
{
	bytes_write(path, "x", 1);
	assert_int_equal(link(path, other), 0);
}

static void make_readable(const char *path, const char *other)
{
	(void)other;
	bytes_write(path, "x", 1);
	assert_int_equal(chmod(path, 0644), 0);
}

static void make_writable(const char *path, const char *other)
{
	(void)other;
	bytes_write(path, "x", 1);
	assert_int_equal(chmod(path, 0620), 0);
}

static void make_foreign(const char *path, const char *other)
{
	(void)other;
	bytes_write(path, "x", 1);
	assert_int_equal(chown(path, NOBODY, NOBODY), 0);
}

static void a_file_that_is_not_ours_alone_is_refused_and_not_touched(void **state)
{
	static const struct {
		const char *what;
		void (*make)(const char *path, const char *other);
	} rows[] = {
		{ "symbolic link to nothing", make_link_to_nothing },
		{ "symbolic link to a file", make_link_to_ledger },
		{ "fifo", make_fifo },
		{ "folder", make_folder },
		{ "socket", make_socket },
		{ "second link", make_second_link },
		{ "readable by others", make_readable },
		{ "writable by the group", make_writable },
		{ "of another owner", make_foreign },
	};
	const struct place *p = *state;
	int next = dup(0);
	char other[300];

	close(next);
	snprintf(other, sizeof(other), "%s/other", p->dir);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct stat before, after;
		struct ledger l;

		if (rows[i].make == make_foreign && geteuid() != 0) {
			print_message("only root can give a file away: not tried\n");
			continue;
		}
		rows[i].make(p->path, other);
		assert_int_equal(lstat(p->path, &before), 0);
		errno = 0;
		if (ledger_open(&l, &a, p->dir) != -1 || errno != EPERM || l.fd != -1)
			fail_msg("%s: errno %d", rows[i].what, errno);
		assert_int_equal(dup(0), next);
		close(next);
		assert_int_equal(lstat(p->path, &after), 0);
		assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode &&
			    before.st_size == after.st_size && before.st_uid == after.st_uid);
		if (rows[i].make == make_link_to_nothing)
			assert_int_equal(access(other, F_OK), -1);
		if (rows[i].make == make_link_to_ledger)
			assert_int_equal(stat(other, &after) < 0 ? -1 : after.st_size, 1);
		assert_int_equal(rows[i].make == make_folder ? rmdir(p->path) : unlink(p->path), 0);
		unlink(other);
		arena_free(&a);
	}
}

static void a_folder_that_cannot_be_used_is_an_error(void **state)
{
	const struct place *p = *state;
	struct arena a = { 0 };
	char path[PATH_MAX];
	struct ledger l;
	pid_t child;

	snprintf(path, sizeof(path), "%s/none", p->dir);
	assert_int_equal(ledger_open(&l, &a, path), -1);
	assert_int_equal(errno, ENOENT);
	bytes_write(path, "x", 1);
	assert_int_equal(ledger_open(&l, &a, path), -1);
	assert_int_equal(errno, ENOTDIR);
	unlink(path);
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(ledger_open(&l, &a, path), -1);
	assert_int_equal(errno, ENAMETOOLONG);

	assert_int_equal(chmod(p->dir, 0555), 0);
	child = fork();
	if (child == 0) {
		if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0)
			_exit(2);
		_exit(ledger_open(&l, &a, p->dir) < 0 && errno == EACCES && l.fd == -1 ? 0 : 3);
	}
	assert_int_equal(process_status(child), 0);
	assert_int_equal(chmod(p->dir, 0700), 0);
	assert_int_equal(access(p->path, F_OK), -1);
	arena_free(&a);
}

static void a_job_that_does_not_fit_is_refused_and_nothing_is_lost(void **state)
{
	static const uint32_t too_many[] = { 8, 9, 1u << 31, UINT32_MAX };
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	uint32_t fill = (LEDGER_SIZE_MAX - HEAD - 3 * JOB) / SLOT - 8;
	struct ledger_job small = job_of(1, 1), large = job_of(2, fill), job;
	struct ledger l;

	open_well(&l, &a, p->dir);
	add_well(&l, &small, slot_of(0));
	add_well(&l, &large, slot_of(0));
	for (size_t i = 0; i < sizeof(too_many) / sizeof(*too_many); i++) {
		job = job_of(3, too_many[i]);
		errno = 0;
		assert_int_equal(ledger_add(&l, &job), -1);
		assert_int_equal(errno, ENOSPC);
		assert_null(ledger_find(&l, &job.key));
	}
	job.nranks = 7;
	add_well(&l, &job, slot_of(0));
	close_well(&l);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 3);
	assert_int_equal(ledger_find(&l, &large.key)->nranks, fill);
	close_well(&l);
	arena_free(&a);
}

static void a_file_of_the_largest_size_is_written_and_read(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = job_of(1, (LEDGER_SIZE_MAX - HEAD - JOB) / SLOT);
	struct ledger l;
	struct stat st;

	open_well(&l, &a, p->dir);
	add_well(&l, &job, slot_of(0));
	close_well(&l);
	assert_int_equal(stat(p->path, &st), 0);
	assert_int_equal(st.st_size, LEDGER_SIZE_MAX);
	assert_int_equal(jobs_seen(p->dir), 1);
	arena_free(&a);
}

static void a_file_size_limit_is_an_error_and_no_signal(void **state)
{
	const struct place *p = *state;
	struct arena a = { 0 };
	unsigned char before[256], after[256];
	size_t len = golden_file(p, before, sizeof(before));
	struct ledger_job more = job_of(1, 1);
	struct ledger l;
	pid_t child = fork();

	if (child == 0) {
		struct rlimit limit = { len, len };

		signal(SIGXFSZ, SIG_DFL);
		if (setrlimit(RLIMIT_FSIZE, &limit) < 0 || ledger_open(&l, &a, p->dir) < 0 ||
		    ledger_add(&l, &more) < 0)
			_exit(2);
		_exit(ledger_close(&l) < 0 && errno == EFBIG && l.fd == -1 ? 0 : 3);
	}
	assert_int_equal(process_status(child), 0);
	assert_int_equal(bytes_read(p->path, after, sizeof(after)), len);
	assert_memory_equal(before, after, len);
	arena_free(&a);
}

/* In a child: mounts of its own, gone with it. */
static bool mounts_apart(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
}

#define NOT_PERMITTED 77

static void check_or_skip(pid_t child)
{
	int status = process_status(child);

	if (status == NOT_PERMITTED) {
		print_message("mounting is not permitted here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* 0, or the number of the step that failed. */
static int full_disk_steps(const char *dir)
{
	struct arena a = { 0 };
	struct ledger_job job = golden_job(), more = job_of(1, 4000);
	struct ledger l;
	char path[300], block[4096] = { 0 };
	int fd;

	if (!mounts_apart() || mount("none", dir, "tmpfs", 0, "size=16k,mode=700") < 0)
		return NOT_PERMITTED;
	if (ledger_open(&l, &a, dir) < 0 || ledger_add(&l, &job) < 0)
		return 1;
	l.jobs[0].slots[0] = slot_of(0);
	if (ledger_close(&l) < 0)
		return 2;
	snprintf(path, sizeof(path), "%s/fill", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		continue;
	if (ledger_open(&l, &a, dir) < 0 || ledger_add(&l, &more) < 0)
		return 3;
	if (ledger_close(&l) == 0 || errno != ENOSPC)
		return 4;
	if (ledger_open(&l, &a, dir) < 0 || l.njobs != 1 || !job_is_golden(l.jobs))
		return 5;
	return 0;
}

static void a_full_file_system_is_an_error_and_the_file_stays(void **state)
{
	const struct place *p = *state;
	pid_t child = fork();

	if (child == 0)
		_exit(full_disk_steps(p->dir));
	check_or_skip(child);
}

static void the_name_tells_user_and_pid_namespace(void **state)
{
	char want[300], buf[300];
	struct stat ns;
	size_t len;

	(void)state;
	assert_int_equal(stat("/proc/self/ns/pid", &ns), 0);
	snprintf(want, sizeof(want), "/some/where/evenkeel-%u-%llu", (unsigned int)geteuid(),
		 (unsigned long long)ns.st_ino);
	len = strlen(want);
	for (size_t size = 0; size <= len; size++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(ledger_path(buf, size, "/some/where"), -1);
		assert_int_equal(errno, ENAMETOOLONG);
		assert_int_equal(buf[size], '#');
	}
	errno = ERRNO_KEPT;
	assert_int_equal(ledger_path(buf, len + 1, "/some/where"), 0);
	assert_int_equal(errno, ERRNO_KEPT);
	assert_string_equal(buf, want);
}

static int name_is(const char *dir)
{
	char want[300], buf[300];

	if (!dir)
		return ledger_path(buf, sizeof(buf), NULL) < 0 && errno == ENOENT;
	return ledger_path(want, sizeof(want), dir) == 0 &&
	       ledger_path(buf, sizeof(buf), NULL) == 0 && strcmp(buf, want) == 0;
}

static int default_folder_steps(const char *dir)
{
	const char *name = "XDG_RUNTIME_DIR";
	struct arena a = { 0 };
	struct ledger l;

	setenv(name, dir, 1);
	if (access("/dev/shm", W_OK | X_OK) == 0 && !name_is("/dev/shm"))
		return 1;
	if (!mounts_apart() || mount("none", "/dev/shm", "tmpfs", MS_RDONLY, NULL) < 0)
		return NOT_PERMITTED;
	if (!name_is(dir) || ledger_open(&l, &a, NULL) < 0 || ledger_close(&l) < 0)
		return 2;
	if (chdir(dir) < 0 || setenv(name, ".", 1) < 0 || !name_is(NULL))
		return 3;
	if (setenv(name, "", 1) < 0 || !name_is(NULL))
		return 4;
	if (setenv(name, "/nowhere/at/all", 1) < 0 || !name_is(NULL))
		return 5;
	if (setenv(name, "/proc/self/stat", 1) < 0 || !name_is(NULL))
		return 6;
	if (setenv(name, dir, 1) < 0 || chmod(dir, 01777) < 0 || !name_is(NULL))
		return 7;
	if (chmod(dir, 0700) < 0 || chown(dir, NOBODY, NOBODY) < 0 || !name_is(NULL))
		return 8;
	if (unsetenv(name) < 0 || setenv("XDG_RUNTIME_DIRS", dir, 1) < 0 || !name_is(NULL))
		return 9;
	if (ledger_open(&l, &a, NULL) == 0 || errno != ENOENT || clearenv() != 0 || !name_is(NULL))
		return 10;
	return 0;
}

static void the_default_folder_is_shm_then_the_users_own_runtime_folder(void **state)
{
	const struct place *p = *state;
	pid_t child = fork();

	if (child == 0)
		_exit(default_folder_steps(p->dir));
	check_or_skip(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_place(a_file_that_is_not_ours_alone_is_refused_and_not_touched),
		test_in_place(a_folder_that_cannot_be_used_is_an_error),
		test_in_place(a_job_that_does_not_fit_is_refused_and_nothing_is_lost),
		test_in_place(a_file_of_the_largest_size_is_written_and_read),
		test_in_place(a_file_size_limit_is_an_error_and_no_signal),
		test_in_place(a_full_file_system_is_an_error_and_the_file_stays),
		test_in_place(the_name_tells_user_and_pid_namespace),
		test_in_place(the_default_folder_is_shm_then_the_users_own_runtime_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
