#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/planning.h"
#include "launcher/preload.h"
#include "launcher/relay.h"
#include "launcher/report.h"

static const char usage[] =
    "Usage: evenkeel run [OPTION...] [--] mpiexec ...\n"
    "Runs a job with its ranks, on every host, placed on NUMA nodes. Options end at the\n"
    "first other argument: those of mpiexec are left alone. A job is never failed for\n"
    "evenkeel's sake.\n"
    "\n"
    "Options:\n"
    "      --width N           cpus that one rank keeps busy; else OMP_NUM_THREADS, else\n"
    "                          SLURM_CPUS_PER_TASK, else not known\n"
    "      --order ORDER       block: neighbouring ranks share a node (default); cyclic\n"
    "      --mode MODE         hold: a rank keeps its node for life (default);\n"
    "                          settle: until MPI is up\n"
    "      --bind BIND         auto (default), node, or slice: its own part of the node,\n"
    "                          as threads that pin themselves want\n"
    "      --mem POLICY        local, bind, interleave or none (default)\n"
    "      --measure on|off    look for load from elsewhere (default on)\n"
    "      --remote on|off     place ranks on other hosts too (default on)\n"
    "      --together          keep a small job on one node where it would stay\n"
    "      --keep              ranks keep the preload\n"
    "      --machine SPEC      live (default), a file (our text, hwloc XML) or an hwloc\n"
    "                          synthetic; its cpus are mapped onto this host's\n"
    "      --kernel VERSION    plan by the rule of this kernel, such as 6.12\n"
    "      --rule NAME         plan by this rule, such as G8 or v4.1\n"
    "      --replace-binding   Open MPI's mpirun does not bind by default, so that its\n"
    "                          ranks are placed; what you ask it for stays\n"
    "      --report            wait for the job, then say where its ranks were, and on\n"
    "                          which hosts they were not placed\n"
    "  -v, --verbose[=LEVEL]   1: a line per job and host, and at the end the hosts; 2, the\n"
    "                          default: a line per rank too\n"
    "  -h, --help              print this page\n"
    "\n"
    "Exit status: the job's (128+n if signal n ended it, with --report or -v); 2 usage, 125\n"
    "evenkeel's own failure, 126 cannot be run, 127 not found.\n";

/* Passed on to the job; a terminal sends INT and QUIT to it directly. */
static const int forwarded[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
#define NFORWARDED (sizeof(forwarded) / sizeof(*forwarded))

/* A sample every 100 ms, sooner at the start for the sake of short jobs, and
 * never so often that it takes more than a twentieth of one cpu. */
#define INTERVAL_FIRST_NS 10000000ll
#define INTERVAL_NS 100000000ll
#define COST_PARTS 20

struct signals {
	int fd; /* of those that we wait for */
	sigset_t old_mask, wanted;
	struct sigaction old_int, old_quit, old_chld, old_pipe;
};

static int refuse_command(const char *command, int error)
{
	struct cli_error err;

	cli_error_set(&err, "'%s': %s", command, strerror(error));
	return cmd_refuse("run", err.text, error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN);
}

/* --- the environment -------------------------------------------------------- */

static int set_environment(struct arena *a, const char *library, char **variables, unsigned int n)
{
	char *value = preload_value(a, library, getenv("LD_PRELOAD"));

	if (!value || setenv("LD_PRELOAD", value, 1) < 0)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		char *eq = strchr(variables[i], '=');

		*eq = '\0';
		if (setenv(variables[i], eq + 1, 1) < 0)
			return -1;
	}
	return 0;
}

/* Cpus per rank were asked for, which Open MPI gives by binding ("--map-by slot:PE=2",
 * "--cpus-per-proc 2"). */
static bool asks_for_cpus(char *const *argv)
{
	for (; *argv; argv++)
		if (strcasestr(*argv, ":pe=") || strcasestr(*argv, ",pe=") ||
		    strstr(*argv, "-cpus-per-"))
			return true;
	return false;
}

