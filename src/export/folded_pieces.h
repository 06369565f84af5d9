/*
 * A piece of a thread's time, folded: stretches and calls around given times are kept as they were, the time between
 * them is summed by subroutine. A question that depends on no other times has the same answer for it as for all calls.
 *
 * The bytes, latest first: a number, the ns outside of calls at the piece's end; then entries, each a number 4 x + kind
 * and what follows it; all of them varints:
 *
 *   RV_FOLDED_ENTER    x: a subroutine, whose call ends here
 *   RV_FOLDED_LEAVE    x: a subroutine, whose call begins here
 *   RV_FOLDED_STRETCH  x: the innermost subroutine; its ns
 *   RV_FOLDED_SUMS     x: number of rows; the ns of all; each row: subroutine, own ns, number of stretches, and ns with
 *                      callees, except in calls of it that are entered and not left
 */
#ifndef RV_EXPORT_FOLDED_PIECES_H
#define RV_EXPORT_FOLDED_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_folded_kind { RV_FOLDED_ENTER, RV_FOLDED_LEAVE, RV_FOLDED_STRETCH, RV_FOLDED_SUMS };

struct rv_folded_time { /* of a piece */
    uint64_t from_ns, to_ns;
    const uint8_t *bytes;
    size_t n_bytes;
};

/* Can it be read, is each call left that was entered, and is no time counted twice? */
bool rv_folded_time_is_valid(const struct rv_folded_time *folded, uint32_t n_ids);

struct rv_folded_entry {
    enum rv_folded_kind kind;
    uint32_t id;             /* not of SUMS */
    uint32_t n_rows;         /* of SUMS: to be read with rv_folded_reader_row() */
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
