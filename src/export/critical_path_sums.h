/*
 * Folded time of the threads of a recording (export/folded_pieces.h), kept from one critical path to the next: calls
 * between the moments of paths are read once. The kept bytes are input: those of another recording, with other names,
 * or changed since they were written are not used.
 *
 *   bytes   struct rv_critical_path_sums_head, then pieces: struct rv_critical_path_sums_piece and its bytes
 */
#ifndef RV_EXPORT_CRITICAL_PATH_SUMS_H
#define RV_EXPORT_CRITICAL_PATH_SUMS_H

#include "export/folded_pieces.h"
#include "model/lanes.h"

struct rv_critical_path_sums; /* opaque */

struct rv_critical_path_sums_params {
    uint64_t recording;       /* a hash of its bytes, and of the names of its subroutines */
    uint64_t most_bytes;      /* to keep */
    size_t most_bytes_a_call; /* of a piece: one with more is as dear to read as its calls, and is not kept */
    void *bytes;              /* what was kept; taken. NULL: nothing */
    size_t n_bytes;
};

struct rv_critical_path_sums *rv_critical_path_sums_create(const struct rv_critical_path_sums_params *params);
void rv_critical_path_sums_destroy(struct rv_critical_path_sums *sums); /* NULL-safe */

/* Give the subroutine as which each one is counted; what was kept with others is dropped. Call it before the next
 * ones. */
void rv_critical_path_sums_name(struct rv_critical_path_sums *sums, const uint32_t *as_id, uint32_t n_ids);

/* The key of a lane of the recording, the same in each session. */
uint64_t rv_critical_path_sums_key(const struct rv_lane *lane);

/* Call take with each kept piece of a lane that overlaps (from, to), in order of time. */
void rv_critical_path_sums_each(const struct rv_critical_path_sums *sums, uint64_t key, uint64_t from_ns,
                                uint64_t to_ns, void (*take)(void *context, const struct rv_folded_time *folded),
                                void *context);

/* Keep a copy of a piece of n_calls calls, unless it was kept with more entries. One thread at a time. */
void rv_critical_path_sums_add(struct rv_critical_path_sums *sums, uint64_t key, const struct rv_folded_time *folded,
                               size_t n_calls);

/* The bytes to keep, for the caller to free; NULL if nothing was added. */
void *rv_critical_path_sums_take_bytes(const struct rv_critical_path_sums *sums, size_t *n_bytes);

#endif
