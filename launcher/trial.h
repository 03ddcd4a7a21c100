/* One run of a command: its time, its output, how it ended, where its ranks
 * were.
 *
 * The command is a process group of its own with /dev/null for its input; what
 * it writes to standard output and error is taken together. INT, TERM and HUP
 * that we get end it and are remembered. One trial at a time: the handlers use
 * globals.
 */
#ifndef EVENKEEL_LAUNCHER_TRIAL_H
#define EVENKEEL_LAUNCHER_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/machine.h"
#include "core/plan.h"
#include "launcher/placement.h"

/* Of the output only the last so many bytes are kept. */
#define TRIAL_OUTPUT_MAX (8u << 20)
/* Between asking a command to end and killing all that it has started. */
#define TRIAL_GRACE_S 5

struct trial_request {
	char *const *argv, *const *envp; /* argv[0] is looked for in our PATH */
	double timeout_s;		 /* 0 = none */
	/* What the ranks' places are told by; NULL = they are not looked for. */
	const struct machine *machine;
	const struct cpus *allowed;
	const struct plan_request *plan;
	const char *ledger;
	bool pages; /* as for placement_init */
};

struct trial {
	int exec_error;			 /* errno of exec; 0 = it was started */
	int status;			 /* waitpid's */
	bool timed_out, stopped;	 /* ended by the timeout; by a signal to us */
	double wall_s, user_s, system_s; /* the times of all processes that were waited for,
					  * as time(1) has them */
	long switches;			 /* involuntary ones of the same processes */
	char *output;			 /* in the arena; without NULs */
	size_t output_len;
	bool output_cut; /* its beginning is missing */
	struct placement placement;
};

/* Sets the handlers of INT, TERM and HUP (not of one that is ignored) and of
 * CHLD; once, before the first trial. */
void trial_take_signals(void);

/* The signal that asked us to stop, or 0. Once it is one it stays. */
int trial_stop_signal(void);

/* Runs it to its end. 0 with t set, also when the command failed; -1 with errno
 * when it could not be started for want of memory, processes or descriptors. */
int trial_run(struct trial *t, struct arena *a, const struct trial_request *request);

/* Waits, or until a signal asks us to stop. */
void trial_pause(double seconds);

#endif
