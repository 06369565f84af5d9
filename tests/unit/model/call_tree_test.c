/* Random trees of paths: sums over all paths are what the derived trees say. */
#include "model/call_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define N_IDS 5u
#define N_PATHS 200u

/* A path's total is its own time and those of its children; children have other ids than their siblings. */
static void make_paths(struct rv_range_node paths[N_PATHS], unsigned seed)
{
    srand(seed);
    paths[0] = (struct rv_range_node){0};
    for (uint32_t i = 1; i < N_PATHS; i++) {
        uint32_t parent, id;
        bool is_free = false;
        while (!is_free) {
            parent = (uint32_t)rand() % i;
            id = (uint32_t)rand() % N_IDS;
            is_free = true;
            for (uint32_t j = 1; j < i; j++)
                is_free &= paths[j].parent != parent || paths[j].id != id;
        }
        paths[i] = (struct rv_range_node){
            .id = id, .parent = parent, .self_ns = (uint64_t)rand() % 100, .n_calls = 1 + (uint64_t)rand() % 9};
    }
    for (uint32_t i = N_PATHS - 1; i > 0; i--) {
        paths[i].total_ns += paths[i].self_ns;
        paths[paths[i].parent].total_ns += paths[i].total_ns;
    }
    rv_range_link_nodes(paths, N_PATHS);
}

static bool is_outermost(const struct rv_range_node *paths, uint32_t path)
{
    for (uint32_t at = paths[path].parent; at; at = paths[at].parent)
        if (paths[at].id == paths[path].id)
            return false;
    return true;
}

/* The row of a subroutine in a report. */
static struct rv_range_node row_of(const struct rv_range_node *paths, uint32_t id)
{
    struct rv_range_node row = {.id = id};
    for (uint32_t i = 1; i < N_PATHS; i++)
        if (paths[i].id == id) {
            row.total_ns += is_outermost(paths, i) ? paths[i].total_ns : 0;
            row.self_ns += paths[i].self_ns;
            row.n_calls += paths[i].n_calls;
        }
    return row;
}

static const struct rv_range_node *child(const struct rv_call_tree *tree, uint32_t parent, uint32_t id)
{
    for (uint32_t at = tree->nodes[parent].first_child; at; at = tree->nodes[at].next)
        if (tree->nodes[at].id == id)
            return &tree->nodes[at];
    return NULL;
}

/* The total time of the outermost paths of a subroutine that have this caller. */
static uint64_t total_from(const struct rv_range_node *paths, uint32_t id, uint32_t caller)
{
    uint64_t total_ns = 0;
    for (uint32_t i = 1; i < N_PATHS; i++)
        if (paths[i].id == id && paths[i].parent && paths[paths[i].parent].id == caller && is_outermost(paths, i))
            total_ns += paths[i].total_ns;
    return total_ns;
}

Test(call_tree, callers_have_the_numbers_of_the_report_and_share_them_out, .timeout = 60)
{
    struct rv_range_node paths[N_PATHS];
    for (unsigned seed = 1; seed < 20; seed++) {
        make_paths(paths, seed);
        for (uint32_t id = 0; id < N_IDS; id++) {
            struct rv_call_tree tree = {0};
            struct rv_range_node row = row_of(paths, id);
            rv_call_tree_make(&tree, RV_CALL_TREE_CALLERS, id, paths, N_PATHS);
            cr_assert_eq(tree.nodes[1].id, id);
            cr_assert_eq(tree.nodes[1].total_ns, row.total_ns);
            cr_assert_eq(tree.nodes[1].self_ns, row.self_ns);
            cr_assert_eq(tree.nodes[1].n_calls, row.n_calls);
            for (uint32_t caller = 0; caller < N_IDS; caller++) {
                const struct rv_range_node *node = child(&tree, 1, caller);
                cr_assert_eq(node ? node->total_ns : 0, total_from(paths, id, caller), "seed %u", seed);
            }
            rv_call_tree_fini(&tree);
        }
    }
}

Test(call_tree, callees_have_the_total_of_the_report_and_no_more_inside, .timeout = 60)
{
    struct rv_range_node paths[N_PATHS];
    for (unsigned seed = 1; seed < 20; seed++) {
        make_paths(paths, seed);
        for (uint32_t id = 0; id < N_IDS; id++) {
            struct rv_call_tree tree = {0};
            uint64_t inside_ns[N_PATHS] = {0};
            rv_call_tree_make(&tree, RV_CALL_TREE_CALLEES, id, paths, N_PATHS);
            cr_assert_eq(tree.nodes[1].total_ns, row_of(paths, id).total_ns);
            for (uint32_t i = 2; i < tree.n; i++)
                inside_ns[tree.nodes[i].parent] += tree.nodes[i].total_ns;
            for (uint32_t i = 1; i < tree.n; i++)
                cr_assert_eq(tree.nodes[i].total_ns, tree.nodes[i].self_ns + inside_ns[i]);
            rv_call_tree_fini(&tree);
        }
    }
}

