#include "model/range_tree.h"

#include <criterion/criterion.h>

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
    rv_range_tree_merge(&full, &more);
    cr_assert_eq(full.n, RV_RANGE_MOST_NODES);
    cr_assert_eq(full.nodes[1].total_ns, 100);
    cr_assert_eq(full.nodes[1].self_ns, 100);
    cr_assert_eq(full.nodes[2].n_calls, 0, "B in C is taken for B in A");
    cr_assert_eq(full.nodes[0].total_ns, 100);
    rv_range_tree_fini(&full);
    rv_range_tree_fini(&more);
}
