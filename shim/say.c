#include "shim/say.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

void say_text(struct say *s, const char *text)
{
	size_t n = strlen(text), room = SAY_MAX - 1 - s->len;

	if (n > room)
		n = room;
	memcpy(s->buf + s->len, text, n);
	s->len += (unsigned int)n;
}

void say_number(struct say *s, unsigned long n)
{
	char digits[24];
	size_t i = sizeof(digits);

	digits[--i] = '\0';
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	say_text(s, digits + i);
}

void say_cpus(struct say *s, const struct cpus *c)
{
	char list[SAY_MAX / 2];

	cpus_format(c, list, sizeof(list));
	say_text(s, list);
}

void say_begin(struct say *s, long pid, long rank)
{
	s->len = 0;
	say_text(s, "evenkeel[");
	say_number(s, (unsigned long)pid);
	if (rank >= 0) {
		say_text(s, " ");
		say_number(s, (unsigned long)rank);
	}
	say_text(s, "]: ");
}

/* A pipe whose reader is gone would kill the process (SIGPIPE), a full one would
 * stop it. */
static bool can_write(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && fd.revents == POLLOUT;
}

void say_end(struct say *s)
{
	int saved = errno;
	ssize_t rc = 0;

	s->buf[s->len++] = '\n';
	if (can_write())
		rc = write(STDERR_FILENO, s->buf, s->len);
	(void)rc;
	errno = saved;
}
