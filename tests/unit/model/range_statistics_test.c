/* Random streams, some of whose calls stay open, compared with a count call by call by the generator. */
#include "model/range_statistics.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"

#define N_IDS 9u
#define MOST_DEPTH 12u
#define N_LANES 3u
#define NONE UINT32_MAX
#define PATH_BYTES 64

/* Streams that are compared: a sanitizer makes each some ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { N_SEEDS = 2, N_TURNS = 1 };
#else
enum { N_SEEDS = 6, N_TURNS = 2 };
#endif

struct call {
    uint64_t start, end;
    uint32_t id, depth, caller, lane;
    bool is_open;
};

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_range_memory *memory; /* of all its ranges of rows */
    struct call *calls;             /* in order of their beginning: a caller comes before what it calls */
    size_t n, capacity;
    uint64_t seed, last_ns, tick_ns;
};

static uint64_t rnd(struct world *world)
{
    world->seed ^= world->seed << 13;
    world->seed ^= world->seed >> 7;
    return world->seed ^= world->seed << 17;
}

static uint64_t gap(struct world *world)
{
    return 1 + rnd(world) % (UINT64_C(1) << (1 + rnd(world) % 16));
}

/* No two times of a lane are equal, but for what its clock rounds off. */
static void fill(struct world *world, uint32_t lane_idx, size_t n)
{
    uint32_t stack[MOST_DEPTH], n_open = 0;
    uint64_t exact = 1000 + world->tick_ns + gap(world), now = exact - exact % world->tick_ns;
    struct rv_lane *lane =
        rv_lanes_add(world->lanes, &(struct rv_lane_identity){.tid = lane_idx, .name = lane_idx ? "worker" : "main"});
    for (size_t i = 0; i < n; i++, exact += gap(world), now = exact - exact % world->tick_ns) {
        if (n_open > 0 && (n_open == MOST_DEPTH || rnd(world) % 2)) {
            struct call *call = &world->calls[stack[--n_open]];
            call->end = now;
            call->is_open = false;
            rv_timeline_add(lane->timeline,
                            &(struct rv_span){.start = call->start, .end = now, .id = call->id, .depth = call->depth},
                            1);
            continue;
        }
        world->calls = rv_vec_reserve(world->calls, &world->capacity, world->n + 1, sizeof *world->calls);
        world->calls[world->n] = (struct call){.start = now,
                                               .id = (uint32_t)(rnd(world) % N_IDS),
                                               .depth = n_open,
                                               .caller = n_open ? stack[n_open - 1] : NONE,
                                               .lane = lane_idx,
                                               .is_open = true};
        stack[n_open++] = (uint32_t)world->n++;
    }
    lane->last_ns = now;
    lane->open = rv_vec_reserve(NULL, &lane->open_capacity, n_open + 1, sizeof *lane->open);
    for (uint32_t i = 0; i < n_open; i++)
        lane->open[i] = (struct rv_lane_frame){world->calls[stack[i]].start, world->calls[stack[i]].id, i};
    lane->n_open = n_open;
    if (now > world->last_ns)
        world->last_ns = now;
}

static void world_init_of_ticks(struct world *world, uint64_t seed, size_t n, uint64_t tick_ns)
{
    *world = (struct world){.lanes = rv_lanes_create(),
                            .subroutines = rv_subroutines_create(),
                            .seed = seed * 0x9e3779b97f4a7c15u + 1,
                            .tick_ns = tick_ns};
    world->memory = rv_range_memory_create(1 << (14 + seed % 3 * 4)); /* few parts, some, all */
    for (uint32_t id = 0; id < N_IDS; id++) {
        char name[8];
        snprintf(name, sizeof name, "s%u", id);
        rv_subroutines_define(world->subroutines, id, "", name, "", 0);
    }
    for (uint32_t i = 0; i < N_LANES; i++)
        fill(world, i, n);
    for (size_t i = 0; i < world->n; i++)
        if (world->calls[i].is_open)
            world->calls[i].end = world->last_ns;
}

static void world_init(struct world *world, uint64_t seed, size_t n)
{
    world_init_of_ticks(world, seed, n, 1);
}

static void world_fini(struct world *world)
{
    rv_range_memory_destroy(world->memory);
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
    free(world->calls);
}

struct path {
    char text[PATH_BYTES];
    uint64_t total_ns, self_ns, n_calls;
};

struct expected {
    struct rv_stats_row rows[N_IDS];
    struct path *paths;
    size_t n_paths, paths_capacity;
    uint64_t *inside, *children; /* by call */
};

static bool is_in(const struct call *call, const uint64_t range[2])
{
    return call->start < range[1] && call->end > range[0];
}

static bool passes(const struct call *call, const struct rv_filter *filter)
{
    struct rv_box box = {.start_ns = call->start,
                         .duration_ns = call->end - call->start,
                         .id = call->id,
                         .depth = call->depth,
                         .count = 1,
                         .coverage = RV_BOX_EXACT};
    return !filter || (rv_filter_passes_thread(filter, call->lane ? "worker" : "main") &&
                       rv_filter_passes_box(filter, NULL, &box));
}

/* "3>1>": the ids of those that pass, from the outermost. */
static void path_of(const struct world *world, uint32_t idx, const struct rv_filter *filter, char *out)
{
    out[0] = '\0';
    if (idx == NONE)
        return;
    path_of(world, world->calls[idx].caller, filter, out);
    if (passes(&world->calls[idx], filter))
        snprintf(out + strlen(out), PATH_BYTES - strlen(out), "%u>", world->calls[idx].id);
}

static struct path *find_path(struct expected *expected, const char *text)
{
    for (size_t i = 0; i < expected->n_paths; i++)
        if (strcmp(expected->paths[i].text, text) == 0)
            return &expected->paths[i];
    expected->paths =
        rv_vec_reserve(expected->paths, &expected->paths_capacity, expected->n_paths + 1, sizeof *expected->paths);
    struct path *path = &expected->paths[expected->n_paths++];
    *path = (struct path){0};
    snprintf(path->text, sizeof path->text, "%s", text);
    return path;
}

static void expect_rows(const struct world *world, const uint64_t range[2], const struct rv_filter *filter,
                        struct expected *expected)
{
    *expected =
        (struct expected){.inside = calloc(world->n, sizeof(uint64_t)), .children = calloc(world->n, sizeof(uint64_t))};
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        if (!is_in(call, range))
            continue;
        uint64_t from = call->start > range[0] ? call->start : range[0],
                 to = call->end < range[1] ? call->end : range[1];
        expected->inside[i] = to - from;
        if (call->caller != NONE)
            expected->children[call->caller] += to - from;
    }
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        if (!is_in(call, range) || !passes(call, filter))
            continue;
        struct rv_stats_row *row = &expected->rows[call->id];
        uint64_t duration = call->end - call->start, self = expected->inside[i] - expected->children[i];
        bool is_outermost = true;
        for (uint32_t at = call->caller; at != NONE; at = world->calls[at].caller)
            is_outermost &= world->calls[at].id != call->id || !passes(&world->calls[at], filter);
        row->min_ns = row->n_calls == 0 || duration < row->min_ns ? duration : row->min_ns;
        row->max_ns = duration > row->max_ns ? duration : row->max_ns;
        row->n_calls++;
        row->self_ns += self;
        row->total_ns += is_outermost ? expected->inside[i] : 0;
    }
}

static void expect(const struct world *world, const uint64_t range[2], const struct rv_filter *filter,
                   struct expected *expected)
{
    expect_rows(world, range, filter, expected);
    for (size_t i = 0; i < world->n; i++) {
        if (!is_in(&world->calls[i], range) || !passes(&world->calls[i], filter))
            continue;
        char text[PATH_BYTES];
        path_of(world, (uint32_t)i, filter, text);
        struct path *path = find_path(expected, text);
        path->n_calls++;
        path->total_ns += expected->inside[i];
        path->self_ns += expected->inside[i] - expected->children[i];
    }
}

static void expected_fini(struct expected *expected)
{
    free(expected->paths);
    free(expected->inside);
    free(expected->children);
}

