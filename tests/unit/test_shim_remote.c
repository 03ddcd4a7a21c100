/* The commands that start proxies on other hosts, as they are rewritten; and what
 * shells make of them. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/remote.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define WORDS 40
#define PROXY "\"/usr/bin/hydra_pmi_proxy\""
#define ARGS "--control-port", "vm:40909", "--rmk", "user", "--launcher", "ssh"

static char folder[] = "/tmp/evenkeel-remote-XXXXXX";

static char *no_vars[] = { NULL };
static const struct remote_us plain_us = { "/opt/ek/libevenkeel.so", no_vars, false, false };

/* --- files ------------------------------------------------------------------- */

/* A program of that name and text in the folder; the name is the arena's. */
static char *make_file(struct arena *a, const char *name, const char *text)
{
	char *path = arena_alloc(a, 256);
	FILE *f;

	snprintf(path, 256, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* --- the command ------------------------------------------------------------- */

static unsigned int count(char *const *argv)
{
	unsigned int n = 0;

	while (argv[n])
		n++;
	return n;
}

static enum remote_why rewrite(struct remote *r, struct arena *a, const char *file,
			       const char *const *argv, const struct remote_us *us)
{
	static char path[] = "PATH=/usr/bin:/bin";
	char *envp[] = { path, NULL };

	remote_rewrite(r, a, file, (char *const *)argv, envp, us);
	return r->why;
}

/* All words of argv are in r's command, in order, but for a stub of n words in front of
 * word at. */
static void check_rest(const struct remote *r, const char *const *argv, unsigned int at)
{
	unsigned int words = count((char *const *)argv), n;

	assert_non_null(r->argv);
	n = count(r->argv) - words;
	for (unsigned int i = 0; i < words; i++)
		assert_ptr_equal(r->argv[i < at ? i : i + n], argv[i]);
	assert_string_equal(r->argv[at], "/bin/sh");
	assert_string_equal(r->argv[at + 1], "-c");
	assert_string_equal(r->argv[at + 3], "env");
}

static const char *const v402[] = { "ssh", "-x", "otherhost", PROXY, ARGS, "--launcher-exec",
	"/home/u/my ssh", "--demux", "poll", "--pgid", "0", "--retries", "10", "--usize", "-2",
	"--pmi-port", "0", "--gpus-per-proc", "-2", "--proxy-id", "0", NULL };
static const char *const v421[] = { "ssh", "-x", "u@otherhost", PROXY, ARGS, "--usize", "-2",
	"--gpu-subdevs-per-proc", "-2", "--proxy-id", "1", NULL };
static const char *const v502[] = { "ssh", "-X", "-p", "2222", "h2", PROXY, ARGS, "--usize", "-1",
	"--gpu-subdevs-per-proc", "-2", "--proxy-id", "1", NULL };
static const char *const rsh[] = { "rsh", "h2", "\"/opt/my mpi/bin/hydra_pmi_proxy\"", ARGS, NULL };

static void what_each_hydra_executes_gets_a_stub_and_nothing_else(void **state)
{
	static const struct {
		const char *const *argv;
		unsigned int proxy;
		const char *host;
	} rows[] = { { v402, 3, "otherhost" }, { v421, 3, "u@otherhost" }, { v502, 5, "h2" },
		     { rsh, 2, "h2" } };
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *file = make_file(&a, rows[i].argv[0], "\177ELF");

		assert_int_equal(rewrite(&r, &a, file, rows[i].argv, &plain_us), REMOTE_DONE);
		assert_string_equal(r.host, rows[i].host);
		check_rest(&r, rows[i].argv, rows[i].proxy);
		assert_int_equal(r.argv[rows[i].proxy + 2][0], '\'');
	}
	arena_free(&a);
}

static void srun_gets_it_without_quotes(void **state)
{
	static const char *const argv[] = { "srun", "-N", "2", "-n", "2", "--input", "none",
		"/usr/bin/hydra_pmi_proxy", ARGS, "--proxy-id", "-1", NULL };
	static char machine[] = "EVENKEEL_MACHINE=a 'b'\n!";
	char *vars[] = { machine, NULL };
	struct remote_us us = { "/opt/ek/libevenkeel.so", vars, true, false };
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	assert_int_equal(rewrite(&r, &a, make_file(&a, "srun", "\177ELF"), argv, &us), REMOTE_DONE);
	assert_null(r.host);
	check_rest(&r, argv, 7);
	assert_int_equal(r.argv[9][0], ':');
	assert_string_equal(r.argv[11], machine);
	arena_free(&a);
}

static void a_command_that_is_not_known_stays_as_it_is(void **state)
{
	static const struct {
		const char *argv[10];
		enum remote_why why;
	} rows[] = {
		{ { NULL }, REMOTE_NO_PROXY },
		{ { "ssh" }, REMOTE_NO_PROXY },
		{ { "ssh", "h2", "/bin/true" }, REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", "" }, REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", "\"" }, REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", "\"\"" }, REMOTE_NO_PROXY },
		{ { PROXY, "--control-port", "vm:1" }, REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", "\"/usr/bin/hydra_pmi_proxy", "--control-port" },
		  REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", "\"/usr/bin/hydra_pmi_proxy2\"", "--control-port" },
		  REMOTE_NO_PROXY },
		{ { "ssh", "-x", "h2", PROXY }, REMOTE_LAYOUT },
		{ { "ssh", "-x", "h2", PROXY, "--upstream-host", "a" }, REMOTE_LAYOUT },
		{ { "ssh", "-x", "h2", PROXY, PROXY, "--control-port" }, REMOTE_LAYOUT },
		{ { "ssh", "-x", "h2", "sh", "-c", PROXY, "--control-port", PROXY }, REMOTE_LAYOUT },
		{ { "ssh", "-x", "h2", "/usr/bin/hydra_pmi_proxy", "--control-port" },
		  REMOTE_LAYOUT },
	};
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		enum remote_why why = rewrite(&r, &a, make_file(&a, "ssh", "\177ELF"),
					      rows[i].argv, &plain_us);

		if (why != rows[i].why)
			fail_msg("row %zu: %s", i, remote_text(why));
		assert_null(r.argv);
	}
	arena_free(&a);
}

