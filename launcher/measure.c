#include "launcher/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/stats_random.h"
#include "launcher/cli.h"

/* A variant whose first runs all fail is not tried any longer. */
#define FAILURES_MAX 3
#define LAST_LINES 5

/* A measurement on its way. */
struct course {
	struct results *r;
	const struct measure_plan *plan;
	const struct measure_events *events;
	unsigned int done, total;
	double begin_s, last_s;
	unsigned int failures[VARIANTS_MAX], good[VARIANTS_MAX];
	int error; /* of exec */
	bool record_failed;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

const char *measure_last_lines(struct arena *a, const char *output, unsigned int lines,
			       const char *mark)
{
	size_t len = strlen(output);
	const char *from, *text = "";

	while (len && output[len - 1] == '\n')
		len--;
	from = output + len;
	for (unsigned int n = 0; from > output; from--)
		if (from[-1] == '\n' && ++n == lines)
			break;
	while (text && from < output + len) {
		size_t line = strcspn(from, "\n");
		size_t shown = line < 200 ? line : 200;

		text = cli_text(a, "%s%s%s%.*s", text, *text ? "\n" : "", mark, (int)shown, from);
		from += line + 1;
	}
	return text;
}

/* Why a run does not count, for its record; NULL when it does. */
static const char *reason(struct arena *a, const struct trial *t, const struct measure_plan *plan)
{
	if (t->exec_error)
		return cli_text(a, "cannot be run: %s", strerror(t->exec_error));
	if (t->stopped)
		return "stopped by a signal";
	if (t->timed_out)
		return cli_text(a, "not done after %g s", plan->trial.timeout_s);
	if (WIFSIGNALED(t->status))
		return cli_text(a, "ended by signal %d", WTERMSIG(t->status));
	if (WEXITSTATUS(t->status))
		return cli_text(a, "exit status %d", WEXITSTATUS(t->status));
	return NULL;
}

/* Reads the metrics of a run that ended well. */
static const char *read_metrics(struct course *c, struct run *run, const char *output)
{
	struct cli_error err;

	for (unsigned int i = 0; i < c->plan->metrics->n; i++) {
		const struct metric *m = &c->plan->metrics->m[i];

		if (m->source != METRIC_OUTPUT)
			run->values[i] = results_value(c->r, run, i);
		else if (metric_find(&run->values[i], m, output, &err) < 0) {
			run->values[i] = NAN;
			return cli_text(c->r->arena, "%s", err.text);
		}
	}
	return NULL;
}

static void say_failure(struct course *c, const struct run *run, const char *output)
{
	/* Once with its words is enough for each variant. */
	bool words = c->failures[run->variant] == 1 && !trial_stop_signal();
	struct arena a = { .get = malloc, .put = free };
	const char *lines = words ? measure_last_lines(&a, output, LAST_LINES, "  | ") : "";
	const char *text = cli_text(
	    &a, "run %u (%s) is not counted: %s%s%s", run->number, c->r->variant[run->variant],
	    run->failed, lines && *lines ? "; its output ended\n" : "", lines ? lines : "");

	if (text)
		c->events->say(text);
	arena_free(&a);
}

static void keep_record(struct course *c, const struct run *run)
{
	struct cli_error err;

	if (record_run(c->plan->record, c->r, run, &err) == 0)
		return;
	c->record_failed = true;
	c->events->say(err.text);
}

/* What lives longer than the run goes from its arena to that of the results. */
static int keep_placement(struct results *r, struct placement *p)
{
	unsigned int *counts = arena_array(r->arena, 2 * (size_t)p->nnodes, sizeof(*counts));

	if (!counts)
		return -1;
	if (!p->ranks)
		return 0;
	memcpy(counts, p->start, p->nnodes * sizeof(*counts));
	memcpy(counts + p->nnodes, p->end, p->nnodes * sizeof(*counts));
	p->start = counts;
	p->end = counts + p->nnodes;
	return 0;
}

static int keep_run(struct course *c, const struct trial *t, unsigned int variant, bool warmup)
{
	struct run *run = results_add_run(c->r);

	if (!run)
		return -1;
	run->number = c->done + 1;
	run->variant = variant;
	run->warmup = warmup;
	run->wall_s = t->wall_s;
	run->user_s = t->user_s;
	run->system_s = t->system_s;
	run->switches = t->switches;
	run->placement = t->placement;
	if (keep_placement(c->r, &run->placement) < 0)
		return -1;
	run->failed = reason(c->r->arena, t, c->plan);
	if (!run->failed)
		run->failed = read_metrics(c, run, t->output);
	c->last_s = t->wall_s;
	if (run->failed) {
		c->failures[variant]++;
		say_failure(c, run, t->output);
	} else {
		c->good[variant]++;
	}
	keep_record(c, run);
	return 0;
}

/* false when no run can follow. */
static bool set_up(struct course *c, struct arena *a)
{
	struct trial_request q = c->plan->trial;
	const char *why, *lines, *text;
	struct trial t;

	if (!c->plan->setup)
		return true;
	q.argv = c->plan->setup;
	q.envp = variants_clean_environment(a);
	q.machine = NULL;
	if (!q.envp || trial_run(&t, a, &q) < 0) {
		c->events->say(cli_text(a, "--setup: %s", strerror(errno)));
		return false;
	}
	why = reason(a, &t, c->plan);
	if (!why)
		return true;
	lines = measure_last_lines(a, t.output, LAST_LINES, "  | ");
	text = cli_text(a, "--setup: %s%s%s", why, lines && *lines ? "; its output ended\n" : "",
			lines ? lines : "");
	c->events->say(text ? text : strerror(ENOMEM));
	return false;
}

/* Whether going on with this variant is of no use. */
static bool hopeless(struct course *c, unsigned int variant)
{
	const struct run *run = &c->r->runs[c->r->nruns - 1];
	struct arena a = { .get = malloc, .put = free };
	const char *text = NULL;

	if (run->failed && !c->good[variant] && c->failures[variant] >= FAILURES_MAX)
		text = cli_text(&a, "the first %u runs of %s have all failed; stopping",
				FAILURES_MAX, c->r->variant[variant]);
	else if (run->failed && !c->good[variant] && !isnan(run->wall_s) &&
		 strstr(run->failed, "in the output"))
		text = cli_text(&a, "stopping, for the others will not print it either");
	if (text)
		c->events->say(text);
	arena_free(&a);
	return text;
}

static enum measure_end run_one(struct course *c, unsigned int variant, bool warmup)
{
	struct arena a = { .get = malloc, .put = free };
	struct trial_request q = c->plan->trial;
	enum measure_end end = MEASURE_DONE;
	struct trial t;