static void check_rows(const struct rv_range_statistics *range, const struct expected *expected)
{
    struct rv_stats_row rows[N_IDS];
    size_t n = rv_stats_rows(rv_range_statistics_stats(range), rows, N_IDS), n_wanted = 0;
    uint64_t self_ns = 0;
    for (size_t i = 0; i < N_IDS; i++)
        n_wanted += expected->rows[i].n_calls > 0;
    cr_assert_eq(n, n_wanted);
    for (size_t i = 0; i < n; i++) {
        const struct rv_stats_row *wanted = &expected->rows[rows[i].id];
        cr_assert_eq(rows[i].n_calls, wanted->n_calls);
        cr_assert_eq(rows[i].self_ns, wanted->self_ns);
        cr_assert_eq(rows[i].total_ns, wanted->total_ns);
        cr_assert_eq(rows[i].min_ns, wanted->min_ns);
        cr_assert_eq(rows[i].max_ns, wanted->max_ns);
        self_ns += wanted->self_ns;
    }
    cr_assert_eq(rv_range_statistics_self_ns(range), self_ns);
}

static void check_nodes(const struct rv_range_statistics *range, struct expected *expected)
{
    size_t n, n_linked = 0;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n);
    cr_assert_eq(n - 1, expected->n_paths);
    for (size_t i = 1; i < n; i++) {
        char text[PATH_BYTES] = "", longer[PATH_BYTES + 16];
        for (uint32_t at = (uint32_t)i; at; at = nodes[at].parent) {
            snprintf(longer, sizeof longer, "%u>%s", nodes[at].id, text);
            snprintf(text, sizeof text, "%.*s", PATH_BYTES - 1, longer);
        }
        const struct path *path = find_path(expected, text);
        cr_assert_eq(expected->n_paths, n - 1, "no such path: %s", text);
        cr_assert_eq(nodes[i].n_calls, path->n_calls);
        cr_assert_eq(nodes[i].total_ns, path->total_ns);
        cr_assert_eq(nodes[i].self_ns, path->self_ns);
    }
    for (size_t i = 0; i < n; i++)
        for (uint32_t at = nodes[i].first_child; at; at = nodes[at].next, n_linked++) {
            cr_assert_eq(nodes[at].parent, i);
            cr_assert(!nodes[at].next || nodes[nodes[at].next].total_ns <= nodes[at].total_ns);
        }
    cr_assert_eq(n_linked, n - 1);
}

static const struct rv_call *find_call(const struct rv_call_list *list, uint64_t start_ns, uint32_t lane_idx)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->calls[i].start_ns == start_ns && list->calls[i].lane_idx == lane_idx)
            return &list->calls[i];
    return NULL;
}

static uint32_t caller_of(const struct world *world, const struct call *call, const struct rv_filter *filter)
{
    uint32_t at = call->caller;
    while (at != NONE && !passes(&world->calls[at], filter))
        at = world->calls[at].caller;
    return at == NONE ? RV_CALL_NO_CALLER : world->calls[at].id;
}

/* Complete the range by one to four shares, stepped in random order. */
static void complete(struct world *world, struct rv_range_statistics *range)
{
    struct rv_range_statistics_share *shares[4];
    const size_t n = 1 + rnd(world) % 4, most_calls = 1 + rnd(world) % 2000;
    for (size_t i = 0; i < n; i++)
        shares[i] = rv_range_statistics_share_create(range);
    while (!rv_range_statistics_share_step(shares[rnd(world) % n], 1 + rnd(world) % most_calls, 0))
        cr_assert_leq(rv_range_statistics_progress(range), 1.0);
    for (size_t i = 0; i < n; i++) {
        while (!rv_range_statistics_share_step(shares[i], SIZE_MAX, 0))
            ;
        rv_range_statistics_share_destroy(shares[i]);
    }
}

/* A random size of part: all calls in one part, or a few of the smallest stretches. */
static uint64_t any_part_size(struct world *world)
{
    return rnd(world) % 3 ? RV_TIMELINE_STRETCH * (1 + rnd(world) % 3) : UINT64_MAX;
}

/* Every call of the subroutine that a count of all finds, with its own numbers, and no other; sums of all of them. */
static void check_list(struct world *world, const uint64_t bounds[2], const struct rv_filter *filter,
                       const struct expected *expected, uint32_t id)
{
    struct rv_range_statistics *range =
        rv_range_statistics_create(&(struct rv_range_statistics_params){.from_ns = bounds[0],
                                                                        .to_ns = bounds[1],
                                                                        .lanes = world->lanes,
                                                                        .subroutines = world->subroutines,
                                                                        .filter = filter,
                                                                        .memory = world->memory,
                                                                        .calls_per_part = any_part_size(world),
                                                                        .lists_calls = true,
                                                                        .calls_of = id});
    complete(world, range);
    const struct rv_call_list *list = rv_range_statistics_calls(range);
    struct rv_call_sums sums = {0};
    size_t n = 0;
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        if (call->id != id || !is_in(call, bounds) || !passes(call, filter))
            continue;
        const struct rv_call *listed = find_call(list, call->start, call->lane);
        cr_assert(listed);
        cr_assert_eq(listed->duration_ns, call->end - call->start);
        cr_assert_eq(listed->self_ns, expected->inside[i] - expected->children[i]);
        cr_assert_eq(listed->depth, call->depth);
        cr_assert_eq(listed->caller, caller_of(world, call, filter));
        n++;
    }
    for (size_t i = 0; i < list->by_caller.n; i++) {
        sums.n_calls += list->by_caller.sums[i].n_calls;
        sums.total_ns += list->by_caller.sums[i].total_ns;
        sums.self_ns += list->by_caller.sums[i].self_ns;
    }
    cr_assert_eq(list->n, n);
    cr_assert_eq(list->n_calls, n);
    cr_assert_eq(sums.n_calls, expected->rows[id].n_calls);
    cr_assert_eq(sums.total_ns, expected->rows[id].total_ns);
    cr_assert_eq(sums.self_ns, expected->rows[id].self_ns);
    for (size_t i = 1; i < list->n; i++) {
        cr_assert_leq(list->calls[i].duration_ns, list->calls[i - 1].duration_ns);
        cr_assert_geq(list->calls[list->by_start[i]].start_ns, list->calls[list->by_start[i - 1]].start_ns);
    }
    rv_range_statistics_destroy(range);
}

static void check(struct world *world, const uint64_t bounds[2], const struct rv_filter *filter)
{
    struct expected expected;
    expect(world, bounds, filter, &expected);
    struct rv_range_statistics *range =
        rv_range_statistics_create(&(struct rv_range_statistics_params){.from_ns = bounds[0],
                                                                        .to_ns = bounds[1],
                                                                        .lanes = world->lanes,
                                                                        .subroutines = world->subroutines,
                                                                        .filter = filter,
                                                                        .memory = world->memory,
                                                                        .calls_per_part = any_part_size(world)});
    complete(world, range);
    cr_assert_eq(rv_range_statistics_missing_before_ns(range), 0);
    check_rows(range, &expected);
    check_nodes(range, &expected);
    for (uint32_t id = 0; id < N_IDS; id += 4)
        check_list(world, bounds, filter, &expected, id);
    rv_range_statistics_destroy(range);
    expected_fini(&expected);
}

/* By a coarse clock most calls end together with others, or take no time: whose callees these are may be a guess. */
Test(range_statistics, rows_are_exact_where_many_calls_end_at_one_time, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct world world;
        struct expected expected;
        world_init_of_ticks(&world, seed, 5000, UINT64_C(1000) << 2 * seed);
        expect(&world, (uint64_t[2]){0, UINT64_MAX}, NULL, &expected);
        for (unsigned i = 0; i < 4; i++) {
            struct rv_range_statistics *range = rv_range_statistics_create(
                &(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                                     .lanes = world.lanes,
                                                     .subroutines = world.subroutines,
                                                     .calls_per_part = any_part_size(&world)});
            complete(&world, range);
            check_rows(range, &expected);
            rv_range_statistics_destroy(range);
        }
        expected_fini(&expected);
        world_fini(&world);
    }
}

