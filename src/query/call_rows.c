#include "query/call_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"

/* Of the places [from, to) in the order, the longest call: lists have the longest first. */
static uint32_t longest(const uint32_t *order, size_t from, size_t to)
{
    uint32_t place = UINT32_MAX;
    for (size_t i = from; i < to; i++) {
        const uint32_t here = order ? order[i] : (uint32_t)i;
        place = here < place ? here : place;
    }
    return place;
}

static void add_row(struct rv_call_rows *rows, const struct rv_call_list *list, size_t from, size_t to)
{
    rows->items[rows->n++] =
        (struct rv_call_row){.call = list->calls[longest(rows->is_by_time ? list->by_start : NULL, from, to)],
                             .rank = from + 1,
                             .n_calls = to - from,
                             .n_levels = 1};
}

struct rv_call_rows *rv_call_rows_take(const struct rv_call_list *list, uint32_t id, bool is_by_time)
{
    struct rv_call_rows *rows = rv_alloc(1, sizeof *rows);
    const bool has_all = list->n <= RV_CALL_ROWS_MOST;
    const size_t n = has_all ? list->n : RV_CALL_ROWS_MOST;
    const size_t n_single = has_all ? n : is_by_time ? 0 : RV_CALL_ROWS_SINGLE, n_groups = n - n_single;
    atomic_init(&rows->n_holders, 1);
    rows->id = id;
    rows->is_by_time = is_by_time;
    rows->n_calls = list->n_calls;
    rows->longest_ns = list->n ? list->calls[0].duration_ns : 0;
    rows->items = rv_alloc(n, sizeof *rows->items);
    for (size_t i = 0; i < n_single; i++)
        add_row(rows, list, i, i + 1);
    for (size_t i = 0; i < n_groups; i++)
        add_row(rows, list, n_single + i * (list->n - n_single) / n_groups,
                n_single + (i + 1) * (list->n - n_single) / n_groups);
    return rows;
}

struct rv_call_rows *rv_call_rows_hold(struct rv_call_rows *rows)
{
    if (rows)
        atomic_fetch_add_explicit(&rows->n_holders, 1, memory_order_relaxed);
    return rows;
}

/* The last holder frees: CR1 -> CR2. */
void rv_call_rows_release(struct rv_call_rows *rows)
{
    if (!rows || atomic_fetch_sub_explicit(&rows->n_holders, 1, memory_order_acq_rel) != 1) /* CR1 -> CR2, CR2 <- CR1 */
        return;
    for (size_t i = 0; i < rows->n; i++)
        rv_timeline_destroy(rows->items[i].callees);
    free(rows->items);
    free(rows);
}

char *rv_call_rows_text(const struct rv_call_rows *rows, const char *name, char *out, size_t out_bytes)
{
    const char *order = rows->is_by_time ? "the earliest in front" : "the longest in front";
    char shown[48] = "";
    if (rows->n < rows->n_calls)
        snprintf(shown, sizeof shown, "%zu of ", rows->n);
    snprintf(out, out_bytes, "%s%" PRIu64 " %s of %s, %s%s%s", shown, rows->n_calls,
             rv_units_word(rows->n_calls, "call", "calls"), name, order,
             rows->n == rows->n_calls ? ""
             : rows->is_by_time       ? "; each is the longest of its group"
                                      : "; after the first 100, the longest of each group",
             rows->n_coarse ? "; short callees folded" : "");
    return out;
}
