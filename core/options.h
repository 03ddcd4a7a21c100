/* The options that command line, environment and site file share: one table
 * of names, one parser. `--order cyclic`, EVENKEEL_ORDER=cyclic and the site
 * file's line `order cyclic` are the same option. Pure; no memory: values
 * point into the text they were read from. */
#ifndef EVENKEEL_CORE_OPTIONS_H
#define EVENKEEL_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/plan.h"

/* A rank wider than the largest cpu set is a slip. */
#define OPTIONS_WIDTH_MAX CPUS_MAX

enum options_mode {
	OPTIONS_MODE_UNSET = 0, /* = hold */
	OPTIONS_HOLD,   /* a rank keeps its node mask for life */
	OPTIONS_SETTLE, /* ... until MPI is up */
};

enum options_bind {
	OPTIONS_BIND_UNSET = 0, /* = auto: slice where the program's runtime pins itself */
	OPTIONS_BIND_NODE,      /* ranks of a node share its cpus */
	OPTIONS_BIND_SLICE,     /* each has its own part of them */
};

enum options_mem {
	OPTIONS_MEM_UNSET = 0,  /* = none: the kernel's default policy, first touch */
	OPTIONS_MEM_LOCAL,      /* MPOL_LOCAL, whatever was inherited */
	OPTIONS_MEM_BIND,       /* only the rank's nodes */
	OPTIONS_MEM_INTERLEAVE, /* page by page over the rank's nodes */
};

/* The value of ledger that means: no ledger. */
#define OPTIONS_LEDGER_NONE "none"

struct options {
	enum options_mode mode;
	enum options_bind bind;
	enum options_mem mem;
	enum plan_order order;
	unsigned int width;      /* 0 = not given */
	bool together;
	bool keep;               /* ranks keep the preload */
	bool off;
	unsigned int verbose;    /* 0 quiet, 1 a line per job and host, 2 a line per rank */
	const char *machine;     /* file name or machine text; NULL = live */
	const char *kernel;      /* release string; NULL = uname's */
	const char *rule;        /* policy_by_name; NULL = the kernel's */
	bool no_measure;         /* load from elsewhere is not looked for */
	bool no_remote;          /* proxies on other hosts run without us */
	const char *ledger;      /* folder of the ledger, or "none"; NULL = the default one */
	const char *deny;        /* site file only: program names, blank-separated */
};

struct options_error {
	char text[160]; /* what was seen and what was wanted */
};

/* Sets one option. name as in the site file ("width", "together"); value may
 * be NULL or "" for switches (= on). 0, or -1 with errno ENOENT (no such
 * option) or EINVAL (bad value; err says what). o is unchanged on -1. err may
 * be NULL. */
int options_set(struct options *o, const char *name, const char *value,
		struct options_error *err);

/* Reads EVENKEEL=off and the EVENKEEL_* variables of envp. Values that cannot
 * be read are skipped, since a job must not fail over them; the number skipped
 * is returned. */
unsigned int options_from_env(struct options *o, char *const *envp);

/* Reads the text of a site file in place (it is cut into strings). Lines: NAME
 * [VALUE], '#' comments. What cannot be read is skipped and counted. first_bad
 * (may be NULL) gets the 1-based number of the first such line or 0. */
unsigned int options_from_file(struct options *o, char *text, unsigned int *first_bad);

/* Cpus one rank keeps busy: o->width, else OMP_NUM_THREADS (the first number of
 * its list), else SLURM_CPUS_PER_TASK of envp, else 0 (unknown). Values that are
 * not numbers from 1 to OPTIONS_WIDTH_MAX count as not set. */
unsigned int options_width(const struct options *o, char *const *envp);

/* The rank is to get a slice: o->bind says so, or leaves it open and envp has
 * what makes its runtime pin its threads: KMP_AFFINITY (not "none" or
 * "disabled"), OMP_PROC_BIND other than "false", or, where that is not set at all,
 * OMP_PLACES or GOMP_CPU_AFFINITY. Empty values count as not set. */
bool options_slice(const struct options *o, char *const *envp);

/* The value of NAME in envp, or NULL. */
const char *options_getenv(char *const *envp, const char *name);

/* program (a path or name) is in the blank-separated list, by its last path
 * component. */
bool options_denied(const char *deny, const char *program);

#endif
