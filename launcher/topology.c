#include "launcher/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/machine_sys.h"
#include "core/machine_text.h"
#include "core/quota.h"

#define FILE_MAX (64u << 20)

/* evenkeel's own assumption for machines that say nothing of distances. */
#define DISTANCE_IN_PACKAGE 12u
#define DISTANCE_OTHER_PACKAGE 21u

struct source {
	hwloc_topology_t topology;
	bool live;
	const char *root; /* of the /sys that belongs to it; NULL = there is none */
	struct arena *a;
	struct machine_raw raw;
	struct machine_node *nodes;
	hwloc_obj_t *objs; /* of nodes */
	unsigned int *distances, *core_of, *llc_of;
};

__attribute__((format(printf, 3, 4))) static int fail(struct topology_error *err, int errnum,
						      const char *format, ...)
{
	va_list ap;

	if (err) {
		va_start(ap, format);
		vsnprintf(err->text, sizeof(err->text), format, ap);
		va_end(ap);
	}
	errno = errnum;
	return -1;
}

/* --- hwloc's chatter ------------------------------------------------------ */

/* hwloc and libxml2 explain themselves on stderr in many lines; no setting
 * silences both. -1 when stderr is closed or /dev/null is not there. */
static int hush(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int saved = null < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	fflush(stderr);
	if (saved >= 0)
		dup2(null, STDERR_FILENO);
	if (null >= 0)
		close(null);
	return saved;
}

static void unhush(int saved)
{
	int errnum = errno;

	if (saved >= 0) {
		fflush(stderr);
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	errno = errnum;
}

/* --- nodes and distances -------------------------------------------------- */

static int copy_bitmap(struct cpus *c, struct arena *a, hwloc_const_bitmap_t set)
{
	int last = set ? hwloc_bitmap_last(set) : -1;

	if (cpus_init(c, a, (unsigned int)(last + 1)) < 0)
		return -1;
	for (int n = set ? hwloc_bitmap_first(set) : -1; n >= 0; n = hwloc_bitmap_next(set, n))
		cpus_add(c, (unsigned int)n);
	return 0;
}

static int take_nodes(struct source *s)
{
	int n = hwloc_get_nbobjs_by_type(s->topology, HWLOC_OBJ_NUMANODE);
	hwloc_obj_t obj = NULL;

	if (n < 1 || n > (int)MACHINE_NODES_MAX) {
		errno = EINVAL;
		return -1;
	}
	s->nodes = arena_array(s->a, (size_t)n, sizeof(*s->nodes));
	s->objs = arena_array(s->a, (size_t)n, sizeof(hwloc_obj_t));
	if (!s->nodes || !s->objs)
		return -1;
	while ((obj = hwloc_get_next_obj_by_type(s->topology, HWLOC_OBJ_NUMANODE, obj))) {
		struct machine_node *node = &s->nodes[s->raw.nnodes];

		if (copy_bitmap(&node->cpus, s->a, obj->cpuset) < 0)
			return -1;
		node->os = obj->os_index;
		node->memory = obj->attr->numanode.local_memory > 0;
		s->objs[s->raw.nnodes++] = obj;
	}
	s->raw.nodes = s->nodes;
	return copy_bitmap(&s->raw.online, s->a, hwloc_topology_get_topology_cpuset(s->topology));
}

/* Copies a matrix that has all nodes with cpus; false when it has not. */
static bool copy_distances(struct source *s, struct hwloc_distances_s *d)
{
	unsigned int n = s->raw.nnodes;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++) {
			int from = hwloc_distances_obj_index(d, s->objs[i]);
			int to = hwloc_distances_obj_index(d, s->objs[j]);
			hwloc_uint64_t value = 0;

			if (from >= 0 && to >= 0)
				value = d->values[from * (int)d->nbobjs + to];
			else if (!cpus_empty(&s->nodes[i].cpus) &&
				 !cpus_empty(&s->nodes[j].cpus))
				return false;
			if (value > MACHINE_DISTANCE_MAX)
				value = MACHINE_DISTANCE_MAX + 1;
			s->distances[i * n + j] = (unsigned int)value;
		}
	return true;
}

static bool take_matrix(struct source *s)
{
	struct hwloc_distances_s *d[16];
	unsigned int nr = 1;
	bool found = false;

	if (hwloc_distances_get_by_name(s->topology, "NUMALatency", &nr, d, 0) < 0 || nr == 0) {
		nr = sizeof(d) / sizeof(*d);
		if (hwloc_distances_get_by_type(s->topology, HWLOC_OBJ_NUMANODE, &nr, d,
						HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) < 0)
			return false;
		if (nr > sizeof(d) / sizeof(*d))
			nr = sizeof(d) / sizeof(*d);
	}
	for (unsigned int i = 0; i < nr; i++) {
		found = found || copy_distances(s, d[i]);
		hwloc_distances_release(s->topology, d[i]);
	}
	return found;
}

