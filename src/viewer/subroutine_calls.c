#include "viewer/subroutine_calls.h"

#include <stdlib.h>

#include "viewer/show_call.h"
#include "viewer/viewer.h"

/* The order of lists that is that of the column. */
static enum rv_call_list_order list_order(const struct rv_viewer_subroutine_calls *calls)
{
    if (calls->column == RV_CALL_START)
        return calls->is_descending ? RV_CALL_LIST_LATEST : RV_CALL_LIST_EARLIEST;
    return calls->column == RV_CALL_DURATION && !calls->is_descending ? RV_CALL_LIST_SHORTEST : RV_CALL_LIST_LONGEST;
}

/* Is a list in the order of the column? */
static bool is_as_listed(const struct rv_viewer_subroutine_calls *calls, const struct rv_call_list *list)
{
    const bool has_order = calls->column == RV_CALL_START || calls->column == RV_CALL_DURATION;
    return has_order && list->order == list_order(calls);
}

static const struct rv_call_list *any_list(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_range_job *job = rv_range_renewal_shown(&calls->listed);
    return job ? rv_range_statistics_calls(job->range) : NULL;
}

static bool is_whole(const struct rv_call_list *list)
{
    return list->n == list->n_calls;
}

/* Others have not the calls that are the first by the column. */
const struct rv_call_list *rv_viewer_subroutine_calls_list(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_call_list *list = any_list(calls);
    const bool fits =
        list && (list->order == list_order(calls) || (is_whole(list) && list->order == RV_CALL_LIST_LONGEST));
    return fits ? list : NULL;
}

/* The begin of the list, where that is the order. */
static const struct rv_call_list *begin_of_list(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_call_list *first = rv_first_calls_job_list(&calls->first);
    return first && is_as_listed(calls, first) ? first : NULL;
}

static const struct rv_call_list *list_of_sample(const struct rv_viewer_subroutine_calls *calls)
{
    return calls->sample.range ? rv_range_statistics_calls(calls->sample.range) : NULL;
}

const struct rv_call_list *rv_viewer_subroutine_calls_shown(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_call_list *listed = rv_viewer_subroutine_calls_list(calls), *begin = begin_of_list(calls);
    return listed ? listed : begin ? begin : list_of_sample(calls);
}

double rv_viewer_subroutine_calls_sampled(const struct rv_viewer_subroutine_calls *calls)
{
    const bool is_sample = calls->sample.range && rv_viewer_subroutine_calls_shown(calls) == list_of_sample(calls);
    return is_sample ? rv_range_statistics_sampled(calls->sample.range) : 1.0;
}

bool rv_viewer_subroutine_calls_has_current(const struct rv_viewer_subroutine_calls *calls)
{
    return calls->current_of && calls->current_of == rv_viewer_subroutine_calls_shown(calls);
}

const uint32_t *rv_viewer_subroutine_calls_order(const struct rv_viewer_subroutine_calls *calls)
{
    return calls->order && calls->sorted == rv_viewer_subroutine_calls_shown(calls) ? calls->order : NULL;
}

static void forget_order(struct rv_viewer_subroutine_calls *calls)
{
    rv_call_order_job_stop(&calls->sorting);
    free(calls->order);
    calls->order = NULL;
    calls->sorted = NULL;
}

static void forget_groups(struct rv_viewer_subroutine_calls *calls)
{
    free(calls->groups);
    calls->groups = NULL;
    calls->n_groups = 0;
}

static void forget_sample(struct rv_viewer_subroutine_calls *calls)
{
    if (calls->sample.range && calls->current_of == list_of_sample(calls))
        calls->current_of = NULL;
    if (calls->sample.range && (calls->sorted == list_of_sample(calls) || calls->sorting.list == list_of_sample(calls)))
        forget_order(calls);
    rv_range_result_fini(&calls->sample);
}

/* What is shown until all are listed. */
static void forget_first(struct rv_viewer_subroutine_calls *calls)
{
    if (calls->current_of == &calls->first.list)
        calls->current_of = NULL;
    rv_first_calls_job_stop(&calls->first);
    forget_sample(calls);
}

void rv_viewer_subroutine_calls_choose_none(struct rv_viewer_subroutine_calls *calls)
{
    forget_order(calls);
    forget_groups(calls);
    forget_first(calls);
    rv_range_renewal_stop(&calls->listed);
    rv_name_set_fini(&calls->ids);
    calls->is_on = false;
    calls->current_of = NULL;
    calls->request = RV_CALLS_STAY;
}

