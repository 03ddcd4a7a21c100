#include "core/policy.h"

#include <errno.h>
#include <string.h>

/* Kernel-policy notes, sections 1.1 and 1.7. Ascending: a version belongs to
 * the last row that is not above it, so a stable series that got a change by
 * back-port is closed by the row of the next release. */
static const struct {
	unsigned int version[3];
	enum policy_rule rule;
	enum policy_certainty certainty;
} versions[] = {
	/* clang-format off */
	{ { 0, 0, 0 }, POLICY_G0, POLICY_OLDER },
	{ { 4, 2, 0 }, POLICY_G0, POLICY_EXACT },
	{ { 4, 19, 0 }, POLICY_G1, POLICY_EXACT },
	{ { 5, 5, 0 }, POLICY_G2, POLICY_EXACT },
	{ { 5, 6, 0 }, POLICY_G3, POLICY_EXACT },
	{ { 5, 7, 0 }, POLICY_G4A, POLICY_EXACT },
	{ { 5, 10, 0 }, POLICY_G4B, POLICY_EXACT },
	{ { 5, 11, 0 }, POLICY_G5, POLICY_EXACT },
	{ { 5, 15, 33 }, POLICY_G6, POLICY_EXACT },
	{ { 5, 16, 0 }, POLICY_G5, POLICY_EXACT },
	{ { 5, 16, 19 }, POLICY_G6, POLICY_EXACT },
	{ { 5, 17, 0 }, POLICY_G5, POLICY_EXACT },
	{ { 5, 17, 2 }, POLICY_G6, POLICY_EXACT },
	{ { 5, 18, 0 }, POLICY_G7, POLICY_EXACT },
	{ { 6, 0, 0 }, POLICY_G8, POLICY_EXACT },
	{ { 6, 1, 178 }, POLICY_G8B, POLICY_EXACT },
	{ { 6, 2, 0 }, POLICY_G8, POLICY_EXACT },
	{ { 6, 6, 1 }, POLICY_G8, POLICY_ASSUMED },
	{ { 6, 7, 0 }, POLICY_G8, POLICY_EXACT },
	{ { 6, 12, 97 }, POLICY_G8B, POLICY_EXACT },
	{ { 6, 13, 0 }, POLICY_G8, POLICY_EXACT },
	{ { 6, 18, 1 }, POLICY_G8, POLICY_ASSUMED },
	{ { 6, 19, 0 }, POLICY_G8B, POLICY_EXACT },
	{ { 7, 1, 0 }, POLICY_G9, POLICY_EXACT },
	{ { 7, 2, 0 }, POLICY_G9, POLICY_NEWER },
	/* clang-format on */
};

/* Text in a release string that tells whose kernel it is; the first that is
 * found decides. */
static const struct {
	char text[12]; /* in place, not by pointer: the start-up of every process pays for those */
	enum policy_certainty certainty;
} marks[] = {
	{ ".elrepo", POLICY_EXACT }, /* kernel.org's, packaged for el */
	{ ".el7", POLICY_ASSUMED },  /* Red Hat, its rebuilds, Oracle UEK */
	{ ".el8", POLICY_ASSUMED },
	{ ".el9", POLICY_ASSUMED },
	{ ".el1", POLICY_ASSUMED },
	{ ".amzn", POLICY_ASSUMED },
	{ "-default", POLICY_ASSUMED }, /* SUSE; its other flavours by the number */
	{ "-150", POLICY_ASSUMED },
	{ "-160000", POLICY_ASSUMED },
	{ "cray", POLICY_ASSUMED }, /* HPE, from SUSE's */
	{ "-pve", POLICY_ASSUMED }, /* Proxmox, from Ubuntu's */
	{ ".oe2", POLICY_ASSUMED }, /* openEuler */
	{ ".cm2", POLICY_ASSUMED }, /* Azure Linux, old and new */
	{ ".azl", POLICY_ASSUMED },
	{ "microsoft", POLICY_ASSUMED },
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits at *p; what is above any version stays at this bound. */
static bool number(const char **p, unsigned int *n)
{
	const unsigned int bound = 1000000;

	if (!digit(**p))
		return false;
	for (*n = 0; digit(**p); (*p)++)
		if (*n < bound)
			*n = *n * 10 + (unsigned int)(**p - '0');
	return true;
}

/* Certainty as far as what follows the version number tells. */
static enum policy_certainty vendor(const char *suffix, unsigned int sublevel)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(suffix, marks[i].text))
			return marks[i].certainty;
	/* "6.1.0-40-amd64": 40 counts the vendor's builds, whatever is in them. */
	if (sublevel == 0 && suffix[0] == '-' && digit(suffix[1]))
		return POLICY_ASSUMED;
	return POLICY_EXACT;
}

static bool reached(const unsigned int v[3], const unsigned int row[3])
{
	for (int i = 0; i < 3; i++)
		if (v[i] != row[i])
			return v[i] > row[i];
	return true;
}

/* The version at the start of release, and where it ends; NULL when there is none. */
static const char *read_version(const char *release, unsigned int v[3])
{
	const char *p = release, *after;

	v[2] = 0;
	if (!p || !number(&p, &v[0]) || *p++ != '.' || !number(&p, &v[1]))
		return NULL;
	after = p + 1;
	return *p == '.' && number(&after, &v[2]) ? after : p;
}

enum policy_rule policy_refine(enum policy_rule rule, const char *release)
{
	static const unsigned int late[3] = { 5, 13, 0 };
	unsigned int v[3];

	if (rule == POLICY_G5 && read_version(release, v) && reached(v, late))
		return policy_change(rule, POLICY_LATE_BLOCKED_LOAD, true);
	return rule;
}

int policy_of_version(const char *release, enum policy_rule *rule,
		      enum policy_certainty *certainty)
{
	unsigned int v[3];
	const char *p = read_version(release, v);
	size_t i = 0;

	if (!p) {
		errno = EINVAL;
		return -1;
	}
	while (i + 1 < sizeof(versions) / sizeof(*versions) && reached(v, versions[i + 1].version))
		i++;
	*rule = versions[i].rule;
	*certainty = versions[i].certainty;
	if (*certainty == POLICY_EXACT)
		*certainty = vendor(p, v[2]);
	return 0;
}
