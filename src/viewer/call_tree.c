#include "viewer/call_tree.h"

#include <stdlib.h>

#include "base/vec.h"

#define HEAVY_SHARE 0.5 /* of its caller: a child whose children are shown at first */

void rv_viewer_call_tree_stop(struct rv_viewer_call_tree *tree)
{
    rv_call_tree_job_stop(&tree->job);
    free(tree->is_open);
    tree->is_open = NULL;
    tree->n_rows = 0;
}

void rv_viewer_call_tree_fini(struct rv_viewer_call_tree *tree)
{
    rv_viewer_call_tree_stop(tree);
    free(tree->rows);
    tree->rows = NULL;
    tree->capacity = 0;
}

void rv_viewer_call_tree_want(struct rv_viewer_call_tree *tree, const struct rv_range_statistics *range,
                              uint64_t measured, enum rv_call_tree_kind kind, uint32_t id)
{
    const struct rv_call_tree_job *job = &tree->job;
    if (job->is_on && tree->measured == measured && job->kind == kind && job->id == id)
        return;
    rv_viewer_call_tree_stop(tree);
    tree->measured = measured;
    rv_call_tree_job_start(&tree->job, range, kind, id);
}

/* ---- rows: the nodes whose callers are all open, in the order of the tree ---- */

static uint32_t after(const struct rv_range_node *nodes, uint32_t node, uint32_t *depth)
{
    while (node && !nodes[node].next) {
        node = nodes[node].parent;
        *depth -= node != 0;
    }
    return nodes[node].next;
}

static void make_rows(struct rv_viewer_call_tree *tree)
{
    const struct rv_range_node *nodes = tree->job.tree.nodes;
    uint32_t depth = 0;
    tree->n_rows = 0;
    for (uint32_t node = nodes[0].first_child; node;) {
        tree->rows = rv_vec_reserve(tree->rows, &tree->capacity, tree->n_rows + 1, sizeof *tree->rows);
        tree->rows[tree->n_rows++] = (struct rv_tree_row){node, depth, tree->is_open[node]};
        bool goes_in = tree->is_open[node] && nodes[node].first_child;
        depth += goes_in;
        node = goes_in ? nodes[node].first_child : after(nodes, node, &depth);
    }
}

/* The way along the heaviest children. */
static void open_heaviest(struct rv_viewer_call_tree *tree)
{
    const struct rv_range_node *nodes = tree->job.tree.nodes;
    for (uint32_t node = nodes[0].first_child; node; node = nodes[node].first_child) {
        if ((double)nodes[node].total_ns < HEAVY_SHARE * (double)nodes[nodes[node].parent].total_ns)
            return;
        tree->is_open[node] = 1;
    }
}

bool rv_viewer_call_tree_advance(struct rv_viewer_call_tree *tree)
{
    (void)rv_call_tree_job_poll(&tree->job);
    if (!rv_call_tree_job_is_done(&tree->job) || tree->is_open)
        return false;
    tree->is_open = rv_alloc(tree->job.tree.n, sizeof *tree->is_open);
    open_heaviest(tree);
    make_rows(tree);
    return true;
}

void rv_viewer_call_tree_toggle(struct rv_viewer_call_tree *tree, uint32_t node)
{
    if (!tree->is_open || node >= tree->job.tree.n)
        return;
    tree->is_open[node] = !tree->is_open[node];
    make_rows(tree);
}

static bool is_deepest_open(const struct rv_viewer_call_tree *tree, uint32_t node)
{
    const struct rv_range_node *nodes = tree->job.tree.nodes;
    for (uint32_t child = nodes[node].first_child; child; child = nodes[child].next)
        if (tree->is_open[child])
            return false;
    return tree->is_open[node];
}

void rv_viewer_call_tree_open_level(struct rv_viewer_call_tree *tree, bool is_open)
{
    for (size_t i = 0; i < tree->n_rows; i++) {
        uint32_t node = tree->rows[i].node;
        if (is_open)
            tree->is_open[node] = 1;
        else if (is_deepest_open(tree, node))
            tree->is_open[node] = 2; /* to be closed: its callers are not the deepest yet */
    }
    for (size_t i = 0; i < tree->n_rows && !is_open; i++)
        if (tree->is_open[tree->rows[i].node] == 2)
            tree->is_open[tree->rows[i].node] = 0;
    if (tree->is_open)
        make_rows(tree);
}
