/*
 * Several recordings as one source: their streams side by side, each process with a key of its own, subroutines of
 * equal name, file and line under one id, and all times on one clock.
 *
 * Aligned by clocks: a recording knows what CLOCK_REALTIME was at one moment of its CLOCK_MONOTONIC; by that its times
 * are shifted, so that what happened at one moment by the hosts' wall clocks stands at one moment. Times count from the
 * boot of the host that booted first. Recordings of one boot of one host are off by the time between two clock reads
 * (below 1 us), and by any step of the wall clock between their starts; those of different hosts by what their wall
 * clocks were apart when they began, and by how their clocks' rates differ since (under NTP: milliseconds or less).
 *
 * Aligned by starts: a moment of each stands at one moment, so that runs stand beside each other.
 */
#ifndef RV_SOURCE_MERGED_H
#define RV_SOURCE_MERGED_H

#include "source/source.h"

struct rv_merged_params {
    struct rv_source *const *sources; /* n of them, which define names on the drain thread, as
                                         replays and imports do; the merged one's from now on, even on failure. With a
                                         NULL among them, of which a line has been printed, the others are closed */
    const char *const *paths;         /* what messages call them; borrowed for the call */
    const char *const *labels;        /* put before the names of their processes; NULL = nothing. Outlive the source */
    size_t n;
    const uint64_t *starts_ns; /* of each source, on its clock: what is to be one moment; NULL = by clocks */
};

/* NULL with one line printed. */
struct rv_source *rv_merged_open(const struct rv_merged_params *params);

#endif
