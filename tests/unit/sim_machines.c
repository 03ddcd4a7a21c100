#include "tests/unit/sim_machines.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/machine_text.h"

struct spec {
	unsigned int nodes, cpus, llc; /* of each node, of each cache */
	unsigned int socket;	       /* nodes in one; 0: a ring */
	unsigned int near, far, reclaim;
};

static const struct spec specs[SIM_MACHINES] = {
	[TWO_8] = { 2, 8, 8, 1, 21, 21, 30 },	     [TWO_40] = { 2, 40, 40, 1, 21, 21, 30 },
	[ZEN3_NPS1] = { 2, 128, 16, 1, 32, 32, 32 }, [ZEN3_NPS2] = { 4, 64, 16, 2, 12, 32, 32 },
	[ZEN3_NPS4] = { 8, 32, 16, 4, 12, 32, 32 },  [SPR_SNC4] = { 8, 28, 28, 4, 12, 21, 30 },
	[FOUR_RING] = { 4, 64, 64, 0, 21, 31, 30 },  [EIGHT_32] = { 8, 32, 32, 8, 21, 21, 30 },
};

static unsigned int distance(const struct spec *s, unsigned int i, unsigned int j)
{
	if (i == j)
		return MACHINE_LOCAL_DISTANCE;
	if (!s->socket)
		return (i + j) % 2 ? s->near : s->far;
	return i / s->socket == j / s->socket ? s->near : s->far;
}

static size_t add(char *text, size_t size, size_t len, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	len += (size_t)vsnprintf(text + len, size - len, format, ap);
	va_end(ap);
	assert(len < size);
	return len;
}

void sim_machine_make(struct machine *m, struct arena *a, enum sim_machine which)
{
	const struct spec *s = &specs[which];
	char text[8192];
	size_t len = add(text, sizeof(text), 0, "evenkeel-machine 1\n");
	int got;

	for (unsigned int i = 0; i < s->nodes; i++)
		len = add(text, sizeof(text), len, "node %u cpus %u-%u\n", i, i * s->cpus,
			  (i + 1) * s->cpus - 1);
	for (unsigned int i = 0; i < s->nodes; i++) {
		len = add(text, sizeof(text), len, "distance %u", i);
		for (unsigned int j = 0; j < s->nodes; j++)
			len = add(text, sizeof(text), len, " %u", distance(s, i, j));
		len = add(text, sizeof(text), len, "\n");
	}
	for (unsigned int i = 0; i < s->nodes * s->cpus; i += s->llc)
		len = add(text, sizeof(text), len, "llc %u-%u\n", i, i + s->llc - 1);
	len = add(text, sizeof(text), len, "reclaim-distance %u\n", s->reclaim);
	got = machine_text_read(m, a, text, len, NULL);
	assert(got == 0);
	(void)got;
}
