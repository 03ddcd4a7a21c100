#include "config.h"

#include "launcher/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

int record_create(struct record *rec, const char *path, struct cli_error *err)
{
	*rec = (struct record){ .path = path, .fd = -1 };
	if (!path)
		return 0;
	/* A record is not to be lost by a second run of the same line. */
	rec->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	if (rec->fd < 0) {
		cli_error_set(err, "--record: '%s': %s", path, strerror(errno));
		return -1;
	}
	return 0;
}

static int write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t done = write(fd, bytes, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		bytes += done;
		len -= (size_t)done;
	}
	return 0;
}

/* Takes line over. */
static int put_line(struct record *rec, json_t *line, struct cli_error *err)
{
	char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	off_t before = -1;
	int result = -1;

	json_decref(line);
	if (rec->fd < 0) {
		free(text);
		return 0;
	}
	if (text) {
		size_t len = strlen(text);

		before = lseek(rec->fd, 0, SEEK_END);
		text[len] = '\n'; /* the NUL is not needed any more */
		result = write_all(rec->fd, text, len + 1);
	} else {
		errno = ENOMEM;
	}
	free(text);
	if (result == 0)
		return 0;
	cli_error_set(err,
		      "--record: '%s': %s; the runs recorded so far are in it, later ones "
		      "are not",
		      rec->path, strerror(errno));
	/* What fitted of the line is taken back; a device cannot do that. */
	if (before >= 0 && ftruncate(rec->fd, before) < 0)
		errno = 0;
	close(rec->fd);
	rec->fd = -1;
	return -1;
}

/* A text that may hold anything. */
static json_t *text_of(const char *s)
{
	json_t *text;
	char *copy;

	if (!s || !*s)
		return json_null();
	text = json_string(s);
	if (text)
		return text;
	/* It was no UTF-8. */
	copy = strdup(s);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	text = copy ? json_string(copy) : NULL;
	free(copy);
	return text ? text : json_null();
}

static json_t *number_of(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *command_of(char *const *command)
{
	json_t *words = json_array();

	for (; command && *command; command++)
		json_array_append_new(words, text_of(*command));
	return words;
}

int record_host(struct record *rec, const struct results *r, char *const *command,
		struct cli_error *err)
{
	const struct host_facts *h = &r->host;
	json_t *metrics = json_array(), *variants = json_array();

	for (unsigned int i = 0; i < r->nmetrics; i++)
		json_array_append_new(
		    metrics, json_pack("{s:o,s:s,s:s}", "name", text_of(r->metric[i].name), "unit",
				       r->metric[i].unit, "better",
				       r->metric[i].better == STATS_HIGHER ? "higher" : "lower"));
	for (unsigned int i = 0; i < r->nvariants; i++)
		json_array_append_new(variants, text_of(r->variant[i]));
	return put_line(
	    rec,
	    json_pack("{s:i,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
		      "evenkeel_compare", RECORD_VERSION, "kind", "host", "evenkeel",
		      PACKAGE_VERSION, "time", text_of(h->time), "host", text_of(h->name), "kernel",
		      text_of(h->kernel), "numa_balancing",
		      h->numa_balancing < 0 ? json_null() : json_integer(h->numa_balancing),
		      "governor", text_of(h->governor), "load", number_of(h->load), "mems_allowed",
		      text_of(h->mems), "mpi", text_of(h->mpi), "machine", text_of(h->machine),
		      "command", command_of(command), "metrics", metrics, "variants", variants),
	    err);
}

static json_t *counts_of(const struct placement *p, const unsigned int *counts)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < p->nnodes; i++)
		json_array_append_new(list, json_integer(counts[i]));
	return list;
}

static json_t *placement_of(const struct placement *p)
{
	if (!p->ranks)
		return json_null();
	return json_pack("{s:i,s:o,s:o,s:i,s:o,s:o,s:i}", "ranks", (int)p->ranks, "start",
			 counts_of(p, p->start), "end", counts_of(p, p->end), "worst",
			 (int)p->worst, "remote_share", number_of(p->remote_share), "run_delay_s",
			 number_of(p->run_delay_s), "samples", (int)p->samples);
}

int record_run(struct record *rec, const struct results *r, const struct run *run,
	       struct cli_error *err)
{
	json_t *values = json_object();

	for (unsigned int i = 0; i < r->nmetrics; i++) {
		json_t *name = text_of(r->metric[i].name);

		if (!isnan(run->values[i]))
			json_object_set_new(values, json_string_value(name),
					    json_real(run->values[i]));
		json_decref(name);
	}
	return put_line(rec,
			json_pack("{s:i,s:s,s:i,s:o,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
				  "evenkeel_compare", RECORD_VERSION, "kind", "run", "run",
				  (int)run->number, "variant", text_of(r->variant[run->variant]),
				  "warmup", run->warmup, "failed", text_of(run->failed), "wall_s",
				  number_of(run->wall_s), "user_s", number_of(run->user_s),
				  "system_s", number_of(run->system_s), "switches",
				  run->switches < 0 ? json_null() : json_integer(run->switches),
				  "values", values, "placement", placement_of(&run->placement)),
			err);
}

int record_close(struct record *rec, struct cli_error *err)
{
	int fd = rec->fd;

	rec->fd = -1;
	if (fd < 0 || close(fd) == 0)
		return 0;
	cli_error_set(err, "--record: '%s': %s", rec->path, strerror(errno));
	return -1;
}
