#include "model/box_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static double visible_ns(const struct rv_box *box, const uint64_t window_ns[2])
{
    uint64_t end_ns = rv_box_end_ns(box);
    uint64_t from_ns = box->start_ns > window_ns[0] ? box->start_ns : window_ns[0];
    uint64_t to_ns = end_ns < window_ns[1] ? end_ns : window_ns[1];
    return to_ns > from_ns ? (double)(to_ns - from_ns) * box->coverage / RV_BOX_EXACT : 0.0;
}

void rv_box_times_find(struct rv_box_times *times, const struct rv_box *boxes, size_t n, const uint64_t window_ns[2],
                       rv_box_times_fn *give, void *context)
{
    if (times->n_depths)
        memset(times->latest, 0, times->n_depths * sizeof *times->latest);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &boxes[i];
        if (box->depth >= times->n_depths)
            times->latest =
                rv_vec_extend(times->latest, &times->n_depths, (size_t)box->depth + 1, sizeof *times->latest);
        const struct rv_box **place = &times->latest[box->depth];
        *place = box;
        const struct rv_box *caller = box->depth ? place[-1] : NULL;
        give(context, box, caller && rv_box_end_ns(caller) > box->start_ns ? caller : NULL, visible_ns(box, window_ns));
    }
}

void rv_box_times_fini(struct rv_box_times *times)
{
    free(times->latest);
    *times = (struct rv_box_times){0};
}
