#include "model/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void rv_call_tree_fini(struct rv_call_tree *tree)
{
    free(tree->nodes);
    *tree = (struct rv_call_tree){0};
}

static void add(struct rv_range_node *node, uint64_t total_ns, uint64_t self_ns, uint64_t n_calls)
{
    node->total_ns += total_ns;
    node->self_ns += self_ns;
    node->n_calls += n_calls;
}

/* ---- trees of callers ---- */

/*
 * Paths upside down: below the root the subroutine of each, below that its caller, and so on. Made level by level, all paths of
 * a node at a time, since these have their next callers in common: a full tree then has all callers of a level before any of
 * the next one, and finding a caller's node takes neither a search nor memory far from what was read before.
 */
struct climber { /* a path, counted up to one of its callers */
    uint32_t path;
    uint32_t next;  /* the path of the caller that comes next; 0: none is left */
    uint32_t child; /* the node of that caller */
};

struct group { /* some in a row: the climbers of a node; once these have climbed, its children */
    uint32_t begin, n;
};

struct step {
    uint32_t id, parent;
};

struct sums { /* what a path adds to its nodes */
    uint64_t total_ns, self_ns, n_calls;
};

struct callers {
    struct sums *sums;  /* by path */
    struct step *steps; /* by path */
    struct rv_range_node *nodes;
    size_t n, capacity;
    struct group *groups; /* by node */
    size_t groups_capacity;
    uint32_t *by_id;                  /* of each subroutine the latest node */
    struct climber *climbers, *above; /* of this level and of the next; CLIMBERS_AHEAD more */
    size_t n_above;
};

#define CLIMBERS_AHEAD 12u /* what they need comes from memory meanwhile */

static void add_node(struct callers *callers, uint32_t parent, uint32_t id)
{
    const size_t n = callers->n + 1;
    callers->nodes = rv_vec_reserve(callers->nodes, &callers->capacity, n, sizeof *callers->nodes);
    callers->groups = rv_vec_reserve(callers->groups, &callers->groups_capacity, n, sizeof *callers->groups);
    callers->nodes[callers->n] = (struct rv_range_node){.id = id, .parent = parent};
    callers->groups[callers->n] = (struct group){0};
    callers->n = n;
}

/* The node of a caller below another one, whose children are the nodes from `first` on; 0: there is no room for it. */
static uint32_t child_of(struct callers *callers, uint32_t node, uint32_t id, uint32_t first)
{
    if (callers->by_id[id] >= first)
        return callers->by_id[id];
    if (callers->n == RV_RANGE_MOST_NODES)
        return 0;
    add_node(callers, node, id);
    return callers->by_id[id] = (uint32_t)callers->n - 1;
}

static void prefetch(const struct callers *callers, const struct climber *climber)
{
    if (climber->next)
        __builtin_prefetch(&callers->steps[climber->next]);
    else
        __builtin_prefetch(&callers->sums[climber->path]);
}

/* Move a path to the node of its next caller. Without a caller it is added to this node. Returns whether it has moved. */
static bool climb_on(struct callers *callers, uint32_t node, struct climber *climber, uint32_t first)
{
    const struct step next = callers->steps[climber->next];
    climber->child = climber->next ? child_of(callers, node, next.id, first) : 0;
    if (climber->child) {
        callers->groups[climber->child].n++;
        climber->next = next.parent;
        return true;
    }
    const struct sums *sums = &callers->sums[climber->path];
    add(&callers->nodes[node], sums->total_ns, sums->self_ns, sums->n_calls);
    return false;
}

/* Move all paths of a node. */
static void climb(struct callers *callers, uint32_t node)
{
    const struct group group = callers->groups[node];
    const uint32_t first = (uint32_t)callers->n;
    struct climber *climbers = &callers->climbers[group.begin];
    size_t n_left = 0;
    for (size_t i = 0; i < group.n; i++) {
        struct climber climber = climbers[i];
        prefetch(callers, &climbers[i + CLIMBERS_AHEAD]);
        if (climb_on(callers, node, &climber, first))
            climbers[n_left++] = climber;
    }
    for (size_t child = first; child < callers->n; child++) {
        struct group *above = &callers->groups[child];
        above->begin = (uint32_t)callers->n_above;
        callers->n_above += above->n;
        above->n = 0;
    }
    for (size_t i = 0; i < n_left; i++) {
        struct group *above = &callers->groups[climbers[i].child];
        callers->above[above->begin + above->n++] = climbers[i];
    }
    callers->groups[node] = (struct group){first, (uint32_t)callers->n - first};
}

/* What ended in a node counts for all nodes on the way to it. */
static void add_up(struct callers *callers)
{
    for (size_t i = callers->n; i-- > 0;) {
        const struct rv_range_node *node = &callers->nodes[i];
        const struct group *children = &callers->groups[i];
        rv_range_link_children(callers->nodes, (uint32_t)i, children->begin, children->n);
        if (i > 0)
            add(&callers->nodes[node->parent], node->total_ns, node->self_ns, node->n_calls);
    }
}