static uint64_t first_start_ns(const struct world *world, uint32_t lane)
{
    size_t i = 0;
    while (world->calls[i].lane != lane)
        i++;
    return world->calls[i].start;
}

Test(range_statistics, rows_and_flame_graph_are_what_a_count_of_every_call_gives, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
        struct world world;
        world_init(&world, seed, 2400);
        check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL);
        for (uint32_t i = 0; i < N_LANES; i++) /* around a lane's first call */
            for (uint64_t late = 0; late < 2; late++)
                check(&world, (uint64_t[2]){first_start_ns(&world, i) + late, UINT64_MAX}, NULL);
        for (unsigned i = 0; i < 12; i++) {
            uint64_t from = rnd(&world) % world.last_ns, to = from + 1 + rnd(&world) % (world.last_ns / (1 + i));
            check(&world, (uint64_t[2]){from, to}, NULL);
        }
        world_fini(&world);
    }
}

static struct rv_range_statistics *create_whole(const struct world *world, uint64_t calls_per_part, bool lists_calls,
                                                const struct rv_filter *filter)
{
    return rv_range_statistics_create(&(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                                                           .lanes = world->lanes,
                                                                           .subroutines = world->subroutines,
                                                                           .filter = filter,
                                                                           .calls_per_part = calls_per_part,
                                                                           .lists_calls = lists_calls,
                                                                           .calls_of = 3});
}

static struct rv_range_statistics *measure_whole(struct world *world, uint64_t calls_per_part, bool lists_calls,
                                                 const struct rv_filter *filter)
{
    struct rv_range_statistics *range = create_whole(world, calls_per_part, lists_calls, filter);
    complete(world, range);
    return range;
}

static struct rv_range_statistics *measure_in_turn(const struct world *world, uint64_t calls_per_part,
                                                   const struct rv_filter *filter)
{
    struct rv_range_statistics *range = create_whole(world, calls_per_part, false, filter);
    rv_range_statistics_measure(range);
    return range;
}

static void compare_nodes(const struct rv_range_statistics *a, const struct rv_range_statistics *b)
{
    size_t n[2];
    const struct rv_range_node *nodes[2] = {rv_range_statistics_nodes(a, &n[0]), rv_range_statistics_nodes(b, &n[1])};
    cr_assert(n[0] >= RV_RANGE_LARGEST_NODES, "%zu", n[0]);
    cr_assert_eq(n[1], n[0]);
    cr_assert_arr_eq(nodes[0], nodes[1], n[0] * sizeof **nodes);
}

static void compare_lists(const struct rv_call_list *a, const struct rv_call_list *b)
{
    cr_assert_gt(a->n, 0);
    cr_assert_eq(a->n_calls, b->n_calls);
    cr_assert_eq(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        const struct rv_call *x = &a->calls[i], *y = &b->calls[i];
        cr_assert(x->start_ns == y->start_ns && x->duration_ns == y->duration_ns && x->self_ns == y->self_ns &&
                      x->total_ns == y->total_ns && x->lane_idx == y->lane_idx && x->caller == y->caller,
                  "call %zu", i);
    }
}

Test(range_statistics, many_shares_give_what_one_gives_with_more_paths_than_have_nodes, .timeout = 120)
{
    for (unsigned turn = 0; turn < N_TURNS; turn++) {
        struct world world;
        world_init(&world, 300 + turn, 700000);
        const uint64_t calls_per_part = 5000 + rnd(&world) % 100000;
        struct rv_range_statistics *one = measure_in_turn(&world, calls_per_part, NULL),
                                   *many = measure_whole(&world, calls_per_part, false, NULL);
        cr_assert_gt(rv_range_statistics_n_parts(many), N_LANES);
        compare_nodes(one, many);
        cr_assert_eq(rv_range_statistics_self_ns(one), rv_range_statistics_self_ns(many));
        struct rv_range_statistics *of_one = measure_whole(&world, UINT64_MAX, true, NULL),
                                   *of_many = measure_whole(&world, calls_per_part, true, NULL);
        compare_lists(rv_range_statistics_calls(of_one), rv_range_statistics_calls(of_many));
        rv_range_statistics_destroy(one);
        rv_range_statistics_destroy(many);
        rv_range_statistics_destroy(of_one);
        rv_range_statistics_destroy(of_many);
        world_fini(&world);
    }
}

Test(range_statistics, rows_are_exact_where_paths_have_no_nodes, .timeout = 120)
{
    const struct rv_filter *filters[2] = {NULL, NULL};
    struct world world;
    world_init(&world, 400, 900000);
    cr_assert_eq(rv_filter_add(&filters[1], "!name:s[37]", (char[64]){0}, 64), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct rv_range_statistics *one = measure_in_turn(&world, 20000, filters[i]),
                                   *many = measure_whole(&world, 20000, false, filters[i]);
        struct expected expected;
        expect_rows(&world, (uint64_t[2]){0, UINT64_MAX}, filters[i], &expected);
        compare_nodes(one, many);
        check_rows(one, &expected);
        check_rows(many, &expected);
        expected_fini(&expected);
        rv_range_statistics_destroy(one);
        rv_range_statistics_destroy(many);
    }
    rv_filter_release(filters[1]);
    world_fini(&world);
}

struct paths { /* of all calls: [0] is the root */
    struct rv_range_node *items;
    size_t n;
    struct rv_hash_index by_id; /* parent << 32 | id */
};

static uint32_t path_at(struct paths *paths, uint32_t parent, uint32_t id)
{
    const uint64_t key = (uint64_t)parent << 32 | id;
    const uint32_t known = rv_hash_index_get(&paths->by_id, key);
    if (known)
        return known;
    paths->items[paths->n] = (struct rv_range_node){.parent = parent, .id = id};
    rv_hash_index_add(&paths->by_id, key, (uint32_t)paths->n);
    return (uint32_t)paths->n++;
}

static void find_paths(const struct world *world, struct paths *paths)
{
    uint32_t *path_of_call = rv_alloc(world->n, sizeof *path_of_call);
    *paths = (struct paths){.items = rv_alloc(world->n + 1, sizeof *paths->items), .n = 1};
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        path_of_call[i] = path_at(paths, call->caller == NONE ? 0 : path_of_call[call->caller], call->id);
        paths->items[path_of_call[i]].total_ns += call->end - call->start;
        paths->items[path_of_call[i]].n_calls++;
    }
    free(path_of_call);
}

/* A thread of few calls, on paths that no other thread has. */
static void add_rare_paths(struct world *world)
{
    enum { N_CALLS = 30, FIRST_ID = 100 };
    struct rv_lane *lane = rv_lanes_add(world->lanes, &(struct rv_lane_identity){.tid = N_LANES, .name = "rare"});
    const uint64_t last_ns = world->last_ns;
    const uint32_t first = (uint32_t)world->n;
    world->calls = rv_vec_reserve(world->calls, &world->capacity, world->n + N_CALLS, sizeof *world->calls);
    for (uint32_t i = 0; i < N_CALLS; i++)
        world->calls[world->n++] = (struct call){.start = 1 + i,
                                                 .end = last_ns - i,
                                                 .id = FIRST_ID + i,
                                                 .depth = i,
                                                 .caller = i ? first + i - 1 : NONE,
                                                 .lane = N_LANES};
    for (uint32_t i = N_CALLS; i-- > 0;)
        rv_timeline_add(lane->timeline,
                        &(struct rv_span){.start = 1 + i, .end = last_ns - i, .id = FIRST_ID + i, .depth = i}, 1);
    lane->last_ns = last_ns;
}

/* Of the thread of few calls, after the range has begun. */
static void add_later_call(struct world *world)
{
    struct rv_lane *lane = rv_lanes_get(world->lanes, N_LANES);
    const uint64_t now_ns = world->last_ns;
    rv_timeline_add(lane->timeline, &(struct rv_span){.start = now_ns + 1, .end = 2 * now_ns, .id = 200}, 1);
    lane->last_ns = 2 * now_ns;
}

