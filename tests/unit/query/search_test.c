/* Searches compared with a sorted list of all matching calls. */
#include "query/next_hit.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "../model/spans.h"

#define N_IDS 20u
#define EVERYTHING ((size_t)-1)

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_search search;
    struct spans random[3];
    struct rv_search_place *all; /* of everything that was added, with ids */
    uint32_t *ids;
    size_t n, capacity, ids_capacity;
};

static void world_init(struct world *world, uint64_t seed)
{
    *world = (struct world){.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    for (uint32_t i = 0; i < 3; i++) {
        (void)rv_lanes_add(world->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .process_key = 1});
        spans_init(&world->random[i], seed + i, N_IDS, 12, 14);
    }
}

static void world_fini(struct world *world)
{
    rv_search_stop(&world->search);
    for (unsigned i = 0; i < 3; i++)
        spans_fini(&world->random[i]);
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
    free(world->all);
    free(world->ids);
}

static void name(struct world *world, uint32_t from, uint32_t to)
{
    for (uint32_t id = from; id < to; id++) {
        char text[16];
        snprintf(text, sizeof text, "Sub%u", id);
        rv_subroutines_define(world->subroutines, id, "pack", text, "", 0);
    }
}

static void add(struct world *world, uint32_t lane_idx, size_t n)
{
    struct rv_lane *lane = rv_lanes_get(world->lanes, lane_idx);
    struct rv_span *spans = malloc(n * sizeof *spans);
    spans_make(&world->random[lane_idx], spans, n);
    rv_timeline_add(lane->timeline, spans, n);
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
    world->all = rv_vec_reserve(world->all, &world->capacity, world->n + n, sizeof *world->all);
    world->ids = rv_vec_reserve(world->ids, &world->ids_capacity, world->n + n, sizeof *world->ids);
    for (size_t i = 0; i < n; i++) {
        world->ids[world->n] = spans[i].id;
        world->all[world->n++] = (struct rv_search_place){spans[i].start, lane_idx, spans[i].depth};
    }
    free(spans);
}

static int by_place(const void *a, const void *b)
{
    const struct rv_search_place *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->lane_idx != y->lane_idx)
        return x->lane_idx < y->lane_idx ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

/* Places of the spans whose id `wanted` has, sorted, each once. */
static struct rv_search_place *oracle(const struct world *world, bool (*wanted)(uint32_t id), size_t *n,
                                      size_t *n_calls)
{
    struct rv_search_place *places = malloc((world->n + 1) * sizeof *places);
    *n = *n_calls = 0;
    for (size_t i = 0; i < world->n; i++)
        if (wanted(world->ids[i]))
            places[(*n_calls)++] = world->all[i];
    qsort(places, *n_calls, sizeof *places, by_place);
    for (size_t i = 0; i < *n_calls; i++)
        if (i == 0 || by_place(&places[i], &places[i - 1]) != 0)
            places[(*n)++] = places[i];
    return places;
}

/* The next hit, or the one before, without coming round. */
static bool go(struct rv_search *search, struct rv_lanes *lanes, const struct rv_search_place *place, bool is_forward,
               struct rv_search_hit *hit)
{
    struct rv_next_hit next = {.is_on = false};
    rv_next_hit_begin(&next, search,
                      &(struct rv_next_hit_params){.lanes = lanes, .place = *place, .is_forward = is_forward});
    bool is_found = rv_next_hit_go_on(&next, search, 0) == RV_NEXT_HIT_FOUND && !next.has_come_round;
    *hit = next.hit;
    rv_next_hit_end(&next);
    return is_found;
}

static void check_tour(struct world *world, bool (*wanted)(uint32_t id))
{
    size_t n, n_calls, n_met = 0;
    struct rv_search_place *places = oracle(world, wanted, &n, &n_calls), at = {0};
    struct rv_search_hit hit;
    bool is_partial;
    cr_assert(rv_search_update(&world->search, world->lanes, world->subroutines, EVERYTHING));
    cr_assert_eq(rv_search_n_calls(&world->search, world->lanes, &is_partial), n_calls);
    cr_assert_not(is_partial);
    for (; go(&world->search, world->lanes, &at, true, &hit); n_met++, at = hit.place) {
        cr_assert_lt(n_met, n);
        cr_assert_eq(by_place(&hit.place, &places[n_met]), 0, "hit %zu of %zu", n_met, n);
        cr_assert(wanted(hit.box.id));
    }
    cr_assert_eq(n_met, n);
    at = (struct rv_search_place){UINT64_MAX, 0, 0};
    for (; go(&world->search, world->lanes, &at, false, &hit); at = hit.place)
        cr_assert_eq(by_place(&hit.place, &places[--n_met]), 0);
    cr_assert_eq(n_met, 0);
    free(places);
}

