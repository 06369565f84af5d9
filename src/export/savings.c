/*
 * What is free is not known yet when the calls are read, so the own times of all subroutines are kept: between two
 * moments of a thread, of those that ran there. That is little, since moments are begins and ends of waits, and few
 * subroutines run between two of them.
 *
 *   bytes of a thread: the time behind its last moment, before that one, ..., before its first moment; each a number n, then n
 *   times a subroutine and its time; all of them varints
 */
#include "export/savings.h"

#include <stdlib.h>

#include "base/vec.h"
#include "export/if_free.h"
#include "export/varint.h"

struct rv_savings {
    struct rv_savings_params params;
    struct rv_if_free *if_free;
    uint8_t *bytes;
    size_t n_bytes, bytes_capacity;
    size_t *first; /* 1 + first byte of each thread; 0: it was not added */
    /* of the thread that is being added */
    const struct rv_if_free_moment *moments; /* those that were not passed */
    size_t n_moments;
    int n_waits; /* waits that the thread is in */
    /* of the time before the last moment that was passed */
    uint64_t *own_ns; /* by subroutine */
    uint32_t *ran;    /* subroutines whose time is not 0 */
    uint32_t n_ran;
};

/* ---- own times between moments ---- */

static void put(struct rv_savings *savings, uint64_t value)
{
    savings->n_bytes += rv_varint_put(savings->bytes + savings->n_bytes, value);
}

static void put_times(struct rv_savings *savings)
{
    const size_t most = (1 + 2 * (size_t)savings->n_ran) * RV_VARINT_MOST_BYTES;
    savings->bytes = rv_vec_reserve(savings->bytes, &savings->bytes_capacity, savings->n_bytes + most, 1);
    put(savings, savings->n_ran);
    for (uint32_t i = 0; i < savings->n_ran; i++) {
        put(savings, savings->ran[i]);
        put(savings, savings->own_ns[savings->ran[i]]);
        savings->own_ns[savings->ran[i]] = 0;
    }
    savings->n_ran = 0;
}

static void pass_moment(struct rv_savings *savings)
{
    put_times(savings);
    savings->n_waits -= savings->moments[--savings->n_moments].n_waits;
}

static void add_own(struct rv_savings *savings, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const uint64_t least_ns = savings->params.path->from_ns;
    from_ns = from_ns > least_ns ? from_ns : least_ns;
    if (savings->n_waits || id >= savings->params.n_ids || from_ns >= to_ns)
        return;
    const uint32_t as = savings->params.as_id[id];
    if (!savings->own_ns[as])
        savings->ran[savings->n_ran++] = as;
    savings->own_ns[as] += to_ns - from_ns;
}

void rv_savings_begin_thread(struct rv_savings *savings, uint32_t thread)
{
    savings->moments = rv_if_free_moments(savings->if_free, thread, &savings->n_moments);
    savings->first[thread] = 1 + savings->n_bytes;
    savings->n_waits = 0;
    for (size_t i = 0; i < savings->n_moments; i++)
        savings->n_waits += savings->moments[i].n_waits;
}

void rv_savings_pass(struct rv_savings *savings, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    while (savings->n_moments && savings->moments[savings->n_moments - 1].at_ns > from_ns) {
        const uint64_t at_ns = savings->moments[savings->n_moments - 1].at_ns;
        if (at_ns < to_ns) {
            add_own(savings, id, at_ns, to_ns);
            to_ns = at_ns;
        }
        pass_moment(savings);
    }
    add_own(savings, id, from_ns, to_ns);
}

void rv_savings_end_thread(struct rv_savings *savings)
{
    while (savings->n_moments)
        pass_moment(savings);
    put_times(savings);
}

/* ---- had something been free ---- */

static uint64_t get_time_of(const uint8_t **at, uint32_t id)
{
    uint64_t sum_ns = 0;
    for (uint64_t n = rv_varint_get(at); n > 0; n--) {
        const bool is_of = rv_varint_get(at) == id;
        const uint64_t own_ns = rv_varint_get(at);
        sum_ns += is_of ? own_ns : 0;
    }
    return sum_ns;
}

/* The subroutine's own time of a thread until each of its moments. */
static void sum_thread(const struct rv_savings *savings, uint32_t thread, uint32_t id, uint64_t *until_ns)
{
    size_t n;
    const struct rv_if_free_moment *moments = rv_if_free_moments(savings->if_free, thread, &n);
    const uint8_t *at = savings->bytes + savings->first[thread] - 1;
    uint64_t behind_ns = 0;
    for (size_t i = n; i-- > 0;)
        until_ns[moments[i].idx] = behind_ns += get_time_of(&at, id);
    const uint64_t all_ns = behind_ns + get_time_of(&at, id);
    for (size_t i = 0; i < n; i++)
        until_ns[moments[i].idx] = all_ns - until_ns[moments[i].idx];
}

struct object {
    const struct rv_wait_graph *graph;
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
    return rv_if_free_end_ns(savings->if_free, &(struct rv_if_free_what){.is_free = is_for, .context = &object});
}

static uint64_t subroutine_end_ns(const struct rv_savings *savings, const struct rv_saving *saving)
{
    uint64_t *until_ns = rv_alloc(rv_if_free_n_moments(savings->if_free), sizeof *until_ns);
    for (uint32_t i = 0; i < savings->params.path->n_threads; i++)
        if (savings->first[i])
            sum_thread(savings, i, saving->id, until_ns);
    const uint64_t end_ns = rv_if_free_end_ns(savings->if_free, &(struct rv_if_free_what){.freed_ns = until_ns});
    free(until_ns);
    return end_ns;
}

void rv_savings_measure(struct rv_savings *savings, struct rv_saving *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        all[i].saved_ns =
            savings->params.path->to_ns - (all[i].is_object ? object_end_ns : subroutine_end_ns)(savings, &all[i]);
}

/* ---- public ---- */

struct rv_savings *rv_savings_create(const struct rv_savings_params *params)
{
    struct rv_savings *savings = rv_alloc(1, sizeof *savings);
    savings->params = *params;
    savings->if_free = rv_if_free_create(params->path);
    savings->first = rv_alloc(params->path->n_threads + 1, sizeof *savings->first);
    savings->own_ns = rv_alloc((size_t)params->n_ids + 1, sizeof *savings->own_ns);
    savings->ran = rv_alloc((size_t)params->n_ids + 1, sizeof *savings->ran);
    return savings;
}

void rv_savings_destroy(struct rv_savings *savings)
{
    if (!savings)
        return;
    rv_if_free_destroy(savings->if_free);
    free(savings->bytes);
    free(savings->first);
    free(savings->own_ns);
    free(savings->ran);
    free(savings);
}