/* Be they found as long calls or as paths of many short ones. */
Test(range_statistics, where_there_are_too_many_paths_those_that_take_longest_in_any_thread_have_nodes, .timeout = 120)
{
    struct world world;
    struct paths paths;
    size_t n, n_large = 0;
    uint64_t all_ns = 0, path_self_ns = 0;
    world_init(&world, 500, 900000);
    add_rare_paths(&world);
    find_paths(&world, &paths);
    struct rv_range_statistics *range = create_whole(&world, 100000, false, NULL);
    (void)rv_range_statistics_n_parts(range); /* begins it */
    add_later_call(&world);
    complete(&world, range);
    const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n);
    uint32_t *path_of_node = rv_alloc(n, sizeof *path_of_node);
    bool *has_node = rv_alloc(paths.n, sizeof *has_node);
    cr_assert_geq(n, RV_RANGE_LARGEST_NODES);
    cr_assert_leq(n, 2 * RV_RANGE_LARGEST_NODES);
    for (size_t i = 1; i < n; i++) {
        const uint32_t path = path_of_node[i] = path_at(&paths, path_of_node[nodes[i].parent], nodes[i].id);
        has_node[path] = true;
        all_ns += nodes[i].parent == 0 ? nodes[i].total_ns : 0;
        cr_assert_eq(nodes[i].total_ns, paths.items[path].total_ns);
        cr_assert_eq(nodes[i].n_calls, paths.items[path].n_calls);
        cr_assert_gt(nodes[i].n_calls, 0, "a path of a later call");
    }
    for (size_t i = 0; i < n; i++)
        path_self_ns += nodes[i].self_ns;
    cr_assert_eq(path_self_ns, rv_range_statistics_self_ns(range), "no time is lost");
    cr_assert_eq(nodes[0].total_ns, all_ns);
    for (size_t i = 1; i < paths.n; i++)
        if (paths.items[i].total_ns > all_ns / 400) {
            cr_assert(has_node[i], "a path of %g", (double)paths.items[i].total_ns / (double)all_ns);
            n_large++;
        }
    cr_assert_gt(n_large, 100);
    free(path_of_node);
    free(has_node);
    free(paths.items);
    rv_hash_index_fini(&paths.by_id);
    rv_range_statistics_destroy(range);
    world_fini(&world);
}

/* Each part has more of all calls: what they have is found in a moment, however many they are. */
Test(range_statistics, a_recursion_of_100_000_calls_that_is_cut_by_parts_has_the_times_of_each, .timeout = 60)
{
    enum { DEPTH = 100000 };
    struct world world = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .seed = 4};
    struct rv_lane *lane = rv_lanes_add(world.lanes, &(struct rv_lane_identity){.name = "main"});
    for (uint32_t depth = DEPTH; depth-- > 0;)
        rv_timeline_add(lane->timeline,
                        &(struct rv_span){.start = 10 * depth, .end = 20 * DEPTH - 10 * depth, .id = 3, .depth = depth},
                        1);
    lane->last_ns = 20 * DEPTH;
    struct rv_range_statistics *range = measure_whole(&world, 5000, true, NULL);
    const struct rv_call_list *list = rv_range_statistics_calls(range);
    cr_assert_gt(rv_range_statistics_n_parts(range), 10);
    cr_assert_eq(list->n, DEPTH);
    for (uint32_t depth = 0; depth < DEPTH; depth++) {
        const struct rv_call *call = &list->calls[depth];
        cr_assert_eq(call->depth, depth);
        cr_assert_eq(call->self_ns, 20);
        cr_assert_eq(call->total_ns, depth == 0 ? 20 * DEPTH : 0);
    }
    rv_range_statistics_destroy(range);
    world_fini(&world);
}

Test(range_statistics, rows_tell_which_calls_may_be_several, .timeout = 60)
{
    struct world world = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .seed = 5};
    struct rv_lane *lane = rv_lanes_add(world.lanes, &(struct rv_lane_identity){.name = "main"});
    for (uint64_t i = 0; i < 9; i++)
        rv_timeline_add(
            lane->timeline,
            &(struct rv_span){.start = 10 * i, .end = 10 * i + 5, .id = i % 3, .flags = i == 4 ? RV_SPAN_DOUBTFUL : 0},
            1);
    lane->last_ns = 90;
    struct rv_range_statistics *range = measure_whole(&world, UINT64_MAX, false, NULL);
    struct rv_stats_row rows[3];
    cr_assert_eq(rv_stats_rows(rv_range_statistics_stats(range), rows, 3), 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(rows[i].has_doubtful, rows[i].id == 1);
    rv_range_statistics_destroy(range);
    world_fini(&world);
}

/* Add rounds: in each, one call within another. */
static void add_rounds(struct rv_lane *lane, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        rv_timeline_add(lane->timeline,
                        (struct rv_span[]){{.start = 1000 * i + 500, .end = 1000 * i + 600, .id = 2, .depth = 2},
                                           {.start = 1000 * i, .end = 1000 * i + 900, .id = 1, .depth = 1}},
                        2);
    lane->last_ns = 1000 * end;
}

Test(range_statistics, calls_after_the_beginning_of_a_range_are_not_in_it, .timeout = 60)
{
    struct world world = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .seed = 5};
    struct rv_lane *lanes[2];
    for (uint32_t i = 0; i < 2; i++) {
        lanes[i] = rv_lanes_add(world.lanes, &(struct rv_lane_identity){.tid = i, .thread = i, .name = "main"});
        add_rounds(lanes[i], 1, 2000 + 1000 * i);
        lanes[i]->open = rv_vec_reserve(NULL, &lanes[i]->open_capacity, 1, sizeof *lanes[i]->open);
        lanes[i]->open[0] = (struct rv_lane_frame){500, 7, 0};
        lanes[i]->n_open = 1;
        rv_lane_add_note(lanes[i], &(struct rv_lane_note){.start_ns = 4000, .end_ns = 4100, .kind = RV_NOTE_BLOCKED});
    }
    struct rv_range_statistics *at_once = measure_whole(&world, 1000, false, NULL);
    const struct rv_range_statistics_params params = {
        .to_ns = UINT64_MAX, .lanes = world.lanes, .subroutines = world.subroutines, .calls_per_part = 1000};
    struct rv_range_statistics *later = rv_range_statistics_create(&params);
    cr_assert_gt(rv_range_statistics_n_parts(later), 1);
    add_rounds(lanes[0], 2001, 4000);
    rv_timeline_add(lanes[0]->timeline, &(struct rv_span){.start = 500, .end = 4000000, .id = 7}, 1);
    rv_lane_add_note(lanes[0], &(struct rv_lane_note){.start_ns = 1500000, .end_ns = 3000000, .kind = RV_NOTE_BLOCKED});
    lanes[0]->n_open = 0;
    complete(&world, later);
    struct rv_stats_row rows[2][N_IDS + 1];
    const size_t n = rv_stats_rows(rv_range_statistics_stats(at_once), rows[0], N_IDS + 1);
    cr_assert_eq(n, 3);
    cr_assert_eq(rv_stats_rows(rv_range_statistics_stats(later), rows[1], N_IDS + 1), n);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(rows[1][i].n_calls, rows[0][i].n_calls);
        cr_assert_eq(rows[1][i].total_ns, rows[0][i].total_ns);
        cr_assert_eq(rows[1][i].self_ns, rows[0][i].self_ns);
        cr_assert_eq(rows[1][i].max_ns, rows[0][i].max_ns);
        cr_assert_eq(rows[1][i].self_times.blocked_ns, rows[0][i].self_times.blocked_ns);
    }
    rv_range_statistics_destroy(at_once);
    rv_range_statistics_destroy(later);
    world_fini(&world);
}

/* Parameters with the smallest parts, which the range memory keeps. */
static struct rv_range_statistics_params kept_params(const struct world *world)
{
    return (struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                               .lanes = world->lanes,
                                               .subroutines = world->subroutines,
                                               .memory = world->memory,
                                               .calls_per_part = RV_TIMELINE_STRETCH};
}

