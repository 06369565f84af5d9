/*
 * What is free is not known yet when the calls are read, so the own times of all subroutines are kept: between two
 * moments of a thread, of those that ran there. That is little, since moments are begins and ends of waits, and few
 * subroutines run between two of them.
 *
 *   bytes of a piece: lists, the latest first; each a number 2 n, or 2 n + 1 if it begins at a moment, then n times a subroutine and
 *   its time; all of them varints
 */
#include "export/savings.h"

#include <stdlib.h>

#include "base/leb128.h"
#include "base/vec.h"

struct rv_savings {
    struct rv_savings_params params;
    struct rv_what_if *if_free;
    struct rv_savings_piece *pieces; /* when savings are measured: by thread, the latest first */
    size_t n_pieces, pieces_capacity;
};

/* ---- own times between moments ---- */

const struct rv_what_if_moment *rv_savings_moments(const struct rv_savings *savings, uint32_t thread, size_t *n)
{
    return rv_what_if_moments(savings->if_free, thread, n);
}

static void put(struct rv_savings_piece *piece, uint64_t value)
{
    piece->n_bytes += rv_leb128_put(piece->bytes + piece->n_bytes, value);
}

void rv_savings_piece_put(struct rv_savings_piece *piece, const struct rv_own_time *times, size_t n, bool has_moment)
{
    const size_t most = (1 + 2 * n) * RV_LEB128_MOST_BYTES;
    piece->bytes = rv_vec_reserve(piece->bytes, &piece->capacity, piece->n_bytes + most, 1);
    put(piece, 2 * n + has_moment);
    for (size_t i = 0; i < n; i++) {
        put(piece, times[i].id);
        put(piece, times[i].own_ns);
    }
}

void rv_savings_add(struct rv_savings *savings, const struct rv_savings_piece *piece)
{
    savings->pieces =
        rv_vec_reserve(savings->pieces, &savings->pieces_capacity, savings->n_pieces + 1, sizeof *savings->pieces);
    savings->pieces[savings->n_pieces++] = *piece;
}

static int by_thread_and_time(const void *a, const void *b)
{
    const struct rv_savings_piece *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->to_ns < y->to_ns) - (x->to_ns > y->to_ns);
}

/* ---- had something been free ---- */

struct summing { /* of a thread, the latest first */
    const struct rv_what_if_moment *moments;
    size_t n_moments;   /* those that were not passed */
    uint64_t behind_ns; /* own time of what was passed */
    uint64_t *until_ns; /* of each moment that was passed: behind_ns then */
};

static void pass_moment(struct summing *summing)
{
    summing->until_ns[summing->moments[--summing->n_moments].idx] = summing->behind_ns;
}

static void sum_piece(struct summing *summing, const struct rv_savings_piece *piece, uint32_t id)
{
    while (summing->n_moments > piece->n_moments)
        pass_moment(summing);
    for (const uint8_t *at = piece->bytes; at < piece->bytes + piece->n_bytes;) {
        const uint64_t head = rv_leb128_get(&at);
        for (uint64_t n = head / 2; n > 0; n--) {
            const bool is_of = rv_leb128_get(&at) == id;
            const uint64_t own_ns = rv_leb128_get(&at);
            summing->behind_ns += is_of ? own_ns : 0;
        }
        if (head % 2)
            pass_moment(summing);
    }
}

/* The subroutine's own time of a thread until each of its moments. Returns behind its pieces. */
static size_t sum_thread(const struct rv_savings *savings, size_t first, uint32_t id, uint64_t *until_ns)
{
    const uint32_t thread = savings->pieces[first].thread;
    size_t n, end = first;
    const struct rv_what_if_moment *moments = rv_what_if_moments(savings->if_free, thread, &n);
    struct summing summing = {.moments = moments, .n_moments = n, .until_ns = until_ns};
    for (; end < savings->n_pieces && savings->pieces[end].thread == thread; end++)
        sum_piece(&summing, &savings->pieces[end], id);
    while (summing.n_moments)
        pass_moment(&summing);
    for (size_t i = 0; i < n; i++)
        until_ns[moments[i].idx] = summing.behind_ns - until_ns[moments[i].idx];
    return end;
}

struct object {
    const struct rv_critical_path_graph *graph;
    const struct rv_saving *saving;
};

static bool is_for(const void *context, size_t wait)
{
    const struct object *object = context;
    const struct rv_wait *waited = &object->graph->edges[wait].wait;
    return waited->object == object->saving->id && waited->kind == object->saving->kind;
}

static uint64_t object_end_ns(const struct rv_savings *savings, const struct rv_saving *saving)
{
    const struct object object = {savings->params.graph, saving};
    return rv_what_if_end_ns(savings->if_free, &(struct rv_what_if_free){.is_free = is_for, .context = &object});
}

static uint64_t subroutine_end_ns(const struct rv_savings *savings, const struct rv_saving *saving)
{
    uint64_t *until_ns = rv_alloc(rv_what_if_n_moments(savings->if_free), sizeof *until_ns);
    for (size_t i = 0; i < savings->n_pieces;)
        i = sum_thread(savings, i, saving->id, until_ns);
    const uint64_t end_ns = rv_what_if_end_ns(savings->if_free, &(struct rv_what_if_free){.freed_ns = until_ns});
    free(until_ns);
    return end_ns;
}

void rv_savings_measure(struct rv_savings *savings, struct rv_saving *all, size_t n)
{
    if (savings->n_pieces)
        qsort(savings->pieces, savings->n_pieces, sizeof *savings->pieces, by_thread_and_time);
    for (size_t i = 0; i < n; i++)
        all[i].saved_ns =
            savings->params.path->to_ns - (all[i].is_object ? object_end_ns : subroutine_end_ns)(savings, &all[i]);
}

/* ---- public ---- */

struct rv_savings *rv_savings_create(const struct rv_savings_params *params)
{
    struct rv_savings *savings = rv_alloc(1, sizeof *savings);
    savings->params = *params;
    savings->if_free = rv_what_if_create(params->path);
    return savings;
}

void rv_savings_destroy(struct rv_savings *savings)
{
    if (!savings)
        return;
    rv_what_if_destroy(savings->if_free);
    for (size_t i = 0; i < savings->n_pieces; i++)
        free(savings->pieces[i].bytes);
    free(savings->pieces);
    free(savings);
}