static bool is_three(uint32_t id)
{
    return id == 3;
}

static bool begins_with_one(uint32_t id)
{
    return id == 1 || (id >= 10 && id < 20);
}

static bool is_any(uint32_t id)
{
    return id < N_IDS;
}

static void start(struct world *world, const char *text)
{
    char why[160] = "";
    cr_assert_eq(rv_search_start(&world->search, text, why, sizeof why), 0, "%s", why);
}

Test(search, every_hit_is_met_in_order_forwards_and_backwards, .timeout = 60)
{
    struct world world;
    world_init(&world, 1);
    name(&world, 0, N_IDS);
    for (uint32_t i = 0; i < 3; i++)
        add(&world, i, i == 2 ? 7 : 3000);
    start(&world, "sub3$");
    check_tour(&world, is_three);
    start(&world, "pack::Sub1");
    check_tour(&world, begins_with_one);
    cr_assert_eq(world.search.matches.n_matching, 11);
    world_fini(&world);
}

Test(search, calls_and_names_that_come_later_are_found_too, .timeout = 60)
{
    struct world world;
    world_init(&world, 2);
    name(&world, 0, 5);
    add(&world, 0, 2000);
    start(&world, "sub1");
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(world.search.matches.n_matching, 1);
    add(&world, 1, 2000);
    name(&world, 5, N_IDS);
    check_tour(&world, begins_with_one);
    add(&world, 0, 2000);
    add(&world, 2, 500);
    check_tour(&world, begins_with_one);
    /* one of them turns out to have another name */
    rv_subroutines_define(world.subroutines, 3, "other", "sub1_as_well", "", 0);
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(world.search.matches.n_matching, 12);
    world_fini(&world);
}

Test(search, searching_in_small_steps_gives_the_same_hits, .timeout = 60)
{
    struct world world;
    world_init(&world, 3);
    name(&world, 0, N_IDS);
    add(&world, 0, 20000);
    add(&world, 1, 20000);
    start(&world, "sub");
    unsigned n_steps = 0;
    while (!rv_search_update(&world.search, world.lanes, world.subroutines, 700))
        n_steps++;
    cr_assert_geq(n_steps, 57);
    cr_assert_eq(world.search.n_hits, 40000);
    world_fini(&world);
}

Test(search, an_upper_case_letter_makes_case_matter, .timeout = 60)
{
    struct world world;
    char why[160] = "";
    world_init(&world, 4);
    rv_subroutines_define(world.subroutines, 1, "Foo", "bar", "", 0);
    rv_subroutines_define(world.subroutines, 2, "foo", "BAR", "", 0);
    static const struct {
        const char *text;
        uint32_t n;
    } cases[] = {{"foo::bar", 2}, {"Foo", 1}, {"BAR", 1}, {"^foo::bar$", 2}, {"FOO", 0}, {"(foo|x)::b.r", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&world, cases[i].text);
        cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
        cr_assert_eq(world.search.matches.n_matching, cases[i].n, "%s", cases[i].text);
    }
    cr_assert_eq(rv_search_start(&world.search, "a(b", why, sizeof why), -EINVAL);
    cr_assert_gt(strlen(why), 0);
    cr_assert_not(world.search.is_on);
    cr_assert_eq(rv_search_start(&world.search, "", why, sizeof why), -EINVAL);
    world_fini(&world);
}

Test(search, hits_of_a_time_are_counted_in_its_part, .timeout = 60)
{
    struct world world;
    world_init(&world, 5);
    name(&world, 0, N_IDS);
    for (uint32_t i = 0; i < 3; i++)
        add(&world, i, 5000);
    start(&world, "sub3$");
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    uint64_t first, last, sum = 0;
    cr_assert(rv_lanes_bounds(world.lanes, &first, &last));
    uint32_t parts[50], wanted[50] = {0};
    rv_search_hits(&world.search, first, last + 1, parts, 50);
    for (size_t i = 0; i < world.n; i++)
        if (is_three(world.ids[i]))
            wanted[(world.all[i].start_ns - first) * 50 / (last + 1 - first)]++;
    uint64_t column_ns = UINT64_C(1) << world.search.shift, n_near = 0;
    cr_assert_lt(column_ns * 2047, last - first);
    for (unsigned i = 0; i < 50; i++) {
        sum += parts[i];
        n_near += (uint64_t)llabs((long long)parts[i] - (long long)wanted[i]);
    }
    cr_assert_eq(sum, world.search.n_hits);
    cr_assert_lt(n_near, sum / 20, "%lu of %lu hits in a neighbouring part", (unsigned long)n_near, (unsigned long)sum);
    world_fini(&world);
}

