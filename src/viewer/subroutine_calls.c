#include "viewer/subroutine_calls.h"

#include <stdlib.h>

#include "viewer/show_call.h"
#include "viewer/viewer.h"

const struct rv_call_list *rv_viewer_subroutine_calls_list(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_range_job *job = rv_range_renewal_shown(&calls->listed);
    return job ? rv_range_statistics_calls(job->range) : NULL;
}

static bool is_as_listed(const struct rv_viewer_subroutine_calls *calls)
{
    return calls->column == RV_CALL_DURATION && calls->is_descending;
}

/* The begin of the list, where that is the order. */
static const struct rv_call_list *begin_of_list(const struct rv_viewer_subroutine_calls *calls)
{
    return is_as_listed(calls) ? rv_longest_calls_job_list(&calls->longest) : NULL;
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

size_t rv_viewer_subroutine_calls_place(const struct rv_viewer_subroutine_calls *calls, size_t row)
{
    return calls->order ? calls->order[row] : row;
}

static void forget_order(struct rv_viewer_subroutine_calls *calls)
{
    rv_call_order_job_stop(&calls->sorting);
    free(calls->order);
    calls->order = NULL;
}

static void forget_groups(struct rv_viewer_subroutine_calls *calls)
{
    free(calls->groups);
    calls->groups = NULL;
    calls->n_groups = 0;
}

/* What is shown until all are listed. */
static void forget_first(struct rv_viewer_subroutine_calls *calls)
{
    rv_longest_calls_job_stop(&calls->longest);
    rv_range_result_fini(&calls->sample);
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

static struct rv_range_statistics_params params_of(const struct rv_viewer *viewer)
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
                                               .calls_of = statistics->calls.id};
}

/* Is it about these calls, too? Of a program that runs, the range may have grown at its end. */
static bool is_about(const struct rv_longest_calls_job *longest, const struct rv_range_statistics_params *params)
{
    const struct rv_range_statistics_params *range = &longest->range;
    return longest->is_begun && range->from_ns == params->from_ns && range->to_ns <= params->to_ns &&
           range->filter == params->filter && range->time == params->time;
}

static void list(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_range_statistics_params params = params_of(viewer);
    const bool is_first = !rv_viewer_subroutine_calls_list(calls);
    calls->measured = viewer->statistics.version;
    calls->listed.n_calls_sampled = is_first ? RV_SAMPLED_CALLS : 0;
    if (is_first && !is_about(&calls->longest, &params)) {
        forget_order(calls);
        forget_first(calls);
        calls->current_of = NULL;
        rv_longest_calls_job_start(&calls->longest, &params);
    }
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
    find_namesakes(viewer, id);
    list(viewer);
}

/* ---- order ---- */

/* Lists have the longest call first. */
static void sort(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    const struct rv_call_list *shown = rv_viewer_subroutine_calls_shown(calls);
    if (is_as_listed(calls))
        forget_order(calls);
    else if (shown)
        rv_call_order_job_start(&calls->sorting, shown, viewer->lanes, calls->column, calls->is_descending);
}

static bool take_order(struct rv_viewer_subroutine_calls *calls)
{
    uint32_t *order = rv_call_order_job_take(&calls->sorting);
    if (!order)
        return false;
    free(calls->order);
    calls->order = order;
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

/* The begin of a list has no last call, and no first one by time. A sample has neither. */
static bool is_known(const struct rv_viewer_subroutine_calls *calls)
{
    const struct rv_call_list *begin = begin_of_list(calls);
    const size_t place = rv_viewer_subroutine_calls_has_current(calls) ? calls->current + 1 : 0;
    return rv_viewer_subroutine_calls_list(calls) || (begin && calls->request == RV_CALLS_LONGEST && place < begin->n);
}

static bool go_where_asked(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (calls->request == RV_CALLS_STAY || !is_known(calls))
        return false;
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
    const struct rv_call_list *listed = rv_viewer_subroutine_calls_list(calls);
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

/* All are listed. */
static bool show_all(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    if (!rv_range_renewal_is_ready(&calls->listed))
        return false;
    const struct rv_call_list *next = rv_range_statistics_calls(rv_range_renewal_next(&calls->listed)->range);
    calls->current_of = keeps_current(calls, next) ? next : NULL;
    forget_order(calls);
    rv_range_renewal_turn(&calls->listed);
    forget_first(calls);
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
    if (calls->current_of == list_of_sample(calls))
        calls->current_of = NULL;
    forget_order(calls);
    rv_range_result_fini(&calls->sample);
    calls->sample = sample;
    group(viewer);
    sort(viewer);
    return true;
}

bool rv_viewer_subroutine_calls_advance(struct rv_viewer *viewer)
{
    struct rv_viewer_statistics *statistics = &viewer->statistics;
    struct rv_viewer_subroutine_calls *calls = &statistics->calls;
    if (!calls->is_on)
        return false;
    if (calls->measured != statistics->version)
        list(viewer);
    bool has_changed = rv_range_renewal_poll(&calls->listed);
    has_changed |= rv_longest_calls_job_poll(&calls->longest);
    has_changed |= show_all(viewer);
    has_changed |= show_sample(viewer);
    has_changed |= take_order(calls);
    return go_where_asked(viewer) || has_changed;
}

void rv_viewer_subroutine_calls_wait(struct rv_viewer *viewer)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    rv_range_renewal_wait(&calls->listed);
    (void)rv_viewer_subroutine_calls_advance(viewer);
    rv_job_thread_wait(&calls->sorting.thread);
}

static void choose_order(struct rv_viewer *viewer, const struct rv_act *act)
{
    struct rv_viewer_subroutine_calls *calls = &viewer->statistics.calls;
    uint32_t column = act->idx ? act->idx - 1 : (uint32_t)calls->column + 1;
    calls->column = (enum rv_call_column)(column % RV_CALL_COLUMNS);
    calls->is_descending =
        act->idx ? act->amount > 0.0 : calls->column == RV_CALL_DURATION || calls->column == RV_CALL_SELF;
    sort(viewer);
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
            go_to_place(viewer, rv_viewer_subroutine_calls_place(&viewer->statistics.calls, act->idx));
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
