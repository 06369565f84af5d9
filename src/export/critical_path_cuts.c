/*
 * Between two cuts all time is alike, so it is summed by subroutine, and what it belongs to is asked only at the cut: of a
 * hundred million calls, there are some thousand cuts.
 */
#include "export/critical_path_cuts.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "export/folding.h"

struct sum {                   /* of a subroutine */
    uint64_t own_ns, n;        /* since the last cut */
    uint64_t n_open, begun_ns; /* calls, and path_ns at the end of the outermost */
    struct rv_critical_path_time time;
    bool has_time;
};

struct rv_critical_path_cuts {
    struct rv_critical_path_cuts_params params;
    const struct rv_critical_path_cuts_thread *thread; /* of the present piece */
    struct sum *sums;                                  /* by subroutine; the last one is of time outside of calls */
    uint32_t *ran;                                     /* those that ran since the last cut, */
    uint32_t *timed;                                   /* and those that have a time */
    struct rv_own_time *own;
    uint32_t n_ran, n_timed;
    struct rv_folding *folding; /* of the present piece */
    uint64_t *times_ns;         /* for it: when something begins or ends */
    size_t n_times, times_capacity;
    /* of the present piece, whose time is passed backwards; what was not passed of */
    const struct rv_critical_path_step *steps; /* the path on this thread: the last one is next, */
    const struct rv_what_if_moment *moments;
    const struct rv_state_stretch *stretches; /* and of times off the CPU */
    size_t n_steps, n_moments, n_stretches;
    uint64_t at_ns;
    uint64_t cut_ns;     /* the next cut is here or earlier */
    uint64_t counted_ns; /* path_ns is that of later time */
    uint64_t path_ns;    /* time of the path that was passed */
    bool is_on_path, is_own;
    struct rv_savings_piece saved;
};

/* ---- cuts ---- */

static struct rv_critical_path_time *time_of(struct rv_critical_path_cuts *cuts, uint32_t id)
{
    struct sum *sum = &cuts->sums[id];
    if (!sum->has_time)
        cuts->timed[cuts->n_timed++] = id;
    sum->has_time = true;
    return &sum->time;
}

static const struct rv_critical_path_step *step_of(const struct rv_critical_path_cuts *cuts)
{
    return cuts->n_steps ? &cuts->steps[cuts->n_steps - 1] : NULL;
}

static void add_to_path(struct rv_critical_path_cuts *cuts, uint32_t id)
{
    const struct sum *sum = &cuts->sums[id];
    const enum rv_critical_path_step_kind kind = step_of(cuts)->kind;
    struct rv_critical_path_time *time = time_of(cuts, id);
    time->n_ns += sum->own_ns;
    time->n += sum->n;
    time->blocked_ns += kind == RV_CRITICAL_PATH_WAIT ? sum->own_ns : 0;
    time->runnable_ns += kind == RV_CRITICAL_PATH_WAKE ? sum->own_ns : 0;
}

/* What ran since the last cut, ran before it. */
static void cut(struct rv_critical_path_cuts *cuts, bool is_moment)
{
    size_t n_own = 0;
    for (uint32_t i = 0; i < cuts->n_ran; i++) {
        const uint32_t id = cuts->ran[i];
        if (cuts->is_on_path)
            add_to_path(cuts, id);
        if (cuts->is_own && id < cuts->params.n_ids)
            cuts->own[n_own++] = (struct rv_own_time){id, cuts->sums[id].own_ns};
        cuts->sums[id].own_ns = cuts->sums[id].n = 0;
    }
    cuts->n_ran = 0;
    if (n_own || is_moment)
        rv_savings_piece_put(&cuts->saved, cuts->own, n_own, is_moment);
}

