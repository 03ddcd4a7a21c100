#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine_sys.h"
#include "core/machine_text.h"
#include "launcher/topology.h"
#include "tests/unit/systree.h"

#define TEXT_SIZE (1u << 20)

/* --- two readers ---------------------------------------------------------- */

/* hwloc lends cpu-less nodes the cpus of their neighbours, so why a node was
 * left out is not the same question to both. */
static char *text_of(const struct machine *m)
{
	char *text = malloc(TEXT_SIZE), *s;

	assert_non_null(text);
	assert_true(machine_text_write(m, text, TEXT_SIZE) < TEXT_SIZE);
	while ((s = strstr(text, " shared-cpus\n")))
		memmove(strcpy(s, " no-cpus\n") + 9, s + 13, strlen(s + 13) + 1);
	return text;
}

static char *by_sys(const char *root)
{
	struct arena a = UNIT_ARENA;
	struct machine m;
	char *text;

	if (machine_sys_read(&m, &a, root) < 0)
		fail_msg("%s: errno %d", root, errno);
	text = text_of(&m);
	arena_free(&a);
	return text;
}

static char *by_hwloc(const char *spec)
{
	struct topology_error err = { "" };
	struct arena a = UNIT_ARENA;
	struct machine m;
	char *text;

	if (topology_load(spec, &m, &a, &err) < 0)
		fail_msg("%s: errno %d, %s", spec, errno, err.text);
	text = text_of(&m);
	arena_free(&a);
	return text;
}

/* The first line in which the texts differ. */
static void assert_same(const char *what, char *a, char *b)
{
	size_t i = 0, line = 0;

	while (a[i] && a[i] == b[i])
		if (a[i++] == '\n')
			line = i;
	if (a[i] != b[i])
		fail_msg("%s: /sys '%.*s', hwloc '%.*s'", what, (int)strcspn(a + line, "\n"),
			 a + line, (int)strcspn(b + line, "\n"), b + line);
	free(a);
	free(b);
}

static void compare_tree(const char *name)
{
	char path[512], what[512];
	char *root;

	snprintf(path, sizeof(path), "%s/%s.sys", MACHINES, name);
	root = systree_expand(path);
	setenv("HWLOC_FSROOT", root, 1);
	setenv("HWLOC_COMPONENTS", "linux,stop", 1);
	snprintf(what, sizeof(what), "%s, hwloc on the tree", name);
	/* hwloc drops one of two nodes with the same cpus, which Linux never
	 * has, without a word. */
	if (strcmp(name, "gpu-shares-cpus") != 0)
		assert_same(what, by_sys(root), by_hwloc("live"));
	unsetenv("HWLOC_FSROOT");
	unsetenv("HWLOC_COMPONENTS");
	snprintf(path, sizeof(path), "%s/%s.xml", MACHINES, name);
	snprintf(what, sizeof(what), "%s.xml", name);
	if (access(path, F_OK) == 0)
		assert_same(what, by_sys(root), by_hwloc(path));
	systree_free(root);
}

static void both_readers_agree_on_every_recorded_machine(void **state)
{
	DIR *dir = opendir(MACHINES);
	unsigned int n = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		char *dot = strrchr(d->d_name, '.');

		if (!dot || strcmp(dot, ".sys") != 0)
			continue;
		*dot = '\0';
		compare_tree(d->d_name);
		n++;
	}
	closedir(dir);
	assert_true(n > 30);
}

static void both_readers_agree_on_this_host(void **state)
{
	char *null = by_hwloc(NULL);

	(void)state;
	assert_same("this host", by_sys(""), by_hwloc("live"));
	assert_same("this host, NULL", by_sys(""), null);
}

/* --- what the machines are ------------------------------------------------ */

/* Kernel-policy notes, section 3.1, and the sizes of the special ones; an XML
 * of the same name where there is one, else the tree. */
