#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/analysis.h"
#include "launcher/analysis_json.h"
#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/compare_options.h"
#include "launcher/compare_read.h"
#include "launcher/host.h"
#include "launcher/measure.h"
#include "launcher/planning.h"
#include "launcher/plot.h"
#include "launcher/preload.h"
#include "launcher/record.h"
#include "launcher/tables.h"

static const char usage[] =
    "Usage: evenkeel compare [OPTION...] [--] COMMAND...\n"
    "       evenkeel compare [OPTION...] --from FILE [--from FILE]...\n"
    "Runs a command without and with evenkeel in turn, and says what that changes: is it\n"
    "steadier, is it faster, and where were the ranks in the slow runs?\n"
    "\n"
    "Measuring:\n"
    "  -r, --runs N            runs of each variant (10); below 10 they prove little\n"
    "      --warmup N          runs of each variant before, not counted (1)\n"
    "      --variants LIST     plain,evenkeel (default), hold, settle, bind-numa, and\n"
    "                          NAME=COMMAND for sh, \"$@\" being the command; the first is\n"
    "                          what the others are held against\n"
    "      --schedule ORDER    abab (default), or random within each round\n"
    "      --timeout S         a run that takes longer is ended and not counted\n"
    "      --setup COMMAND     run by sh before each run\n"
    "      --cooldown S        wait between runs\n"
    "  -o, --record FILE       write a line of JSON for each run to a new file\n"
    "\n"
    "Reading:\n"
    "      --from FILE         a record, or CSV headed variant,value or\n"
    "                          variant,min,max,range,mean; may be repeated\n"
    "\n"
    "Judging:\n"
    "      --metric NAME       wall (default), user, system, npb, npb-time, hackbench,\n"
    "                          perf-bench, tbench, stream, stress-ng-stream, schbench,\n"
    "                          unixbench, unixbench-spawn, ycsb, or a regular expression\n"
    "                          with the value in parentheses; may be repeated\n"
    "      --better WHICH      lower or higher, for an expression or CSV\n"
    "      --seed N            of the statistics and of --schedule random (1)\n"
    "      --fail-on WHAT      exit 3 when a variant has more spread than the first\n"
    "                          (spread), or is slower or otherwise worse (slower)\n"
    "\n"
    "Showing:\n"
    "  -v, --verbose           more figures, and every run\n"
    "      --csv, --markdown, --json  instead of the tables\n"
    "      --plot FILE         a picture by gnuplot, .svg or .png\n"
    "\n"
    "Placing, as for evenkeel run:\n"
    "      --width N, --order ORDER, --mode MODE, --bind BIND, --mem POLICY,\n"
    "      --measure on|off, --remote on|off, --together, --keep,\n"
    "      --machine SPEC, --kernel VERSION, --rule NAME\n"
    "  -h, --help              print this page\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 usage, 3 see --fail-on, 126 or 127 the command cannot\n"
    "be run or is not there, 128+n stopped by signal n (what was measured is shown).\n";

/* One call of the program. */
struct compare {
	struct arena *arena;
	const struct cli *cli;
	struct compare_options options;
	struct variants variants;
	struct metrics metrics;
	struct results results;
	const struct analysis **analyses;
	unsigned int nanalyses;
	bool failed; /* something that was asked for could not be done */
};

static void warn(const char *text)
{
	cmd_refuse("compare", text, CLI_DONE);
}

/* --- measuring ------------------------------------------------------------------- */

/* Whether a progress line is on the screen; measuring alone writes it. */
static bool progress_shown;

static void end_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

static void say(const char *text)
{
	end_progress();
	warn(text);
}

static void show_progress(unsigned int number, unsigned int total, const char *variant,
			  double last_s, double left_s)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[Krun %u of %u (%s)", number, total, variant);
	if (!isnan(last_s))
		fprintf(stderr, ", last %.2f s", last_s);
	if (left_s >= 120)
		fprintf(stderr, ", %.0f min left", left_s / 60);
	else if (!isnan(left_s))
		fprintf(stderr, ", %.0f s left", left_s);
	fflush(stderr);
	progress_shown = true;
}