/* Pass the cuts at this time or later. Returns the next one, as far as times are to be cut there. */
static uint64_t pass_cuts(struct rv_critical_path_cuts *cuts, uint64_t at_ns)
{
    const struct rv_critical_path_cuts_params *params = &cuts->params;
    const bool is_saving = params->is_saving && at_ns > params->from_ns;
    for (; cuts->n_moments && cuts->moments[cuts->n_moments - 1].at_ns >= at_ns; cuts->n_moments--)
        cut(cuts, true);
    cut(cuts, false);
    while (cuts->n_steps && step_of(cuts)->from_ns >= at_ns)
        cuts->n_steps--;
    const struct rv_critical_path_step *step = step_of(cuts);
    const struct rv_what_if_moment *moment = cuts->n_moments ? &cuts->moments[cuts->n_moments - 1] : NULL;
    cuts->is_on_path = step && step->to_ns >= at_ns;
    cuts->is_own = is_saving && (!moment || moment->n_waits == 0);
    uint64_t next_ns = is_saving ? params->from_ns : 0;
    if (step && (cuts->is_on_path ? step->from_ns : step->to_ns) > next_ns)
        next_ns = cuts->is_on_path ? step->from_ns : step->to_ns;
    return moment && moment->at_ns > next_ns ? moment->at_ns : next_ns;
}

/* n: how many stretches begin in it. */
static void add(struct rv_critical_path_cuts *cuts, uint32_t id, uint64_t own_ns, uint64_t n)
{
    struct sum *sum = &cuts->sums[id];
    if (!sum->own_ns)
        cuts->ran[cuts->n_ran++] = id;
    sum->own_ns += own_ns;
    sum->n += n;
}

/* A stretch off the CPU counts at its end. */
static void add_off_cpu(struct rv_critical_path_cuts *cuts, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t n_ns = to_ns - from_ns;
    const struct rv_state_times off = rv_state_times_sums_between(&cuts->thread->lane->stretches, from_ns, to_ns);
    const uint64_t runnable_ns = off.runnable_ns < n_ns ? off.runnable_ns : n_ns;
    struct rv_critical_path_time *time = time_of(cuts, id);
    time->runnable_ns += runnable_ns;
    time->blocked_ns += off.blocked_ns < n_ns - runnable_ns ? off.blocked_ns : n_ns - runnable_ns;
}

static bool has_stretch_after(const struct rv_critical_path_cuts *cuts, uint64_t from_ns)
{
    return cuts->n_stretches && cuts->stretches[cuts->n_stretches - 1].at_ns > from_ns;
}

/* The stretch of the path that ends here, if it does and began no earlier than from_ns. */
static void begin_on_path(struct rv_critical_path_cuts *cuts, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_step *step = step_of(cuts);
    const uint64_t begin_ns = step->from_ns > from_ns ? step->from_ns : from_ns;
    if (step->kind == RV_CRITICAL_PATH_RUN && has_stretch_after(cuts, begin_ns))
        add_off_cpu(cuts, id, begin_ns, to_ns);
}

static uint64_t path_ns(const struct rv_critical_path_cuts *cuts)
{
    return cuts->path_ns + (cuts->is_on_path ? cuts->counted_ns - cuts->at_ns : 0);
}

static void count_path(struct rv_critical_path_cuts *cuts)
{
    cuts->path_ns = path_ns(cuts);
    cuts->counted_ns = cuts->at_ns;
}

/* Down to from_ns; the next one is a cut. */
static void pass_stretches(struct rv_critical_path_cuts *cuts, uint64_t from_ns)
{
    while (has_stretch_after(cuts, from_ns))
        cuts->n_stretches--;
    if (cuts->n_stretches && cuts->stretches[cuts->n_stretches - 1].at_ns > cuts->cut_ns)
        cuts->cut_ns = cuts->stretches[cuts->n_stretches - 1].at_ns;
}

static void pass_with_cuts(struct rv_critical_path_cuts *cuts, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    count_path(cuts);
    cuts->at_ns = cuts->counted_ns = to_ns;
    for (uint64_t end_ns = to_ns, begin_ns; from_ns < end_ns; end_ns = begin_ns) {
        const uint64_t next_ns = pass_cuts(cuts, end_ns);
        begin_ns = next_ns > from_ns ? next_ns : from_ns;
        const bool is_new = cuts->is_on_path && (end_ns == to_ns || end_ns == step_of(cuts)->to_ns);
        if (is_new)
            begin_on_path(cuts, id, from_ns, end_ns);
        add(cuts, id, end_ns - begin_ns, is_new);
        cuts->at_ns = begin_ns;
        count_path(cuts);
        cuts->cut_ns = next_ns;
    }
    pass_stretches(cuts, from_ns);
}

