#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "core/machine_text.h"

#define HEAD "evenkeel-machine 1\n"
#define TWO HEAD "node 0 cpus 0-3\nnode 1 cpus 4-7\n"

static void what_is_not_the_form_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *why; /* a part of the error text */
	} rows[] = {
		{ "", 0, "empty" },
		{ "\n\n# nothing\n", 0, "empty" },
		{ "node 0 cpus 0-3\n", 1, "'node': wanted the header, evenkeel-machine 1" },
		{ "evenkeel-machine\nnode 0 cpus 0-3\n", 1, "nothing: this evenkeel reads" },
		{ "evenkeel-machine 2\nnode 0 cpus 0-3\n", 1, "'2': this evenkeel reads" },
		{ "evenkeel-machine 1 2\nnode 0 cpus 0-3\n", 1, "'2' after the end" },
		{ "evenkeel-machines 1\nnode 0 cpus 0-3\n", 1, "wanted the header" },
		{ HEAD, 0, "no node line" },
		{ HEAD "\n# x\nnodes 0 cpus 0-3\nnode 0 cpus 0\n", 4, "'nodes': wanted node" },
		{ HEAD "Node 0 cpus 0-3\nnode 0 cpus 0\n", 2, "'Node'" },
		{ HEAD "evenkeel-machine 1\nnode 0 cpus 0\n", 2, "'evenkeel-machine'" },
		{ HEAD "node\n", 2, "node number nothing" },
		{ HEAD "node x cpus 0\n", 2, "node number 'x': wanted 0 to 1023" },
		{ HEAD "node -1 cpus 0\n", 2, "'-1'" },
		{ HEAD "node 1024 cpus 0\n", 2, "'1024'" },
		{ HEAD "node 99999999999999999999999 cpus 0\n", 2, "'99999999999999999999999'" },
		{ HEAD "node 0 0-3\n", 2, "'0-3': wanted cpus and a list" },
		{ HEAD "node 0 cpu 0-3\n", 2, "'cpu': wanted cpus" },
		{ HEAD "node 0 cpus\n", 2, "cpu list nothing" },
		{ HEAD "node 0 cpus 3-0\n", 2, "cpu list '3-0': wanted a list such as" },
		{ HEAD "node 0 cpus 0,\n", 2, "cpu list '0,'" },
		{ HEAD "node 0 cpus 0-16384\n", 2, "up to cpu 16383" },
		{ HEAD "node 0 cpus 0-3 4-7\n", 2, "'4-7': wanted no-memory" },
		{ HEAD "node 0 cpus 0-3 no-memory x\n", 2, "'x' after the end" },
		{ HEAD "node 0 cpus 0-3\nnode 0 cpus 4-7\n", 3, "node '0' is there twice" },
		{ HEAD "node 0 cpus 0-3\nnode 1 cpus 3-7\n", 3, "cpu '3' is in two nodes" },
		{ TWO "distance\n", 4, "node number nothing" },
		{ TWO "distance 2 10 21\n", 4, "node '2', which no node line has" },
		{ TWO "distance 0 10\ndistance 1 21 10\n", 4, "distance nothing: wanted one of 1" },
		{ TWO "distance 0 10 21 21\ndistance 1 21 10\n", 4, "'21' after the end" },
		{ TWO "distance 0 10 0\ndistance 1 21 10\n", 4, "distance '0'" },
		{ TWO "distance 0 10 256\ndistance 1 21 10\n", 4, "distance '256'" },
		{ TWO "distance 0 10 9\ndistance 1 21 10\n", 4, "'9': smaller than to" },
		{ TWO "distance 0 10 2x\ndistance 1 21 10\n", 4, "distance '2x'" },
		{ TWO "distance 0 10 21\ndistance 0 10 21\n", 5, "node '0' is there twice" },
		{ TWO "distance 0 10 21\n", 0, "distance rows: '1' of them: wanted one for each" },
		{ TWO "llc\n", 4, "cpu list nothing" },
		{ TWO "llc 0-8\n", 4, "cpu '8' is in no node" },
		{ TWO "llc 0-3\nllc 3-5\n", 5, "cpu '3' is in two llc lines" },
		{ TWO "core 0,0-1\ncore 1\n", 5, "cpu '1' is in two core lines" },
		{ TWO "core 0-1 x\n", 4, "'x' after the end" },
		{ TWO "isolated\n", 4, "cpu list nothing" },
		{ TWO "isolated 0-1 x\n", 4, "'x' after the end" },
		{ TWO "isolated x\n", 4, "cpu list 'x'" },
		{ TWO "isolated 0-7\n", 0, "every cpu is isolated" },
		{ TWO "reclaim-distance\n", 4, "reclaim-distance nothing: wanted 1 to 255" },
		{ TWO "reclaim-distance 0\n", 4, "reclaim-distance '0'" },
		{ TWO "reclaim-distance 256\n", 4, "reclaim-distance '256'" },
		{ TWO "reclaim-distance 30\nreclaim-distance 30\n", 5, "distance is there twice" },
		{ TWO "quota 0\n", 4, "quota '0': wanted 1 to 16384 cpus" },
		{ TWO "quota 1.5\n", 4, "quota '1.5'" },
		{ TWO "quota 3 4\n", 4, "'4' after the end" },
		{ TWO "quota 3\nquota 3\n", 5, "quota is there twice" },
		{ TWO "left-out 2\n", 4, "nothing: wanted no-cpus, unusable or shared-cpus" },
		{ TWO "left-out 2 lost\n", 4, "'lost': wanted no-cpus" },
		{ TWO "left-out 2 no-cpus x\n", 4, "'x' after the end" },
		{ TWO "left-out 1 no-cpus\n", 4, "left-out node '1' has a node line too" },
		{ TWO "left-out 2 no-cpus\nleft-out 2 unusable\n", 5, "node '2' is there twice" },
		{ "evenkeel-machine 1;node 0 cpus 0;;x", 4, "statement 'x'" },
		{ TWO "\x01\xffthis-word-is-longer-than-anyone-wants-to-read\n", 4,
		  "statement '?" "?this-word-is-longer-th...'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct machine_text_error err = { 99, "untouched" };
		struct machine m;
		int rc;

		errno = 0;
		rc = machine_text_read(&m, &a, rows[i].text, strlen(rows[i].text), &err);
		if (rc != -1 || (errno != EINVAL && errno != ENODATA))
			fail_msg("row %zu '%s': rc %d errno %d", i, rows[i].text, rc, errno);
		if (err.line != rows[i].line || !strstr(err.text, rows[i].why))
			fail_msg("row %zu '%s': line %u '%s'", i, rows[i].text, err.line, err.text);
		assert_null(strchr(err.text, '\n'));
		rc = machine_text_read(&m, &a, rows[i].text, strlen(rows[i].text), NULL);
		assert_int_equal(rc, -1);
		arena_free(&a);
	}
}

