#include "model/range_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/radix_sort.h"
#include "base/vec.h"

static void reserve(struct rv_range_tree *tree, size_t n)
{
    tree->nodes = rv_vec_reserve(tree->nodes, &tree->capacity, n, sizeof *tree->nodes);
    tree->last = rv_vec_reserve(tree->last, &tree->last_capacity, n, sizeof *tree->last);
}

void rv_range_tree_init(struct rv_range_tree *tree)
{
    *tree = (struct rv_range_tree){0};
    reserve(tree, 1);
    rv_range_tree_clear(tree);
}

void rv_range_tree_clear(struct rv_range_tree *tree)
{
    tree->nodes[0] = (struct rv_range_node){0};
    tree->last[0] = (struct rv_range_callee){0};
    tree->n = 1;
    tree->is_closed = false;
    rv_hash_index_clear(&tree->by_path);
}

void rv_range_tree_init_as(struct rv_range_tree *tree, const struct rv_range_tree *full)
{
    rv_range_tree_init(tree);
    reserve(tree, full->n);
    for (size_t i = 1; i < full->n; i++) {
        const struct rv_range_node *node = &full->nodes[i];
        tree->nodes[i] = (struct rv_range_node){.id = node->id, .parent = node->parent, .next = node->next};
        tree->last[i] = (struct rv_range_callee){0};
        tree->last[node->parent] = (struct rv_range_callee){(uint32_t)i, node->id};
    }
    tree->n = full->n;
    tree->is_closed = true;
    tree->paths = full;
}

void rv_range_tree_fini(struct rv_range_tree *tree)
{
    free(tree->nodes);
    free(tree->last);
    rv_hash_index_fini(&tree->by_path);
    *tree = (struct rv_range_tree){0};
}

/*
 * The hash of a path is made of its caller's and of its id, not of its caller's node: a path of another tree has the same one,
 * and can be looked for before its caller has been found. Different paths may have the same one.
 */
static uint64_t hash_of(uint32_t caller, uint32_t id)
{
    return rv_hash_u64((uint64_t)caller << 32 | id);
}

static uint32_t hash_for_callees(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

struct path {
    uint32_t parent, id;
};

static bool is_path(const void *tree, uint32_t node, const void *key)
{
    const struct rv_range_node *known = &((const struct rv_range_tree *)tree)->nodes[node];
    const struct path *path = key;
    return known->parent == path->parent && known->id == path->id;
}

static const struct rv_hash_index *index_of(const struct rv_range_tree *tree)
{
    return tree->paths ? &tree->paths->by_path : &tree->by_path;
}

/* The node of a path, or 0; first: what the index has first for its hash. */
static uint32_t find(const struct rv_range_tree *tree, struct path path, uint64_t hash, uint32_t first)
{
    if (!first || is_path(tree, first, &path))
        return first;
    return rv_hash_index_find(index_of(tree), hash, is_path, tree, &path);
}

/* Returns the parent where there is no room. */
static uint32_t add_node(struct rv_range_tree *tree, struct path path, uint64_t hash)
{
    if (rv_range_tree_is_full(tree))
        return path.parent;
    reserve(tree, tree->n + 1);
    const uint32_t node = (uint32_t)tree->n++;
    tree->nodes[node] = (struct rv_range_node){.id = path.id, .parent = path.parent, .next = hash_for_callees(hash)};
    tree->last[node] = (struct rv_range_callee){0};
    tree->last[path.parent] = (struct rv_range_callee){node, path.id};
    rv_hash_index_put(&tree->by_path, hash, node);
    return node;
}

/* A parent that has no child yet need not be looked up. */
static uint32_t find_or_add(struct rv_range_tree *tree, uint32_t parent, uint32_t id)
{
    const struct path path = {parent, id};
    const uint64_t hash = hash_of(tree->nodes[parent].next, id);
    const uint32_t first = tree->last[parent].node ? rv_hash_index_first(index_of(tree), hash) : 0,
                   node = find(tree, path, hash, first);
    if (!node)
        return add_node(tree, path, hash);
    tree->last[parent] = (struct rv_range_callee){node, id};
    return node;
}

uint32_t rv_range_tree_at(struct rv_range_tree *tree, uint32_t parent, uint32_t id)
{
    const uint32_t last = rv_range_tree_last(tree, parent, id);
    return last ? last : find_or_add(tree, parent, id);
}

static void add_totals(struct rv_range_node *sum, const struct rv_range_node *node)
{
    sum->total_ns += node->total_ns;
    sum->off_ns += node->off_ns;
    sum->n_calls += node->n_calls;
}

static void subtract_totals(struct rv_range_node *sum, const struct rv_range_node *node)
{
    sum->total_ns -= node->total_ns;
    sum->off_ns -= node->off_ns;
    sum->n_calls -= node->n_calls;
}

/*
 * A packed node: its length, by which the next one is found while this one is unpacked; the widths of six numbers, 1, 2, 4 or 8
 * bytes, the first in the highest bits; then the numbers, little-endian. Without branches, which would be taken at random: each
 * number is written and read as 8 bytes, the next one begins behind those that count.
 */
#define N_NUMBERS 6u
#define HEAD_BYTES (sizeof(uint8_t) + sizeof(uint16_t))
#define NODE_MOST_BYTES (HEAD_BYTES + N_NUMBERS * sizeof(uint64_t))

static size_t pack_node(uint8_t *room, const struct rv_range_node *node, uint32_t at)
{
    const uint64_t numbers[N_NUMBERS] = {
        node->id, at - node->parent, node->n_calls, node->self_ns, node->total_ns - node->self_ns, node->off_ns};
    uint16_t widths = 0;
    size_t n = HEAD_BYTES;
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        const unsigned width = (numbers[i] > UINT8_MAX) + (numbers[i] > UINT16_MAX) + (numbers[i] > UINT32_MAX);
        memcpy(&room[n], &numbers[i], sizeof numbers[i]);
        widths = (uint16_t)(widths << 2 | width);
        n += (size_t)1 << width;
    }
    room[0] = (uint8_t)n;
    memcpy(&room[sizeof(uint8_t)], &widths, sizeof widths);
    return n;
}