static hwloc_obj_t package_of(const struct source *s, unsigned int node)
{
	return hwloc_get_ancestor_obj_by_type(s->topology, HWLOC_OBJ_PACKAGE, s->objs[node]);
}

/* Several packages, and a package of several nodes: then 10, 12, 21. */
static bool assume_distances(struct source *s)
{
	unsigned int n = s->raw.nnodes;
	bool near = false, far = false;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++) {
			bool same = package_of(s, i) && package_of(s, i) == package_of(s, j);

			near = near || (same && i != j);
			far = far || !same;
			s->distances[i * n + j] = i == j ? MACHINE_LOCAL_DISTANCE
						  : same ? DISTANCE_IN_PACKAGE
							 : DISTANCE_OTHER_PACKAGE;
		}
	return near && far;
}

static int take_distances(struct source *s)
{
	unsigned int n = s->raw.nnodes;

	s->distances = arena_array(s->a, (size_t)n * n, sizeof(*s->distances));
	if (!s->distances)
		return -1;
	if (take_matrix(s) || (!s->live && assume_distances(s)))
		s->raw.distances = s->distances;
	return 0;
}

/* --- cores and caches ----------------------------------------------------- */

static void share(struct source *s, unsigned int *shared, hwloc_const_cpuset_t set)
{
	int first = hwloc_bitmap_first(set);

	for (int n = first; n >= 0 && (unsigned int)n < s->raw.ncpus; n = hwloc_bitmap_next(set, n))
		shared[n] = (unsigned int)first;
}

static bool is_cluster(hwloc_obj_t obj)
{
	return obj->type == HWLOC_OBJ_GROUP && obj->subtype && strcmp(obj->subtype, "Cluster") == 0;
}

/* What a cpu shares its last-level cache with; NULL when nothing is known of
 * its caches. Ancestors come from the inside out, so the last match counts. */
static hwloc_obj_t llc_of(hwloc_obj_t pu)
{
	hwloc_obj_t llc = NULL, core = pu, cluster = NULL;
	bool caches = false;

	for (hwloc_obj_t obj = pu->parent; obj; obj = obj->parent) {
		caches = caches || hwloc_obj_type_is_cache(obj->type);
		if (obj->type == HWLOC_OBJ_L2CACHE || obj->type == HWLOC_OBJ_L3CACHE)
			llc = obj;
		if (obj->type == HWLOC_OBJ_CORE)
			core = obj;
		if (is_cluster(obj))
			cluster = obj;
	}
	if (!caches)
		return NULL;
	if (!llc)
		llc = core;
	if (cluster && llc->type != HWLOC_OBJ_L3CACHE &&
	    hwloc_bitmap_isincluded(llc->cpuset, cluster->cpuset))
		llc = cluster;
	return llc;
}

static int take_sharing(struct source *s)
{
	hwloc_obj_t obj = NULL;

	s->raw.ncpus = s->raw.online.nbits;
	s->core_of = arena_array(s->a, s->raw.ncpus, sizeof(*s->core_of));
	s->llc_of = arena_array(s->a, s->raw.ncpus, sizeof(*s->llc_of));
	if (!s->core_of || !s->llc_of)
		return -1;
	memset(s->core_of, 0xff, s->raw.ncpus * sizeof(*s->core_of));
	memset(s->llc_of, 0xff, s->raw.ncpus * sizeof(*s->llc_of));
	while ((obj = hwloc_get_next_obj_by_type(s->topology, HWLOC_OBJ_CORE, obj)))
		share(s, s->core_of, obj->cpuset);
	while ((obj = hwloc_get_next_obj_by_type(s->topology, HWLOC_OBJ_PU, obj))) {
		hwloc_obj_t llc = llc_of(obj);

		if (llc && obj->os_index < s->raw.ncpus && s->llc_of[obj->os_index] == CPUS_NONE)
			share(s, s->llc_of, llc->cpuset);
	}
	s->raw.core_of = s->core_of;
	s->raw.llc_of = s->llc_of;
	return 0;
}

/* --- the rest ------------------------------------------------------------- */

