/*
 * Time is cut where the path comes or goes, where savings want to know own times, and where the thread came back to a
 * CPU. Between two cuts all time is alike, so it is summed by subroutine, and what it belongs to is asked only at the cut:
 * of a hundred million calls, there are some thousand cuts.
 */
#include "export/path_times.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "export/innermost_calls.h"

struct sum {                   /* of a subroutine */
    uint64_t own_ns, n;        /* since the last cut */
    uint64_t n_open, begun_ns; /* calls, and path_ns at the end of the outermost */
    struct rv_path_time time;
    bool has_time;
};

struct folder { /* of calls of a piece: of one thread at a time */
    struct rv_path_times *times;
    struct folder *next; /* of those that are idle */
    struct sum *sums;    /* by subroutine; the last one is of time outside of calls */
    uint32_t *ran;       /* those that ran since the last cut, */
    uint32_t *timed;     /* and those that have a time */
    struct rv_own_time *own;
    uint32_t n_ran, n_timed;
    /* of the present piece, whose time is passed backwards; what was not passed of */
    const struct rv_path_step *steps; /* the path on this thread: the last one is next, */
    const struct rv_if_free_moment *moments;
    const struct rv_state_stretch *stretches; /* and of times off the CPU */
    size_t n_steps, n_moments, n_stretches;
    uint64_t at_ns;
    uint64_t cut_ns;     /* the next cut is here or earlier */
    uint64_t counted_ns; /* path_ns is that of later time */
    uint64_t path_ns;    /* time of the path that was passed */
    bool is_on_path, is_own;
    struct rv_savings_piece saved;
};

struct rv_path_times {
    struct rv_path_times_params params;
    struct rv_path_time *all;
    /* of the thread that is added */
    const struct rv_lane *lane;
    uint32_t thread;
    const struct rv_path_step *steps;
    const struct rv_if_free_moment *moments;
    size_t n_steps, n_moments;
    pthread_mutex_t lock; /* of the rest */
    struct folder *idle;
    struct rv_savings_piece *pieces;
    size_t n_pieces, pieces_capacity;
};

/* ---- cuts ---- */

static struct rv_path_time *time_of(struct folder *folder, uint32_t id)
{
    struct sum *sum = &folder->sums[id];
    if (!sum->has_time)
        folder->timed[folder->n_timed++] = id;
    sum->has_time = true;
    return &sum->time;
}

static const struct rv_path_step *step_of(const struct folder *folder)
{
    return folder->n_steps ? &folder->steps[folder->n_steps - 1] : NULL;
}

static void add_to_path(struct folder *folder, uint32_t id)
{
    const struct sum *sum = &folder->sums[id];
    const enum rv_path_step_kind kind = step_of(folder)->kind;
    struct rv_path_time *time = time_of(folder, id);
    time->n_ns += sum->own_ns;
    time->n += sum->n;
    time->blocked_ns += kind == RV_PATH_WAIT ? sum->own_ns : 0;
    time->runnable_ns += kind == RV_PATH_WAKE ? sum->own_ns : 0;
}

/* What ran since the last cut, ran before it. */
static void cut(struct folder *folder, bool is_moment)
{
    size_t n_own = 0;
    for (uint32_t i = 0; i < folder->n_ran; i++) {
        const uint32_t id = folder->ran[i];
        if (folder->is_on_path)
            add_to_path(folder, id);
        if (folder->is_own && id < folder->times->params.n_ids)
            folder->own[n_own++] = (struct rv_own_time){id, folder->sums[id].own_ns};
        folder->sums[id].own_ns = folder->sums[id].n = 0;
    }
    folder->n_ran = 0;
    if (n_own || is_moment)
        rv_savings_piece_put(&folder->saved, folder->own, n_own, is_moment);
}

