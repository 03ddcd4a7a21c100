/* The subcommands. Each takes its own name as argv[0], prints, and returns the
 * program's exit status (enum cli_exit, or the command's for `run`). */
#ifndef EVENKEEL_LAUNCHER_CMD_H
#define EVENKEEL_LAUNCHER_CMD_H

int cmd_run(int argc, char **argv);
int cmd_env(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_simulate(int argc, char **argv);

/* Says in one line on stderr why command ("run") goes no further; gives status
 * back, to be returned. Kept in main.c. */
int cmd_refuse(const char *command, const char *text, int status);

#endif