/* Open MPI's mpirun binds to cores where nobody asked for anything; these turn that
 * default off in Open MPI 4 and in PRRTE, which Open MPI 5 uses (its documents name
 * them). A value that is there is the user's; options of mpirun come before both. */
static int replace_binding(char *const *argv)
{
	if (asks_for_cpus(argv))
		return 0;
	return setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0) < 0 ||
			       setenv("PRTE_MCA_hwloc_default_binding_policy", "none", 0) < 0
		       ? -1
		       : 0;
}

/* Sets what the job needs to be placed. Whatever is missing for that, the job
 * runs as it would without us. Returns an exit status, CLI_DONE to go on. */
static int prepare(const struct cli *c, struct arena *a, char *const *argv)
{
	unsigned int verbose = c->options.verbose, n;
	struct cli_error err;
	const char *library;
	char **variables;

	if (preload_variables(c, a, &variables, &n, &err) < 0)
		return cmd_refuse("run", err.text, CLI_USAGE);
	library = c->options.off ? NULL : preload_find(a, &err);
	if (c->options.off)
		cli_error_set(&err, "evenkeel is switched off (EVENKEEL=off or the site file)");
	if (!library) {
		if (verbose)
			fprintf(stderr, "evenkeel run: ranks are not placed: %s\n", err.text);
		return CLI_DONE;
	}
	if (verbose > 1)
		fprintf(stderr, "evenkeel run: preloading %s\n", library);
	/* Hosts are told of in lines on standard error, which a report keeps to itself. */
	if (set_environment(a, library, variables, n) < 0 ||
	    (c->report && !verbose && setenv("EVENKEEL_VERBOSE", "1", 1) < 0) ||
	    (c->replace_binding && replace_binding(argv) < 0))
		return cmd_refuse("run", strerror(errno), CLI_OWN_FAILURE);
	return CLI_DONE;
}

/* --- with --report, and with -v ----------------------------------------------- */

