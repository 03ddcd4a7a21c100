#include "core/site.h"

#include <string.h>

#include "core/file.h"

/* Both lists of names in one. */
static const char *join(struct arena *a, const char *x, const char *y)
{
	size_t n = x ? strlen(x) : 0;
	char *both;

	if (!x || !y || !(both = arena_alloc(a, n + 1 + strlen(y) + 1)))
		return x ? x : y;
	memcpy(both, x, n);
	both[n] = ' ';
	memcpy(both + n + 1, y, strlen(y) + 1);
	return both;
}

static void add_file(struct options *o, struct arena *a, const char *path)
{
	char *text = arena_alloc(a, SITE_FILE_MAX);
	struct options before = *o;

	if (!text || file_read(path, text, SITE_FILE_MAX) < 0)
		return;
	o->deny = NULL;
	options_from_file(o, text, NULL);
	o->off |= before.off;
	o->deny = join(a, before.deny, o->deny);
}

void site_options(struct options *o, struct arena *a, char *const *envp)
{
	const char *path = options_getenv(envp, SITE_VARIABLE);
	bool off;

	memset(o, 0, sizeof(*o));
	add_file(o, a, SITE_FILE);
	if (path)
		add_file(o, a, path);
	off = o->off;
	options_from_env(o, envp);
	o->off |= off;
}