void rv_viewer_subroutine_calls_fini(struct rv_viewer_subroutine_calls *calls)
{
    rv_viewer_subroutine_calls_choose_none(calls);
}

/* ---- listing ---- */

static void find_namesakes(struct rv_viewer *viewer, uint32_t id)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    uint32_t n_ids, *as_id = rv_subroutines_take_namesakes(viewer->subroutines, &n_ids);
    uint32_t least = id < n_ids ? as_id[id] : id;
    rv_name_set_add(&calls->ids, id);
    for (uint32_t i = 0; i < n_ids; i++)
        if (as_id[i] == least)
            rv_name_set_add(&calls->ids, i);
    free(as_id);
}

static struct rv_range_statistics_params params_of(const struct rv_viewer *viewer, enum rv_call_list_order order)
{
    const struct rv_viewer_statistics *statistics = &viewer->statistics;
    return (struct rv_range_statistics_params){.from_ns = statistics->shown.from_ns,
                                               .to_ns = statistics->shown.to_ns,
                                               .lanes = viewer->lanes,
                                               .subroutines = viewer->subroutines,
                                               .filter = statistics->asked_filter,
                                               .time = statistics->asked_time,
                                               .memory = statistics->memory,
                                               .lists_calls = true,
                                               .calls_of = statistics->calls.id,
                                               .list_order = order};
}

/* Is it about these calls, too? Of a program that runs, the range may have grown at its end. */
static bool is_about(const struct rv_first_calls_job *first, const struct rv_range_statistics_params *params)
{
    const struct rv_range_statistics_params *range = &first->range;
    return first->is_begun && range->from_ns == params->from_ns && range->to_ns <= params->to_ns &&
           range->filter == params->filter && range->time == params->time && range->list_order == params->list_order;
}

/* The first by the column, unless they are known. */
static void find_first(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_range_statistics_params params = params_of(viewer, list_order(calls));
    if (rv_viewer_subroutine_calls_list(calls) || is_about(&calls->first, &params))
        return;
    if (calls->current_of == &calls->first.list)
        calls->current_of = NULL;
    rv_first_calls_job_start(&calls->first, &params);
}

static void list(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_range_statistics_params params = params_of(viewer, calls->kept);
    calls->measured = viewer->statistics.version;
    calls->listed.n_calls_sampled = rv_viewer_subroutine_calls_list(calls) ? 0 : RV_SAMPLED_CALLS;
    forget_sample(calls);
    find_first(viewer);
    rv_range_renewal_start(&calls->listed, &params, viewer->session);
}

void rv_viewer_subroutine_calls_choose(struct rv_viewer *viewer, uint32_t id)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    calls->stands_out = true;
    if (calls->is_on && calls->id == id)
        return;
    rv_viewer_subroutine_calls_choose_none(calls);
    calls->is_on = true;
    calls->id = id;
    calls->kept = RV_CALL_LIST_LONGEST;
    find_namesakes(viewer, id);
    list(viewer);
}

/* ---- order ---- */

static void sort(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(calls);
    if (!shown || is_as_listed(calls, shown))
        forget_order(calls);
    else
        rv_call_order_job_start(&calls->sorting, shown, viewer->lanes, calls->column, calls->is_descending);
}

static void choose_column(struct rv_viewer *viewer, enum rv_call_column column, bool is_descending)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    calls->column = column;
    calls->is_descending = is_descending;
    if (calls->is_on)
        find_first(viewer);
    sort(viewer);
}

static bool take_order(struct rv_viewer_subroutine_calls *calls)
{
    uint32_t *order = rv_call_order_job_take(&calls->sorting);
    if (!order)
        return false;
    free(calls->order);
    calls->order = order;
    calls->sorted = calls->sorting.list;
    return true;
}

/* ---- going there ---- */

static void go_to_place(struct rv_viewer *viewer, size_t place)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_call *call = &rv_viewer_subroutine_calls_shown(calls)->calls[place];
    const struct rv_box box = rv_call_box(call);
    calls->current_of = rv_viewer_subroutine_calls_shown(calls);
    calls->current = place;
    rv_viewer_show_call(viewer, &box, call->lane_idx);
}

