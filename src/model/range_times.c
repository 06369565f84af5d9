#include "model/range_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/vec.h"

#define MOST_SUMS 4096u /* that are read under the lane's lock at a time: there may be as many as calls */

struct stretch { /* merged notes cover a share of it */
    uint64_t start_ns, end_ns;
    double share;
};

static struct rv_state_stretch *append(struct rv_range_times *times, uint64_t at_ns)
{
    times->items = rv_vec_reserve(times->items, &times->capacity, times->n + 1, sizeof *times->items);
    times->items[times->n] = (struct rv_state_stretch){.at_ns = at_ns};
    return &times->items[times->n++];
}

static void add(struct rv_range_times *times, const struct stretch *stretch, const uint64_t range_ns[2], size_t field)
{
    const uint64_t from_ns = stretch->start_ns > range_ns[0] ? stretch->start_ns : range_ns[0];
    const uint64_t to_ns = stretch->end_ns < range_ns[1] ? stretch->end_ns : range_ns[1];
    if (from_ns >= to_ns || stretch->end_ns == UINT64_MAX)
        return;
    struct rv_state_stretch *time = append(times, to_ns);
    uint64_t *const sums[] = {&time->times.blocked_ns, &time->times.runnable_ns,  &time->times.unknown_ns,
                              &time->times.ready_ns,   &time->times.suspended_ns, &time->times.away_ns};
    *sums[field] = (uint64_t)(stretch->share * (double)(to_ns - from_ns) + 0.5);
}

static struct stretch stretch_of(const struct rv_lane_note *note)
{
    return (struct stretch){note->start_ns, note->end_ns, rv_note_share(note)};
}

/* A runtime's state lasts until the next one. */
static void add_state(struct rv_range_times *times, const struct rv_lane_note *state, uint64_t end_ns,
                      const uint64_t range_ns[2])
{
    const struct stretch stretch = {state->start_ns, end_ns, 1.0};
    if (state->id == RV_THREAD_READY || state->id == RV_THREAD_SUSPENDED)
        add(times, &stretch, range_ns, state->id == RV_THREAD_READY ? 3 : 4);
}

static int by_time(const void *a, const void *b)
{
    const struct rv_state_stretch *x = a, *y = b;
    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* Keep what ends in [ends_ns[0], ends_ns[1]). */
static void limit(struct rv_range_times *times, const uint64_t ends_ns[2])
{
    size_t n = 0;
    for (size_t i = 0; i < times->n; i++)
        if (times->items[i].at_ns >= ends_ns[0] && times->items[i].at_ns < ends_ns[1])
            times->items[n++] = times->items[i];
    times->n = n;
}

static void add_notes(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2])
{
    const struct rv_lane_note *state = NULL;
    for (size_t i = 0; i < lane->n_notes; i++) {
        const struct rv_lane_note *note = &lane->notes[i];
        const struct stretch stretch = stretch_of(note);
        if (rv_note_is(note, RV_NOTE_FORM_OFF_CPU))
            add(times, &stretch, range_ns, note->kind == RV_NOTE_BLOCKED ? 0 : note->kind == RV_NOTE_AWAY ? 5 : 1);
        if (rv_note_is(note, RV_NOTE_FORM_GAP))
            add(times, &stretch, range_ns, 2);
        if (!rv_note_is(note, RV_NOTE_FORM_STATE))
            continue;
        if (state)
            add_state(times, state, note->start_ns, range_ns);
        state = note;
    }
}

/* As nearly all notes are. */
static bool are_sorted(const struct rv_range_times *times)
{
    size_t i = 1;
    while (i < times->n && times->items[i - 1].at_ns <= times->items[i].at_ns)
        i++;
    return i >= times->n;
}

void rv_range_times_begin_states(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2])
{
    times->n = 0;
    add_notes(times, lane, range_ns);
    if (!are_sorted(times))
        qsort(times->items, times->n, sizeof *times->items, by_time);
}

static uint64_t hash_stretch(uint64_t hash, const struct rv_state_stretch *stretch)
{
    const struct rv_state_times *times = &stretch->times;
    const uint64_t numbers[] = {stretch->at_ns,  times->blocked_ns,   times->runnable_ns, times->unknown_ns,
                                times->ready_ns, times->suspended_ns, times->away_ns};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = rv_hash_combine(hash, numbers[i]);
    return hash;
}