/* Pass the cuts at this time or later. Returns the next one, as far as times are to be cut there. */
static uint64_t pass_cuts(struct folder *folder, uint64_t at_ns)
{
    const struct rv_path_times_params *params = &folder->times->params;
    const bool is_saving = params->savings && at_ns > params->from_ns;
    for (; folder->n_moments && folder->moments[folder->n_moments - 1].at_ns >= at_ns; folder->n_moments--)
        cut(folder, true);
    cut(folder, false);
    while (folder->n_steps && step_of(folder)->from_ns >= at_ns)
        folder->n_steps--;
    const struct rv_path_step *step = step_of(folder);
    const struct rv_if_free_moment *moment = folder->n_moments ? &folder->moments[folder->n_moments - 1] : NULL;
    folder->is_on_path = step && step->to_ns >= at_ns;
    folder->is_own = is_saving && (!moment || moment->n_waits == 0);
    uint64_t next_ns = is_saving ? params->from_ns : 0;
    if (step && (folder->is_on_path ? step->from_ns : step->to_ns) > next_ns)
        next_ns = folder->is_on_path ? step->from_ns : step->to_ns;
    return moment && moment->at_ns > next_ns ? moment->at_ns : next_ns;
}

static void add(struct folder *folder, uint32_t id, uint64_t own_ns, bool is_new)
{
    struct sum *sum = &folder->sums[id];
    if (!sum->own_ns)
        folder->ran[folder->n_ran++] = id;
    sum->own_ns += own_ns;
    sum->n += is_new;
}

/* A stretch off the CPU counts at its end. */
static void add_off_cpu(struct folder *folder, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t n_ns = to_ns - from_ns;
    const struct rv_state_times off = rv_state_sums_between(&folder->times->lane->stretches, from_ns, to_ns);
    const uint64_t runnable_ns = off.runnable_ns < n_ns ? off.runnable_ns : n_ns;
    struct rv_path_time *time = time_of(folder, id);
    time->runnable_ns += runnable_ns;
    time->blocked_ns += off.blocked_ns < n_ns - runnable_ns ? off.blocked_ns : n_ns - runnable_ns;
}

static bool has_stretch_after(const struct folder *folder, uint64_t from_ns)
{
    return folder->n_stretches && folder->stretches[folder->n_stretches - 1].at_ns > from_ns;
}

/* The stretch of the path that ends here, if it does and began no earlier than from_ns. */
static void begin_on_path(struct folder *folder, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_path_step *step = step_of(folder);
    const uint64_t begin_ns = step->from_ns > from_ns ? step->from_ns : from_ns;
    if (step->kind == RV_PATH_RUN && has_stretch_after(folder, begin_ns))
        add_off_cpu(folder, id, begin_ns, to_ns);
}

static uint64_t path_ns(const struct folder *folder)
{
    return folder->path_ns + (folder->is_on_path ? folder->counted_ns - folder->at_ns : 0);
}

static void count_path(struct folder *folder)
{
    folder->path_ns = path_ns(folder);
    folder->counted_ns = folder->at_ns;
}

static void pass_with_cuts(struct folder *folder, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    count_path(folder);
    folder->at_ns = folder->counted_ns = to_ns;
    for (uint64_t end_ns = to_ns, begin_ns; from_ns < end_ns; end_ns = begin_ns) {
        const uint64_t next_ns = pass_cuts(folder, end_ns);
        begin_ns = next_ns > from_ns ? next_ns : from_ns;
        const bool is_new = folder->is_on_path && (end_ns == to_ns || end_ns == step_of(folder)->to_ns);
        if (is_new)
            begin_on_path(folder, id, from_ns, end_ns);
        add(folder, id, end_ns - begin_ns, is_new);
        folder->at_ns = begin_ns;
        count_path(folder);
        folder->cut_ns = next_ns;
    }
    while (has_stretch_after(folder, from_ns))
        folder->n_stretches--;
    if (folder->n_stretches && folder->stretches[folder->n_stretches - 1].at_ns > folder->cut_ns)
        folder->cut_ns = folder->stretches[folder->n_stretches - 1].at_ns;
}

/* ---- calls ---- */

static uint32_t counted_as(const struct folder *folder, uint32_t id)
{
    const struct rv_path_times_params *params = &folder->times->params;
    return id < params->n_ids ? params->as_id[id] : params->n_ids;
}

static void pass_time(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct folder *folder = context;
    const uint32_t as = counted_as(folder, id);
    if (from_ns >= folder->cut_ns)
        add(folder, as, to_ns - from_ns, true);
    else
        pass_with_cuts(folder, as, from_ns, to_ns);
    folder->at_ns = from_ns;
}