Test(search, an_open_call_is_a_hit, .timeout = 60)
{
    struct world world;
    world_init(&world, 6);
    name(&world, 0, N_IDS);
    struct rv_lane *lane = rv_lanes_get(world.lanes, 1);
    lane->open = rv_vec_reserve(NULL, &lane->open_capacity, 1, sizeof *lane->open);
    lane->open[0] = (struct rv_lane_frame){.start_ns = 77, .id = 3};
    lane->n_open = 1;
    lane->last_ns = 100;
    start(&world, "sub3$");
    struct rv_search_hit hit;
    bool is_partial;
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert(go(&world.search, world.lanes, &(struct rv_search_place){0}, true, &hit));
    cr_assert_eq(hit.place.start_ns, 77);
    cr_assert_eq(hit.place.lane_idx, 1);
    cr_assert_eq(rv_search_n_calls(&world.search, world.lanes, &is_partial), 1);
    cr_assert_not(go(&world.search, world.lanes, &hit.place, true, &hit));
    world_fini(&world);
}

/* Calls at one time in two stacks of one thread and in another thread. */
Test(search, hits_at_one_time_come_thread_by_thread_however_lanes_came, .timeout = 60)
{
    static const struct rv_lane_identity come[2][3] = {{{.thread = 0}, {.thread = 1}, {.thread = 0, .stack = 2}},
                                                       {{.thread = 0}, {.thread = 0, .stack = 2}, {.thread = 1}}};
    static const uint32_t threads[] = {0, 0, 1};
    for (size_t way = 0; way < 2; way++) {
        struct rv_lanes *lanes = rv_lanes_create();
        struct rv_subroutines *subroutines = rv_subroutines_create();
        struct rv_search search = {0};
        struct rv_search_place at = {0};
        struct rv_search_hit hit;
        char why[160];
        unsigned n = 0;
        rv_subroutines_define(subroutines, 1, "", "sub", "", 0);
        for (size_t i = 0; i < 3; i++) {
            struct rv_lane *lane = rv_lanes_add(lanes, &come[way][i]);
            rv_timeline_add(lane->timeline, &(struct rv_span){.start = 100, .end = 200, .id = 1}, 1);
        }
        cr_assert_eq(rv_search_start(&search, "sub", why, sizeof why), 0);
        cr_assert(rv_search_update(&search, lanes, subroutines, EVERYTHING));
        for (; go(&search, lanes, &at, true, &hit); n++, at = hit.place)
            cr_assert(n < 3 && rv_lanes_get(lanes, hit.place.lane_idx)->thread == threads[n], "way %zu, hit %u", way,
                      n);
        cr_assert_eq(n, 3);
        at = (struct rv_search_place){UINT64_MAX, 0, 0};
        for (; n && go(&search, lanes, &at, false, &hit); at = hit.place)
            cr_assert_eq(rv_lanes_get(lanes, hit.place.lane_idx)->thread, threads[--n], "way %zu, hit %u", way, n);
        cr_assert_eq(n, 0);
        rv_search_stop(&search);
        rv_subroutines_destroy(subroutines);
        rv_lanes_destroy(lanes);
    }
}

Test(search, where_calls_were_evicted_the_cell_is_the_hit, .timeout = 60)
{
    struct world world;
    world_init(&world, 7);
    name(&world, 0, N_IDS);
    add(&world, 0, 200000);
    struct rv_timeline *timeline = rv_lanes_get(world.lanes, 0)->timeline;
    cr_assert_gt(rv_timeline_evict(timeline, rv_timeline_bytes(timeline) / 2), 0);
    start(&world, "sub");
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    bool is_partial;
    (void)rv_search_n_calls(&world.search, world.lanes, &is_partial);
    cr_assert(is_partial);
    struct rv_search_hit hit;
    struct rv_search_place at = {0};
    unsigned n_cells = 0, n_exact = 0;
    for (unsigned i = 0; i < 50 && go(&world.search, world.lanes, &at, true, &hit); i++, at = hit.place)
        n_cells += hit.box.coverage != RV_BOX_EXACT;
    at = (struct rv_search_place){UINT64_MAX, 0, 0};
    for (unsigned i = 0; i < 50 && go(&world.search, world.lanes, &at, false, &hit); i++, at = hit.place)
        n_exact += hit.box.coverage == RV_BOX_EXACT;
    cr_assert_gt(n_cells, 25);
    cr_assert_eq(n_exact, 50);
    world_fini(&world);
}

/* Calls come faster than they are searched, so the search never ends; calls that existed at its begin are found after two
 * rounds. */
