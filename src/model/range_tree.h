/*
 * Paths of calls, each from an outermost call to one of its callees, with what all calls on it took. A path comes after
 * its caller's. One thread at a time.
 */
#ifndef RV_MODEL_RANGE_TREE_H
#define RV_MODEL_RANGE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"

#define RV_RANGE_MOST_NODES (1u << 18)
#define RV_RANGE_LARGEST_NODES (1u << 14) /* that a tree keeps when it is closed */

struct rv_range_node { /* a path of calls, merged over all its occurrences */
    uint32_t id;
    uint32_t parent, first_child, next; /* indices of nodes; 0 = none. Siblings are sorted by falling total */
    uint64_t total_ns, self_ns, n_calls;
    uint64_t off_ns; /* of total_ns: not on the CPU */
};

/* Link each node to its siblings and its parent's first child, by falling total. */
void rv_range_link_nodes(struct rv_range_node *nodes, size_t n);

/* Link a node to its children, which lie one behind the other, likewise. */
void rv_range_link_children(struct rv_range_node *nodes, uint32_t parent, uint32_t begin, uint32_t n);

struct rv_range_callee {
    uint32_t node, id;
};

struct rv_range_tree {
    struct rv_range_node *nodes;  /* [0]: the root. Until they are linked, next is the half of a path's hash that those
                                     of its callees are made of */
    struct rv_range_callee *last; /* by node: its callee that was found last, or the root */
    size_t n, capacity, last_capacity;
    struct rv_hash_index by_path;      /* hash of a path to its node, */
    const struct rv_range_tree *paths; /* or NULL; else the full tree whose paths this one has: its index is read */
    bool is_closed;                    /* full, however many it has */
};

void rv_range_tree_init(struct rv_range_tree *tree);
void rv_range_tree_fini(struct rv_range_tree *tree);

/* Then no path gets a node any more. */
static inline bool rv_range_tree_is_full(const struct rv_range_tree *tree)
{
    return tree->is_closed || tree->n == RV_RANGE_MOST_NODES;
}

/*
 * Leave a tree that is not linked the RV_RANGE_LARGEST_NODES paths that take longest, and those of another one, which
 * has no times and is freed; make it full.
 */
void rv_range_tree_close(struct rv_range_tree *tree, struct rv_range_tree *others);

/*
 * Give a tree that has none the paths of a full one, which outlives it, without times. Sums of calls are added to its
 * nodes, and at last to the same nodes of the full tree, to which another thread may add others meanwhile.
 */
void rv_range_tree_init_as(struct rv_range_tree *tree, const struct rv_range_tree *full);
void rv_range_tree_add(struct rv_range_tree *full, const struct rv_range_tree *tree);

/* The node of a call; its caller's own, where the tree is full without it. */
uint32_t rv_range_tree_at(struct rv_range_tree *tree, uint32_t parent, uint32_t id);

/* The same where it is the one that was found last of its caller's; else 0. */
static inline uint32_t rv_range_tree_last(const struct rv_range_tree *tree, uint32_t parent, uint32_t id)
{
    const struct rv_range_callee last = tree->last[parent];
    return last.id == id ? last.node : 0;
}

/* Forget all paths, keep the room. */
void rv_range_tree_clear(struct rv_range_tree *tree);

struct rv_range_paths { /* a tree's nodes in about 12 bytes each, to be merged later; zeroed = not even a root */
    uint8_t *bytes;     /* for free() */
    size_t n_bytes;
    size_t n; /* nodes */
};

/* The paths of a tree that is not linked. */
struct rv_range_paths rv_range_tree_pack(const struct rv_range_tree *tree);

/* Add the paths of another tree, in their order, as if their calls came after all of this tree's. */
void rv_range_tree_merge(struct rv_range_tree *into, const struct rv_range_paths *from);

#endif
