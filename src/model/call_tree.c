#include "model/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"

struct builder {
    struct rv_call_tree *tree;
    struct rv_hash_index by_path; /* (parent, id) to node */
};

void rv_call_tree_fini(struct rv_call_tree *tree)
{
    free(tree->nodes);
    *tree = (struct rv_call_tree){0};
}

static uint32_t child_of(struct builder *builder, uint32_t parent, uint32_t id)
{
    struct rv_call_tree *tree = builder->tree;
    const uint64_t key = (uint64_t)parent << 32 | id;
    uint32_t found = rv_hash_index_get(&builder->by_path, key);
    if (found)
        return found;
    if (tree->n == RV_RANGE_MOST_NODES)
        return parent;
    tree->nodes = rv_vec_reserve(tree->nodes, &tree->capacity, tree->n + 1, sizeof *tree->nodes);
    uint32_t node = (uint32_t)tree->n++;
    tree->nodes[node] = (struct rv_range_node){.id = id, .parent = parent};
    rv_hash_index_add(&builder->by_path, key, node);
    return node;
}

static void add(struct rv_range_node *node, uint64_t total_ns, const struct rv_range_node *path)
{
    node->total_ns += total_ns;
    node->self_ns += path->self_ns;
    node->n_calls += path->n_calls;
}

/* To the tree the way from a path to its outermost caller, that one innermost. */
static void add_callers(struct builder *builder, const struct rv_range_node *paths, uint32_t from, uint64_t total_ns,
                        const struct rv_range_node *path)
{
    add(&builder->tree->nodes[0], total_ns, path);
    for (uint32_t at = from, node = 0; at; at = paths[at].parent) {
        uint32_t caller = child_of(builder, node, paths[at].id);
        if (caller == node)
            return;
        node = caller;
        add(&builder->tree->nodes[node], total_ns, path);
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

static void make_bottom_up(struct builder *builder, const struct rv_range_node *paths, size_t n)
{
    for (uint32_t i = 1; i < n; i++)
        add_callers(builder, paths, i, paths[i].self_ns, &paths[i]);
}

static void make_callers(struct builder *builder, uint32_t id, const struct rv_range_node *paths, size_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (paths[i].id != id)
            continue;
        uint32_t outermost = outermost_of(paths, i);
        add_callers(builder, paths, outermost, outermost == i ? paths[i].total_ns : 0, &paths[i]);
    }
}

/* A path comes after its caller's. */
static void make_callees(struct builder *builder, uint32_t id, const struct rv_range_node *paths, size_t n)
{
    uint32_t *nodes = rv_alloc(n, sizeof *nodes);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t caller = nodes[paths[i].parent];
        if (!caller && paths[i].id != id)
            continue;
        nodes[i] = child_of(builder, caller, paths[i].id);
        if (nodes[i] != caller)
            add(&builder->tree->nodes[nodes[i]], paths[i].total_ns, &paths[i]);
        if (!caller)
            add(&builder->tree->nodes[0], paths[i].total_ns, &paths[i]);
    }
    free(nodes);
}

static void copy_paths(struct rv_call_tree *tree, const struct rv_range_node *paths, size_t n)
{
    tree->nodes = rv_vec_reserve(tree->nodes, &tree->capacity, n, sizeof *tree->nodes);
    memcpy(tree->nodes, paths, n * sizeof *paths);
    tree->n = n;
}

void rv_call_tree_make(struct rv_call_tree *tree, enum rv_call_tree_kind kind, uint32_t id,
                       const struct rv_range_node *paths, size_t n_paths)
{
    struct builder builder = {.tree = tree};
    copy_paths(tree, paths, kind == RV_CALL_TREE_TOP_DOWN ? n_paths : 1);
    if (kind == RV_CALL_TREE_TOP_DOWN)
        return;
    tree->nodes[0] = (struct rv_range_node){0};
    if (kind == RV_CALL_TREE_BOTTOM_UP)
        make_bottom_up(&builder, paths, n_paths);
    else if (kind == RV_CALL_TREE_CALLERS)
        make_callers(&builder, id, paths, n_paths);
    else
        make_callees(&builder, id, paths, n_paths);
    rv_range_link_nodes(tree->nodes, tree->n);
    rv_hash_index_fini(&builder.by_path);
}
