#include "launcher/variants.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "launcher/preload.h"

/* Words of one list, cut out of a copy. */
struct words {
	char *next; /* NULL = no more */
};

/* The next name or NAME=TEXT; backslash and comma make a comma. */
static char *next_word(struct words *w)
{
	char *word = w->next, *to = word;

	if (!word)
		return NULL;
	for (char *from = word;; from++) {
		if (*from == '\\' && from[1] == ',') {
			*to++ = *++from;
		} else if (*from && *from != ',') {
			*to++ = *from;
		} else {
			w->next = *from ? from + 1 : NULL;
			*to = '\0';
			return word;
		}
	}
}

static unsigned int count(char *const *list)
{
	unsigned int n = 0;

	while (list[n])
		n++;
	return n;
}

/* --- environments ------------------------------------------------------------ */

/* LD_PRELOAD without entries that are our library. */
static char *clean_preload(struct arena *a, const char *value)
{
	char *clean = arena_alloc(a, strlen(value) + 1), *end = clean;

	if (!clean)
		return NULL;
	while (*(value += strspn(value, " :"))) {
		size_t len = strcspn(value, " :"), name = len;

		while (name && value[name - 1] != '/')
			name--;
		if (strncmp(value + name, PRELOAD_LIBRARY, len - name) ||
		    len - name != strlen(PRELOAD_LIBRARY)) {
			if (end > clean)
				*end++ = ':';
			memcpy(end, value, len);
			end += len;
		}
		value += len;
	}
	*end = '\0';
	return clean;
}

/* Sets NAME=VALUE in envp, which has room; value NULL takes it out. */
static int set_variable(struct arena *a, char **envp, const char *name, const char *value)
{
	size_t len = strlen(name);
	char *text = value ? cli_text(a, "%s=%s", name, value) : NULL;
	unsigned int i = 0;

	if (value && !text)
		return -1;
	while (envp[i] && (strncmp(envp[i], name, len) || envp[i][len] != '='))
		i++;
	if (value) {
		if (!envp[i])
			envp[i + 1] = NULL;
		envp[i] = text;
		return 0;
	}
	for (; envp[i]; i++)
		envp[i] = envp[i + 1];
	return 0;
}

/* With room for more variables than we ever set. */
char **variants_clean_environment(struct arena *a)
{
	unsigned int n = count(environ);
	char **envp = arena_array(a, n + CLI_GIVEN_MAX + 4, sizeof(*envp));
	const char *preload = options_getenv(environ, "LD_PRELOAD");

	if (!envp)
		return NULL;
	memcpy(envp, environ, (n + 1) * sizeof(*envp));
	if (preload) {
		preload = clean_preload(a, preload);
		if (!preload)
			return NULL;
		if (set_variable(a, envp, "LD_PRELOAD", *preload ? preload : NULL) < 0)
			return NULL;
	}
	return envp;
}

/* What `evenkeel run` would set. mode overrides --mode when it is not NULL. */
static int placing_environment(struct variant *v, struct arena *a, const struct cli *c,
			       const char *mode, const char *library, struct cli_error *err)
{
	const char *old = options_getenv(v->envp, "LD_PRELOAD");
	char *preload = preload_value(a, library, old), **variables;
	struct cli given = *c;
	unsigned int n = 0;

	/* -v is about our table here. */
	given.ngiven = 0;
	for (unsigned int i = 0; i < c->ngiven; i++)
		if (strcmp(c->given[i].name, "verbose") &&
		    (!mode || strcmp(c->given[i].name, "mode")))
			given.given[given.ngiven++] = c->given[i];
	if (mode)
		given.given[given.ngiven++] = (struct cli_given){ "mode", mode };
	if (preload_variables(&given, a, &variables, &n, err) < 0)
		return -1;
	if (!preload || set_variable(a, v->envp, "LD_PRELOAD", preload) < 0)
		goto failed;
	for (unsigned int i = 0; i < n; i++) {
		char *value = strchr(variables[i], '=');

		*value++ = '\0';
		if (set_variable(a, v->envp, variables[i], value) < 0)
			goto failed;
	}
	return 0;
failed:
	cli_error_set(err, "%s", strerror(errno));
	return -1;
}

/* --- commands ------------------------------------------------------------------ */

char **variants_shell(struct arena *a, const char *text, char *const *command)
{
	static char shell[] = "/bin/sh", dash_c[] = "-c", name[] = "sh";
	unsigned int n = count(command);
	char **argv = arena_array(a, n + 5, sizeof(*argv));

	if (!argv)
		return NULL;
	argv[0] = shell;
	argv[1] = dash_c;
	argv[2] = cli_text(a, "%s", text);
	argv[3] = name;
	memcpy(argv + 4, command, n * sizeof(*argv));
	return argv[2] ? argv : NULL;
}

