/* A plan together with all that it was made from, for `plan` to print. */
#ifndef EVENKEEL_LAUNCHER_PLANNING_H
#define EVENKEEL_LAUNCHER_PLANNING_H

#include <stdbool.h>

#include "core/machine.h"
#include "core/plan.h"
#include "launcher/cli.h"

struct planning {
	const char *spec; /* the machine's, "live" for this host */
	struct machine machine;
	struct cpus allowed; /* cpus the plan may use; never empty */
	struct cli_rule rule;
	struct machine_view view; /* from the first allowed cpu */
	struct plan_request request;
	const char *width_from; /* what gave request.width, for the user; NULL = unknown */
	struct plan plan;
	bool slice; /* each rank asks for its own part of its place's cpus (plan_slice) */
};

/* Makes the plan that c asks for; c->have_nranks is assumed. On the live
 * machine the cpus allowed to this process are used, else all of the machine's.
 * The width may come from envp (options_width). 0, or -1 with errno EINVAL (err
 * says which option is wrong and how) or ENOMEM (err set). */
int planning_make(struct planning *p, struct arena *a, const struct cli *c, char *const *envp,
		  struct cli_error *err);

/* What a job started here plans with, as the shim does: --machine, else what
 * this host's /sys says, the cpus allowed to us, and a request that has its
 * order, together and rule. 0, or -1 with err set. */
int planning_host(const struct cli *c, struct arena *a, struct machine *m, struct cpus *allowed,
		  struct plan_request *request, struct cli_error *err);

/* "0,1" or "0-3" for a set of node indexes: the OS indexes as a list, in the
 * arena. NULL with errno ENOMEM. */
char *planning_nodes(struct arena *a, const struct machine *m, const struct cpus *nodes);

#endif