uint64_t rv_range_times_hash_states(const struct rv_range_times *times, const uint64_t ends_ns[2])
{
    uint64_t hash = 0;
    for (size_t i = rv_bisect_below(times->items, times->n, sizeof *times->items,
                                    offsetof(struct rv_state_stretch, at_ns), ends_ns[0]);
         i < times->n && times->items[i].at_ns < ends_ns[1]; i++)
        hash = hash_stretch(hash, &times->items[i]);
    return hash;
}

/* ---- objects ---- */

static size_t sums_before(const struct rv_made_objects *made, uint64_t at_ns)
{
    return rv_bisect_below(made->sums, made->n_sums, sizeof *made->sums, offsetof(struct rv_made_objects_sum, at_ns),
                           at_ns);
}

/* Read the latest of the lane's first n sums. Under its lock. */
static void read_sums(struct rv_range_times *times, const struct rv_made_objects *made, size_t n)
{
    size_t first = sums_before(made, times->objects_from_ns);
    first += first == 0 && made->lost_until_ns; /* the first one is what the others are counted from */
    times->lacks_objects |= made->lost_until_ns > times->objects_from_ns;
    times->has_more = n > first + MOST_SUMS;
    const size_t at = times->has_more ? n - MOST_SUMS : first;
    times->n_sums = n > at ? n - at : 0;
    if (times->n_sums == 0)
        return;
    times->n_before = at ? made->sums[at - 1].n : 0;
    if (!times->sums)
        times->sums = rv_alloc_scratch(MOST_SUMS, sizeof *times->sums);
    memcpy(times->sums, &made->sums[at], times->n_sums * sizeof *times->sums);
}

static void begin_objects(struct rv_range_times *times, const struct rv_made_objects *made, const uint64_t range_ns[2],
                          const uint64_t ends_ns[2])
{
    times->objects_from_ns = range_ns[0] > ends_ns[0] ? range_ns[0] : ends_ns[0];
    times->lacks_objects = false;
    read_sums(times, made, sums_before(made, range_ns[1] < ends_ns[1] ? range_ns[1] : ends_ns[1]));
}

/* Go on where the last sums began: the lane may have dropped some since. */
static void read_more(struct rv_range_times *times, struct rv_lane *lane)
{
    const struct rv_made_objects *made = &lane->made;
    pthread_rwlock_rdlock(&lane->lock);
    read_sums(times, made,
              rv_bisect_count(made->sums, made->n_sums, sizeof *made->sums, offsetof(struct rv_made_objects_sum, n),
                              times->n_before));
    pthread_rwlock_unlock(&lane->lock);
}

/* The latest sum: as the stretch that it ends. */
static const struct rv_state_stretch *take_sum(struct rv_range_times *times)
{
    const struct rv_made_objects_sum *sum = &times->sums[--times->n_sums];
    const uint64_t before = times->n_sums ? sum[-1].n : times->n_before;
    times->taken = (struct rv_state_stretch){.at_ns = sum->at_ns, .times.n_objects = sum->n - before};
    return &times->taken;
}

/* ---- all of them ---- */

bool rv_range_times_begin(struct rv_range_times *times, const struct rv_lane *lane, const uint64_t range_ns[2],
                          const uint64_t ends_ns[2])
{
    rv_range_times_begin_states(times, lane, range_ns);
    limit(times, ends_ns);
    begin_objects(times, &lane->made, range_ns, ends_ns);
    return times->n || times->n_sums;
}

const struct rv_state_stretch *rv_range_times_take(struct rv_range_times *times, struct rv_lane *lane,
                                                   uint64_t after_ns)
{
    if (times->n_sums == 0 && times->has_more)
        read_more(times, lane);
    const uint64_t noted_ns = times->n ? times->items[times->n - 1].at_ns : 0;
    const uint64_t made_ns = times->n_sums ? times->sums[times->n_sums - 1].at_ns : 0;
    if (noted_ns <= after_ns && made_ns <= after_ns)
        return NULL;
    return made_ns > noted_ns ? take_sum(times) : &times->items[--times->n];
}

void rv_range_times_fini(struct rv_range_times *times)
{
    free(times->items);
    free(times->sums);
    *times = (struct rv_range_times){0};
}