static void a_program_that_is_not_known_starts_what_it_was_given(void **state)
{
	static const char *const names[] = { "blaunch", "qrsh", "sshx", "xssh", "pdsh", "ssh.real",
					     "lsrun" };
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		assert_int_equal(rewrite(&r, &a, make_file(&a, names[i], "\177ELF"), v402,
					 &plain_us),
				 REMOTE_PROGRAM);
	assert_int_equal(rewrite(&r, &a, "/nosuch/ssh", v402, &plain_us), REMOTE_PROGRAM);
	assert_int_equal(rewrite(&r, &a, folder, v402, &plain_us), REMOTE_PROGRAM);
	assert_int_equal(rewrite(&r, &a, "", v402, &plain_us), REMOTE_PROGRAM);
	arena_free(&a);
}

/* The text of a wrapper that is called as ssh, and whether its command is read by one
 * shell for certain. */
static void wrappers_that_call_one_shell_are_understood(void **state)
{
	static const struct {
		const char *text;
		enum remote_why why;
	} rows[] = {
		{ "#!/bin/sh\nexec ssh \"$@\"\n", REMOTE_DONE },
		{ "#!/bin/sh\nexec /usr/bin/ssh -F /home/u/.ssh/config \"$@\"\n", REMOTE_DONE },
		{ "#!/bin/sh\n# our ssh, which is ssh\nexec ssh -o BatchMode=yes \"$@\"\n",
		  REMOTE_DONE },
		{ "#!/bin/sh\n  # ssh\nSSH=/usr/bin/ssh\nexec $SSH -i ~/.ssh/id_rsa \"$@\"",
		  REMOTE_DONE },
		{ "#!/bin/bash\nshift 2\nexec env -i HOME=$HOME bash -c \"$*\"\n", REMOTE_DONE },
		{ "#!/bin/bash\nexec bash -lc \"$*\"\n", REMOTE_DONE },
		{ "#!/usr/bin/python3\nimport os, sys\nos.execvp('ssh', ['-q'] + sys.argv[1:])\n",
		  REMOTE_PROGRAM },
		{ "#!/bin/csh -f\nexec ssh $argv\n", REMOTE_PROGRAM },
		{ "#!/usr/bin/perl\nexec(\"ssh @ARGV\");\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nhost=$2; shift 2; shift\nexec ssh $host /opt/pm \"$@\"\n",
		  REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec ssh \"$2\" \"$3\" \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec ssh \"${@:2}\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nfor a in \"$@\"; do ssh $a; done\n", REMOTE_PROGRAM },
		{ "#!/usr/bin/env bash\nset -e\n[ \"$1\" != -x ] || shift\nhost=$1; shift\n"
		  "exec ssh \"$host\" ${1+\"$@\"}\n", REMOTE_PROGRAM },
		{ "#!/usr/bin/env bash\nset -e\n[ \"$1\" != -x ] || shift\nhost=$1; shift\n"
		  "exec ssh \"$host\" \"$@\"\n", REMOTE_DONE },
		{ "#!/bin/sh\nexec rsh \"$@\"\n", REMOTE_DONE },
		{ "#!/bin/sh\n", REMOTE_PROGRAM },
		{ "#!", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec ssh gateway ssh \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\n[ $# = 3 ] && exec ssh gateway ssh \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\necho x # y\nexec /usr/bin/ssh gw /usr/bin/ssh \"$@\"\n",
		  REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec sh -c \"ssh $*\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec sh -xc \"ssh $*\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec sh -cx \"ssh $*\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\neval \"ssh $*\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nsudo ssh \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nssh \"$1\" docker exec box \"$@\"\n", REMOTE_PROGRAM },
		{ "#!/usr/bin/python3\nimport os\nos.system('ssh')\n", REMOTE_PROGRAM },
		{ "#!/bin/sh\nexec srun \"$@\"\n", REMOTE_LAYOUT },
		{ "#!/bin/sh\nssh-add\nexec my_ssh \"$@\"\n", REMOTE_PROGRAM },
	};
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		enum remote_why why =
			rewrite(&r, &a, make_file(&a, "ssh", rows[i].text), v402, &plain_us);

		if (why != rows[i].why)
			fail_msg("'%s': %s", rows[i].text, remote_text(why));
	}
	arena_free(&a);
}