static uint32_t ids_end(const struct rv_range_node *paths, size_t n)
{
    uint32_t end = 1;
    for (size_t i = 1; i < n; i++)
        end = paths[i].id >= end ? paths[i].id + 1 : end;
    return end;
}

static struct callers begin_callers(const struct rv_range_node *paths, size_t n)
{
    struct callers callers = {.sums = rv_alloc_scratch(n, sizeof *callers.sums),
                              .steps = rv_alloc_scratch(n, sizeof *callers.steps),
                              .by_id = rv_alloc(ids_end(paths, n), sizeof *callers.by_id),
                              .climbers = rv_alloc(n + CLIMBERS_AHEAD, sizeof *callers.climbers),
                              .above = rv_alloc(n + CLIMBERS_AHEAD, sizeof *callers.above)};
    for (size_t i = 0; i < n; i++) {
        callers.steps[i] = (struct step){paths[i].id, paths[i].parent};
        callers.sums[i] = (struct sums){0, paths[i].self_ns, paths[i].n_calls};
    }
    add_node(&callers, 0, 0);
    return callers;
}

/* The subroutine of the path `from` is below the root; those of its callers follow. */
static void add_climber(struct callers *callers, uint32_t path, uint32_t from, uint64_t total_ns)
{
    struct group *root = &callers->groups[0];
    callers->sums[path].total_ns = total_ns;
    callers->climbers[root->n++] = (struct climber){.path = path, .next = from};
}

static struct rv_call_tree finish_callers(struct callers *callers)
{
    for (size_t node = 0, level_end = 1; node < callers->n; node++) {
        if (node == level_end) {
            struct climber *free_room = callers->climbers;
            callers->climbers = callers->above;
            callers->above = free_room;
            callers->n_above = 0;
            level_end = callers->n;
        }
        climb(callers, (uint32_t)node);
    }
    add_up(callers);
    free(callers->sums);
    free(callers->steps);
    free(callers->groups);
    free(callers->by_id);
    free(callers->climbers);
    free(callers->above);
    return (struct rv_call_tree){callers->nodes, callers->n};
}

static uint32_t outermost_of(const struct rv_range_node *paths, uint32_t path)
{
    uint32_t outermost = path;
    for (uint32_t at = path; at; at = paths[at].parent)
        if (paths[at].id == paths[path].id)
            outermost = at;
    return outermost;
}

static struct rv_call_tree make_bottom_up(const struct rv_range_node *paths, size_t n)
{
    struct callers callers = begin_callers(paths, n);
    for (uint32_t i = 1; i < n; i++)
        add_climber(&callers, i, i, paths[i].self_ns);
    return finish_callers(&callers);
}

static struct rv_call_tree make_callers(uint32_t id, const struct rv_range_node *paths, size_t n)
{
    struct callers callers = begin_callers(paths, n);
    for (uint32_t i = 1; i < n; i++) {
        if (paths[i].id != id)
            continue;
        const uint32_t outermost = outermost_of(paths, i);
        add_climber(&callers, i, outermost, outermost == i ? paths[i].total_ns : 0);
    }
    return finish_callers(&callers);
}

/* ---- other trees ---- */

/* A path comes after its caller's. */
static struct rv_call_tree make_callees(uint32_t id, const struct rv_range_node *paths, size_t n)
{
    struct rv_range_tree tree;
    uint32_t *nodes = rv_alloc(n, sizeof *nodes);
    rv_range_tree_init(&tree);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t caller = nodes[paths[i].parent];
        if (!caller && paths[i].id != id)
            continue;
        nodes[i] = rv_range_tree_at(&tree, caller, paths[i].id);
        if (nodes[i] != caller)
            add(&tree.nodes[nodes[i]], paths[i].total_ns, paths[i].self_ns, paths[i].n_calls);
        if (!caller)
            add(&tree.nodes[0], paths[i].total_ns, paths[i].self_ns, paths[i].n_calls);
    }
    free(nodes);
    const struct rv_call_tree made = {tree.nodes, tree.n};
    rv_range_link_nodes(made.nodes, made.n);
    tree.nodes = NULL;
    rv_range_tree_fini(&tree);
    return made;
}

static struct rv_call_tree copy_paths(const struct rv_range_node *paths, size_t n)
{
    struct rv_call_tree tree = {.nodes = rv_alloc_scratch(n, sizeof *tree.nodes), .n = n};
    memcpy(tree.nodes, paths, n * sizeof *paths);
    return tree;
}

void rv_call_tree_make(struct rv_call_tree *tree, enum rv_call_tree_kind kind, uint32_t id,
                       const struct rv_range_node *paths, size_t n_paths)
{
    if (kind == RV_CALL_TREE_TOP_DOWN) {
        *tree = copy_paths(paths, n_paths);
        return;
    }
    *tree = kind == RV_CALL_TREE_BOTTOM_UP ? make_bottom_up(paths, n_paths)
            : kind == RV_CALL_TREE_CALLERS ? make_callers(id, paths, n_paths)
                                           : make_callees(id, paths, n_paths);
}