static const char full[] = "evenkeel-machine 1\n"
			   "node 0 cpus 0-3,8-10\n"
			   "node 2 cpus 4-7,12-15 no-memory\n"
			   "node 5 cpus 1030\n"
			   "left-out 1 no-cpus\n"
			   "left-out 4 unusable\n"
			   "left-out 252 shared-cpus\n"
			   "distance 0 10 21 32\n"
			   "distance 2 22 10 32\n"
			   "distance 5 32 32 10\n"
			   "llc 0-1,8-10\n"
			   "llc 2-7\n"
			   "llc 12-15\n"
			   "llc 1030\n"
			   "core 0,8\n"
			   "core 1,9\n"
			   "core 12-15\n"
			   "isolated 11,1040\n"
			   "reclaim-distance 32\n"
			   "quota 12\n";

static void a_written_machine_reads_back_as_itself(void **state)
{
	static const char *const texts[] = {
		full,
		"evenkeel-machine 1\nnode 0 cpus 0\ndistance 0 10\nllc 0\nreclaim-distance 30\n",
		"evenkeel-machine 1\nnode 7 cpus 16383\ndistance 7 11\nllc 16383\n"
		"reclaim-distance 10\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct arena a = UNIT_ARENA;
		struct machine_text_error err = { 0, "" };
		struct machine m;
		char buf[1024], cut[64];

		if (machine_text_read(&m, &a, texts[i], strlen(texts[i]), &err) < 0)
			fail_msg("text %zu line %u: %s", i, err.line, err.text);
		assert_int_equal(machine_text_write(&m, buf, sizeof(buf)), strlen(texts[i]));
		assert_string_equal(buf, texts[i]);
		assert_int_equal(machine_text_write(&m, cut, sizeof(cut)), strlen(texts[i]));
		assert_int_equal(strlen(cut), sizeof(cut) - 1);
		assert_memory_equal(cut, buf, sizeof(cut) - 1);
		assert_int_equal(machine_text_write(&m, NULL, 0), strlen(texts[i]));
		arena_free(&a);
	}
}

