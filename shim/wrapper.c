#include "shim/wrapper.h"

#include <string.h>
#include <unistd.h>

#include "shim/script.h"

#define PATH_LENGTH_MAX 4096u

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

static bool is_one_of(const char *word, size_t len, const char *const *names)
{
	for (; *names; names++)
		if (is_word(word, len, *names))
			return true;
	return false;
}

bool wrapper_is_remote_shell(const char *name, size_t len)
{
	static const char *const names[] = { "ssh", "rsh", "remsh", NULL };

	return is_one_of(name, len, names);
}

/* Words after which nobody can tell from the text alone how many shells read the
 * command, or what the arguments are. */
static bool is_doubtful(const char *word, size_t len)
{
	static const char *const names[] = {
		"eval",	  "su",	      "sudo",	  "runuser", "docker",	 "podman",
		"chroot", "apptainer", "singularity", "xargs", "parallel", "for",
		"while",  "until",    "select",	  "getopts", "function", "read",
		"mapfile", "readarray", "IFS",	  "source",  "alias",	 ".",
		NULL };

	return is_one_of(word, len, names);
}

/* --- whose script it is ------------------------------------------------------ */

static const char *next_word(const char *s, size_t *len)
{
	s += strspn(s, " \t");
	*len = strcspn(s, " \t\r\n");
	return s;
}

static const char *last_component(const char *word, size_t *len)
{
	const char *end = word + *len, *s = end;

	while (s > word && s[-1] != '/')
		s--;
	*len = (size_t)(end - s);
	return s;
}

/* "#!/bin/sh -e", "#!/usr/bin/env bash" */
static bool is_for_a_shell(const char *text)
{
	static const char *const shells[] = { "sh",  "bash", "dash", "ash",
					      "ksh", "mksh", "ksh93", NULL };
	size_t len;
	const char *word, *name;

	if (strncmp(text, "#!", 2))
		return false;
	word = next_word(text + 2, &len);
	name = last_component(word, &len);
	if (is_word(name, len, "env")) {
		name = next_word(name + len, &len);
		name = last_component(name, &len);
	}
	return is_one_of(name, len, shells);
}

/* --- what it does with its arguments ----------------------------------------- */

struct reading {
	unsigned int proxy;
	unsigned int shells; /* remote shells, and shells that are given a text (-c) */
	unsigned int sruns;
	unsigned int all;     /* how often all arguments are named */
	unsigned int shifted; /* at most so many are gone */
	bool doubtful;
	char *const *envp;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static unsigned int number(const char *s, const char **end)
{
	unsigned int n = 0;

	for (; is_digit(*s); s++)
		n = n < 1000 ? n * 10 + (unsigned int)(*s - '0') : n;
	*end = s;
	return n;
}

/* s is behind a '$'. */
static void take_parameter(struct reading *r, const char *s)
{
	bool braces = *s == '{';
	const char *end;
	unsigned int n;

	s += braces;
	if (*s == '@' || *s == '*') {
		r->all++;
		r->doubtful |= braces && s[1] != '}';
	} else if (is_digit(*s)) {
		n = number(s, &end);
		r->doubtful |= n && n + r->shifted >= r->proxy;
	} else if (*s == '#' || (braces && *s == '!')) {
		r->doubtful = true;
	}
}

static bool names_a_script(const char *word, size_t len, char *const *envp)
{
	char path[PATH_LENGTH_MAX], head[2];
	bool script;
	int fd;

	if (len >= sizeof(path))
		return true;
	memcpy(path, word, len);
	path[len] = '\0';
	fd = script_open_command(path, envp);
	if (fd < 0)
		return false;
	script = read(fd, head, sizeof(head)) != sizeof(head) || !memcmp(head, "#!", 2);
	close(fd);
	return script;
}

/* shift and shift N; what else may follow ends the understanding. */
static void take_shift(struct reading *r, const char *behind)
{
	const char *end = behind + strspn(behind, " \t");

	r->shifted += is_digit(*end) ? number(end, &end) : 1;
	/* The text's own end is among these. */
	r->doubtful |= !strchr(" \t\r\n;|&})", *end) || r->shifted >= r->proxy;
}

/* set -e and its like; set with arguments makes new ones. */
static void take_set(struct reading *r, const char *behind)
{
	size_t len;
	const char *word = next_word(behind, &len);

	for (size_t i = 1; i < len; i++)
		r->doubtful |= !(word[i] >= 'a' && word[i] <= 'z');
	r->doubtful |= len < 2 || word[0] != '-';
	next_word(word + len, &len);
	r->doubtful |= len != 0;
}

/* before: what stands in front of the word, a blank at a line's beginning. */
static void take_word(struct reading *r, char before, const char *word, size_t len)
{
	size_t last_len = len;
	const char *last = last_component(word, &last_len);
	bool shell = wrapper_is_remote_shell(last, last_len);
	bool srun = is_word(last, last_len, "srun");

	/* -c, and bundles such as -lc. */
	r->shells += shell ||
		     (len > 1 && len <= 4 && word[0] == '-' && memchr(word, 'c', len) != NULL);
	r->sruns += srun;
	r->doubtful |= is_doubtful(last, last_len);
	if (shell || srun)
		r->doubtful |= before == '$' || before == '}' || before == '~' ||
			       names_a_script(word, len, r->envp);
	if (is_word(word, len, "shift"))
		take_shift(r, word + len);
	else if (is_word(word, len, "set"))
		take_set(r, word + len);
}

/* Lines that are comments are left out; a '#' anywhere else may be something else. */
static void read_text(struct reading *r, const char *text)
{
	static const char between[] = " \t\r\n;|&(){}[]<>'\"`=,:$";
	bool first = true; /* in its line */
	char before = ' ';

	while (*text) {
		size_t len = strcspn(text, between);

		if (first && *text == '#') {
			text += strcspn(text, "\n");
		} else if (len) {
			take_word(r, before, text, len);
			first = false;
			before = text[len - 1];
			text += len;
		} else {
			if (*text == '$')
				take_parameter(r, text + 1);
			first = *text == '\n' || (first && (*text == ' ' || *text == '\t'));
			before = *text++;
		}
	}
}

/* Whatever else would change the arguments, or depends on what they are. */
static bool has_any(const char *text)
{
	static const char *const parts[] = { "hydra", "proxy", "()", "[@]", "[*]", "<<", NULL };

	for (const char *const *part = parts; *part; part++)
		if (strstr(text, *part))
			return true;
	return false;
}

enum starter wrapper_starter(const char *text, unsigned int proxy, char *const *envp)
{
	struct reading r = { .proxy = proxy, .envp = envp };

	if (!is_for_a_shell(text) || has_any(text))
		return STARTER_UNKNOWN;
	read_text(&r, text);
	if (r.doubtful || r.all != 1 || r.shells + r.sruns != 1)
		return STARTER_UNKNOWN;
	return r.shells ? STARTER_SHELL : STARTER_DIRECT;
}
