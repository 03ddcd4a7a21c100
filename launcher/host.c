#include "launcher/host.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "launcher/cli.h"
#include "launcher/trial.h"

/* The first line of a small file without its newline; "" when it cannot be
 * read. */
static const char *first_line(struct arena *a, const char *path)
{
	char text[512];

	if (file_read(path, text, sizeof(text)) < 0)
		return "";
	text[strcspn(text, "\n")] = '\0';
	return cli_text(a, "%s", text);
}

/* The value of "\nNAME:\t" in /proc/self/status. */
static const char *status_value(struct arena *a, const char *name)
{
	size_t size = 1u << 16;
	char *text = arena_alloc(a, size), *value;

	if (!text)
		return NULL;
	if (file_read("/proc/self/status", text, size) < 0)
		return "";
	value = strstr(text, name);
	if (!value)
		return "";
	value += strlen(name);
	value[strcspn(value, "\n")] = '\0';
	return value;
}

/* "MPICH 4.0.2" or what else the program calls itself. Hydra prints a list with
 * "Version:", Open MPI one line with the number in it. */
static const char *mpi_of(struct arena *a, char *const *command)
{
	static char version[] = "--version";
	const char *slash = command && command[0] ? strrchr(command[0], '/') : NULL;
	const char *name = command && command[0] ? slash ? slash + 1 : command[0] : "";
	char *argv[] = { command ? command[0] : NULL, version, NULL }, *line;
	struct trial_request q = { .argv = argv, .envp = environ, .timeout_s = 10 };
	struct trial t;

	if (strncmp(name, "mpiexec", 7) && strncmp(name, "mpirun", 6))
		return "";
	if (trial_run(&t, a, &q) < 0 || t.exec_error || t.status)
		return "";
	line = strstr(t.output, "Version:");
	if (line) {
		line += strlen("Version:");
		line += strspn(line, " \t");
		line[strcspn(line, "\n")] = '\0';
		return cli_text(a, "Hydra %s", line);
	}
	t.output[strcspn(t.output, "\n")] = '\0';
	return t.output;
}

int host_read(struct host_facts *h, struct arena *a, const struct machine *machine,
	      char *const *command)
{
	const char *balancing = first_line(a, "/proc/sys/kernel/numa_balancing");
	const char *load = first_line(a, "/proc/loadavg");
	struct utsname host;
	char stamp[32] = "";
	unsigned int n;
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (uname(&host) < 0)
		memset(&host, 0, sizeof(host));
	*h = (struct host_facts){
		.name = cli_text(a, "%s", host.nodename),
		.kernel = cli_text(a, "%s", host.release),
		.governor = first_line(a, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		.machine = machine ? cli_machine_inline(a, machine) : "",
		.mpi = mpi_of(a, command),
		.mems = status_value(a, "\nMems_allowed_list:\t"),
		.time = cli_text(a, "%s", stamp),
		.numa_balancing = -1,
		.load = load && *load ? strtod(load, NULL) : NAN,
	};
	if (balancing && cli_number(balancing, 1 << 16, &n))
		h->numa_balancing = (int)n;
	if (!h->name || !h->kernel || !h->governor || !h->machine || !h->mpi || !h->mems ||
	    !h->time) {
		errno = ENOMEM;
		return -1;
	}
	return 0;
}
