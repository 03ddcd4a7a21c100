#include "shim/site.h"

#include <errno.h>
#include <string.h>

#include "core/file.h"
#include "core/machine_sys.h"
#include "core/machine_text.h"

/* Machine texts of the largest hosts: one llc and one core line for each of
 * 8,192 cpus. */
#define MACHINE_FILE_MAX (512u * 1024u)

void site_options(struct options *o, struct arena *a, char *const *envp)
{
	const char *path = options_getenv(envp, SITE_VARIABLE);
	char *text = arena_alloc(a, SITE_FILE_MAX);
	struct options site;

	memset(o, 0, sizeof(*o));
	if (text && file_read(path ? path : SITE_FILE, text, SITE_FILE_MAX) >= 0)
		options_from_file(o, text, NULL);
	site = *o;
	options_from_env(o, envp);
	o->off |= site.off;
	o->deny = site.deny;
}

int site_machine(struct machine *m, struct arena *a, const struct options *o)
{
	const char *spec = o->machine;
	char *text;
	ssize_t len;

	if (!spec)
		return machine_sys_read(m, a, "");
	if (!strncmp(spec, MACHINE_TEXT_HEADER, strlen(MACHINE_TEXT_HEADER)))
		return machine_text_read(m, a, spec, strlen(spec), NULL);
	text = arena_alloc(a, MACHINE_FILE_MAX);
	if (!text)
		return -1;
	len = file_read(spec, text, MACHINE_FILE_MAX);
	return len < 0 ? -1 : machine_text_read(m, a, text, (size_t)len, NULL);
}
