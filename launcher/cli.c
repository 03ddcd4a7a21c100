#include "launcher/cli.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "core/machine_text.h"
#include "core/sim.h"
#include "core/site.h"
#include "launcher/topology.h"

/* getopt_long's values of options without a letter start here, above every
 * character. */
#define LONG_FIRST 256

#define EVERYWHERE (CLI_RUN | CLI_ENV | CLI_MACHINE | CLI_PLAN | CLI_COMPARE | CLI_SIMULATE)
#define JOB (CLI_RUN | CLI_ENV | CLI_PLAN | CLI_COMPARE | CLI_SIMULATE)
/* Read by the subcommand itself (struct cli, own). */
#define OWN (CLI_COMPARE | CLI_SIMULATE)

static const struct row {
	const char *name;
	int argument; /* getopt's no_, required_, optional_argument */
	char letter;  /* 0 = none */
	unsigned int where;
	/* Known to core/options by the same name; without_value stands for the
	 * bare switch. */
	bool shared;
	const char *without_value;
} rows[] = {
	{ "machine", required_argument, 0, EVERYWHERE, true, NULL },
	{ "kernel", required_argument, 0, JOB, true, NULL },
	{ "rule", required_argument, 0, JOB, true, NULL },
	{ "width", required_argument, 0, JOB, true, NULL },
	{ "order", required_argument, 0, JOB, true, NULL },
	{ "mode", required_argument, 0, JOB, true, NULL },
	{ "bind", required_argument, 0, JOB, true, NULL },
	{ "mem", required_argument, 0, JOB, true, NULL },
	{ "measure", required_argument, 0, CLI_RUN | CLI_ENV | CLI_COMPARE, true, NULL },
	{ "remote", required_argument, 0, CLI_RUN | CLI_ENV | CLI_COMPARE, true, NULL },
	{ "together", optional_argument, 0, JOB, true, "" },
	{ "keep", optional_argument, 0, CLI_RUN | CLI_ENV | CLI_COMPARE, true, "" },
	{ "verbose", optional_argument, 'v', EVERYWHERE, true, "2" },
	{ "busy", required_argument, 0, CLI_PLAN | CLI_SIMULATE, false, NULL },
	{ "cpus", required_argument, 0, CLI_PLAN | CLI_SIMULATE, false, NULL },
	{ "ranks", required_argument, 'n', CLI_PLAN | CLI_SIMULATE, false, NULL },
	{ "json", no_argument, 0, CLI_MACHINE | CLI_PLAN | CLI_COMPARE | CLI_SIMULATE, false,
	  NULL },
	{ "replace-binding", no_argument, 0, CLI_RUN, false, NULL },
	{ "report", no_argument, 0, CLI_RUN, false, NULL },
	{ "runs", required_argument, 'r', OWN, false, NULL },
	{ "warmup", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "variants", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "schedule", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "timeout", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "setup", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "cooldown", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "metric", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "better", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "record", required_argument, 'o', CLI_COMPARE, false, NULL },
	{ "from", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "csv", no_argument, 0, CLI_COMPARE, false, NULL },
	{ "markdown", no_argument, 0, CLI_COMPARE, false, NULL },
	{ "plot", required_argument, 0, OWN, false, NULL },
	{ "seed", required_argument, 0, OWN, false, NULL },
	{ "fail-on", required_argument, 0, CLI_COMPARE, false, NULL },
	{ "rows", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "with", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "without", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "launch", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "gap-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "exec-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "start-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "between-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "serve-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "sleep-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "setup-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "connect-us", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "jitter", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "unrelated", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "mb", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "even-seconds", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "bandwidth-share", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "at", required_argument, 0, CLI_SIMULATE, false, NULL },
	{ "walk", no_argument, 0, CLI_SIMULATE, false, NULL },
	{ "help", no_argument, 'h', EVERYWHERE, false, NULL },
};
#define NROWS (sizeof(rows) / sizeof(*rows))

void cli_error_set(struct cli_error *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	for (char *s = err->text; *s; s++)
		if (iscntrl((unsigned char)*s))
			*s = '?';
}

bool cli_number(const char *text, unsigned int max, unsigned int *n)
{
	unsigned long long v = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		v = v * 10 + (unsigned int)(*text - '0');
		if (v > max)
			return false;
	}
	*n = (unsigned int)v;
	return true;
}

