/* The start and the end of a run, and its clock. */
#include "examples/nas/nas.h"

#include <ctype.h>
#include <mpi.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "config.h"

int nas_refuse(struct nas_run *run, const char *format, ...)
{
	va_list args;

	run->status = 2;
	if (run->rank != 0)
		return -1;
	for (const char *c = run->kernel->name; *c; c++)
		fputc(tolower((unsigned char)*c), stderr);
	fputs(": ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return -1;
}

int nas_nearest_power(int size, int64_t least, int64_t most)
{
	int64_t below = 1;

	while (below * 2 <= size)
		below *= 2;
	if (size - below > below * 2 - size)
		below *= 2;
	if (below < least)
		below = least;
	if (below > most)
		below = most;
	return (int)below;
}

/* Opened before the work, so that a bad name costs no run. */
static int open_json(struct nas_run *run)
{
	int opened = 1;

	if (!run->json_path)
		return 0;
	if (run->rank == 0) {
		run->json = fopen(run->json_path, "w");
		opened = run->json != NULL;
	}
	MPI_Bcast(&opened, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!opened)
		return nas_refuse(run, "--json: cannot write %s", run->json_path);
	return 0;
}

int nas_begin(struct nas_run *run, const struct nas_kernel *kernel, int argc, char **argv)
{
	int nearest;

	memset(run, 0, sizeof(*run));
	run->kernel = kernel;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &run->size);
	if (nas_options(run, argc, argv) < 0)
		return -1;
	nearest = kernel->nearest(run);
	if (nearest != run->size)
		return nas_refuse(run, "cannot run on %d rank%s: class %c takes %s; "
				       "the nearest allowed count is %d",
		    run->size, run->size == 1 ? "" : "s", "SWABCD"[run->cls], kernel->rule,
		    nearest);
	if (open_json(run) < 0)
		return -1;
	run->began = MPI_Wtime();
	return 0;
}

int nas_end(struct nas_run *run)
{
	if (run->json && fclose(run->json) != 0)
		run->status = 1;
	MPI_Finalize();
	if (fflush(stdout) != 0)
		run->status = 1;
	return run->status;
}

int nas_agree(struct nas_run *run, bool got)
{
	int mine = got, all;

	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!all)
		return nas_refuse(run, "not enough memory for class %c on %d ranks: "
				       "an allocation failed",
		    "SWABCD"[run->cls], run->size);
	return 0;
}

/* Of this process. */
static double cpu_now(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void nas_clock_start(struct nas_run *run)
{
	MPI_Barrier(MPI_COMM_WORLD);
	run->started = MPI_Wtime();
	run->cpu_started = cpu_now();
	run->setup = run->started - run->began;
	if (run->rank == 0) {
		printf("\n\n NAS Parallel Benchmarks (%s) -- %s Benchmark\n\n"
		       " Class: %c\n Number of active processes: %6d\n\n",
		    PACKAGE_STRING, run->kernel->name, "SWABCD"[run->cls], run->size);
		printf(" Initialization time: %15.3f seconds\n\n", run->setup);
		fflush(stdout);
	}
}

void nas_clock_stop(struct nas_run *run)
{
	double mine = MPI_Wtime() - run->started, cpu = cpu_now() - run->cpu_started;

	if (run->report_nodes)
		nas_place_look(&run->place);
	MPI_Allreduce(&mine, &run->seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Allreduce(&cpu, &run->cpu_seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
