#include "launcher/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool ends_in(const char *s, const char *end)
{
	size_t len = strlen(s), tail = strlen(end);

	return len > tail && !strcmp(s + len - tail, end);
}

/* In the PATH, as execvp would find it. */
static bool find_gnuplot(void)
{
	const char *path = getenv("PATH");
	char name[4096];

	while (path && *path) {
		size_t len = strcspn(path, ":");
		int n = snprintf(name, sizeof(name), "%.*s/gnuplot", (int)len, path);

		if (n > 0 && (size_t)n < sizeof(name) && access(name, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* Beside path, so that it can be renamed to it. */
static int open_part(const char *path, char *part, size_t size, struct cli_error *err)
{
	int fd = -1;

	if (snprintf(part, size, "%s.part", path) >= (int)size)
		errno = ENAMETOOLONG;
	else
		fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		cli_error_set(err, "--plot: '%s': %s", path, strerror(errno));
	return fd;
}

int plot_check(const char *path, bool *have_gnuplot, struct cli_error *err)
{
	char part[4096];
	struct stat st;
	int fd;

	*have_gnuplot = find_gnuplot();
	if (!ends_in(path, ".svg") && !ends_in(path, ".png")) {
		cli_error_set(err, "--plot: '%s' ends neither in .svg nor in .png", path);
		errno = EINVAL;
		return -1;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		cli_error_set(err, "--plot: '%s' is there and is no file", path);
		errno = EINVAL;
		return -1;
	}
	fd = open_part(path, part, sizeof(part), err);
	if (fd < 0)
		return -1;
	close(fd);
	unlink(part);
	return 0;
}

/* --- running it ------------------------------------------------------------------- */

static pid_t start_gnuplot(int input, int output, int errors)
{
	pid_t child = fork();

	if (child)
		return child;
	dup2(input, 0);
	dup2(output, 1);
	dup2(errors, 2);
	execlp("gnuplot", "gnuplot", "-", (char *)NULL);
	_exit(CLI_NOT_FOUND);
}

/* Writes script to input and reads what comes from errors, into said. Both
 * descriptors are closed. */
static void feed(const char *script, int input, int errors, char *said, size_t size)
{
	size_t len = strlen(script), got = 0;

	fcntl(input, F_SETFL, O_NONBLOCK);
	while (errors >= 0) {
		struct pollfd p[2] = { { .fd = errors, .events = POLLIN },
				       { .fd = input, .events = POLLOUT } };
		char drop[512];
		ssize_t n;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[0].revents) {
			n = got + 1 < size ? read(errors, said + got, size - got - 1)
					   : read(errors, drop, sizeof(drop));
			if (n == 0 || (n < 0 && errno != EINTR))
				break;
			got += n > 0 && got + 1 < size ? (size_t)n : 0;
		}
		if (input < 0 || !p[1].revents)
			continue;
		n = write(input, script, len);
		script += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
		if (!len || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			close(input);
			input = -1;
		}
	}
	said[got] = '\0';
	if (input >= 0)
		close(input);
	close(errors);
}

/* gnuplot's own status says nothing of a full disk or of warnings; what it says on
 * standard error is shown, and an output without an end is refused. */
static int run_gnuplot(const char *script, int output, char *said, size_t size)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	int input[2], errors[2], status = -1;
	pid_t child;

	if (pipe2(input, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(input[0]);
		close(input[1]);
		return -1;
	}
	child = start_gnuplot(input[0], output, errors[1]);
	close(input[0]);
	close(errors[1]);
	sigaction(SIGPIPE, &ignore, &old);
	feed(script, input[1], errors[0], said, size);
	sigaction(SIGPIPE, &old, NULL);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && status == 0 ? 0 : -1;
}

/* A whole picture ends like this. */
static bool is_complete(int fd, bool svg)
{
	static const char svg_end[] = "</svg>", png_end[] = "IEND";
	const char *end = svg ? svg_end : png_end;
	char tail[32] = "";
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < (off_t)sizeof(tail) ||
	    pread(fd, tail, sizeof(tail), size - (off_t)sizeof(tail)) != sizeof(tail))
		return false;
	return memmem(tail, sizeof(tail), end, strlen(end));
}

/* The first line that gnuplot said, without what it quotes. */
static const char *first_words(char *said)
{
	char *at = strstr(said, "line ");

	at = at ? at : said + strspn(said, " \n\t^");
	at[strcspn(at, "\n")] = '\0';
	return *at ? at : "it ended without a picture";
}

bool plot_is_svg(const char *path)
{
	return ends_in(path, ".svg");
}

int plot_draw(const char *path, const struct text *script, struct cli_error *err)
{
	char part[4096], said[2048];
	bool svg = plot_is_svg(path);
	int fd, result = -1;

	if (script->failed) {
		cli_error_set(err, "--plot: '%s': %s", path, strerror(ENOMEM));
		return -1;
	}
	fd = open_part(path, part, sizeof(part), err);
	if (fd < 0)
		return -1;
	close(fd);
	fd = open(part, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		cli_error_set(err, "--plot: '%s': %s", path, strerror(errno));
	else if (run_gnuplot(script->s, fd, said, sizeof(said)) < 0)
		cli_error_set(err, "--plot: '%s': gnuplot: %s", path, first_words(said));
	else if (!is_complete(fd, svg))
		cli_error_set(err, "--plot: '%s': the picture could not be written whole", path);
	else if (rename(part, path) < 0)
		cli_error_set(err, "--plot: '%s': %s", path, strerror(errno));
	else
		result = 0;
	if (fd >= 0)
		close(fd);
	if (result < 0)
		unlink(part);
	return result;
}
