#include "export/savings.h"

#include <stdlib.h>

#include "base/vec.h"
#include "export/innermost_calls.h"
#include "export/if_free.h"

#define NO_SAVING UINT8_MAX

struct freed {                                       /* how much of a thread's time is a measured subroutine's */
    uint64_t *until_ns[RV_SAVINGS_MOST_SUBROUTINES]; /* of each subroutine, by moment */
    uint8_t *of_id;                                  /* by id: which of the measured subroutines it is */
    const uint32_t *as_id;
    uint32_t n_ids;
    size_t n;
    uint64_t from_ns;
    /* of the thread that is being read: moments that were not passed, and the sums of the time that was */
    const struct rv_if_free_moment *moments;
    size_t n_moments;
    uint64_t sum_ns[RV_SAVINGS_MOST_SUBROUTINES];
    int n_waits; /* waits that the thread is in */
};

static void pass_time(struct freed *freed, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    const uint8_t which = id < freed->n_ids ? freed->of_id[freed->as_id[id]] : NO_SAVING;
    from_ns = from_ns > freed->from_ns ? from_ns : freed->from_ns;
    if (freed->n_waits == 0 && which != NO_SAVING && to_ns > from_ns)
        freed->sum_ns[which] += to_ns - from_ns;
}

/* The time behind it is known by now: the time before it will be what the whole has more. */
static void pass_moment(struct freed *freed)
{
    const struct rv_if_free_moment *moment = &freed->moments[--freed->n_moments];
    for (size_t i = 0; i < freed->n; i++)
        freed->until_ns[i][moment->idx] = freed->sum_ns[i];
    freed->n_waits -= moment->n_waits;
}

static void pass_stretch(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns)
{
    struct freed *freed = context;
    while (freed->n_moments && freed->moments[freed->n_moments - 1].at_ns > from_ns) {
        const uint64_t at_ns = freed->moments[freed->n_moments - 1].at_ns;
        if (at_ns < to_ns) {
            pass_time(freed, id, at_ns, to_ns);
            to_ns = at_ns;
        }
        pass_moment(freed);
    }
    pass_time(freed, id, from_ns, to_ns);
}

static void subtract_from_all(struct freed *freed, size_t n_moments)
{
    for (size_t i = 0; i < freed->n; i++)
        for (size_t j = 0; j < n_moments; j++) {
            uint64_t *until_ns = &freed->until_ns[i][freed->moments[j].idx];
            *until_ns = freed->sum_ns[i] - *until_ns;
        }
}

static int read_thread(const struct rv_savings_params *params, const struct rv_if_free *if_free, struct freed *freed,
                       const struct rv_lane *lane)
{
    size_t n_moments;
    freed->moments = rv_if_free_moments(if_free, lane->thread, &n_moments);
    freed->n_moments = n_moments;
    freed->n_waits = 0;
    for (size_t i = 0; i < n_moments; i++)
        freed->n_waits += freed->moments[i].n_waits;
    for (size_t i = 0; i < freed->n; i++)
        freed->sum_ns[i] = 0;
    const int error = rv_innermost_calls_read(&(struct rv_innermost_calls){.calls = params->calls,
                                                                           .lane = lane,
                                                                           .from_ns = params->path->from_ns,
                                                                           .to_ns = params->path->to_ns,
                                                                           .pass = pass_stretch,
                                                                           .context = freed});
    while (freed->n_moments)
        pass_moment(freed);
    subtract_from_all(freed, n_moments);
    return error;
}

static int read_threads(const struct rv_savings_params *params, const struct rv_if_free *if_free, struct freed *freed)
{
    int error = 0;
    for (size_t i = 0; i < params->graph->n_threads && !error; i++)
        if (params->graph->lane_of[i])
            error = read_thread(params, if_free, freed, params->graph->lane_of[i]);
    return error;
}

/* Which of the savings are subroutines, in their order. */
static void list_subroutines(struct freed *freed, const struct rv_saving *savings, size_t n, size_t n_moments)
{
    freed->of_id = rv_alloc((size_t)freed->n_ids + 1, 1);
    for (uint32_t i = 0; i <= freed->n_ids; i++)
        freed->of_id[i] = NO_SAVING;
    for (size_t i = 0; i < n && freed->n < RV_SAVINGS_MOST_SUBROUTINES; i++) {
        if (savings[i].is_object || savings[i].id >= freed->n_ids)
            continue;
        freed->of_id[freed->as_id[savings[i].id]] = (uint8_t)freed->n;
        freed->until_ns[freed->n++] = rv_alloc(n_moments, sizeof **freed->until_ns);
    }
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

static void measure(const struct rv_savings_params *params, struct rv_if_free *if_free, const struct freed *freed,
                    struct rv_saving *saving)
{
    const struct object object = {params->graph, saving};
    struct rv_if_free_what what = {.freed_ns = NULL};
    if (saving->is_object) {
        what.is_free = is_for;
        what.context = &object;
    } else if (saving->id < freed->n_ids && freed->of_id[freed->as_id[saving->id]] != NO_SAVING) {
        what.freed_ns = freed->until_ns[freed->of_id[freed->as_id[saving->id]]];
    }
    saving->saved_ns = params->path->to_ns - rv_if_free_end_ns(if_free, &what);
}

int rv_savings_measure(const struct rv_savings_params *params, struct rv_saving *savings, size_t n)
{
    struct rv_if_free *if_free = rv_if_free_create(params->path);
    struct freed freed = {.from_ns = params->path->from_ns};
    uint32_t *as_id = rv_subroutines_take_namesakes(params->subroutines, &freed.n_ids);
    freed.as_id = as_id;
    list_subroutines(&freed, savings, n, rv_if_free_n_moments(if_free));
    const int error = freed.n ? read_threads(params, if_free, &freed) : 0;
    for (size_t i = 0; i < n && !error; i++)
        measure(params, if_free, &freed, &savings[i]);
    for (size_t i = 0; i < freed.n; i++)
        free(freed.until_ns[i]);
    free(freed.of_id);
    free(as_id);
    rv_if_free_destroy(if_free);
    return error;
}
