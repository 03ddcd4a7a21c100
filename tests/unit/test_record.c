/* Records: written and read again, an old one, and what must be refused with its
 * line. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "launcher/record.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_record.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* Writes text to a file and reads it as a record. */
static int read_text(struct results *r, const char *text, size_t len, struct cli_error *err,
		     struct cli_error *note)
{
	char path[128];
	int fd, result;

	snprintf(path, sizeof(path), "%s/in", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0 && write(fd, text, len) == (ssize_t)len && close(fd) == 0);
	errno = 0;
	result = record_read(r, path, NULL, STATS_LOWER, err, note);
	unlink(path);
	return result;
}

#define HOST \
	"{\"evenkeel_compare\":1,\"kind\":\"host\",\"metrics\":[{\"name\":\"wall\"," \
	"\"unit\":\"s\",\"better\":\"lower\"}]}\n"
#define RUN(more) "{\"evenkeel_compare\":1,\"kind\":\"run\",\"run\":1,\"variant\":\"a\"" more "}\n"

static const struct {
	unsigned int line;
	const char *text;
} bad[] = {
	/* CSV: headings, fields, numbers. */
	{ 1, "" },
	{ 2, "\n" },
	{ 1, "plain,1\n" },
	{ 1, "variant\nplain\n" },
	{ 1, "variant,time\nplain,1\n" },
	{ 1, "variant,value,more\nplain,1,2\n" },
	{ 1, "variant,min,max,mean,range\na,1,2,1,1.5\n" },
	{ 2, "variant,value\nplain\n" },
	{ 2, "variant,value\nplain,1,2\n" },
	{ 2, "variant,value\nplain,1,2,3,4,5,6,7,8,9\n" },
	{ 2, "variant,value\n,1\n" },
	{ 2, "variant,value\nplain,\n" },
	{ 3, "variant,value\nplain,1\nplain,1 s\n" },
	{ 3, "variant,value\nplain,1\nplain,0x10\n" },
	{ 3, "variant,value\nplain,1\nplain,nan\n" },
	{ 3, "variant,value\nplain,1\nplain,inf\n" },
	{ 3, "variant,value\nplain,1\nplain,1e999\n" },
	{ 4, "variant,value\nplain,1\n\nplain,one\n" },
	{ 2, "variant,value\n\"plain,1\n" },
	{ 2, "variant,value\n\"plain\"x,1\n" },
	/* Figures: the range, the mean, a second row. */
	{ 2, "variant,min,max,range,mean\nv5.3,95.84,96.55,0.72,96.16\n" },
	{ 2, "variant,min,max,range,mean\nv5.3,95.84,96.55,0.7,96.16\n" },
	{ 3, "variant,Min,Max,Range,Mean\nv5.3,95.84,96.55,0.71,96.16\n"
	     "v5.7,95.44,96.51,1.17,96.14\n" },
	{ 3, "variant,min,max,range,mean\nv5.3,95.84,96.55,0.71,96.16\n"
	     "v5.7,95.44,96.51,1.07,95.43\n" },
	{ 2, "variant,min,max,range,mean\nv5.3,95.84,96.55,0.71,96.56\n" },
	{ 2, "variant,min,max,range,mean\nv5.3,96.55,95.84,-0.71,96.16\n" },
	{ 2, "variant,min,max,range,mean\nv5.3,95.84,96.55,0.71\n" },
	{ 2, "variant,min,max,range,mean\nv5.3,95.84,x,0.71,96.16\n" },
	{ 3, "variant,min,max,range,mean\na,1,2,1,1.5\na,1,2,1,1.5\n" },
	/* JSON lines. */
	{ 1, "{\n" },
	{ 1, "{}\n" },
	{ 1, "{\"kind\":\"host\"}\n" },
	{ 1, "{\"evenkeel_compare\":0,\"kind\":\"host\"}\n" },
	{ 1, "{\"evenkeel_compare\":2,\"kind\":\"host\"}\n" },
	{ 1, "{\"evenkeel_compare\":\"1\",\"kind\":\"host\"}\n" },
	{ 1, "{\"evenkeel_compare\":1,\"kind\":\"host\"}\n" },
	{ 1, "{\"evenkeel_compare\":1,\"kind\":\"host\",\"metrics\":[]}\n" },
	{ 1, "{\"evenkeel_compare\":1,\"kind\":\"host\",\"metrics\":[{\"name\":\"x\"}]}\n" },
	{ 1, "{\"evenkeel_compare\":1,\"kind\":\"host\",\"metrics\":[{\"name\":\"x\","
	     "\"better\":\"best\"}]}\n" },
	{ 1, RUN("") },
	{ 2, HOST "nonsense\n" },
	{ 2, HOST "[1]\n" },
	{ 2, HOST "{\"evenkeel_compare\":1,\"kind\":\"run\",\"run\":1}\n" },
	{ 2, HOST "{\"evenkeel_compare\":1,\"kind\":\"run\",\"variant\":\"a\"}\n" },
	{ 2, HOST "{\"evenkeel_compare\":1,\"kind\":\"run\",\"run\":-1,\"variant\":\"a\"}\n" },
	{ 3, HOST RUN("") RUN(",\"placement\":{}") },
	{ 3, HOST RUN("") RUN(",\"placement\":{\"ranks\":4,\"worst\":0,\"samples\":1,"
			      "\"start\":[4,0]}") },
	{ 3, HOST RUN("") RUN(",\"placement\":{\"ranks\":4,\"worst\":0,\"samples\":1,"
			      "\"start\":[4,0],\"end\":[4]}") },
	{ 3, HOST RUN("") RUN(",\"placement\":{\"ranks\":4,\"worst\":0,\"samples\":1,"
			      "\"start\":[4,-1],\"end\":[4,0]}") },
};