/* --- command line ---------------------------------------------------------- */

/* getopt's two tables for one subcommand. letters has room for '+', ':', three
 * characters a row and the NUL. */
static void make_tables(enum cli_command command, struct option *longs, char *letters)
{
	if (command & (CLI_RUN | CLI_COMPARE))
		*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; i < NROWS; i++) {
		if (!(rows[i].where & command))
			continue;
		longs->name = rows[i].name;
		longs->has_arg = rows[i].argument;
		longs->flag = NULL;
		longs->val = LONG_FIRST + (int)i;
		longs++;
		if (!rows[i].letter)
			continue;
		*letters++ = rows[i].letter;
		if (rows[i].argument == required_argument)
			*letters++ = ':';
	}
	memset(longs, 0, sizeof(*longs));
	*letters = '\0';
}

static const struct row *row_of(int value)
{
	if (value >= LONG_FIRST && value < LONG_FIRST + (int)NROWS)
		return &rows[value - LONG_FIRST];
	for (size_t i = 0; i < NROWS; i++)
		if (rows[i].letter && rows[i].letter == value)
			return &rows[i];
	return NULL;
}

static int set_shared(struct cli *c, const struct row *row, const char *value,
		      struct cli_error *err)
{
	struct options_error said = { "" };
	unsigned int i;

	if (!value)
		value = row->without_value;
	if (options_set(&c->options, row->name, value, &said) < 0) {
		cli_error_set(err, "--%s", said.text);
		return -1;
	}
	for (i = 0; i < c->ngiven && strcmp(c->given[i].name, row->name); i++)
		;
	c->given[i].name = row->name;
	c->given[i].value = value;
	if (i == c->ngiven)
		c->ngiven++;
	return 0;
}
_Static_assert(NROWS <= CLI_GIVEN_MAX, "every option fits in struct cli");

/* Ranks that -n may ask for. */
static unsigned int ranks_min(enum cli_command command)
{
	return command == CLI_SIMULATE;
}

static unsigned int ranks_max(enum cli_command command)
{
	return command == CLI_SIMULATE ? SIM_RANKS_MAX : PLAN_RANKS_MAX;
}

static int set_row(struct cli *c, enum cli_command command, const struct row *row,
		   const char *value, struct cli_error *err)
{
	if (row->shared)
		return set_shared(c, row, value, err);
	if (row->where && !(row->where & ~(unsigned int)OWN)) {
		c->own[c->nown++] = (struct cli_given){ row->name, value ? value : "" };
		return 0;
	}
	if (!strcmp(row->name, "busy")) {
		c->busy = value;
	} else if (!strcmp(row->name, "cpus")) {
		c->cpus = value;
	} else if (!strcmp(row->name, "json")) {
		c->json = true;
	} else if (!strcmp(row->name, "replace-binding")) {
		c->replace_binding = true;
	} else if (!strcmp(row->name, "report")) {
		c->report = true;
	} else if (!strcmp(row->name, "help")) {
		c->help = true;
	} else if (cli_number(value, ranks_max(command), &c->nranks) &&
		   c->nranks >= ranks_min(command)) {
		c->have_nranks = true;
	} else {
		cli_error_set(err, "-n: '%s' is not a number of ranks from %u to %u", value,
			      ranks_min(command), ranks_max(command));
		errno = EINVAL;
		return -1;
	}
	return 0;
}

/* What getopt refused: got is ':' or '?', word the argument it stopped at. */
static void refuse(int got, const char *word, struct cli_error *err)
{
	const struct row *row = row_of(optopt);

	if (got == ':')
		cli_error_set(err, "'%s' wants a value", word);
	else if (row && optopt >= LONG_FIRST)
		cli_error_set(err, "--%s takes no value: '%s'", row->name, word);
	else if (optopt > 0 && optopt < LONG_FIRST)
		cli_error_set(err, "unknown option '-%c'; --help lists those there are", optopt);
	else
		cli_error_set(err, "unknown option '%s'; --help lists those there are", word);
	errno = EINVAL;
}

