#include "launcher/simulate_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct simulate_options *o;
	struct arena *arena;
	struct cli_error *err;
	const char *name; /* of the option */
	enum policy_rule rule;
	const char *rows, *with, *without;
};

static int refuse(const struct reading *in, const char *value, const char *wanted)
{
	cli_error_set(in->err, "--%s: '%s' is not %s", in->name, value, wanted);
	errno = EINVAL;
	return -1;
}

/* A plain decimal number from low to high. */
static bool is_number(const char *value, double low, double high, double *number)
{
	char *end;

	if (!*value || value[strspn(value, "0123456789.")])
		return false;
	*number = strtod(value, &end);
	return !*end && *number >= low && *number <= high;
}

/* --- rules and patches --------------------------------------------------------- */

static int change(const struct reading *in, enum policy_rule *rule, const char *patch, bool with)
{
	enum policy_patch p = policy_patch_by_name(patch);
	enum policy_rule changed = policy_change(*rule, p, with);

	if (!p)
		return refuse(in, patch,
			      "one of retry-init, no-swap, adjust-before-halve, eighth, "
			      "allowed-limit, late-blocked-load");
	if (!changed) {
		cli_error_set(in->err, "--%s: '%s': the rule %s %s", in->name, patch,
			      policy_name(*rule),
			      policy_has(*rule, p) == with ? with ? "has it already" : "has it not"
							   : "has nothing that it would change");
		errno = EINVAL;
		return -1;
	}
	*rule = changed;
	return 0;
}

/* "retry-init,no-swap" */
static int change_all(struct reading *in, const char *list, bool with)
{
	char *copy = cli_text(in->arena, "%s", list);

	in->name = with ? "with" : "without";
	if (!copy) {
		cli_error_set(in->err, "%s", strerror(errno));
		return -1;
	}
	for (char *item; (item = strsep(&copy, ","));)
		if (change(in, &in->rule, item, with) < 0)
			return -1;
	return 0;
}

/* "5.18+eighth/late-blocked-load": a version or a rule, with and without patches. */
static int read_row(const struct reading *in, char *row, enum policy_rule *rule)
{
	enum policy_certainty certainty;
	char *patch = row + strcspn(row, "+/"), sign = *patch;

	*patch = '\0';
	*rule = policy_by_name(row);
	if (!*rule) {
		if (policy_of_version(row, rule, &certainty) < 0)
			return refuse(in, row,
				      "a kernel version such as 6.12 or a rule such as G8");
		*rule = policy_refine(*rule, row);
	}
	while (sign) {
		bool with = sign == '+';
		char *next;

		patch++;
		next = patch + strcspn(patch, "+/");
		sign = *next;
		*next = '\0';
		if (change(in, rule, patch, with) < 0)
			return -1;
		patch = next;
	}
	return 0;
}

static int read_rows(struct reading *in)
{
	struct simulate_options *o = in->o;
	char *copy = cli_text(in->arena, "%s", in->rows);
	unsigned int n = 1;

	for (const char *s = in->rows; *s; s++)
		n += *s == ',';
	o->rules = arena_array(in->arena, n, sizeof(*o->rules));
	o->names = arena_array(in->arena, n, sizeof(*o->names));
	if (!copy || !o->rules || !o->names)
		goto failed;
	in->name = "rows";
	for (char *item; (item = strsep(&copy, ","));) {
		o->names[o->nrules] = cli_text(in->arena, "%s", item);
		if (!o->names[o->nrules])
			goto failed;
		if (read_row(in, item, &o->rules[o->nrules]) < 0)
			return -1;
		o->nrules++;
	}
	return 0;
failed:
	cli_error_set(in->err, "%s", strerror(errno));
	return -1;
}

/* The one row of --kernel, --rule, --with and --without. */
static int make_row(struct reading *in, const struct cli_rule *rule, bool given)
{
	struct simulate_options *o = in->o;
	const char *name = given ? policy_name(rule->rule) : rule->kernel;

	in->rule = given ? rule->rule : policy_refine(rule->rule, rule->kernel);
	if (in->with && change_all(in, in->with, true) < 0)
		return -1;
	if (in->without && change_all(in, in->without, false) < 0)
		return -1;
	o->nrules = 1;
	o->rules = arena_array(in->arena, 1, sizeof(*o->rules));
	o->names = arena_array(in->arena, 1, sizeof(*o->names));
	if (o->names)
		o->names[0] = cli_text(in->arena, "%s%s%s%s%s", name, in->with ? "+" : "",
				       in->with ? in->with : "", in->without ? "/" : "",
				       in->without ? in->without : "");
	if (o->rules && o->names && o->names[0]) {
		o->rules[0] = in->rule;
		return 0;
	}
	cli_error_set(in->err, "%s", strerror(errno));
	return -1;
}

/* --- numbers ------------------------------------------------------------------- */