/* ---- calls ---- */

static uint32_t counted_as(const struct rv_critical_path_cuts *cuts, uint32_t id)
{
    const struct rv_critical_path_cuts_params *params = &cuts->params;
    return id < params->n_ids ? params->as_id[id] : params->n_ids;
}

static void pass_stretch(struct rv_critical_path_cuts *cuts, uint32_t as, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns >= cuts->cut_ns)
        add(cuts, as, to_ns - from_ns, true);
    else
        pass_with_cuts(cuts, as, from_ns, to_ns);
    cuts->at_ns = from_ns;
}

static void enter(struct rv_critical_path_cuts *cuts, uint32_t as)
{
    struct sum *sum = &cuts->sums[as];
    if (sum->n_open++ == 0)
        sum->begun_ns = path_ns(cuts);
}

static void leave(struct rv_critical_path_cuts *cuts, uint32_t as)
{
    struct sum *sum = &cuts->sums[as];
    if (--sum->n_open == 0 && path_ns(cuts) > sum->begun_ns)
        time_of(cuts, as)->total_ns += path_ns(cuts) - sum->begun_ns;
}

void rv_critical_path_cuts_pass(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct rv_critical_path_cuts *cuts = context;
    pass_stretch(cuts, counted_as(cuts, id), from_ns, to_ns);
}

void rv_critical_path_cuts_enter(void *context, const struct rv_span *call)
{
    struct rv_critical_path_cuts *cuts = context;
    enter(cuts, counted_as(cuts, call->id));
}

void rv_critical_path_cuts_leave(void *context, uint32_t id)
{
    struct rv_critical_path_cuts *cuts = context;
    leave(cuts, counted_as(cuts, id));
}

/* ---- folded time ---- */

/* Between two cuts, or the first one of the piece: no cut is within it. */
static void pass_sums(struct rv_critical_path_cuts *cuts, const struct rv_folded_entry *sums,
                      struct rv_folded_reader *reader)
{
    if (sums->from_ns < cuts->cut_ns) {
        count_path(cuts);
        cuts->at_ns = cuts->counted_ns = sums->to_ns;
        cuts->cut_ns = pass_cuts(cuts, sums->to_ns);
        pass_stretches(cuts, sums->from_ns);
    }
    for (uint32_t i = 0; i < sums->n_rows; i++) {
        const struct rv_folded_row row = rv_folded_reader_row(reader);
        if (row.own_ns)
            add(cuts, row.id, row.own_ns, row.n);
        if (row.total_ns && cuts->is_on_path)
            time_of(cuts, row.id)->total_ns += row.total_ns;
    }
    cuts->at_ns = sums->from_ns;
}

void rv_critical_path_cuts_pass_folded(struct rv_critical_path_cuts *cuts, const struct rv_folded_time *folded)
{
    struct rv_folded_reader reader;
    rv_folded_reader_init(&reader, folded);
    for (struct rv_folded_entry entry; rv_folded_reader_next(&reader, &entry);)
        switch (entry.kind) {
        case RV_FOLDED_ENTER:
            enter(cuts, entry.id);
            break;
        case RV_FOLDED_LEAVE:
            leave(cuts, entry.id);
            break;
        case RV_FOLDED_STRETCH:
            pass_stretch(cuts, entry.id, entry.from_ns, entry.to_ns);
            break;
        case RV_FOLDED_SUMS:
            pass_sums(cuts, &entry, &reader);
            break;
        }
}

struct ahead { /* cuts of a piece, those that were not looked at: the last one is next */
    const struct rv_critical_path_cuts *of;
    size_t n_steps, n_moments, n_stretches;
};

