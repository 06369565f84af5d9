/*
 * The state of a lane at an earlier time: finished spans, open frames, density cells. Pictures of the past are made
 * from it, so that playback shows what was shown live.
 *
 * Only a level's last two columns of cells change, and few spans of any level end later. So the cells of these columns
 * are rebuilt from exact spans and the finer level's cells, rounded once more (coverage by some 1/65534); where the
 * spans were evicted, the present cells are used. Calls whose begin was never seen appear when they return. Under the
 * lane's lock.
 */
#ifndef RV_MODEL_SNAPSHOT_H
#define RV_MODEL_SNAPSHOT_H

#include "model/density.h"
#include "model/lanes.h"

struct rv_snapshot { /* zeroed = none; reusable for any lane */
    uint64_t at_ns;
    struct rv_lane_frame *open; /* frames open at at_ns, outermost first */
    size_t n_open, open_capacity;
    struct rv_box *later; /* spans that began by at_ns and ended later */
    size_t n_later, later_capacity;
    struct rv_density density;  /* open columns at at_ns; no finished cells */
    uint32_t n_levels;          /* levels below this one are in `density` */
    bool is_past;               /* the lane has spans that ended after at_ns */
    struct rv_snapshot_source { /* inputs of the last update */
        const struct rv_timeline *timeline;
        uint64_t at_ns, n_spans, n_evicted, n_pages, n_events;
        size_t n_open;
    } source;
};

/*
 * Update to the lane at this time, including everything that happened at at_ns. O(log n) plus open frames; does nothing
 * when neither time nor lane have changed.
 */
void rv_snapshot_update(struct rv_snapshot *snapshot, const struct rv_lane *lane, uint64_t at_ns);
void rv_snapshot_fini(struct rv_snapshot *snapshot);

/* Had anything of the lane begun by at_ns? True for an empty lane. */
bool rv_snapshot_has_begun(const struct rv_lane *lane, uint64_t at_ns);

/*
 * rv_timeline_query_count() and rv_timeline_query_boxes() as of that time, without open calls, for the lane of the last
 * update, which must not have changed.
 *   max   see rv_snapshot_room()
 */
uint64_t rv_snapshot_count(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                           uint32_t level);
size_t rv_snapshot_query(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                         uint32_t level, struct rv_box *out, size_t max);

/* Room that rv_snapshot_query() needs, in boxes: later spans take some of it temporarily. */
uint64_t rv_snapshot_room(const struct rv_snapshot *snapshot, const struct rv_lane *lane, const uint64_t window_ns[2],
                          uint32_t level);

#endif
