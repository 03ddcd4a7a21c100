#include "tests/unit/unit.h"

#include <errno.h>

#include "core/policy.h"

static void a_string_that_is_no_version_is_refused(void **state)
{
	static const char *const rows[] = {
		NULL, "", "6", "6.", ".1", "6.x", "6.-1", "-6.1", "v6.1", " 6.1", "6..1", "x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enum policy_rule rule = POLICY_V3;
		enum policy_certainty certainty = POLICY_OLDER;

		errno = 0;
		if (policy_of_version(rows[i], &rule, &certainty) != -1 || errno != EINVAL)
			fail_msg("row %zu '%s' was taken", i, rows[i] ? rows[i] : "NULL");
		assert_int_equal(rule, POLICY_V3);
		assert_int_equal(certainty, POLICY_OLDER);
	}
}

struct row {
	const char *release;
	enum policy_rule rule;
	enum policy_certainty certainty;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum policy_rule rule;
		enum policy_certainty certainty;

		assert_int_equal(policy_of_version(rows[i].release, &rule, &certainty), 0);
		if (rule != rows[i].rule || certainty != rows[i].certainty)
			fail_msg("%s: %s, certainty %d", rows[i].release, policy_name(rule),
				 (int)certainty);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof(*(rows)))

/* Both sides of every border of section 1.1. */
static void each_version_has_the_rule_of_the_notes(void **state)
{
	static const struct row rows[] = {
		{ "2.6.32", POLICY_G0, POLICY_OLDER },
		{ "4.1.52", POLICY_G0, POLICY_OLDER },
		{ "4.2", POLICY_G0, POLICY_EXACT },
		{ "4.2.0", POLICY_G0, POLICY_EXACT },
		{ "4.18.20", POLICY_G0, POLICY_EXACT },
		{ "4.19", POLICY_G1, POLICY_EXACT },
		{ "4.19.325", POLICY_G1, POLICY_EXACT },
		{ "4.20.17", POLICY_G1, POLICY_EXACT },
		{ "5.0", POLICY_G1, POLICY_EXACT },
		{ "5.4.302", POLICY_G1, POLICY_EXACT },
		{ "5.5", POLICY_G2, POLICY_EXACT },
		{ "5.5.19", POLICY_G2, POLICY_EXACT },
		{ "5.6", POLICY_G3, POLICY_EXACT },
		{ "5.6.19", POLICY_G3, POLICY_EXACT },
		{ "5.7", POLICY_G4A, POLICY_EXACT },
		{ "5.9.16", POLICY_G4A, POLICY_EXACT },
		{ "5.10", POLICY_G4B, POLICY_EXACT },
		{ "5.10.247", POLICY_G4B, POLICY_EXACT },
		{ "5.11", POLICY_G5, POLICY_EXACT },
		{ "5.14.21", POLICY_G5, POLICY_EXACT },
		{ "5.15", POLICY_G5, POLICY_EXACT },
		{ "5.15.32", POLICY_G5, POLICY_EXACT },
		{ "5.15.33", POLICY_G6, POLICY_EXACT },
		{ "5.15.199", POLICY_G6, POLICY_EXACT },
		{ "5.16", POLICY_G5, POLICY_EXACT },
		{ "5.16.18", POLICY_G5, POLICY_EXACT },
		{ "5.16.19", POLICY_G6, POLICY_EXACT },
		{ "5.17", POLICY_G5, POLICY_EXACT },
		{ "5.17.1", POLICY_G5, POLICY_EXACT },
		{ "5.17.2", POLICY_G6, POLICY_EXACT },
		{ "5.18", POLICY_G7, POLICY_EXACT },
		{ "5.18.0-rc4", POLICY_G7, POLICY_EXACT },
		{ "5.19.17", POLICY_G7, POLICY_EXACT },
		{ "6.0", POLICY_G8, POLICY_EXACT },
		{ "6.1.177", POLICY_G8, POLICY_EXACT },
		{ "6.1.178", POLICY_G8B, POLICY_EXACT },
		{ "6.1.192", POLICY_G8B, POLICY_EXACT },
		{ "6.2", POLICY_G8, POLICY_EXACT },
		{ "6.5.13", POLICY_G8, POLICY_EXACT },
		{ "6.6", POLICY_G8, POLICY_EXACT },
		{ "6.6.130", POLICY_G8, POLICY_ASSUMED },
		{ "6.7.12", POLICY_G8, POLICY_EXACT },
		{ "6.12", POLICY_G8, POLICY_EXACT },
		{ "6.12.96", POLICY_G8, POLICY_EXACT },
		{ "6.12.97", POLICY_G8B, POLICY_EXACT },
		{ "6.12.117", POLICY_G8B, POLICY_EXACT },
		{ "6.13", POLICY_G8, POLICY_EXACT },
		{ "6.17.13", POLICY_G8, POLICY_EXACT },
		{ "6.18", POLICY_G8, POLICY_EXACT },
		{ "6.18.40", POLICY_G8, POLICY_ASSUMED },
		{ "6.19", POLICY_G8B, POLICY_EXACT },
		{ "7.0.3", POLICY_G8B, POLICY_EXACT },
		{ "7.1", POLICY_G9, POLICY_EXACT },
		{ "7.1.9", POLICY_G9, POLICY_EXACT },
		{ "7.2", POLICY_G9, POLICY_NEWER },
		{ "8.0.0-rc1", POLICY_G9, POLICY_NEWER },
		{ "99999999999999999999.1", POLICY_G9, POLICY_NEWER },
		{ "6.12.99999999999999999999", POLICY_G8B, POLICY_EXACT },
	};

	(void)state;
	CHECK(rows);
}

