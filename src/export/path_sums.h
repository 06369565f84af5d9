/*
 * Folded time of the threads of a recording (export/folded_time.h), kept from one critical path to the next, so that of calls
 * between the moments of a path, or of any path, none is read again. What is kept is input: of another recording, of other names, or
 * not as it was written, it is not used.
 *
 *   bytes   struct rv_path_sums_head, then pieces: struct rv_path_sums_piece and its bytes
 */
#ifndef RV_EXPORT_PATH_SUMS_H
#define RV_EXPORT_PATH_SUMS_H

#include "export/folded_time.h"
#include "model/lanes.h"

struct rv_path_sums; /* opaque */

struct rv_path_sums_params {
    uint64_t recording;       /* what it is known by: its bytes */
    uint64_t most_bytes;      /* to keep */
    size_t most_bytes_a_call; /* of a piece: what has more is read as soon as its calls */
    void *bytes;              /* what was kept; taken. NULL: nothing */
    size_t n_bytes;
};

struct rv_path_sums *rv_path_sums_create(const struct rv_path_sums_params *params);
void rv_path_sums_destroy(struct rv_path_sums *sums); /* NULL-safe */

/* Each subroutine is counted as another one. What was kept of other names is dropped. Before the following ones. */
void rv_path_sums_name(struct rv_path_sums *sums, const uint32_t *as_id, uint32_t n_ids);

/* What a lane of the recording is known by, in each session. */
uint64_t rv_path_sums_key(const struct rv_lane *lane);

/* Give what was kept of a lane's time, in order, that overlaps (from, to). */
void rv_path_sums_each(const struct rv_path_sums *sums, uint64_t key, uint64_t from_ns, uint64_t to_ns,
                       void (*take)(void *context, const struct rv_folded_time *folded), void *context);

/* Keep a piece of so many calls, which is copied; of one that was kept, what has more entries. One thread at a time. */
void rv_path_sums_add(struct rv_path_sums *sums, uint64_t key, const struct rv_folded_time *folded, size_t n_calls);

/* All that is to be kept, for the caller to free; NULL: nothing that was not kept before. */
void *rv_path_sums_take_bytes(const struct rv_path_sums *sums, size_t *n_bytes);

#endif
