#include "core/ledger_format.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The file, format 2. All numbers little-endian, nothing aligned:
 *
 *	head: magic 8, version 4, length 4 (of all, head included), checksum 8
 *	      (of all that follows it), jobs 4, zero 4
 *	job:  key pid 4, group 4, start 8, nranks 4, width 4, nnodes 4, open 4 (0 or
 *	      1), then nnodes nodes, then nranks slots
 *	node: cpu 4, busy 4, planned 4
 *	slot: pid 4, start 8; of an open job also rank 4, node 4 (< nnodes)
 *
 * Bytes after length are not looked at: a writer may be killed before it cuts
 * the file. Whatever changes this layout raises VERSION; magic and version stay
 * where they are for ever. No reader is kept for older versions: a record is
 * worth no more than the job it speaks of, so any other version is set aside as
 * a damaged file is (format 1 knew no open jobs). tests/golden/ledger-v2*.hex hold
 * format 2 to its word. */
#define MAGIC "evenkeel"
#define MAGIC_SIZE 8u
#define VERSION 2u
#define CHECKSUM_AT 16u
#define CHECKED_AT 24u
#define HEAD_SIZE 32u
#define JOB_SIZE 32u
#define NODE_SIZE 12u
#define SLOT_SIZE 12u
#define OPEN_SLOT_SIZE 20u

static uint32_t get32(const unsigned char **p)
{
	uint32_t n;

	memcpy(&n, *p, sizeof(n));
	*p += sizeof(n);
	return le32toh(n);
}

static uint64_t get64(const unsigned char **p)
{
	uint64_t n;

	memcpy(&n, *p, sizeof(n));
	*p += sizeof(n);
	return le64toh(n);
}

static void put32(unsigned char **p, uint32_t n)
{
	n = htole32(n);
	memcpy(*p, &n, sizeof(n));
	*p += sizeof(n);
}

static void put64(unsigned char **p, uint64_t n)
{
	n = htole64(n);
	memcpy(*p, &n, sizeof(n));
	*p += sizeof(n);
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo): sees every change of a single byte. */
static uint64_t checksum(const unsigned char *p, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325u;

	while (len--)
		sum = (sum ^ *p++) * 0x100000001b3u;
	return sum;
}

uint64_t ledger_format_job_size(const struct ledger_job *job)
{
	return JOB_SIZE + (uint64_t)job->nnodes * NODE_SIZE +
	       (uint64_t)job->nranks * (job->open ? OPEN_SLOT_SIZE : SLOT_SIZE);
}

uint64_t ledger_format_size(const struct ledger *l)
{
	uint64_t size = HEAD_SIZE;

	for (unsigned int i = 0; i < l->njobs; i++)
		size += ledger_format_job_size(&l->jobs[i]);
	return size;
}

int ledger_format_arrays(struct ledger_job *job, struct arena *a)
{
	job->nodes = arena_array(a, job->nnodes, sizeof(*job->nodes));
	job->slots = arena_array(a, job->nranks, sizeof(*job->slots));
	return job->nodes && job->slots ? 0 : -1;
}

/* False: the node cannot be true. */
static bool slot_decode(struct ledger_slot *slot, const struct ledger_job *job,
			const unsigned char **p)
{
	slot->pid = (int32_t)get32(p);
	slot->start = get64(p);
	if (!job->open)
		return true;
	slot->rank = get32(p);
	slot->node = get32(p);
	return slot->node < job->nnodes;
}

static void slot_encode(const struct ledger_slot *slot, const struct ledger_job *job,
			unsigned char **p)
{
	put32(p, (uint32_t)slot->pid);
	put64(p, slot->start);
	if (!job->open)
		return;
	put32(p, slot->rank);
	put32(p, slot->node);
}

/* EBADMSG = the counts cannot be true. */
static int job_decode(struct ledger_job *job, struct arena *a, const unsigned char **p,
		      const unsigned char *end)
{
	if ((size_t)(end - *p) < JOB_SIZE)
		goto bad;
	job->key.pid = (int32_t)get32(p);
	job->key.group = get32(p);
	job->key.start = get64(p);
	job->nranks = get32(p);
	job->width = get32(p);
	job->nnodes = get32(p);
	job->open = get32(p);
	if (job->open > 1 ||
	    ledger_format_job_size(job) - JOB_SIZE > (uint64_t)(end - *p))
		goto bad;
	if (ledger_format_arrays(job, a) < 0)
		return -1;
	for (uint32_t i = 0; i < job->nnodes; i++) {
		job->nodes[i].cpu = get32(p);
		job->nodes[i].busy = get32(p);
		job->nodes[i].planned = get32(p);
	}
	for (uint32_t i = 0; i < job->nranks; i++)
		if (!slot_decode(&job->slots[i], job, p))
			goto bad;
	return 0;
bad:
	errno = EBADMSG;
	return -1;
}

static void job_encode(const struct ledger_job *job, unsigned char **p)
{
	put32(p, (uint32_t)job->key.pid);
	put32(p, job->key.group);
	put64(p, job->key.start);
	put32(p, job->nranks);
	put32(p, job->width);
	put32(p, job->nnodes);
	put32(p, job->open);
	for (uint32_t i = 0; i < job->nnodes; i++) {
		put32(p, job->nodes[i].cpu);
		put32(p, job->nodes[i].busy);
		put32(p, job->nodes[i].planned);
	}
	for (uint32_t i = 0; i < job->nranks; i++)
		slot_encode(&job->slots[i], job, p);
}

int ledger_format_decode(struct ledger *l, const unsigned char *text, size_t len)
{
	const unsigned char *p = text + MAGIC_SIZE, *end;
	uint32_t length, njobs;

	if (len < HEAD_SIZE || memcmp(text, MAGIC, MAGIC_SIZE) != 0 || get32(&p) != VERSION)
		goto bad;
	length = get32(&p);
	if (length < HEAD_SIZE || length > len)
		goto bad;
	if (get64(&p) != checksum(text + CHECKED_AT, length - CHECKED_AT))
		goto bad;
	njobs = get32(&p);
	get32(&p);
	if (njobs > (length - HEAD_SIZE) / JOB_SIZE)
		goto bad;
	l->jobs = arena_array(l->arena, njobs, sizeof(*l->jobs));
	if (!l->jobs)
		return -1;
	l->room = njobs;
	end = text + length;
	for (uint32_t i = 0; i < njobs; i++)
		if (job_decode(&l->jobs[i], l->arena, &p, end) < 0)
			return -1;
	if (p != end)
		goto bad;
	l->njobs = njobs;
	return 0;
bad:
	errno = EBADMSG;
	return -1;
}

void ledger_format_encode(const struct ledger *l, unsigned char *text, size_t size)
{
	unsigned char *p = text + MAGIC_SIZE, *sum = text + CHECKSUM_AT;

	memcpy(text, MAGIC, MAGIC_SIZE);
	put32(&p, VERSION);
	put32(&p, (uint32_t)size);
	put64(&p, 0);
	put32(&p, l->njobs);
	put32(&p, 0);
	for (unsigned int i = 0; i < l->njobs; i++)
		job_encode(&l->jobs[i], &p);
	put64(&sum, checksum(text + CHECKED_AT, size - CHECKED_AT));
}
