/*
 * --history: a private recording beside a session, for the calls that its memory has no room for. The file has no name
 * and is gone with the process. Its blocks are listed and loaded like those of a recording that is opened by its index:
 * an INDEX is read back as soon as it is written, a block when one looks at it, both by a thread of its own: nobody
 * else waits for its disk. When that is full, fails or does not answer for a second, the history is given up, with one
 * line printed.
 */
#ifndef RV_PIPELINE_HISTORY_ON_DISK_H
#define RV_PIPELINE_HISTORY_ON_DISK_H

#include "pipeline/page_loader.h"
#include "sink/sink.h"
#include "waits/waits.h"
#include "source/source.h"

struct rv_history; /* opaque */

/*
 * Create it in the folder for temporary files, for one session.
 *   n_bytes  that the file may take at most; the oldest events are discarded
 *   returns  NULL: not possible, with one line printed
 */
struct rv_history *rv_history_create(uint64_t n_bytes);

/* After the session. Does nothing if rv_history_is_stuck(). */
void rv_history_destroy(struct rv_history *history);

/* Records one session from its begin. */
struct rv_sink rv_history_sink(struct rv_history *history);

#define RV_HISTORY_LEAST_BYTES (1u << 20) /* of its file */

/* A tenth of what is free in the folder for temporary files; 0: that is in memory. */
uint64_t rv_history_default_bytes(void);

/* ---- the session's side ---- */

/* Start its thread, which uses the session's lanes, waits (NULL: it keeps none), page loader and intake. */
void rv_history_begin(struct rv_history *history, struct rv_lanes *lanes, struct rv_waits *waits,
                      struct rv_page_loader *page_loader, const struct rv_intake *intake);

/* End it: no page is submitted any more. Waits a second at most for the disk: see rv_history_is_stuck(). */
void rv_history_end(struct rv_history *history);

/* Its thread has not ended, since the disk does not answer: what it uses must stay. After rv_history_end(). */
bool rv_history_is_stuck(struct rv_history *history);

/* Can all that was recorded be loaded, or is known to be discarded? Any thread. */
bool rv_history_is_listed(struct rv_history *history);

/*
 * Another source of the recorded events, without those that still wait to be written; NULL with one line printed. Main
 * thread.
 */
struct rv_source *rv_history_reopen(struct rv_history *history);

/* Was it given up? Any thread. */
bool rv_history_has_failed(struct rv_history *history);

#endif
