#include "shim/remote.h"

#include <string.h>

#include "core/outbuf.h"
#include "shim/script.h"
#include "shim/standdown.h"
#include "shim/wrapper.h"

/* What goes in front of the proxy, but for the variables: a shell, its option, its
 * text, and the name it goes by. */
#define STUB_WORDS 4

bool remote_is_proxy(const char *name)
{
	return !strcmp(name, "hydra_pmi_proxy") || !strcmp(name, "pmi_proxy") ||
	       !strcmp(name, "hydra_bstrap_proxy");
}

const char *remote_text(enum remote_why why)
{
	static const char text[][72] = {
	    [REMOTE_NO_PROXY] = "no proxy is started",
	    [REMOTE_DONE] = "it was asked",
	    [REMOTE_OFF] = "other hosts are switched off",
	    [REMOTE_LAYOUT] = "the proxy's command is not laid out in a way that is known",
	    [REMOTE_PROGRAM] = "what starts the proxy is not known to be ssh, rsh or srun",
	    [REMOTE_LIBRARY] = "the library's path has characters that shells read",
	    [REMOTE_VARIABLE] = "an EVENKEEL variable has characters that shells read",
	    [REMOTE_LONG] = "the command would be too long",
	    [REMOTE_MEMORY] = "no memory",
	};

	return text[why];
}

/* --- the command as it is --------------------------------------------------- */

/* word is a proxy's path, perhaps in double quotes. */
static bool is_proxy_word(const char *word, bool *quoted)
{
	char name[32];
	size_t len;

	*quoted = *word == '"';
	word = standdown_basename(word + *quoted);
	len = strlen(word);
	if (*quoted && (!len || word[len - 1] != '"'))
		return false;
	len -= *quoted;
	if (len >= sizeof(name))
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	return remote_is_proxy(name);
}

/* Index of the one proxy among the arguments; 0 when there is none, -1 when it is
 * not what Hydra writes. */
static int find_proxy(char *const *argv, bool *quoted)
{
	int at = 0;
	bool q;

	for (int i = 1; argv[0] && argv[i]; i++) {
		if (!is_proxy_word(argv[i], &q))
			continue;
		if (at)
			return -1;
		at = i;
		*quoted = q;
	}
	if (at && (!argv[at + 1] || strcmp(argv[at + 1], "--control-port") != 0))
		return -1;
	return at;
}

/* --- what starts it --------------------------------------------------------- */

static enum starter starter_of(struct arena *a, const char *file, unsigned int proxy,
			       char *const *envp)
{
	int fd = script_open_command(file, envp);
	const char *name = standdown_basename(file);
	const char *text;

	if (fd < 0)
		return STARTER_UNKNOWN;
	text = script_read(fd, a, false);
	if (text)
		return wrapper_starter(text, proxy, envp);
	if (wrapper_is_remote_shell(name, strlen(name)))
		return STARTER_SHELL;
	return strcmp(name, "srun") ? STARTER_UNKNOWN : STARTER_DIRECT;
}

/* --- the stub --------------------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* No shell reads anything into this path, quoted or not. */
static bool is_plain_path(const char *path)
{
	for (; *path; path++)
		if (!is_letter(*path) && !strchr("/._-+@,%", *path))
			return false;
	return true;
}

/* Every shell takes this word as it is when it stands between single quotes. csh looks
 * for '!' even there, and cannot have a line's end in it; fish takes a backslash for
 * itself. */
static bool can_be_quoted(const char *word)
{
	for (; *word; word++)
		if (*word < ' ' || *word > '~' || *word == '!' || *word == '\\')
			return false;
	return true;
}

/* The text for the stub's shell. It holds no single quote, '!' or backslash. Its one
 * variable keeps what the trial said. */
static void put_text(struct outbuf *o, const struct remote_us *us)
{
	outbuf_text(o, ":;evenkeel=$(LD_PRELOAD=");
	outbuf_text(o, us->library);
	outbuf_text(o, " /bin/sh -c : 2>&1||echo no);");
	if (us->verbose) {
		outbuf_text(o, "test -z \"$evenkeel\"||{ test -e ");
		outbuf_text(o, us->library);
		outbuf_text(o, "&&evenkeel=\"cannot be loaded\"||evenkeel=\"is not there\";"
			       "echo \"evenkeel[$$]: $(uname -n): not active: ");
		outbuf_text(o, us->library);
		outbuf_text(o, " $evenkeel\">&2;};");
	}
	outbuf_text(o, "test -z \"$evenkeel\"&&export LD_PRELOAD=\"");
	outbuf_text(o, us->library);
	outbuf_text(o, "${LD_PRELOAD:+:$LD_PRELOAD}\";"
		       "until test \"$1\" = \"${1#EVENKEEL}\";do "
		       "test -z \"$evenkeel\"&&export \"$1\";shift;done;exec \"$@\"");
}