static void recorded_machines_are_what_their_names_say(void **state)
{
	static const struct {
		const char *name;
		unsigned int nodes, cpus, package, llc, spans[2], reclaim, left_out;
	} rows[] = {
		{ "two-20c-smt2", 2, 80, 40, 40, { 80 }, 30, 0 },
		{ "zen3-nps1", 2, 256, 128, 16, { 256 }, 32, 0 },
		{ "zen3-nps2", 4, 256, 64, 16, { 128, 256 }, 32, 0 },
		{ "zen3-nps4", 8, 256, 32, 16, { 128, 256 }, 32, 0 },
		{ "two-8", 2, 16, 8, 8, { 16 }, 30, 0 },
		{ "two-4", 2, 8, 4, 4, { 8 }, 30, 0 },
		{ "quad-ring-32c", 4, 256, 64, 64, { 192, 256 }, 30, 0 },
		{ "quad-mesh-32c", 4, 256, 64, 64, { 256 }, 30, 0 },
		{ "quad-ring-28c", 4, 224, 56, 56, { 168, 224 }, 30, 0 },
		{ "spr-snc4-56c", 8, 224, 28, 28, { 112, 224 }, 30, 0 },
		{ "spr-snc4-60c", 8, 240, 30, 30, { 120, 240 }, 30, 0 },
		{ "altra-80c", 2, 160, 80, 2, { 160 }, 30, 0 },
		{ "altra-80c-no-cluster", 2, 160, 80, 1, { 160 }, 30, 0 },
		{ "altra-80c-slc", 2, 160, 80, 80, { 160 }, 30, 0 },
		{ "power9-16c", 2, 128, 64, 8, { 128 }, 10, 0 },
		{ "power9-20c", 2, 160, 80, 8, { 160 }, 10, 4 },
		{ "power9-22c", 2, 176, 88, 8, { 176 }, 10, 0 },
		{ "epyc-9654-nps1", 2, 384, 192, 16, { 384 }, 32, 0 },
		{ "epyc-9654-nps2", 4, 384, 96, 16, { 192, 384 }, 32, 0 },
		{ "epyc-9654-nps4", 8, 384, 48, 16, { 192, 384 }, 32, 0 },
		{ "zen2-nps1", 2, 256, 128, 8, { 256 }, 32, 0 },
		{ "one-8", 1, 8, 8, 8, { 0 }, 30, 0 },
		{ "two-1x1", 2, 2, 1, 1, { 2 }, 30, 0 },
		{ "two-8-two-llcs", 2, 16, 8, 4, { 16 }, 30, 0 },
		{ "two-8-no-caches", 2, 16, 8, 8, { 16 }, 30, 0 },
		{ "cpuless-cxl", 2, 8, 4, 4, { 8 }, 30, 1 },
		{ "cpuless-hbm", 2, 8, 4, 4, { 8 }, 30, 2 },
		{ "holes-in-cpus", 2, 8, 4, 4, { 8 }, 30, 0 },
		{ "holes-in-nodes", 3, 6, 2, 2, { 6 }, 30, 0 },
		{ "offline", 2, 14, 7, 7, { 14 }, 30, 0 },
		{ "three-nodes", 3, 12, 4, 4, { 8, 12 }, 30, 0 },
		{ "hybrid-cores", 1, 12, 12, 12, { 0 }, 30, 0 },
		{ "memoryless", 4, 32, 8, 8, { 32 }, 32, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct topology_error err = { "" };
		struct arena a = UNIT_ARENA;
		struct machine_view v;
		struct machine m;
		char path[512];

		snprintf(path, sizeof(path), "%s/%s.xml", MACHINES, rows[i].name);
		if (topology_load(path, &m, &a, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(machine_view(&m, 0, NULL, &a, &v), 0);
		if (m.nnodes != rows[i].nodes || cpus_count(&m.usable) != rows[i].cpus ||
		    v.package != rows[i].package || v.llc != rows[i].llc ||
		    m.reclaim_distance != rows[i].reclaim || m.nleft_out != rows[i].left_out)
			fail_msg("%s: nodes %u cpus %u P %u L %u reclaim %u left out %u",
				 rows[i].name, m.nnodes, cpus_count(&m.usable), v.package, v.llc,
				 m.reclaim_distance, m.nleft_out);
		assert_int_equal(v.nlevels, !!rows[i].spans[0] + !!rows[i].spans[1]);
		for (unsigned int j = 0; j < v.nlevels; j++)
			assert_int_equal(v.levels[j].span, rows[i].spans[j]);
		arena_free(&a);
	}
}

static void synthetic_strings_get_the_distances_the_header_says(void **state)
{
	static const struct {
		const char *spec, *text;
	} rows[] = {
		{ "numa:2 core:1 pu:1", "evenkeel-machine 1\nnode 0 cpus 0\nnode 1 cpus 1\n"
					"distance 0 10 20\ndistance 1 20 10\nllc 0\nllc 1\n"
					"reclaim-distance 30\n" },
		{ "numa:1 pack:2 core:1 pu:2",
		  "evenkeel-machine 1\nnode 0 cpus 0-3\ndistance 0 10\n"
					"llc 0-3\ncore 0-1\ncore 2-3\nreclaim-distance 30\n" },
		{ "pack:1 numa:2 core:1 pu:1", "evenkeel-machine 1\nnode 0 cpus 0\nnode 1 cpus 1\n"
					       "distance 0 10 20\ndistance 1 20 10\nllc 0\nllc 1\n"
					       "reclaim-distance 30\n" },
		{ "pack:2 numa:2 l2:1 core:1 pu:1",
		  "evenkeel-machine 1\nnode 0 cpus 0\nnode 1 cpus 1\nnode 2 cpus 2\nnode 3 cpus 3\n"
		  "distance 0 10 12 21 21\ndistance 1 12 10 21 21\ndistance 2 21 21 10 12\n"
		  "distance 3 21 21 12 10\nllc 0\nllc 1\nllc 2\nllc 3\nreclaim-distance 30\n" },
		{ "numa:1 l1:2 core:1 pu:2", "evenkeel-machine 1\nnode 0 cpus 0-3\ndistance 0 10\n"
					     "llc 0-1\nllc 2-3\ncore 0-1\ncore 2-3\n"
					     "reclaim-distance 30\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = by_hwloc(rows[i].spec);

		if (strcmp(text, rows[i].text) != 0)
			fail_msg("%s: %s", rows[i].spec, text);
		free(text);
	}
}

/* --- files and refusals --------------------------------------------------- */

static char *write_file(const char *folder, const char *name, const char *content, size_t len)
{
	char *path = malloc(512);
	FILE *f;

	assert_non_null(path);
	snprintf(path, 512, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Loads spec; nothing may come out on stderr meanwhile. errno stays. */
static int load_quietly(const char *spec, struct machine *m, struct arena *a,
			struct topology_error *err)
{
	int ends[2], saved = dup(STDERR_FILENO), rc, errnum;
	char said[256];
	ssize_t n;

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	rc = topology_load(spec, m, a, err);
	errnum = errno;
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(ends[0], said, sizeof(said));
	close(ends[0]);
	close(ends[1]);
	if (n > 0)
		fail_msg("'%s' makes noise: %.*s", spec, (int)n, said);
	errno = errnum;
	return rc;
}

static void assert_refused(const char *spec, int error, const char *why)
{
	struct topology_error err = { "" };
	struct arena a = UNIT_ARENA;
	struct machine m;
	int rc = load_quietly(spec, &m, &a, &err);

	if (rc != -1 || errno != error || !strstr(err.text, why) || strchr(err.text, '\n'))
		fail_msg("'%s': rc %d errno %d '%s'", spec, rc, errno, err.text);
	assert_int_equal(topology_load(spec, &m, &a, NULL), -1);
	arena_free(&a);
}

static void specs_that_are_no_machine_are_refused_in_one_quiet_line(void **state)
{
	static const struct {
		const char *spec;
		int error;
		const char *why;
	} rows[] = {
		{ "", EINVAL, "no such file" },
		{ "Live", EINVAL, "machine 'Live': no such file, and not a synthetic" },
		{ "/nonexistent/machine.xml", EINVAL, "no such file" },
		{ "numa:2 xxx:3", EINVAL, "machine 'numa:2 xxx:3': no such file" },
		{ "numa:0", EINVAL, "not a synthetic topology" },
		{ "numa:2 core:", EINVAL, "not a synthetic topology" },
		{ "/", EISDIR, "/: cannot read it: Is a directory" },
		{ "/dev/null", EINVAL, "/dev/null: neither hwloc XML nor a text that starts with" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_refused(rows[i].spec, rows[i].error, rows[i].why);
}

static void files_that_are_no_machine_are_refused_in_one_quiet_line(void **state)
{
	static const struct {
		const char *content;
		int error;
		const char *why;
	} rows[] = {
		{ "", EINVAL, "neither hwloc XML nor a text that starts with evenkeel-machine" },
		{ "node 0 cpus 0-3\n", EINVAL, "neither hwloc XML" },
		{ "garbage", EINVAL, "neither hwloc XML" },
		{ "<", EINVAL, "XML, but not a topology hwloc can read" },
		{ "<topology", EINVAL, "XML, but not a topology" },
		{ "<topology/>", EINVAL, "XML, but not a topology" },
		{ "<html><body>not found</body></html>", EINVAL, "XML, but not a topology" },
		{ "<?xml version=\"1.0\"?><topology version=\"2.0\"></topology>", EINVAL,
		  "XML, but not a topology" },
		/* hwloc 2.9 crashes on this one. */
		{ "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" "
		  "cpuset=\"0x1\" nodeset=\"0x1\"><object type=\"NUMANode\" os_index=\"0\" "
		  "cpuset=\"0x1\" nodeset=\"0x1\"/><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "
		  "nodeset=\"0x1\"/></object></topology>",
		  EINVAL, "XML, but not a topology" },
		{ "evenkeel-machine 1\nnode 0 cpus x\n", EINVAL, "/spec, line 2: cpu list 'x'" },
		{ "evenkeel-machine 1\n", EINVAL, "/spec: no node line" },
		{ "evenkeel-machine 1\nnode 0 cpus 1\nisolated 1\n", ENODATA,
		  "/spec: every cpu is isolated" },
	};
	char *folder = systree_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *path = write_file(folder, "spec", rows[i].content, strlen(rows[i].content));

		assert_refused(path, rows[i].error, rows[i].why);
		free(path);
	}
	systree_free(folder);
}

static char *read_file(const char *name, size_t *len)
{
	char path[512], *text = malloc(TEXT_SIZE);
	FILE *f;

	assert_non_null(text);
	snprintf(path, sizeof(path), "%s/%s", MACHINES, name);
	f = fopen(path, "r");
	assert_non_null(f);
	*len = fread(text, 1, TEXT_SIZE - 1, f);
	text[*len] = '\0';
	fclose(f);
	return text;
}

static void cut_xml_is_refused_wherever_it_is_cut(void **state)
{
	char *folder = systree_new();
	size_t len;
	char *xml = read_file("two-4.xml", &len);

	(void)state;
	/* All but the last newline is needed. */
	for (size_t cut = 0; cut + 2 < len; cut += 97) {
		char *path = write_file(folder, "spec", xml, cut);

		assert_refused(path, EINVAL, "XML");
		free(path);
	}
	free(xml);
	systree_free(folder);
}

/* The firmware's L3 lies across the nodes, which hwloc complains of at length. */
static void a_host_with_broken_tables_is_read_in_silence(void **state)
{
	char *root = systree_expand(MACHINES "/two-8.sys");
	struct topology_error err = { "" };
	struct arena a = UNIT_ARENA;
	struct machine m;

	(void)state;
	systree_put(root, "sys/devices/system/cpu/cpu{4-11}/cache/index3/shared_cpu_list", "4-11");
	setenv("HWLOC_FSROOT", root, 1);
	setenv("HWLOC_COMPONENTS", "linux,stop", 1);
	assert_int_equal(load_quietly("live", &m, &a, &err), 0);
	assert_int_equal(m.nnodes, 2);
	unsetenv("HWLOC_FSROOT");
	unsetenv("HWLOC_COMPONENTS");
	systree_free(root);
	arena_free(&a);
}

/* What the process that recorded it was allowed is not what the machine is. */
static void a_machine_recorded_within_a_cpuset_is_whole(void **state)
{
	char *folder = systree_new(), *path, *allowed;
	size_t len;
	char *xml = read_file("two-4.xml", &len);

	(void)state;
	allowed = strstr(xml, "allowed_cpuset=\"0x000000ff\"");
	assert_non_null(allowed);
	memcpy(allowed, "allowed_cpuset=\"0x0000000f\"", 27);
	path = write_file(folder, "spec", xml, len);
	assert_same("within a cpuset", by_hwloc(MACHINES "/two-4.xml"), by_hwloc(path));
	free(xml);
	free(path);
	systree_free(folder);
}

static void our_own_text_is_a_file_too(void **state)
{
	static const char text[] = "# from a user\nevenkeel-machine 1\nnode 4 cpus 0-3\n"
				   "distance 4 10\nllc 0-3\nreclaim-distance 30\nquota 2\n";
	char *folder = systree_new();
	char *path = write_file(folder, "spec", text, strlen(text));
	char *read_back = by_hwloc(path);
	int ends[2];
	char spec[32];

	(void)state;
	assert_string_equal(read_back, strchr(text, '\n') + 1);
	free(read_back);
	/* A pipe, as a shell's <(...) is. */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	snprintf(spec, sizeof(spec), "/dev/fd/%d", ends[0]);
	read_back = by_hwloc(spec);
	close(ends[0]);
	assert_string_equal(read_back, strchr(text, '\n') + 1);
	free(read_back);
	free(path);
	systree_free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specs_that_are_no_machine_are_refused_in_one_quiet_line),
		cmocka_unit_test(files_that_are_no_machine_are_refused_in_one_quiet_line),
		cmocka_unit_test(cut_xml_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_host_with_broken_tables_is_read_in_silence),
		cmocka_unit_test(a_machine_recorded_within_a_cpuset_is_whole),
		cmocka_unit_test(our_own_text_is_a_file_too),
		cmocka_unit_test(synthetic_strings_get_the_distances_the_header_says),
		cmocka_unit_test(recorded_machines_are_what_their_names_say),
		cmocka_unit_test(both_readers_agree_on_this_host),
		cmocka_unit_test(both_readers_agree_on_every_recorded_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
