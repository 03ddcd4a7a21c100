#include "shim/machine.h"

#include <errno.h>
#include <string.h>

#include "core/file.h"
#include "core/machine_sys.h"
#include "core/machine_text.h"

/* Machine texts of the largest hosts: one llc and one core line for each of
 * 8,192 cpus. */
#define MACHINE_FILE_MAX (512u * 1024u)

int machine_chosen(struct machine *m, struct arena *a, const struct options *o)
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
