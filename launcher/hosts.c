#include "launcher/hosts.h"

#include <string.h>

#include "launcher/cli.h"
#include "launcher/crowd.h"

#define DIGITS "0123456789"
#define NOT_ACTIVE "not active: "
#define ONE_BY_ONE "ranks that come one by one"

static struct hosts_host *find(struct hosts *h, const char *name)
{
	struct hosts_host *host;

	for (unsigned int i = 0; i < h->n; i++)
		if (!strcmp(h->hosts[i].name, name))
			return &h->hosts[i];
	host = crowd_grow(h->arena, h->hosts, h->n, &h->room, sizeof(*host));
	if (!host)
		return NULL;
	h->hosts = host;
	host += h->n++;
	*host = (struct hosts_host){ NULL, NULL };
	return host;
}

static int put(struct hosts *h, char *name, char *why)
{
	struct hosts_host *host = find(h, name);

	if (!host)
		return -1;
	if (!host->name)
		*host = (struct hosts_host){ name, why };
	else if (!why)
		host->why = NULL;
	return 0;
}

/* What follows "evenkeel[PID]: ", or NULL. */
static char *after_pid(char *text)
{
	size_t digits;

	if (strncmp(text, HOSTS_LINE, strlen(HOSTS_LINE)) != 0)
		return NULL;
	text += strlen(HOSTS_LINE);
	digits = strspn(text, DIGITS);
	return digits && !strncmp(text + digits, "]: ", 3) ? text + digits + 3 : NULL;
}

/* "2 ranks, ...", or what is said of a job whose ranks nobody has counted. */
static bool is_job(const char *text)
{
	size_t digits = strspn(text, DIGITS);

	if (!digits)
		return !strncmp(text, ONE_BY_ONE, strlen(ONE_BY_ONE));
	return !strncmp(text + digits, " rank", 5);
}

int hosts_line(struct hosts *h, const char *line, size_t len)
{
	char *text = arena_alloc(h->arena, len + 1), *name, *rest;

	if (!text)
		return -1;
	memcpy(text, line, len);
	name = after_pid(text);
	rest = name ? strstr(name, ": ") : NULL;
	if (!rest)
		return 0;
	*rest = '\0';
	rest += 2;
	if (is_job(rest))
		return put(h, name, NULL);
	if (!strncmp(rest, NOT_ACTIVE, strlen(NOT_ACTIVE)))
		return put(h, name, rest + strlen(NOT_ACTIVE));
	return 0;
}

unsigned int hosts_active(const struct hosts *h)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < h->n; i++)
		n += !h->hosts[i].why;
	return n;
}

const char *hosts_alike(const struct hosts *h, unsigned int i)
{
	const char *why = h->hosts[i].why, *names = "";

	if (!why)
		return NULL;
	for (unsigned int j = 0; names && j < h->n; j++) {
		if (!h->hosts[j].why || strcmp(h->hosts[j].why, why) != 0)
			continue;
		if (j < i)
			return NULL;
		names = cli_text(h->arena, "%s%s%s", names, *names ? ", " : "", h->hosts[j].name);
	}
	return names;
}
