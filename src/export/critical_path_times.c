#include "export/critical_path_times.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "export/innermost_calls.h"

struct part {
    uint64_t from_ns, to_ns;
};

struct rv_critical_path_times {
    struct rv_critical_path_times_params params;
    struct rv_critical_path_time *all;
    struct rv_critical_path_cuts_thread thread; /* that is added */
    uint64_t key;                               /* of its lane, in what is kept */
    struct part *used;                          /* its time that was kept, rising */
    size_t n_used, used_capacity;
    pthread_mutex_t lock; /* of the rest */
    struct rv_critical_path_cuts **idle;
    size_t n_idle, idle_capacity;
    struct rv_savings_piece *pieces;
    size_t n_pieces, pieces_capacity;
    bool has_doubles; /* a piece has time that was kept, and other time */
};

/* For later paths: at the ends of this one they may have other cuts. */
static void keep(struct rv_critical_path_times *times, const struct rv_folded_time *folded, size_t n_calls)
{
    const struct rv_critical_path_times_params *params = &times->params;
    if (!params->sums || folded->from_ns == folded->to_ns ||
        (folded->from_ns < params->from_ns && folded->to_ns > params->from_ns) || folded->to_ns > params->to_ns)
        return;
    pthread_mutex_lock(&times->lock);
    rv_critical_path_sums_add(params->sums, times->key, folded, n_calls);
    pthread_mutex_unlock(&times->lock);
}

static struct rv_critical_path_cuts *take_idle(struct rv_critical_path_times *times)
{
    pthread_mutex_lock(&times->lock);
    struct rv_critical_path_cuts *cuts = times->n_idle ? times->idle[--times->n_idle] : NULL;
    pthread_mutex_unlock(&times->lock);
    if (cuts)
        return cuts;
    const struct rv_critical_path_times_params *params = &times->params;
    return rv_critical_path_cuts_create(&(struct rv_critical_path_cuts_params){
        .as_id = params->as_id, .n_ids = params->n_ids, .from_ns = params->from_ns, .is_saving = params->savings});
}

static void give_back(struct rv_critical_path_times *times, struct rv_critical_path_cuts *cuts)
{
    pthread_mutex_lock(&times->lock);
    times->idle = rv_vec_reserve(times->idle, &times->idle_capacity, times->n_idle + 1, sizeof *times->idle);
    times->idle[times->n_idle++] = cuts;
    pthread_mutex_unlock(&times->lock);
}

/* With a piece. */
static void give_piece(struct rv_critical_path_times *times, struct rv_critical_path_cuts *cuts)
{
    pthread_mutex_lock(&times->lock);
    times->pieces = rv_vec_reserve(times->pieces, &times->pieces_capacity, times->n_pieces + 1, sizeof *times->pieces);
    times->pieces[times->n_pieces++] = rv_critical_path_cuts_saved(cuts);
    pthread_mutex_unlock(&times->lock);
    give_back(times, cuts);
}

/* The first used time that ends after this. */
static size_t find_used(const struct rv_critical_path_times *times, uint64_t from_ns)
{
    return rv_bisect_count(times->used, times->n_used, sizeof *times->used, offsetof(struct part, to_ns), from_ns);
}

/* The first used time that overlaps this; NULL: there is none. */
static const struct part *find_used_of(const struct rv_critical_path_times *times, const struct part *part)
{
    const size_t i = find_used(times, part->from_ns);
    return i < times->n_used && times->used[i].from_ns < part->to_ns ? &times->used[i] : NULL;
}

static bool has_all_of(const struct part *used, const struct part *part)
{
    return used->from_ns <= part->from_ns && used->to_ns >= part->to_ns;
}

/* Is all of this time used? Blocks and pieces of a recording are the same each time, and of them whole ones are used. */
static bool is_used(struct rv_critical_path_times *times, const struct part *part)
{
    const struct part *used = find_used_of(times, part);
    if (!used || has_all_of(used, part))
        return used;
    pthread_mutex_lock(&times->lock);
    times->has_doubles = true;
    pthread_mutex_unlock(&times->lock);
    return false;
}

/* Take folded time of the piece that has begun. */
static void add_folded(struct rv_critical_path_times *times, struct rv_critical_path_cuts *cuts,
                       const struct rv_folded_time *folded, size_t n_calls)
{
    rv_critical_path_cuts_pass_folded(cuts, folded);
    rv_critical_path_cuts_end(cuts, folded->from_ns);
    keep(times, folded, n_calls);
    give_piece(times, cuts);
}

