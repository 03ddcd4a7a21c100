#include "launcher/compare_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 1e7

/* Where an option makes sense. */
enum when {
	WHEN_ANY = 0,
	WHEN_MEASURING,
	WHEN_READING,
};

struct reading {
	struct compare_options *o;
	struct cli_error *err;
	const char *name; /* of the option */
};

static int refuse(const struct reading *in, const char *value, const char *wanted)
{
	cli_error_set(in->err, "--%s: '%s' is not %s", in->name, value, wanted);
	errno = EINVAL;
	return -1;
}

static int seconds(const struct reading *in, const char *value, double *s)
{
	char *end;

	*s = strtod(value, &end);
	if (end == value || *end || !(*s >= 0 && *s <= SECONDS_MAX) ||
	    value[strspn(value, "0123456789.")])
		return refuse(in, value, "a number of seconds from 0 to 10000000");
	return 0;
}

static int fail_on(const struct reading *in, const char *value)
{
	if (!strcmp(value, "spread"))
		in->o->fail_on_spread = true;
	else if (!strcmp(value, "slower"))
		in->o->fail_on_slower = true;
	else
		return refuse(in, value, "spread or slower");
	return 0;
}

static int one_of(const struct reading *in, const char *value, const char *first,
		  const char *second, bool *is_second)
{
	*is_second = !strcmp(value, second);
	if (*is_second || !strcmp(value, first))
		return 0;
	cli_error_set(in->err, "--%s: '%s' is neither %s nor %s", in->name, value, first, second);
	errno = EINVAL;
	return -1;
}

static int set_better(const struct reading *in, const char *value)
{
	bool higher;

	if (one_of(in, value, "lower", "higher", &higher) < 0)
		return -1;
	in->o->better = higher ? STATS_HIGHER : STATS_LOWER;
	return 0;
}

static int set_text(const struct reading *in, const char *value, const char **text)
{
	if (!*value)
		return refuse(in, value, "a name");
	*text = value;
	return 0;
}

/* Those with a number or a word. */
static int set_value(const struct reading *in, const char *value)
{
	struct compare_options *o = in->o;
	const char *name = in->name;

	if (!strcmp(name, "runs"))
		return cli_number(value, COMPARE_RUNS_MAX, &o->runs) && o->runs
			   ? 0
			   : refuse(in, value, "a number of runs from 1 to 10000");
	if (!strcmp(name, "warmup"))
		return cli_number(value, COMPARE_RUNS_MAX, &o->warmup)
			   ? 0
			   : refuse(in, value, "a number of runs from 0 to 10000");
	if (!strcmp(name, "seed"))
		return cli_number(value, 4294967295u, &o->seed)
			   ? 0
			   : refuse(in, value, "a number from 0 to 4294967295");
	if (!strcmp(name, "timeout"))
		return seconds(in, value, &o->timeout_s);
	if (!strcmp(name, "cooldown"))
		return seconds(in, value, &o->cooldown_s);
	if (!strcmp(name, "schedule"))
		return one_of(in, value, "abab", "random", &o->random);
	if (!strcmp(name, "better"))
		return set_better(in, value);
	return fail_on(in, value);
}

static const struct {
	const char *name;
	enum when when;
} options[] = {
	{ "runs", WHEN_MEASURING },    { "warmup", WHEN_MEASURING }, { "schedule", WHEN_MEASURING },
	{ "timeout", WHEN_MEASURING }, { "setup", WHEN_MEASURING },  { "cooldown", WHEN_MEASURING },
	{ "record", WHEN_MEASURING },  { "from", WHEN_READING },
};

static int check_when(const struct reading *in, bool reading)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (strcmp(in->name, options[i].name) || options[i].when == WHEN_ANY ||
		    (options[i].when == WHEN_READING) == reading)
			continue;
		cli_error_set(in->err,
			      "--%s is for measuring, --from reads what was measured: "
			      "one or the other",
			      in->name);
		errno = EINVAL;
		return -1;
	}
	return 0;
}

static int set_option(const struct reading *in, const char *value)
{
	struct compare_options *o = in->o;

	if (!strcmp(in->name, "variants"))
		o->variants[o->nvariants++] = value;
	else if (!strcmp(in->name, "metric"))
		o->metrics[o->nmetrics++] = value;
	else if (!strcmp(in->name, "from"))
		o->from[o->nfrom++] = value;
	else if (!strcmp(in->name, "csv"))
		o->csv = true;
	else if (!strcmp(in->name, "markdown"))
		o->markdown = true;
	else if (!strcmp(in->name, "setup"))
		return set_text(in, value, &o->setup);
	else if (!strcmp(in->name, "record"))
		return set_text(in, value, &o->record);
	else if (!strcmp(in->name, "plot"))
		return set_text(in, value, &o->plot);
	else
		return set_value(in, value);
	return 0;
}

int compare_options_read(struct compare_options *o, struct arena *a, const struct cli *c,
			 int ncommand, struct cli_error *err)
{
	struct reading in = { .o = o, .err = err };
	bool reading = false;

	*o = (struct compare_options){ .runs = 10, .warmup = 1, .seed = 1 };
	o->variants = arena_array(a, c->nown, sizeof(*o->variants));
	o->metrics = arena_array(a, c->nown, sizeof(*o->metrics));
	o->from = arena_array(a, c->nown, sizeof(*o->from));
	if (!o->variants || !o->metrics || !o->from) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	for (unsigned int i = 0; i < c->nown; i++)
		reading |= !strcmp(c->own[i].name, "from");
	for (unsigned int i = 0; i < c->nown; i++) {
		in.name = c->own[i].name;
		if (check_when(&in, reading) < 0 || set_option(&in, c->own[i].value) < 0)
			return -1;
	}
	errno = EINVAL;
	if (o->csv + o->markdown + c->json > 1)
		cli_error_set(err, "--csv, --markdown and --json: one of them");
	else if (reading && ncommand)
		cli_error_set(err, "a command and --from: one or the other");
	else
		return 0;
	return -1;
}
