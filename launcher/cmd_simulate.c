#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/planning.h"
#include "launcher/plot.h"
#include "launcher/simulate_options.h"
#include "launcher/simulation.h"

static const char usage[] =
    "Usage: evenkeel simulate -n N [OPTION...]\n"
    "What the kernel's rules would make of a job of N ranks on one host, without and with\n"
    "evenkeel's plan, many times over: a model, nothing is started or measured.\n"
    "\n"
    "What is launched:\n"
    "  -n, --ranks N           ranks on the host\n"
    "  -r, --runs N            launches (1000)\n"
    "      --seed N            the same seed gives the same launches (1)\n"
    "      --launch HOW        hydra (default); threads of one process; children that spin\n"
    "                          or sleep as soon as they are forked\n"
    "      --at S,...          seconds after the wake to look at (0,1,10,100)\n"
    "\n"
    "Where, and by which rule:\n"
    "      --machine SPEC      live (default), a file (our text, hwloc XML) or an hwloc\n"
    "                          synthetic such as 'numa:2 core:20 pu:2'\n"
    "      --kernel VERSION    the kernel whose rule is used; 6.12 means 6.12.0\n"
    "      --rule NAME         use this rule instead, such as G8, v4.1 or 2015\n"
    "      --with PATCH,...    and with retry-init, no-swap, adjust-before-halve, eighth,\n"
    "                          allowed-limit or late-blocked-load, which it has not\n"
    "      --without PATCH,... without those that it has\n"
    "      --rows ROW,...      several: each a version or rule, with +PATCH, without /PATCH\n"
    "      --cpus LIST         the cpus that the job may use, such as 0-3,8\n"
    "      --busy B,...        cpus that others keep busy, one number for each node\n"
    "\n"
    "The plan, as of evenkeel plan:\n"
    "      --width N, --order ORDER, --mode MODE, --bind BIND, --mem POLICY, --together\n"
    "\n"
    "How Hydra starts ranks; times in microseconds:\n"
    "      --gap-us N          between two forks (1300)\n"
    "      --exec-us N         from a rank's fork to its exec (6000)\n"
    "      --start-us N        from there to its first sleep (65000)\n"
    "      --setup-us N        its work before the first barrier of MPI_Init (9000)\n"
    "      --connect-us N      and before the last (45000)\n"
    "      --between-us N      and between its other sleeps (75)\n"
    "      --serve-us N        the proxy's work for one answer (50)\n"
    "      --sleep-us N        from a barrier's last rank to its first answer (400)\n"
    "      --jitter X          each time varies by this part of it, 0 to 1 (0.25)\n"
    "      --walk              ranks walk over all cpus in start-up, as of MPICH 4.0\n"
    "\n"
    "What follows:\n"
    "      --unrelated X       chance that the balancer finds another task to move (0)\n"
    "      --mb N              memory of a rank, in megabytes (1800)\n"
    "      --even-seconds S    time of a run when all is even (96)\n"
    "      --bandwidth-share X part of it that waits for memory, 0 to 1 (1)\n"
    "\n"
    "Showing:\n"
    "  -v, --verbose           the first launch of each row too, rank by rank\n"
    "      --json              print a JSON object instead\n"
    "      --plot FILE         a picture by gnuplot, .svg or .png: of one row the\n"
    "                          differences between nodes, of more the run times\n"
    "  -h, --help              print this page\n";

static int show(const struct simulation *s, const struct cli *c, struct arena *a)
{
	struct text text = { .arena = a };
	char *json;

	if (c->json) {
		json = simulation_json(s);
		if (!json)
			return cmd_refuse("simulate", strerror(ENOMEM), CLI_FAILED);
		puts(json);
		free(json);
		return CLI_DONE;
	}
	simulation_text(&text, s, c->options.verbose > 1);
	if (text.failed)
		return cmd_refuse("simulate", strerror(ENOMEM), CLI_FAILED);
	fputs(text.s, stdout);
	return CLI_DONE;
}

static int draw(const struct simulation *s, struct arena *a)
{
	const char *path = s->options->plot;
	struct text script = { .arena = a };
	struct cli_error err;

	if (!path)
		return CLI_DONE;
	simulation_script(&script, s, plot_is_svg(path));
	if (plot_draw(path, &script, &err) == 0)
		return CLI_DONE;
	return cmd_refuse("simulate", err.text, CLI_FAILED);
}

/* A picture that could not be drawn in the end is refused at once. */
static int check_plot(const struct simulate_options *o, struct cli_error *err)
{
	bool have_gnuplot;

	if (!o->plot)
		return 0;
	if (plot_check(o->plot, &have_gnuplot, err) < 0)
		return -1;
	if (have_gnuplot)
		return 0;
	cli_error_set(err, "--plot: gnuplot is not in the PATH");
	return -1;
}

static int simulate(const struct cli *c, struct arena *a)
{
	struct simulate_options o;
	struct simulation s;
	struct planning p;
	struct cli_error err;
	int status;

	if (planning_make(&p, a, c, environ, &err) < 0 ||
	    simulate_options_read(&o, a, c, &p.rule, &err) < 0)
		return cmd_refuse("simulate", err.text, errno == ENOMEM ? CLI_FAILED : CLI_USAGE);
	if (check_plot(&o, &err) < 0)
		return cmd_refuse("simulate", err.text, CLI_USAGE);
	if (simulation_run(&s, a, &p, &o, c->options.mode == OPTIONS_SETTLE) < 0)
		return cmd_refuse("simulate", strerror(errno), CLI_FAILED);
	status = show(&s, c, a);
	return status == CLI_DONE ? draw(&s, a) : status;
}

int cmd_simulate(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct cli_error err;
	struct cli c;
	int status = CLI_DONE;

	if (cli_parse(&c, &a, CLI_SIMULATE, argc, argv, environ, &err) < 0) {
		status = cmd_refuse("simulate", err.text, CLI_USAGE);
	} else if (c.help) {
		fputs(usage, stdout);
	} else if (c.rest < argc) {
		cli_error_set(&err, "'%s' is one argument too many: there are only options",
			      argv[c.rest]);
		status = cmd_refuse("simulate", err.text, CLI_USAGE);
	} else if (!c.have_nranks) {
		cli_error_set(&err, "-n N is wanted: the number of ranks on the host");
		status = cmd_refuse("simulate", err.text, CLI_USAGE);
	} else {
		status = simulate(&c, &a);
	}
	arena_free(&a);
	return status;
}