/* Is time alike from from_ns to to_ns, and is no one off the CPU there? */
static bool is_alike(struct ahead *ahead, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_cuts *of = ahead->of;
    const struct rv_critical_path_cuts_params *params = &of->params;
    while (ahead->n_steps && of->steps[ahead->n_steps - 1].from_ns >= to_ns)
        ahead->n_steps--;
    while (ahead->n_moments && of->moments[ahead->n_moments - 1].at_ns >= to_ns)
        ahead->n_moments--;
    while (ahead->n_stretches && of->stretches[ahead->n_stretches - 1].at_ns > to_ns)
        ahead->n_stretches--;
    const struct rv_critical_path_step *step = ahead->n_steps ? &of->steps[ahead->n_steps - 1] : NULL;
    const bool is_cut = step && (step->from_ns > from_ns || (step->to_ns > from_ns && step->to_ns < to_ns));
    const bool begins = params->is_saving && params->from_ns > from_ns && params->from_ns < to_ns;
    return !is_cut && !begins && !(ahead->n_moments && of->moments[ahead->n_moments - 1].at_ns > from_ns) &&
           !(ahead->n_stretches && of->stretches[ahead->n_stretches - 1].at_ns > from_ns);
}

bool rv_critical_path_cuts_have_room(const struct rv_critical_path_cuts *cuts, const struct rv_folded_time *folded)
{
    struct ahead ahead = {cuts, cuts->n_steps, cuts->n_moments, cuts->n_stretches};
    struct rv_folded_reader reader;
    rv_folded_reader_init(&reader, folded);
    for (struct rv_folded_entry entry; rv_folded_reader_next(&reader, &entry);) {
        if (entry.kind == RV_FOLDED_SUMS && !is_alike(&ahead, entry.from_ns, entry.to_ns))
            return false;
        for (uint32_t i = 0; i < entry.n_rows; i++)
            (void)rv_folded_reader_row(&reader);
    }
    return true;
}

static void add_time(struct rv_critical_path_cuts *cuts, uint64_t at_ns, const struct rv_folded_time *part)
{
    if (at_ns < part->from_ns || at_ns > part->to_ns)
        return;
    cuts->times_ns = rv_vec_reserve(cuts->times_ns, &cuts->times_capacity, cuts->n_times + 1, sizeof *cuts->times_ns);
    cuts->times_ns[cuts->n_times++] = at_ns;
}