static void all_ways_to_say_it_mean_the_same(void **state)
{
	static const char *const same[] = {
		TWO,
		"evenkeel-machine 1;node 0 cpus 0-3;node 1 cpus 4-7",
		"evenkeel-machine 1;node 0 cpus 0-3;node 1 cpus 4-7;",
		" evenkeel-machine\t1 ;; node 1 cpus 4-7; # why; node 0 cpus 0-3",
		"# made by hand; edited\n" HEAD "\n  node  1  cpus 7,4-6 # quota 3; quota 4\r\n"
		"node 0 cpus 0-3\r\n",
		TWO "distance 1 20 10\ndistance 0 10 20\n",
		TWO "llc 4-7\ncore 2\n",
		"evenkeel-machine 1\nllc 0-3\nquota 9\nnode 0 cpus 0-3\nnode 1 cpus 4-7",
	};
	char first[512];

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct arena a = UNIT_ARENA;
		struct machine_text_error err = { 0, "" };
		struct machine m;
		char buf[512];

		if (machine_text_read(&m, &a, same[i], strlen(same[i]), &err) < 0)
			fail_msg("text %zu line %u: %s", i, err.line, err.text);
		m.quota = 0;
		machine_text_write(&m, buf, sizeof(buf));
		if (i == 0)
			strcpy(first, buf);
		assert_string_equal(buf, first);
		assert_true(machine_text_is(same[i], strlen(same[i])));
		arena_free(&a);
	}
}

static void node_lines_may_come_in_any_order(void **state)
{
	static const char text[] = HEAD "distance 5 32 33 10\nnode 5 cpus 0-1\nnode 0 cpus 2-3\n"
					"distance 0 10 21 22\nnode 2 cpus 4-5\n"
					"distance 2 23 10 24\n";
	struct arena a = UNIT_ARENA;
	struct machine m;
	char buf[512];

	(void)state;
	assert_int_equal(machine_text_read(&m, &a, text, strlen(text), NULL), 0);
	machine_text_write(&m, buf, sizeof(buf));
	assert_string_equal(buf, HEAD "node 0 cpus 2-3\nnode 2 cpus 4-5\nnode 5 cpus 0-1\n"
				      "distance 0 10 21 22\ndistance 2 23 10 24\n"
				      "distance 5 32 33 10\nllc 0-1\nllc 2-3\nllc 4-5\n"
				      "reclaim-distance 30\n");
	arena_free(&a);
}

