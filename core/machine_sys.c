#include "core/machine_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/outbuf.h"
#include "core/quota.h"

#define CPU "/sys/devices/system/cpu"
#define NODE "/sys/devices/system/node"

/* A list of every second cpu up to CPUS_MAX fits. */
#define BUF_SIZE 65536u
/* Longer than any path below, whatever sensible root comes before. */
#define PATH_SIZE 4096u
/* The vendor is in the first lines, and each cpu's record costs the kernel time. */
#define CPUINFO_SIZE 512u
#define CACHE_INDEX_MAX 16u

struct reader {
	struct arena *a;
	const char *root;
	char *path, *buf;
	ssize_t len; /* of what is in buf */
	struct machine_raw raw;
	struct machine_node *nodes;
	unsigned int *distances; /* NULL once a row is broken */
	unsigned int *core_of, *llc_of;
	struct cpus present; /* online cpus of all nodes */
	struct cpus list;    /* scratch, room for every number there can be */
	bool old_names;      /* the kernel has no core_cpus_list */
	unsigned int l3_index; /* where the last cpu had its L3; CPUS_NONE = nowhere */
};

/* --- files ---------------------------------------------------------------- */

static int reader_init(struct reader *r, struct arena *a, const char *root)
{
	memset(r, 0, sizeof(*r));
	r->a = a;
	r->root = root;
	r->l3_index = CPUS_NONE;
	r->path = arena_alloc(a, PATH_SIZE);
	r->buf = arena_alloc(a, BUF_SIZE);
	return r->path && r->buf ? cpus_init(&r->list, a, CPUS_MAX) : -1;
}

/* Reads ROOT + before + n + after into buf; n is left out when CPUS_NONE.
 * -1 with errno as file_read has it. */