static int read_metrics(struct compare *c, struct cli_error *err)
{
	const struct compare_options *o = &c->options;

	for (unsigned int i = 0; i < o->nmetrics; i++)
		if (metric_add(&c->metrics, c->arena, o->metrics[i], o->better, err) < 0)
			return -1;
	if (!c->metrics.n && metric_add(&c->metrics, c->arena, "wall", STATS_LOWER, err) < 0)
		return -1;
	for (unsigned int i = 0; i < c->metrics.n; i++)
		c->results.metric[c->results.nmetrics++] =
		    (struct results_metric){ c->metrics.m[i].name, c->metrics.m[i].unit,
					     c->metrics.m[i].better };
	return 0;
}

static int read_variants(struct compare *c, char **command, struct cli_error *err)
{
	const struct compare_options *o = &c->options;
	struct cli_error missing = { "" };
	const char *library = preload_find(c->arena, &missing);

	*err = missing;
	for (unsigned int i = 0; i < o->nvariants; i++)
		if (variants_add(&c->variants, c->arena, o->variants[i], c->cli, command, library,
				 err) < 0)
			return -1;
	if (!o->nvariants && variants_add(&c->variants, c->arena, "plain,evenkeel", c->cli, command,
					  library, err) < 0)
		return -1;
	for (unsigned int i = 0; i < c->variants.n; i++) {
		if (results_variant(&c->results, c->variants.v[i].name) < 0) {
			cli_error_set(err, "%s", strerror(errno));
			return -1;
		}
	}
	return 0;
}

/* Early, so that nothing measured is lost for want of a place. */
static int check_plot(struct compare *c, struct cli_error *err)
{
	bool have_gnuplot;

	if (!c->options.plot)
		return 0;
	if (plot_check(c->options.plot, &have_gnuplot, err) < 0)
		return -1;
	if (!have_gnuplot) {
		warn("--plot: gnuplot is not in the PATH; the dots of the table have to do");
		c->options.plot = NULL;
		c->failed = true;
	}
	return 0;
}

/* Makes known where ranks can be. Without it times are measured all the same. */
static void watch_places(struct compare *c, struct measure_plan *plan, struct machine *m,
			 struct cpus *allowed, struct plan_request *request)
{
	struct cli_error err;

	if (planning_host(c->cli, c->arena, m, allowed, request, &err) < 0) {
		warn(err.text);
		return;
	}
	plan->trial.machine = m;
	plan->trial.allowed = allowed;
	plan->trial.plan = request;
	plan->trial.ledger = c->cli->options.ledger;
	plan->trial.pages = !c->cli->options.machine;
}

static int end_status(struct compare *c, enum measure_end end, int error)
{
	switch (end) {
	case MEASURE_CANNOT_RUN:
		return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
	case MEASURE_STOPPED:
		return 128 + trial_stop_signal();
	case MEASURE_HOPELESS:
		return CLI_FAILED;
	default:
		return c->failed ? CLI_FAILED : CLI_DONE;
	}
}

/* Gives the exit status so far. */
static int run_all(struct compare *c, char **command)
{
	const struct compare_options *o = &c->options;
	struct measure_plan plan = { .variants = &c->variants,
				     .metrics = &c->metrics,
				     .runs = o->runs,
				     .warmup = o->warmup,
				     .random = o->random,
				     .seed = o->seed,
				     .cooldown_s = o->cooldown_s };
	struct measure_events events = { show_progress, say };
	static char *const no_words[] = { NULL };
	struct plan_request request;
	struct record record;
	struct cli_error err;
	struct machine m;
	struct cpus allowed;
	enum measure_end end;
	bool record_failed;
	int error;

	plan.trial.timeout_s = o->timeout_s;
	plan.record = &record;
	if (o->setup) {
		plan.setup = variants_shell(c->arena, o->setup, no_words);
		if (!plan.setup)
			return cmd_refuse("compare", strerror(errno), CLI_FAILED);
	}
	trial_take_signals();
	watch_places(c, &plan, &m, &allowed, &request);
	if (record_create(&record, o->record, &err) < 0)
		return cmd_refuse("compare", err.text, CLI_FAILED);
	if (o->runs < ANALYSIS_RUNS_FEW)
		warn("fewer than 10 runs of each variant prove little");
	if (host_read(&c->results.host, c->arena, plan.trial.machine, command) < 0)
		return cmd_refuse("compare", strerror(errno), CLI_FAILED);
	if (record_host(&record, &c->results, command, &err) < 0) {
		warn(err.text);
		c->failed = true;
	}
	end = measure(&c->results, &plan, &events, &error, &record_failed);
	end_progress();
	c->failed |= record_failed;
	if (record_close(&record, &err) < 0) {
		warn(err.text);
		c->failed = true;
	}
	return end_status(c, end, error);
}