/* The reclaim distance of a topology without a /proc of its own. */
static unsigned int reclaim_distance(const struct source *s)
{
	hwloc_obj_t root = hwloc_get_root_obj(s->topology);
	hwloc_obj_t package = hwloc_get_obj_by_type(s->topology, HWLOC_OBJ_PACKAGE, 0);
	const char *arch = hwloc_obj_get_info_by_name(root, "Architecture");
	const char *vendor, *family;

	if (arch && (strncmp(arch, "ppc", 3) == 0 || strncmp(arch, "powerpc", 7) == 0))
		return MACHINE_RECLAIM_DISTANCE_POWER;
	/* Without packages in /sys hwloc puts the model into the machine. */
	if (!package || !hwloc_obj_get_info_by_name(package, "CPUVendor"))
		package = root;
	vendor = hwloc_obj_get_info_by_name(package, "CPUVendor");
	family = hwloc_obj_get_info_by_name(package, "CPUFamilyNumber");
	return machine_reclaim_distance(vendor,
					family ? (unsigned int)strtoul(family, NULL, 10) : 0);
}

static int take_host(struct source *s)
{
	const char *fsroot = getenv("HWLOC_FSROOT");

	if (s->live && fsroot)
		s->root = fsroot;
	else if (s->live && hwloc_topology_is_thissystem(s->topology))
		s->root = "";
	if (!s->root) {
		s->raw.reclaim_distance = reclaim_distance(s);
		return 0;
	}
	s->raw.reclaim_distance = machine_sys_reclaim_distance(s->root);
	if (machine_sys_isolated(&s->raw.isolated, s->a, s->root) < 0)
		return -1;
	return quota_read(&s->raw.quota, s->a, s->root);
}

static int take_machine(struct source *s, struct machine *m)
{
	if (take_nodes(s) < 0 || take_distances(s) < 0 || take_sharing(s) < 0 || take_host(s) < 0)
		return -1;
	return machine_finish(m, s->a, &s->raw);
}

/* Loads what set_source has set, with stderr hushed by the caller. */
static int load(struct source *s)
{
	if (s->live)
		hwloc_topology_set_components(
		    s->topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (hwloc_topology_set_flags(s->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) < 0)
		return -1;
	return hwloc_topology_load(s->topology);
}

/* xml (len bytes and a NUL) or synthetic or neither. *seen becomes true when
 * hwloc understood it. */
static int load_hwloc(struct machine *m, struct arena *a, const char *xml, size_t len,
		      const char *synthetic, bool *seen)
{
	struct source s = { .a = a, .live = !xml && !synthetic };
	int saved, rc = 0;

	*seen = false;
	if (hwloc_topology_init(&s.topology) < 0) {
		errno = ENOMEM;
		return -1;
	}
	saved = hush();
	if (xml)
		rc = hwloc_topology_set_xmlbuffer(s.topology, xml, (int)len + 1);
	else if (synthetic)
		rc = hwloc_topology_set_synthetic(s.topology, synthetic);
	if (rc == 0)
		rc = load(&s);
	if (rc == 0) {
		*seen = true;
		rc = take_machine(&s, m);
	} else {
		errno = EINVAL;
	}
	unhush(saved);
	hwloc_topology_destroy(s.topology);
	return rc;
}

/* --- specs ---------------------------------------------------------------- */

static int fail_machine(struct topology_error *err, const char *what)
{
	int errnum = errno;

	if (errnum == ENODATA)
		return fail(err, errnum, "%s: every cpu is isolated: wanted a usable one", what);
	return fail(err, errnum, "%s: cannot make a machine of it: %s", what, strerror(errnum));
}

static int load_live(struct machine *m, struct arena *a, struct topology_error *err)
{
	bool seen;

	if (load_hwloc(m, a, NULL, 0, NULL, &seen) == 0)
		return 0;
	if (!seen)
		return fail(err, errno, "live: hwloc cannot read the topology of this host");
	return fail_machine(err, "live");
}

/* The whole file and a NUL, from malloc; NULL with errno. A pipe has no size,
 * so the buffer grows as it comes. */
static char *read_whole(int fd, size_t *len)
{
	size_t size = 65536;
	char *buf = malloc(size);

	*len = 0;
	while (buf) {
		ssize_t n = read(fd, buf + *len, size - 1 - *len);
		char *larger;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			buf[*len] = '\0';
			if (n == 0)
				return buf;
			break;
		}
		*len += (size_t)n;
		if (*len + 1 < size)
			continue;
		size *= 2;
		if (size > FILE_MAX) {
			errno = EFBIG;
			break;
		}
		larger = realloc(buf, size);
		if (!larger)
			break;
		buf = larger;
	}
	free(buf);
	return NULL;
}

