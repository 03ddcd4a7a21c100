#include "shim/memory.h"

#include <linux/mempolicy.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void memory_set(enum options_mem mem, struct arena *a, const struct machine *m,
		const struct cpus *nodes)
{
	struct cpus os;
	int mode = mem == OPTIONS_MEM_BIND ? MPOL_BIND : MPOL_INTERLEAVE;

	if (mem == OPTIONS_MEM_UNSET)
		return;
	if (mem == OPTIONS_MEM_LOCAL) {
		syscall(SYS_set_mempolicy, MPOL_LOCAL, NULL, 0ul);
		return;
	}
	if (cpus_init(&os, a, MACHINE_NODES_MAX) < 0)
		return;
	cpus_for_each(node, nodes)
		if (m->nodes[node].memory)
			cpus_add(&os, m->nodes[node].os);
	/* The kernel takes one bit less than it is told. */
	if (!cpus_empty(&os))
		syscall(SYS_set_mempolicy, mode, os.bits, (unsigned long)os.nbits + 1);
}

void memory_save(struct memory_policy *p, enum options_mem mem)
{
	p->known = mem != OPTIONS_MEM_UNSET &&
		   syscall(SYS_get_mempolicy, &p->mode, p->nodes, MACHINE_NODES_MAX + 1ul, NULL,
			   0ul) == 0;
}

void memory_restore(const struct memory_policy *p)
{
	if (p->known)
		syscall(SYS_set_mempolicy, p->mode, p->nodes, MACHINE_NODES_MAX + 1ul);
}
