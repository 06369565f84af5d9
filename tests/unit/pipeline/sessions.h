/* Sessions of one recording that must show the same: whole, by its index, from a history. */
#ifndef RV_TEST_PIPELINE_SESSIONS_H
#define RV_TEST_PIPELINE_SESSIONS_H

#include "pipeline/session.h"

struct sessions_boxes { /* zeroed = none */
    struct rv_box *list;
    size_t n, capacity;
};

/* Start a session and wait until it has all that the source has, waits too. history: NULL = none. */
struct rv_session *sessions_start(struct rv_source *source, uint64_t memory_bytes, struct rv_history *history);

/* Load all pages of the window. */
void sessions_fetch(struct rv_session *session, uint64_t from_ns, uint64_t to_ns, uint32_t level);

/* The lane's boxes, sorted. */
void sessions_query(struct sessions_boxes *boxes, struct rv_lane *lane, const uint64_t window[2], uint32_t level);
void sessions_compare_boxes(const struct sessions_boxes *whole, const struct sessions_boxes *indexed, uint32_t lane,
                            uint32_t level);

/* Each subroutine has the same calls and times. Returns the number of subroutines. */
size_t sessions_compare_stats(const struct rv_stats *whole, const struct rv_stats *indexed);

/* The lane of the same thread and stack. */
struct rv_lane *sessions_find(struct rv_session *session, const struct rv_lane *like);

#endif
