#include "core/machine_text.h"

#include <errno.h>
#include <string.h>

#include "core/outbuf.h"

/* A piece of the text; not terminated. */
struct word {
	const char *s;
	size_t len;
};

struct parser {
	const char *text, *end;
	bool lines; /* the text has real newlines */
	unsigned int line;
	struct machine_text_error *err;
	/* Known after the first pass. */
	unsigned int nnodes, nleft_out, ncpus;
	/* Filled by the second (what cpus there are) and the third (the rest). */
	struct machine_raw raw;
	struct machine_node *nodes; /* sorted by OS index after the second pass */
	struct machine_left_out *left_out;
	unsigned int *distances;
	unsigned int nrows;
	unsigned int *core_of, *llc_of;
	struct cpus named; /* in a node or isolated */
	struct cpus list;  /* scratch */
};

/* What was seen may be anything: only its printable start is shown. */
static void put_word(struct outbuf *o, struct word w)
{
	if (w.len == 0) {
		outbuf_text(o, "nothing");
		return;
	}
	outbuf_text(o, "'");
	for (size_t i = 0; i < w.len && i < 24; i++)
		outbuf_put(o, w.s[i] >= ' ' && w.s[i] <= '~' ? &w.s[i] : "?", 1);
	outbuf_text(o, w.len > 24 ? "...'" : "'");
}

/* --- refusing ------------------------------------------------------------- */

/* "what 'seen' wanted" at the current line, or line 0 when that is over. */
static int refuse(struct parser *p, const char *what, struct word seen, const char *wanted)
{
	if (p->err) {
		struct outbuf o = { p->err->text, sizeof(p->err->text), 0 };

		p->err->line = p->line;
		outbuf_text(&o, what);
		if (seen.s) {
			outbuf_text(&o, *what ? " " : "");
			put_word(&o, seen);
		}
		outbuf_text(&o, wanted);
		outbuf_end(&o);
	}
	errno = EINVAL;
	return -1;
}

static int refuse_number(struct parser *p, const char *what, unsigned int n, const char *wanted)
{
	char digits[12];
	struct outbuf o = { digits, sizeof(digits), 0 };

	outbuf_number(&o, n);
	return refuse(p, what, (struct word){ digits, o.len }, wanted);
}

/* --- words ---------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool word_is(struct word w, const char *s)
{
	return w.len == strlen(s) && memcmp(w.s, s, w.len) == 0;
}

/* The next word before *s reaches end; len 0 when there is none. */
static struct word next_word(const char **s, const char *end)
{
	struct word w;

	while (*s < end && blank(**s))
		++*s;
	w.s = *s;
	while (*s < end && !blank(**s))
		++*s;
	w.len = (size_t)(*s - w.s);
	return w;
}

/* A number in min..max and nothing else. */
static bool word_number(struct word w, unsigned int min, unsigned int max, unsigned int *n)
{
	unsigned long v = 0;

	for (size_t i = 0; i < w.len; i++) {
		if (w.s[i] < '0' || w.s[i] > '9')
			return false;
		v = v * 10 + (unsigned long)(w.s[i] - '0');
		if (v > max)
			return false;
	}
	*n = (unsigned int)v;
	return w.len > 0 && v >= min;
}

/* Cuts the statement that starts at *s off the text: it ends before a newline,
 * a ';' or a comment. *s is then at the start of the next line. */
static struct word next_statement(const struct parser *p, const char **s)
{
	struct word w = { *s, 0 };
	const char *c = *s;

	while (c < p->end && *c != '\n' && *c != ';' && *c != '#')
		c++;
	w.len = (size_t)(c - w.s);
	if (c < p->end && *c == '#')
		while (c < p->end && *c != '\n' && (p->lines || *c != ';'))
			c++;
	*s = c < p->end ? c + 1 : c;
	return w;
}

/* --- statements ----------------------------------------------------------- */

static int parse_node_os(struct parser *p, struct word w, unsigned int *os)
{
	if (word_number(w, 0, MACHINE_NODES_MAX - 1, os))
		return 0;
	return refuse(p, "node number", w, ": wanted 0 to 1023");
}

/* Reads a cpu list into p->list, which has room for all numbers. */
static int parse_list(struct parser *p, struct word w)
{
	cpus_clear(&p->list);
	if (w.len == 0 || cpus_parse(&p->list, w.s, w.len) < 0)
		return refuse(p, "cpu list", w, ": wanted a list such as 0-19,40-59");
	return 0;
}

