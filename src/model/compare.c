/* Both sides' ids are mapped to common ones by name and file; the rest is statistics of merged tables. */
#include "model/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define LEAST_P 0.01
#define LEAST_EFFECT 0.05

struct name { /* a subroutine of one side */
    char *full;
    const char *file;
    uint32_t line, id;
    int side;
};

struct names {
    struct name *names;
    size_t n, capacity;
    uint32_t n_ids[RV_COMPARE_SIDES]; /* greatest + 1 */
};

static void collect(struct names *names, const struct rv_compare_side *side, int side_idx)
{
    size_t n = rv_stats_rows(side->stats, NULL, 0);
    struct rv_stats_row *rows = rv_alloc(n, sizeof *rows);
    (void)rv_stats_rows(side->stats, rows, n);
    names->names = rv_vec_reserve(names->names, &names->capacity, names->n + n, sizeof *names->names);
    for (size_t i = 0; i < n; i++) {
        struct rv_subroutine subroutine = rv_subroutines_get(side->subroutines, rows[i].id);
        names->names[names->n++] = (struct name){.full = rv_subroutine_take_full_name(&subroutine),
                                                 .file = subroutine.file,
                                                 .line = subroutine.line,
                                                 .id = rows[i].id,
                                                 .side = side_idx};
        if (rows[i].id >= names->n_ids[side_idx])
            names->n_ids[side_idx] = rows[i].id + 1;
    }
    free(rows);
}

static int by_subroutine(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = strcmp(x->full, y->full);
    return order ? order : strcmp(x->file, y->file);
}

static int by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = by_subroutine(a, b);
    if (order == 0)
        order = x->side - y->side;
    return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

/* A row for each subroutine of either side, whose id is its index; as_id maps each side's ids to these. */
static void make_rows(struct rv_compare *compare, const struct names *names, uint32_t *const *as_id)
{
    compare->rows = rv_alloc(names->n, sizeof *compare->rows);
    for (size_t i = 0; i < names->n; i++) {
        const struct name *name = &names->names[i];
        if (i == 0 || by_subroutine(name, name - 1) != 0)
            compare->rows[compare->n++] = (struct rv_compare_row){.name = rv_strdup(name->full), .file = name->file};
        struct rv_compare_row *row = &compare->rows[compare->n - 1];
        if (!row->line[name->side])
            row->line[name->side] = name->line;
        as_id[name->side][name->id] = (uint32_t)compare->n - 1;
    }
}

static void fill_stats(struct rv_compare *compare, const struct rv_stats *merged, int side)
{
    struct rv_stats_row *rows = rv_alloc(compare->n, sizeof *rows);
    size_t n = rv_stats_rows(merged, rows, compare->n);
    for (size_t i = 0; i < n; i++)
        compare->rows[rows[i].id].stats[side] = rows[i];
    free(rows);
}

static bool is_tested(const struct rv_compare_row *row)
{
    return row->ranks.n_before >= RV_COMPARE_LEAST_CALLS && row->ranks.n_after >= RV_COMPARE_LEAST_CALLS;
}

static enum rv_compare_verdict verdict_of(const struct rv_compare_row *row, size_t n_tested)
{
    if (!row->ranks.n_before)
        return RV_COMPARE_NEW;
    if (!row->ranks.n_after)
        return RV_COMPARE_GONE;
    if (!is_tested(row))
        return RV_COMPARE_FEW;
    double effect = row->ranks.share_above - 0.5;
    if (row->p * (double)n_tested >= LEAST_P || fabs(effect) < LEAST_EFFECT)
        return RV_COMPARE_SAME;
    return effect > 0.0 ? RV_COMPARE_SLOWER : RV_COMPARE_FASTER;
}

static void judge(struct rv_compare *compare, struct rv_stats *const *merged)
{
    for (size_t i = 0; i < compare->n; i++) {
        struct rv_compare_row *row = &compare->rows[i];
        rv_stats_rank(merged[RV_COMPARE_BEFORE], merged[RV_COMPARE_AFTER], (uint32_t)i, &row->ranks);
        row->p = is_tested(row) ? erfc(fabs(row->ranks.z) / sqrt(2.0)) : 1.0;
        compare->n_tested += is_tested(row);
    }
    for (size_t i = 0; i < compare->n; i++)
        compare->rows[i].verdict = verdict_of(&compare->rows[i], compare->n_tested);
}

