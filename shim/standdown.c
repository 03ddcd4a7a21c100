#include "shim/standdown.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_MAX 65536u
#define ARGUMENTS_MAX 16
#define PATH_LENGTH_MAX 4096u
#define DEFAULT_PATH "/bin:/usr/bin"

const char *standdown_text(enum standdown why)
{
	static const char text[][48] = {
		[STANDDOWN_NONE] = "placed",
		[STANDDOWN_OFF] = "switched off",
		[STANDDOWN_NARROWED] = "mpiexec's affinity was set by its caller",
		[STANDDOWN_BINDING] = "a binding was asked for",
		[STANDDOWN_MASK] = "the affinity is not the launcher's",
		[STANDDOWN_GPUS] = "ranks are given GPUs",
		[STANDDOWN_DENIED] = "the site's deny list",
		[STANDDOWN_TOOL] = "the command binds by itself",
		[STANDDOWN_PLACES] = "OpenMP places are given",
		[STANDDOWN_MACHINE] = "the machine cannot be read",
		[STANDDOWN_PLAN] = "nothing to ask for",
		[STANDDOWN_REFUSED] = "the kernel refused the mask",
	};

	return text[why];
}

const char *standdown_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* entry stands in base to the letter. */
static bool in_base(const char *entry, char *const *base)
{
	for (; base && *base; base++)
		if (!strcmp(*base, entry))
			return true;
	return false;
}

/* CUDA_, ROCR_, HIP_, NVIDIA_VISIBLE_DEVICES and what follows that habit, and
 * Intel's mask: what Hydra's -gpus-per-proc sets for each rank. */
static bool names_gpus(const char *entry)
{
	static const char suffix[] = "_VISIBLE_DEVICES";
	size_t name = strcspn(entry, "="), n = sizeof(suffix) - 1;

	return (name > n && !strncmp(entry + name - n, suffix, n)) ||
	       (name == 16 && !strncmp(entry, "ZE_AFFINITY_MASK", 16));
}

/* Cpu numbers in these would lie outside a node's mask; libgomp then complains
 * on stderr and drops them. Abstract places (cores, threads) are fine. */
static bool names_cpus(const char *entry)
{
	return !strncmp(entry, "GOMP_CPU_AFFINITY=", 18) ||
	       (!strncmp(entry, "OMP_PLACES=", 11) && strchr(entry, '{')) ||
	       (!strncmp(entry, "KMP_AFFINITY=", 13) && strstr(entry, "proclist"));
}

enum standdown standdown_env(char *const *envp, char *const *base)
{
	bool leaked = base && options_getenv(base, "HYDRA_USER_PROVIDED_BINDING");
	struct options o = { 0 };

	options_from_env(&o, envp);
	if (o.off)
		return STANDDOWN_OFF;
	if (!leaked && options_getenv(envp, "HYDRA_USER_PROVIDED_BINDING"))
		return STANDDOWN_BINDING;
	for (; *envp; envp++) {
		if (names_cpus(*envp))
			return STANDDOWN_PLACES;
		if (names_gpus(*envp) && !in_base(*envp, base))
			return STANDDOWN_GPUS;
	}
	return STANDDOWN_NONE;
}

static const char tools[][16] = { "numactl",    "taskset", "hwloc-bind", "likwid-pin",
				     "likwid-mpirun", "dplace", "omplace",  "schedtool" };

bool standdown_is_tool(const char *file)
{
	file = standdown_basename(file);
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (!strcmp(file, tools[i]))
			return true;
	return false;
}

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* text has word with no letters or digits around it. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || !word_char(at[-1])) && !word_char(at[n]))
			return true;
	return false;
}

static bool has_tool(const char *text)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (has_word(text, tools[i]))
			return true;
	return false;
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Opens file as execvp would find it: an empty part of PATH is the folder one is
 * in. */
