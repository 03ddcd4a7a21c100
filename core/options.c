#include "core/options.h"

#include <errno.h>
#include <string.h>

#define PREFIX "EVENKEEL_"

static void say(struct options_error *err, const char *name, const char *value,
		const char *wanted)
{
	const char *parts[] = { name, ": '", value, "' is not ", wanted };
	size_t len = 0;

	if (!err)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		for (const char *s = parts[i]; *s && len + 1 < sizeof(err->text); s++)
			err->text[len++] = *s;
	err->text[len] = '\0';
}

/* A whole decimal number from min to max, up to end or one of the stop
 * characters. */
static bool read_number(const char *text, char stop, unsigned int min, unsigned int max,
			unsigned int *n)
{
	unsigned int v = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		v = v * 10 + (unsigned int)(*text - '0');
		if (v > max)
			return false;
	}
	if ((*text && *text != stop) || v < min)
		return false;
	*n = v;
	return true;
}

/* Equal but for the case of ASCII letters; strcasecmp would go by the locale. */
static bool same_word(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 'a' - 'A') : *a;
		char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 'a' - 'A') : *b;

		if (x != y)
			return false;
	}
	return *a == *b;
}

/* A switch: nothing and the usual words. */
static bool read_switch(const char *text, bool *on)
{
	static const char yes[][8] = { "", "1", "on", "yes", "true" };
	static const char no[][8] = { "0", "off", "no", "false" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (same_word(text, yes[i])) {
			*on = true;
			return true;
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (same_word(text, no[i])) {
			*on = false;
			return true;
		}
	return false;
}

static bool set_mode(struct options *o, const char *v)
{
	if (!strcmp(v, "hold"))
		o->mode = OPTIONS_HOLD;
	else if (!strcmp(v, "settle"))
		o->mode = OPTIONS_SETTLE;
	else
		return false;
	return true;
}

static bool set_order(struct options *o, const char *v)
{
	if (!strcmp(v, "block"))
		o->order = PLAN_ORDER_BLOCK;
	else if (!strcmp(v, "cyclic"))
		o->order = PLAN_ORDER_CYCLIC;
	else
		return false;
	return true;
}

static bool set_bind(struct options *o, const char *v)
{
	if (!strcmp(v, "auto"))
		o->bind = OPTIONS_BIND_UNSET;
	else if (!strcmp(v, "node"))
		o->bind = OPTIONS_BIND_NODE;
	else if (!strcmp(v, "slice"))
		o->bind = OPTIONS_BIND_SLICE;
	else
		return false;
	return true;
}

static bool set_mem(struct options *o, const char *v)
{
	if (!strcmp(v, "none"))
		o->mem = OPTIONS_MEM_UNSET;
	else if (!strcmp(v, "local"))
		o->mem = OPTIONS_MEM_LOCAL;
	else if (!strcmp(v, "bind"))
		o->mem = OPTIONS_MEM_BIND;
	else if (!strcmp(v, "interleave"))
		o->mem = OPTIONS_MEM_INTERLEAVE;
	else
		return false;
	return true;
}

static bool set_width(struct options *o, const char *v)
{
	return read_number(v, '\0', 1, OPTIONS_WIDTH_MAX, &o->width);
}

static bool set_verbose(struct options *o, const char *v)
{
	bool on;

	if (read_number(v, '\0', 0, 2, &o->verbose))
		return true;
	if (!read_switch(v, &on))
		return false;
	o->verbose = on;
	return true;
}

static bool set_together(struct options *o, const char *v)
{
	return read_switch(v, &o->together);
}

static bool set_keep(struct options *o, const char *v)
{
	return read_switch(v, &o->keep);
}

static bool set_measure(struct options *o, const char *v)
{
	bool on = true, ok = read_switch(v, &on);

	o->no_measure = !on;
	return ok;
}

static bool set_remote(struct options *o, const char *v)
{
	bool on = true, ok = read_switch(v, &on);

	o->no_remote = !on;
	return ok;
}

static bool set_off(struct options *o, const char *v)
{
	return read_switch(v, &o->off);
}

static bool set_machine(struct options *o, const char *v)
{
	o->machine = strcmp(v, "live") ? v : NULL;
	return *v;
}

static bool set_kernel(struct options *o, const char *v)
{
	enum policy_rule rule;
	enum policy_certainty certainty;

	if (policy_of_version(v, &rule, &certainty) < 0)
		return false;
	o->kernel = v;
	return true;
}

static bool set_rule(struct options *o, const char *v)
{
	if (policy_by_name(v) == POLICY_UNSET)
		return false;
	o->rule = v;
	return true;
}

static bool set_ledger(struct options *o, const char *v)
{
	o->ledger = v;
	return *v == '/' || !strcmp(v, OPTIONS_LEDGER_NONE);
}

static bool set_deny(struct options *o, const char *v)
{
	o->deny = v;
	return *v;
}

static const struct option_row {
	char name[12]; /* in place, not by pointer: the shim's start-up pays for each pointer */
	char wanted[44];
	bool (*set)(struct options *o, const char *value);
	bool site_only;
} rows[] = {
	{ "mode", "hold or settle", set_mode, false },
	{ "order", "block or cyclic", set_order, false },
	{ "bind", "auto, node or slice", set_bind, false },
	{ "mem", "local, bind, interleave or none", set_mem, false },
	{ "width", "a number of cpus from 1 to 16384", set_width, false },
	{ "together", "on or off", set_together, false },
	{ "keep", "on or off", set_keep, false },
	{ "off", "on or off", set_off, false },
	{ "verbose", "0, 1 or 2", set_verbose, false },
	{ "machine", "live, a file or a machine text", set_machine, false },
	{ "kernel", "a kernel version such as 6.12", set_kernel, false },
	{ "rule", "the name of a rule such as G8 or v4.1", set_rule, false },
	{ "measure", "on or off", set_measure, false },
	{ "remote", "on or off", set_remote, false },
	{ "ledger", "the full path of a folder, or none", set_ledger, false },
	{ "deny", "a list of program names", set_deny, true },
};

static const struct option_row *find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (same_word(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static int set_row(struct options *o, const struct option_row *row, const char *value,
		   struct options_error *err)
{
	struct options copy = *o;

	if (!row->set(&copy, value ? value : "")) {
		say(err, row->name, value ? value : "", row->wanted);
		errno = EINVAL;
		return -1;
	}
	*o = copy;
	return 0;
}

int options_set(struct options *o, const char *name, const char *value,
		struct options_error *err)
{
	const struct option_row *row = find(name);

	if (!row) {
		say(err, "option", name, "known");
		errno = ENOENT;
		return -1;
	}
	return set_row(o, row, value, err);
}

unsigned int options_from_env(struct options *o, char *const *envp)
{
	const char *master = options_getenv(envp, "EVENKEEL");
	unsigned int skipped = 0;
	bool on;

	if (master && read_switch(master, &on) && *master)
		o->off = !on;
	for (; *envp; envp++) {
		const char *eq = strchr(*envp, '='), *name = *envp + strlen(PREFIX);
		char word[16];
		const struct option_row *row;

		if (strncmp(*envp, PREFIX, strlen(PREFIX)) || !eq)
			continue;
		if (eq < name || (size_t)(eq - name) >= sizeof(word))
			continue;
		memcpy(word, name, (size_t)(eq - name));
		word[eq - name] = '\0';
		row = find(word);
		if (row && !row->site_only && set_row(o, row, eq + 1, NULL) < 0)
			skipped++;
	}
	return skipped;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts one line into a name and a value; false for a line with nothing. */
static bool cut_line(char *line, char **name, char **value)
{
	char *hash = strchr(line, '#'), *end;

	if (hash)
		*hash = '\0';
	while (blank(*line))
		line++;
	for (end = line + strlen(line); end > line && blank(end[-1]); end--)
		;
	*end = '\0';
	*name = line;
	while (*line && !blank(*line))
		line++;
	if (*line)
		*line++ = '\0';
	while (blank(*line))
		line++;
	*value = line;
	return **name;
}

unsigned int options_from_file(struct options *o, char *text, unsigned int *first_bad)
{
	unsigned int skipped = 0, number = 0;
	char *next;

	if (first_bad)
		*first_bad = 0;
	for (char *line = text; line; line = next) {
		char *name, *value;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (!cut_line(line, &name, &value) || options_set(o, name, value, NULL) == 0)
			continue;
		if (first_bad && !skipped)
			*first_bad = number;
		skipped++;
	}
	return skipped;
}

const char *options_getenv(char *const *envp, const char *name)
{
	size_t len = strlen(name);

	for (; *envp; envp++)
		if (!strncmp(*envp, name, len) && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

unsigned int options_width(const struct options *o, char *const *envp)
{
	static const char names[][24] = { "OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK" };
	unsigned int width = o->width;

	for (size_t i = 0; !width && i < sizeof(names) / sizeof(*names); i++) {
		const char *v = options_getenv(envp, names[i]);

		if (v && !read_number(v, ',', 1, OPTIONS_WIDTH_MAX, &width))
			width = 0;
	}
	return width;
}

static const char *last_component(const char *path, size_t len)
{
	for (size_t i = len; i > 0; i--)
		if (path[i - 1] == '/')
			return path + i;
	return path;
}

bool options_denied(const char *deny, const char *program)
{
	const char *name = last_component(program, strlen(program));
	size_t len = strlen(name);

	if (!deny || !len)
		return false;
	while (*deny) {
		const char *start;

		while (blank(*deny))
			deny++;
		start = deny;
		while (*deny && !blank(*deny))
			deny++;
		start = last_component(start, (size_t)(deny - start));
		if ((size_t)(deny - start) == len && !strncmp(start, name, len))
			return true;
	}
	return false;
}

/* "" for a variable that is not set. */
static const char *value_of(char *const *envp, const char *name)
{
	const char *value = options_getenv(envp, name);

	return value ? value : "";
}

bool options_slice(const struct options *o, char *const *envp)
{
	const char *bind = value_of(envp, "OMP_PROC_BIND");
	const char *kmp = value_of(envp, "KMP_AFFINITY");

	if (o->bind)
		return o->bind == OPTIONS_BIND_SLICE;
	if (*kmp && !strstr(kmp, "none") && !strstr(kmp, "disabled"))
		return true;
	if (*bind)
		return !same_word(bind, "false");
	return *value_of(envp, "OMP_PLACES") || *value_of(envp, "GOMP_CPU_AFFINITY");
}
