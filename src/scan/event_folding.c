/*
 * Of later time nothing is known, so a call with a time in it is cut where the stretch with that time begins and ends, as
 * calls are where pieces begin and end.
 */
#include "scan/event_folding.h"

#include <stdlib.h>

#include "base/vec.h"

struct sum { /* of a subroutine, since the last stretch that was left out */
    uint64_t own_ns, total_ns;
    uint32_t n;
    uint32_t n_open; /* calls */
    bool is_listed;
};

struct open_call {
    uint64_t start_ns;
    struct sum *sum;
    uint32_t id;
};

struct rv_event_folding {
    const uint32_t *as_id;
    uint32_t n_ids;
    uint32_t *own_ids; /* as_id, where each is counted as itself */
    struct sum *sums;  /* by subroutine; the last one is of time outside of calls */
    uint32_t *listed;  /* those that have sums */
    uint32_t n_listed;
    struct open_call *open;
    size_t n_open, open_capacity;
    struct rv_folded_sum *told;
    uint32_t *told_open;
    size_t told_capacity, told_open_capacity;
    /* of the present piece */
    const uint64_t *times_ns; /* those that were not passed */
    size_t n_times;
    uint64_t at_ns; /* the taker has earlier time */
    const struct rv_event_folding_taker *taker;
};

/* ---- sums ---- */

static inline uint32_t as_of(const struct rv_event_folding *folding, const struct sum *sum)
{
    const uint32_t as = (uint32_t)(sum - folding->sums);
    return as == folding->n_ids ? RV_FOLDED_OUTSIDE : as;
}

static inline struct sum *list(struct rv_event_folding *folding, uint32_t as)
{
    struct sum *sum = &folding->sums[as];
    if (!sum->is_listed)
        folding->listed[folding->n_listed++] = as;
    sum->is_listed = true;
    return sum;
}

static void clear(struct rv_event_folding *folding)
{
    for (uint32_t i = 0; i < folding->n_listed; i++) {
        struct sum *sum = &folding->sums[folding->listed[i]];
        sum->own_ns = sum->total_ns = sum->n = 0;
        sum->is_listed = false;
    }
    folding->n_listed = 0;
}

static void tell_sums(struct rv_event_folding *folding, uint64_t n_ns)
{
    folding->told = rv_vec_reserve(folding->told, &folding->told_capacity, folding->n_listed, sizeof *folding->told);
    for (uint32_t i = 0; i < folding->n_listed; i++) {
        const struct sum *sum = &folding->sums[folding->listed[i]];
        folding->told[i] = (struct rv_folded_sum){as_of(folding, sum), sum->own_ns, sum->n, sum->total_ns};
    }
    folding->taker->take_sums(folding->taker->context, n_ns, folding->told, folding->n_listed);
}

/* ---- calls ---- */

static uint32_t counted_as(const struct rv_event_folding *folding, uint32_t id)
{
    return id < folding->n_ids ? folding->as_id[id] : folding->n_ids;
}

static void reserve_open(struct rv_event_folding *folding)
{
    folding->open = rv_vec_reserve(folding->open, &folding->open_capacity, folding->n_open + 1, sizeof *folding->open);
}

static inline void push(struct rv_event_folding *folding, uint32_t id, uint64_t at_ns)
{
    struct sum *sum = list(folding, counted_as(folding, id));
    if (__builtin_expect(folding->n_open == folding->open_capacity, 0))
        reserve_open(folding);
    sum->n_open++;
    folding->open[folding->n_open++] = (struct open_call){at_ns, sum, id};
}

static inline void pop(struct rv_event_folding *folding, uint64_t at_ns)
{
    const struct open_call *call = &folding->open[--folding->n_open];
    if (--call->sum->n_open == 0)
        call->sum->total_ns += at_ns - call->start_ns;
}

static inline struct sum *innermost(struct rv_event_folding *folding)
{
    return folding->n_open ? folding->open[folding->n_open - 1].sum : list(folding, folding->n_ids);
}

/* Sum up what is between the last time and this one. Returns how many calls are open, which are left. */
static size_t end_sums(struct rv_event_folding *folding, uint64_t at_ns)
{
    const size_t n_open = folding->n_open;
    while (folding->n_open)
        pop(folding, at_ns);
    if (at_ns > folding->at_ns)
        tell_sums(folding, at_ns - folding->at_ns);
    clear(folding);
    return n_open;
}

/* A stretch with a time in it, of all calls that are open. */
static void leave_out(struct rv_event_folding *folding, uint64_t from_ns, uint64_t to_ns)
{
    const size_t n_open = end_sums(folding, from_ns);
    folding->told_open =
        rv_vec_reserve(folding->told_open, &folding->told_open_capacity, n_open, sizeof *folding->told_open);
    for (size_t i = 0; i < n_open; i++)
        folding->told_open[i] = as_of(folding, folding->open[i].sum);
    folding->taker->take_stretch(folding->taker->context, to_ns - from_ns, folding->told_open, n_open);
    while (folding->n_open < n_open)
        push(folding, folding->open[folding->n_open].id, to_ns);
    folding->at_ns = to_ns;
}

/* ---- events ---- */

/* The first time that is not before this; UINT64_MAX: there is none. */
static uint64_t next_time(struct rv_event_folding *folding, uint64_t from_ns)
{
    for (; folding->n_times && *folding->times_ns < from_ns; folding->n_times--)
        folding->times_ns++;
    return folding->n_times ? *folding->times_ns : UINT64_MAX;
}

/* Others change nothing about calls. */
static bool changes_calls(unsigned kind)
{
    return kind == RV_EVENT_SWITCH || kind == RV_EVENT_SYNC || kind == RV_EVENT_LOST || kind == RV_EVENT_CALL_AT ||
           kind == RV_EVENT_RETURN_AT;
}

