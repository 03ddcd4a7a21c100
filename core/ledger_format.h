/* The bytes of the ledger's file, to and from struct ledger. Pure; memory from
 * the ledger's arena. For core/ledger.c alone; the layout is told in the .c.
 */
#ifndef EVENKEEL_CORE_LEDGER_FORMAT_H
#define EVENKEEL_CORE_LEDGER_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "core/ledger.h"

/* Bytes that one job takes, and that the whole file would take. */
uint64_t ledger_format_job_size(const struct ledger_job *job);
uint64_t ledger_format_size(const struct ledger *l);

/* Zeroed arrays for the job's counts. 0, or -1 with errno ENOMEM. */
int ledger_format_arrays(struct ledger_job *job, struct arena *a);

/* Fills l->jobs from len bytes of text; bytes after the length that the text
 * itself names are ignored. 0, or -1 with errno EBADMSG (another format or
 * version, damaged, or counts that cannot be true) or ENOMEM; l->njobs is 0
 * then. Takes memory in proportion to len, whatever the text claims. */
int ledger_format_decode(struct ledger *l, const unsigned char *text, size_t len);

/* Writes all jobs to text, which has size = ledger_format_size(l) bytes, at
 * most LEDGER_SIZE_MAX. */
void ledger_format_encode(const struct ledger *l, unsigned char *text, size_t size);

#endif