static int measure_command(struct compare *c, char **command)
{
	struct cli_error err;

	if (read_metrics(c, &err) < 0 || read_variants(c, command, &err) < 0)
		return cmd_refuse("compare", err.text, CLI_USAGE);
	if (check_plot(c, &err) < 0)
		return cmd_refuse("compare", err.text, CLI_FAILED);
	return run_all(c, command);
}

/* --- showing ------------------------------------------------------------------------- */

static void put_host(struct text *out, const struct host_facts *h)
{
	if (!h->name || !*h->name)
		return;
	text_add(out, "host %s, kernel %s", h->name, *h->kernel ? h->kernel : "unknown");
	if (*h->mpi)
		text_add(out, ", %s", h->mpi);
	if (h->numa_balancing >= 0)
		text_add(out, ", numa_balancing %d", h->numa_balancing);
	if (*h->governor)
		text_add(out, ", governor %s", h->governor);
	if (!isnan(h->load))
		text_add(out, ", load %.2f at the start", h->load);
	text_add(out, "\n\n");
}

static void put_failed(struct text *out, const struct results *r)
{
	for (unsigned int i = 0; i < r->nruns; i++)
		if (r->runs[i].failed)
			text_add(out, "not counted: run %u of %s: %s\n", r->runs[i].number,
				 r->variant[r->runs[i].variant], r->runs[i].failed);
}

static bool any_counts(const struct analysis *an)
{
	for (unsigned int i = 0; i < an->n; i++)
		if (an->variant[i].n)
			return true;
	return false;
}

static void put_metric(struct text *out, struct compare *c, const struct analysis *an)
{
	enum text_style style = c->options.markdown ? TEXT_MARKDOWN : TEXT_PLAIN;
	bool detail = c->cli->options.verbose > 0, fence = c->options.markdown;

	text_add(out, "%s%s%s%s, %s is better; changes in %%: positive is better\n\n",
		 an->what.name, *an->what.unit ? " (" : "", an->what.unit,
		 *an->what.unit ? ")" : "", an->what.better == STATS_HIGHER ? "higher" : "lower");
	if (!any_counts(an)) {
		text_add(out, "no run counts\n\n");
		return;
	}
	tables_summary(out, c->arena, an, style, detail);
	text_add(out, "\n");
	tables_comparison(out, c->arena, an, style);
	text_add(out, "%s", an->tests ? "\n" : "");
	analysis_groups(out, an, c->arena);
	for (unsigned int i = 1; i < an->n; i++)
		analysis_verdict(out, an, i);
	text_add(out, "\n%s", fence ? "```\n" : "");
	tables_dots(out, c->arena, an);
	text_add(out, "%s\n", fence ? "```\n" : "");
	if (detail) {
		tables_runs(out, c->arena, &c->results, an->metric, style);
		text_add(out, "\n");
	}
}

static void put_tables(struct text *out, struct compare *c)
{
	enum text_style style = c->options.markdown ? TEXT_MARKDOWN : TEXT_PLAIN;

	if (c->results.nrows) {
		tables_rows(out, c->arena, &c->results, c->options.csv ? TEXT_CSV : style);
		return;
	}
	if (c->options.csv) {
		tables_csv(out, c->arena, c->analyses, c->nanalyses);
		return;
	}
	put_host(out, &c->results.host);
	for (unsigned int i = 0; i < c->nanalyses; i++)
		put_metric(out, c, c->analyses[i]);
	tables_placement(out, c->arena, &c->results, style);
	put_failed(out, &c->results);
}

static int show(struct compare *c)
{
	struct text out = { .arena = c->arena };

	if (c->cli->json) {
		char *text = analysis_json(c->analyses, c->nanalyses, &c->results, c->arena);

		if (!text)
			return cmd_refuse("compare", strerror(ENOMEM), CLI_FAILED);
		puts(text);
		free(text);
		return CLI_DONE;
	}
	put_tables(&out, c);
	if (out.failed)
		return cmd_refuse("compare", strerror(ENOMEM), CLI_FAILED);
	fputs(out.s ? out.s : "", stdout);
	return CLI_DONE;
}

