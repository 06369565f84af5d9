#include "model/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_call_tree_fini(struct rv_call_tree *tree)
{
    free(tree->nodes);
    *tree = (struct rv_call_tree){0};
}

static void add(struct rv_range_node *node, uint64_t total_ns, const struct rv_range_node *path)
{
    node->total_ns += total_ns;
    node->self_ns += path->self_ns;
    node->n_calls += path->n_calls;
}

/* Add a path upside down: its subroutine below the root, its outermost caller deepest. */
static void add_callers(struct rv_range_tree *tree, const struct rv_range_node *paths, uint32_t from, uint64_t total_ns,
                        const struct rv_range_node *path)
{
    add(&tree->nodes[0], total_ns, path);
    for (uint32_t at = from, node = 0; at; at = paths[at].parent) {
        uint32_t caller = rv_range_tree_at(tree, node, paths[at].id);
        if (caller == node)
            return;
        node = caller;
        add(&tree->nodes[node], total_ns, path);
    }
}

static uint32_t outermost_of(const struct rv_range_node *paths, uint32_t path)
{
    uint32_t outermost = path;
    for (uint32_t at = path; at; at = paths[at].parent)
        if (paths[at].id == paths[path].id)
            outermost = at;
    return outermost;
}

static void make_bottom_up(struct rv_range_tree *tree, const struct rv_range_node *paths, size_t n)
{
    for (uint32_t i = 1; i < n; i++)
        add_callers(tree, paths, i, paths[i].self_ns, &paths[i]);
}

static void make_callers(struct rv_range_tree *tree, uint32_t id, const struct rv_range_node *paths, size_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (paths[i].id != id)
            continue;
        uint32_t outermost = outermost_of(paths, i);
        add_callers(tree, paths, outermost, outermost == i ? paths[i].total_ns : 0, &paths[i]);
    }
}

/* A path comes after its caller's. */
static void make_callees(struct rv_range_tree *tree, uint32_t id, const struct rv_range_node *paths, size_t n)
{
    uint32_t *nodes = rv_alloc(n, sizeof *nodes);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t caller = nodes[paths[i].parent];
        if (!caller && paths[i].id != id)
            continue;
        nodes[i] = rv_range_tree_at(tree, caller, paths[i].id);
        if (nodes[i] != caller)
            add(&tree->nodes[nodes[i]], paths[i].total_ns, &paths[i]);
        if (!caller)
            add(&tree->nodes[0], paths[i].total_ns, &paths[i]);
    }
    free(nodes);
}

static void copy_paths(struct rv_call_tree *tree, const struct rv_range_node *paths, size_t n)
{
    tree->nodes = rv_alloc_scratch(n, sizeof *tree->nodes);
    memcpy(tree->nodes, paths, n * sizeof *paths);
    tree->n = n;
}

void rv_call_tree_make(struct rv_call_tree *tree, enum rv_call_tree_kind kind, uint32_t id,
                       const struct rv_range_node *paths, size_t n_paths)
{
    struct rv_range_tree built;
    if (kind == RV_CALL_TREE_TOP_DOWN) {
        copy_paths(tree, paths, n_paths);
        return;
    }
    rv_range_tree_init(&built);
    if (kind == RV_CALL_TREE_BOTTOM_UP)
        make_bottom_up(&built, paths, n_paths);
    else if (kind == RV_CALL_TREE_CALLERS)
        make_callers(&built, id, paths, n_paths);
    else
        make_callees(&built, id, paths, n_paths);
    rv_range_link_nodes(built.nodes, built.n);
    *tree = (struct rv_call_tree){built.nodes, built.n};
    built.nodes = NULL;
    rv_range_tree_fini(&built);
}
