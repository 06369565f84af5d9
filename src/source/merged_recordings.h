/*
 * Several recordings as one source: all their streams, each process with a key of its own, subroutines of equal name,
 * file and line under one id, and all times on one clock.
 *
 * By clocks: a recording stores one pair of CLOCK_REALTIME and CLOCK_MONOTONIC. Times are shifted so that events at the
 * same wall-clock time coincide. Times count from the boot of the host that booted first. The error is, for recordings
 * of one boot of one host, the time between two clock reads (below 1 us) plus any step of the wall clock between their
 * starts; for different hosts, the difference of their wall clocks at the start plus the drift since (under NTP:
 * milliseconds or less).
 *
 * By starts: one given time of each recording coincides, so that runs can be compared.
 */
#ifndef RV_SOURCE_MERGED_RECORDINGS_H
#define RV_SOURCE_MERGED_RECORDINGS_H

#include "source/source.h"

struct rv_merged_recordings_params {
    struct rv_source *const *sources; /* n sources that define names on the drain thread, as replays and imports
                                         do; owned by the merged source from now on, even on failure. With a NULL
                                         among them (reported by its opener) the others are closed */
    const char *const *paths;         /* names in messages; borrowed for the call */
    const char *const *labels;        /* put before the names of their processes; NULL = nothing. Outlive the source */
    size_t n;
    const uint64_t *starts_ns; /* times that shall coincide, on each source's clock; NULL = by clocks */
};

/* NULL with one line printed. */
struct rv_source *rv_merged_recordings_open(const struct rv_merged_recordings_params *params);

#endif
