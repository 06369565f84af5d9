/*
 * Times of source lines. A line lasts from its statement's begin to the next statement of the same frame, or to the
 * frame's end; self time is without callees. Where a line is executed again inside of itself, by recursion, total time
 * is that of the outermost execution. Where a native function calls another, the line lasts as long as the call, and
 * has no self time.
 */
#ifndef RV_MODEL_LINE_TABLE_H
#define RV_MODEL_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "model/filter.h"
#include "model/subroutines.h"

struct rv_line_sums {
    uint64_t n_hits, self_ns, total_ns;
};

/* Add more to into. */
void rv_line_sums_add(struct rv_line_sums *into, const struct rv_line_sums *more);

struct rv_line_row {     /* a line, as executed in one subroutine */
    uint32_t subroutine; /* 0: outside of all calls */
    uint32_t file;       /* a subroutine in the same file; 0: `subroutine` itself */
    uint32_t line;       /* RV_LINE_OF_CALL: the line of the subroutine `file`, if known */
    struct rv_line_sums sums;
};

struct rv_line_table { /* zeroed = empty */
    struct rv_line_row *rows;
    size_t n, capacity;
    struct rv_hash_index index; /* index + 1 */
};

void rv_line_table_fini(struct rv_line_table *table);

/* The index of a line's row, which is added if it is new. */
size_t rv_line_table_find(struct rv_line_table *table, uint32_t subroutine, uint32_t file, uint32_t line);

/* Is any row's line known? */
bool rv_line_table_has_places(const struct rv_line_table *table, struct rv_subroutines *subroutines);

/* Add all rows of another table. */
void rv_line_table_merge(struct rv_line_table *table, const struct rv_line_table *other);

struct rv_line_table_row { /* a row for display */
    const char *file;      /* "": unknown; valid as long as the subroutines */
    uint32_t line;
    uint32_t subroutine; /* the least of several ids with one name, file and line */
    struct rv_line_sums sums;
};

/*
 * The rows of known lines, by falling self time, then total time, then file and line. Ids of one subroutine, and of one
 * file, are merged.
 *   filter   only rows of subroutines that pass its rules over names; NULL = all
 *   returns  *n rows, for free()
 */
struct rv_line_table_row *rv_line_table_take(const struct rv_line_table *table, struct rv_subroutines *subroutines,
                                             const struct rv_filter *filter, size_t *n);

#endif