/* All calls are in the rows, and on paths that are linked. */
static void check_counted(const struct world *world, const struct rv_range_statistics *range)
{
    struct rv_stats_row rows[N_IDS + 2];
    size_t n_nodes, n_rows = rv_stats_rows(rv_range_statistics_stats(range), rows, N_IDS + 2);
    uint64_t n_calls = 0;
    for (size_t i = 0; i < n_rows; i++)
        n_calls += rows[i].n_calls;
    cr_assert_eq(n_calls, world->n);
    cr_assert_neq(rv_range_statistics_nodes(range, &n_nodes)[0].first_child, 0);
    cr_assert_gt(n_nodes, n_rows);
}

static size_t count_visits_of(struct world *world, const struct rv_filter *filter)
{
    struct rv_range_statistics_params params = kept_params(world);
    params.filter = filter;
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    struct rv_range_statistics_share *share = rv_range_statistics_share_create(range);
    size_t n = 0;
    while (!rv_range_statistics_share_step(share, 1, 0))
        n++;
    cr_assert_gt(rv_range_statistics_progress(range), 0.9);
    if (!filter)
        check_counted(world, range);
    n -= rv_range_statistics_n_parts(range); /* each is added in a step of its own */
    rv_range_statistics_share_destroy(share);
    rv_range_statistics_destroy(range);
    return n;
}

static size_t count_visits(struct world *world)
{
    return count_visits_of(world, NULL);
}

Test(range_statistics, what_was_measured_before_is_not_visited_again_but_for_ends_of_lanes, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 20000);
    const size_t n_first = count_visits(&world), n_again = count_visits(&world);
    cr_assert_gt(n_first, N_LANES * 9000);
    cr_assert_lt(n_again, N_LANES * 2 * RV_TIMELINE_STRETCH, "%zu visits, then %zu", n_first, n_again);
    rv_subroutines_define(world.subroutines, N_IDS + 1, "", "s3", "", 0);
    cr_assert_eq(count_visits(&world), n_again, "a namesake that has no calls in kept parts");
    rv_subroutines_define(world.subroutines, 2, "", "s3", "", 0);
    cr_assert_eq(count_visits(&world), n_first, "parts are kept that have two rows for one subroutine");
    world_fini(&world);
}

/* With calls that are still open, as the end of a stream does. */
static void end_lanes(struct world *world)
{
    for (size_t i = 0; i < rv_lanes_n(world->lanes); i++) {
        struct rv_lane *lane = rv_lanes_get(world->lanes, i);
        for (size_t j = lane->n_open; j-- > 0;)
            rv_timeline_add(lane->timeline,
                            &(struct rv_span){.start = lane->open[j].start_ns,
                                              .end = world->last_ns,
                                              .id = lane->open[j].id,
                                              .depth = lane->open[j].depth},
                            1);
        lane->last_ns = world->last_ns;
        rv_lane_end(lane);
    }
}

Test(range_statistics, what_was_measured_before_of_lanes_that_have_ended_is_not_visited_again, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 20000);
    end_lanes(&world);
    cr_assert_gt(count_visits(&world), N_LANES * 9000);
    cr_assert_eq(count_visits(&world), 0);
    check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL);
    world_fini(&world);
}

Test(range_statistics, a_filter_over_threads_visits_no_others_and_nothing_that_was_measured_before, .timeout = 60)
{
    struct world world;
    const struct rv_filter *filter = NULL;
    char why[160];
    world_init(&world, 14, 20000);
    end_lanes(&world);
    cr_assert_eq(rv_filter_add(&filter, "thread:work", why, sizeof why), 0);
    const size_t n_workers = count_visits_of(&world, filter);
    cr_assert_lt(n_workers, N_LANES * 9000);
    cr_assert_eq(count_visits_of(&world, filter), 0);
    cr_assert_lt(count_visits(&world), world.n / 2, "those of one thread of three");
    check(&world, (uint64_t[2]){0, UINT64_MAX}, filter);
    cr_assert_eq(rv_filter_add(&filter, "depth:<3", why, sizeof why), 0);
    cr_assert_eq(count_visits_of(&world, filter), n_workers, "of some of a thread's calls");
    rv_filter_release(filter);
    world_fini(&world);
}

static bool measure_ahead(struct world *world, size_t n)
{
    struct rv_range_statistics_params params = kept_params(world);
    params.n_beforehand = n;
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    complete(world, range);
    const bool has_all = rv_range_statistics_has_all_beforehand(range);
    rv_range_statistics_destroy(range);
    return has_all;
}

Test(range_statistics, parts_that_were_measured_ahead_are_not_visited_again, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 20000);
    const size_t n_first = count_visits(&world), n_again = count_visits(&world);
    world_fini(&world);
    world_init(&world, 14, 20000);
    size_t n_turns = 1;
    while (!measure_ahead(&world, 5))
        n_turns++;
    cr_assert_gt(n_turns, n_first / RV_TIMELINE_STRETCH / 10);
    rv_subroutines_define(world.subroutines, N_IDS + 1, "", "like_no_other", "", 0);
    cr_assert_eq(count_visits(&world), n_again);
    check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL);
    world_fini(&world);
}

/* Its first part lacks calls, and so is not kept: it must not be chosen again and again. */
Test(range_statistics, measuring_ahead_ends_where_lanes_have_lost_calls, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 60000);
    for (uint32_t i = 0; i < N_LANES; i++) {
        struct rv_timeline *timeline = rv_lanes_get(world.lanes, i)->timeline;
        cr_assert_gt(rv_timeline_evict(timeline, rv_timeline_bytes(timeline) / 2), 0);
    }
    const size_t most_turns = world.n / RV_TIMELINE_STRETCH + 1;
    size_t n_turns = 1;
    while (!measure_ahead(&world, N_LANES))
        cr_assert_lt(n_turns++, most_turns);
    cr_assert_gt(n_turns, 1);
    world_fini(&world);
}

static uint64_t n_calls_of(const struct rv_range_statistics *range)
{
    size_t n;
    uint64_t n_calls = 0;
    struct rv_stats_row *rows = rv_stats_take_rows(rv_range_statistics_stats(range), &n);
    for (size_t i = 0; i < n; i++)
        n_calls += rows[i].n_calls;
    free(rows);
    return n_calls;
}

Test(range_statistics, a_sample_has_its_share_of_the_calls_and_is_not_visited_again, .timeout = 60)
{
    struct world world;
    world_init(&world, 16, 20000);
    end_lanes(&world);
    const size_t n_all = count_visits(&world);
    world_fini(&world);
    world_init(&world, 16, 20000);
    end_lanes(&world);
    struct rv_range_statistics_params params = kept_params(&world);
    params.n_calls_sampled = world.n / 8;
    struct rv_range_statistics *sample = rv_range_statistics_create(&params);
    complete(&world, sample);
    const double share = rv_range_statistics_sampled(sample);
    cr_assert(share > 0.06 && share < 0.2, "%g", share);
    cr_assert_float_eq((double)n_calls_of(sample), share * (double)world.n, 0.02 * (double)world.n);
    cr_assert_eq(rv_range_statistics_progress(sample), 1.0);
    rv_range_statistics_destroy(sample);
    cr_assert_float_eq((double)count_visits(&world), (1.0 - share) * (double)n_all, 0.02 * (double)n_all);
    check(&world, (uint64_t[2]){0, UINT64_MAX}, NULL);
    world_fini(&world);
}

Test(range_statistics, a_sample_as_large_as_all_is_all, .timeout = 60)
{
    struct world world;
    world_init(&world, 17, 4000);
    struct rv_range_statistics_params params = kept_params(&world);
    params.n_calls_sampled = 2 * world.n;
    struct rv_range_statistics *sample = rv_range_statistics_create(&params);
    struct expected expected;
    complete(&world, sample);
    expect(&world, (uint64_t[2]){0, UINT64_MAX}, NULL, &expected);
    cr_assert_eq(rv_range_statistics_sampled(sample), 1.0);
    check_rows(sample, &expected);
    check_nodes(sample, &expected);
    expected_fini(&expected);
    rv_range_statistics_destroy(sample);
    world_fini(&world);
}

