#include "shim/script.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/options.h"

#define PATH_LENGTH_MAX 4096u
#define DEFAULT_PATH "/bin:/usr/bin"

/* Regular files alone: of a pipe or of /dev/stdin the rank would never see what we
 * have read, and even opening a FIFO tells its writer that its reader is there. */
int script_open(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* An empty part of PATH is the folder one is in. */
int script_open_command(const char *file, char *const *envp)
{
	const char *path = options_getenv(envp, "PATH");
	size_t name = strlen(file), dir;
	char full[PATH_LENGTH_MAX];

	if (strchr(file, '/'))
		return script_open(file);
	for (path = path ? path : DEFAULT_PATH;; path += dir + 1) {
		int fd = -1;

		dir = strcspn(path, ":");
		if (dir + name + 2 <= sizeof(full)) {
			memcpy(full, path, dir);
			full[dir] = '/';
			memcpy(full + dir + 1, file, name + 1);
			fd = script_open(dir ? full : file);
		}
		if (fd >= 0 || !path[dir])
			return fd;
	}
}

static size_t read_up_to(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += (size_t)n;
	return len;
}

char *script_read(int fd, struct arena *a, bool any)
{
	char head[2], *text = NULL;
	size_t len = read_up_to(fd, head, sizeof(head));

	if (len == 2 && (any || !memcmp(head, "#!", 2)))
		text = arena_alloc(a, SCRIPT_MAX + 1);
	if (text) {
		memcpy(text, head, sizeof(head));
		len = sizeof(head) + read_up_to(fd, text + sizeof(head), SCRIPT_MAX - sizeof(head));
		text[len] = '\0';
	}
	close(fd);
	return text;
}
