/* Small whole files without malloc or stdio. Async-signal-safe. */
#ifndef EVENKEEL_CORE_FILE_H
#define EVENKEEL_CORE_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Reads at most size-1 bytes of path into buf and adds a NUL. Returns the
 * number of bytes, or -1 with errno: what open or read gave, or EFBIG when the
 * file is longer. Retries EINTR; never follows into a FIFO that would block
 * (O_NONBLOCK). */
ssize_t file_read(const char *path, char *buf, size_t size);

#endif