static void what_a_shell_may_read_is_not_carried(void **state)
{
	static const char *const paths[] = { "/opt/$LIB/libevenkeel.so", "/o'k/libevenkeel.so",
		"/a b/libevenkeel.so", "/a;b/libevenkeel.so", "/a\"b/libevenkeel.so",
		"/a`b/libevenkeel.so", "/a\\b/libevenkeel.so", "/a!b/libevenkeel.so",
		"~/libevenkeel.so", "/\303\244/libevenkeel.so", "/a\nb/libevenkeel.so" };
	static char values[][32] = { "EVENKEEL_CONF=/a!b", "EVENKEEL_CONF=a\\b", "EVENKEEL_CONF=a\nb",
				     "EVENKEEL_CONF=\t", "EVENKEEL_CONF=\303\244",
				     "EVENKEEL_CONF=\177" };
	struct arena a = UNIT_ARENA;
	const char *ssh;
	struct remote r;

	(void)state;
	ssh = make_file(&a, "ssh", "\177ELF");
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct remote_us us = { paths[i], no_vars, false, false };

		assert_int_equal(rewrite(&r, &a, ssh, v402, &us), REMOTE_LIBRARY);
	}
	for (size_t i = 0; i < COUNT(values); i++) {
		char *vars[] = { values[i], NULL };
		struct remote_us us = { "/opt/libevenkeel.so", vars, false, false };

		assert_int_equal(rewrite(&r, &a, ssh, v402, &us), REMOTE_VARIABLE);
	}
	arena_free(&a);
}

