/*
 * Reads waits by lane and time, and who ended them: those in memory, and those that are loaded. One thread at a time;
 * each question has a reader of its own. Waits of lanes that came after its beginning are not found.
 */
#ifndef RV_WAITS_READER_H
#define RV_WAITS_READER_H

#include "waits/sums.h"
#include "waits/waits.h"

struct rv_wait_reader; /* opaque */

/*
 * is_wanted   asked before a page is loaded: false: nothing more is found. NULL: always
 * The waits outlive it.
 */
struct rv_wait_reader *rv_wait_reader_open(struct rv_waits *waits, bool (*is_wanted)(void *context), void *context);
void rv_wait_reader_close(struct rv_wait_reader *reader); /* NULL-safe */

/* Was a page left out, since it could not be read, or was not wanted any more? */
bool rv_wait_reader_has_missed(const struct rv_wait_reader *reader);

/* A wait's place: below those of later waits of its lane; may be kept. */
typedef uint64_t rv_wait_place;
#define RV_WAIT_PLACE_END UINT64_MAX

/* The last wait of a lane that ended at at_ns or before and has a place below `before`. False: there is none. */
bool rv_wait_reader_last(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t at_ns, rv_wait_place before,
                         struct rv_wait *wait, rv_wait_place *place);

/* The wait of a lane that began before at_ns and ends after it. False: there is none. */
bool rv_wait_reader_present(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t at_ns, struct rv_wait *wait,
                            rv_wait_place *place);

/* The wait that has a place; false: it is gone. */
bool rv_wait_reader_get(struct rv_wait_reader *reader, uint32_t lane_idx, rv_wait_place place, struct rv_wait *wait);

/* The lane's wait for a lock that has not ended, until now or the end of the recording. False: there is none. */
bool rv_wait_reader_open_wait(struct rv_wait_reader *reader, uint32_t lane_idx, struct rv_wait *wait);

/* The begin of a lane's first wait; UINT64_MAX: it has none. */
uint64_t rv_wait_reader_begin(struct rv_wait_reader *reader, uint32_t lane_idx);

/* The waker by the releases that have come so far. */
struct rv_wait_edge rv_wait_reader_edge(struct rv_wait_reader *reader, const struct rv_wait *wait);

/* Give take() a lane's releases and takings at from_ns or later, the latest first, until it returns false. */
void rv_wait_reader_each_release_back(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t from_ns,
                                      bool (*take)(void *context, const struct rv_release *release), void *context);

/* Writers wait until the matching _let_go, except while a page is loaded: many calls then cost less. */
void rv_wait_reader_hold(struct rv_wait_reader *reader);
void rv_wait_reader_let_go(struct rv_wait_reader *reader);

/* Give take() the waits that ended after from_ns and up to to_ns, those of a lane in order, until it returns false. */
void rv_wait_reader_each(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns,
                         bool (*take)(void *context, const struct rv_wait *wait, rv_wait_place place), void *context);

/* Likewise releases and takings after from_ns and up to to_ns. */
void rv_wait_reader_each_release(struct rv_wait_reader *reader, uint64_t from_ns, uint64_t to_ns,
                                 bool (*take)(void *context, const struct rv_release *release), void *context);

struct rv_wait_sum { /* sums over a lane's waits in a stretch of time */
    uint64_t n, total_ns, longest_ns;
    rv_wait_place longest;
};

/*
 * Sum up the waits that ended after from_ns and up to to_ns; false: there are none. Loads the two pages at the ends at
 * most.
 */
bool rv_wait_reader_sum(struct rv_wait_reader *reader, uint32_t lane_idx, uint64_t from_ns, uint64_t to_ns,
                        struct rv_wait_sum *sum);

/* All waits so far by object, in the order of rv_wait_sums_take_rows(), for the caller to free. */
struct rv_waits_row *rv_wait_reader_take_rows(struct rv_wait_reader *reader, size_t *n);

/* Likewise the arcs, as rv_wait_sums_take_arcs(). */
struct rv_waits_row *rv_wait_reader_take_arcs(struct rv_wait_reader *reader, size_t *n);

#endif
