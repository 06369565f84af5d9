#include "model/group_activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_group_activity_forget(struct rv_group_activity *activity)
{
    activity->n_times = 0;
    rv_hash_index_clear(&activity->by_id);
}

void rv_group_activity_begin(struct rv_group_activity *activity, uint64_t from_ns, uint64_t to_ns, uint64_t column_ns)
{
    activity->window_ns[0] = from_ns;
    activity->window_ns[1] = to_ns;
    activity->shift = (unsigned)__builtin_ctzll(column_ns);
    activity->first_column = from_ns >> activity->shift;
    activity->n_columns = (size_t)(((to_ns - 1) >> activity->shift) - activity->first_column + 1);
    activity->columns =
        rv_vec_reserve(activity->columns, &activity->capacity, activity->n_columns, sizeof *activity->columns);
    memset(activity->columns, 0, activity->n_columns * sizeof *activity->columns);
}

static struct rv_group_activity_time *time_of(struct rv_group_activity *activity, uint32_t id)
{
    uint32_t number = rv_hash_index_get(&activity->by_id, id);
    if (!number) {
        activity->times =
            rv_vec_reserve(activity->times, &activity->times_capacity, activity->n_times + 1, sizeof *activity->times);
        activity->times[activity->n_times] = (struct rv_group_activity_time){.id = id};
        number = (uint32_t)++activity->n_times;
        rv_hash_index_add(&activity->by_id, id, number);
    }
    return &activity->times[number - 1];
}

static void add_to_column(struct rv_group_activity_column *column, const struct rv_box *box, uint64_t covered_ns)
{
    rv_density_sum_add(&column->sum,
                       &(struct rv_density_sum){.covered_ns = covered_ns, .weight = covered_ns + 1, .id = box->id});
    column->is_busy = true;
    column->has_hit |= (box->flags & RV_BOX_HIT) != 0;
    column->has_plain |= (box->flags & RV_BOX_DIMMED) == 0;
}

static void add_part(void *context, const struct rv_innermost_part *part)
{
    struct rv_group_activity *activity = context;
    const double share = (double)part->coverage / RV_BOX_EXACT;
    uint64_t first = part->from_ns >> activity->shift, end = activity->first_column + activity->n_columns;
    first = first > activity->first_column ? first : activity->first_column;
    for (uint64_t i = first; i < end && i << activity->shift <= part->until_ns; i++) {
        uint64_t from_ns = i << activity->shift, until_ns = (i + 1) << activity->shift;
        from_ns = from_ns > part->from_ns ? from_ns : part->from_ns;
        until_ns = until_ns < part->until_ns ? until_ns : part->until_ns;
        if (until_ns > from_ns || part->from_ns == part->until_ns)
            add_to_column(&activity->columns[i - activity->first_column], &activity->boxes[part->box],
                          (uint64_t)((double)(until_ns - from_ns) * share));
    }
}

/*
 * Add a box's time to its subroutine, take it from its caller's self time, and count its calls in the column where it
 * begins.
 */
static void add_box(void *context, const struct rv_box *box, const struct rv_box *caller, double visible_ns)
{
    struct rv_group_activity *activity = context;
    struct rv_group_activity_time *time = time_of(activity, box->id);
    uint64_t column = box->start_ns >> activity->shift;
    time->inclusive_ns += visible_ns;
    time->self_ns += visible_ns;
    if (caller)
        time_of(activity, caller->id)->self_ns -= visible_ns;
    if (column >= activity->first_column && column - activity->first_column < activity->n_columns)
        activity->columns[column - activity->first_column].sum.n_calls += box->count;
}

void rv_group_activity_add(struct rv_group_activity *activity, const struct rv_box *boxes, size_t n)
{
    activity->boxes = boxes;
    rv_box_times_find(&activity->box_times, boxes, n, activity->window_ns, add_box, activity);
    rv_innermost_find(&activity->innermost, boxes, n, add_part, activity);
}

static uint64_t most_covered(const struct rv_group_activity *activity)
{
    uint64_t most_ns = 0;
    for (size_t i = 0; i < activity->n_columns; i++)
        if (activity->columns[i].sum.covered_ns > most_ns)
            most_ns = activity->columns[i].sum.covered_ns;
    return most_ns;
}

size_t rv_group_activity_cells(const struct rv_group_activity *activity, struct rv_box *out, double *busiest)
{
    size_t n = 0;
    const uint64_t most_ns = most_covered(activity), column_ns = UINT64_C(1) << activity->shift;
    *busiest = (double)most_ns / (double)column_ns;
    for (size_t i = 0; i < activity->n_columns; i++) {
        const struct rv_group_activity_column *column = &activity->columns[i];
        if (!column->is_busy)
            continue;
        double share = most_ns ? (double)column->sum.covered_ns / (double)most_ns : 0.0;
        out[n++] = (struct rv_box){
            .start_ns = (activity->first_column + i) << activity->shift,
            .duration_ns = column_ns,
            .id = column->sum.id,
            .count = column->sum.n_calls < UINT32_MAX ? (uint32_t)column->sum.n_calls : UINT32_MAX,
            .coverage = (uint16_t)(share * (RV_BOX_EXACT - 1)),
            .flags = (column->has_hit ? RV_BOX_HIT : 0) | (column->has_plain ? 0 : RV_BOX_DIMMED),
        };
    }
    return n;
}

void rv_group_activity_fini(struct rv_group_activity *activity)
{
    free(activity->columns);
    free(activity->times);
    rv_hash_index_fini(&activity->by_id);
    rv_innermost_fini(&activity->innermost);
    rv_box_times_fini(&activity->box_times);
    *activity = (struct rv_group_activity){0};
}