static int no_more(struct parser *p, const char **s, const char *end)
{
	struct word w = next_word(s, end);

	return w.len == 0 ? 0 : refuse(p, "", w, " after the end of the statement");
}

/* First pass: counts the nodes and finds the highest cpu number. */
static int pass_count(struct parser *p, struct word verb, const char *s, const char *end)
{
	struct word w;

	if (word_is(verb, "left-out"))
		p->nleft_out++;
	if (word_is(verb, "node")) {
		p->nnodes++;
		next_word(&s, end);
		next_word(&s, end);
	} else if (!word_is(verb, "llc") && !word_is(verb, "core") && !word_is(verb, "isolated")) {
		return 0;
	}
	w = next_word(&s, end);
	if (w.len) {
		unsigned int max = cpus_parse_max(w.s, w.len);

		if (max == CPUS_NONE)
			return refuse(p, "cpu list", w,
				      ": wanted a list such as 0-19,40-59, up to cpu 16383");
		if (max >= p->ncpus)
			p->ncpus = max + 1;
	}
	return p->nnodes <= MACHINE_NODES_MAX && p->nleft_out <= MACHINE_NODES_MAX
		   ? 0
		   : refuse(p, "more than 1024 nodes", (struct word){ 0 }, "");
}

static int parse_node(struct parser *p, struct arena *a, const char *s, const char *end)
{
	struct machine_node *node = &p->nodes[p->raw.nnodes];
	struct word w;
	unsigned int i = p->raw.nnodes;

	if (parse_node_os(p, next_word(&s, end), &node->os) < 0)
		return -1;
	w = next_word(&s, end);
	if (!word_is(w, "cpus"))
		return refuse(p, "", w, ": wanted cpus and a list after the node number");
	if (parse_list(p, next_word(&s, end)) < 0)
		return -1;
	for (unsigned int j = 0; j < i; j++) {
		if (p->nodes[j].os == node->os)
			return refuse_number(p, "node", node->os, " is there twice");
		if (!cpus_intersects(&p->nodes[j].cpus, &p->list))
			continue;
		cpus_and(&p->list, &p->nodes[j].cpus);
		return refuse_number(p, "cpu", cpus_next(&p->list, 0), " is in two nodes");
	}
	if (cpus_copy(&node->cpus, a, &p->list) < 0)
		return -1;
	w = next_word(&s, end);
	node->memory = !word_is(w, "no-memory");
	if (w.len && node->memory)
		return refuse(p, "", w, ": wanted no-memory or nothing after the cpus");
	p->raw.nnodes++;
	return no_more(p, &s, end);
}

/* Second pass: which cpus there are. */
static int pass_cpus(struct parser *p, struct arena *a, struct word verb, const char *s,
		     const char *end)
{
	if (word_is(verb, "node")) {
		if (parse_node(p, a, s, end) < 0)
			return -1;
	} else if (word_is(verb, "isolated")) {
		if (parse_list(p, next_word(&s, end)) < 0)
			return -1;
		cpus_or(&p->raw.isolated, &p->list);
		if (no_more(p, &s, end) < 0)
			return -1;
	} else {
		return 0;
	}
	cpus_or(&p->named, &p->list);
	return 0;
}

static unsigned int node_index(const struct parser *p, unsigned int os)
{
	for (unsigned int i = 0; i < p->nnodes; i++)
		if (p->nodes[i].os == os)
			return i;
	return CPUS_NONE;
}

static int parse_distance(struct parser *p, struct arena *a, const char *s, const char *end)
{
	struct word w = next_word(&s, end);
	unsigned int os, i, *row;

	if (parse_node_os(p, w, &os) < 0)
		return -1;
	i = node_index(p, os);
	if (i == CPUS_NONE)
		return refuse_number(p, "distance row of node", os, ", which no node line has");
	if (!p->distances)
		p->distances = arena_array(a, (size_t)p->nnodes * p->nnodes, sizeof(*row));
	if (!p->distances)
		return -1;
	row = p->distances + (size_t)i * p->nnodes;
	if (row[0])
		return refuse_number(p, "distance row of node", os, " is there twice");
	for (unsigned int j = 0; j < p->nnodes; j++) {
		w = next_word(&s, end);
		if (!word_number(w, 1, MACHINE_DISTANCE_MAX, &row[j]))
			return refuse(p, "distance", w, ": wanted one of 1 to 255 for each node");
	}
	for (unsigned int j = 0; j < p->nnodes; j++)
		if (row[j] < row[i])
			return refuse_number(p, "distance", row[j],
					     ": smaller than to the node itself");
	p->nrows++;
	return no_more(p, &s, end);
}

