/* What the five NAS kernels share: options, refusals, memory, clock, result.
 *
 * The kernels follow the NAS report (Bailey et al., RNR-94-007); classes,
 * verification values and the layout of the result are those of "the NAS
 * Parallel Benchmarks 3.4". They are written anew and share no code with it.
 *
 * A program is
 *
 *	if (nas_begin(&run, &kernel, argc, argv) == 0)
 *		(set up; nas_clock_start; work; nas_clock_stop; nas_report)
 *	return nas_end(&run);
 *
 * Exit status: 0 verified (or --help, --version), 1 not verified or its
 * result not written, 2 refused before the work. A refusal is one line by
 * rank 0, and all ranks leave through MPI_Finalize: mpiexec ors the statuses
 * of its ranks, so they must all be the same, and none may hang.
 *
 * All functions but nas_square_power are collective over MPI_COMM_WORLD.
 */
#ifndef EVENKEEL_EXAMPLES_NAS_NAS_H
#define EVENKEEL_EXAMPLES_NAS_NAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Classes, as indices of the kernels' tables. */
enum nas_class { NAS_S, NAS_W, NAS_A, NAS_B, NAS_C, NAS_D, NAS_CLASSES };

struct nas_run;

/* One kernel: constants of its program. Strings are never NULL. */
struct nas_kernel {
	const char *name;      /* "CG" */
	const char *about;     /* one line for --help */
	const char *operation; /* "Operation type" of the result */
	const char *rule;      /* the allowed rank counts in words */
	/* The allowed rank count nearest to run->size for run->cls (the lower
	 * of two); run->size itself when it is allowed. */
	int (*nearest)(const struct nas_run *run);
	bool layouts; /* takes --layout (FT) */
};

/* Where the ranks and their memory were at the end of the timed part. */
struct nas_place {
	char host[64];
	int node;       /* NUMA node of the cpu the rank was on; -1 unknown */
	int pages_seen; /* 0: numa_maps could not be read */
	int64_t bytes;  /* anonymous memory of the rank */
	int64_t remote; /* of it, on other nodes than the rank's */
};

/* One run. Filled by nas_begin; seconds, cpu_seconds and place by
 * nas_clock_stop. */
struct nas_run {
	const struct nas_kernel *kernel;
	int rank, size; /* in MPI_COMM_WORLD */
	enum nas_class cls;
	int layout; /* FT: 0 automatic, 1 slabs, 2 pencils */
	bool damage;
	bool report_nodes;
	const char *json_path;
	FILE *json;         /* open at rank 0 when json_path is set */
	double began;       /* MPI_Wtime when nas_begin was done */
	double setup;       /* seconds from there to nas_clock_start, this rank */
	double started;     /* MPI_Wtime at nas_clock_start */
	double seconds;     /* the timed part, of the slowest rank */
	double cpu_started; /* cpu seconds of this rank at nas_clock_start */
	double cpu_seconds; /* cpu seconds of all ranks in the timed part: less
			     * than seconds * size when cpus were shared */
	int64_t bytes_host; /* what nas_memory_fits was told, largest host */
	struct nas_place place;
	int status; /* exit status to be */
};

/* What a kernel found. */
struct nas_result {
	int64_t size[3]; /* unused ones are 0; one alone is a plain number */
	int iterations;
	double mops;   /* operations of the timed part, in millions */
	double bytes;  /* memory traffic of the timed part, all ranks: every array
			* counted once for each time it is read or written as a
			* whole, caches and write-allocation left out (as STREAM
			* counts); 0 when next to nothing. docs/nas.md */
	double error;  /* largest relative deviation (IS: failed checks) */
	double limit;  /* the largest allowed one */
	bool verified; /* rank 0's word counts */
};

/* MPI_Init, the options, the rank rule. 0: go on. -1: leave by nas_end
 * (help or version was shown, or the run was refused). */
int nas_begin(struct nas_run *run, const struct nas_kernel *kernel, int argc, char **argv);

/* Frees MPI; returns the exit status. */
int nas_end(struct nas_run *run);

/* Reads the options into run; sizes and rank must be set. 0: go on.
 * -1: leave, with run->status set and rank 0's text printed. */
int nas_options(struct nas_run *run, int argc, char **argv);

/* Says "PROGRAM: TEXT" once and sets status 2. Always -1. */
int nas_refuse(struct nas_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The rank rule of CG, MG, FT, IS: the power of two nearest to size within
 * [least, most] (both powers of two themselves); the lower of two. */
int nas_nearest_power(int size, int64_t least, int64_t most);

/* Refuses with -1 unless every host has the memory its ranks ask for: bytes is
 * what this rank is about to take. Asked before any page is touched, since
 * Linux grants what it does not have and kills later. Looks at MemAvailable
 * and at the limits of the rank's cgroups (version 2). */
int nas_memory_fits(struct nas_run *run, int64_t bytes);

/* Refuses with -1 when got is false on any rank (an allocation failed). */
int nas_agree(struct nas_run *run, bool got);

/* The timed part, between a barrier and the slowest rank's end. The start
 * prints the banner; places are looked at after the clock has been read. */
void nas_clock_start(struct nas_run *run);
void nas_clock_stop(struct nas_run *run);

/* Fills place for the calling rank (not collective). */
void nas_place_look(struct nas_place *place);

/* Rank 0 prints the result block, and what --report-nodes and --json asked
 * for. Sets status to 1 unless verified and written. */
void nas_report(struct nas_run *run, const struct nas_result *result);

/* Rank 0: the line per host and node of --report-nodes, or the same as JSON
 * members. places has one entry per rank. */
void nas_places_print(FILE *to, const struct nas_place *places, int count);
void nas_places_json(FILE *to, const struct nas_place *places, int count);

#endif
