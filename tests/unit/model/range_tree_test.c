#include "model/range_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A full tree, in which A calls B: 1 > 2, and nothing calls 3. */
static void fill(struct rv_range_tree *tree)
{
    rv_range_tree_init(tree);
    const uint32_t a = rv_range_tree_at(tree, 0, 1);
    (void)rv_range_tree_at(tree, a, 2);
    for (uint32_t id = 4; tree->n < RV_RANGE_MOST_NODES; id++)
        (void)rv_range_tree_at(tree, 0, id);
}

static void add(struct rv_range_tree *tree, uint32_t node, uint64_t total_ns, uint64_t self_ns)
{
    tree->nodes[node].total_ns += total_ns;
    tree->nodes[node].self_ns += self_ns;
    tree->nodes[node].n_calls++;
}

static void merge(struct rv_range_tree *into, const struct rv_range_tree *from)
{
    struct rv_range_paths paths = rv_range_tree_pack(from);
    rv_range_tree_merge(into, &paths);
    free(paths.bytes);
}

Test(range_tree, calls_on_a_path_without_a_node_count_as_self_of_the_last_node, .timeout = 60)
{
    struct rv_range_tree full, more;
    fill(&full);
    rv_range_tree_init(&more);
    const uint32_t a = rv_range_tree_at(&more, 0, 1), c = rv_range_tree_at(&more, a, 3),
                   b = rv_range_tree_at(&more, c, 2);
    add(&more, a, 100, 20);
    add(&more, c, 80, 50);
    add(&more, b, 30, 30);
    merge(&full, &more);
    cr_assert_eq(full.n, RV_RANGE_MOST_NODES);
    cr_assert_eq(full.nodes[1].total_ns, 100);
    cr_assert_eq(full.nodes[1].self_ns, 100);
    cr_assert_eq(full.nodes[2].n_calls, 0, "B in C is taken for B in A");
    cr_assert_eq(full.nodes[0].total_ns, 100);
    rv_range_tree_fini(&full);
    rv_range_tree_fini(&more);
}

/* Of any size; a call's own time may be more than all of its time, where others overlap it. */
static uint64_t any(uint64_t *random)
{
    *random = rv_hash_u64(*random + 1);
    return *random >> (*random & 63);
}

Test(range_tree, paths_are_merged_into_an_empty_tree_as_they_were, .timeout = 60)
{
    enum { N_CALLS = 5000 };
    struct rv_range_tree tree, same;
    uint64_t random = 1;
    rv_range_tree_init(&tree);
    rv_range_tree_init(&same);
    for (uint32_t node = 0, i = 0; i < N_CALLS; i++) {
        node = rv_range_tree_at(&tree, any(&random) % 4 ? node : 0, (uint32_t)any(&random));
        tree.nodes[node].n_calls = any(&random);
        tree.nodes[node].self_ns = any(&random);
        tree.nodes[node].total_ns = any(&random);
        tree.nodes[node].off_ns = any(&random);
    }
    merge(&same, &tree);
    cr_assert_gt(tree.n, N_CALLS / 2);
    cr_assert_eq(same.n, tree.n);
    cr_assert_arr_eq(&same.nodes[1], &tree.nodes[1], (tree.n - 1) * sizeof *tree.nodes);
    rv_range_tree_clear(&tree);
    cr_assert_eq(rv_range_tree_at(&tree, 0, same.nodes[1].id), 1, "a path is still found");
    cr_assert_eq(tree.nodes[1].total_ns, 0);
    rv_range_tree_fini(&same);
    rv_range_tree_fini(&tree);
}
