#include "core/sim_internal.h"

/* What a rank sleeps over in MPI_Init, and what it works before that. The order is that
 * of the PMI commands of a rank of MPICH 4.0.2 under strace (docs/policy.md): init, maxes,
 * appnum, kvsname, process mapping; two barriers, get -bcast; put -allgather-shm, a
 * barrier, get -allgather-shm. */
enum step_kind { STEP_ASK, STEP_BARRIER };
enum step_work { WORK_START, WORK_BETWEEN, WORK_SETUP, WORK_CONNECT };

static const struct step {
	enum step_kind kind;
	enum step_work work;
} steps[] = {
	{ STEP_ASK, WORK_START },	{ STEP_ASK, WORK_BETWEEN }, { STEP_ASK, WORK_BETWEEN },
	{ STEP_ASK, WORK_BETWEEN },	{ STEP_ASK, WORK_BETWEEN }, { STEP_BARRIER, WORK_SETUP },
	{ STEP_BARRIER, WORK_BETWEEN }, { STEP_ASK, WORK_BETWEEN }, { STEP_ASK, WORK_CONNECT },
	{ STEP_BARRIER, WORK_BETWEEN }, { STEP_ASK, WORK_BETWEEN },
};
#define NSTEPS (sizeof(steps) / sizeof(*steps))

static uint64_t jittered(struct sim *s, unsigned int us)
{
	double factor = 1 + s->p.jitter * (2 * stats_random_unit(&s->w.random) - 1);

	return s->w.now + (uint64_t)(us * factor + 0.5);
}

static void put(struct sim *s, unsigned int us, enum sim_kind kind, unsigned int which)
{
	sim_queue_put(&s->queue, jittered(s, us), kind, which);
}

/* A cpu lost a task. */
static void gone(struct sim *s, unsigned int cpu)
{
	if (!s->w.cpus[cpu].running)
		sim_balance_newly_idle(&s->w, cpu);
}

static void fall_asleep(struct sim *s, struct sim_task *t)
{
	unsigned int cpu = t->cpu;

	sim_world_sleep(&s->w, t);
	gone(s, cpu);
}

void sim_launch(struct sim *s)
{
	unsigned int cpu;

	s->parent = &s->w.tasks[s->p.launch == SIM_THREADS ? 0 : s->p.nranks];
	s->parent->mask = s->everywhere;
	/* Where the shell's child happens to be: any cpu that is idle. */
	cpu = sim_world_idle(&s->w, s->parent, 0, s->w.map.ncpus);
	for (unsigned int i = 0; cpu == SIM_NONE && i < s->w.map.ncpus; i++)
		cpu = sim_may(s->parent, i) ? i : SIM_NONE;
	sim_world_wake(&s->w, s->parent, cpu);
	s->forking = true;
	s->first[0] = s->from[0] = sim_world_node(&s->w, s->parent);
	if (s->p.launch != SIM_THREADS)
		put(s, s->p.gap_us, SIM_FORK, 0);
	else if (s->p.nranks > 1)
		put(s, s->p.gap_us, SIM_FORK, 1);
	else
		sim_begin(s);
}

/* The rank works until its next step, or until MPI is up. */
static void go_to_work(struct sim *s, unsigned int rank)
{
	const unsigned int us[] = {
		[WORK_START] = s->p.start_us,
		[WORK_BETWEEN] = s->p.between_us,
		[WORK_SETUP] = s->p.setup_us,
		[WORK_CONNECT] = s->p.connect_us,
	};
	unsigned int step = s->phase[rank];

	put(s, us[step < NSTEPS ? steps[step].work : WORK_BETWEEN], SIM_WORK, rank);
}

static void note_first(struct sim *s, unsigned int rank)
{
	s->first[rank] = sim_world_node(&s->w, &s->w.tasks[rank]);
	s->from[rank] = sim_world_node(&s->w, s->parent);
}

/* The last child is forked. */
static void end_forking(struct sim *s)
{
	s->forking = false;
	switch (s->p.launch) {
	case SIM_HYDRA:
		s->serving = true;
		put(s, s->p.serve_us, SIM_SERVE, 0);
		return;
	case SIM_SLEEP:
		for (unsigned int i = 0; i < s->p.nranks; i++)
			sim_place_wake(&s->w, &s->w.tasks[i], s->parent->cpu, true);
		break;
	default:
		break;
	}
	if (s->p.launch != SIM_THREADS)
		fall_asleep(s, s->parent);
	for (unsigned int i = 0; s->p.settle && i < s->p.nranks; i++)
		s->w.tasks[i].mask = s->everywhere;
	sim_begin(s);
}

