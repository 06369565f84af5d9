#include "model/range_tree.h"

#include <stdlib.h>

#include "base/radix_sort.h"
#include "base/vec.h"

void rv_range_tree_init(struct rv_range_tree *tree)
{
    *tree = (struct rv_range_tree){0};
    tree->nodes = rv_vec_reserve(NULL, &tree->capacity, 1, sizeof *tree->nodes);
    tree->nodes[0] = (struct rv_range_node){0};
    tree->n = 1;
}

void rv_range_tree_fini(struct rv_range_tree *tree)
{
    free(tree->nodes);
    rv_hash_index_fini(&tree->by_path);
    *tree = (struct rv_range_tree){0};
}

/* The node of a path that is not its parent's last found child. A parent that has no child yet need not be looked up. */
static uint32_t find(struct rv_range_tree *tree, uint32_t parent, uint32_t id)
{
    const uint64_t key = (uint64_t)parent << 32 | id;
    uint32_t node = tree->nodes[parent].first_child ? rv_hash_index_get(&tree->by_path, key) : 0;
    if (!node && tree->n == RV_RANGE_MOST_NODES)
        return parent;
    if (!node) {
        tree->nodes = rv_vec_reserve(tree->nodes, &tree->capacity, tree->n + 1, sizeof *tree->nodes);
        node = (uint32_t)tree->n++;
        tree->nodes[node] = (struct rv_range_node){.id = id, .parent = parent};
        rv_hash_index_add(&tree->by_path, key, node);
    }
    tree->nodes[parent].first_child = node;
    return node;
}

uint32_t rv_range_tree_at(struct rv_range_tree *tree, uint32_t parent, uint32_t id)
{
    const uint32_t last = tree->nodes[parent].first_child;
    return last && tree->nodes[last].id == id ? last : find(tree, parent, id);
}

static void add_totals(struct rv_range_node *sum, const struct rv_range_node *node)
{
    sum->total_ns += node->total_ns;
    sum->off_ns += node->off_ns;
    sum->n_calls += node->n_calls;
}

#define LOST UINT32_C(0x80000000) /* in a place: the path has none, this is its caller's */

/* A path without a node of its own counts as its caller's self; the root has the totals of outermost paths with nodes. */
void rv_range_tree_merge(struct rv_range_tree *into, const struct rv_range_tree *from)
{
    uint32_t *places = rv_alloc_scratch(from->n, sizeof *places);
    places[0] = 0;
    into->nodes[0].self_ns += from->nodes[0].self_ns;
    for (size_t i = 1; i < from->n; i++) {
        const struct rv_range_node *node = &from->nodes[i];
        const uint32_t parent = places[node->parent];
        const uint32_t place = parent & LOST ? parent : rv_range_tree_at(into, parent, node->id);
        places[i] = place == parent ? parent | LOST : place;
        into->nodes[place & ~LOST].self_ns += node->self_ns;
        if (places[i] & LOST)
            continue;
        add_totals(&into->nodes[place], node);
        if (parent == 0)
            add_totals(&into->nodes[0], node);
    }
    free(places);
}

/* Insert each before its siblings, in rising order, so the largest comes first; of equal ones the first. */
void rv_range_link_nodes(struct rv_range_node *nodes, size_t n)
{
    struct rv_keyed_place *ranked = rv_alloc_scratch(n, sizeof *ranked);
    for (size_t i = 0; i < n; i++)
        nodes[i].first_child = 0;
    for (size_t i = 1; i < n; i++)
        ranked[n - 1 - i] = (struct rv_keyed_place){nodes[i].total_ns, (uint32_t)i};
    uint32_t *rising = rv_radix_sort_take(ranked, n - 1);
    for (size_t i = 0; i + 1 < n; i++) {
        struct rv_range_node *node = &nodes[rising[i]];
        node->next = nodes[node->parent].first_child;
        nodes[node->parent].first_child = rising[i];
    }
    free(rising);
}
