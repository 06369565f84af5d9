/*
 * --group-by: statistics of calls by subroutine and by an argument, by the result, or by the task that was current as
 * they began, from the spool. Each different text
 * is a row of its own: a live source keeps a limited number of them, and counts what is beyond (source/arguments.h).
 */
#ifndef RV_EXPORT_GROUP_BY_H
#define RV_EXPORT_GROUP_BY_H

#include "export/spool.h"
#include "model/lanes.h"
#include "model/stats.h"
#include "model/subroutines.h"
#include "tasks/flow_table.h"

struct rv_group_by_key {
    bool is_on, is_result, is_task;
    bool is_sql;       /* numbers and strings of SQL are one: rv_group_by_normalize_sql() */
    uint32_t argument; /* from 1 */
};

/* "arg1", "arg2:sql", "ret", "task". False: it is none. */
bool rv_group_by_parse(const char *word, struct rv_group_by_key *key);

struct rv_group_by_params {
    const struct rv_spool *spool; /* sealed */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_group_by_key key;
    const struct rv_flow_table *flows; /* by task; else NULL. Borrowed for _create */
};

struct rv_call_group { /* of calls */
    uint32_t subroutine;
    char *text; /* "": calls whose argument is not known */
};

struct rv_group_by; /* opaque */

/* NULL: the spool could not be read, with one line printed. Main thread, after the session's end. */
struct rv_group_by *rv_group_by_create(const struct rv_group_by_params *params);
void rv_group_by_destroy(struct rv_group_by *groups);

/* The row ids are those of rv_group_by_at(); in total_ns calls within calls of their own group count once. Returns the
 * number of rows, writes up to max. */
size_t rv_group_by_rows(const struct rv_group_by *groups, struct rv_stats_row *out, size_t max);
const struct rv_call_group *rv_group_by_at(const struct rv_group_by *groups, uint32_t id);

/* Has any group a text? */
bool rv_group_by_has_texts(const struct rv_group_by *groups);

/* In place: numbers and '...' become ?, in a string as format.h writes it. */
void rv_group_by_normalize_sql(char *text);

#endif