Test(search, growing_lanes_do_not_delay_the_search_of_others, .timeout = 60)
{
    enum { MOST = 1000, GROWTH = 400, N_BEFORE = 3000, MOST_UPDATES = 300 };
    struct world world;
    unsigned n_updates = 0;
    world_init(&world, 99);
    name(&world, 0, N_IDS);
    for (uint32_t lane = 0; lane < 3; lane++)
        add(&world, lane, N_BEFORE);
    start(&world, "sub");
    for (; world.search.n_rounds < 2 && n_updates < MOST_UPDATES; n_updates++) {
        cr_assert_not(rv_search_update(&world.search, world.lanes, world.subroutines, MOST));
        for (uint32_t lane = 0; lane < 3; lane++)
            add(&world, lane, GROWTH);
    }
    cr_assert_lt(n_updates, MOST_UPDATES);
    cr_assert(world.search.is_named);
    for (uint32_t lane = 0; lane < 3; lane++) {
        uint64_t n_done = 0;
        for (uint32_t log = 0; log < RV_TIMELINE_LOGS; log++)
            n_done += world.search.walks[lane].n_done[log];
        cr_assert_geq(n_done, N_BEFORE, "lane %u", lane);
    }
    world_fini(&world);
}

Test(search, for_waits_finds_the_calls_that_waited_for_objects_of_a_name, .timeout = 60)
{
    struct world world;
    struct rv_search_hit hit;
    bool is_partial;
    char why[160];
    const struct rv_filter *filter = NULL;
    world_init(&world, 7);
    name(&world, 0, N_IDS);
    struct rv_lane *lane = rv_lanes_get(world.lanes, 1);
    const struct rv_span calls[] = {
        {.start = 30, .end = 40, .id = 3}, {.start = 10, .end = 60, .id = 2}, {.start = 70, .end = 80, .id = 3}};
    rv_timeline_add(lane->timeline, calls, 3);
    rv_subroutines_define(world.subroutines, N_IDS, "", "cache_lock", "", 0);
    rv_subroutines_define(world.subroutines, N_IDS + 1, "", "log_lock", "", 0);
    struct rv_waited *waits = calloc(3, sizeof *waits);
    waits[0] = (struct rv_waited){.lane = 1, .call = 3, .from_ns = 72, .to_ns = 78, .object = N_IDS + 1};
    waits[1] = (struct rv_waited){.lane = 1, .call = 3, .from_ns = 31, .to_ns = 35, .object = N_IDS};
    waits[2] = (struct rv_waited){.lane = 0, .call = 3, .from_ns = 72, .to_ns = 78, .object = N_IDS};
    const struct rv_waited_calls *waited = rv_waited_calls_create(waits, 3);
    start(&world, "wait:cache");
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(rv_search_n_calls(&world.search, world.lanes, &is_partial), 0);
    rv_search_set_waited(&world.search, waited);
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(rv_search_n_calls(&world.search, world.lanes, &is_partial), 1);
    cr_assert(go(&world.search, world.lanes, &(struct rv_search_place){0}, true, &hit));
    cr_assert(hit.place.start_ns == 30 && hit.box.id == 3);
    cr_assert_not(go(&world.search, world.lanes, &hit.place, true, &hit));
    cr_assert_eq(rv_filter_add(&filter, "duration:>20ns", why, sizeof why), 0, "%s", why);
    cr_assert(rv_search_obey(&world.search, filter));
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(rv_search_n_calls(&world.search, world.lanes, &is_partial), 0);
    rv_filter_release(filter);
    rv_waited_calls_release(waited);
    world_fini(&world);
}

Test(search, for_arguments_finds_the_calls_that_have_them, .timeout = 60)
{
    struct world world;
    struct rv_search_hit hit;
    bool is_partial;
    world_init(&world, 7);
    name(&world, 0, N_IDS);
    struct rv_lane *lane = rv_lanes_get(world.lanes, 1);
    const struct rv_span calls[] = {{.start = 10, .end = 20, .id = 3}, {.start = 30, .end = 40, .id = 3}};
    rv_timeline_add(lane->timeline, calls, 2);
    rv_subroutines_define(world.subroutines, N_IDS, "", "\"SELECT 1\"", "", 0);
    rv_subroutines_define(world.subroutines, N_IDS + 1, "", "\"INSERT 1\"", "", 0);
    rv_argument_texts_add(&lane->texts, &(struct rv_argument_text){.at_ns = 10, .subroutine = 3, .id = N_IDS});
    rv_argument_texts_add(&lane->texts, &(struct rv_argument_text){.at_ns = 30, .subroutine = 3, .id = N_IDS + 1});
    start(&world, "arg:insert");
    cr_assert(rv_search_update(&world.search, world.lanes, world.subroutines, EVERYTHING));
    cr_assert_eq(rv_search_n_calls(&world.search, world.lanes, &is_partial), 1);
    cr_assert(go(&world.search, world.lanes, &(struct rv_search_place){0}, true, &hit));
    cr_assert_eq(hit.place.start_ns, 30);
    cr_assert_not(go(&world.search, world.lanes, &hit.place, true, &hit));
    world_fini(&world);
}