static int parse_argv(struct cli *c, enum cli_command command, int argc, char **argv,
		      struct cli_error *err)
{
	struct option longs[NROWS + 1];
	char letters[3 * NROWS + 3];
	int got;

	make_tables(command, longs, letters);
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while (!c->help && (got = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct row *row = row_of(got);

		if (!row || got == '?' || got == ':') {
			refuse(got, argv[optind > 1 ? optind - 1 : 1], err);
			return -1;
		}
		if (set_row(c, command, row, optarg, err) < 0)
			return -1;
	}
	c->rest = optind;
	return 0;
}

int cli_parse(struct cli *c, struct arena *a, enum cli_command command, int argc, char **argv,
	      char *const *envp, struct cli_error *err)
{
	memset(c, 0, sizeof(*c));
	c->own = arena_array(a, (size_t)argc, sizeof(*c->own));
	if (!c->own) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	site_options(&c->options, a, envp);
	return parse_argv(c, command, argc, argv, err);
}

/* --- what the options stand for -------------------------------------------- */

int cli_machine_load(struct machine *m, struct arena *a, const char *spec, struct cli_error *err)
{
	struct machine_text_error text = { 0, "" };
	struct topology_error topology = { "" };
	struct stat st;

	if (spec && machine_text_is(spec, strlen(spec)) && stat(spec, &st) < 0) {
		if (machine_text_read(m, a, spec, strlen(spec), &text) == 0)
			return 0;
		cli_error_set(err, "--machine: line %u: %s", text.line, text.text);
		return -1;
	}
	if (topology_load(spec, m, a, &topology) == 0)
		return 0;
	cli_error_set(err, "--machine: %s", topology.text);
	return -1;
}

char *cli_machine_inline(struct arena *a, const struct machine *m)
{
	size_t len = machine_text_write(m, NULL, 0);
	char *text = arena_alloc(a, len + 1);

	if (!text)
		return NULL;
	machine_text_write(m, text, len + 1);
	for (char *s = text; *s; s++)
		if (*s == '\n')
			*s = s[1] ? ';' : '\0';
	return text;
}

int cli_allowed(struct cpus *allowed, struct arena *a)
{
	unsigned int n = 1024;

	/* The kernel refuses a mask smaller than its own with EINVAL. */
	for (; n <= CPUS_MAX; n *= 2) {
		if (cpus_init(allowed, a, n) < 0)
			return -1;
		if (sched_getaffinity(0, n / 8, (cpu_set_t *)allowed->bits) == 0)
			return 0;
		if (errno != EINVAL)
			return -1;
	}
	return -1;
}

int cli_rule(struct cli_rule *r, struct arena *a, const struct options *o)
{
	struct utsname host;

	r->kernel = o->kernel;
	r->assumed_host = !o->kernel;
	if (!o->kernel) {
		if (uname(&host) < 0)
			return -1;
		r->kernel = cli_text(a, "%s", host.release);
		if (!r->kernel)
			return -1;
	}
	if (policy_of_version(r->kernel, &r->generation, &r->certainty) < 0) {
		r->generation = POLICY_G8;
		r->certainty = POLICY_ASSUMED;
	}
	r->rule = o->rule ? policy_by_name(o->rule) : r->generation;
	return 0;
}

char *cli_list(struct arena *a, const struct cpus *c)
{
	size_t len = cpus_format(c, NULL, 0);
	char *text = arena_alloc(a, len + 1);

	if (text)
		cpus_format(c, text, len + 1);
	return text;
}

char *cli_text(struct arena *a, const char *format, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = arena_alloc(a, (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(ap, format);
	vsnprintf(text, (size_t)len + 1, format, ap);
	va_end(ap);
	return text;
}