static struct rv_range_node unpack_node(const uint8_t **bytes, uint32_t at)
{
    static const uint64_t masks[] = {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
    const uint8_t *number = *bytes + HEAD_BYTES;
    uint64_t numbers[N_NUMBERS];
    uint16_t widths;
    memcpy(&widths, *bytes + sizeof(uint8_t), sizeof widths);
    *bytes += (*bytes)[0];
    for (unsigned i = 0; i < N_NUMBERS; i++) {
        const unsigned width = widths >> 2 * (N_NUMBERS - 1 - i) & 3;
        memcpy(&numbers[i], number, sizeof numbers[i]);
        numbers[i] &= masks[width];
        number += (size_t)1 << width;
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

/* ---- merging ---- */

/* In a place: the path has no node, this is its caller's. */
#define LOST UINT32_C(0x80000000)
/* Paths that are looked for at the same time: their nodes come from memory meanwhile. */
#define BATCH 64u

struct incoming {
    struct rv_range_node node; /* of the other tree, where it is at: */
    uint32_t at;
    uint32_t first; /* what the index has first for its hash */
    uint64_t hash;
};

struct merge {
    struct rv_range_tree *into;
    uint32_t *places; /* of the other tree's nodes: nodes here */
    uint32_t *hashes; /* for callees of them */
    struct incoming batch[BATCH];
    uint32_t n; /* in the batch */
};

static void take_in(struct merge *merge, const struct rv_range_node *node, uint32_t at)
{
    struct incoming *path = &merge->batch[merge->n++];
    *path = (struct incoming){.node = *node, .at = at, .hash = hash_of(merge->hashes[node->parent], node->id)};
    merge->hashes[at] = hash_for_callees(path->hash);
    rv_hash_index_prefetch(&merge->into->by_path, path->hash);
}

/*
 * Unpack from a node on until the batch is full. Callees of paths without a node, nearly all paths once the tree is full, count
 * as self at once. Returns the next node.
 */
static uint32_t fill_batch(struct merge *merge, const uint8_t **bytes, uint32_t at, uint32_t end)
{
    for (merge->n = 0; at < end && merge->n < BATCH; at++) {
        const struct rv_range_node node = unpack_node(bytes, at);
        const uint32_t place = merge->places[node.parent]; /* of a parent in this batch: not lost, as far as is known */
        merge->places[at] = place;
        if (place & LOST)
            merge->into->nodes[place & ~LOST].self_ns += node.self_ns;
        else
            take_in(merge, &node, at);
    }
    return at;
}

static void look_up(struct merge *merge)
{
    for (uint32_t i = 0; i < merge->n; i++) {
        struct incoming *path = &merge->batch[i];
        path->first = rv_hash_index_first(&merge->into->by_path, path->hash);
        __builtin_prefetch(&merge->into->nodes[path->first], 1);
    }
}

/* A path without a node of its own counts as its caller's self; the root has the totals of outermost paths with nodes. */
static void add_path(struct merge *merge, const struct incoming *path)
{
    struct rv_range_tree *into = merge->into;
    const uint32_t parent = merge->places[path->node.parent];
    uint32_t place = parent;
    if (!(parent & LOST)) {
        const struct path here = {parent, path->node.id};
        const uint32_t known = find(into, here, path->hash, path->first);
        place = known ? known : add_node(into, here, path->hash);
    }
    merge->places[path->at] = place == parent ? parent | LOST : place;
    into->nodes[place & ~LOST].self_ns += path->node.self_ns;
    if (merge->places[path->at] & LOST)
        return;
    add_totals(&into->nodes[place], &path->node);
    if (parent == 0)
        add_totals(&into->nodes[0], &path->node);
}

/* A full tree is not written to: others read its paths. */
static void make_room(struct rv_range_tree *tree, size_t n_more)
{
    if (rv_range_tree_is_full(tree))
        return;
    const size_t n = tree->n + n_more < RV_RANGE_MOST_NODES ? tree->n + n_more : RV_RANGE_MOST_NODES;
    reserve(tree, n);
    rv_hash_index_reserve(&tree->by_path, n);
}

void rv_range_tree_merge(struct rv_range_tree *into, const struct rv_range_paths *from)
{
    struct merge merge = {.into = into,
                          .places = rv_alloc_scratch(from->n, sizeof *merge.places),
                          .hashes = rv_alloc_scratch(from->n, sizeof *merge.hashes)};
    const uint8_t *bytes = from->bytes;
    const uint32_t end = (uint32_t)from->n;
    make_room(into, from->n);
    merge.places[0] = merge.hashes[0] = 0;
    into->nodes[0].self_ns += unpack_node(&bytes, 0).self_ns;
    for (uint32_t at = 1; at < end;) {
        at = fill_batch(&merge, &bytes, at, end);
        look_up(&merge);
        for (uint32_t i = 0; i < merge.n; i++)
            add_path(&merge, &merge.batch[i]);
    }
    free(merge.places);
    free(merge.hashes);
}

void rv_range_tree_add(struct rv_range_tree *full, const struct rv_range_tree *tree)
{
    rv_assert(tree->n == full->n);
    for (size_t i = 0; i < tree->n; i++) {
        full->nodes[i].self_ns += tree->nodes[i].self_ns;
        add_totals(&full->nodes[i], &tree->nodes[i]);
        if (i > 0 && tree->nodes[i].parent == 0)
            add_totals(&full->nodes[0], &tree->nodes[i]);
    }
}

/* ---- closing ---- */

/* By node: is it one of the n_largest that take longest? Of equal ones the first are, so with a node its caller is. */
static bool *take_largest(const struct rv_range_tree *tree, size_t n_largest)
{
    bool *is_large = rv_alloc(tree->n, sizeof *is_large);
    struct rv_keyed_place *totals = rv_alloc_scratch(tree->n, sizeof *totals);
    for (size_t i = 0; i < tree->n; i++) {
        const uint32_t node = (uint32_t)(tree->n - 1 - i);
        totals[i] = (struct rv_keyed_place){tree->nodes[node].total_ns, node};
    }
    uint32_t *rising = rv_radix_sort_take(totals, tree->n);
    for (size_t i = tree->n > n_largest ? tree->n - n_largest : 0; i < tree->n; i++)
        is_large[rising[i]] = true;
    free(rising);
    return is_large;
}

/*
 * The other tree becomes this one: it is closed to paths that are not large. Where calls overlap, a path may take longer than its
 * caller's: it has no node if that has none.
 */
void rv_range_tree_close(struct rv_range_tree *tree, struct rv_range_tree *others)
{
    bool *is_large = take_largest(tree, RV_RANGE_LARGEST_NODES);
    uint32_t *places = rv_alloc_scratch(tree->n, sizeof *places); /* as in struct merge */
    others->nodes[0] = tree->nodes[0];
    places[0] = 0;
    for (size_t i = 1; i < tree->n; i++) {
        const struct rv_range_node *node = &tree->nodes[i];
        const uint32_t parent = places[node->parent];
        others->is_closed = !is_large[i];
        const uint32_t place = parent & LOST ? parent : rv_range_tree_at(others, parent, node->id);
        places[i] = place == parent ? parent | LOST : place;
        others->nodes[place & ~LOST].self_ns += node->self_ns;
        if (!(places[i] & LOST))
            add_totals(&others->nodes[place], node);
        else if (parent == 0)
            subtract_totals(&others->nodes[0], node);
    }
    free(places);
    free(is_large);
    rv_range_tree_fini(tree);
    *tree = *others;
    tree->is_closed = true;
}

/* ---- order ---- */

#define FEW_CHILDREN 24u

/* Put a child before those that are already sorted and smaller. */
static void link_one(struct rv_range_node *nodes, uint32_t *first_child, uint32_t child)
{
    uint32_t *at = first_child;
    while (*at && nodes[*at].total_ns >= nodes[child].total_ns)
        at = &nodes[*at].next;
    nodes[child].next = *at;
    *at = child;
}

/*
 * Insert each of n nodes before its siblings, in rising order, so the largest comes first; of equal ones the first.
 *   ranked  the last node first; freed
 */
static void link_sorted(struct rv_range_node *nodes, struct rv_keyed_place *ranked, size_t n)
{
    uint32_t *rising = rv_radix_sort_take(ranked, n);
    for (size_t i = 0; i < n; i++) {
        struct rv_range_node *node = &nodes[rising[i]];
        node->next = nodes[node->parent].first_child;
        nodes[node->parent].first_child = rising[i];
    }
    free(rising);
}

static struct rv_keyed_place rank_node(const struct rv_range_node *nodes, uint32_t node)
{
    return (struct rv_keyed_place){nodes[node].total_ns, node};
}

void rv_range_link_children(struct rv_range_node *nodes, uint32_t parent, uint32_t begin, uint32_t n)
{
    nodes[parent].first_child = 0;
    if (n <= FEW_CHILDREN) {
        for (uint32_t child = begin; child < begin + n; child++)
            link_one(nodes, &nodes[parent].first_child, child);
        return;
    }
    struct rv_keyed_place *ranked = rv_alloc_scratch(n, sizeof *ranked);
    for (uint32_t i = 0; i < n; i++)
        ranked[n - 1 - i] = rank_node(nodes, begin + i);
    link_sorted(nodes, ranked, n);
}

/* Only nodes with many siblings are sorted: others are near theirs in memory. */
void rv_range_link_nodes(struct rv_range_node *nodes, size_t n)
{
    uint32_t *n_children = rv_alloc(n, sizeof *n_children);
    size_t n_ranked = 0;
    for (size_t i = 0; i < n; i++)
        nodes[i].first_child = 0;
    for (size_t i = 1; i < n; i++)
        n_children[nodes[i].parent]++;
    for (uint32_t i = 1; i < n; i++)
        if (n_children[nodes[i].parent] <= FEW_CHILDREN)
            link_one(nodes, &nodes[nodes[i].parent].first_child, i);
        else
            n_ranked++;
    struct rv_keyed_place *ranked = rv_alloc_scratch(n_ranked, sizeof *ranked);
    for (size_t i = n, at = 0; at < n_ranked;)
        if (n_children[nodes[--i].parent] > FEW_CHILDREN)
            ranked[at++] = rank_node(nodes, (uint32_t)i);
    link_sorted(nodes, ranked, n_ranked);
    free(n_children);
}
