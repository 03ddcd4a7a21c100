#include "shim/standdown.h"

#include <string.h>

#include "shim/script.h"

#define WORDS_MAX 32
#define PATH_LENGTH_MAX 4096u

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
		[STANDDOWN_EVERYTHING] = "a rank wants every cpu that is allowed",
		[STANDDOWN_REFUSED] = "the kernel refused the mask",
		[STANDDOWN_LAUNCHER] = "mpirun binds (run --replace-binding)",
		[STANDDOWN_NO_LEDGER] = "ranks come one by one, without a ledger",
		[STANDDOWN_NO_WIDTH] = "ranks come one by one: a width is wanted",
		[STANDDOWN_WIDE] = "a rank is wider than a node",
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
	/* Set by mpirun in each rank that it bound, asked to or not. */
	static const char bound[] = "OMPI_MCA_orte_bound_at_launch";
	bool leaked = base && options_getenv(base, "HYDRA_USER_PROVIDED_BINDING");
	struct options o = { 0 };

	options_from_env(&o, envp);
	if (o.off)
		return STANDDOWN_OFF;
	if (!leaked && options_getenv(envp, "HYDRA_USER_PROVIDED_BINDING"))
		return STANDDOWN_BINDING;
	if (options_getenv(envp, bound) && !(base && options_getenv(base, bound)))
		return STANDDOWN_LAUNCHER;
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

/* A script that sets an OpenMP variable to cpu numbers. */
static bool sets_places(const char *text)
{
	const char *at = text;

	if (has_word(text, "GOMP_CPU_AFFINITY") || strstr(text, "proclist"))
		return true;
	while ((at = strstr(at, "OMP_PLACES")) != NULL) {
		at += strlen("OMP_PLACES");
		if (at[strspn(at, " =\"'")] == '{')
			return true;
	}
	return false;
}

/* What was found of a command's part. */
struct search {
	const char *deny;
	char *const *envp;
	struct arena *a;
	enum standdown why;
};

/* Reads fd, which is closed, and searches it if it is a script (any: or any
 * text). */
static void search_script(struct search *s, int fd, bool any)
{
	const char *text = script_read(fd, s->a, any);

	if (text && has_tool(text))
		s->why = STANDDOWN_TOOL;
	else if (text && sets_places(text))
		s->why = STANDDOWN_PLACES;
}

/* Programs that run a text they are given, with or without "#!"; shells first. */
static const char interpreters[][8] = {
	"sh",	"bash",	  "dash", "ksh",  "zsh", "csh",
	"tcsh", "python", "perl", "ruby", "lua", "tclsh",
};
#define NSHELLS 7

/* Other programs that start what they are given. */
static const char starters[][8] = {
	"env",	 "time",   "nice",   "nohup",  "timeout", "xargs", "srun",
	"setsid", "stdbuf", "strace", "ltrace", "gdb",	  "perf",
};

/* python3 and python3.11 are python. */
static bool is_interpreter(const char *file)
{
	file = standdown_basename(file);
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++) {
		size_t n = strlen(interpreters[i]);

		if (!strncmp(file, interpreters[i], n) && !file[n + strspn(file + n, "0123456789.")])
			return true;
	}
	return false;
}

/* Of the interpreters only the shells: a python program is as likely the rank. */
bool standdown_is_wrapper(const char *file)
{
	file = standdown_basename(file);
	for (size_t i = 0; i < NSHELLS; i++)
		if (!strcmp(file, interpreters[i]))
			return true;
	for (size_t i = 0; i < sizeof(starters) / sizeof(*starters); i++)
		if (!strcmp(file, starters[i]))
			return true;
	return false;
}

/* One word of a wrapper's arguments: perhaps the rank's program or its script.
 * True when it was a file. */
static bool search_word(struct search *s, const char *word, bool interpreter)
{
	int fd = interpreter ? script_open(word) : -1;

	if (options_denied(s->deny, word))
		s->why = STANDDOWN_DENIED;
	if (fd < 0)
		fd = script_open_command(word, s->envp);
	if (fd >= 0)
		search_script(s, fd, interpreter);
	return fd >= 0;
}

/* A command line in one argument, as sh -c takes it: each of its words. */
static void search_line(struct search *s, const char *line)
{
	static const char between[] = " \t\n;|&()<>'\"`=";
	char word[PATH_LENGTH_MAX];
	bool interpreter = false;

	for (int n = 0; *line && n < WORDS_MAX && !s->why; n++) {
		size_t len;

		line += strspn(line, between);
		len = strcspn(line, between);
		if (len && len < sizeof(word)) {
			memcpy(word, line, len);
			word[len] = '\0';
			search_word(s, word, interpreter);
			interpreter = is_interpreter(word);
		}
		line += len;
	}
}

/* What a wrapper is given. Which argument is a program only the wrapper knows;
 * those after a script are the script's own. */
static void search_arguments(struct search *s, const char *file, char *const *argv)
{
	bool interpreter = is_interpreter(file);

	for (int i = 1; argv[0] && argv[i] && i <= WORDS_MAX && !s->why; i++) {
		if (strpbrk(argv[i], " \t\n;"))
			search_line(s, argv[i]);
		else if (argv[i][0] != '-' && !strchr(argv[i], '=') &&
			 search_word(s, argv[i], interpreter) && interpreter)
			return;
		else
			interpreter |= is_interpreter(argv[i]);
	}
}

enum standdown standdown_command(const char *deny, const char *file, char *const *argv,
				 char *const *envp, struct arena *a)
{
	struct search s = { deny, envp, a, STANDDOWN_NONE };
	int fd;

	if (options_denied(deny, file))
		return STANDDOWN_DENIED;
	if (standdown_is_tool(file))
		return STANDDOWN_TOOL;
	for (char *const *arg = argv; *arg; arg++)
		if (has_tool(*arg))
			return STANDDOWN_TOOL;
	fd = script_open_command(file, envp);
	if (fd >= 0)
		search_script(&s, fd, false);
	if (!s.why && (standdown_is_wrapper(file) || is_interpreter(file)))
		search_arguments(&s, file, argv);
	return s.why;
}