/* llc LIST and core LIST: the cpus get the number of the first of them. */
static int parse_shared(struct parser *p, const char *what, unsigned int *shared, const char *s,
			const char *end)
{
	unsigned int first;

	if (parse_list(p, next_word(&s, end)) < 0)
		return -1;
	first = cpus_next(&p->list, 0);
	cpus_for_each(n, &p->list) {
		if (!cpus_has(&p->named, n))
			return refuse_number(p, "cpu", n, " is in no node and not isolated");
		if (shared[n] != CPUS_NONE)
			return refuse_number(p, "cpu", n, what);
		shared[n] = first;
	}
	return no_more(p, &s, end);
}

static int parse_left_out(struct parser *p, const char *s, const char *end)
{
	struct machine_left_out *l = &p->left_out[p->raw.nleft_out];
	struct word w;

	if (parse_node_os(p, next_word(&s, end), &l->os) < 0)
		return -1;
	for (unsigned int i = 0; i < p->raw.nleft_out; i++)
		if (p->left_out[i].os == l->os)
			return refuse_number(p, "left-out node", l->os, " is there twice");
	if (node_index(p, l->os) != CPUS_NONE)
		return refuse_number(p, "left-out node", l->os, " has a node line too");
	w = next_word(&s, end);
	if (word_is(w, "no-cpus"))
		l->why = MACHINE_LEFT_OUT_NO_CPUS;
	else if (word_is(w, "unusable"))
		l->why = MACHINE_LEFT_OUT_UNUSABLE;
	else if (word_is(w, "shared-cpus"))
		l->why = MACHINE_LEFT_OUT_SHARED_CPUS;
	else
		return refuse(p, "", w, ": wanted no-cpus, unusable or shared-cpus");
	p->raw.nleft_out++;
	return no_more(p, &s, end);
}

/* A number that may be given once; *n is 0 before. */
static int parse_once(struct parser *p, const char *what, unsigned int max, const char *wanted,
		      const char *s, const char *end, unsigned int *n)
{
	struct word w = next_word(&s, end);

	if (*n)
		return refuse(p, what, (struct word){ 0 }, " is there twice");
	if (!word_number(w, 1, max, n))
		return refuse(p, what, w, wanted);
	return no_more(p, &s, end);
}

/* Third pass: everything else. */
static int pass_rest(struct parser *p, struct arena *a, struct word verb, const char *s,
		     const char *end)
{
	if (word_is(verb, "node") || word_is(verb, "isolated"))
		return 0;
	if (word_is(verb, "distance"))
		return parse_distance(p, a, s, end);
	if (word_is(verb, "llc"))
		return parse_shared(p, " is in two llc lines", p->llc_of, s, end);
	if (word_is(verb, "core"))
		return parse_shared(p, " is in two core lines", p->core_of, s, end);
	if (word_is(verb, "left-out"))
		return parse_left_out(p, s, end);
	if (word_is(verb, "reclaim-distance"))
		return parse_once(p, "reclaim-distance", MACHINE_DISTANCE_MAX, ": wanted 1 to 255",
				  s, end, &p->raw.reclaim_distance);
	if (word_is(verb, "quota"))
		return parse_once(p, "quota", CPUS_MAX, ": wanted 1 to 16384 cpus", s, end,
				  &p->raw.quota);
	return refuse(p, "statement", verb,
		      ": wanted node, distance, llc, core, isolated, left-out, "
		      "reclaim-distance or quota");
}

static int parse_header(struct parser *p, struct word verb, const char *s, const char *end)
{
	struct word w = next_word(&s, end);
	unsigned int version;

	if (!word_is(verb, MACHINE_TEXT_HEADER))
		return refuse(p, "", verb, ": wanted the header, " MACHINE_TEXT_HEADER " 1");
	if (!word_number(w, MACHINE_TEXT_VERSION, MACHINE_TEXT_VERSION, &version))
		return refuse(p, "version", w, ": this evenkeel reads version 1");
	return no_more(p, &s, end);
}

