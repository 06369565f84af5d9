/*
 * A level of detail has the calls that are longer than its cells. Those that enclose one of them are longer still, so its path is
 * known. Each lane is read at the finest level that has few boxes.
 */
#include "model/long_paths.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/timeline_query.h"

#define MOST_BOXES 16384u /* of all lanes, */
#define LEAST_BOXES 64u   /* but of each as many */

struct enclosing { /* a call */
    uint64_t end_ns;
    uint32_t depth, node;
};

struct long_paths {
    struct rv_range_tree *tree;
    const struct rv_range_scope *scope;
    struct rv_box *boxes; /* of a lane */
    struct enclosing *stack;
    size_t n_stack, boxes_capacity, stack_capacity;
};

static size_t read_boxes(struct long_paths *paths, const struct rv_lane *lane, size_t most)
{
    const struct rv_range_scope *scope = paths->scope;
    uint32_t level = 0;
    size_t n = rv_timeline_query_count(lane->timeline, scope->from_ns, scope->to_ns, level);
    while (n > most && level + 1 < RV_TIMELINE_LEVELS)
        n = rv_timeline_query_count(lane->timeline, scope->from_ns, scope->to_ns, ++level);
    paths->boxes = rv_vec_reserve(paths->boxes, &paths->boxes_capacity, n + lane->n_open, sizeof *paths->boxes);
    n = rv_timeline_query_boxes(lane->timeline, scope->from_ns, scope->to_ns, level, paths->boxes, n);
    for (size_t i = 0; i < lane->n_open; i++)
        paths->boxes[n++] = rv_lane_open_box(lane, i);
    return n;
}

static int by_start(const void *a, const void *b)
{
    const struct rv_box *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void add_call(struct long_paths *paths, const struct rv_lane *lane, const struct rv_box *box)
{
    const struct rv_range_scope *scope = paths->scope;
    while (paths->n_stack > 0 && (paths->stack[paths->n_stack - 1].depth >= box->depth ||
                                  paths->stack[paths->n_stack - 1].end_ns < box->start_ns))
        paths->n_stack--;
    const uint32_t caller = paths->n_stack > 0 ? paths->stack[paths->n_stack - 1].node : 0;
    const bool passes = !scope->filter || rv_filter_passes_box(scope->filter, lane, box);
    const uint32_t node = passes ? rv_range_tree_at(paths->tree, caller, rv_range_scope_id(scope, box->id)) : caller;
    paths->stack = rv_vec_reserve(paths->stack, &paths->stack_capacity, paths->n_stack + 1, sizeof *paths->stack);
    paths->stack[paths->n_stack++] = (struct enclosing){rv_box_end_ns(box), box->depth, node};
}

static bool is_call(const struct long_paths *paths, const struct rv_box *box, uint64_t known_ns)
{
    return box->coverage == RV_BOX_EXACT && !(box->flags & RV_SPAN_ORPHAN) && box->start_ns <= known_ns &&
           rv_box_overlaps(box, paths->scope->from_ns, paths->scope->to_ns);
}

static void add_lane(struct long_paths *paths, const struct rv_range_piece *piece, size_t most_boxes)
{
    struct rv_lane *lane = rv_lanes_get(paths->scope->lanes, piece->lane_idx);
    pthread_rwlock_rdlock(&lane->lock);
    const size_t n = read_boxes(paths, lane, most_boxes);
    qsort(paths->boxes, n, sizeof *paths->boxes, by_start);
    paths->n_stack = 0;
    for (size_t i = 0; i < n; i++)
        if (is_call(paths, &paths->boxes[i], piece->known_ns))
            add_call(paths, lane, &paths->boxes[i]);
    pthread_rwlock_unlock(&lane->lock);
}

void rv_long_paths_add(struct rv_range_tree *tree, const struct rv_range_scope *scope,
                       const struct rv_range_piece *pieces, size_t n_pieces)
{
    struct long_paths paths = {.tree = tree, .scope = scope};
    size_t n_lanes = 0;
    for (size_t i = 0; i < n_pieces; i++)
        n_lanes += i == 0 || pieces[i].lane_idx != pieces[i - 1].lane_idx;
    const size_t most_boxes = n_lanes > 0 && MOST_BOXES / n_lanes > LEAST_BOXES ? MOST_BOXES / n_lanes : LEAST_BOXES;
    for (size_t i = 0; i < n_pieces; i++)
        if (i == 0 || pieces[i].lane_idx != pieces[i - 1].lane_idx)
            add_lane(&paths, &pieces[i], most_boxes);
    free(paths.boxes);
    free(paths.stack);
}
