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

/* The same calls, added to a tree that is merged and to one that has the full tree's paths. */
Test(range_tree, sums_in_a_tree_with_the_paths_of_a_full_one_are_added_as_a_tree_of_its_own_would_be_merged,
     .timeout = 60)
{
    struct rv_range_tree full[2], more[2];
    for (int i = 0; i < 2; i++)
        fill(&full[i]);
    rv_range_tree_init(&more[0]);
    rv_range_tree_init_as(&more[1], &full[1]);
    for (uint32_t round = 0; round < 1000; round++)
        for (int i = 0; i < 2; i++) {
            const uint32_t node = rv_range_tree_at(&more[i], 0, round % 2 ? 1 : 4);
            add(&more[i], node, 10, 1);
            const uint32_t callee = rv_range_tree_at(&more[i], node, round % 3 + 1);
            if (callee == node)
                more[i].nodes[node].self_ns += 2;
            else
                add(&more[i], callee, 2, 2);
        }
    cr_assert_eq(more[0].n, 9);
    cr_assert_eq(more[1].n, RV_RANGE_MOST_NODES);
    merge(&full[0], &more[0]);
    rv_range_tree_add(&full[1], &more[1]);
    cr_assert_arr_eq(full[0].nodes, full[1].nodes, full[0].n * sizeof *full[0].nodes);
    for (int i = 0; i < 2; i++) {
        rv_range_tree_fini(&more[i]);
        rv_range_tree_fini(&full[i]);
    }
}

Test(range_tree, a_closed_tree_has_the_paths_that_take_longest_and_the_time_of_the_others_in_their_callers,
     .timeout = 60)
{
    struct rv_range_tree tree, others;
    rv_range_tree_init(&tree);
    rv_range_tree_init(&others);
    const uint32_t large = rv_range_tree_at(&tree, 0, 1);
    const uint32_t other = rv_range_tree_at(&others, rv_range_tree_at(&others, 0, 3), 4);
    add(&tree, large, 1000000, 10);
    for (uint32_t id = 2; id < RV_RANGE_LARGEST_NODES + 100; id++) {
        add(&tree, rv_range_tree_at(&tree, large, id), id, id);
        add(&tree, rv_range_tree_at(&tree, 0, id), id / 2, id / 2);
    }
    uint64_t self_ns = 0, total_ns = 0;
    for (size_t i = 1; i < tree.n; i++) {
        self_ns += tree.nodes[i].self_ns;
        tree.nodes[0].total_ns += tree.nodes[i].parent == 0 ? tree.nodes[i].total_ns : 0;
    }
    rv_range_tree_close(&tree, &others);
    cr_assert(rv_range_tree_is_full(&tree));
    cr_assert_eq(tree.n, RV_RANGE_LARGEST_NODES + 2);
    const uint32_t here = rv_range_tree_at(&tree, 0, 1);
    cr_assert_neq(here, 0);
    cr_assert_eq(rv_range_tree_at(&tree, here, 2), here, "the shortest has none");
    cr_assert_neq(rv_range_tree_at(&tree, here, RV_RANGE_LARGEST_NODES + 99), here);
    cr_assert_eq(rv_range_tree_at(&tree, rv_range_tree_at(&tree, 0, 3), 4), other);
    cr_assert_eq(tree.nodes[tree.nodes[other].parent].total_ns, 1, "short, but one of the others");
    cr_assert_eq(rv_range_tree_at(&tree, 0, 0), 0, "a new one gets none");
    for (size_t i = 1; i < tree.n; i++)
        total_ns += tree.nodes[i].parent == 0 ? tree.nodes[i].total_ns : 0;
    cr_assert_eq(tree.nodes[0].total_ns, total_ns);
    for (size_t i = 0; i < tree.n; i++)
        self_ns -= tree.nodes[i].self_ns;
    cr_assert_eq(self_ns, 0);
    rv_range_tree_fini(&tree);
}

/* A random time of any size: own time may exceed total time where calls overlap. */
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

/* A call in both trees; its caller is one of the open ones. */
static void add_call(struct rv_range_tree *trees[2], uint32_t open[2][10], unsigned depth, uint32_t id,
                     uint64_t total_ns)
{
    for (unsigned i = 0; i < 2; i++) {
        open[i][depth + 1] = rv_range_tree_at(trees[i], open[i][depth], id);
        add(trees[i], open[i][depth + 1], total_ns, total_ns / 2);
        if (depth == 0)
            add(trees[i], 0, total_ns, 0);
    }
}

