/* spawner: where are ranks that a rank spawns, and those that it was started with?
 *
 *   spawner CHILDREN SECONDS
 *
 * A rank of a job that asks its process manager for CHILDREN more by PMI-1 itself,
 * as MPI_Comm_spawn would: that is broken in MPICH 4.0.2, Hydra's part of it is not.
 * All of them meet, work together, and note their cpu in a file each; the one that
 * asked prints JSON of all.
 */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER "/tmp/spawner"
#define RANKS_MAX 64
#define NODES_MAX 64

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Says text to the process manager, and waits for the line that starts with
 * answer. */
static void talk(int fd, const char *text, const char *answer)
{
	char got[4096];
	size_t len = 0;

	if (write(fd, text, strlen(text)) < 0)
		die("PMI_FD");
	while (len + 1 < sizeof(got) && (!len || got[len - 1] != '\n')) {
		ssize_t n = read(fd, got + len, sizeof(got) - 1 - len);

		if (n <= 0)
			die("the process manager");
		len += (size_t)n;
	}
	got[len] = '\0';
	if (strncmp(got, answer, strlen(answer)) || strstr(got, "rc=-")) {
		fprintf(stderr, "spawner: %s", got);
		exit(1);
	}
}

static void spawn(int fd, const char *self, int children, const char *seconds)
{
	char text[4096];

	snprintf(text, sizeof(text),
		 "mcmd=spawn\nnprocs=%d\nexecname=%s\ntotspawns=1\nspawnssofar=1\nargcnt=2\n"
		 "arg1=0\narg2=%s\npreput_num=0\ninfo_num=0\nendcmd\n",
		 children, self, seconds);
	talk(fd, text, "cmd=spawn_result");
}

/* Files of FOLDER whose names start with kind. */
static int count(const char *kind)
{
	DIR *dir = opendir(FOLDER);
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		n += !strncmp(e->d_name, kind, strlen(kind));
	if (dir)
		closedir(dir);
	return n;
}

/* Spins until there are n of a kind, as ranks do that wait for each other. */
static void meet(const char *kind, int n)
{
	double bound = now() + 30;

	while (count(kind) < n && now() < bound)
		;
}

static void leave(const char *kind, const char *text)
{
	char path[128], temporary[128];
	FILE *f;

	snprintf(path, sizeof(path), FOLDER "/%s%d", kind, (int)getpid());
	snprintf(temporary, sizeof(temporary), FOLDER "/.%s%d", kind, (int)getpid());
	f = fopen(temporary, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) || rename(temporary, path) < 0)
		die(path);
}

/* What all have left, as JSON. */
static void print(void)
{
	int per_node[NODES_MAX] = {0}, cpus[RANKS_MAX], n = 0, nodes = 0, node;
	DIR *dir = opendir(FOLDER);
	struct dirent *e;

	while (dir && (e = readdir(dir)) && n < RANKS_MAX) {
		char path[300];
		FILE *f;

		snprintf(path, sizeof(path), FOLDER "/%s", e->d_name);
		f = strncmp(e->d_name, "done", 4) ? NULL : fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%d %d", &cpus[n], &node) == 2 && node >= 0 && node < NODES_MAX) {
			per_node[node]++;
			nodes = node >= nodes ? node + 1 : nodes;
			n++;
		}
		fclose(f);
	}
	if (dir)
		closedir(dir);
	printf("{\"ranks\": %d, \"moments\": [{\"at\": \"end\", \"ranks_per_node\": [", n);
	for (int i = 0; i < nodes; i++)
		printf("%s%d", i ? ", " : "", per_node[i]);
	printf("]}], \"cpus\": [");
	for (int i = 0; i < n; i++)
		printf("%s%d", i ? ", " : "", cpus[i]);
	puts("]}");
}

int main(int argc, char **argv)
{
	const char *pmi = getenv("PMI_FD"), *rank = getenv("PMI_RANK"), *size = getenv("PMI_SIZE");
	int children = argc == 3 ? atoi(argv[1]) : -1, fd = pmi ? atoi(pmi) : -1, all;
	unsigned int cpu = 0, node = 0;
	char text[64];
	double end;

	if (children < 0 || fd < 0 || !rank || !size) {
		fputs("Usage: mpiexec -n N spawner CHILDREN SECONDS\n", stderr);
		return 2;
	}
	mkdir(FOLDER, 0755);
	talk(fd, "cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init");
	if (children && !strcmp(rank, "0"))
		spawn(fd, argv[0], children, argv[2]);
	/* Parents and children are as many in the lab; children know of none. */
	all = atoi(size) + (children ? children : atoi(size));
	leave("here", "");
	meet("here", all);
	for (end = now() + atof(argv[2]); now() < end;)
		;
	getcpu(&cpu, &node);
	snprintf(text, sizeof(text), "%u %u\n", cpu, node);
	leave("done", text);
	meet("done", all);
	if (children && !strcmp(rank, "0"))
		print();
	talk(fd, "cmd=finalize\n", "cmd=finalize_ack");
	return 0;
}
