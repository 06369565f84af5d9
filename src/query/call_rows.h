/*
 * The rows of a view of calls: the calls of one subroutine in an order, all of them or, where there are too many, the
 * longest of each group of neighbours, so that the odd one always has a row. Filled by one thread, then constant.
 */
#ifndef RV_QUERY_CALL_ROWS_H
#define RV_QUERY_CALL_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "model/call_list.h"

#define RV_CALL_ROWS_MOST 1000u
#define RV_CALL_ROWS_SINGLE 100u /* by duration, that many of the longest have a row each in any case */

struct rv_call_row {
    struct rv_call call;
    uint64_t rank;               /* among all calls in the order, from 1 */
    uint64_t n_calls;            /* that the row stands for: this is the longest of them */
    uint32_t n_levels;           /* of calls within it, itself included */
    struct rv_timeline *callees; /* calls that the lane has not, or not all of them; NULL = the lane has all */
};

struct rv_call_rows {
    atomic_uint n_holders;
    struct rv_call_row *items;
    size_t n;
    uint64_t n_calls; /* in all */
    uint64_t longest_ns;
    uint32_t id; /* of the subroutine */
    bool is_by_time;
    size_t n_coarse; /* rows whose short callees were not read: they are shown as folds */
};

/* The rows of a finished list, the longest first or by start; for rv_call_rows_release(). */
struct rv_call_rows *rv_call_rows_take(const struct rv_call_list *list, uint32_t id, bool is_by_time);

/* NULL-safe. Any thread. */
struct rv_call_rows *rv_call_rows_hold(struct rv_call_rows *rows);
void rv_call_rows_release(struct rv_call_rows *rows);

/* What is shown: "400 calls of main::work, the longest first", with how many of them when they are not all. */
char *rv_call_rows_text(const struct rv_call_rows *rows, const char *name, char *out, size_t out_bytes);

#endif