static void switched_off_a_command_is_not_looked_into(void **state)
{
	struct remote_us us = { "/opt/libevenkeel.so", no_vars, false, true };
	const char *other[] = { "ssh", "h1", "true", NULL };
	struct arena a = UNIT_ARENA;
	struct remote r;

	(void)state;
	/* No such file: opening it would say that its program is not known. */
	assert_int_equal(rewrite(&r, &a, "/not/there/ssh", v402, &us), REMOTE_OFF);
	assert_null(r.argv);
	assert_int_equal(rewrite(&r, &a, "/not/there/ssh", other, &us), REMOTE_NO_PROXY);
	us.off = false;
	assert_int_equal(rewrite(&r, &a, "/not/there/ssh", v402, &us), REMOTE_PROGRAM);
	arena_free(&a);
}

static void what_is_too_long_stays_as_it_is(void **state)
{
	static char value[REMOTE_WORD_MAX + 1], filler[REMOTE_COMMAND_MAX];
	char *one[] = { value, NULL }, *many[12];
	struct remote_us us = { "/opt/libevenkeel.so", one, true, false };
	const char *argv[] = { "ssh", filler, PROXY, ARGS, NULL };
	struct arena a = UNIT_ARENA;
	const char *ssh;
	struct remote r;

	(void)state;
	ssh = make_file(&a, "ssh", "\177ELF");
	memset(value, 'x', REMOTE_WORD_MAX - 2);
	assert_int_equal(rewrite(&r, &a, ssh, v402, &us), REMOTE_DONE);
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = i + 1 < COUNT(many) ? value : NULL;
	us.vars = many;
	assert_int_equal(rewrite(&r, &a, ssh, v402, &us), REMOTE_LONG);
	us.vars = one;
	value[REMOTE_WORD_MAX - 2] = 'x';
	assert_int_equal(rewrite(&r, &a, ssh, v402, &us), REMOTE_LONG);
	memset(filler, 'x', sizeof(filler) - 1);
	assert_int_equal(rewrite(&r, &a, ssh, argv, &plain_us), REMOTE_LONG);
	arena_free(&a);
}

static void *no_memory(size_t size)
{
	(void)size;
	return NULL;
}

static void without_memory_a_command_stays_as_it_is(void **state)
{
	struct arena a = UNIT_ARENA, none = { .get = no_memory, .put = free };
	struct remote r;

	(void)state;
	assert_int_equal(rewrite(&r, &none, make_file(&a, "ssh", "\177ELF"), v402, &plain_us),
			 REMOTE_MEMORY);
	assert_null(r.argv);
	arena_free(&a);
}

/* --- what shells make of it --------------------------------------------------- */

/* Prints its arguments, and the variables that matter, as it was given them. */
static const char proxy_text[] = "#!/bin/sh\n"
				 "printf '<%s>' \"$@\"\n"
				 "env | grep -e ^EVENKEEL -e ^LD_PRELOAD -e ^evenkeel -e ^KEPT | "
				 "LC_ALL=C sort\n"
				 "exit 7\n";

/* Runs what ssh would hand to the other host's shell: the words from at on, joined.
 * output gets stdout and stderr. */
