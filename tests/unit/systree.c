#include "tests/unit/systree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cpus.h"
#include "tests/unit/unit.h"

#define PATH_SIZE 1024
#define CONTENT_SIZE 16384

char *systree_new(void)
{
	const char *tmp = getenv("TMPDIR");
	char *root = malloc(PATH_SIZE);

	assert_non_null(root);
	/* Thousands of small files: memory is many times faster than a disk. */
	if (!tmp || !*tmp)
		tmp = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(root, PATH_SIZE, "%s/systree-XXXXXX", tmp);
	assert_non_null(mkdtemp(root));
	return root;
}

static void make_folders(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	if (mkdir(path, 0700) < 0 && errno == ENOENT) {
		make_folders(path);
		mkdir(path, 0700);
	}
	*slash = '/';
}

static void write_file(char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		make_folders(path);
		f = fopen(path, "w");
	}
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	fprintf(f, "%s\n", content);
	assert_int_equal(fclose(f), 0);
}

/* Turns the path of a list into that of the same set as a mask. */
static bool to_twin(char *path)
{
	static const char *const twins[][2] = {
		{ "/cpulist", "/cpumap" },
		{ "/shared_cpu_list", "/shared_cpu_map" },
		{ "_list", "" },
	};

	for (size_t i = 0; i < sizeof(twins) / sizeof(*twins); i++) {
		size_t len = strlen(path), tail = strlen(twins[i][0]);

		if (len > tail && strcmp(path + len - tail, twins[i][0]) == 0) {
			strcpy(path + len - tail, twins[i][1]);
			return true;
		}
	}
	return false;
}

/* The kernel's mask form: words of 32 bits in hexadecimal, highest first. */
static void to_mask(const char *list, char *mask, size_t size)
{
	struct arena a = UNIT_ARENA;
	unsigned int max = cpus_parse_max(list, strlen(list));
	size_t len = 0;
	struct cpus c;

	assert_int_equal(cpus_init(&c, &a, max == CPUS_NONE ? 0 : max + 1), 0);
	/* A list that is broken on purpose has no mask. */
	if (cpus_parse(&c, list, strlen(list)) < 0)
		cpus_clear(&c);
	for (unsigned int i = c.nbits / 32; i-- > 0;)
		len += (size_t)snprintf(mask + len, size - len, i ? "%08x," : "%08x",
					(unsigned int)(c.bits[i / 2] >> (i % 2 * 32)));
	arena_free(&a);
}

static void put_one(const char *root, const char *path, const char *content)
{
	char full[PATH_SIZE], mask[CONTENT_SIZE];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	write_file(full, content);
	if (to_twin(full)) {
		to_mask(content, mask, sizeof(mask));
		write_file(full, mask);
	}
}

/* content for cpu n. */
static void fill_in(const char *content, unsigned int n, char *out, size_t size)
{
	size_t len = 0;

	while (*content && len + 16 < size) {
		int shift, used = 0;

		if (sscanf(content, "{%d}%n", &shift, &used) == 1 && used) {
			len += (size_t)snprintf(out + len, size - len, "%d", (int)n + shift);
			content += used;
		} else if (strncmp(content, "\\n", 2) == 0) {
			out[len++] = '\n';
			content += 2;
		} else {
			out[len++] = *content++;
		}
	}
	out[len] = '\0';
}

void systree_put(const char *root, const char *path, const char *content)
{
	const char *open = strchr(path, '{');
	const char *close = open ? strchr(open, '}') : NULL;
	char one[PATH_SIZE], text[CONTENT_SIZE];
	struct arena a = UNIT_ARENA;
	struct cpus c;

	if (!close) {
		fill_in(content, 0, text, sizeof(text));
		put_one(root, path, text);
		return;
	}
	assert_int_equal(cpus_init(&c, &a, CPUS_MAX), 0);
	assert_int_equal(cpus_parse(&c, open + 1, (size_t)(close - open - 1)), 0);
	cpus_for_each(n, &c) {
		snprintf(one, sizeof(one), "%.*s%u%s", (int)(open - path), path, n, close + 1);
		fill_in(content, n, text, sizeof(text));
		put_one(root, one, text);
	}
	arena_free(&a);
}

static int delete_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void systree_delete(const char *root, const char *path)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	assert_int_equal(nftw(full, delete_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

char *systree_expand(const char *file)
{
	char *root = systree_new(), *line = NULL;
	FILE *f = fopen(file, "r");
	size_t size = 0;

	if (!f)
		fail_msg("%s: %s", file, strerror(errno));
	while (getline(&line, &size, f) > 0) {
		char *tab = strchr(line, '\t');

		if (*line == '#')
			continue;
		assert_non_null(tab);
		*tab = '\0';
		tab[1 + strcspn(tab + 1, "\n")] = '\0';
		systree_put(root, line, tab + 1);
	}
	free(line);
	fclose(f);
	return root;
}

void systree_free(char *root)
{
	systree_delete(root, "");
	free(root);
}