static int load_text(const char *path, struct machine *m, struct arena *a, const char *text,
		     size_t len, struct topology_error *err)
{
	struct machine_text_error why = { 0, "" };

	if (machine_text_read(m, a, text, len, &why) == 0)
		return 0;
	if (errno == ENOMEM)
		return fail_machine(err, path);
	if (why.line)
		return fail(err, errno, "%s, line %u: %s", path, why.line, why.text);
	return fail(err, errno, "%s: %s", path, why.text);
}

/* hwloc 2.9 dies of a segmentation fault on an object that has a cpuset or
 * nodeset and not the complete one as well. Every hwloc writes both. */
static bool sets_complete(const char *xml)
{
	static const char *const sets[][2] = {
		{ " cpuset=", " complete_cpuset=" },
		{ " nodeset=", " complete_nodeset=" },
	};

	while ((xml = strstr(xml, "<object"))) {
		size_t len = strcspn(xml, ">");

		for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
			if (memmem(xml, len, sets[i][0], strlen(sets[i][0])) &&
			    !memmem(xml, len, sets[i][1], strlen(sets[i][1])))
				return false;
		xml += len;
	}
	return true;
}

static int load_xml(const char *path, struct machine *m, struct arena *a, const char *text,
		    size_t len, struct topology_error *err)
{
	bool seen = false;

	if (text[strspn(text, " \t\r\n")] != '<' || strlen(text) != len)
		return fail(err, EINVAL,
			    "%s: neither hwloc XML nor a text that starts with %s", path,
			    MACHINE_TEXT_HEADER);
	if (sets_complete(text) && load_hwloc(m, a, text, len, NULL, &seen) == 0)
		return 0;
	if (!seen)
		return fail(err, EINVAL, "%s: XML, but not a topology hwloc can read", path);
	return fail_machine(err, path);
}

static int load_file(const char *path, struct machine *m, struct arena *a,
		     struct topology_error *err)
{
	/* A FIFO that nobody writes to must not keep us. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text = NULL;
	size_t len;
	int rc, errnum;

	if (fd >= 0 && fcntl(fd, F_SETFL, 0) == 0)
		text = read_whole(fd, &len);
	if (!text) {
		rc = fail(err, errno, "%s: cannot read it: %s", path, strerror(errno));
		goto out;
	}
	if (machine_text_is(text, len))
		rc = load_text(path, m, a, text, len, err);
	else
		rc = load_xml(path, m, a, text, len, err);
out:
	errnum = errno;
	free(text);
	if (fd >= 0)
		close(fd);
	errno = errnum;
	return rc;
}

/* The processing units a synthetic description asks for, at most CPUS_MAX + 1:
 * the product of the numbers behind its colons, but for what stands in brackets.
 * hwloc would work for minutes on some before it could be asked. */
static unsigned int synthetic_units(const char *spec)
{
	unsigned long units = 1;
	int depth = 0;

	for (; *spec; spec++) {
		depth += (*spec == '[' || *spec == '(') - (*spec == ']' || *spec == ')');
		if (*spec != ':' || depth || spec[1] < '1' || spec[1] > '9')
			continue;
		if (__builtin_mul_overflow(units, strtoul(spec + 1, NULL, 10), &units) ||
		    units > CPUS_MAX)
			return CPUS_MAX + 1;
	}
	return (unsigned int)units;
}

static int load_synthetic(const char *spec, struct machine *m, struct arena *a,
			  struct topology_error *err)
{
	bool seen;

	if (synthetic_units(spec) > CPUS_MAX)
		return fail(err, EINVAL, "machine '%s': more than %u cpus", spec, CPUS_MAX);
	if (load_hwloc(m, a, NULL, 0, spec, &seen) == 0)
		return 0;
	if (seen)
		return fail_machine(err, spec);
	return fail(err, errno,
		    "machine '%s': no such file, and not a synthetic topology: wanted live, "
		    "a file, or a string such as \"numa:2 core:8 pu:2\"",
		    spec);
}

int topology_load(const char *spec, struct machine *m, struct arena *a, struct topology_error *err)
{
	if (!spec || strcmp(spec, "live") == 0)
		return load_live(m, a, err);
	/* A path that exists but may not be read is still meant as a file. */
	if (access(spec, F_OK) < 0 &&
	    (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG))
		return load_synthetic(spec, m, a, err);
	return load_file(spec, m, a, err);
}

const char *topology_version(void)
{
	return HWLOC_VERSION;
}