static int by_ns(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All cuts of the piece, which has begun. */
static void find_cuts(struct rv_critical_path_cuts *cuts, const struct rv_folded_time *part)
{
    cuts->n_times = 0;
    for (size_t i = cuts->n_steps; i-- > 0 && cuts->steps[i].to_ns >= part->from_ns;) {
        add_time(cuts, cuts->steps[i].from_ns, part);
        add_time(cuts, cuts->steps[i].to_ns, part);
    }
    for (size_t i = cuts->n_moments; i-- > 0 && cuts->moments[i].at_ns >= part->from_ns;)
        add_time(cuts, cuts->moments[i].at_ns, part);
    for (size_t i = cuts->n_stretches; i-- > 0 && cuts->stretches[i].at_ns >= part->from_ns;)
        add_time(cuts, cuts->stretches[i].at_ns, part);
    add_time(cuts, cuts->params.from_ns, part);
    if (cuts->n_times)
        qsort(cuts->times_ns, cuts->n_times, sizeof *cuts->times_ns, by_ns);
}

static struct rv_folding *folding_of(struct rv_critical_path_cuts *cuts)
{
    if (!cuts->folding)
        cuts->folding = rv_folding_create(cuts->params.as_id, cuts->params.n_ids);
    return cuts->folding;
}

struct rv_folded_time rv_critical_path_cuts_fold(struct rv_critical_path_cuts *cuts, const struct rv_span_piece *piece)
{
    struct rv_folded_time folded = {.from_ns = piece->from_ns, .to_ns = piece->to_ns};
    find_cuts(cuts, &folded);
    folded.bytes = rv_folding_fold(folding_of(cuts), piece, cuts->times_ns, cuts->n_times, &folded.n_bytes);
    return folded;
}

struct rv_folded_time rv_critical_path_cuts_fold_events(struct rv_critical_path_cuts *cuts,
                                                        const struct rv_event_piece *piece)
{
    struct rv_folded_time folded = {.from_ns = piece->from_ns, .to_ns = piece->to_ns};
    find_cuts(cuts, &folded);
    folded.bytes = rv_folding_fold_events(folding_of(cuts), piece, cuts->times_ns, cuts->n_times, &folded.n_bytes);
    return folded;
}

void rv_critical_path_cuts_begin(struct rv_critical_path_cuts *cuts, const struct rv_critical_path_cuts_thread *thread,
                                 uint64_t to_ns)
{
    const struct rv_state_times_sums *stretches = &thread->lane->stretches;
    cuts->thread = thread;
    cuts->steps = thread->steps;
    cuts->n_steps = thread->n_steps;
    cuts->moments = thread->moments;
    cuts->n_moments = rv_bisect_count(thread->moments, thread->n_moments, sizeof *thread->moments,
                                      offsetof(struct rv_what_if_moment, at_ns), to_ns);
    cuts->n_steps = rv_bisect_below(thread->steps, thread->n_steps, sizeof *thread->steps,
                                    offsetof(struct rv_critical_path_step, from_ns), to_ns);
    cuts->stretches = stretches->items;
    cuts->n_stretches = rv_bisect_count(stretches->items, stretches->n, sizeof *stretches->items,
                                        offsetof(struct rv_state_stretch, at_ns), to_ns);
    cuts->at_ns = cuts->counted_ns = to_ns;
    cuts->cut_ns = UINT64_MAX;
    cuts->is_on_path = cuts->is_own = false;
    cuts->saved = (struct rv_savings_piece){.thread = thread->idx, .to_ns = to_ns, .n_moments = cuts->n_moments};
}

void rv_critical_path_cuts_end(struct rv_critical_path_cuts *cuts, uint64_t from_ns)
{
    for (; cuts->n_moments && cuts->moments[cuts->n_moments - 1].at_ns > from_ns; cuts->n_moments--)
        cut(cuts, true);
    cut(cuts, false);
}

struct rv_savings_piece rv_critical_path_cuts_saved(const struct rv_critical_path_cuts *cuts)
{
    return cuts->saved;
}

void rv_critical_path_cuts_take(struct rv_critical_path_cuts *cuts, struct rv_critical_path_time *all)
{
    for (uint32_t i = 0; i < cuts->n_timed; i++) {
        struct sum *sum = &cuts->sums[cuts->timed[i]];
        struct rv_critical_path_time *time = &all[cuts->timed[i]];
        time->n_ns += sum->time.n_ns;
        time->n += sum->time.n;
        time->total_ns += sum->time.total_ns;
        time->blocked_ns += sum->time.blocked_ns;
        time->runnable_ns += sum->time.runnable_ns;
    }
    rv_critical_path_cuts_drop(cuts);
}

void rv_critical_path_cuts_drop(struct rv_critical_path_cuts *cuts)
{
    for (uint32_t i = 0; i < cuts->n_timed; i++) {
        cuts->sums[cuts->timed[i]].time = (struct rv_critical_path_time){0};
        cuts->sums[cuts->timed[i]].has_time = false;
    }
    cuts->n_timed = 0;
}

struct rv_critical_path_cuts *rv_critical_path_cuts_create(const struct rv_critical_path_cuts_params *params)
{
    const size_t n = (size_t)params->n_ids + 1;
    struct rv_critical_path_cuts *cuts = rv_alloc(1, sizeof *cuts);
    cuts->params = *params;
    cuts->sums = rv_alloc(n, sizeof *cuts->sums);
    cuts->ran = rv_alloc(n, sizeof *cuts->ran);
    cuts->timed = rv_alloc(n, sizeof *cuts->timed);
    cuts->own = rv_alloc(n, sizeof *cuts->own);
    return cuts;
}

void rv_critical_path_cuts_destroy(struct rv_critical_path_cuts *cuts)
{
    free(cuts->sums);
    free(cuts->ran);
    free(cuts->timed);
    free(cuts->own);
    rv_folding_destroy(cuts->folding);
    free(cuts->times_ns);
    free(cuts);
}
