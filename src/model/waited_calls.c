/* Holders are counted; the last one to release them frees them: WC1 -> WC2. */
#include "model/waited_calls.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct rv_waited_calls {
    atomic_uint n_holders;
    struct rv_waited *waits; /* by lane, call and end */
    size_t n;
};

const char *rv_waited_calls_sought(const char *text)
{
    return strncmp(text, "wait:", 5) == 0 ? text + 5 : NULL;
}

static int compare(const struct rv_waited *a, const struct rv_waited *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->to_ns < b->to_ns ? -1 : a->to_ns > b->to_ns;
}

static int compare_waits(const void *a, const void *b)
{
    return compare(a, b);
}

const struct rv_waited_calls *rv_waited_calls_create(struct rv_waited *waits, size_t n)
{
    struct rv_waited_calls *waited = rv_alloc(1, sizeof *waited);
    atomic_init(&waited->n_holders, 1);
    waited->waits = waits;
    waited->n = n;
    if (n)
        qsort(waits, n, sizeof *waits, compare_waits);
    return waited;
}

const struct rv_waited_calls *rv_waited_calls_hold(const struct rv_waited_calls *waited)
{
    if (waited)
        atomic_fetch_add_explicit(&((struct rv_waited_calls *)(uintptr_t)waited)->n_holders, 1, memory_order_relaxed);
    return waited;
}

void rv_waited_calls_release(const struct rv_waited_calls *waited)
{
    struct rv_waited_calls *last = (struct rv_waited_calls *)(uintptr_t)waited;
    if (!last || atomic_fetch_sub_explicit(&last->n_holders, 1, memory_order_acq_rel) != 1) /* WC1 -> WC2, WC2 <- WC1 */
        return;
    free(last->waits);
    free(last);
}

/* The first wait that is not before it. */
static size_t find(const struct rv_waited_calls *waited, const struct rv_waited *wanted)
{
    size_t from = 0, to = waited->n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare(&waited->waits[middle], wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

bool rv_waited_calls_has(const struct rv_waited_calls *waited, uint32_t lane_idx, const struct rv_box *box,
                         const struct rv_name_set *objects)
{
    const struct rv_waited wanted = {.lane = lane_idx, .call = box->id, .to_ns = box->start_ns};
    const uint64_t end_ns = rv_box_end_ns(box);
    for (size_t i = waited ? find(waited, &wanted) : 0; waited && i < waited->n; i++) {
        const struct rv_waited *wait = &waited->waits[i];
        if (wait->lane != lane_idx || wait->call != box->id || wait->to_ns > end_ns)
            return false;
        const bool is_in = box->coverage != RV_BOX_EXACT || wait->from_ns >= box->start_ns;
        if (is_in && rv_name_set_has(objects, wait->object))
            return true;
    }
    return false;
}
