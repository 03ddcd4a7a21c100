/* hybrid: on which cpus are the threads of MPI ranks?
 *
 * Each rank starts OMP_NUM_THREADS threads, which work together for a while and
 * then note their cpus. Prints JSON: threads per node, and for each rank the cpus
 * of its threads and their nodes. What matters is OMP_PROC_BIND: the OpenMP runtime
 * then pins threads to the cpus of the mask it found when the program started.
 */
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX 64
#define NODES_MAX 64

struct seen {
	int threads;
	int cpu[THREADS_MAX], node[THREADS_MAX];
};

static void work(struct seen *s, double seconds)
{
	s->threads = omp_get_max_threads();
	if (s->threads > THREADS_MAX)
		MPI_Abort(MPI_COMM_WORLD, 1);
#pragma omp parallel
	{
		double end = omp_get_wtime() + seconds;
		unsigned int cpu = 0, node = 0;

		while (omp_get_wtime() < end)
			;
		getcpu(&cpu, &node);
		s->cpu[omp_get_thread_num()] = (int)cpu;
		s->node[omp_get_thread_num()] = (int)node;
	}
}

static void print_list(const int *list, int n)
{
	for (int i = 0; i < n; i++)
		printf("%s%d", i ? ", " : "", list[i]);
}

static void print(const struct seen *all, int ranks)
{
	int per_node[NODES_MAX] = {0}, nodes = 0;

	for (int r = 0; r < ranks; r++)
		for (int t = 0; t < all[r].threads; t++) {
			int node = all[r].node[t] % NODES_MAX;

			per_node[node]++;
			if (node >= nodes)
				nodes = node + 1;
		}
	printf("{\"ranks\": %d, \"moments\": [{\"at\": \"end\", \"ranks_per_node\": [", ranks);
	print_list(per_node, nodes);
	printf("]}], \"threads\": [");
	for (int r = 0; r < ranks; r++) {
		printf("%s{\"cpus\": [", r ? ", " : "");
		print_list(all[r].cpu, all[r].threads);
		printf("], \"nodes\": [");
		print_list(all[r].node, all[r].threads);
		printf("]}");
	}
	puts("]}");
}

int main(int argc, char **argv)
{
	struct seen mine, *all = NULL;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Barrier(MPI_COMM_WORLD);
	work(&mine, argc > 1 ? atof(argv[1]) : 0.05);
	if (rank == 0 && !(all = malloc((size_t)ranks * sizeof(*all))))
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Gather(&mine, sizeof(mine), MPI_CHAR, all, sizeof(mine), MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0)
		print(all, ranks);
	free(all);
	MPI_Finalize();
	return 0;
}
