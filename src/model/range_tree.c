#include "model/range_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/radix_sort.h"
#include "base/vec.h"

void rv_range_tree_init(struct rv_range_tree *tree)
{
    *tree = (struct rv_range_tree){0};
    tree->nodes = rv_vec_reserve(NULL, &tree->capacity, 1, sizeof *tree->nodes);
    rv_range_tree_clear(tree);
}

void rv_range_tree_clear(struct rv_range_tree *tree)
{
    tree->nodes[0] = (struct rv_range_node){0};
    tree->n = 1;
    rv_hash_index_clear(&tree->by_path);
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

/*
 * A packed node: the widths of six numbers, 1, 2, 4 or 8 bytes, the first in the highest bits; then the numbers, little-endian.
 * Without branches, which would be taken at random: each number is written and read as 8 bytes, the next one begins behind
 * those that count.
 */
#define N_NUMBERS 6u
#define NODE_MOST_BYTES (sizeof(uint16_t) + N_NUMBERS * sizeof(uint64_t))

static size_t pack_node(uint8_t *room, const struct rv_range_node *node, uint32_t at)
{
    const uint64_t numbers[N_NUMBERS] = {
        node->id, at - node->parent, node->n_calls, node->self_ns, node->total_ns - node->self_ns, node->off_ns};
    uint16_t widths = 0;
    size_t n = sizeof widths;
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        const unsigned width = (numbers[i] > UINT8_MAX) + (numbers[i] > UINT16_MAX) + (numbers[i] > UINT32_MAX);
        memcpy(&room[n], &numbers[i], sizeof numbers[i]);
        widths = (uint16_t)(widths << 2 | width);
        n += (size_t)1 << width;
    }
    memcpy(room, &widths, sizeof widths);
    return n;
}

static struct rv_range_node unpack_node(const uint8_t **bytes, uint32_t at)
{
    static const uint64_t masks[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
    uint64_t numbers[N_NUMBERS];
    uint16_t widths;
    memcpy(&widths, *bytes, sizeof widths);
    *bytes += sizeof widths;
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        const unsigned width = widths >> 2 * (N_NUMBERS - 1 - i) & 3;
        memcpy(&numbers[i], *bytes, sizeof numbers[i]);
        numbers[i] &= masks[width];
        *bytes += (size_t)1 << width;
    }
    return (struct rv_range_node){.id = (uint32_t)numbers[0],
                                  .parent = at - (uint32_t)numbers[1],
                                  .n_calls = numbers[2],
                                  .self_ns = numbers[3],
                                  .total_ns = numbers[3] + numbers[4],
                                  .off_ns = numbers[5]};
}

struct rv_range_paths rv_range_tree_pack(const struct rv_range_tree *tree)
{
    struct rv_range_paths paths = {.bytes = rv_alloc_scratch(tree->n + 1, NODE_MOST_BYTES), .n = tree->n};
    for (uint32_t i = 0; i < tree->n; i++)
        paths.n_bytes += pack_node(&paths.bytes[paths.n_bytes], &tree->nodes[i], i);
    paths.n_bytes += sizeof(uint64_t); /* the last number is read as if it were wide */
    paths.bytes = rv_realloc(paths.bytes, paths.n_bytes);
    return paths;
}

#define LOST UINT32_C(0x80000000) /* in a place: the path has none, this is its caller's */

/* A path without a node of its own counts as its caller's self; the root has the totals of outermost paths with nodes. */
void rv_range_tree_merge(struct rv_range_tree *into, const struct rv_range_paths *from)
{
    uint32_t *places = rv_alloc_scratch(from->n, sizeof *places);
    const uint8_t *bytes = from->bytes;
    places[0] = 0;
    into->nodes[0].self_ns += unpack_node(&bytes, 0).self_ns;
    for (uint32_t i = 1; i < from->n; i++) {
        const struct rv_range_node node = unpack_node(&bytes, i);
        const uint32_t parent = places[node.parent];
        const uint32_t place = parent & LOST ? parent : rv_range_tree_at(into, parent, node.id);
        places[i] = place == parent ? parent | LOST : place;
        into->nodes[place & ~LOST].self_ns += node.self_ns;
        if (places[i] & LOST)
            continue;
        add_totals(&into->nodes[place], &node);
        if (parent == 0)
            add_totals(&into->nodes[0], &node);
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