static void isolated_cpus_leave_the_nodes_that_name_them(void **state)
{
	static const char text[] = HEAD "node 0 cpus 0-3\nnode 1 cpus 4-7\nnode 2 cpus 8-9\n"
					"isolated 4-7\nisolated 3\ndistance 0 10 12 21\n"
					"distance 1 12 10 22\ndistance 2 21 22 10\nllc 2-5\n";
	struct arena a = UNIT_ARENA;
	struct machine m;
	char buf[512];

	(void)state;
	assert_int_equal(machine_text_read(&m, &a, text, strlen(text), NULL), 0);
	machine_text_write(&m, buf, sizeof(buf));
	assert_string_equal(buf, HEAD "node 0 cpus 0-2\nnode 2 cpus 8-9\nleft-out 1 unusable\n"
				      "distance 0 10 21\ndistance 2 21 10\nllc 0-1\nllc 2\n"
				      "llc 8-9\nisolated 3-7\nreclaim-distance 30\n");
	arena_free(&a);
}

/* The nodes of the whole lines of a cut text are in what the cut text gives,
 * with the same cpus: the shortened last line may add, and change no other
 * (save that it may isolate a cpu). */
static void assert_whole_lines_count(const char *text, size_t len, const struct machine *m)
{
	struct arena a = UNIT_ARENA;
	const char *last = memrchr(text, '\n', len);
	struct machine whole;

	if (last && strncmp(last + 1, "isolated", 8) != 0 &&
	    machine_text_read(&whole, &a, text, (size_t)(last - text), NULL) == 0) {
		assert_true(whole.nnodes <= m->nnodes && whole.nleft_out <= m->nleft_out);
		for (unsigned int i = 0; i < whole.nnodes; i++) {
			unsigned int j = machine_node_by_os(m, whole.nodes[i].os);

			assert_int_not_equal(j, CPUS_NONE);
			assert_true(cpus_equal(&whole.nodes[i].cpus, &m->nodes[j].cpus));
		}
	}
	arena_free(&a);
}

/* A text cut at any byte is refused, or ends in what is a statement by itself
 * ("quota 1" of "quota 12"): the form has no end mark. */
static void a_cut_text_is_refused_or_taken_at_its_word(void **state)
{
	unsigned int accepted = 0;

	(void)state;
	for (size_t len = 0; len < strlen(full); len++) {
		struct arena a = UNIT_ARENA;
		char *text = malloc(len + 1);
		struct machine_text_error err = { 0, "" };
		struct machine m;

		assert_non_null(text);
		memcpy(text + 1, full, len); /* so that its end is the end of a heap block */
		errno = 0;
		if (machine_text_read(&m, &a, text + 1, len, &err) < 0) {
			assert_true(errno == EINVAL || errno == ENODATA);
			assert_true(err.text[0] != '\0');
		} else {
			assert_whole_lines_count(full, len, &m);
			accepted++;
		}
		free(text);
		arena_free(&a);
	}
	assert_in_range(accepted, 10, 150);
}

static void the_form_is_known_by_its_first_word(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "", false },
		{ "# evenkeel-machine 1\n", false },
		{ "<?xml version=\"1.0\"?>\n", false },
		{ "node 0 cpus 0\nevenkeel-machine 1\n", false },
		{ "evenkeel-machine-1\n", false },
		{ "evenkeel-machine", true },
		{ "evenkeel-machine 9\n", true },
		{ "# x; y\n\n \tevenkeel-machine 1\n", true },
		{ "#x;evenkeel-machine 1", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (machine_text_is(rows[i].text, strlen(rows[i].text)) != rows[i].is)
			fail_msg("row %zu '%s'", i, rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_the_form_is_refused_with_its_line),
		cmocka_unit_test(a_written_machine_reads_back_as_itself),
		cmocka_unit_test(all_ways_to_say_it_mean_the_same),
		cmocka_unit_test(node_lines_may_come_in_any_order),
		cmocka_unit_test(isolated_cpus_leave_the_nodes_that_name_them),
		cmocka_unit_test(a_cut_text_is_refused_or_taken_at_its_word),
		cmocka_unit_test(the_form_is_known_by_its_first_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
