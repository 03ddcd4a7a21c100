/* hello: each rank says its number, the cpu it is on and its affinity. */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	unsigned int cpu = 0, node = 0;
	char host[MPI_MAX_PROCESSOR_NAME];
	cpu_set_t set;
	int rank, ranks, len;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Get_processor_name(host, &len);
	getcpu(&cpu, &node);
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		CPU_ZERO(&set);
	printf("hello from rank %d of %d on %s, cpu %u, %d cpus allowed\n", rank, ranks, host, cpu,
	       CPU_COUNT(&set));
	MPI_Finalize();
	return 0;
}
