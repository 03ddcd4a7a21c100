/* The result: the block that tools know from the NAS Parallel Benchmarks 3.4,
 * and the same as JSON. */
#include "examples/nas/nas.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "config.h"

/* What rank 0 prints about the whole job. */
struct totals {
	int64_t peak_rank, peak_sum; /* peak resident bytes: largest, all */
	struct nas_place *places;    /* one per rank; NULL when not asked for */
};

/* "30 Nov 2026" from the compiler's "Nov 30 2026". */
static void compile_date(char text[12])
{
	static const char date[] = __DATE__;

	snprintf(text, 12, "%.2s %.3s %.4s", date + 4, date, date + 7);
	if (text[0] == ' ')
		text[0] = '0';
}

static void size_text(char *text, size_t room, const int64_t size[3])
{
	if (size[1])
		snprintf(text, room, "%4" PRId64 "x%4" PRId64 "x%4" PRId64, size[0], size[1],
		    size[2]);
	else
		snprintf(text, room, "%" PRId64, size[0]);
}

static double per_second(const struct nas_run *run, const struct nas_result *result)
{
	return run->seconds > 0 ? result->mops / run->seconds : 0;
}

/* Labels fill 16 columns, values end in column 43. */
static void print_block(const struct nas_run *run, const struct nas_result *result)
{
	const char *name = run->kernel->name;
	double mops = per_second(run, result);
	char size[64], date[12];

	size_text(size, sizeof(size), result->size);
	compile_date(date);
	/* IS is the C kernel of the reference codes, without a full stop. */
	printf("\n\n %s Benchmark Completed%s\n", name, strcmp(name, "IS") == 0 ? "" : ".");
	printf(" Class           = %24c\n", "SWABCD"[run->cls]);
	printf(" Size            = %24s\n", size);
	printf(" Iterations      = %24d\n", result->iterations);
	printf(" Time in seconds = %24.2f\n", run->seconds);
	printf(" Total processes = %24d\n", run->size);
	printf(" Active procs    = %24d\n", run->size);
	printf(" Mop/s total     = %24.2f\n", mops);
	printf(" Mop/s/process   = %24.2f\n", mops / run->size);
	printf(" Operation type  = %24s\n", run->kernel->operation);
	printf(" Verification    = %24s\n", result->verified ? "SUCCESSFUL" : "UNSUCCESSFUL");
	printf(" Version         = %24s\n", PACKAGE_STRING);
	printf(" Compile date    = %24s\n", date);
}

static void print_json(FILE *to, const struct nas_run *run, const struct nas_result *result,
    const struct totals *totals)
{
	double mops = per_second(run, result);

	fprintf(to, "{\n  \"program\": \"%s\",\n", PACKAGE_STRING);
	fprintf(to, "  \"kernel\": \"%s\",\n", run->kernel->name);
	fprintf(to, "  \"class\": \"%c\",\n", "SWABCD"[run->cls]);
	fprintf(to, "  \"size\": [%" PRId64, result->size[0]);
	if (result->size[1])
		fprintf(to, ", %" PRId64 ", %" PRId64, result->size[1], result->size[2]);
	fprintf(to, "],\n  \"iterations\": %d,\n", result->iterations);
	fprintf(to, "  \"ranks\": %d,\n", run->size);
	fprintf(to, "  \"seconds\": %.9f,\n", run->seconds);
	fprintf(to, "  \"cpu_seconds\": %.9f,\n", run->cpu_seconds);
	fprintf(to, "  \"setup_seconds\": %.9f,\n", run->setup);
	fprintf(to, "  \"mops\": %.6f,\n", mops);
	fprintf(to, "  \"mops_per_rank\": %.6f,\n", mops / run->size);
	fprintf(to, "  \"bytes_counted\": %.0f,\n", result->bytes);
	fprintf(to, "  \"operation\": \"%s\",\n", run->kernel->operation);
	fprintf(to, "  \"verified\": %s,\n", result->verified ? "true" : "false");
	/* A damaged run can end in NaN, which JSON has no word for. */
	if (result->error >= 0 && result->error < 1e300)
		fprintf(to, "  \"error\": %.6e,\n", result->error);
	else
		fputs("  \"error\": null,\n", to);
	fprintf(to, "  \"error_limit\": %.6e,\n", result->limit);
	fprintf(to, "  \"planned_bytes_per_host\": %" PRId64 ",\n", run->bytes_host);
	fprintf(to, "  \"peak_bytes_largest_rank\": %" PRId64 ",\n", totals->peak_rank);
	fprintf(to, "  \"peak_bytes_all_ranks\": %" PRId64, totals->peak_sum);
	if (totals->places)
		nas_places_json(to, totals->places, run->size);
	fputs("\n}\n", to);
}

static void gather(struct nas_run *run, struct totals *totals)
{
	struct rusage use = { 0 };
	int64_t peak;
	int room = 0;

	getrusage(RUSAGE_SELF, &use);
	peak = (int64_t)use.ru_maxrss * 1024;
	MPI_Reduce(&peak, &totals->peak_rank, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&peak, &totals->peak_sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!run->report_nodes)
		return;
	if (run->rank == 0) {
		totals->places = malloc((size_t)run->size * sizeof(*totals->places));
		room = totals->places != NULL;
	}
	MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!room)
		return;
	MPI_Gather(&run->place, sizeof(run->place), MPI_BYTE, totals->places,
	    sizeof(run->place), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void nas_report(struct nas_run *run, const struct nas_result *result)
{
	struct totals totals = { 0 };
	int verified = result->verified;

	MPI_Bcast(&verified, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!verified)
		run->status = 1;
	gather(run, &totals);
	if (run->rank == 0) {
		print_block(run, result);
		if (totals.places)
			nas_places_print(stdout, totals.places, run->size);
		fputs("\n\n", stdout);
		fflush(stdout);
		if (run->json) {
			print_json(run->json, run, result, &totals);
			if (ferror(run->json))
				run->status = 1;
		}
	}
	free(totals.places);
}
