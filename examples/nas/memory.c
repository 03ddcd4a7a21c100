/* Is the memory there? Asked per host, before any of it is touched. */
#include "examples/nas/nas.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file's single number; -1 when there is none ("max", no file). */
static int64_t read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	int64_t n = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%" SCNd64, &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

/* MemAvailable in bytes; -1 unknown. */
static int64_t host_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	int64_t kb = -1;

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNd64, &kb) == 1)
			break;
	fclose(f);
	return kb < 0 ? -1 : kb * 1024;
}

/* What the tightest of the cgroups above this process has left; INT64_MAX
 * when none sets a limit. */
static int64_t cgroup_left(void)
{
	FILE *f = fopen("/proc/self/cgroup", "r");
	char line[PATH_MAX], path[PATH_MAX + 64], *end;
	int64_t least = INT64_MAX;

	if (!f)
		return least;
	line[0] = '\0';
	while (fgets(line, sizeof(line), f) && strncmp(line, "0::", 3) != 0)
		line[0] = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	if (!line[0])
		return least;
	do {
		int64_t max, used;

		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", line + 3);
		max = read_number(path);
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", line + 3);
		used = read_number(path);
		if (max >= 0 && used >= 0 && max - used < least)
			least = max - used;
		end = strrchr(line + 3, '/');
		if (end)
			*end = '\0';
	} while (end);
	return least;
}

int nas_memory_fits(struct nas_run *run, int64_t bytes)
{
	struct {
		double slack;
		int rank;
	} mine, worst;
	struct {
		int64_t need, left;
		char host[64];
	} said = { 0 };
	MPI_Comm host;
	int64_t available = host_available(), limit = cgroup_left();

	said.left = available >= 0 && available < limit ? available : limit;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, run->rank, MPI_INFO_NULL, &host);
	MPI_Allreduce(&bytes, &said.need, 1, MPI_INT64_T, MPI_SUM, host);
	MPI_Allreduce(MPI_IN_PLACE, &said.left, 1, MPI_INT64_T, MPI_MIN, host);
	MPI_Comm_free(&host);
	gethostname(said.host, sizeof(said.host) - 1);

	mine.slack = (double)said.left - (double)said.need;
	mine.rank = run->rank;
	MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
	MPI_Bcast(&said, sizeof(said), MPI_BYTE, worst.rank, MPI_COMM_WORLD);
	run->bytes_host += said.need;
	if (worst.slack < 0)
		return nas_refuse(run, "not enough memory for class %c on %d ranks: "
				       "host %s needs %.2f GB and has %.2f GB available",
		    "SWABCD"[run->cls], run->size, said.host, (double)said.need / 1e9,
		    (double)said.left / 1e9);
	return 0;
}
