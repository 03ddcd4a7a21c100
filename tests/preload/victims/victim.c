#include "victim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_HERE 4096

/* The first of names that is set. */
static const char *first_of(const char *const *names)
{
	const char *value = NULL;

	for (; !value && *names; names++)
		value = getenv(*names);
	return value;
}

static const char *rank_text(void)
{
	static const char *const here[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", NULL };
	static const char *const everywhere[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
						  "SLURM_PROCID", NULL };
	const char *rank = first_of(getenv("VICTIM_GLOBAL") ? everywhere : here);

	return rank ? rank : "x";
}

int victim_rank(void)
{
	const char *rank = rank_text();

	return *rank == 'x' ? -1 : atoi(rank);
}

static FILE *out(const char *what, const char *mode)
{
	const char *dir = getenv("VICTIM_DIR");
	char path[PATH_MAX_HERE];

	snprintf(path, sizeof(path), "%s/%s.%s", dir, rank_text(), what);
	return fopen(path, mode);
}

/* The lines of a /proc file that start with one of the words, less the word. */
static void copy_lines(FILE *to, const char *path, const char *const *words)
{
	char line[PATH_MAX_HERE];
	FILE *from = fopen(path, "r");

	while (from && fgets(line, sizeof(line), from))
		for (const char *const *w = words; *w; w++)
			if (!strncmp(line, *w, strlen(*w)))
				fputs(line + strlen(*w) + strspn(line + strlen(*w), ": \t"), to);
	if (from)
		fclose(from);
}

static void note_masks(const char *moment)
{
	static const char *const words[] = {"Cpus_allowed_list", NULL};
	DIR *dir = opendir("/proc/self/task");
	FILE *to = out(moment, "w");
	char path[PATH_MAX_HERE];
	struct dirent *e;

	while (dir && to && (e = readdir(dir))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		copy_lines(to, path, words);
	}
	if (dir)
		closedir(dir);
	if (to)
		fclose(to);
}

static void note_libs(void)
{
	char line[PATH_MAX_HERE];
	FILE *from = fopen("/proc/self/maps", "r"), *to = out("libs", "a");

	while (from && to && fgets(line, sizeof(line), from)) {
		const char *path = strchr(line, '/');

		if (path && strstr(path, ".so"))
			fputs(path, to);
	}
	if (from)
		fclose(from);
	if (to)
		fclose(to);
}

static void note_environ(void)
{
	FILE *from = fopen("/proc/self/environ", "r"), *to = out("environ", "w");
	int c;

	while (from && to && (c = getc(from)) != EOF)
		putc(c ? c : '\n', to);
	if (from)
		fclose(from);
	if (to)
		fclose(to);
}

static void note_fds(void)
{
	FILE *to;
	int open_now[256], n = 0;

	/* Before the file to write them to is one of them. */
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			open_now[n++] = fd;
	to = out("fds", "w");
	for (int i = 0; to && i < n; i++)
		fprintf(to, "%d\n", open_now[i]);
	if (to)
		fclose(to);
}

static void note_signals(void)
{
	static const char *const words[] = {"SigBlk", "SigIgn", NULL};
	FILE *to = out("signals", "w");

	if (!to)
		return;
	copy_lines(to, "/proc/self/status", words);
	fclose(to);
}

void victim_note(const char *moment)
{
	int saved = errno;

	if (!getenv("VICTIM_DIR"))
		return;
	if (!strcmp(moment, "main")) {
		note_fds();
		note_environ();
		note_signals();
	}
	note_masks(moment);
	note_libs();
	errno = saved;
}

void victim_main_(void)
{
	victim_note("main");
}

void victim_up_(void)
{
	victim_note("up");
}
