#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/crowd.h"
#include "launcher/record.h"

#define FIELDS_MAX 8
#define REFUSE(in, ...) (cli_error_set((in)->err, __VA_ARGS__), place_error(in))

struct csv {
	struct results *r;
	const char *path, *prefix;
	unsigned int line; /* of the row being read */
	unsigned int next; /* the line after it */
	char *rest;
	struct cli_error *err;
	unsigned int n;
	char *field[FIELDS_MAX];
};

/* Puts file and line before what err says. */
static int place_error(const struct csv *in)
{
	struct cli_error what = *in->err;

	cli_error_set(in->err, "'%s', line %u: %s", in->path, in->line, what.text);
	errno = EINVAL;
	return -1;
}

/* --- rows ------------------------------------------------------------------------ */

/* Ends the field that begins at s, taking its quotes away in place; *end is what
 * follows. false when a quote is not closed, or closed before the field ends. */
static bool read_field(char *s, char **end)
{
	char *to = s;

	*end = s + strcspn(s, ",\n");
	if (*s != '"')
		return true;
	for (s++; *s && (*s != '"' || s[1] == '"'); s++) {
		s += *s == '"';
		*to++ = *s;
	}
	if (!*s)
		return false;
	*end = s + 1 + (s[1] == '\r');
	*to = '\0';
	return !**end || **end == ',' || **end == '\n';
}

static void trim(char **field)
{
	char *end;

	while (isblank((unsigned char)**field))
		(*field)++;
	end = *field + strlen(*field);
	while (end > *field && isspace((unsigned char)end[-1]))
		*--end = '\0';
}

/* The next row that is not empty: 1, 0 at the end, or -1 with err. */
static int read_row(struct csv *in)
{
	char *s = in->rest;

	while (*s == '\n' || *s == '\r') {
		in->next += *s == '\n';
		s++;
	}
	in->line = in->next;
	in->n = 0;
	if (!*s)
		return 0;
	for (bool more = true; more;) {
		char *start = s, *end, ends;

		if (in->n == FIELDS_MAX)
			return REFUSE(in, "more than %u fields", FIELDS_MAX);
		if (!read_field(s, &end))
			return REFUSE(in, "a quoted field does not end as one");
		ends = *end;
		more = ends == ',';
		s = ends ? end + 1 : end;
		*end = '\0';
		in->field[in->n] = start;
		trim(&in->field[in->n++]);
	}
	in->rest = s;
	in->next++;
	return 1;
}

/* A finite number and nothing else; *decimals are those printed. */
static int read_number(struct csv *in, const char *text, double *v, unsigned int *decimals)
{
	const char *point = strchr(text, '.');
	char *end;

	*v = strtod(text, &end);
	/* strtod would take hexadecimals and names too. */
	if (end == text || *end || !isfinite(*v) || text[strspn(text, "+-.0123456789eE")])
		return REFUSE(in, "'%s' is not a number", text);
	if (strpbrk(text, "eE"))
		*decimals = 9;
	else if (point && strlen(point + 1) > *decimals)
		*decimals = (unsigned int)strlen(point + 1);
	return 0;
}

static int variant_of(struct csv *in)
{
	const char *name = in->field[0];
	int variant;

	if (!*name)
		return REFUSE(in, "the variant is empty");
	if (in->prefix)
		name = cli_text(in->r->arena, "%s%s", in->prefix, name);
	variant = name ? results_variant(in->r, name) : -1;
	if (variant < 0)
		return REFUSE(in, "variant '%s' is one more than the %u there may be", in->field[0],
			      VARIANTS_MAX);
	return variant;
}

