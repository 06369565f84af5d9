#include "model/diff_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rv_diff_order_of_names(const char *name, const char *file, const char *other_name, const char *other_file)
{
    int order = strcmp(name, other_name);
    return order ? order : strcmp(file, other_file);
}

static int rank_of(enum rv_diff_verdict verdict)
{
    switch (verdict) {
    case RV_DIFF_SLOWER:
        return 0;
    case RV_DIFF_SLOWER_INSIDE:
        return 1;
    case RV_DIFF_FASTER:
        return 2;
    case RV_DIFF_FASTER_INSIDE:
        return 3;
    case RV_DIFF_SAME:
    case RV_DIFF_FEW:
    case RV_DIFF_NEW:
    case RV_DIFF_GONE:
        return 4;
    }
    return 4;
}

bool rv_diff_order_is_claim(enum rv_diff_verdict verdict)
{
    return rank_of(verdict) != rank_of(RV_DIFF_SAME);
}

/* Size of the change in ns: change of the median times calls; without a claim, change of the total time. */
static double weight_of(const struct rv_diff_row *row)
{
    const struct rv_stats_row *before = &row->stats[RV_DIFF_BEFORE], *after = &row->stats[RV_DIFF_AFTER];
    bool is_own = row->verdict == RV_DIFF_SLOWER || row->verdict == RV_DIFF_FASTER;
    if (!rv_diff_order_is_claim(row->verdict))
        return fabs((double)after->total_ns - (double)before->total_ns);
    double change_ns = is_own ? (double)row->own_p50_ns[RV_DIFF_AFTER] - (double)row->own_p50_ns[RV_DIFF_BEFORE]
                              : (double)after->p50_ns - (double)before->p50_ns;
    return fabs(change_ns) * (double)after->n_calls;
}

static int by_verdict(const void *a, const void *b)
{
    const struct rv_diff_row *x = a, *y = b;
    int order = rank_of(x->verdict) - rank_of(y->verdict);
    double weight_x = weight_of(x), weight_y = weight_of(y);
    if (order)
        return order;
    if (weight_x < weight_y || weight_x > weight_y)
        return weight_x > weight_y ? -1 : 1;
    return rv_diff_order_of_names(x->name, x->file, y->name, y->file);
}

void rv_diff_order_rows(struct rv_diff *diff, size_t *place_of)
{
    for (size_t i = 0; i < diff->n; i++)
        for (int side = 0; side < RV_DIFF_SIDES; side++)
            diff->rows[i].stats[side].id = (uint32_t)i;
    if (diff->n)
        qsort(diff->rows, diff->n, sizeof *diff->rows, by_verdict);
    for (size_t i = 0; i < diff->n; i++)
        place_of[diff->rows[i].stats[0].id] = i;
}
