/*
 * Several recordings as one source: their streams side by side, each process with a key of its own, subroutines of
 * equal name, file and line under one id, and all times on one clock.
 *
 * A recording knows what CLOCK_REALTIME was at one moment of its CLOCK_MONOTONIC; by that its times are shifted, so
 * that what happened at one moment by the hosts' wall clocks stands at one moment. Times count from the boot of the
 * host that booted first. Recordings of one boot of one host are off by the time between two clock reads (below 1 us),
 * and by any step of the wall clock between their starts; those of different hosts by what their wall clocks were apart
 * when they began, and by how their clocks' rates differ since (under NTP: milliseconds or less).
 */
#ifndef RV_SOURCE_MERGED_H
#define RV_SOURCE_MERGED_H

#include "source/source.h"

/*
 *   sources  n of them, whose ticks are ns and which define names on the drain thread, as replays do; the merged one's
 *            from now on, even on failure
 *   paths    what messages call them; borrowed
 *   returns  NULL with one line printed
 */
struct rv_source *rv_merged_open(struct rv_source *const *sources, const char *const *paths, size_t n);

#endif
