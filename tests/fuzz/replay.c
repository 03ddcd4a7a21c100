/* replay FOLDER: runs a fuzz target on each file of FOLDER, then on that file cut
 * at any length and with single bits changed, as far as a file is small. Speaks
 * TAP: one line for the folder, and what was being run where it ended. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define SIZE_MAX_HERE (1u << 20)
/* Changes of one file; spread over it where it is longer. */
#define CHANGES 300u

static size_t runs;

static void run(const uint8_t *data, size_t size)
{
	/* A piece of its own, so that memory checkers know where it ends. */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

static void run_changed(uint8_t *data, size_t size)
{
	size_t step = 1 + size / CHANGES;

	run(data, size);
	for (size_t at = 0; at < size; at += step) {
		uint8_t was = data[at];

		run(data, at);
		data[at] ^= (uint8_t)(1u << at % 8);
		run(data, size);
		data[at] = was;
	}
}

static int run_file(const char *folder, const char *name)
{
	static uint8_t data[SIZE_MAX_HERE];
	char path[4096];
	FILE *f;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		return -1;
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	/* Seen by whoever looks for what ended the process. */
	fprintf(stderr, "# %s\n", path);
	run_changed(data, size);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
	unsigned int files = 0;
	struct dirent *e;

	printf("1..1\n");
	fflush(stdout);
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.' && run_file(argv[1], e->d_name) == 0)
			files++;
	if (dir)
		closedir(dir);
	printf("%sok 1 - %u files, %zu runs\n", files ? "" : "not ", files, runs);
	return !files;
}
