/*
 * Time is cut where the path comes or goes, where savings want to know own times, and where the thread came back to a
 * CPU. Between two cuts all time is alike, so it is summed by subroutine, and what it belongs to is asked only at the cut:
 * of a hundred million calls, there are some thousand cuts.
 */
#include "export/critical_path_times.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "export/folding.h"
#include "export/innermost_calls.h"

struct sum {                   /* of a subroutine */
    uint64_t own_ns, n;        /* since the last cut */
    uint64_t n_open, begun_ns; /* calls, and path_ns at the end of the outermost */
    struct rv_critical_path_time time;
    bool has_time;
};

struct folder { /* of calls of a piece: of one thread at a time */
    struct rv_critical_path_times *times;
    struct folder *next; /* of those that are idle */
    struct sum *sums;    /* by subroutine; the last one is of time outside of calls */
    uint32_t *ran;       /* those that ran since the last cut, */
    uint32_t *timed;     /* and those that have a time */
    struct rv_own_time *own;
    uint32_t n_ran, n_timed;
    struct rv_folding *folding; /* of the present piece */
    uint64_t *times_ns;         /* for it: when something begins or ends */
    size_t n_times, times_capacity;
    /* of the present piece, whose time is passed backwards; what was not passed of */
    const struct rv_critical_path_step *steps; /* the path on this thread: the last one is next, */
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

struct part {
    uint64_t from_ns, to_ns;
};

struct rv_critical_path_times {
    struct rv_critical_path_times_params params;
    struct rv_critical_path_time *all;
    /* of the thread that is added */
    const struct rv_lane *lane;
    uint32_t thread;
    const struct rv_critical_path_step *steps;
    const struct rv_if_free_moment *moments;
    size_t n_steps, n_moments;
    uint64_t key;      /* in what is kept */
    struct part *used; /* its time that was kept, rising */
    size_t n_used, used_capacity;
    pthread_mutex_t lock; /* of the rest */
    struct folder *idle;
    struct rv_savings_piece *pieces;
    size_t n_pieces, pieces_capacity;
    bool has_doubles; /* a piece has time that was kept, and other time */
};

/* ---- cuts ---- */

static struct rv_critical_path_time *time_of(struct folder *folder, uint32_t id)
{
    struct sum *sum = &folder->sums[id];
    if (!sum->has_time)
        folder->timed[folder->n_timed++] = id;
    sum->has_time = true;
    return &sum->time;
}

static const struct rv_critical_path_step *step_of(const struct folder *folder)
{
    return folder->n_steps ? &folder->steps[folder->n_steps - 1] : NULL;
}

static void add_to_path(struct folder *folder, uint32_t id)
{
    const struct sum *sum = &folder->sums[id];
    const enum rv_critical_path_step_kind kind = step_of(folder)->kind;
    struct rv_critical_path_time *time = time_of(folder, id);
    time->n_ns += sum->own_ns;
    time->n += sum->n;
    time->blocked_ns += kind == RV_CRITICAL_PATH_WAIT ? sum->own_ns : 0;
    time->runnable_ns += kind == RV_CRITICAL_PATH_WAKE ? sum->own_ns : 0;
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
    const struct rv_critical_path_times_params *params = &folder->times->params;
    const bool is_saving = params->savings && at_ns > params->from_ns;
    for (; folder->n_moments && folder->moments[folder->n_moments - 1].at_ns >= at_ns; folder->n_moments--)
        cut(folder, true);
    cut(folder, false);
    while (folder->n_steps && step_of(folder)->from_ns >= at_ns)
        folder->n_steps--;
    const struct rv_critical_path_step *step = step_of(folder);
    const struct rv_if_free_moment *moment = folder->n_moments ? &folder->moments[folder->n_moments - 1] : NULL;
    folder->is_on_path = step && step->to_ns >= at_ns;
    folder->is_own = is_saving && (!moment || moment->n_waits == 0);
    uint64_t next_ns = is_saving ? params->from_ns : 0;
    if (step && (folder->is_on_path ? step->from_ns : step->to_ns) > next_ns)
        next_ns = folder->is_on_path ? step->from_ns : step->to_ns;
    return moment && moment->at_ns > next_ns ? moment->at_ns : next_ns;
}

/* n: how many stretches begin in it. */
static void add(struct folder *folder, uint32_t id, uint64_t own_ns, uint64_t n)
{
    struct sum *sum = &folder->sums[id];
    if (!sum->own_ns)
        folder->ran[folder->n_ran++] = id;
    sum->own_ns += own_ns;
    sum->n += n;
}

/* A stretch off the CPU counts at its end. */
static void add_off_cpu(struct folder *folder, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t n_ns = to_ns - from_ns;
    const struct rv_state_times off = rv_state_sums_between(&folder->times->lane->stretches, from_ns, to_ns);
    const uint64_t runnable_ns = off.runnable_ns < n_ns ? off.runnable_ns : n_ns;
    struct rv_critical_path_time *time = time_of(folder, id);
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
    const struct rv_critical_path_step *step = step_of(folder);
    const uint64_t begin_ns = step->from_ns > from_ns ? step->from_ns : from_ns;
    if (step->kind == RV_CRITICAL_PATH_RUN && has_stretch_after(folder, begin_ns))
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

/* Down to from_ns; the next one is a cut. */
static void pass_stretches(struct folder *folder, uint64_t from_ns)
{
    while (has_stretch_after(folder, from_ns))
        folder->n_stretches--;
    if (folder->n_stretches && folder->stretches[folder->n_stretches - 1].at_ns > folder->cut_ns)
        folder->cut_ns = folder->stretches[folder->n_stretches - 1].at_ns;
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
    pass_stretches(folder, from_ns);
}

/* ---- calls ---- */

static uint32_t counted_as(const struct folder *folder, uint32_t id)
{
    const struct rv_critical_path_times_params *params = &folder->times->params;
    return id < params->n_ids ? params->as_id[id] : params->n_ids;
}

static void pass_stretch(struct folder *folder, uint32_t as, uint64_t from_ns, uint64_t to_ns)
{
    if (from_ns >= folder->cut_ns)
        add(folder, as, to_ns - from_ns, true);
    else
        pass_with_cuts(folder, as, from_ns, to_ns);
    folder->at_ns = from_ns;
}

static void enter(struct folder *folder, uint32_t as)
{
    struct sum *sum = &folder->sums[as];
    if (sum->n_open++ == 0)
        sum->begun_ns = path_ns(folder);
}

static void leave(struct folder *folder, uint32_t as)
{
    struct sum *sum = &folder->sums[as];
    if (--sum->n_open == 0 && path_ns(folder) > sum->begun_ns)
        time_of(folder, as)->total_ns += path_ns(folder) - sum->begun_ns;
}

static void pass_time(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct folder *folder = context;
    pass_stretch(folder, counted_as(folder, id), from_ns, to_ns);
}

static void enter_call(void *context, const struct rv_span *call)
{
    struct folder *folder = context;
    enter(folder, counted_as(folder, call->id));
}

static void leave_call(void *context, uint32_t id)
{
    struct folder *folder = context;
    leave(folder, counted_as(folder, id));
}

/* ---- folded time ---- */

/* Between two cuts, or the first one of the piece: no cut is within it. */
static void pass_sums(struct folder *folder, const struct rv_folded_entry *sums, struct rv_folded_reader *reader)
{
    if (sums->from_ns < folder->cut_ns) {
        count_path(folder);
        folder->at_ns = folder->counted_ns = sums->to_ns;
        folder->cut_ns = pass_cuts(folder, sums->to_ns);
        pass_stretches(folder, sums->from_ns);
    }
    for (uint32_t i = 0; i < sums->n_rows; i++) {
        const struct rv_folded_row row = rv_folded_reader_row(reader);
        if (row.own_ns)
            add(folder, row.id, row.own_ns, row.n);
        if (row.total_ns && folder->is_on_path)
            time_of(folder, row.id)->total_ns += row.total_ns;
    }
    folder->at_ns = sums->from_ns;
}

static void pass_folded(struct folder *folder, const struct rv_folded_time *folded)
{
    struct rv_folded_reader reader;
    rv_folded_reader_init(&reader, folded);
    for (struct rv_folded_entry entry; rv_folded_reader_next(&reader, &entry);)
        switch (entry.kind) {
        case RV_FOLDED_ENTER:
            enter(folder, entry.id);
            break;
        case RV_FOLDED_LEAVE:
            leave(folder, entry.id);
            break;
        case RV_FOLDED_STRETCH:
            pass_stretch(folder, entry.id, entry.from_ns, entry.to_ns);
            break;
        case RV_FOLDED_SUMS:
            pass_sums(folder, &entry, &reader);
            break;
        }
}

struct cuts { /* of a piece, those that were not looked at: the last one is next */
    const struct folder *of;
    size_t n_steps, n_moments, n_stretches;
};

/* Is time alike from from_ns to to_ns, and is no one off the CPU there? */
static bool is_alike(struct cuts *cuts, uint64_t from_ns, uint64_t to_ns)
{
    const struct folder *of = cuts->of;
    const struct rv_critical_path_times_params *params = &of->times->params;
    while (cuts->n_steps && of->steps[cuts->n_steps - 1].from_ns >= to_ns)
        cuts->n_steps--;
    while (cuts->n_moments && of->moments[cuts->n_moments - 1].at_ns >= to_ns)
        cuts->n_moments--;
    while (cuts->n_stretches && of->stretches[cuts->n_stretches - 1].at_ns > to_ns)
        cuts->n_stretches--;
    const struct rv_critical_path_step *step = cuts->n_steps ? &of->steps[cuts->n_steps - 1] : NULL;
    const bool is_cut = step && (step->from_ns > from_ns || (step->to_ns > from_ns && step->to_ns < to_ns));
    const bool begins = params->savings && params->from_ns > from_ns && params->from_ns < to_ns;
    return !is_cut && !begins && !(cuts->n_moments && of->moments[cuts->n_moments - 1].at_ns > from_ns) &&
           !(cuts->n_stretches && of->stretches[cuts->n_stretches - 1].at_ns > from_ns);
}

/* Are the cuts of the piece, which has begun, where its time is not summed up? */
static bool has_room_for_cuts(const struct folder *folder, const struct rv_folded_time *folded)
{
    struct cuts cuts = {folder, folder->n_steps, folder->n_moments, folder->n_stretches};
    struct rv_folded_reader reader;
    rv_folded_reader_init(&reader, folded);
    for (struct rv_folded_entry entry; rv_folded_reader_next(&reader, &entry);) {
        if (entry.kind == RV_FOLDED_SUMS && !is_alike(&cuts, entry.from_ns, entry.to_ns))
            return false;
        for (uint32_t i = 0; i < entry.n_rows; i++)
            (void)rv_folded_reader_row(&reader);
    }
    return true;
}

static void add_time(struct folder *folder, uint64_t at_ns, const struct part *part)
{
    if (at_ns < part->from_ns || at_ns > part->to_ns)
        return;
    folder->times_ns =
        rv_vec_reserve(folder->times_ns, &folder->times_capacity, folder->n_times + 1, sizeof *folder->times_ns);
    folder->times_ns[folder->n_times++] = at_ns;
}

static int by_ns(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All cuts of the piece, which has begun. */
static void find_cuts(struct folder *folder, const struct part *part)
{
    folder->n_times = 0;
    for (size_t i = folder->n_steps; i-- > 0 && folder->steps[i].to_ns >= part->from_ns;) {
        add_time(folder, folder->steps[i].from_ns, part);
        add_time(folder, folder->steps[i].to_ns, part);
    }
    for (size_t i = folder->n_moments; i-- > 0 && folder->moments[i].at_ns >= part->from_ns;)
        add_time(folder, folder->moments[i].at_ns, part);
    for (size_t i = folder->n_stretches; i-- > 0 && folder->stretches[i].at_ns >= part->from_ns;)
        add_time(folder, folder->stretches[i].at_ns, part);
    add_time(folder, folder->times->params.from_ns, part);
    if (folder->n_times)
        qsort(folder->times_ns, folder->n_times, sizeof *folder->times_ns, by_ns);
}

static struct rv_folded_time fold(struct folder *folder, const struct rv_span_piece *piece)
{
    struct rv_folded_time folded = {.from_ns = piece->from_ns, .to_ns = piece->to_ns};
    find_cuts(folder, &(struct part){piece->from_ns, piece->to_ns});
    if (!folder->folding)
        folder->folding = rv_folding_create(folder->times->params.as_id, folder->times->params.n_ids);
    folded.bytes = rv_folding_fold(folder->folding, piece, folder->times_ns, folder->n_times, &folded.n_bytes);
    return folded;
}

/* For later paths: at the ends of this one they may have other cuts. */
static void keep(struct folder *folder, const struct rv_folded_time *folded, size_t n_calls)
{
    const struct rv_critical_path_times_params *params = &folder->times->params;
    if (!params->sums || folded->from_ns == folded->to_ns ||
        (folded->from_ns < params->from_ns && folded->to_ns > params->from_ns) || folded->to_ns > params->to_ns)
        return;
    pthread_mutex_lock(&folder->times->lock);
    rv_critical_path_sums_add(params->sums, folder->times->key, folded, n_calls);
    pthread_mutex_unlock(&folder->times->lock);
}

/* ---- pieces ---- */

static void begin(struct folder *folder, uint64_t to_ns)
{
    const struct rv_critical_path_times *times = folder->times;
    const struct rv_state_sums *stretches = &times->lane->stretches;
    folder->steps = times->steps;
    folder->n_steps = times->n_steps;
    folder->moments = times->moments;
    folder->n_moments = rv_bisect_count(times->moments, times->n_moments, sizeof *times->moments,
                                        offsetof(struct rv_if_free_moment, at_ns), to_ns);
    folder->n_steps = rv_bisect_below(times->steps, times->n_steps, sizeof *times->steps,
                                      offsetof(struct rv_critical_path_step, from_ns), to_ns);
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

static struct folder *take_folder(struct rv_critical_path_times *times)
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

static void put_back(struct rv_critical_path_times *times, struct folder *folder)
{
    pthread_mutex_lock(&times->lock);
    folder->next = times->idle;
    times->idle = folder;
    pthread_mutex_unlock(&times->lock);
}

/* With a piece. */
static void give_folder(struct rv_critical_path_times *times, struct folder *folder)
{
    pthread_mutex_lock(&times->lock);
    times->pieces = rv_vec_reserve(times->pieces, &times->pieces_capacity, times->n_pieces + 1, sizeof *times->pieces);
    times->pieces[times->n_pieces++] = folder->saved;
    pthread_mutex_unlock(&times->lock);
    put_back(times, folder);
}

/* The first used time that ends after this. */
static size_t find_used(const struct rv_critical_path_times *times, uint64_t from_ns)
{
    return rv_bisect_count(times->used, times->n_used, sizeof *times->used, offsetof(struct part, to_ns), from_ns);
}

/* Is all of this time used? Blocks and pieces of a recording are the same each time, and of them whole ones are used. */
static bool is_used(struct rv_critical_path_times *times, const struct part *part)
{
    const size_t i = find_used(times, part->from_ns);
    if (i == times->n_used || times->used[i].from_ns >= part->to_ns)
        return false;
    if (times->used[i].from_ns <= part->from_ns && times->used[i].to_ns >= part->to_ns)
        return true;
    pthread_mutex_lock(&times->lock);
    times->has_doubles = true;
    pthread_mutex_unlock(&times->lock);
    return false;
}

static void take_piece(void *context, const struct rv_span_piece *piece)
{
    struct rv_critical_path_times *times = context;
    const struct part part = {piece->from_ns, piece->to_ns};
    if (is_used(times, &part))
        return;
    struct folder *folder = take_folder(times);
    begin(folder, piece->to_ns);
    const struct rv_folded_time folded = fold(folder, piece);
    pass_folded(folder, &folded);
    end(folder, piece->from_ns);
    keep(folder, &folded, piece->n);
    give_folder(times, folder);
}

/* Does a step of the thread overlap this time? */
static bool is_on_path(const void *needed_by, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_times *times = needed_by;
    const size_t n = times->n_steps;
    const size_t i =
        rv_bisect_below(times->steps, n, sizeof *times->steps, offsetof(struct rv_critical_path_step, to_ns), from_ns);
    return i < n && times->steps[i].from_ns <= to_ns;
}

static int read_whole(struct rv_critical_path_times *times, const struct rv_lane_calls *calls)
{
    struct folder *folder = take_folder(times);
    begin(folder, UINT64_MAX);
    const int error =
        rv_innermost_calls_read(&(struct rv_innermost_calls){.calls = calls,
                                                             .lane = times->lane,
                                                             .from_ns = times->params.from_ns,
                                                             .to_ns = times->params.to_ns,
                                                             .is_needed = times->params.savings ? NULL : is_on_path,
                                                             .needed_by = times,
                                                             .pass = pass_time,
                                                             .enter = enter_call,
                                                             .leave = leave_call,
                                                             .context = folder});
    end(folder, 0);
    give_folder(times, folder);
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
    for (struct folder *folder = times->idle; folder; folder = folder->next) {
        for (uint32_t i = 0; i < folder->n_timed; i++) {
            struct sum *sum = &folder->sums[folder->timed[i]];
            struct rv_critical_path_time *all = &times->all[folder->timed[i]];
            if (is_kept) {
                all->n_ns += sum->time.n_ns;
                all->n += sum->time.n;
                all->total_ns += sum->time.total_ns;
                all->blocked_ns += sum->time.blocked_ns;
                all->runnable_ns += sum->time.runnable_ns;
            }
            sum->time = (struct rv_critical_path_time){0};
            sum->has_time = false;
        }
        folder->n_timed = 0;
    }
}

/* Is time that was not kept needed? */
static bool is_wanted(const void *needed_by, uint64_t from_ns, uint64_t to_ns)
{
    const struct rv_critical_path_times *times = needed_by;
    const size_t i = find_used(times, from_ns);
    const bool is_used = i < times->n_used && times->used[i].from_ns <= from_ns && times->used[i].to_ns >= to_ns;
    return !is_used && (times->params.savings || is_on_path(times, from_ns, to_ns));
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

static void take_folded(void *context, const struct rv_folded_time *folded)
{
    struct rv_critical_path_times *times = context;
    if (times->n_used && times->used[times->n_used - 1].to_ns > folded->from_ns)
        return;
    struct folder *folder = take_folder(times);
    begin(folder, folded->to_ns);
    if (!has_room_for_cuts(folder, folded)) {
        put_back(times, folder);
        return;
    }
    pass_folded(folder, folded);
    end(folder, folded->from_ns);
    give_folder(times, folder);
    use(times, folded);
}

static void take_kept(struct rv_critical_path_times *times)
{
    const struct rv_critical_path_times_params *params = &times->params;
    times->n_used = 0;
    times->has_doubles = false;
    if (!params->sums)
        return;
    times->key = rv_critical_path_sums_key(times->lane);
    rv_critical_path_sums_each(params->sums, times->key, params->from_ns, params->to_ns, take_folded, times);
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
    take_kept(times);
    return calls->read_pieces(calls->context, &(struct rv_lane_pieces_wanted){.lane = times->lane,
                                                                              .from_ns = times->params.from_ns,
                                                                              .to_ns = times->params.to_ns,
                                                                              .is_needed = is_wanted,
                                                                              .needed_by = times,
                                                                              .take = take_piece,
                                                                              .tell = tell,
                                                                              .context = times}) &&
           !times->has_doubles;
}

int rv_critical_path_times_add(struct rv_critical_path_times *times, const struct rv_lane_calls *calls,
                               const struct rv_lane *lane, uint32_t thread)
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
    for (struct folder *folder; (folder = times->idle);) {
        times->idle = folder->next;
        free(folder->sums);
        free(folder->ran);
        free(folder->timed);
        free(folder->own);
        rv_folding_destroy(folder->folding);
        free(folder->times_ns);
        free(folder);
    }
    pthread_mutex_destroy(&times->lock);
    free(times->used);
    free(times->pieces);
    free(times->all);
    free(times);
}