static void a_vendor_is_known_by_its_marks_and_a_local_suffix_changes_nothing(void **state)
{
	static const struct row rows[] = {
		{ "6.1.0-40-amd64", POLICY_G8, POLICY_ASSUMED },
		{ "6.1.0-0.deb11.13-amd64", POLICY_G8, POLICY_ASSUMED },
		{ "5.10.0-28-cloud-amd64", POLICY_G4B, POLICY_ASSUMED },
		{ "5.15.0-91-generic", POLICY_G5, POLICY_ASSUMED },
		{ "6.8.0-1021-aws", POLICY_G8, POLICY_ASSUMED },
		{ "4.18.0-513.5.1.el8_9.x86_64", POLICY_G0, POLICY_ASSUMED },
		{ "5.14.0-427.13.1.el9_4.x86_64", POLICY_G5, POLICY_ASSUMED },
		{ "6.12.0-55.9.1.el10_0.x86_64", POLICY_G8, POLICY_ASSUMED },
		{ "5.15.0-3.60.5.1.el9uek.x86_64", POLICY_G5, POLICY_ASSUMED },
		{ "3.10.0-1160.el7.x86_64", POLICY_G0, POLICY_OLDER },
		{ "4.12.14-122.201-default", POLICY_G0, POLICY_ASSUMED },
		{ "5.14.21-150500.55.52-default", POLICY_G5, POLICY_ASSUMED },
		{ "5.14.21-150500.55.49_13.0.56-cray_shasta_c", POLICY_G5, POLICY_ASSUMED },
		{ "6.4.0-150600.23.17-azure", POLICY_G8, POLICY_ASSUMED },
		{ "6.1.61-85.141.amzn2023.x86_64", POLICY_G8, POLICY_ASSUMED },
		{ "5.10.0-60.18.0.50.oe2203.x86_64", POLICY_G4B, POLICY_ASSUMED },
		{ "5.15.148.2-2.cm2", POLICY_G6, POLICY_ASSUMED },
		{ "5.15.133.1-microsoft-standard-WSL2", POLICY_G6, POLICY_ASSUMED },
		{ "6.8.12-4-pve", POLICY_G8, POLICY_ASSUMED },
		{ "7.3.0-5-generic", POLICY_G9, POLICY_NEWER },
		{ "6.12.117+deb12-amd64", POLICY_G8B, POLICY_EXACT },
		{ "6.12.41+deb13-amd64", POLICY_G8, POLICY_EXACT },
		{ "6.9.7-1.el9.elrepo.x86_64", POLICY_G8, POLICY_EXACT },
		{ "6.1.0-custom", POLICY_G8, POLICY_EXACT },
		{ "6.1.155-fc-v857", POLICY_G8, POLICY_EXACT },
		{ "5.17.2-custom", POLICY_G6, POLICY_EXACT },
		{ "6.1.", POLICY_G8, POLICY_EXACT },
		{ "6.5-arch1-1", POLICY_G8, POLICY_EXACT },
		{ "6.19.0-rc3+", POLICY_G8B, POLICY_EXACT },
	};

	(void)state;
	CHECK(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_that_is_no_version_is_refused),
		cmocka_unit_test(each_version_has_the_rule_of_the_notes),
		cmocka_unit_test(
		    a_vendor_is_known_by_its_marks_and_a_local_suffix_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
