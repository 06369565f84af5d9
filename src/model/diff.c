#include "model/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/diff_match.h"
#include "model/diff_order.h"
#include "model/diff_significance.h"

/* ---- subroutines of both sides ---- */

struct subjects { /* of one side, by name and file */
    struct rv_diff_subject *matched;
    uint32_t *lines;
    size_t *rows;
    size_t n;
    uint32_t *subject_of; /* by id, below n_ids */
    uint32_t n_ids;
};

struct name {
    struct rv_diff_subject target;
    uint32_t line, id;
};

static int by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = rv_diff_order_of_names(x->target.full, x->target.file, y->target.full, y->target.file);
    return order ? order : x->id < y->id ? -1 : x->id > y->id;
}

static struct name *collect(const struct rv_diff_side *side, size_t *n)
{
    struct rv_stats_row *rows = rv_stats_take_rows(side->stats, n);
    struct name *names = rv_alloc(*n, sizeof *names);
    for (size_t i = 0; i < *n; i++) {
        struct rv_subroutine subroutine = rv_subroutines_get(side->subroutines, rows[i].id);
        names[i] = (struct name){.target = {.full = rv_subroutine_take_full_name(&subroutine),
                                            .package = subroutine.package,
                                            .name = subroutine.name,
                                            .file = subroutine.file},
                                 .line = subroutine.line,
                                 .id = rows[i].id};
    }
    free(rows);
    if (*n)
        qsort(names, *n, sizeof *names, by_name);
    return names;
}

static void make_subjects(struct subjects *subjects, const struct rv_diff_side *side)
{
    size_t n;
    struct name *names = collect(side, &n);
    *subjects = (struct subjects){.matched = rv_alloc(n, sizeof *subjects->matched),
                                  .lines = rv_alloc(n, sizeof *subjects->lines),
                                  .rows = rv_alloc(n, sizeof *subjects->rows)};
    for (size_t i = 0; i < n; i++)
        if (names[i].id >= subjects->n_ids)
            subjects->n_ids = names[i].id + 1;
    subjects->subject_of = rv_alloc(subjects->n_ids, sizeof *subjects->subject_of);
    for (size_t i = 0; i < n; i++) {
        const struct rv_diff_subject *last = subjects->n ? &subjects->matched[subjects->n - 1] : NULL;
        if (!last || rv_diff_order_of_names(last->full, last->file, names[i].target.full, names[i].target.file) != 0) {
            subjects->lines[subjects->n] = names[i].line;
            subjects->matched[subjects->n++] = names[i].target;
        } else {
            free(names[i].target.full);
        }
        subjects->subject_of[names[i].id] = (uint32_t)subjects->n - 1;
    }
    free(names);
}

static void free_subjects(struct subjects *subjects)
{
    free(subjects->matched);
    free(subjects->lines);
    free(subjects->rows);
    free(subjects->subject_of);
}

/* ---- rows ---- */

static size_t add_row(struct rv_diff *diff, const struct subjects *subjects, size_t idx, int side)
{
    diff->rows[diff->n] =
        (struct rv_diff_row){.name = rv_strdup(subjects->matched[idx].full), .file = subjects->matched[idx].file};
    diff->rows[diff->n].line[side] = subjects->lines[idx];
    return diff->n++;
}

/* A row for each match, and for each subject without one. A row's id is its index until rows are sorted. */
static void make_rows(struct rv_diff *diff, struct subjects sides[RV_DIFF_SIDES])
{
    struct subjects *before = &sides[RV_DIFF_BEFORE], *after = &sides[RV_DIFF_AFTER];
    diff->rows = rv_alloc(before->n + after->n, sizeof *diff->rows);
    for (size_t i = 0; i < after->n; i++)
        after->rows[i] = add_row(diff, after, i, RV_DIFF_AFTER);
    for (size_t i = 0; i < before->n; i++) {
        size_t match = before->matched[i].match;
        before->rows[i] = match == RV_DIFF_UNMATCHED ? add_row(diff, before, i, RV_DIFF_BEFORE) : after->rows[match];
        diff->rows[before->rows[i]].line[RV_DIFF_BEFORE] = before->lines[i];
    }
}

static uint32_t *take_ids(const struct subjects *subjects)
{
    uint32_t *as_id = rv_alloc(subjects->n_ids, sizeof *as_id);
    for (uint32_t id = 0; id < subjects->n_ids; id++)
        as_id[id] = subjects->n ? (uint32_t)subjects->rows[subjects->subject_of[id]] : 0;
    return as_id;
}

