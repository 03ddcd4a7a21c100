#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = 0;
	int saved;

	if (fd < 0)
		return -1;
	for (;;) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len == size) {
			errno = EFBIG;
			goto fail;
		}
	}
	close(fd);
	buf[len] = '\0';
	return (ssize_t)len;
fail:
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}