/* The place of the call that follows the current one by start, or precedes it; comes round. */
static size_t neighbour(const struct rv_viewer_subroutine_calls *calls, const struct rv_call_list *listed, bool is_next)
{
    size_t at = 0;
    while (listed->by_start[at] != calls->current)
        at++;
    return listed->by_start[(at + (is_next ? 1 : listed->n - 1)) % listed->n];
}

static size_t requested_place(const struct rv_viewer_subroutine_calls *calls, const struct rv_call_list *listed)
{
    const bool has_current = rv_viewer_subroutine_calls_has_current(calls);
    switch (calls->request) {
    case RV_CALLS_LONGEST:
        return has_current ? (calls->current + 1) % listed->n : 0;
    case RV_CALLS_LONGER:
        return has_current ? (calls->current + listed->n - 1) % listed->n : 0;
    case RV_CALLS_NEXT:
    case RV_CALLS_PREVIOUS:
        if (has_current)
            return neighbour(calls, listed, calls->request == RV_CALLS_NEXT);
        break;
    case RV_CALLS_FIRST:
    case RV_CALLS_STAY:
        break;
    }
    return listed->by_start[0];
}

/* The begin of a list has no last call. */
static bool is_in_begin(const struct rv_viewer_subroutine_calls *calls, enum rv_call_list_order order, size_t place)
{
    const struct rv_call_list *begin = begin_of_list(calls);
    return begin && begin->order == order && place < begin->n;
}

/* Does what is listed have the call that is asked for? */
static bool is_known(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_call_list *listed = rv_viewer_subroutine_calls_list(calls);
    const size_t next = rv_viewer_subroutine_calls_has_current(calls) ? calls->current + 1 : 0;
    switch (calls->request) {
    case RV_CALLS_STAY:
        break;
    case RV_CALLS_LONGEST:
        return listed ? listed->order == RV_CALL_LIST_LONGEST : is_in_begin(calls, RV_CALL_LIST_LONGEST, next);
    case RV_CALLS_LONGER:
        return listed && listed->order == RV_CALL_LIST_LONGEST;
    case RV_CALLS_FIRST:
        return listed ? is_whole(listed) || listed->order == RV_CALL_LIST_EARLIEST
                      : is_in_begin(calls, RV_CALL_LIST_EARLIEST, 0);
    case RV_CALLS_NEXT:
    case RV_CALLS_PREVIOUS:
        return listed;
    }
    return false;
}

/* Where not all calls are kept, the list is to be in the order that has the one that is asked for. */
static void choose_column_asked(struct rv_viewer *viewer)
{
    const bool is_by_start = viewer->statistics.calls.request == RV_CALLS_FIRST;
    choose_column(viewer, is_by_start ? RV_CALL_START : RV_CALL_DURATION, !is_by_start);
}

static bool go_where_asked(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (calls->request == RV_CALLS_STAY)
        return false;
    if (!is_known(calls)) {
        if (rv_viewer_subroutine_calls_list(calls))
            choose_column_asked(viewer);
        return false;
    }
    const struct rv_call_list *listed = rv_viewer_subroutine_calls_shown(calls);
    if (listed->n)
        go_to_place(viewer, requested_place(calls, listed));
    calls->request = RV_CALLS_STAY;
    return true;
}

/* Where no row is chosen, it is about the first one. */
static void request(struct rv_viewer *viewer, enum rv_calls_request request)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    if (!statistics->calls.is_on && statistics->n_rows && rv_viewer_statistics_stats(statistics))
        rv_viewer_subroutine_calls_choose(viewer, statistics->rows[0].id);
    if (!statistics->calls.is_on)
        return;
    statistics->calls.request = request;
    (void)go_where_asked(viewer);
}

/* ---- */

static void group(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_call_list *listed = any_list(calls);
    const struct rv_call_list *summed = listed ? listed : list_of_sample(calls);
    forget_groups(calls);
    if (summed)
        calls->groups = rv_call_list_take_groups(summed, calls->grouping, viewer->lanes, &calls->n_groups);
}

/* Is the current call at the same place in another list? */
static bool keeps_current(const struct rv_viewer_subroutine_calls *calls, const struct rv_call_list *next)
{
    if (!calls->current_of || calls->current >= next->n)
        return false;
    const struct rv_call *a = &calls->current_of->calls[calls->current], *b = &next->calls[calls->current];
    return a->lane_idx == b->lane_idx && a->start_ns == b->start_ns && a->depth == b->depth;
}

