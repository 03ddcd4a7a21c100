#include "launcher/planning.h"

#include <errno.h>
#include <string.h>

#include "core/machine_sys.h"

/* More busy cpus than this on a node are a slip, not a load. */
#define BUSY_MAX PLAN_RANKS_MAX

/* "4,0" for a machine of nnodes nodes. */
static int read_busy(unsigned int *busy, unsigned int nnodes, const char *text, struct arena *a,
		     struct cli_error *err)
{
	char *copy = cli_text(a, "%s", text);
	unsigned int n = 0;

	if (!copy) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	for (char *item; (item = strsep(&copy, ",")); n++) {
		unsigned int value;

		if (!cli_number(item, BUSY_MAX, &value)) {
			cli_error_set(err, "--busy: '%s' is not a number of cpus from 0 to %u",
				      item, BUSY_MAX);
			errno = EINVAL;
			return -1;
		}
		if (n < nnodes)
			busy[n] = value;
	}
	if (n == nnodes)
		return 0;
	cli_error_set(err, "--busy: '%s' has %u number%s, the machine %u node%s", text, n,
		      n == 1 ? "" : "s", nnodes, nnodes == 1 ? "" : "s");
	errno = EINVAL;
	return -1;
}

/* The cpus of list that the machine has: a cgroup's or a job's list may name
 * others too. */
static int read_cpus(struct planning *p, struct arena *a, const char *list, struct cli_error *err)
{
	size_t len = strlen(list);
	struct cpus given;

	if (cpus_init(&given, a, CPUS_MAX) < 0) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	if (cpus_parse(&given, list, len) < 0) {
		cli_error_set(err, "--cpus: '%s' is not a list of cpus such as 0-3,8", list);
		errno = EINVAL;
		return -1;
	}
	cpus_and(&p->allowed, &given);
	if (!cpus_empty(&p->allowed))
		return 0;
	cli_error_set(err, "--cpus: '%s' has none of the machine's usable cpus, which are %s", list,
		      cli_list(a, &p->machine.usable));
	errno = EINVAL;
	return -1;
}

static int set_allowed(struct planning *p, struct arena *a, const struct cli *c,
		       struct cli_error *err)
{
	struct cpus mine;

	if (cpus_copy(&p->allowed, a, &p->machine.usable) < 0)
		goto failed;
	if (c->cpus)
		return read_cpus(p, a, c->cpus, err);
	if (c->options.machine)
		return 0;
	if (cli_allowed(&mine, a) < 0)
		goto failed;
	/* Someone who may use isolated cpus alone is in no node: the plan is then
	 * made for the whole machine. */
	if (cpus_intersects(&p->allowed, &mine))
		cpus_and(&p->allowed, &mine);
	return 0;
failed:
	cli_error_set(err, "%s", strerror(errno));
	return -1;
}

static void set_width(struct planning *p, const struct options *o, char *const *envp)
{
	const char *omp = options_getenv(envp, "OMP_NUM_THREADS");
	char *const none[] = { NULL };

	p->request.width = options_width(o, envp);
	p->slice = options_slice(o, envp);
	if (!p->request.width)
		p->width_from = NULL;
	else if (options_width(o, none))
		p->width_from = "given";
	else if (omp && *omp >= '1' && *omp <= '9')
		p->width_from = "OMP_NUM_THREADS";
	else
		p->width_from = "SLURM_CPUS_PER_TASK";
}

static int set_request(struct planning *p, struct arena *a, const struct cli *c, char *const *envp,
		       struct cli_error *err)
{
	unsigned int *busy;

	p->request.nranks = c->nranks;
	p->request.order = c->options.order;
	p->request.together = c->options.together;
	p->request.rule = p->rule.rule;
	set_width(p, &c->options, envp);
	if (!c->busy)
		return 0;
	busy = arena_array(a, p->machine.nnodes, sizeof(*busy));
	if (!busy) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	p->request.busy = busy;
	return read_busy(busy, p->machine.nnodes, c->busy, a, err);
}

int planning_make(struct planning *p, struct arena *a, const struct cli *c, char *const *envp,
		  struct cli_error *err)
{
	memset(p, 0, sizeof(*p));
	p->spec = c->options.machine ? c->options.machine : "live";
	if (cli_machine_load(&p->machine, a, c->options.machine, err) < 0)
		return -1;
	if (set_allowed(p, a, c, err) < 0)
		return -1;
	if (cli_rule(&p->rule, a, &c->options) < 0)
		goto failed;
	if (set_request(p, a, c, envp, err) < 0)
		return -1;
	/* The kernel's levels know nothing of our own mask, so the view is not
	 * clipped to it. */
	if (machine_view(&p->machine, cpus_next(&p->allowed, 0), NULL, a, &p->view) < 0)
		goto failed;
	if (plan_make(&p->plan, a, &p->machine, &p->allowed, &p->request) < 0)
		goto failed;
	p->slice = p->slice && plan_has_slices(&p->plan);
	return 0;
failed:
	cli_error_set(err, "%s", strerror(errno));
	return -1;
}

int planning_host(const struct cli *c, struct arena *a, struct machine *m, struct cpus *allowed,
		  struct plan_request *request, struct cli_error *err)
{
	struct cli_rule rule;

	if (c->options.machine) {
		if (cli_machine_load(m, a, c->options.machine, err) < 0)
			return -1;
	} else if (machine_sys_read(m, a, "") < 0) {
		cli_error_set(err, "this host's /sys: %s", strerror(errno));
		return -1;
	}
	if (cli_allowed(allowed, a) < 0 || cli_rule(&rule, a, &c->options) < 0) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	*request = (struct plan_request){ .order = c->options.order,
					  .together = c->options.together,
					  .rule = rule.rule };
	return 0;
}

char *planning_nodes(struct arena *a, const struct machine *m, const struct cpus *nodes)
{
	struct cpus os;

	if (cpus_init(&os, a, m->nodes[m->nnodes - 1].os + 1) < 0)
		return NULL;
	cpus_for_each (i, nodes)
		cpus_add(&os, m->nodes[i].os);
	return cli_list(a, &os);
}
