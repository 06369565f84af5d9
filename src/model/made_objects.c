#include "model/made_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"

void rv_made_objects_add(struct rv_made_objects *made, uint64_t at_ns, uint64_t n)
{
    made->sums = rv_vec_reserve(made->sums, &made->capacity, made->n_sums + 1, sizeof *made->sums);
    const uint64_t before = made->n_sums ? made->sums[made->n_sums - 1].n : 0;
    made->sums[made->n_sums++] = (struct rv_made_objects_sum){at_ns, before + n};
}

static uint64_t sum_until(const struct rv_made_objects *made, uint64_t until_ns)
{
    const size_t n = rv_bisect_count(made->sums, made->n_sums, sizeof *made->sums,
                                     offsetof(struct rv_made_objects_sum, at_ns), until_ns);
    return n ? made->sums[n - 1].n : 0;
}

uint64_t rv_made_objects_between(const struct rv_made_objects *made, uint64_t after_ns, uint64_t until_ns)
{
    return until_ns > after_ns ? sum_until(made, until_ns) - sum_until(made, after_ns) : 0;
}

/* The last one that is dropped stays, as what the others are counted from. */
void rv_made_objects_limit(struct rv_made_objects *made, size_t n_bytes)
{
    const size_t n_kept = n_bytes / 2 / sizeof *made->sums + 1;
    if (rv_made_objects_bytes(made) <= n_bytes || made->n_sums <= n_kept)
        return;
    memmove(made->sums, made->sums + made->n_sums - n_kept, n_kept * sizeof *made->sums);
    made->sums = rv_realloc(made->sums, n_kept * sizeof *made->sums);
    made->n_sums = made->capacity = n_kept;
    made->lost_until_ns = made->sums[0].at_ns;
}

void rv_made_objects_fini(struct rv_made_objects *made)
{
    free(made->sums);
    *made = (struct rv_made_objects){0};
}
