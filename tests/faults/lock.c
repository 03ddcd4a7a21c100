/* lock FILE COMMAND...: takes the ledger's lock on FILE, as a rank that joins its
 * job does, then becomes COMMAND, which holds it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd;

	if (argc < 3)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || fcntl(fd, F_OFD_SETLKW, &lock) < 0) {
		perror(argv[1]);
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
