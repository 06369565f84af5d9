/*
 * The calls of one subroutine in a range of time: each of them, or where there are too many the first in an order, and
 * sums of all by thread and caller, and by arguments. One thread at a time.
 */
#ifndef RV_MODEL_CALL_LIST_H
#define RV_MODEL_CALL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hash_index.h"
#include "model/box.h"
#include "model/lanes.h"

#define RV_CALL_LIST_MOST (1u << 18) /* calls kept: so many are sorted within some 30 ms */
#define RV_CALL_LIST_RECENT 256u
#define RV_CALL_NO_CALLER UINT32_MAX
#define RV_CALL_UNMEASURED UINT64_MAX /* as self_ns: this and what follows it is not known yet */

struct rv_call {
    uint64_t start_ns, duration_ns; /* of the whole call */
    uint64_t self_ns;               /* within the range, as the following */
    uint64_t total_ns;              /* 0 of an inner activation */
    uint64_t arguments_total_ns;    /* 0 of one inside another with the same arguments */
    uint32_t id, lane_idx, depth;
    uint32_t caller;    /* id of a subroutine, or RV_CALL_NO_CALLER */
    uint32_t arguments; /* id of their text (model/arguments.h), or 0 */
    uint16_t flags;     /* enum rv_span_flag */
};

struct rv_call_sums { /* of the calls on one lane by one caller; or with the same arguments */
    uint32_t lane_idx, caller, arguments;
    uint64_t n_calls, total_ns, self_ns, max_ns;
};

enum rv_call_list_order { RV_CALL_LIST_LONGEST, RV_CALL_LIST_SHORTEST, RV_CALL_LIST_EARLIEST, RV_CALL_LIST_LATEST };

struct rv_call_list {              /* zeroed = empty */
    enum rv_call_list_order order; /* set before there are calls: the first in it are kept; of equal ones the earlier */
    struct rv_call *calls;
    size_t n, capacity;
    size_t most;         /* that are kept; 0: RV_CALL_LIST_MOST */
    uint64_t least_rank; /* calls of less rank in the order are not among the first: they are not kept, */
    uint64_t until_ns;   /* nor are those of this rank that begin at this or later; 0: all of these are */
    uint64_t n_calls;    /* with those that are not kept */
    uint64_t longest_ns; /* of those that are kept; set by rv_call_list_finish() */
    struct rv_call_table {
        struct rv_call_sums *sums;
        size_t n, capacity;
        struct rv_hash_index places; /* of keys in sums, + 1 */
        struct rv_call_place {
            uint64_t key;
            uint32_t place;            /* + 1; 0: none yet */
        } recent[RV_CALL_LIST_RECENT]; /* places of keys of late, by their lowest bits */
    } by_caller, by_arguments;         /* keys: lane_idx and caller; arguments */
    uint32_t *by_start;                /* places in calls; made by rv_call_list_finish() */
};

/* The place of a call in an order: the first has the highest. */
static inline uint64_t rv_call_list_rank(enum rv_call_list_order order, uint64_t start_ns, uint64_t duration_ns)
{
    const uint64_t ns = order >= RV_CALL_LIST_EARLIEST ? start_ns : duration_ns;
    return order == RV_CALL_LIST_SHORTEST || order == RV_CALL_LIST_EARLIEST ? ~ns : ns;
}

/* Are there enough calls before one in the order of the list? Then it need not be added. */
static inline bool rv_call_list_is_beyond(const struct rv_call_list *list, uint64_t start_ns, uint64_t duration_ns)
{
    const uint64_t rank = rv_call_list_rank(list->order, start_ns, duration_ns);
    return rank < list->least_rank || (rank == list->least_rank && list->until_ns && start_ns >= list->until_ns);
}

void rv_call_list_fini(struct rv_call_list *list);
/* Add a call; copied. */
void rv_call_list_add(struct rv_call_list *list, const struct rv_call *call);

/* The same of a call that is neither counted nor in sums. */
void rv_call_list_keep(struct rv_call_list *list, const struct rv_call *call);

/* Add the calls of another list, which is not finished, as if they came after all of this one. */
void rv_call_list_merge(struct rv_call_list *list, const struct rv_call_list *from);

static inline uint64_t rv_call_end_ns(const struct rv_call *call)
{
    return rv_clock_after_ns(call->start_ns, call->duration_ns);
}

/* The call as a box of its lane. */
struct rv_box rv_call_box(const struct rv_call *call);

/* All were added: sort the calls in the list's order. */
void rv_call_list_finish(struct rv_call_list *list);

/* Leave the first n of a sorted list, at most all. */
void rv_call_list_leave(struct rv_call_list *list, size_t n);

/* Columns that a list can be sorted by. */
enum rv_call_column { RV_CALL_START, RV_CALL_DURATION, RV_CALL_SELF, RV_CALL_THREAD, RV_CALL_COLUMNS };

/*
 * The places of the calls of a finished list in the order of a column, equal ones in the order of the list; for free().
 *   thread_ranks  the place of each lane among the threads, by lane_idx
 */
uint32_t *rv_call_list_take_order(const struct rv_call_list *list, enum rv_call_column column, bool is_descending,
                                  const uint32_t *thread_ranks);

enum rv_call_grouping {
    RV_CALLS_BY_CALLER,
    RV_CALLS_BY_THREAD,
    RV_CALLS_BY_PROCESS,
    RV_CALLS_BY_ARGUMENTS,
    RV_CALL_GROUPINGS
};

/*
 * The sums of the calls grouped by caller, thread, process or arguments, by falling total. A group's lane_idx or caller
 * is that of one of its sums. For free().
 */
struct rv_call_sums *rv_call_list_take_groups(const struct rv_call_list *list, enum rv_call_grouping grouping,
                                              const struct rv_lanes *lanes, size_t *n);

#endif
