#include "sink/indexed_waits.h"

#include <stdlib.h>

#include "base/vec.h"

void rv_indexed_waits_fini(struct rv_indexed_waits *waits)
{
    free(waits->waits);
    free(waits->releases);
    free(waits->moments);
    *waits = (struct rv_indexed_waits){0};
}

void rv_wait_finder_fini(struct rv_wait_finder *finder)
{
    free(finder->open);
    free(finder->waiting);
}

static void add_moment(struct rv_indexed_waits *waits, enum rv_moment_kind kind, uint64_t at_ns, size_t of)
{
    waits->moments =
        rv_vec_reserve(waits->moments, &waits->moments_capacity, waits->n_moments + 1, sizeof *waits->moments);
    waits->moments[waits->n_moments++] = (struct rv_moment){.at_ns = at_ns, .kind = kind, .of = (uint32_t)of};
}

static void add_wait(struct rv_indexed_waits *waits, const struct rv_wait *ended)
{
    const uint64_t start_ns = ended->start_ns < ended->end_ns ? ended->start_ns : ended->end_ns;
    add_moment(waits, RV_MOMENT_WOKEN, ended->end_ns, waits->n_waits);
    waits->waits = rv_vec_reserve(waits->waits, &waits->waits_capacity, waits->n_waits + 1, sizeof *waits->waits);
    waits->waits[waits->n_waits++] = (struct rv_rec_index_wait){
        .end_ns = ended->end_ns,
        .waited_ns = ended->end_ns - start_ns,
        .since_ns = ended->woke_ns ? ended->end_ns - ended->woke_ns : RV_REC_WAIT_SINCE_UNKNOWN,
        .object = ended->object,
        .waker = ended->waker,
        .kind = (uint8_t)ended->kind,
        .wake = (uint8_t)ended->wake};
}

static void add_release(struct rv_indexed_waits *waits, uint32_t object, uint64_t at_ns)
{
    add_moment(waits, RV_MOMENT_RELEASE, at_ns, waits->n_releases);
    waits->releases =
        rv_vec_reserve(waits->releases, &waits->releases_capacity, waits->n_releases + 1, sizeof *waits->releases);
    waits->releases[waits->n_releases++] = (struct rv_rec_index_release){.at_ns = at_ns, .object = object};
}

bool rv_indexed_waits_add(struct rv_indexed_waits *waits, const struct rv_event *event)
{
    const uint64_t now_ns = rv_event_ticks(event);
    struct rv_wait ended;
    switch (rv_open_waits_add(&waits->follower, event, now_ns, &ended)) {
    case RV_WAIT_STEP_NONE:
    case RV_WAIT_STEP_ON:
        return false;
    case RV_WAIT_STEP_ENDED:
        add_wait(waits, &ended);
        return true;
    case RV_WAIT_STEP_LOST:
        add_release(waits, RV_RELEASE_OF_ANY, now_ns);
        return true;
    case RV_WAIT_STEP_RELEASED:
        add_release(waits, event->id, now_ns);
        return true;
    case RV_WAIT_STEP_TAKEN:
        add_release(waits, event->id | RV_REC_RELEASE_IS_TAKEN, now_ns);
        return true;
    }
    return false;
}

bool rv_indexed_waits_end(struct rv_indexed_waits *waits, uint64_t end_ns)
{
    struct rv_wait ended;
    bool has_any = false;
    for (; rv_open_waits_end(&waits->follower, end_ns, &ended); has_any = true)
        add_wait(waits, &ended);
    return has_any;
}

static void set_call(struct rv_indexed_waits *waits, const struct rv_moment *moment)
{
    *(moment->kind == RV_MOMENT_WOKEN ? &waits->waits[moment->of].call : &waits->releases[moment->of].call) =
        moment->call;
}

void rv_indexed_waits_find_calls(struct rv_indexed_waits *waits, struct rv_wait_finder *finder,
                                 const struct rv_span *spans, size_t n, const struct rv_open_stack *open)
{
    const uint32_t n_open = open && waits->n_moments ? open->n_frames : 0;
    finder->open = rv_vec_reserve(finder->open, &finder->open_capacity, n_open, sizeof *finder->open);
    for (uint32_t i = 0; i < n_open; i++)
        finder->open[i] = (struct rv_lane_frame){.start_ns = open->start[i], .id = open->id[i]};
    finder->waiting =
        rv_vec_reserve(finder->waiting, &finder->waiting_capacity, waits->n_moments, sizeof *finder->waiting);
    rv_moments_find_calls(waits->moments, waits->n_moments, spans, n, finder->open, n_open, finder->waiting);
    for (size_t i = 0; i < waits->n_moments; i++)
        set_call(waits, &waits->moments[i]);
    waits->n_moments = 0;
}

static void sum_up(const struct rv_indexed_waits *waits, struct rv_rec_index_waiter *row)
{
    row->begin_ns = UINT64_MAX;
    for (size_t i = 0; i < waits->n_waits; i++) {
        const struct rv_rec_index_wait *wait = &waits->waits[i];
        row->begin_ns = wait->end_ns - wait->waited_ns < row->begin_ns ? wait->end_ns - wait->waited_ns : row->begin_ns;
        row->total_ns += wait->waited_ns;
        row->longest = wait->waited_ns > row->longest_ns ? (uint32_t)i : row->longest;
        row->longest_ns = wait->waited_ns > row->longest_ns ? wait->waited_ns : row->longest_ns;
    }
    row->begin_ns = waits->n_waits ? row->begin_ns : 0;
    row->first_ns = waits->n_waits ? waits->waits[0].end_ns : 0;
    row->last_ns = waits->n_waits ? waits->waits[waits->n_waits - 1].end_ns : 0;
    row->first_release_ns = waits->n_releases ? waits->releases[0].at_ns : 0;
    row->last_release_ns = waits->n_releases ? waits->releases[waits->n_releases - 1].at_ns : 0;
}

void rv_indexed_waits_put(struct rv_indexed_waits *waits, struct rv_rec_index_table *table, uint32_t stream,
                          uint32_t stack)
{
    struct rv_rec_index_waiter row = {.stream = stream,
                                      .stack = stack,
                                      .n_waits = (uint32_t)waits->n_waits,
                                      .n_releases = (uint32_t)waits->n_releases};
    if (!waits->n_waits && !waits->n_releases)
        return;
    sum_up(waits, &row);
    rv_rec_index_add(table, RV_REC_INDEX_WAITERS, &row);
    for (size_t i = 0; i < waits->n_waits; i++)
        rv_rec_index_add(table, RV_REC_INDEX_WAITS, &waits->waits[i]);
    for (size_t i = 0; i < waits->n_releases; i++)
        rv_rec_index_add(table, RV_REC_INDEX_RELEASES, &waits->releases[i]);
    waits->n_waits = waits->n_releases = waits->n_noted = 0;
}
