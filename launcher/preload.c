#include "launcher/preload.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What ld.so takes for the end of an entry (glibc 2.36, ld.so(8)). */
#define SEPARATORS " :"
/* MAX_ARG_STRLEN of Linux (include/uapi/linux/binfmts.h, 6.12): 32 pages. A
 * longer string makes every exec fail. */
#define VARIABLE_MAX (32u * 4096u)

static bool read_header(ElfW(Ehdr) *header, uint64_t *size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	     pread(fd, header, sizeof(*header), 0) == sizeof(*header);
	close(fd);
	*size = (uint64_t)st.st_size;
	return ok;
}

/* path is a library for this kind of machine, and all of it: of any other ld.so
 * would complain in every process of the job, and one that was cut off kills them
 * (SIGBUS). The section headers are last in the file. */
static bool can_be_loaded(const char *path)
{
	ElfW(Ehdr) library, ours;
	uint64_t size, any;

	return read_header(&library, &size, path) && read_header(&ours, &any, "/proc/self/exe") &&
	       !memcmp(library.e_ident, ours.e_ident, EI_OSABI) && library.e_type == ET_DYN &&
	       library.e_machine == ours.e_machine &&
	       library.e_shoff + (uint64_t)library.e_shnum * library.e_shentsize <= size;
}

static char *beside_build(struct arena *a)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash, *path;

	for (int i = 0; i < 2; i++) {
		if (len < 0)
			return NULL;
		exe[len] = '\0';
		slash = strrchr(exe, '/');
		if (!slash)
			return NULL;
		len = slash - exe;
	}
	exe[len] = '\0';
	path = cli_text(a, "%s/shim/.libs/" PRELOAD_LIBRARY, exe);
	return path && access(path, R_OK) == 0 ? path : NULL;
}

char *preload_find(struct arena *a, struct cli_error *err)
{
	char *path = beside_build(a);

	if (!path && access(PKGLIBDIR "/" PRELOAD_LIBRARY, R_OK) == 0)
		path = cli_text(a, "%s", PKGLIBDIR "/" PRELOAD_LIBRARY);
	if (!path) {
		cli_error_set(err,
			      PRELOAD_LIBRARY " is neither beside this program's build nor in %s",
			      PKGLIBDIR);
		errno = ENOENT;
		return NULL;
	}
	if (!can_be_loaded(path)) {
		cli_error_set(err, "'%s' is damaged, or for another kind of machine", path);
		errno = ENOEXEC;
		return NULL;
	}
	if (strpbrk(path, SEPARATORS)) {
		cli_error_set(err, "'%s' has a blank or a colon, at which ld.so would cut it",
			      path);
		errno = EINVAL;
		return NULL;
	}
	return path;
}

char *preload_value(struct arena *a, const char *library, const char *old)
{
	char *value = cli_text(a, "%s%s%s", library, old ? ":" : "", old ? old : "");
	char *end;

	if (!value || !old)
		return value;
	end = value + strlen(library);
	while (*(old += strspn(old, SEPARATORS))) {
		size_t len = strcspn(old, SEPARATORS);

		if (len != strlen(library) || strncmp(old, library, len)) {
			*end++ = ':';
			memcpy(end, old, len);
			end += len;
		}
		old += len;
	}
	*end = '\0';
	return value;
}

static char *variable(const struct cli_given *given, struct arena *a, struct cli_error *err)
{
	const char *value = *given->value ? given->value : "1";
	char *text;

	if (!strcmp(given->name, "machine") && strcmp(value, "live")) {
		struct machine m;

		if (cli_machine_load(&m, a, value, err) < 0)
			return NULL;
		value = cli_machine_inline(a, &m);
	}
	text = value ? cli_text(a, "EVENKEEL_%s=%s", given->name, value) : NULL;
	if (!text) {
		cli_error_set(err, "%s", strerror(ENOMEM));
		return NULL;
	}
	if (strlen(text) >= VARIABLE_MAX) {
		cli_error_set(err, "--%s: its text takes %zu bytes, a variable has room for %u",
			      given->name, strlen(text), VARIABLE_MAX - 1);
		errno = E2BIG;
		return NULL;
	}
	for (char *s = text; *s != '='; s++)
		*s = (char)toupper((unsigned char)*s);
	return text;
}

int preload_variables(const struct cli *c, struct arena *a, char ***variables, unsigned int *count,
		      struct cli_error *err)
{
	*count = 0;
	*variables = arena_array(a, CLI_GIVEN_MAX, sizeof(**variables));
	if (!*variables) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	for (unsigned int i = 0; i < c->ngiven; i++) {
		(*variables)[i] = variable(&c->given[i], a, err);
		if (!(*variables)[i])
			return -1;
		(*count)++;
	}
	return 0;
}

char *preload_quote(struct arena *a, const char *text)
{
	char *quoted = arena_alloc(a, 4 * strlen(text) + 3), *end = quoted;

	if (!quoted)
		return NULL;
	*end++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *text;
	}
	*end++ = '\'';
	*end = '\0';
	return quoted;
}