/* All are listed. Where not all are kept, it may be in another order than is shown now. */
static bool show_all(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (!rv_range_renewal_is_ready(&calls->listed))
        return false;
    const struct rv_call_list *next = rv_range_statistics_calls(rv_range_renewal_next(&calls->listed)->range);
    const bool keeps = keeps_current(calls, next);
    if (calls->current_of == any_list(calls))
        calls->current_of = NULL;
    forget_order(calls);
    rv_range_renewal_turn(&calls->listed);
    if (rv_viewer_subroutine_calls_list(calls)) {
        forget_first(calls);
        calls->current_of = keeps ? next : NULL;
    }
    group(viewer);
    sort(viewer);
    return true;
}

static bool show_sample(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    struct rv_range_result sample = {0};
    if (!rv_viewer_subroutine_calls_list(calls))
        sample = rv_range_renewal_take_sample(&calls->listed);
    if (!sample.range)
        return false;
    forget_sample(calls);
    calls->sample = sample;
    group(viewer);
    sort(viewer);
    return true;
}

/* Is a list there that has not the first calls by the column? */
static bool is_other_order(const struct rv_viewer_subroutine_calls *calls)
{
    return any_list(calls) && !rv_viewer_subroutine_calls_list(calls) && !rv_range_renewal_is_on(&calls->listed);
}

static void list_wanted(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const bool is_other = is_other_order(calls);
    if (is_other)
        calls->kept = list_order(calls);
    if (is_other || calls->measured != viewer->statistics.version)
        list(viewer);
}

bool rv_viewer_subroutine_calls_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (!calls->is_on)
        return false;
    bool has_changed = rv_range_renewal_poll(&calls->listed);
    has_changed |= rv_first_calls_job_poll(&calls->first);
    has_changed |= show_all(viewer);
    list_wanted(viewer);
    has_changed |= show_sample(viewer);
    has_changed |= take_order(calls);
    return go_where_asked(viewer) || has_changed;
}

void rv_viewer_subroutine_calls_wait(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    do {
        rv_range_renewal_wait(&calls->listed);
        (void)rv_viewer_subroutine_calls_advance(viewer);
    } while (calls->is_on && rv_range_renewal_is_on(&calls->listed));
    rv_job_thread_wait(&calls->sorting.thread);
}

static void choose_order(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const enum rv_call_column column =
        (enum rv_call_column)((act->idx ? act->idx - 1 : (uint32_t)calls->column + 1) % RV_CALL_COLUMNS);
    choose_column(viewer, column, act->idx ? act->amount > 0.0 : column == RV_CALL_DURATION || column == RV_CALL_SELF);
}

static void choose_grouping(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    uint32_t grouping = act->idx ? act->idx - 1 : (uint32_t)calls->grouping + 1;
    calls->grouping = (enum rv_call_grouping)(grouping % RV_CALL_GROUPINGS);
    group(viewer);
}

bool rv_viewer_subroutine_calls_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(&viewer->statistics.calls);
    const uint32_t *order = rv_viewer_subroutine_calls_order(&viewer->statistics.calls);
    switch ((int)act->action) {
    case RV_ACTION_LONGEST_CALL:
        request(viewer, RV_CALLS_LONGEST);
        break;
    case RV_ACTION_LONGER_CALL:
        request(viewer, RV_CALLS_LONGER);
        break;
    case RV_ACTION_FIRST_CALL:
        request(viewer, RV_CALLS_FIRST);
        break;
    case RV_ACTION_NEXT_CALL:
        request(viewer, RV_CALLS_NEXT);
        break;
    case RV_ACTION_PREVIOUS_CALL:
        request(viewer, RV_CALLS_PREVIOUS);
        break;
    case RV_ACTION_SHOW_CALL:
        if (shown && act->idx < shown->n)
            go_to_place(viewer, order ? order[act->idx] : act->idx);
        break;
    case RV_ACTION_SORT_CALLS:
        choose_order(viewer, act);
        break;
    case RV_ACTION_GROUP_CALLS:
        choose_grouping(viewer, act);
        break;
    default:
        return false;
    }
    return true;
}