/* word for a shell, if it is to be read by one. NULL with errno ENOMEM. */
static char *quote(struct arena *a, const char *word, bool for_shell)
{
	char *out = arena_alloc(a, 4 * strlen(word) + 3), *end = out;

	if (!out)
		return NULL;
	if (for_shell)
		*end++ = '\'';
	for (; *word; word++) {
		if (for_shell && *word == '\'') {
			memcpy(end, "'\\''", 4);
			end += 4;
		} else {
			*end++ = *word;
		}
	}
	if (for_shell)
		*end++ = '\'';
	*end = '\0';
	return out;
}

static char *stub_text(struct arena *a, const struct remote_us *us, bool for_shell)
{
	struct outbuf o = { NULL, 0, 0 };
	size_t size;
	char *text;

	put_text(&o, us);
	size = o.len + 1;
	text = arena_alloc(a, size);
	if (!text)
		return NULL;
	o = (struct outbuf){text, size, 0};
	put_text(&o, us);
	outbuf_end(&o);
	return quote(a, text, for_shell);
}

/* --- the new command -------------------------------------------------------- */

static unsigned int count(char *const *list)
{
	unsigned int n = 0;

	while (list[n])
		n++;
	return n;
}

static enum remote_why check_length(char *const *argv)
{
	size_t sum = 0;

	for (; *argv; argv++)
		sum += strlen(*argv) + 1;
	return sum > REMOTE_COMMAND_MAX ? REMOTE_LONG : REMOTE_DONE;
}

/* Puts the stub into out from its place on; *n gets the number of words. */
static enum remote_why put_stub(char **out, unsigned int *n, struct arena *a, bool for_shell,
				const struct remote_us *us)
{
	static char shell[] = "/bin/sh", option[] = "-c", name[] = "env";

	*n = STUB_WORDS;
	out[0] = shell;
	out[1] = option;
	out[2] = stub_text(a, us, for_shell);
	/* A shell that read the stub's text once more would run
	 * "... exec env PROXY ...", which is right as well. */
	out[3] = name;
	if (!out[2])
		return REMOTE_MEMORY;
	if (strlen(out[2]) > REMOTE_WORD_MAX)
		return REMOTE_LONG;
	for (char *const *var = us->vars; *var; var++) {
		if (for_shell && !can_be_quoted(*var))
			return REMOTE_VARIABLE;
		out[*n] = quote(a, *var, for_shell);
		if (!out[*n])
			return REMOTE_MEMORY;
		if (strlen(out[(*n)++]) > REMOTE_WORD_MAX)
			return REMOTE_LONG;
	}
	return REMOTE_DONE;
}

static enum remote_why make(struct remote *r, struct arena *a, char *const *argv,
			    unsigned int proxy, bool for_shell, const struct remote_us *us)
{
	unsigned int words = count(argv), n;
	enum remote_why why;
	char **out = arena_array(a, words + STUB_WORDS + count(us->vars) + 1, sizeof(*out));

	if (!out)
		return REMOTE_MEMORY;
	memcpy(out, argv, proxy * sizeof(*out));
	why = put_stub(out + proxy, &n, a, for_shell, us);
	if (why != REMOTE_DONE)
		return why;
	memcpy(out + proxy + n, argv + proxy, (words - proxy + 1) * sizeof(*out));
	why = check_length(out);
	if (why == REMOTE_DONE)
		r->argv = out;
	return why;
}

void remote_rewrite(struct remote *r, struct arena *a, const char *file, char *const *argv,
		    char *const *envp, const struct remote_us *us)
{
	enum starter starter;
	bool quoted = false;
	int proxy = find_proxy(argv, &quoted);

	memset(r, 0, sizeof(*r));
	if (!proxy)
		return;
	if (quoted && proxy > 1)
		r->host = argv[proxy - 1];
	r->why = us->off ? REMOTE_OFF : REMOTE_LAYOUT;
	if (us->off || proxy < 0)
		return;
	starter = starter_of(a, file, (unsigned int)proxy, envp);
	if (starter == STARTER_UNKNOWN)
		r->why = REMOTE_PROGRAM;
	/* Hydra quotes for a shell, and only for one. */
	else if (quoted != (starter == STARTER_SHELL))
		r->why = REMOTE_LAYOUT;
	else if (!is_plain_path(us->library))
		r->why = REMOTE_LIBRARY;
	else
		r->why = make(r, a, argv, (unsigned int)proxy, quoted, us);
}
