/*
 * A lane as it was at an earlier time: what had ended by then, what was open, what its density cells held. The picture
 * of that time is made from it, so that replay shows what was shown live.
 *
 * Spans that end later are few at any level, and cells change in a level's last two columns alone: those are made again
 * from the exact spans and the finer level's cells in them. What is made again is rounded once more (coverage by some
 * 1/65534); where its spans were evicted, the cells that are there stand in. Calls whose beginning was never seen were
 * not known before they returned. Under the lane's lock.
 */
#ifndef RV_MODEL_SNAPSHOT_H
#define RV_MODEL_SNAPSHOT_H

#include "model/density.h"
#include "model/lanes.h"

struct rv_snapshot { /* zeroed = none was looked at; reused for any lane */
    uint64_t at_ns;
    struct rv_lane_frame *open; /* what was open, outermost first; began at at_ns at the latest */
    size_t n_open, open_capacity;
    struct rv_box *later; /* spans that began by then and ended later */
    size_t n_later, later_capacity;
    struct rv_density density;  /* no finished cells; open columns as they were */
    uint32_t n_levels;          /* below this one, density has them */
    bool is_past;               /* the lane's last span ended later: its timeline is not as it was */
    struct rv_snapshot_source { /* what it was made of */
        const struct rv_timeline *timeline;
        uint64_t at_ns, n_spans, n_evicted, n_events;
        size_t n_open;
    } source;
};

/*
 * Look at the lane at this time: everything up to it, itself included, has happened. O(log n) and what is open; nothing
 * where neither time nor lane have changed.
 */
void rv_snapshot_update(struct rv_snapshot *snapshot, const struct rv_lane *lane, uint64_t at_ns);
void rv_snapshot_fini(struct rv_snapshot *snapshot);

/* Had anything of the lane begun? One that has nothing at all is as old as can be. */
bool rv_snapshot_has_begun(const struct rv_lane *lane, uint64_t at_ns);

/*
 * As rv_timeline_count() and rv_timeline_query() were at that time; open calls are not among them. Of the lane that was
 * looked at last, which has not changed.
 *   max   room as for all that is in the timeline: what ended later needs some for a moment
 */
uint64_t rv_snapshot_count(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                           uint32_t level);
size_t rv_snapshot_query(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                         uint32_t level, struct rv_box *out, size_t max);

/* Boxes that rv_snapshot_query() needs room for. */
uint64_t rv_snapshot_room(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                          uint32_t level);

#endif