static int run(const char *const *shell, char *const *argv, unsigned int at, char *output,
	       size_t size)
{
	static char path[] = "PATH=/usr/bin:/bin", home[] = "HOME=/nosuch",
		    kept[] = "KEPT=a  b", preload[] = "LD_PRELOAD=";
	char *envp[] = { path, home, kept, preload, NULL };
	char line[REMOTE_COMMAND_MAX] = "", file[256];
	const char *words[] = { shell[0], shell[1], line, NULL };
	int status, fd;
	ssize_t n;
	pid_t pid;

	for (; argv[at]; at++) {
		strcat(line, argv[at]);
		strcat(line, argv[at + 1] ? " " : "");
	}
	snprintf(file, sizeof(file), "%s/output", folder);
	fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd, 1);
		dup2(fd, 2);
		execve(shell[0], (char *const *)words, envp);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fd, output, size - 1, 0);
	close(fd);
	output[n > 0 ? n : 0] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *const shells[][2] = {
	{ "/bin/sh", "-c" },	   { "/bin/dash", "-c" },      { "/bin/bash", "-c" },
	{ "/usr/bin/tcsh", "-fc" }, { "/usr/bin/bsd-csh", "-fc" }, { "/usr/bin/zsh", "-c" },
	{ "/usr/bin/fish", "-c" },  { "/usr/bin/ksh", "-c" },
};

static char nasty_vars[][80] = {
	"EVENKEEL_A=",
	"EVENKEEL_B=a  b",
	"EVENKEEL_C=it's 'quoted' \"twice\"",
	"EVENKEEL_D=$HOME ${HOME} $(id) `id` $$ $",
	"EVENKEEL_E=a;b&c|d<e>f(g)h{i}j[k]*?~#",
	"EVENKEEL_F=''",
	"EVENKEEL_G=%^,+@:=-_/.",
	"EVENKEEL=on",
};

/* Every shell that is here runs the proxy in both forms; the rewritten one says what is
 * wanted on top. */
static void check_shells(const struct remote_us *us, const char *more)
{
	struct arena a = UNIT_ARENA;
	char quoted[256], plain[4096], ours[4096], wanted[8192];
	const char *argv[] = { "ssh", "-x", "h2", quoted, "--control-port", "vm:1", "--empty",
			       "--x=a,b%c", NULL };
	struct remote r;

	snprintf(quoted, sizeof(quoted), "%s/a  b", folder);
	mkdir(quoted, 0700);
	make_file(&a, "a  b/hydra_pmi_proxy", proxy_text);
	snprintf(quoted, sizeof(quoted), "\"%s/a  b/hydra_pmi_proxy\"", folder);
	assert_int_equal(rewrite(&r, &a, make_file(&a, "ssh", "\177ELF"), argv, us), REMOTE_DONE);
	for (size_t i = 0; i < COUNT(shells); i++) {
		if (access(shells[i][0], X_OK) < 0)
			continue;
		assert_int_equal(run(shells[i], (char *const *)argv, 3, plain, sizeof(plain)), 7);
		assert_int_equal(run(shells[i], r.argv, 3, ours, sizeof(ours)), 7);
		assert_non_null(strstr(plain, "<--control-port><vm:1><--empty><--x=a,b%c>"));
		if (more) {
			char *end = strstr(plain, "KEPT=");

			assert_non_null(end);
			*end = '\0';
			snprintf(wanted, sizeof(wanted), "%s%s", plain, more);
		} else {
			snprintf(wanted, sizeof(wanted), "%s", plain);
		}
		if (strcmp(ours, wanted) != 0)
			fail_msg("%s: got\n%s\nwanted\n%s", shells[i][0], ours, wanted);
	}
	arena_free(&a);
}

/* A library that is loaded here already, so that one more shell can load it. */
static void find_libc(char *path)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(maps);
	*path = '\0';
	while (!*path && fgets(line, sizeof(line), maps))
		if (strstr(line, "libc.so.6"))
			sscanf(strchr(line, '/'), "%255s", path);
	fclose(maps);
	if (!*path)
		skip();
}