static int read_samples(const struct reading *in, const char *value)
{
	struct sim_params *p = &in->o->sim;
	char *copy = cli_text(in->arena, "%s", value);

	p->nsamples = 0;
	if (!copy) {
		cli_error_set(in->err, "%s", strerror(errno));
		return -1;
	}
	for (char *item; (item = strsep(&copy, ","));) {
		double *at = &p->samples[p->nsamples];

		if (p->nsamples == SIM_SAMPLES_MAX || !is_number(item, 0, SIM_SECONDS_MAX, at) ||
		    (p->nsamples && *at <= at[-1]))
			return refuse(in, value,
				      "up to 16 ascending numbers of seconds from 0 to 100000");
		p->nsamples++;
	}
	return 0;
}

static int read_launch(const struct reading *in, const char *value)
{
	static const char *const names[] = { NULL, "hydra", "threads", "spin", "sleep" };

	for (unsigned int i = SIM_HYDRA; i <= SIM_SLEEP; i++)
		if (!strcmp(value, names[i])) {
			in->o->sim.launch = (enum sim_launch)i;
			return 0;
		}
	return refuse(in, value, "hydra, threads, spin or sleep");
}

static int read_number(const struct reading *in, const char *value)
{
	struct sim_params *p = &in->o->sim;
	const struct {
		const char *name;
		unsigned int low, high;
		unsigned int *whole;
		double *real;
		const char *wanted;
	} numbers[] = {
		{ "runs", 1, SIMULATE_RUNS_MAX, &in->o->runs, NULL,
		  "a number of runs from 1 to 1000000" },
		{ "seed", 0, UINT32_MAX, &in->o->seed, NULL, "a number from 0 to 4294967295" },
		{ "gap-us", 0, SIMULATE_US_MAX, &p->gap_us, NULL, NULL },
		{ "exec-us", 0, SIMULATE_US_MAX, &p->exec_us, NULL, NULL },
		{ "start-us", 0, SIMULATE_US_MAX, &p->start_us, NULL, NULL },
		{ "between-us", 0, SIMULATE_US_MAX, &p->between_us, NULL, NULL },
		{ "serve-us", 0, SIMULATE_US_MAX, &p->serve_us, NULL, NULL },
		{ "sleep-us", 0, SIMULATE_US_MAX, &p->sleep_us, NULL, NULL },
		{ "setup-us", 0, SIMULATE_US_MAX, &p->setup_us, NULL, NULL },
		{ "connect-us", 0, SIMULATE_US_MAX, &p->connect_us, NULL, NULL },
		{ "jitter", 0, 1, NULL, &p->jitter, "a number from 0 to 1" },
		{ "unrelated", 0, 1, NULL, &p->unrelated, "a number from 0 to 1" },
		{ "bandwidth-share", 0, 1, NULL, &p->bandwidth_share, "a number from 0 to 1" },
		{ "mb", 1, 1000000000, NULL, &p->megabytes,
		  "a number of megabytes from 1 to 1000000000" },
		{ "even-seconds", 0, 100000, NULL, &p->even_seconds,
		  "a number of seconds from 0 to 100000" },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		double number;

		if (strcmp(in->name, numbers[i].name))
			continue;
		if (!is_number(value, numbers[i].low, numbers[i].high, &number) ||
		    (numbers[i].whole && number != floor(number)))
			return refuse(in, value,
				      numbers[i].wanted
					  ? numbers[i].wanted
					  : "a number of microseconds from 0 to 1000000000");
		if (numbers[i].whole)
			*numbers[i].whole = (unsigned int)number;
		else
			*numbers[i].real = number;
	}
	return 0;
}

static int set_option(struct reading *in, const char *value)
{
	if (!strcmp(in->name, "rows"))
		in->rows = value;
	else if (!strcmp(in->name, "with"))
		in->with = value;
	else if (!strcmp(in->name, "without"))
		in->without = value;
	else if (!strcmp(in->name, "walk"))
		in->o->sim.walk = true;
	else if (!strcmp(in->name, "launch"))
		return read_launch(in, value);
	else if (!strcmp(in->name, "at"))
		return read_samples(in, value);
	else if (strcmp(in->name, "plot"))
		return read_number(in, value);
	else if (!*value)
		return refuse(in, value, "a name");
	else
		in->o->plot = value;
	return 0;
}

/* On the command line: what a site or the environment says in general is no answer. */
static bool is_given(const struct cli *c, const char *name)
{
	for (unsigned int i = 0; i < c->ngiven; i++)
		if (!strcmp(c->given[i].name, name))
			return true;
	return false;
}

int simulate_options_read(struct simulate_options *o, struct arena *a, const struct cli *c,
			  const struct cli_rule *rule, struct cli_error *err)
{
	struct reading in = { .o = o, .arena = a, .err = err };

	*o = (struct simulate_options){ .runs = 1000, .seed = 1 };
	sim_defaults(&o->sim);
	for (unsigned int i = 0; i < c->nown; i++) {
		in.name = c->own[i].name;
		if (set_option(&in, c->own[i].value) < 0)
			return -1;
	}
	if (!in.rows)
		return make_row(&in, rule, c->options.rule != NULL);
	if (!in.with && !in.without && !is_given(c, "kernel") && !is_given(c, "rule"))
		return read_rows(&in);
	cli_error_set(err, "--rows names its rules and patches itself: no --kernel, --rule, "
			   "--with or --without");
	errno = EINVAL;
	return -1;
}
