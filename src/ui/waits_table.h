/*
 * The list of what threads waited for, deadlocks first, then most waiting, or of arcs, from who ended waits to who had
 * them: find an object or a function, sort, go to its waits and its holders.
 */
#ifndef RV_UI_WAITS_TABLE_H
#define RV_UI_WAITS_TABLE_H

#include <stdbool.h>

#include "ui/ui.h"

struct rv_waits_table_name { /* "worker in cache::get", "mutex the_lock" */
    char text[160];          /* "": unknown */
    size_t n_before;         /* bytes before the name behind, which alone is shortened where there is room for them */
};

struct rv_waits_table_row {
    uint32_t idx; /* its number in actions */
    bool is_warning;
    bool is_chosen; /* what it is about stands out in the picture */
    struct rv_waits_table_name object, waiter, holder;
    uint64_t n_waits, n_timed_out, total_ns, idle_ns, p99_ns, longest_ns;
    uint64_t end_ns; /* of the longest, on the time axis */
};

enum rv_waits_column { /* rows are sorted by a number, or by OBJECT: in the order of their idx */
                       RV_WAITS_OBJECT,
                       RV_WAITS_TOTAL,
                       RV_WAITS_IDLE,
                       RV_WAITS_COUNT,
                       RV_WAITS_P99,
                       RV_WAITS_LONGEST,
                       RV_WAITS_END,
                       RV_WAITS_WAITER,
                       RV_WAITS_HOLDER
};

struct rv_waits_table {
    bool of_arcs;
    size_t n_rows;
    void (*row)(const void *context, size_t row_idx, struct rv_waits_table_row *out); /* called for visible rows only */
    const void *context;
    const char *notice; /* instead of rows; "" = none */
    bool has_missed;    /* some waits could not be read */
};

struct rv_waits_table_state {
    char find[64]; /* words: see rv_waits_table_is_found() */
    /* the user's order, in which rows are expected */
    enum rv_waits_column column;
    bool is_descending;
};

/* A row's number in a column; 0 for names. */
uint64_t rv_waits_table_number(const struct rv_waits_table_row *row, enum rv_waits_column column);

/* What stands for the holder: its name, or in brackets why it has none; `out` has room for holder.text. */
const char *rv_waits_table_holder(const struct rv_waits_table_row *row, char *out);

/* Does each of the words occur in what is shown of the object, the waiter or the holder? */
bool rv_waits_table_is_found(const struct rv_waits_table_state *state, const struct rv_waits_table_row *row);

/* Asks for RV_ACTION_WAITS, RV_ACTION_LIST_ARCS, RV_ACTION_SHOW_WAIT, RV_ACTION_SHOW_HOLDER. */
void rv_waits_table_show(struct rv_ui *ui, const struct rv_waits_table *shown, struct rv_waits_table_state *state,
                         struct rv_ui_acts *acts);

#endif