static void give_signals_back(const struct signals *s)
{
	sigaction(SIGINT, &s->old_int, NULL);
	sigaction(SIGQUIT, &s->old_quit, NULL);
	sigaction(SIGCHLD, &s->old_chld, NULL);
	sigaction(SIGPIPE, &s->old_pipe, NULL);
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

/* A signal that was ignored when we started stays so, for the job too. 0, or -1 with
 * errno as signalfd gave it; all is as it was then. */
static int take_signals(struct signals *s)
{
	struct sigaction act = { .sa_handler = SIG_IGN }, old;

	sigemptyset(&s->wanted);
	sigaddset(&s->wanted, SIGCHLD);
	for (size_t i = 0; i < NFORWARDED; i++)
		if (sigaction(forwarded[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&s->wanted, forwarded[i]);
	sigprocmask(SIG_BLOCK, &s->wanted, &s->old_mask);
	sigaction(SIGINT, &act, &s->old_int);
	sigaction(SIGQUIT, &act, &s->old_quit);
	/* Who does not read our standard error any more ends the job, not us. */
	sigaction(SIGPIPE, &act, &s->old_pipe);
	/* Ignored SIGCHLD would lose the exit status. */
	act.sa_handler = SIG_DFL;
	sigaction(SIGCHLD, &act, &s->old_chld);
	s->fd = signalfd(-1, &s->wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		give_signals_back(s);
	return s->fd < 0 ? -1 : 0;
}

/* Starts argv. 0 with child, or -1 with errno: what fork or pipe gave, or in
 * *exec_error what exec gave. */
static int start(char **argv, const struct signals *signals, struct relay *relay, pid_t *child,
		 int *exec_error)
{
	int ends[2], error = 0;

	*exec_error = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*child = fork();
	if (*child == 0) {
		give_signals_back(signals);
		relay_child(relay);
		execvp(argv[0], argv);
		error = errno;
		if (write(ends[1], &error, sizeof(error)) < 0)
			_exit(CLI_OWN_FAILURE);
		_exit(CLI_CANNOT_RUN);
	}
	error = errno;
	relay_parent(relay);
	close(ends[1]);
	/* Ends without a byte when exec has closed the other end. */
	if (*child > 0 && read(ends[0], exec_error, sizeof(*exec_error)) > 0)
		waitpid(*child, NULL, 0);
	close(ends[0]);
	errno = error;
	return *child < 0 || *exec_error ? -1 : 0;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Time that we ourselves have taken: a sample on a busy host may last long and
 * cost little. */
static long long own_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Waits for signals, of which it passes those for the child on, and for what the child
 * writes on standard error; for wait_ns at most, < 0: no limit. */
static void wait_for_child(pid_t child, const struct signals *signals, struct relay *relay,
			   long long wait_ns)
{
	struct pollfd fds[] = { { .fd = signals->fd, .events = POLLIN },
				{ .fd = relay->from, .events = POLLIN } };
	struct timespec t = { .tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000 };
	struct signalfd_siginfo got;

	if (ppoll(fds, 2, wait_ns < 0 ? NULL : &t, NULL) <= 0)
		return;
	while (fds[0].revents && read(signals->fd, &got, sizeof(got)) == (ssize_t)sizeof(got))
		if (got.ssi_signo != SIGCHLD)
			kill(child, (int)got.ssi_signo);
	if (relay->from >= 0 && fds[1].revents)
		relay_read(relay);
}

/* Takes a sample if it is time, and says when the next one is due. */
static void sample(struct report *r, long long *next, long long *interval)
{
	long long cost = own_ns();

	if (now_ns() < *next)
		return;
	report_sample(r);
	cost = COST_PARTS * (own_ns() - cost);
	*interval = *interval * 2 < INTERVAL_NS ? *interval * 2 : INTERVAL_NS;
	*next = now_ns() + (cost > *interval ? cost : *interval);
}

/* Waits for child, passes signals on and samples; r may be NULL. Returns
 * waitpid's status. */
static int watch(pid_t child, const struct signals *signals, struct relay *relay, struct report *r)
{
	long long interval = INTERVAL_FIRST_NS, next = now_ns() + interval;
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		long long left = next > now_ns() ? next - now_ns() : 0;

		wait_for_child(child, signals, relay, r ? left : -1);
		if (r)
			sample(r, &next, &interval);
	}
	relay_finish(relay);
	return status;
}

static const char *seen_text(struct arena *a, const struct report *r,
			     const struct report_rank *rank)
{
	const char *text = "";

	if (!rank->samples)
		return "-";
	for (unsigned int i = 0; text && i < r->machine->nnodes; i++)
		if (rank->seen[i])
			text = cli_text(a, "%s%s%u:%.0f%%", text, *text ? " " : "",
					r->machine->nodes[i].os,
					100.0 * rank->seen[i] / rank->samples);
	return text;
}

static const char *counts_text(struct arena *a, const struct report *r, bool planned)
{
	const char *text = "";

	for (unsigned int i = 0; text && i < r->machine->nnodes; i++) {
		unsigned int n = 0;

		for (unsigned int j = 0; j < r->nranks; j++) {
			const struct report_rank *rank = &r->ranks[j];

			if (planned)
				n += rank->planned && rank->planned->first == i;
			else
				n += report_home(r, rank) == i;
		}
		text = cli_text(a, "%s%s%u", text, *text ? "," : "", n);
	}
	return text;
}

static bool any_planned(const struct report *r)
{
	for (unsigned int i = 0; i < r->nranks; i++)
		if (r->ranks[i].planned)
			return true;
	return false;
}

static void print_report(struct arena *a, struct report *r)
{
	report_finish(r);
	if (!r->nranks) {
		fputs("evenkeel run: report: no rank was seen\n", stderr);
		return;
	}
	fprintf(stderr, "evenkeel run: report\n%6s  %-8s  %-16s  %s\n", "rank", "planned",
		"seen (node:share)", "cpus");
	for (unsigned int i = 0; i < r->nranks; i++) {
		const struct report_rank *rank = &r->ranks[i];
		const char *first = rank->first_mask ? rank->first_mask : "-";
		bool same = rank->first_mask == rank->last_mask;

		fprintf(stderr, "%6d  %-8s  %-16s  %s%s%s\n",
			rank->rank >= 0 ? rank->rank : rank->local,
			rank->planned ? planning_nodes(a, r->machine, &rank->planned->nodes) : "-",
			seen_text(a, r, rank), first, same ? "" : " then ",
			same ? "" : rank->last_mask);
	}
	fprintf(stderr,
		"evenkeel run: ranks per node: planned %s; seen %s; worst difference %u in %u "
		"sample%s\n",
		any_planned(r) ? counts_text(a, r, true) : "-", counts_text(a, r, false), r->worst,
		r->samples, r->samples == 1 ? "" : "s");
	if (report_crowded(r))
		fputs("evenkeel run: warning: more cpus were wanted than were idle\n", stderr);
}

static void print_hosts(const struct hosts *h)
{
	if (!h->n)
		return;
	fprintf(stderr, "evenkeel run: active on %u of %u host%s\n", hosts_active(h), h->n,
		h->n == 1 ? "" : "s");
	for (unsigned int i = 0; i < h->n; i++) {
		const char *names = hosts_alike(h, i);

		if (names)
			fprintf(stderr, "evenkeel run: not active on %s: %s\n", names,
				h->hosts[i].why);
	}
}

/* Prepares a report, if one is asked for and can be had. */
static struct report *want_report(struct report *r, const struct cli *c, struct arena *a,
				  struct machine *m, struct cpus *allowed)
{
	struct plan_request request;
	struct cli_error err;

	if (!c->report)
		return NULL;
	if (planning_host(c, a, m, allowed, &request, &err) < 0) {
		cmd_refuse("run", err.text, CLI_DONE);
		return NULL;
	}
	report_init(r, a, m, allowed, &request, c->options.ledger, 0);
	return r;
}

/* Runs argv as a child, and says at the end what was asked for. Gives the exit status, or
 * -1: it cannot be watched. */
static int run_and_watch(const struct cli *c, struct arena *a, char **argv)
{
	struct report report, *r;
	struct signals signals;
	struct relay relay;
	struct machine m;
	struct cpus allowed;
	int status, exec_error;
	pid_t child;

	r = want_report(&report, c, a, &m, &allowed);
	if (take_signals(&signals) < 0)
		return -1;
	/* Without it hosts are not told of, and that is all. */
	relay_open(&relay, a, c->options.verbose > 0);
	if (start(argv, &signals, &relay, &child, &exec_error) < 0) {
		if (exec_error)
			return refuse_command(argv[0], exec_error);
		return cmd_refuse("run", strerror(errno), CLI_OWN_FAILURE);
	}
	if (r)
		r->root = child;
	status = watch(child, &signals, &relay, r);
	if (r)
		print_report(a, r);
	print_hosts(&relay.hosts);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct cli *c, struct arena *a, char **argv)
{
	int status = prepare(c, a, argv);

	if (status != CLI_DONE)
		return status;
	status = c->report || c->options.verbose ? run_and_watch(c, a, argv) : -1;
	if (status >= 0)
		return status;
	execvp(argv[0], argv);
	return refuse_command(argv[0], errno);
}

int cmd_run(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct cli_error err;
	struct cli c;
	int status = CLI_DONE;

	if (cli_parse(&c, &a, CLI_RUN, argc, argv, environ, &err) < 0)
		status = cmd_refuse("run", err.text, CLI_USAGE);
	else if (c.help)
		fputs(usage, stdout);
	else if (c.rest >= argc)
		status =
		    cmd_refuse("run", "a command is wanted, such as mpiexec -n 8 ./app", CLI_USAGE);
	else
		status = run(&c, &a, argv + c.rest);
	arena_free(&a);
	return status;
}
