#include "launcher/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/cli.h"
#include "launcher/crowd.h"

/* A look every 100 ms, sooner at the start for the sake of short jobs, and
 * never so often that it takes more than a twentieth of one cpu. */
#define INTERVAL_FIRST_NS 10000000ll
#define INTERVAL_NS 100000000ll
#define COST_PARTS 20

/* The signal that asked us to stop. Written by on_stop, once. */
static volatile sig_atomic_t stop_signal;
/* When our child last ended. Written by on_child alone; a trial reads it when
 * its child has been waited for. */
static struct timespec child_ended;

struct victim {
	pid_t pid;
	uint64_t start;
};

/* A trial on its way. */
struct run {
	struct trial *trial;
	struct arena *arena;
	pid_t child;
	int output; /* read end; -1 = closed */
	char *buf;  /* malloc'ed */
	size_t len, room;
	long long started, deadline; /* ns; deadline 0 = none */
	long long next, interval;    /* of looks */
	bool watched;
	struct placement_watch watch;
	long long kill_at; /* ns; 0 = nobody was asked to end */
	unsigned int nvictims, victim_room;
	struct victim *victims; /* what it had started when it was asked to end */
};

static long long in_ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return in_ns(&t);
}

/* Time that we ourselves have taken: a look on a busy host may last long and cost
 * little. */
static long long own_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return in_ns(&t);
}

/* --- signals -------------------------------------------------------------------- */

static void on_stop(int signal)
{
	if (!stop_signal)
		stop_signal = signal;
}

/* The end is timed here, for a look may be under way when it comes. */
static void on_child(int signal)
{
	(void)signal;
	clock_gettime(CLOCK_MONOTONIC, &child_ended);
}