static int read_file(struct reader *r, const char *before, unsigned int n, const char *after)
{
	struct outbuf o = { r->path, PATH_SIZE, 0 };

	outbuf_text(&o, r->root);
	outbuf_text(&o, before);
	if (n != CPUS_NONE)
		outbuf_number(&o, n);
	outbuf_text(&o, after);
	outbuf_end(&o);
	if (o.len >= o.size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	r->len = file_read(r->path, r->buf, BUF_SIZE);
	return r->len < 0 ? -1 : 0;
}

static int read_cache_file(struct reader *r, unsigned int cpu, unsigned int index,
			   const char *name)
{
	char after[32];
	struct outbuf o = { after, sizeof(after), 0 };

	outbuf_text(&o, "/cache/index");
	outbuf_number(&o, index);
	outbuf_text(&o, name);
	outbuf_end(&o);
	return read_file(r, CPU "/cpu", cpu, after);
}

/* What is in buf as a new set. */
static int parse_list(struct reader *r, struct cpus *c)
{
	unsigned int max = cpus_parse_max(r->buf, (size_t)r->len);

	if (cpus_init(c, r->a, max == CPUS_NONE ? 0 : max + 1) < 0)
		return -1;
	if (cpus_parse(c, r->buf, (size_t)r->len) == 0)
		return 0;
	errno = EINVAL; /* also for a number beyond CPUS_MAX */
	return -1;
}

/* A file that says which cpus (or nodes) there are; *there tells whether it
 * exists. */
static int read_list(struct reader *r, const char *before, unsigned int n, const char *after,
		     struct cpus *c, bool *there)
{
	*there = read_file(r, before, n, after) == 0;
	if (*there)
		return parse_list(r, c);
	return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

/* What is in buf as one number; false when it is none. */
static bool parse_number(const struct reader *r, unsigned int *n)
{
	const char *s = r->buf;

	*n = 0;
	if (*s < '0' || *s > '9')
		return false;
	while (*s >= '0' && *s <= '9') {
		*n = *n * 10 + (unsigned int)(*s++ - '0');
		if (*n > 1000000)
			return false;
	}
	return *s == '\n' || *s == '\0';
}

/* A list of cpus that share something with cpu, into r->list. */
static bool read_shared(struct reader *r, unsigned int cpu, const char *name)
{
	if (read_file(r, CPU "/cpu", cpu, name) < 0)
		return false;
	cpus_clear(&r->list);
	return cpus_parse(&r->list, r->buf, (size_t)r->len) == 0;
}

/* --- nodes ---------------------------------------------------------------- */

/* The row of node i of n. One row that is not n numbers spoils them all. */
static void read_distances(struct reader *r, unsigned int i, unsigned int n)
{
	const char *s;
	unsigned int j = 0;

	if (!r->distances)
		return;
	if (read_file(r, NODE "/node", r->nodes[i].os, "/distance") < 0) {
		r->distances = NULL;
		return;
	}
	for (s = r->buf; j < n && *s >= '0' && *s <= '9'; j++) {
		unsigned int d = 0;

		for (; *s >= '0' && *s <= '9'; s++)
			if (d <= MACHINE_DISTANCE_MAX)
				d = d * 10 + (unsigned int)(*s - '0');
		r->distances[i * n + j] = d;
		while (*s == ' ')
			s++;
	}
	if (j < n || (*s != '\n' && *s != '\0'))
		r->distances = NULL;
}

/* Kernels without has_memory still tell in each node's own file. */
static bool node_has_memory(struct reader *r, unsigned int os)
{
	const char *s;

	if (read_file(r, NODE "/node", os, "/meminfo") < 0)
		return true;
	s = strstr(r->buf, "MemTotal:");
	if (!s)
		return true;
	s += strlen("MemTotal:");
	while (*s == ' ')
		s++;
	return *s != '0';
}

static int read_memory(struct reader *r)
{
	struct cpus nodes;
	bool there;

	if (read_list(r, NODE "/has_memory", CPUS_NONE, "", &nodes, &there) < 0)
		there = false;
	for (unsigned int i = 0; i < r->raw.nnodes; i++)
		r->nodes[i].memory = there ? cpus_has(&nodes, r->nodes[i].os)
					   : node_has_memory(r, r->nodes[i].os);
	return 0;
}

static int read_one_node(struct reader *r)
{
	if (r->raw.online.nbits == 0) {
		errno = ENOENT;
		return -1;
	}
	r->nodes = arena_array(r->a, 1, sizeof(*r->nodes));
	if (!r->nodes)
		return -1;
	r->raw.nnodes = 1;
	r->nodes[0].memory = true;
	return cpus_copy(&r->nodes[0].cpus, r->a, &r->raw.online);
}

static int read_nodes(struct reader *r)
{
	struct cpus online;
	unsigned int n;
	bool there;

	if (read_list(r, NODE "/online", CPUS_NONE, "", &online, &there) < 0)
		return -1;
	if (!there)
		return read_one_node(r);
	n = cpus_count(&online);
	if (n > MACHINE_NODES_MAX) {
		errno = EINVAL;
		return -1;
	}
	r->nodes = arena_array(r->a, n, sizeof(*r->nodes));
	r->distances = arena_array(r->a, (size_t)n * n, sizeof(*r->distances));
	if (!r->nodes || !r->distances)
		return -1;
	cpus_for_each(os, &online) {
		struct machine_node *node = &r->nodes[r->raw.nnodes];

		node->os = os;
		if (read_list(r, NODE "/node", os, "/cpulist", &node->cpus, &there) < 0)
			return -1;
		read_distances(r, r->raw.nnodes++, n);
	}
	return read_memory(r);
}

/* --- cores and caches ----------------------------------------------------- */

/* Gives the members of r->list that have none yet, and cpu, the number cpu. */
static void assign(struct reader *r, unsigned int *shared, unsigned int cpu)
{
	cpus_for_each(n, &r->list)
		if (n < r->raw.ncpus && shared[n] == CPUS_NONE)
			shared[n] = cpu;
	shared[cpu] = cpu;
}

static void read_cores(struct reader *r)
{
	cpus_for_each(cpu, &r->present) {
		if (r->core_of[cpu] != CPUS_NONE)
			continue;
		if (r->old_names || !read_shared(r, cpu, "/topology/core_cpus_list")) {
			if (!read_shared(r, cpu, "/topology/thread_siblings_list"))
				continue;
			r->old_names = true;
		}
		assign(r, r->core_of, cpu);
	}
}

/* The level of a cache that may be the last one; 0 when it is not of that
 * kind, -1 when there is no such cache. */
static int cache_level(struct reader *r, unsigned int cpu, unsigned int index)
{
	unsigned int level;

	if (read_cache_file(r, cpu, index, "/level") < 0)
		return -1;
	/* A level 4 is memory-side: the scheduler does not know it. */
	if (!parse_number(r, &level) || level < 2 || level > 3)
		return 0;
	if (read_cache_file(r, cpu, index, "/type") < 0 || strncmp(r->buf, "Instruction", 11) == 0)
		return 0;
	return (int)level;
}

/* The index of cpu's last-level cache and its level (0 = only small ones), or
 * false when cpu has no caches. Most machines have every L3 at one index, so
 * where the last one was is tried first. */
static bool find_cache(struct reader *r, unsigned int cpu, unsigned int *index, int *level)
{
	*index = r->l3_index;
	*level = 3;
	if (r->l3_index != CPUS_NONE && cache_level(r, cpu, r->l3_index) == 3)
		return true;
	*level = 0;
	for (unsigned int i = 0; i < CACHE_INDEX_MAX; i++) {
		int l = cache_level(r, cpu, i);

		if (l < 0)
			return i > 0;
		if (l > *level) {
			*level = l;
			*index = i;
		}
		if (l == 3) {
			r->l3_index = i;
			break;
		}
	}
	return true;
}

/* Leaves the cpus that share cpu's LLC in r->list; false when unknown. */
static bool read_llc(struct reader *r, unsigned int cpu, int *level)
{
	unsigned int index;

	cpus_clear(&r->list);
	if (!find_cache(r, cpu, &index, level))
		return false;
	if (*level > 0) {
		if (read_cache_file(r, cpu, index, "/shared_cpu_list") < 0)
			return false;
		return cpus_parse(&r->list, r->buf, (size_t)r->len) == 0;
	}
	cpus_for_each(n, &r->present)
		if (n == cpu || (r->core_of[cpu] != CPUS_NONE && r->core_of[n] == r->core_of[cpu]))
			cpus_add(&r->list, n);
	return true;
}

static int read_llcs(struct reader *r)
{
	struct cpus llc;

	if (cpus_init(&llc, r->a, CPUS_MAX) < 0)
		return -1;
	cpus_for_each(cpu, &r->present) {
		int level;

		if (r->llc_of[cpu] != CPUS_NONE || !read_llc(r, cpu, &level))
			continue;
		if (level < 3) {
			cpus_clear(&llc);
			cpus_or(&llc, &r->list);
			if (!read_shared(r, cpu, "/topology/cluster_cpus_list") ||
			    !cpus_subset(&llc, &r->list)) {
				cpus_clear(&r->list);
				cpus_or(&r->list, &llc);
			}
		}
		assign(r, r->llc_of, cpu);
	}
	return 0;
}

/* Isolated cpus hold no rank: nothing is read for them. */
static int init_cpus(struct reader *r)
{
	for (unsigned int i = 0; i < r->raw.nnodes; i++)
		if (r->nodes[i].cpus.nbits > r->raw.ncpus)
			r->raw.ncpus = r->nodes[i].cpus.nbits;
	r->core_of = arena_array(r->a, r->raw.ncpus, sizeof(*r->core_of));
	r->llc_of = arena_array(r->a, r->raw.ncpus, sizeof(*r->llc_of));
	if (!r->core_of || !r->llc_of || cpus_init(&r->present, r->a, r->raw.ncpus) < 0)
		return -1;
	memset(r->core_of, 0xff, r->raw.ncpus * sizeof(*r->core_of));
	memset(r->llc_of, 0xff, r->raw.ncpus * sizeof(*r->llc_of));
	for (unsigned int i = 0; i < r->raw.nnodes; i++)
		cpus_or(&r->present, &r->nodes[i].cpus);
	if (r->raw.online.nbits)
		cpus_and(&r->present, &r->raw.online);
	cpus_andnot(&r->present, &r->raw.isolated);
	return 0;
}

/* --- the vendor ----------------------------------------------------------- */

/* The value of a "name : value" line, its length in *len; NULL when there is
 * no such line. */
static const char *cpuinfo_value(const char *text, const char *name, size_t *len)
{
	size_t name_len = strlen(name);

	for (const char *s = text; s; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
		const char *v = s + name_len;

		if (strncmp(s, name, name_len) != 0)
			continue;
		v += strspn(v, " \t");
		if (*v++ != ':')
			continue;
		v += strspn(v, " \t");
		*len = strcspn(v, "\n");
		return v;
	}
	return NULL;
}

static unsigned int reclaim_distance(const char *text)
{
	char vendor[16] = "";
	unsigned int family = 0;
	size_t len;
	const char *v = cpuinfo_value(text, "cpu", &len);

	if (v && memmem(v, len, "POWER", 5))
		return MACHINE_RECLAIM_DISTANCE_POWER;
	v = cpuinfo_value(text, "vendor_id", &len);
	if (v && len < sizeof(vendor))
		memcpy(vendor, v, len);
	v = cpuinfo_value(text, "cpu family", &len);
	for (; v && *v >= '0' && *v <= '9' && family < 1000; v++)
		family = family * 10 + (unsigned int)(*v - '0');
	return machine_reclaim_distance(vendor, family);
}

/* file_read refuses a file that does not fit, and this one has megabytes on a
 * large host. */
static void read_head(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = 0;
	ssize_t n = 1;

	while (fd >= 0 && len + 1 < size && n != 0) {
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0 && errno != EINTR)
			break;
		if (n > 0)
			len += (size_t)n;
	}
	buf[len] = '\0';
	if (fd >= 0)
		close(fd);
}

unsigned int machine_sys_reclaim_distance(const char *root)
{
	char path[512], text[CPUINFO_SIZE];
	struct outbuf o = { path, sizeof(path), 0 };

#ifdef __powerpc__
	if (*root == '\0')
		return MACHINE_RECLAIM_DISTANCE_POWER;
#endif
	outbuf_text(&o, root);
	outbuf_text(&o, "/proc/cpuinfo");
	outbuf_end(&o);
	if (o.len >= o.size)
		return MACHINE_RECLAIM_DISTANCE;
	read_head(path, text, sizeof(text));
	return reclaim_distance(text);
}

/* --- the whole ------------------------------------------------------------ */

int machine_sys_isolated(struct cpus *isolated, struct arena *a, const char *root)
{
	struct reader r;
	bool there;

	if (reader_init(&r, a, root) < 0 ||
	    read_list(&r, CPU "/isolated", CPUS_NONE, "", isolated, &there) < 0)
		return -1;
	return there ? 0 : cpus_init(isolated, a, 0);
}

int machine_sys_read(struct machine *m, struct arena *a, const char *root)
{
	struct reader r;
	bool there;

	if (reader_init(&r, a, root) < 0 ||
	    read_list(&r, CPU "/online", CPUS_NONE, "", &r.raw.online, &there) < 0 ||
	    read_list(&r, CPU "/isolated", CPUS_NONE, "", &r.raw.isolated, &there) < 0 ||
	    read_nodes(&r) < 0 || init_cpus(&r) < 0)
		return -1;
	read_cores(&r);
	if (read_llcs(&r) < 0 || quota_read(&r.raw.quota, a, root) < 0)
		return -1;
	r.raw.nodes = r.nodes;
	r.raw.distances = r.distances;
	r.raw.core_of = r.core_of;
	r.raw.llc_of = r.llc_of;
	r.raw.reclaim_distance = machine_sys_reclaim_distance(root);
	return machine_finish(m, a, &r.raw);
}