/* Each thread is a part. */
Test(range_statistics, a_sample_is_what_a_range_of_evenly_spread_threads_is, .timeout = 60)
{
    enum { N = 40, EACH = 100 };
    struct world world = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .memory = rv_range_memory_create(1 << 20)};
    uint32_t spread[N / 4];
    for (uint32_t i = 0; i < N; i++) {
        struct rv_lane *lane = rv_lanes_add(world.lanes, &(struct rv_lane_identity){.tid = i, .thread = i});
        for (uint64_t j = 1; j <= EACH; j++)
            rv_timeline_add(lane->timeline, &(struct rv_span){.start = 1000 * j, .end = 1000 * j + 10 + i, .id = i % 3},
                            1);
        lane->last_ns = 1000 * EACH + 10 + i;
        rv_lane_end(lane);
        spread[i / 4] = i / 4 * 4 + 1;
    }
    struct rv_range_statistics_params params = {
        .to_ns = UINT64_MAX, .lanes = world.lanes, .subroutines = world.subroutines, .memory = world.memory};
    params.calls_per_part = EACH / 2;
    params.n_calls_sampled = N * EACH / 4;
    struct rv_range_statistics *sample = rv_range_statistics_create(&params);
    params.n_calls_sampled = 0;
    params.lane_idxs = spread;
    params.n_lane_idxs = N / 4;
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    rv_range_statistics_measure(sample);
    rv_range_statistics_measure(range);
    size_t n[2];
    const struct rv_range_node *nodes[2] = {rv_range_statistics_nodes(sample, &n[0]),
                                            rv_range_statistics_nodes(range, &n[1])};
    cr_assert_float_eq(rv_range_statistics_sampled(sample), 0.25, 1e-9, "%g", rv_range_statistics_sampled(sample));
    cr_assert_eq(n_calls_of(sample), N * EACH / 4);
    cr_assert_eq(n[0], n[1]);
    cr_assert_arr_eq(nodes[0], nodes[1], n[0] * sizeof **nodes);
    rv_range_statistics_destroy(sample);
    rv_range_statistics_destroy(range);
    rv_range_memory_destroy(world.memory);
    rv_subroutines_destroy(world.subroutines);
    rv_lanes_destroy(world.lanes);
}

/* So that a share can be given up between them, however many were measured before. */
Test(range_statistics, a_step_adds_one_part_at_most, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 20000);
    (void)count_visits(&world);
    struct rv_range_statistics_params params = kept_params(&world);
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    struct rv_range_statistics_share *share = rv_range_statistics_share_create(range);
    size_t n_steps = 1;
    while (!rv_range_statistics_share_step(share, SIZE_MAX, 0))
        n_steps++;
    cr_assert_gt(rv_range_statistics_n_parts(range), 10);
    cr_assert_gt(n_steps, rv_range_statistics_n_parts(range));
    rv_range_statistics_share_destroy(share);
    rv_range_statistics_destroy(range);
    world_fini(&world);
}

Test(range_statistics, nothing_is_measured_ahead_that_would_take_the_place_of_other_parts, .timeout = 60)
{
    struct world world;
    world_init(&world, 15, 20000); /* the memory has room for few parts */
    size_t n_turns = 0;
    while (!measure_ahead(&world, 5))
        n_turns++;
    cr_assert_lt(n_turns, 10);
    const size_t n_visits = count_visits(&world);
    cr_assert(measure_ahead(&world, 5));
    cr_assert_gt(n_visits, N_LANES * 9000 - 5 * (n_turns + 1) * 2 * RV_TIMELINE_STRETCH);
    world_fini(&world);
}

Test(range_statistics, a_filter_removes_calls_from_rows_and_paths_but_keeps_times, .timeout = 60)
{
    static const char *const rules[][2] = {
        {"!name:s3$", "depth:<9"}, {"thread:work", "depth:>1"}, {"duration:>2us", "!name:s[5-8]"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct world world;
        const struct rv_filter *filter = NULL;
        char why[160];
        world_init(&world, 70 + i, 2400);
        for (unsigned j = 0; j < 2; j++)
            cr_assert_eq(rv_filter_add(&filter, rules[i][j], why, sizeof why), 0);
        cr_assert(rv_filter_update(filter, world.subroutines, SIZE_MAX));
        check(&world, (uint64_t[2]){0, UINT64_MAX}, filter);
        check(&world, (uint64_t[2]){world.last_ns / 4, world.last_ns / 2}, filter);
        rv_filter_release(filter);
        world_fini(&world);
    }
}

Test(range_statistics, a_whole_stream_gives_the_statistics_that_were_kept_while_it_came, .timeout = 60)
{
    struct world world;
    world_init(&world, 9, 0);
    struct rv_lane *lane = rv_lanes_get(world.lanes, 1);
    struct rv_stats *stats = rv_stats_create();
    struct rv_stats_lane *stats_lane = rv_stats_lane_create();
    struct rv_span spans[3000];
    uint64_t start[MOST_DEPTH], now = 5000;
    uint32_t ids[MOST_DEPTH], n_open = 0;
    for (size_t n = 0; n < 3000; now += rnd(&world) % 3 ? gap(&world) : 0) { /* times that are equal, too */
        if (n_open < MOST_DEPTH && (n_open == 0 || rnd(&world) % 2)) {
            start[n_open] = now;
            ids[n_open++] = (uint32_t)(rnd(&world) % N_IDS);
        } else {
            n_open--;
            spans[n++] = (struct rv_span){.start = start[n_open], .end = now, .id = ids[n_open], .depth = n_open};
        }
    }
    rv_stats_lane_set_open(stats_lane, NULL, NULL, 0, 0);
    rv_stats_add(stats, stats_lane, spans, 3000);
    rv_timeline_add(lane->timeline, spans, 3000);
    lane->last_ns = now;
    struct rv_range_statistics *range = rv_range_statistics_create(&(struct rv_range_statistics_params){
        .from_ns = 0, .to_ns = UINT64_MAX, .lanes = world.lanes, .subroutines = world.subroutines});
    rv_range_statistics_measure(range);
    struct rv_stats_row wanted[N_IDS], rows[N_IDS];
    cr_assert_eq(rv_stats_rows(stats, wanted, N_IDS), N_IDS);
    cr_assert_eq(rv_stats_rows(rv_range_statistics_stats(range), rows, N_IDS), N_IDS);
    for (size_t i = 0; i < N_IDS; i++) {
        cr_assert_eq(rows[i].n_calls, wanted[i].n_calls);
        cr_assert_eq(rows[i].p50_ns, wanted[i].p50_ns);
        cr_assert_eq(rows[i].p99_ns, wanted[i].p99_ns);
        cr_assert_eq(rows[i].min_ns, wanted[i].min_ns);
        cr_assert_eq(rows[i].max_ns, wanted[i].max_ns);
    }
    rv_range_statistics_destroy(range);
    rv_stats_lane_destroy(stats_lane);
    rv_stats_destroy(stats);
    world_fini(&world);
}

/* By the world's list of calls: each subroutine once that had a call then. */
static void add_all_at(const struct world *world, uint32_t lane, uint64_t at_ns, uint64_t n_ns, uint64_t sums[N_IDS])
{
    bool has[N_IDS] = {false};
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        if (call->lane != lane || call->start >= at_ns || !(call->is_open || call->end >= at_ns) || has[call->id])
            continue;
        has[call->id] = true;
        sums[call->id] += n_ns;
    }
}

/* By the world's list of calls: the innermost one that began before a time and ended no earlier. */
static uint32_t innermost_at(const struct world *world, uint32_t lane, uint64_t at_ns)
{
    uint32_t id = NONE;
    for (size_t i = 0; i < world->n; i++) {
        const struct call *call = &world->calls[i];
        if (call->lane == lane && call->start < at_ns && (call->is_open || call->end >= at_ns))
            id = call->id;
    }
    return id;
}

