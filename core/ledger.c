#include "core/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/ledger_format.h"
#include "core/proc.h"

#define NS_PER_S 1000000000
#define NS_PER_MS 1000000
/* A holder needs some 100 us; the pause grows so that many who wait do not eat
 * the cpu it needs. */
#define PAUSE_FIRST_NS 200000
#define PAUSE_LAST_NS 3200000

static int content_read(struct ledger *l, uint64_t size)
{
	unsigned char *text;
	size_t len = 0;

	l->was_size = size;
	if (size > LEDGER_SIZE_MAX)
		return 0;
	text = arena_alloc(l->arena, size);
	if (!text)
		return -1;
	while (len < size) {
		ssize_t n = pread(l->fd, text + len, size - len, (off_t)len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	l->was = text;
	l->was_size = len;
	return ledger_format_decode(l, text, len) < 0 && errno != EBADMSG ? -1 : 0;
}

/* The old content is overwritten in place, head first, so a writer that is
 * killed leaves a checksum that does not fit. What can be refused is refused
 * before the first byte: then the file stays as it was. */
static int content_write(const struct ledger *l)
{
	size_t size = ledger_format_size(l), done = 0;
	unsigned char *text = arena_alloc(l->arena, size);
	struct rlimit limit;

	if (!text)
		return -1;
	ledger_format_encode(l, text, size);
	if (size == l->was_size && memcmp(text, l->was, size) == 0)
		return 0;
	/* Writing past the limit would kill the process with SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size) {
		errno = EFBIG;
		return -1;
	}
	/* Not every file system can do this; a full one is what matters. */
	if (fallocate(l->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size) < 0 &&
	    (errno == ENOSPC || errno == EDQUOT))
		return -1;
	while (done < size) {
		ssize_t n = pwrite(l->fd, text + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return ftruncate(l->fd, (off_t)size);
}

static bool daemon_young(uint64_t start)
{
	long per_s = sysconf(_SC_CLK_TCK);
	struct timespec now;
	uint64_t ticks;

	if (per_s <= 0 || per_s > NS_PER_S || clock_gettime(CLOCK_BOOTTIME, &now) < 0)
		return false;
	ticks = (uint64_t)now.tv_sec * (uint64_t)per_s +
		(uint64_t)now.tv_nsec / (uint64_t)(NS_PER_S / per_s);
	return ticks < start || ticks - start < (uint64_t)per_s * LEDGER_YOUNG_S;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* What this thread itself has used: a busy host is no reason to look at less. */
static int64_t work_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* A process id that is in use again takes a way through /proc, and a file may
 * name 87,000 of those: who is not looked at by deadline lives on until next time. */
static bool process_lives(int32_t pid, uint64_t start, int64_t deadline)
{
	struct proc_stat st;

	/* Spares the way through /proc for nearly all that are dead. */
	if (pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH))
		return false;
	if (work_ns() >= deadline || proc_alive(pid, start))
		return true;
	/* Our own want is no sign of another's death. */
	return proc_stat_read(&st, pid) < 0 &&
	       (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
}

static bool job_lives(const struct ledger_job *job, int64_t deadline)
{
	for (uint32_t i = 0; i < job->nranks; i++)
		if (process_lives(job->slots[i].pid, job->slots[i].start, deadline))
			return true;
	return daemon_young(job->key.start) &&
	       process_lives(job->key.pid, job->key.start, deadline);
}

static void jobs_sweep(struct ledger *l)
{
	int64_t deadline = work_ns() + (int64_t)LEDGER_SWEEP_MS * NS_PER_MS;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < l->njobs; i++)
		if (job_lives(&l->jobs[i], deadline))
			l->jobs[kept++] = l->jobs[i];
	l->njobs = kept;
}

static void name_text(char *buf, size_t size, size_t *len, const char *text)
{
	for (; *text; text++, (*len)++)
		if (*len < size)
			buf[*len] = *text;
}

static void name_number(char *buf, size_t size, size_t *len, unsigned long n)
{
	char digits[24], *p = digits + sizeof(digits);

	*--p = '\0';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	name_text(buf, size, len, p);
}

static unsigned long pid_namespace(void)
{
	static const char head[] = "pid:[";
	char link[64];
	ssize_t len = readlink("/proc/self/ns/pid", link, sizeof(link));
	unsigned long n = 0;

	if (len < (ssize_t)sizeof(head) || memcmp(link, head, sizeof(head) - 1) != 0)
		return 0;
	for (ssize_t i = sizeof(head) - 1; i < len && link[i] >= '0' && link[i] <= '9'; i++)
		n = n * 10 + (unsigned long)(link[i] - '0');
	return n;
}

static bool dir_usable(const char *dir, bool own)
{
	struct stat st;

	if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || access(dir, W_OK | X_OK) < 0)
		return false;
	/* A runtime folder is to be 0700 (XDG base directories). That also keeps
	 * /tmp out when it is root's job. */
	return !own || (st.st_uid == geteuid() && !(st.st_mode & 077));
}

/* By hand: getenv may take a lock. */
static const char *runtime_dir(void)
{
	static const char name[] = "XDG_RUNTIME_DIR=";

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, sizeof(name) - 1) == 0)
			return *e + sizeof(name) - 1;
	return NULL;
}

static const char *default_dir(void)
{
	const char *dir = "/dev/shm";

	if (dir_usable(dir, false))
		return dir;
	dir = runtime_dir();
	return dir && *dir == '/' && dir_usable(dir, true) ? dir : NULL;
}

int ledger_path(char *buf, size_t size, const char *dir)
{
	int saved = errno;
	size_t len = 0;

	if (!dir)
		dir = default_dir();
	if (!dir) {
		errno = ENOENT;
		return -1;
	}
	name_text(buf, size, &len, dir);
	name_text(buf, size, &len, "/evenkeel-");
	name_number(buf, size, &len, geteuid());
	name_text(buf, size, &len, "-");
	name_number(buf, size, &len, pid_namespace());
	if (len >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	buf[len] = '\0';
	errno = saved;
	return 0;
}

static int lock_wait(int fd, int64_t deadline)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct timespec pause = { .tv_nsec = PAUSE_FIRST_NS };

	while (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (now_ns() >= deadline) {
			errno = ETIMEDOUT;
			return -1;
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		if (pause.tv_nsec < PAUSE_LAST_NS)
			pause.tv_nsec *= 2;
	}
	return 0;
}

/* ESTALE = the file was deleted since it was opened. */
static int file_check(int fd, uint64_t *size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077) ||
	    st.st_nlink > 1) {
		errno = EPERM;
		return -1;
	}
	if (st.st_nlink == 0) {
		errno = ESTALE;
		return -1;
	}
	*size = (uint64_t)st.st_size;
	return 0;
}