/* --- passes --------------------------------------------------------------- */

static int walk(struct parser *p, struct arena *a, unsigned int pass)
{
	const char *next = p->text;
	bool header = false;

	p->line = 0;
	while (next < p->end) {
		struct word st = next_statement(p, &next);
		const char *s = st.s, *end = st.s + st.len;
		struct word verb = next_word(&s, end);
		int rc;

		p->line++;
		if (verb.len == 0)
			continue;
		if (!header)
			rc = parse_header(p, verb, s, end);
		else if (pass == 1)
			rc = pass_count(p, verb, s, end);
		else if (pass == 2)
			rc = pass_cpus(p, a, verb, s, end);
		else
			rc = pass_rest(p, a, verb, s, end);
		if (rc < 0)
			return -1;
		header = true;
	}
	p->line = 0;
	if (!header)
		return refuse(p, "an empty text: wanted the header, " MACHINE_TEXT_HEADER " 1",
			      (struct word){ 0 }, "");
	if (p->nnodes == 0)
		return refuse(p, "no node line", (struct word){ 0 }, "");
	return 0;
}

static int make_room(struct parser *p, struct arena *a)
{
	p->nodes = arena_array(a, p->nnodes, sizeof(*p->nodes));
	p->left_out = arena_array(a, p->nleft_out, sizeof(*p->left_out));
	p->core_of = arena_array(a, p->ncpus, sizeof(*p->core_of));
	p->llc_of = arena_array(a, p->ncpus, sizeof(*p->llc_of));
	if (!p->nodes || !p->left_out || !p->core_of || !p->llc_of)
		return -1;
	memset(p->core_of, 0xff, p->ncpus * sizeof(*p->core_of));
	memset(p->llc_of, 0xff, p->ncpus * sizeof(*p->llc_of));
	if (cpus_init(&p->named, a, p->ncpus) < 0 || cpus_init(&p->list, a, p->ncpus) < 0)
		return -1;
	return cpus_init(&p->raw.isolated, a, p->ncpus);
}

/* Distance rows are in this order. */
static void sort_nodes(struct parser *p)
{
	for (unsigned int i = 1; i < p->nnodes; i++) {
		struct machine_node node = p->nodes[i];
		unsigned int j = i;

		for (; j > 0 && p->nodes[j - 1].os > node.os; j--)
			p->nodes[j] = p->nodes[j - 1];
		p->nodes[j] = node;
	}
}

static int parse(struct parser *p, struct arena *a)
{
	if (walk(p, a, 1) < 0 || make_room(p, a) < 0 || walk(p, a, 2) < 0)
		return -1;
	sort_nodes(p);
	if (walk(p, a, 3) < 0)
		return -1;
	if (p->nrows && p->nrows < p->nnodes)
		return refuse_number(p, "distance rows:", p->nrows,
				     " of them: wanted one for each node, or none");
	p->raw.nodes = p->nodes;
	p->raw.left_out = p->left_out;
	p->raw.distances = p->distances;
	p->raw.core_of = p->core_of;
	p->raw.llc_of = p->llc_of;
	p->raw.ncpus = p->ncpus;
	return 0;
}

bool machine_text_is(const char *text, size_t len)
{
	struct parser p = { .text = text, .end = text + len };

	p.lines = memchr(text, '\n', len) != NULL;
	while (text < p.end) {
		struct word st = next_statement(&p, &text);
		const char *s = st.s;
		struct word verb = next_word(&s, st.s + st.len);

		if (verb.len)
			return word_is(verb, MACHINE_TEXT_HEADER);
	}
	return false;
}

int machine_text_read(struct machine *m, struct arena *a, const char *text, size_t len,
		      struct machine_text_error *err)
{
	struct parser p = { .text = text, .end = text + len, .err = err };

	p.lines = memchr(text, '\n', len) != NULL;
	if (parse(&p, a) < 0)
		return -1;
	if (machine_finish(m, a, &p.raw) == 0)
		return 0;
	if (errno == ENODATA) {
		refuse(&p, "every cpu is isolated: wanted a node with a usable one",
		       (struct word){ 0 }, "");
		errno = ENODATA;
	}
	return -1;
}