Test(range_statistics, time_off_the_cpu_is_that_of_the_innermost_calls, .timeout = 60)
{
    struct world world;
    world_init(&world, 77, 3000);
    const uint64_t from_ns = world.last_ns / 4, to_ns = world.last_ns / 4 * 3;
    uint64_t blocked_ns[N_IDS] = {0}, all_blocked_ns[N_IDS] = {0}, total_ns = 0;
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        for (uint64_t at = 2000 + rnd(&world) % 999, end; at < world.last_ns; at = end + 1 + rnd(&world) % 90000) {
            end = at + 1 + rnd(&world) % 60000;
            rv_lane_add_note(rv_lanes_get(world.lanes, lane),
                             &(struct rv_lane_note){.start_ns = at, .end_ns = end, .kind = RV_NOTE_BLOCKED});
            const uint64_t a = at > from_ns ? at : from_ns, b = end < to_ns ? end : to_ns;
            if (b > a)
                add_all_at(&world, lane, b, b - a, all_blocked_ns);
            const uint32_t id = b > a ? innermost_at(&world, lane, b) : NONE;
            if (id == NONE)
                continue;
            blocked_ns[id] += b - a;
            total_ns += b - a;
        }
    struct rv_range_statistics_params params = kept_params(&world);
    params.from_ns = from_ns;
    params.to_ns = to_ns;
    cr_assert_gt(total_ns, 0);
    for (int turn = 0; turn < 2; turn++) { /* measured, and then from the memory */
        struct rv_range_statistics *range = rv_range_statistics_create(&params);
        cr_assert_gt(rv_range_statistics_n_parts(range), N_LANES);
        complete(&world, range);
        struct rv_stats_row rows[N_IDS + 1];
        size_t n = rv_stats_rows(rv_range_statistics_stats(range), rows, N_IDS + 1);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(rows[i].self_times.blocked_ns, blocked_ns[rows[i].id], "subroutine %u: %lu, %lu counted",
                         rows[i].id, (unsigned long)rows[i].self_times.blocked_ns,
                         (unsigned long)blocked_ns[rows[i].id]);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(rows[i].total_times.blocked_ns, all_blocked_ns[rows[i].id]);
        rv_range_statistics_destroy(range);
    }
    world_fini(&world);
}

/* Not in the first of the lane's calls, nor in the last. */
static void block_in_the_middle(struct world *world, uint32_t lane)
{
    const uint64_t at_ns = world->last_ns / 2;
    rv_lane_add_note(rv_lanes_get(world->lanes, lane),
                     &(struct rv_lane_note){.start_ns = at_ns, .end_ns = at_ns + 5, .kind = RV_NOTE_BLOCKED});
}

Test(range_statistics, a_state_that_is_known_later_than_its_calls_measures_its_part_anew, .timeout = 60)
{
    struct world world;
    world_init(&world, 14, 20000);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        block_in_the_middle(&world, lane);
    const size_t n_first = count_visits(&world), n_again = count_visits(&world);
    cr_assert_lt(n_again, n_first / 4);
    block_in_the_middle(&world, 0);
    const size_t n_later = count_visits(&world) - n_again;
    cr_assert(n_later > 0 && n_later < 4 * RV_TIMELINE_STRETCH, "%zu visits", n_later);
    cr_assert_eq(count_visits(&world), n_again);
    world_fini(&world);
}

Test(range_statistics, objects_are_those_of_the_innermost_calls, .timeout = 60)
{
    struct world world;
    world_init(&world, 78, 3000);
    const uint64_t from_ns = world.last_ns / 4, to_ns = world.last_ns / 4 * 3;
    uint64_t own[N_IDS] = {0}, all[N_IDS] = {0};
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        for (uint64_t at = 1 + rnd(&world) % 999; at < world.last_ns; at += 1 + rnd(&world) % 5000) {
            const uint64_t n_made = 1 + rnd(&world) % 9;
            rv_made_objects_add(&rv_lanes_get(world.lanes, lane)->made, at, n_made);
            if (at < from_ns || at >= to_ns)
                continue;
            add_all_at(&world, lane, at, n_made, all);
            const uint32_t id = innermost_at(&world, lane, at);
            if (id != NONE)
                own[id] += n_made;
        }
    struct rv_range_statistics_params params = {.from_ns = from_ns,
                                                .to_ns = to_ns,
                                                .lanes = world.lanes,
                                                .subroutines = world.subroutines,
                                                .calls_per_part = RV_TIMELINE_STRETCH};
    struct rv_range_statistics *range = rv_range_statistics_create(&params);
    cr_assert_gt(rv_range_statistics_n_parts(range), N_LANES);
    complete(&world, range);
    struct rv_stats_row rows[N_IDS + 1];
    const size_t n = rv_stats_rows(rv_range_statistics_stats(range), rows, N_IDS + 1);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(rows[i].self_times.n_objects, own[rows[i].id], "subroutine %u", rows[i].id);
        cr_assert_eq(rows[i].total_times.n_objects, all[rows[i].id], "subroutine %u", rows[i].id);
    }
    cr_assert(!rv_range_statistics_lacks_objects(range));
    rv_range_statistics_destroy(range);
    struct rv_made_objects *made = &rv_lanes_get(world.lanes, 1)->made;
    rv_made_objects_limit(made, rv_made_objects_bytes(made) / 2);
    cr_assert_gt(made->lost_until_ns, from_ns);
    range = rv_range_statistics_create(&params);
    complete(&world, range);
    cr_assert(rv_range_statistics_lacks_objects(range));
    rv_range_statistics_destroy(range);
    params.from_ns = made->lost_until_ns;
    range = rv_range_statistics_create(&params);
    complete(&world, range);
    cr_assert(!rv_range_statistics_lacks_objects(range));
    rv_range_statistics_destroy(range);
    world_fini(&world);
}

Test(range_statistics, a_range_can_be_limited_to_lanes, .timeout = 60)
{
    struct world world;
    world_init(&world, 11, 400);
    const struct rv_filter *filter = NULL;
    char why[160];
    cr_assert_eq(rv_filter_add(&filter, "thread:main", why, sizeof why), 0);
    struct expected expected;
    expect(&world, (uint64_t[2]){0, UINT64_MAX}, filter, &expected);
    uint32_t first = 0;
    struct rv_range_statistics *range =
        rv_range_statistics_create(&(struct rv_range_statistics_params){.to_ns = UINT64_MAX,
                                                                        .lanes = world.lanes,
                                                                        .subroutines = world.subroutines,
                                                                        .lane_idxs = &first,
                                                                        .n_lane_idxs = 1});
    rv_range_statistics_measure(range);
    check_rows(range, &expected);
    check_nodes(range, &expected);
    rv_range_statistics_destroy(range);
    expected_fini(&expected);
    rv_filter_release(filter);
    world_fini(&world);
}

Test(range_statistics, missing_calls_are_announced_first, .timeout = 60)
{
    struct world world;
    world_init(&world, 12, 60000);
    struct rv_timeline *timeline = rv_lanes_get(world.lanes, 2)->timeline;
    cr_assert_gt(rv_timeline_evict(timeline, rv_timeline_bytes(timeline) / 2), 0);
    uint64_t exact_ns = rv_timeline_exact_from_ns(timeline);
    for (unsigned i = 0; i < 2; i++) {
        struct rv_range_statistics *range = rv_range_statistics_create(&(struct rv_range_statistics_params){
            .from_ns = i ? exact_ns : 0, .to_ns = UINT64_MAX, .lanes = world.lanes, .subroutines = world.subroutines});
        rv_range_statistics_measure(range);
        cr_assert_eq(rv_range_statistics_missing_before_ns(range), i ? 0 : exact_ns);
        rv_range_statistics_destroy(range);
    }
    world_fini(&world);
}