static void fork_rank(struct sim *s, unsigned int rank)
{
	struct sim_task *t = &s->w.tasks[rank];

	t->mask = s->everywhere;
	sim_place_fork(&s->w, t, s->parent->cpu);
	note_first(s, rank);
	if (s->p.launch == SIM_HYDRA)
		put(s, s->p.exec_us, SIM_EXEC, rank);
	else if (s->places)
		sim_place_narrow(&s->w, t, s->places[rank]);
	if (s->p.launch == SIM_SLEEP)
		fall_asleep(s, t);
	if (rank + 1 < s->p.nranks)
		put(s, s->p.gap_us, SIM_FORK, rank + 1);
	else
		end_forking(s);
}

static void exec_rank(struct sim *s, unsigned int rank)
{
	struct sim_task *t = &s->w.tasks[rank];

	if (s->places)
		sim_place_narrow(&s->w, t, s->places[rank]);
	sim_place_exec(&s->w, t);
	go_to_work(s, rank);
}

/* The rank goes through every cpu it may use, and is left on the last. */
static void walk(struct sim *s, struct sim_task *t)
{
	unsigned int last = SIM_NONE, os = 0;

	for (unsigned int i = 0; i < s->w.map.ncpus; i++) {
		if (!sim_may(t, i) || (last != SIM_NONE && s->w.map.os[i] < os))
			continue;
		last = i;
		os = s->w.map.os[i];
	}
	if (last != SIM_NONE && last != t->cpu)
		sim_world_move(&s->w, t, last);
}

static void wake_proxy(struct sim *s, unsigned int waker)
{
	if (s->serving || s->forking)
		return;
	sim_place_wake(&s->w, s->parent, waker, true);
	s->serving = true;
	put(s, s->p.serve_us, SIM_SERVE, 0);
}

static void add_asking(struct sim *s, unsigned int rank)
{
	s->asking[(s->first_asking + s->nasking++) % s->p.nranks] = rank;
}

/* The rank has come out of MPI_Init. */
static void come_up(struct sim *s, unsigned int rank)
{
	struct sim_task *t = &s->w.tasks[rank];

	if (s->p.settle)
		t->mask = s->everywhere;
	if (++s->up == s->p.nranks)
		sim_begin(s);
}

static void work_done(struct sim *s, unsigned int rank)
{
	struct sim_task *t = &s->w.tasks[rank];
	unsigned int phase = s->phase[rank];

	if (s->p.walk && !phase)
		walk(s, t);
	if (phase == NSTEPS) {
		come_up(s, rank);
		return;
	}
	wake_proxy(s, t->cpu);
	fall_asleep(s, t);
	if (steps[phase].kind == STEP_ASK) {
		add_asking(s, rank);
	} else if (++s->entered == s->p.nranks) {
		s->entered = 0;
		put(s, s->p.sleep_us, SIM_RELEASE, 0);
	}
}

static void serve(struct sim *s)
{
	unsigned int rank;

	if (!s->nasking) {
		s->serving = false;
		fall_asleep(s, s->parent);
		return;
	}
	rank = s->asking[s->first_asking];
	s->first_asking = (s->first_asking + 1) % s->p.nranks;
	s->nasking--;
	s->phase[rank]++;
	sim_place_wake(&s->w, &s->w.tasks[rank], s->parent->cpu, true);
	go_to_work(s, rank);
	put(s, s->p.serve_us, SIM_SERVE, 0);
}

/* mpiexec, which is told, sits and waits as the proxy does: no cpu of its own calls
 * the proxy to it. */
static void release(struct sim *s)
{
	for (unsigned int i = 0; i < s->p.nranks; i++)
		add_asking(s, i);
	wake_proxy(s, SIM_NONE);
}

void sim_launch_event(struct sim *s, const struct sim_event *e)
{
	switch ((enum sim_kind)e->kind) {
	case SIM_FORK:
		fork_rank(s, e->which);
		break;
	case SIM_EXEC:
		exec_rank(s, e->which);
		break;
	case SIM_WORK:
		work_done(s, e->which);
		break;
	case SIM_SERVE:
		serve(s);
		break;
	case SIM_RELEASE:
		release(s);
		break;
	default:
		break;
	}
}