static void enter_call(void *context, uint32_t id)
{
    struct folder *folder = context;
    struct sum *sum = &folder->sums[counted_as(folder, id)];
    if (sum->n_open++ == 0)
        sum->begun_ns = path_ns(folder);
}

static void leave_call(void *context, uint32_t id)
{
    struct folder *folder = context;
    const uint32_t as = counted_as(folder, id);
    struct sum *sum = &folder->sums[as];
    if (--sum->n_open == 0 && path_ns(folder) > sum->begun_ns)
        time_of(folder, as)->total_ns += path_ns(folder) - sum->begun_ns;
}

/* ---- pieces ---- */

static void begin(struct folder *folder, uint64_t to_ns)
{
    const struct rv_path_times *times = folder->times;
    const struct rv_state_sums *stretches = &times->lane->stretches;
    folder->steps = times->steps;
    folder->n_steps = times->n_steps;
    folder->moments = times->moments;
    folder->n_moments = rv_bisect_count(times->moments, times->n_moments, sizeof *times->moments,
                                        offsetof(struct rv_if_free_moment, at_ns), to_ns);
    folder->n_steps = rv_bisect_below(times->steps, times->n_steps, sizeof *times->steps,
                                      offsetof(struct rv_path_step, from_ns), to_ns);
    folder->stretches = stretches->items;
    folder->n_stretches = rv_bisect_count(stretches->items, stretches->n, sizeof *stretches->items,
                                          offsetof(struct rv_state_stretch, at_ns), to_ns);
    folder->at_ns = folder->counted_ns = to_ns;
    folder->cut_ns = UINT64_MAX;
    folder->is_on_path = folder->is_own = false;
    folder->saved = (struct rv_savings_piece){.thread = times->thread, .to_ns = to_ns, .n_moments = folder->n_moments};
}

static void end(struct folder *folder, uint64_t from_ns)
{
    for (; folder->n_moments && folder->moments[folder->n_moments - 1].at_ns > from_ns; folder->n_moments--)
        cut(folder, true);
    cut(folder, false);
}

static struct folder *take_folder(struct rv_path_times *times)
{
    pthread_mutex_lock(&times->lock);
    struct folder *folder = times->idle;
    times->idle = folder ? folder->next : NULL;
    pthread_mutex_unlock(&times->lock);
    if (folder)
        return folder;
    const size_t n = (size_t)times->params.n_ids + 1;
    folder = rv_alloc(1, sizeof *folder);
    folder->times = times;
    folder->sums = rv_alloc(n, sizeof *folder->sums);
    folder->ran = rv_alloc(n, sizeof *folder->ran);
    folder->timed = rv_alloc(n, sizeof *folder->timed);
    folder->own = rv_alloc(n, sizeof *folder->own);
    return folder;
}

static void give_folder(struct rv_path_times *times, struct folder *folder)
{
    pthread_mutex_lock(&times->lock);
    folder->next = times->idle;
    times->idle = folder;
    times->pieces = rv_vec_reserve(times->pieces, &times->pieces_capacity, times->n_pieces + 1, sizeof *times->pieces);
    times->pieces[times->n_pieces++] = folder->saved;
    pthread_mutex_unlock(&times->lock);
}

static struct rv_innermost_calls calls_for(struct folder *folder)
{
    return (struct rv_innermost_calls){.lane = folder->times->lane,
                                       .from_ns = folder->times->params.from_ns,
                                       .to_ns = folder->times->params.to_ns,
                                       .pass = pass_time,
                                       .enter = enter_call,
                                       .leave = leave_call,
                                       .context = folder};
}

static void take_piece(void *context, const struct rv_span_piece *piece)
{
    struct rv_path_times *times = context;
    struct folder *folder = take_folder(times);
    const struct rv_innermost_calls calls = calls_for(folder);
    begin(folder, piece->to_ns);
    rv_innermost_calls_of_piece(&calls, piece);
    end(folder, piece->from_ns);
    give_folder(times, folder);
}