static int read_value(struct csv *in, unsigned int metric)
{
	unsigned int decimals = 0, number = 0;
	struct run *run;
	double value;
	int variant;

	if (in->n != 2)
		return REFUSE(in, "%u fields where variant,value has 2", in->n);
	variant = variant_of(in);
	if (variant < 0 || read_number(in, in->field[1], &value, &decimals) < 0)
		return -1;
	if (in->r->nruns)
		number = in->r->runs[in->r->nruns - 1].number;
	run = results_add_run(in->r);
	if (!run)
		return REFUSE(in, "%s", strerror(ENOMEM));
	run->number = number + 1;
	run->variant = (unsigned int)variant;
	run->values[metric] = value;
	return 0;
}

/* variant, min, max, range, mean. */
static int read_figures(struct csv *in)
{
	unsigned int decimals = 0;
	struct results_row *rows;
	double v[4], half;
	int variant;

	if (in->n != 5)
		return REFUSE(in, "%u fields where variant,min,max,range,mean has 5", in->n);
	variant = variant_of(in);
	if (variant < 0)
		return -1;
	for (unsigned int i = 0; i < 4; i++)
		if (read_number(in, in->field[i + 1], &v[i], &decimals) < 0)
			return -1;
	half = 0.5 * pow(10, -(double)decimals);
	if (fabs(v[1] - v[0] - v[2]) >= half)
		return REFUSE(in, "the range is %s, but max - min is %.*f", in->field[3],
			      (int)decimals, v[1] - v[0]);
	if (v[3] < v[0] || v[3] > v[1])
		return REFUSE(in, "the mean %s is not between min %s and max %s", in->field[4],
			      in->field[1], in->field[2]);
	rows = crowd_grow(in->r->arena, in->r->rows, in->r->nrows, &in->r->row_room, sizeof(*rows));
	if (!rows)
		return REFUSE(in, "%s", strerror(ENOMEM));
	in->r->rows = rows;
	for (unsigned int i = 0; i < in->r->nrows; i++)
		if (!strcmp(rows[i].variant, in->r->variant[variant]))
			return REFUSE(in, "variant '%s' has a row already", in->field[0]);
	rows[in->r->nrows++] = (struct results_row){ in->r->variant[variant], v[0], v[1], v[3] };
	return 0;
}

/* --- the file ---------------------------------------------------------------------- */

static bool heading_is(const struct csv *in, const char *const *names)
{
	unsigned int i;

	for (i = 0; i < in->n && names[i]; i++)
		if (strcasecmp(in->field[i], names[i]))
			return false;
	return i == in->n && !names[i];
}

static int value_metric(struct csv *in, enum stats_better better)
{
	struct results *r = in->r;

	for (unsigned int i = 0; i < r->nmetrics; i++)
		if (!strcmp(r->metric[i].name, "value"))
			return (int)i;
	if (r->nmetrics == METRICS_MAX)
		return REFUSE(in, "one metric more than the %u there may be", METRICS_MAX);
	r->metric[r->nmetrics] = (struct results_metric){ "value", "", better };
	return (int)r->nmetrics++;
}

int record_read_csv(struct results *r, const char *path, const char *prefix, char *text,
		    enum stats_better better, struct cli_error *err)
{
	static const char *const values[] = { "variant", "value", NULL };
	static const char *const figures[] = { "variant", "min", "max", "range", "mean", NULL };
	struct csv in = { .r = r, .path = path, .prefix = prefix, .rest = text, .err = err };
	int got, metric;

	/* Spreadsheets put a byte order mark first. */
	if (!strncmp(text, "\xef\xbb\xbf", 3))
		in.rest += 3;
	in.next = 1;
	got = read_row(&in);
	if (got < 0)
		return -1;
	if (!got || (!heading_is(&in, values) && !heading_is(&in, figures)))
		return REFUSE(&in, "the heading variant,value or variant,min,max,range,mean is "
				   "wanted");
	metric = value_metric(&in, better);
	if (metric < 0)
		return -1;
	if (heading_is(&in, figures)) {
		while ((got = read_row(&in)) > 0)
			if (read_figures(&in) < 0)
				return -1;
		return got;
	}
	while ((got = read_row(&in)) > 0)
		if (read_value(&in, (unsigned int)metric) < 0)
			return -1;
	return got;
}