/* The file open, locked and checked. It is checked before too, so that nothing
 * of a stranger's is locked, and after since much may happen while waiting. */
static int file_take(const char *path, int64_t deadline, int *fd, uint64_t *size)
{
	int saved;

	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (*fd < 0) {
		/* A symbolic link, a folder, a socket. */
		if (errno == ELOOP || errno == EISDIR || errno == ENXIO)
			errno = EPERM;
		return -1;
	}
	if (file_check(*fd, size) == 0 && lock_wait(*fd, deadline) == 0 &&
	    file_check(*fd, size) == 0)
		return 0;
	saved = errno;
	close(*fd);
	errno = saved;
	*fd = -1;
	return -1;
}

static void file_release(struct ledger *l)
{
	struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
	int saved = errno;

	/* close alone would not do if another thread forked meanwhile: its
	 * child holds the lock's open file too until it execs. */
	fcntl(l->fd, F_OFD_SETLK, &lock);
	close(l->fd);
	l->fd = -1;
	errno = saved;
}

int ledger_open(struct ledger *l, struct arena *a, const char *dir)
{
	int64_t deadline = now_ns() + (int64_t)LEDGER_WAIT_MS * NS_PER_MS;
	int saved = errno, rc;
	char path[PATH_MAX];
	uint64_t size;

	memset(l, 0, sizeof(*l));
	l->fd = -1;
	l->arena = a;
	if (ledger_path(path, sizeof(path), dir) < 0)
		return -1;
	do
		rc = file_take(path, deadline, &l->fd, &size);
	while (rc < 0 && errno == ESTALE && now_ns() < deadline);
	if (rc < 0) {
		if (errno == ESTALE)
			errno = ETIMEDOUT;
		return -1;
	}
	if (content_read(l, size) < 0) {
		file_release(l);
		return -1;
	}
	jobs_sweep(l);
	errno = saved;
	return 0;
}

struct ledger_job *ledger_find(struct ledger *l, const struct ledger_key *key)
{
	for (unsigned int i = 0; i < l->njobs; i++) {
		const struct ledger_key *k = &l->jobs[i].key;

		if (k->pid == key->pid && k->group == key->group && k->start == key->start)
			return &l->jobs[i];
	}
	return NULL;
}

static int jobs_grow(struct ledger *l)
{
	unsigned int room = l->room < 4 ? 8 : l->room * 2;
	struct ledger_job *jobs;

	if (l->njobs < l->room)
		return 0;
	jobs = arena_array(l->arena, room, sizeof(*jobs));
	if (!jobs)
		return -1;
	if (l->njobs)
		memcpy(jobs, l->jobs, l->njobs * sizeof(*jobs));
	l->jobs = jobs;
	l->room = room;
	return 0;
}

int ledger_add(struct ledger *l, const struct ledger_job *job)
{
	struct ledger_job copy = *job;

	if (ledger_find(l, &job->key)) {
		errno = EEXIST;
		return -1;
	}
	if (ledger_format_size(l) + ledger_format_job_size(job) > LEDGER_SIZE_MAX) {
		errno = ENOSPC;
		return -1;
	}
	if (ledger_format_arrays(&copy, l->arena) < 0 || jobs_grow(l) < 0)
		return -1;
	if (job->nnodes)
		memcpy(copy.nodes, job->nodes, job->nnodes * sizeof(*copy.nodes));
	l->jobs[l->njobs++] = copy;
	return 0;
}

struct ledger_slot *ledger_arrive(struct ledger *l, struct ledger_job *job)
{
	struct ledger_job more = *job;

	more.nranks++;
	if (ledger_format_size(l) - ledger_format_job_size(job) + ledger_format_job_size(&more) >
	    LEDGER_SIZE_MAX) {
		errno = ENOSPC;
		return NULL;
	}
	more.slots = arena_array(l->arena, more.nranks, sizeof(*more.slots));
	if (!more.slots)
		return NULL;
	if (job->nranks)
		memcpy(more.slots, job->slots, job->nranks * sizeof(*more.slots));
	*job = more;
	return &job->slots[job->nranks - 1];
}

int ledger_close(struct ledger *l)
{
	int saved = errno, rc;

	if (l->fd < 0)
		return 0;
	rc = content_write(l);
	file_release(l);
	if (rc == 0)
		errno = saved;
	return rc;
}