static void take_piece(void *context, const struct rv_span_piece *piece)
{
    struct rv_critical_path_times *times = context;
    const struct part part = {piece->from_ns, piece->to_ns};
    if (is_used(times, &part))
        return;
    struct rv_critical_path_cuts *cuts = take_idle(times);
    rv_critical_path_cuts_begin(cuts, &times->thread, piece->to_ns);
    const struct rv_folded_time folded = rv_critical_path_cuts_fold(cuts, piece);
    add_folded(times, cuts, &folded, piece->n);
}

/* Of a block of which some is used, the rest comes in pieces of its own. */
static bool take_events(void *context, const struct rv_event_piece *piece)
{
    struct rv_critical_path_times *times = context;
    const struct part part = {piece->from_ns, piece->to_ns}, *used = find_used_of(times, &part);
    if (used)
        return has_all_of(used, &part);
    struct rv_critical_path_cuts *cuts = take_idle(times);
    rv_critical_path_cuts_begin(cuts, &times->thread, piece->to_ns);
    const struct rv_folded_time folded = rv_critical_path_cuts_fold_events(cuts, piece);
    if (folded.bytes)
        add_folded(times, cuts, &folded, piece->n / 2);
    else
        give_back(times, cuts);
    return folded.bytes;
}

/* Does a step of the thread overlap this time? */
static bool is_on_path(const void *needed_by, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_times *times = needed_by;
    const size_t n = times->thread.n_steps;
    const size_t i = rv_bisect_below(times->thread.steps, n, sizeof *times->thread.steps,
                                     offsetof(struct rv_critical_path_step, to_ns), from_ns);
    return i < n && times->thread.steps[i].from_ns <= to_ns;
}

static int read_whole(struct rv_critical_path_times *times, const struct rv_lane_calls *calls)
{
    struct rv_critical_path_cuts *cuts = take_idle(times);
    rv_critical_path_cuts_begin(cuts, &times->thread, UINT64_MAX);
    const int error =
        rv_innermost_calls_read(&(struct rv_innermost_calls){.calls = calls,
                                                             .lane = times->thread.lane,
                                                             .from_ns = times->params.from_ns,
                                                             .to_ns = times->params.to_ns,
                                                             .is_needed = times->params.savings ? NULL : is_on_path,
                                                             .needed_by = times,
                                                             .pass = rv_critical_path_cuts_pass,
                                                             .enter = rv_critical_path_cuts_enter,
                                                             .leave = rv_critical_path_cuts_leave,
                                                             .context = cuts});
    rv_critical_path_cuts_end(cuts, 0);
    give_piece(times, cuts);
    return error;
}

/* is_kept: else what was read of the thread is forgotten. */
static void finish_thread(struct rv_critical_path_times *times, bool is_kept)
{
    for (size_t i = 0; i < times->n_pieces; i++)
        if (is_kept && times->params.savings)
            rv_savings_add(times->params.savings, &times->pieces[i]);
        else
            free(times->pieces[i].bytes);
    times->n_pieces = 0;
    for (size_t i = 0; i < times->n_idle; i++)
        if (is_kept)
            rv_critical_path_cuts_take(times->idle[i], times->all);
        else
            rv_critical_path_cuts_drop(times->idle[i]);
}

/* Is time needed that is not used? Pieces begin and end at calls and returns, of which there is none from least_ns to from_ns. */
static bool is_wanted(const void *needed_by, uint64_t least_ns, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_times *times = needed_by;
    const size_t i = find_used(times, from_ns);
    const bool is_used = i < times->n_used && times->used[i].from_ns <= from_ns && times->used[i].to_ns >= to_ns;
    return !is_used && (times->params.savings || is_on_path(times, least_ns, to_ns));
}

static void use(struct rv_critical_path_times *times, const struct rv_folded_time *folded)
{
    struct part *last = times->n_used ? &times->used[times->n_used - 1] : NULL;
    if (last && last->to_ns == folded->from_ns) {
        last->to_ns = folded->to_ns;
        return;
    }
    times->used = rv_vec_reserve(times->used, &times->used_capacity, times->n_used + 1, sizeof *times->used);
    times->used[times->n_used++] = (struct part){folded->from_ns, folded->to_ns};
}

