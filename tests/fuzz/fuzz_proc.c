/* What /proc says: one process's stat, loadavg, stat of all cpus. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/load.h"
#include "core/machine_text.h"
#include "core/proc.h"
#include "tests/fuzz/fuzz.h"

static const char two_nodes[] = "evenkeel-machine 1;node 0 cpus 0-3;node 1 cpus 4-7";

static char root[64];

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/proc%s", root, name);
}

static void remove_root(void)
{
	static const char *const names[] = { "/loadavg", "/stat", "" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		path_of(path, sizeof(path), names[i]);
		remove(path);
	}
	rmdir(root);
}

/* A folder with a proc in it, in memory where there is /dev/shm. */
static void make_root(void)
{
	char path[128];

	strcpy(root, access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm/fuzz-XXXXXX"
							  : "/tmp/fuzz-XXXXXX");
	fuzz_check(mkdtemp(root));
	path_of(path, sizeof(path), "");
	fuzz_check(mkdir(path, 0700) == 0);
	atexit(remove_root);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	FILE *f;

	path_of(path, sizeof(path), name);
	f = fopen(path, "wb");
	fuzz_check(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

/* Between two samples no node has more busy cpus than it has cpus. */
static void check_load(const struct load_sample *last, struct arena *a)
{
	struct load_sample first = *last;
	unsigned int centi[2];
	struct machine m;

	fuzz_check(machine_text_read(&m, a, two_nodes, sizeof(two_nodes) - 1, NULL) == 0);
	first.busy = arena_array(a, first.ncpus, sizeof(*first.busy));
	first.idle = arena_array(a, first.ncpus, sizeof(*first.idle));
	load_between(&first, last, &m, NULL, centi);
	fuzz_check(centi[0] <= 400 && centi[1] <= 400);
	load_between(last, &first, &m, NULL, centi);
	fuzz_check(centi[0] <= 400 && centi[1] <= 400);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct arena a = FUZZ_ARENA;
	struct load_sample sample;
	struct proc_stat st;
	unsigned int running;

	if (!*root)
		make_root();
	if (proc_stat_parse(&st, text, size) == 0)
		fuzz_check(strlen(st.comm) < sizeof(st.comm));
	put("/loadavg", data, size);
	load_running(&running, root);
	put("/stat", data, size);
	if (load_read(&sample, &a, 8, root) == 0)
		check_load(&sample, &a);
	arena_free(&a);
	free(text);
	return 0;
}