void trial_take_signals(void)
{
	static const int stopping[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction act = { .sa_handler = on_stop }, old;

	for (size_t i = 0; i < sizeof(stopping) / sizeof(*stopping); i++)
		if (sigaction(stopping[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(stopping[i], &act, NULL);
	act.sa_handler = on_child;
	act.sa_flags = SA_NOCLDSTOP;
	sigaction(SIGCHLD, &act, NULL);
}

int trial_stop_signal(void)
{
	return stop_signal;
}

void trial_pause(double seconds)
{
	long long end = now_ns() + (long long)(seconds * 1e9), left;

	while (!stop_signal && (left = end - now_ns()) > 0) {
		struct timespec t = { .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };

		/* A signal may come in between: look again before long. */
		if (left > INTERVAL_NS)
			t = (struct timespec){ .tv_nsec = INTERVAL_NS };
		nanosleep(&t, NULL);
	}
}

/* --- the child -------------------------------------------------------------------- */

static void run_child(const struct trial_request *q, int output, int error)
{
	struct sigaction act = { .sa_handler = SIG_DFL };
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	sigaction(SIGCHLD, &act, NULL);
	if (null >= 0)
		dup2(null, 0);
	dup2(output, 1);
	dup2(output, 2);
	execvpe(q->argv[0], q->argv, q->envp);
	null = errno;
	if (write(error, &null, sizeof(null)) < 0)
		_exit(CLI_OWN_FAILURE);
	_exit(CLI_CANNOT_RUN);
}

static int start(struct run *r, const struct trial_request *q)
{
	int output[2], errors[2], error;

	if (pipe2(output, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(output[0]);
		close(output[1]);
		return -1;
	}
	r->started = now_ns();
	r->child = fork();
	if (r->child == 0)
		run_child(q, output[1], errors[1]);
	error = errno;
	/* Both sides do it, for either may be first. */
	if (r->child > 0)
		setpgid(r->child, r->child);
	close(output[1]);
	close(errors[1]);
	r->output = output[0];
	/* Ends without a byte when exec has closed the other end. */
	if (r->child > 0)
		while (read(errors[0], &r->trial->exec_error, sizeof(int)) < 0 && errno == EINTR)
			;
	close(errors[0]);
	if (r->child < 0) {
		close(r->output);
		errno = error;
		return -1;
	}
	fcntl(r->output, F_SETFL, O_NONBLOCK);
	return 0;
}

/* --- its output -------------------------------------------------------------------- */

static bool make_room(struct run *r)
{
	size_t half = TRIAL_OUTPUT_MAX / 2;
	char *more;

	if (r->len < r->room)
		return true;
	if (r->room >= TRIAL_OUTPUT_MAX) {
		memmove(r->buf, r->buf + half, r->len - half);
		r->len -= half;
		r->trial->output_cut = true;
		return true;
	}
	more = realloc(r->buf, r->room ? 2 * r->room : 1u << 16);
	if (!more)
		return false;
	r->buf = more;
	r->room = r->room ? 2 * r->room : 1u << 16;
	return true;
}

/* Takes what is there; a command that never stops writing must not keep us. */
static void drain(struct run *r)
{
	for (unsigned int i = 0; i < 256 && r->output >= 0 && make_room(r); i++) {
		ssize_t got = read(r->output, r->buf + r->len, r->room - r->len);

		if (got > 0) {
			r->len += (size_t)got;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 || errno != EAGAIN) {
			close(r->output);
			r->output = -1;
		}
		return;
	}
}

static int keep_output(struct run *r)
{
	struct trial *t = r->trial;

	t->output = arena_alloc(r->arena, r->len + 1);
	if (!t->output)
		return -1;
	if (r->len)
		memcpy(t->output, r->buf, r->len);
	for (size_t i = 0; i < r->len; i++)
		if (!t->output[i])
			t->output[i] = '?';
	t->output_len = r->len;
	return 0;
}

/* --- its end ------------------------------------------------------------------------ */

/* All that the child has started and that still hangs on it. Hydra's ranks are
 * groups of their own, so a signal to the child's group does not reach them. */
static void note_victims(struct run *r)
{
	struct crowd c = { .arena = r->arena };

	if (crowd_read(&c) < 0)
		return;
	for (unsigned int i = 0; i < c.n; i++) {
		struct victim *more;

		if (!crowd_below(&c, &c.procs[i], r->child))
			continue;
		more =
		    crowd_grow(r->arena, r->victims, r->nvictims, &r->victim_room, sizeof(*more));
		if (!more)
			return;
		r->victims = more;
		r->victims[r->nvictims++] = (struct victim){ c.procs[i].pid, c.procs[i].start };
	}
}

static void kill_victims(const struct run *r)
{
	kill(-r->child, SIGKILL);
	for (unsigned int i = 0; i < r->nvictims; i++)
		if (proc_alive(r->victims[i].pid, r->victims[i].start))
			kill(r->victims[i].pid, SIGKILL);
}

/* Ends the run when its time is up or we are asked to stop. */
static void mind_the_end(struct run *r)
{
	long long now = now_ns();

	if (!r->kill_at && (stop_signal || (r->deadline && now >= r->deadline))) {
		r->trial->stopped = stop_signal;
		r->trial->timed_out = !stop_signal;
		note_victims(r);
		r->kill_at = now + TRIAL_GRACE_S * 1000000000ll;
		kill(-r->child, SIGTERM);
	} else if (r->kill_at && now >= r->kill_at) {
		note_victims(r);
		kill_victims(r);
		r->kill_at = now + INTERVAL_NS;
	}
}

static void look(struct run *r)
{
	long long begin = now_ns(), cost = own_ns();

	if (!r->watched || begin < r->next)
		return;
	placement_look(&r->watch, (double)(begin - r->started) * 1e-9);
	cost = COST_PARTS * (own_ns() - cost);
	r->interval = r->interval * 2 < INTERVAL_NS ? r->interval * 2 : INTERVAL_NS;
	r->next = now_ns() + (cost > r->interval ? cost : r->interval);
}

/* Milliseconds until something is to be done, at least 1. */
static int patience(const struct run *r)
{
	long long now = now_ns(), next = now + INTERVAL_NS;

	if (r->watched && r->next < next)
		next = r->next;
	if (r->deadline && r->deadline < next)
		next = r->deadline;
	return next > now ? (int)((next - now) / 1000000) + 1 : 1;
}

/* Waits for the child, and for nothing that it may have left behind. */
static void wait_for_end(struct run *r)
{
	struct rusage used;
	pid_t got;

	while ((got = wait4(r->child, &r->trial->status, WNOHANG, &used)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		struct pollfd p = { .fd = r->output, .events = POLLIN };

		poll(&p, 1, patience(r));
		drain(r);
		mind_the_end(r);
		look(r);
	}
	drain(r);
	if (got < 0)
		return;
	r->trial->wall_s = (double)(in_ns(&child_ended) - r->started) * 1e-9;
	r->trial->user_s = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6;
	r->trial->system_s = (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec * 1e-6;
	r->trial->switches = used.ru_nivcsw;
	/* Those that outlive it after we have ended it disturb the next run. */
	if (r->kill_at)
		kill_victims(r);
}

int trial_run(struct trial *t, struct arena *a, const struct trial_request *q)
{
	struct run r = { .trial = t, .arena = a, .interval = INTERVAL_FIRST_NS };
	int result;

	memset(t, 0, sizeof(*t));
	t->placement.remote_share = NAN;
	if (start(&r, q) < 0)
		return -1;
	r.next = r.started + r.interval;
	if (q->timeout_s > 0)
		r.deadline = r.started + (long long)(q->timeout_s * 1e9);
	r.watched = q->machine && !t->exec_error &&
		    placement_init(&r.watch, a, q->machine, q->allowed, q->plan, q->ledger,
				   q->pages, r.child) == 0;
	wait_for_end(&r);
	if (r.watched)
		t->placement = placement_finish(&r.watch);
	result = keep_output(&r);
	if (r.output >= 0)
		close(r.output);
	free(r.buf);
	return result;
}