static int analyse(struct compare *c, struct cli_error *err)
{
	struct stats_options o = { STATS_RESAMPLES, STATS_PERMUTATIONS, c->options.seed };
	unsigned int chosen[METRICS_MAX], n = 0;

	if (c->options.nfrom) {
		if (compare_choose(&c->results, &c->options, chosen, &n, err) < 0)
			return -1;
	} else {
		for (n = 0; n < c->results.nmetrics; n++)
			chosen[n] = n;
	}
	c->analyses = arena_array(c->arena, n, sizeof(*c->analyses));
	for (unsigned int i = 0; c->analyses && i < n && !c->results.nrows; i++) {
		struct analysis *an = arena_alloc(c->arena, sizeof(*an));

		if (!an || analysis_make(an, c->arena, &c->results, chosen[i], &o) < 0) {
			cli_error_set(err, "%s", strerror(errno));
			return -1;
		}
		c->analyses[c->nanalyses++] = an;
	}
	return 0;
}

/* What --fail-on asks for, or a variant without a single run that counts. */
static int judge(const struct compare *c)
{
	int status = CLI_DONE;

	for (unsigned int i = 0; i < c->nanalyses; i++) {
		const struct analysis *an = c->analyses[i];

		for (unsigned int v = 0; v < an->n; v++) {
			if (!an->variant[v].n)
				return CLI_FAILED;
			if ((c->options.fail_on_spread && an->variant[v].spread == ANALYSIS_MORE) ||
			    (c->options.fail_on_slower && v && analysis_worse(an, v)))
				status = CLI_DIFFERENT;
		}
	}
	return status;
}

static int draw(struct compare *c)
{
	struct text script = { .arena = c->arena };
	struct cli_error err;

	if (!c->options.plot)
		return CLI_DONE;
	if (!c->nanalyses) {
		warn("--plot: there are no runs to draw");
		return CLI_FAILED;
	}
	if (c->nanalyses > 1)
		warn("--plot: the first metric is drawn");
	plot_script(&script, c->analyses[0], &c->results, plot_is_svg(c->options.plot));
	if (plot_draw(c->options.plot, &script, &err) == 0)
		return CLI_DONE;
	return cmd_refuse("compare", err.text, CLI_FAILED);
}

/* Gives the exit status so far, as measure_command does. */
static int read_files(struct compare *c)
{
	struct cli_error err, note;

	if (compare_read_files(&c->results, &c->options, &err, &note) < 0) {
		/* Half of what was asked for is not shown. */
		c->results.nruns = c->results.nrows = 0;
		return cmd_refuse("compare", err.text, CLI_USAGE);
	}
	if (check_plot(c, &err) < 0) {
		c->results.nruns = c->results.nrows = 0;
		return cmd_refuse("compare", err.text, CLI_FAILED);
	}
	if (*note.text)
		warn(note.text);
	return c->failed ? CLI_FAILED : CLI_DONE;
}

static int compare(struct compare *c, int ncommand, char **command)
{
	int status, drawn, judged;
	struct cli_error err;

	if (compare_options_read(&c->options, c->arena, c->cli, ncommand, &err) < 0)
		return cmd_refuse("compare", err.text, CLI_USAGE);
	status = c->options.nfrom ? read_files(c) : measure_command(c, command);
	/* There is nothing to show, and it was said why. */
	if (!c->results.nruns && !c->results.nrows)
		return status;
	if (analyse(c, &err) < 0)
		return cmd_refuse("compare", err.text, CLI_USAGE);
	if (show(c) != CLI_DONE)
		return CLI_FAILED;
	drawn = draw(c);
	judged = judge(c);
	if (status == CLI_DONE)
		status = drawn != CLI_DONE ? CLI_FAILED : judged;
	return status;
}

int cmd_compare(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct compare c = { .arena = &a };
	struct cli_error err;
	struct cli cli;
	int status = CLI_DONE;

	c.cli = &cli;
	c.results.arena = &a;
	if (cli_parse(&cli, &a, CLI_COMPARE, argc, argv, environ, &err) < 0)
		status = cmd_refuse("compare", err.text, CLI_USAGE);
	else if (cli.help)
		fputs(usage, stdout);
	else
		status = compare(&c, argc - cli.rest, argv + cli.rest);
	metric_free(&c.metrics);
	arena_free(&a);
	return status;
}