Test(call_tree, from_the_bottom_up_are_the_own_times_of_the_report, .timeout = 60)
{
    struct rv_range_node paths[N_PATHS];
    make_paths(paths, 7);
    struct rv_call_tree tree = {0};
    rv_call_tree_make(&tree, RV_CALL_TREE_BOTTOM_UP, 0, paths, N_PATHS);
    for (uint32_t id = 0; id < N_IDS; id++) {
        const struct rv_range_node *node = child(&tree, 0, id);
        cr_assert_eq(node->total_ns, row_of(paths, id).self_ns);
        cr_assert_eq(node->n_calls, row_of(paths, id).n_calls);
    }
    cr_assert_eq(tree.nodes[0].total_ns, paths[0].total_ns);
    rv_call_tree_fini(&tree);
}

/* Each path calls one of the last few before it, so that most are deep. */
static struct rv_range_node *make_deep_paths(size_t n)
{
    struct rv_range_node *paths = calloc(n, sizeof *paths);
    srand(3);
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t back = 1 + (uint32_t)rand() % 32;
        paths[i] = (struct rv_range_node){
            .id = (uint32_t)rand() % 500, .parent = back < i ? i - back : 0, .self_ns = 1, .n_calls = 1};
    }
    return paths;
}

Test(call_tree, a_full_tree_has_all_nearest_callers, .timeout = 60)
{
    enum { N_MANY = 20000, LEVELS = 3 };
    struct rv_range_node *paths = make_deep_paths(N_MANY);
    uint64_t totals_ns[LEVELS] = {0};
    struct rv_call_tree tree = {0};
    rv_call_tree_make(&tree, RV_CALL_TREE_BOTTOM_UP, 0, paths, N_MANY);
    cr_assert_eq(tree.n, RV_RANGE_MOST_NODES);
    for (uint32_t i = 1; i < tree.n; i++) {
        uint32_t level = 0;
        for (uint32_t at = tree.nodes[i].parent; at && level < LEVELS; at = tree.nodes[at].parent)
            level++;
        if (level < LEVELS)
            totals_ns[level] += tree.nodes[i].total_ns;
    }
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint64_t expected_ns = 0; /* of paths that are so deep */
        for (uint32_t i = 1; i < N_MANY; i++) {
            uint32_t at = i;
            for (uint32_t j = 0; j < level; j++)
                at = paths[at].parent;
            expected_ns += at > 0;
        }
        cr_assert_eq(totals_ns[level], expected_ns, "level %u", level);
    }
    rv_call_tree_fini(&tree);
    free(paths);
}

/* Every node is linked to its parent once, siblings by falling total, of equal ones the first. */
static void check_links(const struct rv_call_tree *tree)
{
    size_t n_linked = 0;
    for (uint32_t i = 0; i < tree->n; i++)
        for (uint32_t at = tree->nodes[i].first_child; at; at = tree->nodes[at].next) {
            const struct rv_range_node *node = &tree->nodes[at], *next = &tree->nodes[node->next];
            cr_assert_eq(node->parent, i);
            cr_assert(!node->next || node->total_ns > next->total_ns ||
                      (node->total_ns == next->total_ns && at < node->next));
            n_linked++;
        }
    cr_assert_eq(n_linked, tree->n - 1);
}

Test(call_tree, siblings_are_linked_by_falling_total, .timeout = 60)
{
    enum { N_MANY = 3000 };
    struct rv_range_node *paths = make_deep_paths(N_MANY);
    for (int kind = RV_CALL_TREE_BOTTOM_UP; kind < RV_CALL_TREE_KINDS; kind++) {
        struct rv_call_tree tree = {0};
        rv_call_tree_make(&tree, (enum rv_call_tree_kind)kind, paths[N_MANY / 2].id, paths, N_MANY);
        check_links(&tree);
        rv_call_tree_fini(&tree);
    }
    free(paths);
}

Test(call_tree, an_empty_range_has_empty_trees, .timeout = 60)
{
    struct rv_range_node root = {0};
    for (int kind = 0; kind < RV_CALL_TREE_KINDS; kind++) {
        struct rv_call_tree tree = {0};
        rv_call_tree_make(&tree, (enum rv_call_tree_kind)kind, 0, &root, 1);
        cr_assert_eq(tree.n, 1);
        rv_call_tree_fini(&tree);
    }
}