static struct rv_stats_row *take_stats(const struct rv_diff *diff, const struct rv_stats *stats, const uint32_t *as_id,
                                       uint32_t n_ids, size_t *n)
{
    struct rv_stats *merged = rv_stats_create();
    struct rv_stats_row *rows = rv_alloc(diff->n, sizeof *rows);
    rv_stats_merge_as(merged, stats, as_id, n_ids);
    *n = rv_stats_rows(merged, rows, diff->n);
    rv_stats_destroy(merged);
    return rows;
}

static void fill_side(struct rv_diff *diff, const struct rv_diff_side *side, const struct subjects *subjects,
                      int side_idx, struct rv_diff_levels *all)
{
    size_t n;
    uint32_t *as_id = take_ids(subjects);
    struct rv_stats_row *rows = take_stats(diff, side->stats, as_id, subjects->n_ids, &n);
    for (size_t i = 0; i < n; i++)
        diff->rows[rows[i].id].stats[side_idx] = rows[i];
    free(rows);
    rows = take_stats(diff, side->own, as_id, subjects->n_ids, &n);
    for (size_t i = 0; i < n; i++)
        diff->rows[rows[i].id].own_p50_ns[side_idx] = rows[i].p50_ns;
    free(rows);
    for (uint32_t id = 0; id < subjects->n_ids; id++)
        for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
            rv_diff_variance_gather(side->variance, id, (enum rv_variance_time)time,
                                    &all[as_id[id]].at[side_idx][time]);
    free(as_id);
}

/* ---- names of both sides ---- */

static int by_full_name(const void *a, const void *b)
{
    const struct rv_diff_name *x = a, *y = b;
    return rv_diff_order_of_names(x->full, x->file, y->full, y->file);
}

/* Put the rows in order and index them by the names of both sides. Takes ownership of the subjects' names. */
static void index_rows(struct rv_diff *diff, const struct subjects sides[RV_DIFF_SIDES])
{
    size_t *place_of = rv_alloc(diff->n, sizeof *place_of);
    rv_diff_order_rows(diff, place_of);
    diff->names = rv_alloc(sides[0].n + sides[1].n, sizeof *diff->names);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        for (size_t i = 0; i < sides[side].n; i++)
            diff->names[diff->n_names++] = (struct rv_diff_name){
                sides[side].matched[i].full, sides[side].matched[i].file, place_of[sides[side].rows[i]]};
    if (diff->n_names)
        qsort(diff->names, diff->n_names, sizeof *diff->names, by_full_name);
    free(place_of);
}

void rv_diff_init(struct rv_diff *diff, const struct rv_diff_side sides[RV_DIFF_SIDES])
{
    struct subjects subjects[RV_DIFF_SIDES];
    *diff = (struct rv_diff){.common_ratio = 1.0};
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        make_subjects(&subjects[side], &sides[side]);
    rv_diff_match(subjects[0].matched, subjects[0].n, subjects[1].matched, subjects[1].n);
    make_rows(diff, subjects);
    struct rv_diff_levels *all = rv_alloc(diff->n, sizeof *all);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        fill_side(diff, &sides[side], &subjects[side], side, all);
    rv_diff_significance_judge(diff, all);
    index_rows(diff, subjects);
    free(all);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        free_subjects(&subjects[side]);
}

void rv_diff_fini(struct rv_diff *diff)
{
    for (size_t i = 0; i < diff->n; i++)
        free(diff->rows[i].name);
    for (size_t i = 0; i < diff->n_names; i++)
        free(diff->names[i].full);
    free(diff->rows);
    free(diff->names);
    *diff = (struct rv_diff){0};
}

const struct rv_diff_row *rv_diff_find(const struct rv_diff *diff, const struct rv_subroutine *subroutine)
{
    struct rv_diff_name wanted = {.full = rv_subroutine_take_full_name(subroutine), .file = subroutine->file};
    const struct rv_diff_name *found =
        diff->n_names ? bsearch(&wanted, diff->names, diff->n_names, sizeof *diff->names, by_full_name) : NULL;
    free(wanted.full);
    return found ? &diff->rows[found->row] : NULL;
}

double rv_diff_octaves(const struct rv_diff_row *row)
{
    double before_ns = (double)row->stats[RV_DIFF_BEFORE].p50_ns, after_ns = (double)row->stats[RV_DIFF_AFTER].p50_ns;
    if (!rv_diff_order_is_claim(row->verdict))
        return 0.0;
    return log2(fmax(after_ns, 1.0) / fmax(before_ns, 1.0));
}
