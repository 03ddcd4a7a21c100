#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "launcher/record.h"

/* Larger than any record that someone has waited for. */
#define FILE_MAX (256u << 20)

#define refuse(in, ...) refuse_at(in, cli_text((in)->r->arena, __VA_ARGS__))

struct reader {
	struct results *r;
	const char *path, *prefix;
	unsigned int line;
	bool have_host; /* the file has begun to speak of a host */
	struct cli_error *err;
};

static int refuse_at(const struct reader *in, const char *what)
{
	cli_error_set(in->err, "'%s', line %u: %s", in->path, in->line,
		      what ? what : strerror(ENOMEM));
	errno = EINVAL;
	return -1;
}

/* --- members of a line ------------------------------------------------------------ */

static double number_in(const json_t *line, const char *name)
{
	const json_t *v = json_object_get(line, name);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

/* "" when it is null or missing. */
static const char *text_in(struct arena *a, const json_t *line, const char *name)
{
	const char *s = json_string_value(json_object_get(line, name));

	return s ? cli_text(a, "%s", s) : "";
}

/* A whole number from 0 to max; -1 otherwise. */
static json_int_t count_in(const json_t *v, json_int_t max)
{
	json_int_t n = json_is_integer(v) ? json_integer_value(v) : -1;

	return n < 0 || n > max ? -1 : n;
}

static int read_metric(struct reader *in, const json_t *one)
{
	struct results *r = in->r;
	const char *name = text_in(r->arena, one, "name"), *unit = text_in(r->arena, one, "unit");
	const char *better = json_string_value(json_object_get(one, "better"));

	if (!name || !*name || !unit || !better ||
	    (strcmp(better, "lower") && strcmp(better, "higher")))
		return refuse(in, "a metric wants a name, and a better that is lower or higher");
	for (unsigned int i = 0; i < r->nmetrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return 0;
	if (r->nmetrics == METRICS_MAX)
		return refuse(in, "metric '%s' is one more than the %u there may be", name,
			      METRICS_MAX);
	r->metric[r->nmetrics++] =
	    (struct results_metric){ name, unit,
				     strcmp(better, "lower") ? STATS_HIGHER : STATS_LOWER };
	return 0;
}

/* The index of a variant. -1 with err set. */
static int variant_of(struct reader *in, const char *name)
{
	struct arena *a = in->r->arena;
	const char *full = in->prefix ? cli_text(a, "%s%s", in->prefix, name) : name;
	int variant = full ? results_variant(in->r, full) : -1;

	if (variant < 0)
		refuse(in, "variant '%s' is one more than the %u there may be", name, VARIANTS_MAX);
	return variant;
}

/* Their order is that of the command line, whichever ran first. */
static int read_variants(struct reader *in, const json_t *names)
{
	const json_t *one;
	size_t i;

	json_array_foreach (names, i, one) {
		const char *name = json_string_value(one);

		if (!name || !*name)
			return refuse(in, "a variant in the list has no name");
		if (variant_of(in, name) < 0)
			return -1;
	}
	return 0;
}

static int read_host(struct reader *in, const json_t *line)
{
	const json_t *metrics = json_object_get(line, "metrics"), *one;
	struct arena *a = in->r->arena;
	size_t i;

	in->have_host = true;
	if (!json_is_array(metrics) || !json_array_size(metrics))
		return refuse(in, "a host's line wants a list of metrics");
	json_array_foreach (metrics, i, one)
		if (read_metric(in, one) < 0)
			return -1;
	if (read_variants(in, json_object_get(line, "variants")) < 0)
		return -1;
	if (in->r->host.name)
		return 0;
	in->r->host = (struct host_facts){
		.name = text_in(a, line, "host"),
		.kernel = text_in(a, line, "kernel"),
		.governor = text_in(a, line, "governor"),
		.machine = text_in(a, line, "machine"),
		.mpi = text_in(a, line, "mpi"),
		.mems = text_in(a, line, "mems_allowed"),
		.time = text_in(a, line, "time"),
		.numa_balancing = (int)count_in(json_object_get(line, "numa_balancing"), 1 << 16),
		.load = number_in(line, "load"),
	};
	return 0;
}

static unsigned int *read_counts(struct reader *in, const json_t *list, size_t n)
{
	unsigned int *counts = arena_array(in->r->arena, n, sizeof(*counts));

	if (!counts || !json_is_array(list) || json_array_size(list) != n)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		json_int_t count = count_in(json_array_get(list, i), PLAN_RANKS_MAX);

		if (count < 0)
			return NULL;
		counts[i] = (unsigned int)count;
	}
	return counts;
}

static int read_placement(struct reader *in, const json_t *line, struct placement *p)
{
	const json_t *v = json_object_get(line, "placement");
	json_int_t ranks = count_in(json_object_get(v, "ranks"), PLAN_RANKS_MAX);
	json_int_t worst = count_in(json_object_get(v, "worst"), PLAN_RANKS_MAX);
	json_int_t samples = count_in(json_object_get(v, "samples"), UINT32_MAX);
	const json_t *start = json_object_get(v, "start");

	if (!v || json_is_null(v))
		return 0;
	if (ranks < 1 || worst < 0 || samples < 0 || !json_array_size(start))
		return refuse(in, "a placement wants ranks, worst, samples, start and end");
	p->ranks = (unsigned int)ranks;
	p->worst = (unsigned int)worst;
	p->samples = (unsigned int)samples;
	p->nnodes = (unsigned int)json_array_size(start);
	p->start = read_counts(in, start, p->nnodes);
	p->end = read_counts(in, json_object_get(v, "end"), p->nnodes);
	p->remote_share = number_in(v, "remote_share");
	p->run_delay_s = number_in(v, "run_delay_s");
	if (!p->start || !p->end)
		return refuse(in, "start and end of a placement want a number for each node");
	return 0;
}

static int read_run(struct reader *in, const json_t *line)
{
	const char *name = json_string_value(json_object_get(line, "variant"));
	const json_t *values = json_object_get(line, "values");
	json_int_t number = count_in(json_object_get(line, "run"), INT32_MAX);
	struct results *r = in->r;
	struct run *run;
	int variant;

	if (!in->have_host)
		return refuse(in, "a run before the line of its host");
	if (!name || !*name || number < 0)
		return refuse(in, "a run wants a number and a variant");
	variant = variant_of(in, name);
	if (variant < 0)
		return -1;
	run = results_add_run(r);
	if (!run)
		return refuse_at(in, NULL);
	run->number = (unsigned int)number;
	run->variant = (unsigned int)variant;
	run->warmup = json_is_true(json_object_get(line, "warmup"));
	run->failed = text_in(r->arena, line, "failed");
	if (run->failed && !*run->failed)
		run->failed = NULL;
	run->wall_s = number_in(line, "wall_s");
	run->user_s = number_in(line, "user_s");
	run->system_s = number_in(line, "system_s");
	run->switches = (long)count_in(json_object_get(line, "switches"), INT64_MAX);
	for (unsigned int i = 0; i < r->nmetrics; i++)
		run->values[i] = number_in(values, r->metric[i].name);
	return read_placement(in, line, &run->placement);
}

static int read_line(struct reader *in, const json_t *line)
{
	json_int_t version = count_in(json_object_get(line, "evenkeel_compare"), INT32_MAX);
	const char *kind = json_string_value(json_object_get(line, "kind"));

	if (version < 1)
		return refuse(in, "no line of evenkeel compare: 'evenkeel_compare' is missing");
	if (version > RECORD_VERSION)
		return refuse(in, "version %d of the record; this evenkeel reads up to %d",
			      (int)version, RECORD_VERSION);
	if (kind && !strcmp(kind, "host"))
		return read_host(in, line);
	if (kind && !strcmp(kind, "run"))
		return read_run(in, line);
	return 0;
}

/* --- the file ----------------------------------------------------------------------- */

static int read_lines(struct reader *in, char *text, struct cli_error *note)
{
	for (char *line = text, *end; *line; line = end + 1) {
		json_error_t error;
		json_t *object;
		int result;

		in->line++;
		end = strchr(line, '\n');
		if (!end) {
			cli_error_set(note, "'%s', line %u is cut short and left out", in->path,
				      in->line);
			return 0;
		}
		*end = '\0';
		if (!*line)
			continue;
		object = json_loads(line, 0, &error);
		if (!object)
			return refuse(in, "no JSON: %s", error.text);
		result = read_line(in, object);
		json_decref(object);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* The whole file in the arena. NULL with errno and err set. */
static char *read_file(struct arena *a, const char *path, struct cli_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0, room = 1u << 16;
	char *text = arena_alloc(a, room);
	ssize_t got = -1;

	while (fd >= 0 && text && (got = read(fd, text + len, room - len - 1)) > 0) {
		char *more;

		len += (size_t)got;
		if (len + 1 < room)
			continue;
		if (room >= FILE_MAX) {
			errno = EFBIG;
			got = -1;
			break;
		}
		more = arena_alloc(a, 2 * room);
		if (more)
			memcpy(more, text, len);
		text = more;
		room *= 2;
	}
	if (fd < 0 || !text || got < 0) {
		cli_error_set(err, "--from: '%s': %s", path, strerror(errno));
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (text && strlen(text) != len) {
		cli_error_set(err, "--from: '%s' is no text: it has NUL bytes", path);
		errno = EINVAL;
		text = NULL;
	}
	return text;
}

int record_read(struct results *r, const char *path, const char *prefix, enum stats_better better,
		struct cli_error *err, struct cli_error *note)
{
	struct reader in = { .r = r, .path = path, .prefix = prefix, .err = err };
	char *text = read_file(r->arena, path, err);

	note->text[0] = '\0';
	if (!text)
		return -1;
	if (text[strspn(text, " \t\r\n")] != '{')
		return record_read_csv(r, path, prefix, text, better, err);
	return read_lines(&in, text, note);
}