static inline bool is_return_of(const struct rv_event *event, const struct open_call *call)
{
    return !event->id || event->id == call->id;
}

/* Is the next event the call's return? Half of all calls call nothing. */
static inline bool is_leaf(const struct rv_event *call, const struct rv_event *next)
{
    return rv_event_kind(next) == RV_EVENT_RETURN && next->frame == call->frame && (!next->id || next->id == call->id);
}

static inline void pass_leaf(struct rv_event_folding *folding, uint32_t id, uint64_t n_ns)
{
    struct sum *sum = list(folding, folding->as_id[id]);
    sum->own_ns += n_ns;
    sum->n += n_ns > 0;
    sum->total_ns += sum->n_open ? 0 : n_ns;
}

struct own { /* of the innermost call, not in its sum yet */
    struct sum *of;
    uint64_t n_ns;
    uint32_t n;
};

/* Another call becomes the innermost. */
static inline void add_own(struct own *own, struct sum *next)
{
    own->of->own_ns += own->n_ns;
    own->of->n += own->n;
    *own = (struct own){.of = next};
}

static bool fold(struct rv_event_folding *folding, const struct rv_event_piece *piece)
{
    const uint32_t n_ids = piece->n_ids < folding->n_ids ? piece->n_ids : folding->n_ids;
    const struct rv_open_stack *open = &piece->open;
    uint16_t level = open->n_frames ? (uint16_t)(open->key[open->n_frames - 1] + 1) : 0; /* of the next call */
    uint64_t at_ns = piece->from_ns, last_ns = at_ns, time_ns = next_time(folding, at_ns);
    for (uint32_t i = 0; i < open->n_frames; i++)
        push(folding, open->id[i], at_ns);
    struct own own = {.of = innermost(folding)};
    for (const struct rv_event *event = piece->events, *end = event + piece->n; event < end; event++) {
        const uint64_t now_ns = rv_event_ticks(event);
        const unsigned kind = rv_event_kind(event);
        if (now_ns < last_ns)
            return false;
        last_ns = now_ns;
        if (__builtin_expect(kind > RV_EVENT_RETURN, 0)) {
            if (changes_calls(kind))
                return false;
            continue;
        }
        if (__builtin_expect(now_ns >= time_ns, 0) && now_ns > at_ns) {
            add_own(&own, NULL);
            leave_out(folding, at_ns, now_ns);
            own.of = innermost(folding);
            time_ns = next_time(folding, now_ns);
        } else {
            own.n_ns += now_ns - at_ns;
            own.n += now_ns > at_ns;
        }
        at_ns = now_ns;
        if (kind == RV_EVENT_CALL) {
            if ((event->frame != level && folding->n_open) || event->id >= n_ids)
                return false;
            const uint64_t next_ns = event + 1 < end ? rv_event_ticks(event + 1) : 0;
            if (event + 1 < end && is_leaf(event, event + 1) && next_ns >= now_ns && next_ns < time_ns) {
                pass_leaf(folding, event->id, next_ns - now_ns);
                level = event->frame;
                at_ns = last_ns = next_ns;
                event++;
                continue;
            }
            push(folding, event->id, now_ns);
            level = (uint16_t)(event->frame + 1);
        } else {
            if (!folding->n_open || (uint16_t)(event->frame + 1) != level ||
                !is_return_of(event, &folding->open[folding->n_open - 1]))
                return false;
            pop(folding, now_ns);
            level = event->frame;
        }
        add_own(&own, innermost(folding));
    }
    add_own(&own, NULL);
    (void)end_sums(folding, at_ns);
    return at_ns == piece->to_ns;
}

static void forget_open(struct rv_event_folding *folding)
{
    while (folding->n_open)
        folding->open[--folding->n_open].sum->n_open = 0;
}

/* ---- public ---- */

bool rv_event_folding_fold(struct rv_event_folding *folding, const struct rv_event_piece *piece,
                           const uint64_t *times_ns, size_t n_times, const struct rv_event_folding_taker *taker)
{
    folding->times_ns = times_ns;
    folding->n_times = n_times;
    folding->at_ns = piece->from_ns;
    folding->taker = taker;
    const bool is_folded = fold(folding, piece);
    forget_open(folding);
    clear(folding);
    return is_folded;
}

void rv_event_folding_grow(struct rv_event_folding *folding, uint32_t n_ids)
{
    if (n_ids <= folding->n_ids)
        return;
    folding->n_ids = n_ids;
    folding->own_ids = rv_realloc(folding->own_ids, n_ids * sizeof *folding->own_ids);
    for (uint32_t i = 0; i < n_ids; i++)
        folding->own_ids[i] = i;
    folding->as_id = folding->own_ids;
    free(folding->sums);
    free(folding->listed);
    folding->sums = rv_alloc((size_t)n_ids + 1, sizeof *folding->sums);
    folding->listed = rv_alloc((size_t)n_ids + 1, sizeof *folding->listed);
}

struct rv_event_folding *rv_event_folding_create(const uint32_t *as_id, uint32_t n_ids)
{
    struct rv_event_folding *folding = rv_alloc(1, sizeof *folding);
    folding->as_id = as_id;
    folding->n_ids = n_ids;
    folding->sums = rv_alloc((size_t)n_ids + 1, sizeof *folding->sums);
    folding->listed = rv_alloc((size_t)n_ids + 1, sizeof *folding->listed);
    return folding;
}

void rv_event_folding_destroy(struct rv_event_folding *folding)
{
    if (!folding)
        return;
    free(folding->own_ids);
    free(folding->sums);
    free(folding->listed);
    free(folding->open);
    free(folding->told);
    free(folding->told_open);
    free(folding);
}