/* Each process numbers subroutines by itself. */
Test(range_statistics, a_subroutine_of_several_processes_is_one_row_and_one_path, .timeout = 60)
{
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t process = 0; process < 3; process++) {
        struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = process, .name = "main"});
        uint32_t outer = 1 + 10 * process, inner = 2 + 10 * process;
        rv_subroutines_define(subroutines, outer, "Package", "outer", "file.pm", 1);
        rv_subroutines_define(subroutines, inner, process == 2 ? "" : "Package",
                              process == 2 ? "Package::inner" : "inner", "file.pm", 2);
        rv_timeline_add(lane->timeline,
                        (struct rv_span[]){{.start = 100, .end = 300, .id = inner, .depth = 1},
                                           {.start = 0, .end = 1000, .id = outer}},
                        2);
        lane->last_ns = 1000;
    }
    struct rv_range_statistics *range = rv_range_statistics_create(
        &(struct rv_range_statistics_params){.from_ns = 0, .to_ns = 1000, .lanes = lanes, .subroutines = subroutines});
    rv_range_statistics_measure(range);
    struct rv_stats_row rows[4];
    size_t n_nodes;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n_nodes);
    cr_assert_eq(rv_stats_rows(rv_range_statistics_stats(range), rows, 4), 2);
    for (int i = 0; i < 2; i++) {
        cr_assert(rows[i].id == 1 || rows[i].id == 2);
        cr_assert_eq(rows[i].n_calls, 3);
        cr_assert_eq(rows[i].total_ns, rows[i].id == 1 ? 3000 : 600);
        cr_assert_eq(rows[i].self_ns, rows[i].id == 1 ? 2400 : 600);
    }
    cr_assert_eq(n_nodes, 3);
    cr_assert_eq(nodes[nodes[0].first_child].n_calls, 3);
    for (uint32_t process = 0; process < 3; process++)
        cr_assert_eq(rv_range_statistics_id(range, 2 + 10 * process), 2);
    cr_assert_eq(rv_range_statistics_id(range, 5), 5);
    cr_assert_eq(rv_range_statistics_id(range, 5000), 5000);
    rv_range_statistics_destroy(range);
    rv_subroutines_destroy(subroutines);
    rv_lanes_destroy(lanes);
}

/* Each lane has one call of its own; threads and stacks come in any order. */
static struct rv_lanes *lanes_of(const struct rv_lane_identity *identities, size_t n)
{
    struct rv_lanes *lanes = rv_lanes_create();
    for (size_t i = 0; i < n; i++) {
        struct rv_lane *lane = rv_lanes_add(lanes, &identities[i]);
        uint32_t id = identities[i].thread * 2 + identities[i].stack;
        rv_timeline_add(lane->timeline, &(struct rv_span){.start = 100, .end = 200, .id = id}, 1);
        lane->last_ns = 200;
    }
    return lanes;
}

Test(range_statistics, paths_are_numbered_alike_in_whatever_order_lanes_came, .timeout = 60)
{
    struct rv_lane_identity come[2][4] = {
        {{.thread = 0, .stack = 0}, {.thread = 0, .stack = 1}, {.thread = 1, .stack = 0}, {.thread = 1, .stack = 1}},
        {{.thread = 1, .stack = 1}, {.thread = 0, .stack = 1}, {.thread = 1, .stack = 0}, {.thread = 0, .stack = 0}}};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (size_t way = 0; way < 2; way++) {
        for (size_t i = 0; i < 4; i++)
            come[way][i].name = come[way][i].process_name = "t";
        struct rv_lanes *lanes = lanes_of(come[way], 4);
        struct rv_range_statistics *range = rv_range_statistics_create(
            &(struct rv_range_statistics_params){.to_ns = UINT64_MAX, .lanes = lanes, .subroutines = subroutines});
        rv_range_statistics_measure(range);
        size_t n;
        const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n);
        cr_assert_eq(n, 5);
        for (uint32_t i = 1; i < n; i++)
            cr_assert_eq(nodes[i].id, i - 1, "path %u is of subroutine %u", i, nodes[i].id);
        rv_range_statistics_destroy(range);
        rv_lanes_destroy(lanes);
    }
    rv_subroutines_destroy(subroutines);
}

/* On the CPU and off it are all of each time: totals, own times, paths. */
Test(range_statistics, times_on_and_off_the_cpu_add_up_to_wall_time, .timeout = 60)
{
    struct world world;
    world_init(&world, 78, 3000);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        for (uint64_t at = 2000; at < world.last_ns; at += 70000)
            rv_lane_add_note(rv_lanes_get(world.lanes, lane),
                             &(struct rv_lane_note){.start_ns = at,
                                                    .end_ns = at + 1,
                                                    .kind = at / 70000 % 3 ? RV_NOTE_BLOCKED : RV_NOTE_PREEMPTED});
    struct rv_range_statistics *ranges[RV_TIME_KINDS];
    struct rv_stats_row rows[RV_TIME_KINDS][N_IDS + 1];
    size_t n, n_nodes;
    for (int time = 0; time < RV_TIME_KINDS; time++) {
        ranges[time] =
            rv_range_statistics_create(&(struct rv_range_statistics_params){.to_ns = world.last_ns,
                                                                            .lanes = world.lanes,
                                                                            .subroutines = world.subroutines,
                                                                            .time = (enum rv_time_kind)time});
        rv_range_statistics_measure(ranges[time]);
        n = rv_stats_rows(rv_range_statistics_stats(ranges[time]), rows[time], N_IDS + 1);
    }
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(rows[RV_TIME_ON_CPU][i].total_ns + rows[RV_TIME_OFF_CPU][i].total_ns,
                     rows[RV_TIME_WALL][i].total_ns);
        cr_expect_eq(rows[RV_TIME_ON_CPU][i].self_ns + rows[RV_TIME_OFF_CPU][i].self_ns, rows[RV_TIME_WALL][i].self_ns);
        cr_expect_eq(rows[RV_TIME_BLOCKED][i].self_ns, rows[RV_TIME_WALL][i].self_times.blocked_ns);
        cr_expect_eq(rows[RV_TIME_RUNNABLE][i].self_ns, rows[RV_TIME_WALL][i].self_times.runnable_ns);
        cr_expect_eq(rows[RV_TIME_BLOCKED][i].total_ns + rows[RV_TIME_RUNNABLE][i].total_ns,
                     rows[RV_TIME_OFF_CPU][i].total_ns);
        cr_expect_leq(rows[RV_TIME_BLOCKED][i].max_ns, rows[RV_TIME_OFF_CPU][i].max_ns);
    }
    const struct rv_range_node *wall = rv_range_statistics_nodes(ranges[RV_TIME_WALL], &n_nodes),
                               *on = rv_range_statistics_nodes(ranges[RV_TIME_ON_CPU], &n_nodes),
                               *off = rv_range_statistics_nodes(ranges[RV_TIME_OFF_CPU], &n_nodes);
    cr_assert_gt(wall[0].off_ns, 0);
    for (size_t i = 0; i < n_nodes; i++) {
        cr_expect_eq(off[i].total_ns, wall[i].off_ns);
        cr_expect_eq(on[i].total_ns, wall[i].total_ns - wall[i].off_ns);
        cr_expect_eq(on[i].self_ns + off[i].self_ns, wall[i].self_ns);
    }
    for (int time = 0; time < RV_TIME_KINDS; time++)
        rv_range_statistics_destroy(ranges[time]);
    world_fini(&world);
}

static void *measure_range(void *range)
{
    rv_range_statistics_measure(range);
    return NULL;
}

Test(range_statistics, a_range_is_measured_while_others_read_its_lanes, .timeout = 60)
{
    struct world world;
    pthread_t threads[2];
    struct rv_range_statistics *ranges[2];
    world_init(&world, 79, 3000);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        pthread_rwlock_rdlock(&rv_lanes_get(world.lanes, lane)->lock);
    for (size_t i = 0; i < 2; i++) {
        ranges[i] = rv_range_statistics_create(&(struct rv_range_statistics_params){.to_ns = world.last_ns,
                                                                                    .lanes = world.lanes,
                                                                                    .subroutines = world.subroutines,
                                                                                    .lists_calls = i > 0,
                                                                                    .calls_of = 1});
        pthread_create(&threads[i], NULL, measure_range, ranges[i]);
    }
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t lane = 0; lane < N_LANES; lane++)
        pthread_rwlock_unlock(&rv_lanes_get(world.lanes, lane)->lock);
    cr_assert_gt(rv_range_statistics_self_ns(ranges[0]), 0);
    cr_assert_gt(rv_range_statistics_calls(ranges[1])->n_calls, 0);
    for (size_t i = 0; i < 2; i++)
        rv_range_statistics_destroy(ranges[i]);
    world_fini(&world);
}