static uint64_t change_of(const struct rv_compare_row *row)
{
    uint64_t before_ns = row->stats[RV_COMPARE_BEFORE].total_ns, after_ns = row->stats[RV_COMPARE_AFTER].total_ns;
    return before_ns > after_ns ? before_ns - after_ns : after_ns - before_ns;
}

static int by_change(const void *a, const void *b)
{
    const struct rv_compare_row *x = a, *y = b;
    uint64_t change_x = change_of(x), change_y = change_of(y);
    if (change_x != change_y)
        return change_x > change_y ? -1 : 1;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->file, y->file);
}

static int order_of(const struct rv_compare_row *row, const char *name, const char *file)
{
    int order = strcmp(row->name, name);
    return order ? order : strcmp(row->file, file);
}

static int by_row_name(const void *a, const void *b, void *rows)
{
    const struct rv_compare_row *x = (struct rv_compare_row *)rows + *(const uint32_t *)a;
    const struct rv_compare_row *y = (struct rv_compare_row *)rows + *(const uint32_t *)b;
    return order_of(x, y->name, y->file);
}

static void sort_names(struct rv_compare *compare)
{
    compare->by_name = rv_alloc(compare->n, sizeof *compare->by_name);
    for (size_t i = 0; i < compare->n; i++)
        compare->by_name[i] = (uint32_t)i;
    if (compare->n)
        qsort_r(compare->by_name, compare->n, sizeof *compare->by_name, by_row_name, compare->rows);
}

void rv_compare_init(struct rv_compare *compare, const struct rv_compare_side sides[RV_COMPARE_SIDES])
{
    struct names names = {0};
    uint32_t *as_id[RV_COMPARE_SIDES];
    struct rv_stats *merged[RV_COMPARE_SIDES];
    *compare = (struct rv_compare){0};
    for (int side = 0; side < RV_COMPARE_SIDES; side++) {
        collect(&names, &sides[side], side);
        as_id[side] = rv_alloc(names.n_ids[side], sizeof(uint32_t));
        merged[side] = rv_stats_create();
    }
    if (names.n)
        qsort(names.names, names.n, sizeof *names.names, by_name);
    make_rows(compare, &names, as_id);
    for (int side = 0; side < RV_COMPARE_SIDES; side++) {
        rv_stats_merge_as(merged[side], sides[side].stats, as_id[side], names.n_ids[side]);
        fill_stats(compare, merged[side], side);
        free(as_id[side]);
    }
    judge(compare, merged);
    if (compare->n)
        qsort(compare->rows, compare->n, sizeof *compare->rows, by_change);
    sort_names(compare);
    for (int side = 0; side < RV_COMPARE_SIDES; side++)
        rv_stats_destroy(merged[side]);
    for (size_t i = 0; i < names.n; i++)
        free(names.names[i].full);
    free(names.names);
}

void rv_compare_fini(struct rv_compare *compare)
{
    for (size_t i = 0; i < compare->n; i++)
        free(compare->rows[i].name);
    free(compare->rows);
    free(compare->by_name);
    *compare = (struct rv_compare){0};
}

const struct rv_compare_row *rv_compare_find(const struct rv_compare *compare, const struct rv_subroutine *subroutine)
{
    char *name = rv_subroutine_take_full_name(subroutine);
    size_t low = 0, high = compare->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order_of(&compare->rows[compare->by_name[middle]], name, subroutine->file) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct rv_compare_row *row = low < compare->n ? &compare->rows[compare->by_name[low]] : NULL;
    bool is_it = row && order_of(row, name, subroutine->file) == 0;
    free(name);
    return is_it ? row : NULL;
}

double rv_compare_octaves(const struct rv_compare_row *row)
{
    double before_ns = (double)row->stats[RV_COMPARE_BEFORE].p50_ns,
           after_ns = (double)row->stats[RV_COMPARE_AFTER].p50_ns;
    if (row->verdict != RV_COMPARE_SLOWER && row->verdict != RV_COMPARE_FASTER)
        return 0.0;
    return log2(fmax(after_ns, 1.0) / fmax(before_ns, 1.0));
}
