#include "model/box_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_box_times_begin(struct rv_box_times *times)
{
    if (times->n_depths)
        memset(times->latest, 0, times->n_depths * sizeof *times->latest);
}

void rv_box_times_deepen(struct rv_box_times *times, uint32_t depth)
{
    times->latest = rv_vec_extend(times->latest, &times->n_depths, (size_t)depth + 1, sizeof *times->latest);
}

void rv_box_times_fini(struct rv_box_times *times)
{
    free(times->latest);
    *times = (struct rv_box_times){0};
}