static void where_the_library_is_the_proxy_has_it_and_the_variables(void **state)
{
	char *vars[COUNT(nasty_vars) + 1] = { NULL }, libc[256], more[1024] = "";
	struct remote_us us = { libc, vars, true, false };

	(void)state;
	find_libc(libc);
	for (size_t i = 0; i < COUNT(nasty_vars); i++)
		vars[i] = nasty_vars[i];
	strcat(more, "EVENKEEL=on\n");
	for (size_t i = 0; i + 1 < COUNT(nasty_vars); i++) {
		strcat(more, nasty_vars[i]);
		strcat(more, "\n");
	}
	strcat(more, "KEPT=a  b\nLD_PRELOAD=");
	strcat(more, libc);
	strcat(more, "\n");
	check_shells(&us, more);
}

static void where_it_cannot_be_loaded_the_proxy_starts_as_it_was(void **state)
{
	char *vars[COUNT(nasty_vars) + 1] = { NULL }, path[256];
	struct remote_us us = { path, vars, false, false };
	struct arena a = UNIT_ARENA;

	(void)state;
	for (size_t i = 0; i < COUNT(nasty_vars); i++)
		vars[i] = nasty_vars[i];
	snprintf(path, sizeof(path), "%s/nosuch.so", folder);
	check_shells(&us, NULL);
	make_file(&a, "text.so", "this is no library\n");
	snprintf(path, sizeof(path), "%s/text.so", folder);
	check_shells(&us, NULL);
	us.vars = no_vars;
	check_shells(&us, NULL);
	arena_free(&a);
}

static void the_stub_names_the_host_when_it_is_to(void **state)
{
	static const char *const argv[] = { "ssh", "-x", "h2", PROXY, ARGS, NULL };
	char path[256], output[4096], host[64], wanted[512];
	struct remote_us us = { path, no_vars, true, false };
	struct arena a = UNIT_ARENA;
	const char *ssh;
	struct remote r;

	(void)state;
	gethostname(host, sizeof(host));
	ssh = make_file(&a, "ssh", "\177ELF");
	snprintf(path, sizeof(path), "%s/nosuch.so", folder);
	assert_int_equal(rewrite(&r, &a, ssh, argv, &us), REMOTE_DONE);
	/* No such option: the proxy ends at once. */
	r.argv[count(r.argv) - 1] = NULL;
	run(shells[0], r.argv, 3, output, sizeof(output));
	snprintf(wanted, sizeof(wanted), "]: %s: not active: %s is not there\n", host, path);
	assert_non_null(strstr(output, wanted));
	snprintf(path, sizeof(path), "%s/text.so", folder);
	make_file(&a, "text.so", "this is no library\n");
	assert_int_equal(rewrite(&r, &a, ssh, argv, &us), REMOTE_DONE);
	run(shells[0], r.argv, 3, output, sizeof(output));
	snprintf(wanted, sizeof(wanted), "]: %s: not active: %s cannot be loaded\n", host, path);
	assert_non_null(strstr(output, wanted));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_each_hydra_executes_gets_a_stub_and_nothing_else),
		cmocka_unit_test(srun_gets_it_without_quotes),
		cmocka_unit_test(a_command_that_is_not_known_stays_as_it_is),
		cmocka_unit_test(a_program_that_is_not_known_starts_what_it_was_given),
		cmocka_unit_test(wrappers_that_call_one_shell_are_understood),
		cmocka_unit_test(what_a_shell_may_read_is_not_carried),
		cmocka_unit_test(switched_off_a_command_is_not_looked_into),
		cmocka_unit_test(what_is_too_long_stays_as_it_is),
		cmocka_unit_test(without_memory_a_command_stays_as_it_is),
		cmocka_unit_test(where_the_library_is_the_proxy_has_it_and_the_variables),
		cmocka_unit_test(where_it_cannot_be_loaded_the_proxy_starts_as_it_was),
		cmocka_unit_test(the_stub_names_the_host_when_it_is_to),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