static void take_folded(struct rv_critical_path_times *times, const struct rv_folded_time *folded)
{
    if (times->n_used && times->used[times->n_used - 1].to_ns > folded->from_ns)
        return;
    struct rv_critical_path_cuts *cuts = take_idle(times);
    rv_critical_path_cuts_begin(cuts, &times->thread, folded->to_ns);
    if (!rv_critical_path_cuts_have_room(cuts, folded)) {
        give_back(times, cuts);
        return;
    }
    rv_critical_path_cuts_pass_folded(cuts, folded);
    rv_critical_path_cuts_end(cuts, folded->from_ns);
    give_piece(times, cuts);
    use(times, folded);
}

struct known { /* folded time of the thread */
    struct rv_critical_path_times *times;
    const struct rv_folded_time *recorded; /* those that were not taken */
    size_t n;
};

/* What was recorded begins where other pieces do, and has at least as much time. */
static void take_recorded(struct known *known, uint64_t until_ns)
{
    for (; known->n && known->recorded->from_ns <= until_ns; known->n--)
        take_folded(known->times, known->recorded++);
}

static void take_kept(void *context, const struct rv_folded_time *folded)
{
    struct known *known = context;
    take_recorded(known, folded->from_ns);
    take_folded(known->times, folded);
}

static void take_known(struct rv_critical_path_times *times)
{
    const struct rv_critical_path_times_params *params = &times->params;
    struct known known = {.times = times};
    times->n_used = 0;
    times->has_doubles = false;
    if (params->folds)
        known.recorded = rv_recorded_folds_of(params->folds, times->thread.lane, &known.n);
    if (params->sums) {
        times->key = rv_critical_path_sums_key(times->thread.lane);
        rv_critical_path_sums_each(params->sums, times->key, params->from_ns, params->to_ns, take_kept, &known);
    }
    take_recorded(&known, UINT64_MAX);
}

static void tell(void *context, double done)
{
    const struct rv_critical_path_times_params *params = &((struct rv_critical_path_times *)context)->params;
    if (params->tell)
        params->tell(params->teller, done);
}

static bool read_pieces(struct rv_critical_path_times *times, const struct rv_lane_calls *calls)
{
    if (!calls->read_pieces)
        return false;
    take_known(times);
    return calls->read_pieces(calls->context, &(struct rv_lane_pieces_wanted){.lane = times->thread.lane,
                                                                              .from_ns = times->params.from_ns,
                                                                              .to_ns = times->params.to_ns,
                                                                              .is_needed = is_wanted,
                                                                              .needed_by = times,
                                                                              .take = take_piece,
                                                                              .take_events = take_events,
                                                                              .tell = tell,
                                                                              .context = times}) &&
           !times->has_doubles;
}

int rv_critical_path_times_add(struct rv_critical_path_times *times, const struct rv_lane_calls *calls,
                               const struct rv_lane *lane, uint32_t thread)
{
    const struct rv_lit_path *lit = times->params.lit;
    times->thread.lane = lane;
    times->thread.idx = thread;
    times->thread.steps = thread < lit->n_threads ? &lit->by_thread[lit->first[thread]] : NULL;
    times->thread.n_steps = thread < lit->n_threads ? lit->first[thread + 1] - lit->first[thread] : 0;
    times->thread.n_moments = 0;
    if (times->params.savings)
        times->thread.moments = rv_savings_moments(times->params.savings, thread, &times->thread.n_moments);
    else if (!times->thread.n_steps)
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

const struct rv_critical_path_time *rv_critical_path_times_all(const struct rv_critical_path_times *times)
{
    return times->all;
}

struct rv_critical_path_times *rv_critical_path_times_create(const struct rv_critical_path_times_params *params)
{
    struct rv_critical_path_times *times = rv_alloc(1, sizeof *times);
    times->params = *params;
    if (params->sums)
        rv_critical_path_sums_name(params->sums, params->as_id, params->n_ids);
    times->all = rv_alloc((size_t)params->n_ids + 1, sizeof *times->all);
    pthread_mutex_init(&times->lock, NULL);
    return times;
}

void rv_critical_path_times_destroy(struct rv_critical_path_times *times)
{
    if (!times)
        return;
    for (size_t i = 0; i < times->n_idle; i++)
        rv_critical_path_cuts_destroy(times->idle[i]);
    free(times->idle);
    pthread_mutex_destroy(&times->lock);
    free(times->used);
    free(times->pieces);
    free(times->all);
    free(times);
}