static int open_command(const char *file, char *const *envp)
{
	const char *path = options_getenv(envp, "PATH");
	size_t name = strlen(file), dir;
	char full[PATH_LENGTH_MAX];

	if (strchr(file, '/'))
		return open_file(file);
	for (path = path ? path : DEFAULT_PATH;; path += dir + 1) {
		int fd = -1;

		dir = strcspn(path, ":");
		if (dir + name + 2 <= sizeof(full)) {
			memcpy(full, path, dir);
			full[dir] = '/';
			memcpy(full + dir + 1, file, name + 1);
			fd = open_file(dir ? full : file);
		}
		if (fd >= 0 || !path[dir])
			return fd;
	}
}

static size_t read_up_to(int fd, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size && (n = read(fd, buf + len, size - len)) > 0)
		len += (size_t)n;
	return len;
}

/* fd, which is closed, is a script (any is true: or any text) that names a
 * binding tool. */
static bool script_has_tool(int fd, bool any, struct arena *a)
{
	char head[2], *text = NULL;
	size_t len;
	bool found = false;

	if (fd < 0)
		return false;
	len = read_up_to(fd, head, sizeof(head));
	if (len == 2 && (any || !memcmp(head, "#!", 2)))
		text = arena_alloc(a, SCRIPT_MAX + 1);
	if (text) {
		memcpy(text, head, sizeof(head));
		len = sizeof(head) + read_up_to(fd, text + sizeof(head), SCRIPT_MAX - sizeof(head));
		/* A zero byte ends the search: this is no script. */
		text[len] = '\0';
		found = has_tool(text);
	}
	close(fd);
	return found;
}

/* Programs that start others: shells first, whose scripts need no "#!". */
static const char wrappers[][8] = {
	"sh",	"bash", "dash",	 "ksh",	    "zsh",   "csh",  "tcsh",   "env",
	"time", "nice", "nohup", "timeout", "xargs", "srun", "setsid", "stdbuf",
};
#define NSHELLS 7

static bool is_wrapper(const char *file, size_t n)
{
	file = standdown_basename(file);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(file, wrappers[i]))
			return true;
	return false;
}

bool standdown_is_wrapper(const char *file)
{
	return is_wrapper(file, sizeof(wrappers) / sizeof(*wrappers));
}

/* Opens a wrapper's argument as the wrapper would: a shell's script first where
 * it is and then in PATH, another's command as execvp finds it. */
static int open_argument(const char *arg, bool shell, char *const *envp)
{
	int fd = shell ? open_file(arg) : -1;

	return fd < 0 ? open_command(arg, envp) : fd;
}

/* Something that a wrapper is given to start is a script that names a tool.
 * Which argument that is only the wrapper knows; those after the first
 * ARGUMENTS_MAX are the program's own. */
static bool argument_has_tool(const char *file, char *const *argv, char *const *envp,
			      struct arena *a)
{
	bool shell = is_wrapper(file, NSHELLS);

	for (int i = 1; argv[0] && argv[i] && i <= ARGUMENTS_MAX; i++) {
		if (argv[i][0] == '-' || strchr(argv[i], '='))
			continue;
		if (script_has_tool(open_argument(argv[i], shell, envp), shell, a))
			return true;
		/* A shell's further arguments are its script's. */
		if (shell)
			return false;
		shell = is_wrapper(argv[i], NSHELLS);
	}
	return false;
}

enum standdown standdown_command(const char *deny, const char *file, char *const *argv,
				 char *const *envp, struct arena *a)
{
	if (options_denied(deny, file))
		return STANDDOWN_DENIED;
	if (standdown_is_tool(file))
		return STANDDOWN_TOOL;
	for (char *const *arg = argv; *arg; arg++)
		if (has_tool(*arg))
			return STANDDOWN_TOOL;
	if (script_has_tool(open_command(file, envp), false, a))
		return STANDDOWN_TOOL;
	if (standdown_is_wrapper(file) && argument_has_tool(file, argv, envp, a))
		return STANDDOWN_TOOL;
	return STANDDOWN_NONE;
}