static void what_is_wrong_is_refused_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct arena a = UNIT_ARENA;
		struct results r = { .arena = &a };
		struct cli_error err = { "" }, note;
		char line[32];

		snprintf(line, sizeof(line), "line %u: ", bad[i].line);
		if (read_text(&r, bad[i].text, strlen(bad[i].text), &err, &note) != -1 ||
		    errno != EINVAL || !strstr(err.text, line)) {
			print_message("# row %zu: '%s'\n", i, err.text);
			fail();
		}
		arena_free(&a);
	}
}

static void what_is_no_text_or_not_there_is_refused(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;

	(void)state;
	assert_int_equal(read_text(&r, "variant,value\na\0b,1\n", 20, &err, &note), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(record_read(&r, "/nosuch/file", NULL, STATS_LOWER, &err, &note), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(record_read(&r, "/", NULL, STATS_LOWER, &err, &note), -1);
	assert_int_equal(errno, EISDIR);
	arena_free(&a);
}

static void more_variants_than_there_may_be_are_refused(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;
	char text[1024] = "variant,value\n";

	(void)state;
	for (unsigned int i = 0; i <= VARIANTS_MAX; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "v%u,1\n", i);
	assert_int_equal(read_text(&r, text, strlen(text), &err, &note), -1);
	assert_non_null(strstr(err.text, "line 18: "));
	arena_free(&a);
}

static void csv_is_read_however_it_is_written(void **state)
{
	static const char *const texts[] = {
		"variant,value\na,1.5\nb c,2\n\"q \"\"x\"\", y\",3e0\na,-4\n",
		"VARIANT , Value\r\na , 1.5\r\nb c,2\r\n\r\n\"q \"\"x\"\", y\",3.0\r\na,-4\r\n",
		"\xef\xbb\xbfvariant,value\n\"a\",\"1.5\"\nb c,+2\n\"q \"\"x\"\", y\",3\na,-4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct arena a = UNIT_ARENA;
		struct results r = { .arena = &a };
		struct cli_error err, note;

		assert_int_equal(read_text(&r, texts[i], strlen(texts[i]), &err, &note), 0);
		assert_int_equal(r.nruns, 4);
		assert_int_equal(r.nvariants, 3);
		assert_string_equal(r.variant[0], "a");
		assert_string_equal(r.variant[1], "b c");
		assert_string_equal(r.variant[2], "q \"x\", y");
		assert_true(results_value(&r, &r.runs[0], 0) == 1.5);
		assert_true(results_value(&r, &r.runs[2], 0) == 3);
		assert_true(results_value(&r, &r.runs[3], 0) == -4 && r.runs[3].number == 4);
		assert_string_equal(r.metric[0].name, "value");
		arena_free(&a);
	}
}

static void published_rows_are_read(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;

	(void)state;
	assert_int_equal(record_read(&r, GOLDEN "/mg-D.csv", NULL, STATS_LOWER, &err, &note), 0);
	assert_int_equal(r.nrows, 13);
	assert_int_equal(r.nruns, 0);
	assert_string_equal(r.rows[2].variant, "v5.8");
	assert_true(r.rows[2].min == 96.02 && r.rows[2].max == 197.08 && r.rows[2].mean == 154.70);
	arena_free(&a);
}

/* This file must stay readable for ever. */
static void a_record_of_version_1_is_read(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;
	const struct run *run;

	(void)state;
	assert_int_equal(
	    record_read(&r, GOLDEN "/compare-v1.jsonl", "x:", STATS_LOWER, &err, &note), 0);
	assert_string_equal(note.text, "");
	assert_string_equal(r.host.kernel, "6.12.1");
	assert_string_equal(r.host.mpi, "Hydra 4.0.2");
	assert_string_equal(r.host.governor, "");
	assert_int_equal(r.host.numa_balancing, 1);
	assert_true(r.host.load == 0.25);
	assert_int_equal(r.nvariants, 2);
	assert_string_equal(r.variant[1], "x:evenkeel");
	assert_int_equal(r.nruns, 4);
	assert_true(r.runs[0].warmup && !r.runs[1].warmup);
	run = &r.runs[2];
	assert_true(run->wall_s == 170.25 && run->user_s == 2600.5 && run->system_s == 12.25);
	assert_true(run->switches == 1234 && run->values[0] == 1700.5);
	assert_int_equal(run->placement.ranks, 16);
	assert_int_equal(run->placement.worst, 6);
	assert_int_equal(run->placement.start[0], 10);
	assert_int_equal(run->placement.end[1], 5);
	assert_true(run->placement.remote_share == 0.125 && run->placement.run_delay_s == 3.5);
	assert_int_equal(placement_fullest(&run->placement), 11);
	assert_string_equal(r.runs[3].failed, "exit status 1");
	assert_int_equal(r.runs[3].placement.ranks, 0);
	assert_true(isnan(r.runs[3].values[0]));
	arena_free(&a);
}

static void fill(struct results *r)
{
	static unsigned int counts[] = { 3, 1 };
	struct run *run;

	r->host = (struct host_facts){ .name = "h\xff",
				       .kernel = "6.1",
				       .governor = "",
				       .machine = "",
				       .mpi = "",
				       .mems = "0-1",
				       .time = "t",
				       .numa_balancing = -1,
				       .load = NAN };
	r->metric[0] = (struct results_metric){ "wall", "s", STATS_LOWER };
	r->metric[1] = (struct results_metric){ "r\xe9gex", "", STATS_HIGHER };
	r->nmetrics = 2;
	assert_int_equal(results_variant(r, "plain"), 0);
	assert_int_equal(results_variant(r, "two\nlines \"x\""), 1);
	run = results_add_run(r);
	run->number = 1;
	run->variant = 1;
	run->wall_s = run->values[0] = 1.25;
	run->placement = (struct placement){ .ranks = 4,
					     .nnodes = 2,
					     .start = counts,
					     .end = counts,
					     .worst = 2,
					     .remote_share = NAN,
					     .run_delay_s = 0.5 };
	run = results_add_run(r);
	run->number = 2;
	run->failed = "ended by signal 9";
}

static void what_is_written_is_read_again(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results out = { .arena = &a }, in = { .arena = &a };
	char *const command[] = { (char[]){ "a b" }, (char[]){ "\x80" }, NULL };
	struct cli_error err, note;
	struct record rec;
	char path[128];

	(void)state;
	fill(&out);
	snprintf(path, sizeof(path), "%s/record", folder);
	assert_int_equal(record_create(&rec, path, &err), 0);
	assert_int_equal(record_host(&rec, &out, command, &err), 0);
	for (unsigned int i = 0; i < out.nruns; i++)
		assert_int_equal(record_run(&rec, &out, &out.runs[i], &err), 0);
	assert_int_equal(record_close(&rec, &err), 0);
	assert_int_equal(record_read(&in, path, NULL, STATS_LOWER, &err, &note), 0);
	assert_string_equal(in.host.name, "h?");
	assert_string_equal(in.metric[1].name, "r?gex");
	assert_int_equal(in.metric[1].better, STATS_HIGHER);
	assert_true(in.host.numa_balancing == -1 && isnan(in.host.load));
	assert_int_equal(in.nruns, 2);
	assert_string_equal(in.variant[in.runs[0].variant], "two\nlines \"x\"");
	assert_true(in.runs[0].wall_s == 1.25 && isnan(in.runs[0].values[1]));
	assert_true(in.runs[0].switches == -1 && isnan(in.runs[0].placement.remote_share));
	assert_int_equal(in.runs[0].placement.start[0], 3);
	assert_string_equal(in.runs[1].failed, "ended by signal 9");
	/* A record is never written over. */
	assert_int_equal(record_create(&rec, path, &err), -1);
	assert_non_null(strstr(err.text, path));
	unlink(path);
	arena_free(&a);
}

/* Whichever ran first. */
static void variants_have_the_order_of_the_hosts_line(void **state)
{
	static const char text[] =
	    "{\"evenkeel_compare\":1,\"kind\":\"host\",\"metrics\":[{\"name\":\"x\",\"unit\":\"\","
	    "\"better\":\"lower\"}],\"variants\":[\"b\",\"a\"]}\n" RUN("");
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;

	(void)state;
	assert_int_equal(read_text(&r, text, strlen(text), &err, &note), 0);
	assert_int_equal(r.nvariants, 2);
	assert_string_equal(r.variant[0], "b");
	assert_int_equal(r.runs[0].variant, 1);
	arena_free(&a);
}

/* The last line of a record whose writer was killed. */
static void a_line_cut_short_is_left_out_with_a_word(void **state)
{
	static const char text[] = HOST RUN("") "{\"evenkeel_compare\":1,\"ki";
	struct arena a = UNIT_ARENA;
	struct results r = { .arena = &a };
	struct cli_error err, note;

	(void)state;
	assert_int_equal(read_text(&r, text, strlen(text), &err, &note), 0);
	assert_int_equal(r.nruns, 1);
	assert_non_null(strstr(note.text, "line 3"));
	arena_free(&a);
}

static void a_record_that_cannot_be_written_says_so_once(void **state)
{
	struct arena a = UNIT_ARENA;
	struct results out = { .arena = &a };
	struct cli_error err = { "" };
	struct record rec = { .path = "/dev/full" };

	(void)state;
	rec.fd = open("/dev/full", O_WRONLY);
	if (rec.fd < 0)
		skip();
	fill(&out);
	assert_int_equal(record_run(&rec, &out, &out.runs[0], &err), -1);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_int_equal(rec.fd, -1);
	assert_int_equal(record_run(&rec, &out, &out.runs[0], &err), 0);
	assert_int_equal(record_close(&rec, &err), 0);
	assert_int_equal(record_create(&rec, NULL, &err), 0);
	assert_int_equal(record_run(&rec, &out, &out.runs[0], &err), 0);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
		cmocka_unit_test(what_is_no_text_or_not_there_is_refused),
		cmocka_unit_test(more_variants_than_there_may_be_are_refused),
		cmocka_unit_test(csv_is_read_however_it_is_written),
		cmocka_unit_test(published_rows_are_read),
		cmocka_unit_test(a_record_of_version_1_is_read),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(variants_have_the_order_of_the_hosts_line),
		cmocka_unit_test(a_line_cut_short_is_left_out_with_a_word),
		cmocka_unit_test(a_record_that_cannot_be_written_says_so_once),
	};

	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