/* Does a step of the thread overlap this time? */
static bool is_on_path(const void *needed_by, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_path_times *times = needed_by;
    const size_t n = times->n_steps;
    const size_t i =
        rv_bisect_below(times->steps, n, sizeof *times->steps, offsetof(struct rv_path_step, to_ns), from_ns);
    return i < n && times->steps[i].from_ns <= to_ns;
}

static int read_whole(struct rv_path_times *times, const struct rv_lane_calls *calls)
{
    struct folder *folder = take_folder(times);
    struct rv_innermost_calls whole = calls_for(folder);
    whole.calls = calls;
    whole.is_needed = times->params.savings ? NULL : is_on_path;
    whole.needed_by = times;
    begin(folder, UINT64_MAX);
    const int error = rv_innermost_calls_read(&whole);
    end(folder, 0);
    give_folder(times, folder);
    return error;
}

/* is_kept: else what was read of the thread is forgotten. */
static void finish_thread(struct rv_path_times *times, bool is_kept)
{
    for (size_t i = 0; i < times->n_pieces; i++)
        if (is_kept && times->params.savings)
            rv_savings_add(times->params.savings, &times->pieces[i]);
        else
            free(times->pieces[i].bytes);
    times->n_pieces = 0;
    for (struct folder *folder = times->idle; folder; folder = folder->next) {
        for (uint32_t i = 0; i < folder->n_timed; i++) {
            struct sum *sum = &folder->sums[folder->timed[i]];
            struct rv_path_time *all = &times->all[folder->timed[i]];
            if (is_kept) {
                all->n_ns += sum->time.n_ns;
                all->n += sum->time.n;
                all->total_ns += sum->time.total_ns;
                all->blocked_ns += sum->time.blocked_ns;
                all->runnable_ns += sum->time.runnable_ns;
            }
            sum->time = (struct rv_path_time){0};
            sum->has_time = false;
        }
        folder->n_timed = 0;
    }
}

static bool read_pieces(struct rv_path_times *times, const struct rv_lane_calls *calls)
{
    return calls->read_pieces &&
           calls->read_pieces(calls->context,
                              &(struct rv_lane_pieces_wanted){.lane = times->lane,
                                                              .from_ns = times->params.from_ns,
                                                              .to_ns = times->params.to_ns,
                                                              .is_needed = times->params.savings ? NULL : is_on_path,
                                                              .needed_by = times,
                                                              .take = take_piece,
                                                              .context = times});
}

int rv_path_times_add(struct rv_path_times *times, const struct rv_lane_calls *calls, const struct rv_lane *lane,
                      uint32_t thread)
{
    const struct rv_lit_path *lit = times->params.lit;
    times->lane = lane;
    times->thread = thread;
    times->steps = thread < lit->n_threads ? &lit->by_thread[lit->first[thread]] : NULL;
    times->n_steps = thread < lit->n_threads ? lit->first[thread + 1] - lit->first[thread] : 0;
    times->n_moments = 0;
    if (times->params.savings)
        times->moments = rv_savings_moments(times->params.savings, thread, &times->n_moments);
    else if (!times->n_steps)
        return 0;
    if (read_pieces(times, calls)) {
        finish_thread(times, true);
        return 0;
    }
    finish_thread(times, false);
    const int error = read_whole(times, calls);
    finish_thread(times, true);
    return error;
}

/* ---- public ---- */

const struct rv_path_time *rv_path_times_all(const struct rv_path_times *times)
{
    return times->all;
}

struct rv_path_times *rv_path_times_create(const struct rv_path_times_params *params)
{
    struct rv_path_times *times = rv_alloc(1, sizeof *times);
    times->params = *params;
    times->all = rv_alloc((size_t)params->n_ids + 1, sizeof *times->all);
    pthread_mutex_init(&times->lock, NULL);
    return times;
}

void rv_path_times_destroy(struct rv_path_times *times)
{
    if (!times)
        return;
    for (struct folder *folder; (folder = times->idle);) {
        times->idle = folder->next;
        free(folder->sums);
        free(folder->ran);
        free(folder->timed);
        free(folder->own);
        free(folder);
    }
    pthread_mutex_destroy(&times->lock);
    free(times->pieces);
    free(times->all);
    free(times);
}
