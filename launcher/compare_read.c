#include "launcher/compare_read.h"

#include <errno.h>
#include <string.h>

#include "launcher/record.h"
#include "launcher/variants.h"

static bool has_variant(const struct results *r, const char *name)
{
	for (unsigned int i = 0; i < r->nvariants; i++)
		if (!strcmp(r->variant[i], name))
			return true;
	return false;
}

static const char *stem(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return cli_text(a, "%.*s:", dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* Whether a name of one file is in another too. */
static int shares_names(struct arena *a, const struct compare_options *o, bool *shares,
			struct cli_error *err)
{
	struct results *each = arena_array(a, o->nfrom, sizeof(*each));
	struct cli_error note;

	*shares = false;
	for (unsigned int i = 0; each && i < o->nfrom; i++) {
		each[i].arena = a;
		if (record_read(&each[i], o->from[i], NULL, STATS_LOWER, err, &note) < 0)
			return -1;
		for (unsigned int j = 0; j < i; j++)
			for (unsigned int k = 0; k < each[i].nvariants; k++)
				*shares |= has_variant(&each[j], each[i].variant[k]);
	}
	if (each)
		return 0;
	cli_error_set(err, "%s", strerror(errno));
	return -1;
}

/* The stem of a file's name, or its whole path where two have the same. */
static const char *prefix_of(struct arena *a, const struct compare_options *o, unsigned int index)
{
	const char *mine = stem(a, o->from[index]);

	for (unsigned int i = 0; mine && i < o->nfrom; i++) {
		const char *other = stem(a, o->from[i]);

		if (i != index && other && !strcmp(other, mine))
			return cli_text(a, "%s:", o->from[index]);
	}
	return mine;
}

int compare_read_files(struct results *r, const struct compare_options *o, struct cli_error *err,
		       struct cli_error *note)
{
	enum stats_better better = o->better ? o->better : STATS_LOWER;
	struct cli_error one;
	bool shares = false;

	note->text[0] = '\0';
	for (unsigned int i = 0; i < o->nfrom; i++) {
		for (unsigned int j = 0; j < i; j++) {
			if (strcmp(o->from[i], o->from[j]))
				continue;
			cli_error_set(err, "--from: '%s' is named twice", o->from[i]);
			errno = EINVAL;
			return -1;
		}
	}
	if (o->nfrom > 1 && shares_names(r->arena, o, &shares, err) < 0)
		return -1;
	for (unsigned int i = 0; i < o->nfrom; i++) {
		const char *prefix = shares ? prefix_of(r->arena, o, i) : NULL;

		if (record_read(r, o->from[i], prefix, better, err, &one) < 0)
			return -1;
		if (*one.text)
			*note = one;
	}
	errno = EINVAL;
	if (r->nrows && r->nruns)
		cli_error_set(err, "--from: rows of min, max, range and mean cannot be compared "
				   "with runs");
	else if (!r->nrows && !r->nruns)
		cli_error_set(err, "--from: '%s' has no runs", o->from[0]);
	else
		return 0;
	return -1;
}

/* Moves the variants in named to the front, in its order, and drops the rest. */
static int keep_variants(struct results *r, const struct variants *named, struct cli_error *err)
{
	const struct results old = *r;
	unsigned int place[VARIANTS_MAX], kept = 0;

	memset(place, 0xff, sizeof(place));
	for (unsigned int i = 0; i < named->n; i++) {
		unsigned int j = 0;

		while (j < old.nvariants && strcmp(old.variant[j], named->v[i].name))
			j++;
		if (j == old.nvariants) {
			cli_error_set(err, "--variants: '%s' is not in what was read; '%s' is",
				      named->v[i].name, old.variant[0]);
			errno = EINVAL;
			return -1;
		}
		place[j] = i;
		r->variant[i] = old.variant[j];
	}
	r->nvariants = named->n;
	for (unsigned int i = 0; i < old.nruns; i++) {
		unsigned int to = place[r->runs[i].variant];

		if (to == ~0u)
			continue;
		r->runs[kept] = r->runs[i];
		r->runs[kept++].variant = to;
	}
	r->nruns = kept;
	return 0;
}

static int keep_rows(struct results *r)
{
	unsigned int kept = 0;
	struct results_row *rows = arena_array(r->arena, r->nrows, sizeof(*rows));

	if (!rows)
		return -1;
	for (unsigned int v = 0; v < r->nvariants; v++)
		for (unsigned int i = 0; i < r->nrows; i++)
			if (!strcmp(r->rows[i].variant, r->variant[v]))
				rows[kept++] = r->rows[i];
	r->rows = rows;
	r->nrows = kept;
	return 0;
}

static bool is_time(const char *name)
{
	return !strcmp(name, "wall") || !strcmp(name, "user") || !strcmp(name, "system");
}

/* "stream" stands for "stream Copy" and the others. */
static int choose_metric(struct results *r, const char *name, unsigned int *chosen, unsigned int *n,
			 struct cli_error *err)
{
	size_t len = strlen(name);
	unsigned int before = *n;

	for (unsigned int j = 0; j < r->nmetrics && *n < METRICS_MAX; j++)
		if (!strncmp(r->metric[j].name, name, len) &&
		    (!r->metric[j].name[len] || r->metric[j].name[len] == ' '))
			chosen[(*n)++] = j;
	/* Runs have their times whatever they were judged by. */
	if (*n == before && *n < METRICS_MAX && r->nmetrics < METRICS_MAX && is_time(name)) {
		r->metric[r->nmetrics] = (struct results_metric){ name, "s", STATS_LOWER };
		chosen[(*n)++] = r->nmetrics++;
	}
	if (*n > before)
		return 0;
	cli_error_set(err, "--metric: '%s' is not in what was read; '%s' is", name,
		      r->metric[0].name);
	errno = EINVAL;
	return -1;
}

int compare_choose(struct results *r, const struct compare_options *o, unsigned int *chosen,
		   unsigned int *n, struct cli_error *err)
{
	struct variants named = { 0 };

	for (unsigned int i = 0; i < o->nvariants; i++)
		if (variants_add_names(&named, r->arena, o->variants[i], err) < 0)
			return -1;
	if (named.n && keep_variants(r, &named, err) < 0)
		return -1;
	if (named.n && keep_rows(r) < 0) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	*n = 0;
	for (unsigned int i = 0; i < o->nmetrics; i++)
		if (choose_metric(r, o->metrics[i], chosen, n, err) < 0)
			return -1;
	if (!o->nmetrics)
		for (; *n < r->nmetrics; (*n)++)
			chosen[*n] = *n;
	return 0;
}
