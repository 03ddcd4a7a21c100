#include "core/machine_text.h"

#include "core/outbuf.h"

/* The list of usable cpus whose entry in of is first. */
static void put_sharing(struct outbuf *o, const struct machine *m, const unsigned int *of,
			unsigned int first)
{
	for (unsigned int n = first; n < m->ncpus; n++) {
		unsigned int last = n;

		if (of[n] != first)
			continue;
		while (last + 1 < m->ncpus && of[last + 1] == first)
			last++;
		if (n != first)
			outbuf_text(o, ",");
		outbuf_number(o, n);
		if (last > n) {
			outbuf_text(o, "-");
			outbuf_number(o, last);
		}
		n = last;
	}
}

static void put_nodes(struct outbuf *o, const struct machine *m)
{
	static const char *const why[] = {
		[MACHINE_LEFT_OUT_UNSET] = " no-cpus\n",
		[MACHINE_LEFT_OUT_NO_CPUS] = " no-cpus\n",
		[MACHINE_LEFT_OUT_UNUSABLE] = " unusable\n",
		[MACHINE_LEFT_OUT_SHARED_CPUS] = " shared-cpus\n",
	};

	for (unsigned int i = 0; i < m->nnodes; i++) {
		outbuf_text(o, "node ");
		outbuf_number(o, m->nodes[i].os);
		outbuf_text(o, " cpus ");
		outbuf_cpus(o, &m->nodes[i].cpus);
		outbuf_text(o, m->nodes[i].memory ? "\n" : " no-memory\n");
	}
	for (unsigned int i = 0; i < m->nleft_out; i++) {
		outbuf_text(o, "left-out ");
		outbuf_number(o, m->left_out[i].os);
		outbuf_text(o, why[m->left_out[i].why]);
	}
	for (unsigned int i = 0; i < m->nnodes; i++) {
		outbuf_text(o, "distance ");
		outbuf_number(o, m->nodes[i].os);
		for (unsigned int j = 0; j < m->nnodes; j++) {
			outbuf_text(o, " ");
			outbuf_number(o, machine_distance(m, i, j));
		}
		outbuf_text(o, "\n");
	}
}

/* A cpu alone in its core needs no line; alone in its LLC it does. */
static bool shared(const struct machine *m, const unsigned int *of, unsigned int first)
{
	for (unsigned int n = first + 1; n < m->ncpus; n++)
		if (of[n] == first)
			return true;
	return false;
}

static void put_number_line(struct outbuf *o, const char *name, unsigned int n)
{
	outbuf_text(o, name);
	outbuf_number(o, n);
	outbuf_text(o, "\n");
}

size_t machine_text_write(const struct machine *m, char *buf, size_t size)
{
	struct outbuf o = { buf, size, 0 };

	put_number_line(&o, MACHINE_TEXT_HEADER " ", MACHINE_TEXT_VERSION);
	put_nodes(&o, m);
	for (unsigned int n = 0; n < m->ncpus; n++)
		if (m->llc_of[n] == n) {
			outbuf_text(&o, "llc ");
			put_sharing(&o, m, m->llc_of, n);
			outbuf_text(&o, "\n");
		}
	for (unsigned int n = 0; n < m->ncpus; n++)
		if (m->core_of[n] == n && shared(m, m->core_of, n)) {
			outbuf_text(&o, "core ");
			put_sharing(&o, m, m->core_of, n);
			outbuf_text(&o, "\n");
		}
	if (!cpus_empty(&m->isolated)) {
		outbuf_text(&o, "isolated ");
		outbuf_cpus(&o, &m->isolated);
		outbuf_text(&o, "\n");
	}
	put_number_line(&o, "reclaim-distance ", m->reclaim_distance);
	if (m->quota)
		put_number_line(&o, "quota ", m->quota);
	outbuf_end(&o);
	return o.len;
}