static bool is_mpiexec(const char *path)
{
	static const char *const names[] = { "mpiexec",	      "mpirun",	      "mpiexec.hydra",
					     "mpiexec.mpich", "mpirun.mpich", "mpiexec.openmpi",
					     "mpirun.openmpi" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

static int bind_command(struct variant *v, struct arena *a, char **command, struct cli_error *err)
{
	static char bind_to[] = "-bind-to", numa[] = "numa";
	unsigned int n = count(command);

	if (!is_mpiexec(command[0])) {
		cli_error_set(err,
			      "--variants: bind-numa wants mpiexec as the command's first "
			      "word, not '%s'; name=COMMAND says it in full",
			      command[0]);
		errno = EINVAL;
		return -1;
	}
	v->argv = arena_array(a, n + 3, sizeof(*v->argv));
	if (!v->argv) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	v->argv[0] = command[0];
	v->argv[1] = bind_to;
	v->argv[2] = numa;
	memcpy(v->argv + 3, command + 1, (n - 1) * sizeof(*v->argv));
	return 0;
}

/* --- the list ------------------------------------------------------------------- */

static bool built_in(const char *name)
{
	static const char *const names[] = { "plain", "evenkeel", "hold", "settle", "bind-numa" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* A place for a variant of this name. NULL with errno and err set. */
static struct variant *new_variant(struct variants *v, const char *name, struct cli_error *err)
{
	errno = EINVAL;
	if (!*name) {
		cli_error_set(err, "--variants: a name is empty");
		return NULL;
	}
	for (unsigned int i = 0; i < v->n; i++) {
		if (!strcmp(v->v[i].name, name)) {
			cli_error_set(err, "--variants: '%s' is named twice", name);
			return NULL;
		}
	}
	if (v->n == VARIANTS_MAX) {
		cli_error_set(err, "--variants: '%s' is one more than the %u there may be", name,
			      VARIANTS_MAX);
		return NULL;
	}
	v->v[v->n] = (struct variant){ .name = name };
	return &v->v[v->n];
}

static int add_built_in(struct variant *v, struct arena *a, const struct cli *c, char **command,
			const char *library, struct cli_error *err)
{
	bool places = strcmp(v->name, "plain") && strcmp(v->name, "bind-numa");
	const char *mode = strcmp(v->name, "evenkeel") ? v->name : NULL;

	v->argv = command;
	errno = EINVAL;
	if (!command[0]) {
		cli_error_set(err, "a command is wanted, such as -- mpiexec -n 8 ./app");
		return -1;
	}
	if (places && c->options.off) {
		cli_error_set(err,
			      "--variants: '%s' would be plain: evenkeel is switched off "
			      "(EVENKEEL=off or the site file)",
			      v->name);
		return -1;
	}
	/* err tells why there is none. */
	if (places && !library)
		return -1;
	if (places)
		return placing_environment(v, a, c, mode, library, err);
	if (set_variable(a, v->envp, "EVENKEEL", "off") < 0) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	return strcmp(v->name, "plain") ? bind_command(v, a, command, err) : 0;
}

static int add_word(struct variants *all, struct arena *a, char *word, const struct cli *c,
		    char **command, const char *library, struct cli_error *err)
{
	char *text = strchr(word, '=');
	struct variant *v;

	if (text)
		*text++ = '\0';
	v = new_variant(all, word, err);
	if (!v)
		return -1;
	if (!text && !built_in(word)) {
		cli_error_set(err,
			      "--variants: '%s' is not plain, evenkeel, hold, settle, bind-numa or "
			      "NAME=COMMAND (a comma in a command is written '\\,')",
			      word);
		errno = EINVAL;
		return -1;
	}
	v->envp = variants_clean_environment(a);
	if (v->envp && text)
		v->argv = variants_shell(a, text, command);
	if (!v->envp || (text && !v->argv)) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	if (!text && add_built_in(v, a, c, command, library, err) < 0)
		return -1;
	all->n++;
	return 0;
}

int variants_add(struct variants *v, struct arena *a, const char *list, const struct cli *c,
		 char **command, const char *library, struct cli_error *err)
{
	struct words words = { cli_text(a, "%s", list) };
	char *word;

	if (!words.next) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	while ((word = next_word(&words)))
		if (add_word(v, a, word, c, command, library, err) < 0)
			return -1;
	return 0;
}

int variants_add_names(struct variants *v, struct arena *a, const char *list, struct cli_error *err)
{
	struct words words = { cli_text(a, "%s", list) };
	char *word;

	if (!words.next) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	while ((word = next_word(&words))) {
		if (!new_variant(v, word, err))
			return -1;
		v->n++;
	}
	return 0;
}
