#include "launcher/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define CHUNK 65536u

int relay_open(struct relay *r, struct arena *a, bool show)
{
	int ends[2];

	memset(r, 0, sizeof(*r));
	r->from = r->to = -1;
	r->show = show;
	r->hosts.arena = a;
	/* With standard error closed the pipe would take its place. */
	if (fcntl(STDERR_FILENO, F_GETFD) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	r->from = ends[0];
	r->to = ends[1];
	return 0;
}

void relay_child(struct relay *r)
{
	if (r->to >= 0)
		dup2(r->to, STDERR_FILENO);
}

void relay_parent(struct relay *r)
{
	if (r->to >= 0)
		close(r->to);
	r->to = -1;
}

/* Whether len bytes may be the beginning of one of the preload's lines. */
static bool may_be_ours(const char *line, size_t len)
{
	size_t n = strlen(HOSTS_LINE);

	return !memcmp(line, HOSTS_LINE, len < n ? len : n);
}

/* Moves what was kept to out. */
static size_t let_go(struct relay *r, char *out)
{
	size_t len = r->len;

	memcpy(out, r->line, len);
	r->len = 0;
	return len;
}

size_t relay_take(struct relay *r, const char *bytes, size_t len, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (r->inside) {
			out[n++] = bytes[i];
			r->inside = bytes[i] != '\n';
			continue;
		}
		r->line[r->len++] = bytes[i];
		if (!may_be_ours(r->line, r->len) || r->len == RELAY_LINE_MAX) {
			r->inside = bytes[i] != '\n';
			n += let_go(r, out + n);
		} else if (bytes[i] == '\n') {
			hosts_line(&r->hosts, r->line, r->len - 1);
			if (r->show)
				n += let_go(r, out + n);
			r->len = 0;
		}
	}
	return n;
}

/* False when nobody reads it any more. */
static bool pass_on(const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(STDERR_FILENO, bytes, len);

		if (n < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = STDERR_FILENO, .events = POLLOUT }, 1, -1);
		else if (n < 0 && errno != EINTR)
			return false;
		else if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* The command is told what it would have been told without us: nobody reads. */
static void close_from(struct relay *r)
{
	close(r->from);
	r->from = -1;
}

void relay_read(struct relay *r)
{
	static char bytes[CHUNK], out[CHUNK + RELAY_LINE_MAX];
	ssize_t len = read(r->from, bytes, sizeof(bytes));
	size_t n = 0;

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (len > 0)
		n = relay_take(r, bytes, (size_t)len, out);
	else
		n = let_go(r, out);
	if (!pass_on(out, n) || len <= 0)
		close_from(r);
}

static void read_all(struct relay *r, int timeout)
{
	struct pollfd fd = { .fd = r->from, .events = POLLIN };

	while (r->from >= 0 && poll(&fd, 1, timeout) > 0)
		relay_read(r);
}

void relay_finish(struct relay *r)
{
	read_all(r, 0);
	if (r->from < 0)
		return;
	if (fork() == 0) {
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		read_all(r, -1);
		_exit(0);
	}
	close_from(r);
}