	c->events->progress(c->done + 1, c->total, c->r->variant[variant], c->last_s,
			    c->done ? (now_s() - c->begin_s) / c->done * (c->total - c->done)
				    : NAN);
	q.argv = c->plan->variants->v[variant].argv;
	q.envp = c->plan->variants->v[variant].envp;
	if (!set_up(c, &a)) {
		end = trial_stop_signal() ? MEASURE_STOPPED : MEASURE_HOPELESS;
	} else if (trial_run(&t, &a, &q) < 0 || keep_run(c, &t, variant, warmup) < 0) {
		c->events->say(strerror(errno));
		end = MEASURE_HOPELESS;
	} else if (t.exec_error) {
		c->error = t.exec_error;
		end = MEASURE_CANNOT_RUN;
	} else if (trial_stop_signal()) {
		end = MEASURE_STOPPED;
	} else if (hopeless(c, variant)) {
		end = MEASURE_HOPELESS;
	}
	c->done++;
	arena_free(&a);
	return end;
}

static void shuffle(unsigned int *order, unsigned int n, struct stats_random *random)
{
	for (unsigned int i = n; i > 1; i--) {
		unsigned int j = stats_random_below(random, i), swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

enum measure_end measure(struct results *r, const struct measure_plan *plan,
			 const struct measure_events *events, int *error, bool *record_failed)
{
	struct course c = { .r = r, .plan = plan, .events = events, .last_s = NAN };
	unsigned int order[VARIANTS_MAX], n = plan->variants->n, rounds = plan->warmup + plan->runs;
	enum measure_end end = MEASURE_DONE;
	struct stats_random random;

	c.total = rounds * n;
	c.begin_s = now_s();
	stats_random_init(&random, plan->seed);
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (unsigned int round = 0; round < rounds && end == MEASURE_DONE; round++) {
		if (plan->random)
			shuffle(order, n, &random);
		for (unsigned int i = 0; i < n && end == MEASURE_DONE; i++) {
			if (c.done && plan->cooldown_s > 0)
				trial_pause(plan->cooldown_s);
			end = trial_stop_signal() ? MEASURE_STOPPED
						  : run_one(&c, order[i], round < plan->warmup);
		}
	}
	*error = c.error;
	*record_failed = c.record_failed;
	return end;
}
