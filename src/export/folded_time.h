/*
 * A piece of a thread's time, folded: around times that matter, stretches and calls are kept as they were; what lies between is
 * told as sums by subroutine. What depends on no other time is the same of it as of all calls.
 *
 * In bytes, the latest first: a number, the time at the piece's end that is nobody's; then entries, each a number
 * 4 x + kind and what follows it; all of them varints:
 *
 *   RV_FOLDED_ENTER    x: a subroutine, whose call ends here
 *   RV_FOLDED_LEAVE    likewise: it begins here
 *   RV_FOLDED_STRETCH  x: the innermost one; its ns
 *   RV_FOLDED_SUMS     x: how many rows; the ns of all; each row: subroutine, own ns, number of stretches, and ns with callees
 *                      but not in calls of it that are entered and not left
 */
#ifndef RV_EXPORT_FOLDED_TIME_H
#define RV_EXPORT_FOLDED_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_folded_kind { RV_FOLDED_ENTER, RV_FOLDED_LEAVE, RV_FOLDED_STRETCH, RV_FOLDED_SUMS };

/* ---- folding ---- */

struct rv_folding; /* opaque: folds one piece after another */

struct rv_folding *
rv_folding_create(uint32_t n_ids);                   /* of subroutines: below this, or this for time outside of calls */
void rv_folding_destroy(struct rv_folding *folding); /* NULL-safe */

/* Begin a piece. times_ns: what matters, rising; borrowed until _end. */
void rv_folding_begin(struct rv_folding *folding, const uint64_t *times_ns, size_t n_times, uint64_t to_ns);

/* As of struct rv_innermost_calls. */
void rv_folding_pass(struct rv_folding *folding, uint32_t id, uint64_t from_ns, uint64_t to_ns);
void rv_folding_enter(struct rv_folding *folding, uint32_t id, uint64_t start_ns, uint64_t end_ns);
void rv_folding_leave(struct rv_folding *folding, uint32_t id);

/* The bytes, valid until the next _begin. */
const uint8_t *rv_folding_end(struct rv_folding *folding, size_t *n_bytes);

/* ---- reading ---- */

struct rv_folded_time { /* of a piece */
    uint64_t from_ns, to_ns;
    const uint8_t *bytes;
    size_t n_bytes;
};

/* Can it be read, and does it make sense: is each call left that was entered, and is no time told twice? */
bool rv_folded_time_is_valid(const struct rv_folded_time *folded, uint32_t n_ids);

struct rv_folded_entry {
    enum rv_folded_kind kind;
    uint32_t id;             /* but of SUMS: */
    uint32_t n_rows;         /* how many to read with rv_folded_reader_row() */
    uint64_t from_ns, to_ns; /* of STRETCH and SUMS */
};

struct rv_folded_row {
    uint32_t id;
    uint64_t own_ns, n, total_ns;
};

struct rv_folded_reader {
    const uint8_t *at, *end;
    uint64_t at_ns;
};

/* The folded time is valid. */
void rv_folded_reader_init(struct rv_folded_reader *reader, const struct rv_folded_time *folded);

/* The next entry; rows of the last one were all read. False: there is none. */
bool rv_folded_reader_next(struct rv_folded_reader *reader, struct rv_folded_entry *entry);
struct rv_folded_row rv_folded_reader_row(struct rv_folded_reader *reader);

#endif