/* Of few subroutines, so that trees have paths in common. */
static void add_calls(struct rv_range_tree *tree, struct rv_range_tree *all, uint64_t *random)
{
    struct rv_range_tree *trees[2] = {tree, all};
    uint32_t open[2][10] = {{0}};
    for (unsigned i = 0, n_open = 0; i < 300; i++) {
        const unsigned depth = (unsigned)(any(random) % (n_open + 1));
        add_call(trees, open, depth, 1 + (uint32_t)(any(random) % 3), i);
        n_open = depth < 8 ? depth + 1 : 0;
    }
}

Test(range_tree, merged_trees_are_as_if_all_calls_had_come_in_turn, .timeout = 60)
{
    struct rv_range_tree merged, all;
    uint64_t random = 1;
    rv_range_tree_init(&merged);
    rv_range_tree_init(&all);
    for (unsigned i = 0; i < 20; i++) {
        struct rv_range_tree tree;
        rv_range_tree_init(&tree);
        add_calls(&tree, &all, &random);
        merge(&merged, &tree);
        rv_range_tree_fini(&tree);
    }
    cr_assert_eq(merged.n, all.n);
    for (size_t i = 0; i < all.n; i++) {
        const struct rv_range_node *a = &merged.nodes[i], *b = &all.nodes[i];
        cr_assert(a->id == b->id && a->parent == b->parent, "node %zu", i);
        cr_assert(a->n_calls == b->n_calls && a->self_ns == b->self_ns && a->total_ns == b->total_ns, "node %zu", i);
    }
    rv_range_tree_fini(&merged);
    rv_range_tree_fini(&all);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Two nodes whose callees with equal ids have equal hashes. */
static void find_alike(const struct rv_range_tree *tree, uint32_t alike[2])
{
    uint64_t *hashes = malloc(tree->n * sizeof *hashes);
    for (size_t i = 0; i < tree->n; i++)
        hashes[i] = (uint64_t)tree->nodes[i].next << 32 | i;
    qsort(hashes, tree->n, sizeof *hashes, by_number);
    size_t at = 1;
    while (at < tree->n && hashes[at] >> 32 != hashes[at - 1] >> 32)
        at++;
    cr_assert_lt(at, tree->n);
    alike[0] = (uint32_t)hashes[at - 1];
    alike[1] = (uint32_t)hashes[at];
    free(hashes);
}

Test(range_tree, paths_of_one_hash_stay_distinct, .timeout = 60)
{
    struct rv_range_tree tree, same;
    uint32_t alike[2], callees[2];
    rv_range_tree_init(&tree);
    rv_range_tree_init(&same);
    for (uint32_t id = 1; id <= 200000; id++)
        (void)rv_range_tree_at(&tree, 0, id);
    find_alike(&tree, alike);
    for (unsigned i = 0; i < 2; i++) {
        (void)rv_range_tree_at(&tree, alike[i], 1);
        callees[i] = rv_range_tree_at(&tree, alike[i], 2);
        add(&tree, callees[i], 10 + i, 0);
    }
    cr_assert_neq(callees[0], callees[1]);
    merge(&same, &tree);
    merge(&same, &tree);
    for (unsigned i = 0; i < 2; i++) {
        (void)rv_range_tree_at(&tree, alike[i], 1);
        cr_assert_eq(rv_range_tree_at(&tree, alike[i], 2), callees[i]);
        cr_assert_eq(same.nodes[callees[i]].parent, alike[i]);
        cr_assert_eq(same.nodes[callees[i]].total_ns, 2 * (10 + i));
    }
    cr_assert_eq(same.n, tree.n);
    rv_range_tree_fini(&tree);
    rv_range_tree_fini(&same);
}

/* Few totals, many of them equal; parents of few children and of hundreds. */
Test(range_tree, children_are_linked_by_falling_total_and_equal_ones_in_their_order, .timeout = 60)
{
    enum { N = 2000, N_PARENTS = 40 };
    struct rv_range_node nodes[N] = {{0}};
    uint64_t random = 1;
    size_t n_linked = 0;
    for (uint32_t i = 1; i < N; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const uint32_t most = i < N_PARENTS ? i : N_PARENTS, few = (uint32_t)(random >> 40) % most;
        nodes[i].parent = random >> 33 & 3 ? few % 4 : few;
        nodes[i].total_ns = random >> 50 & 63;
    }
    rv_range_link_nodes(nodes, N);
    for (uint32_t parent = 0; parent < N; parent++)
        for (uint32_t child = nodes[parent].first_child; child; child = nodes[child].next) {
            const uint32_t next = nodes[child].next;
            cr_assert_eq(nodes[child].parent, parent);
            cr_assert(!next || nodes[child].total_ns > nodes[next].total_ns ||
                      (nodes[child].total_ns == nodes[next].total_ns && child < next));
            n_linked++;
        }
    cr_assert_eq(n_linked, N - 1);
}
