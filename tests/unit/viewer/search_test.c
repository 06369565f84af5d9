/* Steps to hits while the search still runs. */
#include "viewer/search.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define N_LANES 2u
#define N_PER_LANE 1000000u
#define N_BLOCK 1000u
#define CALL_NS 100u
#define RARE 7u
#define RARE_EVERY 400000u /* calls of a lane */
#define MOST_UPDATES 300u

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_viewer_search search;
    size_t n[N_LANES]; /* calls */
};

/* Calls side by side; the rare one is every RARE_EVERYth of a lane. */
static void add(struct world *world, uint32_t lane_idx, size_t n_blocks)
{
    struct rv_lane *lane = rv_lanes_get(world->lanes, lane_idx);
    struct rv_span block[N_BLOCK];
    for (; n_blocks > 0; n_blocks--) {
        for (size_t i = 0; i < N_BLOCK; i++) {
            size_t call = world->n[lane_idx]++;
            block[i] = (struct rv_span){.start = CALL_NS * call + lane_idx,
                                        .end = CALL_NS * call + CALL_NS / 2,
                                        .id = call % RARE_EVERY == RARE_EVERY - 1 ? RARE : 1};
        }
        rv_timeline_add(lane->timeline, block, N_BLOCK);
    }
    lane->last_ns = rv_timeline_last_ns(lane->timeline);
}

static void world_init(struct world *world)
{
    *world = (struct world){.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    rv_subroutines_define(world->subroutines, 1, "pack", "common", "", 0);
    rv_subroutines_define(world->subroutines, RARE, "pack", "rare", "", 0);
    for (uint32_t i = 0; i < N_LANES; i++) {
        (void)rv_lanes_add(world->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .process_key = 1});
        add(world, i, N_PER_LANE / N_BLOCK);
    }
    rv_viewer_search_find(&world->search, "rare");
}

static void world_fini(struct world *world)
{
    rv_viewer_search_fini(&world->search);
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
}

/* How many updates until the request is fulfilled. */
static unsigned wait_for_request(struct world *world)
{
    for (unsigned i = 0; i < MOST_UPDATES; i++) {
        (void)rv_viewer_search_update(&world->search, world->lanes, world->subroutines, false);
        if (rv_viewer_search_fulfil(&world->search, world->lanes, 0))
            return i + 1;
    }
    return 0;
}

static uint64_t rare_start(size_t which, uint32_t lane_idx)
{
    return (uint64_t)CALL_NS * (RARE_EVERY * (which + 1) - 1) + lane_idx;
}

Test(viewer_search, a_request_waits_for_the_search_and_gets_the_hit_that_is_next, .timeout = 60)
{
    struct world world;
    world_init(&world);
    rv_viewer_search_request(&world.search, true);
    cr_assert_not(rv_viewer_search_fulfil(&world.search, world.lanes, 0));
    cr_assert_gt(wait_for_request(&world), 1u);
    cr_assert_eq(world.search.hit.place.start_ns, rare_start(0, 0));
    cr_assert_not(rv_viewer_search_fulfil(&world.search, world.lanes, 0), "a request is fulfilled once");
    rv_viewer_search_request(&world.search, true);
    cr_assert(rv_viewer_search_fulfil(&world.search, world.lanes, 0), "at once, when all has been searched");
    cr_assert_eq(world.search.hit.place.start_ns, rare_start(0, 1));
    world_fini(&world);
}

Test(viewer_search, requests_add_up, .timeout = 60)
{
    struct world world;
    world_init(&world);
    for (int i = 0; i < 4; i++)
        rv_viewer_search_request(&world.search, true);
    rv_viewer_search_request(&world.search, false);
    cr_assert(wait_for_request(&world));
    cr_assert_eq(world.search.hit.place.start_ns, rare_start(1, 0), "the third");
    rv_viewer_search_find(&world.search, "common");
    cr_assert_eq(wait_for_request(&world), 0u, "what is searched for now was not requested for");
    world_fini(&world);
}

static void count_whole(struct world *world)
{
    (void)rv_viewer_search_update(&world->search, world->lanes, world->subroutines, true);
    cr_assert(world->search.is_search_whole);
}

Test(viewer_search, a_search_obeys_the_filter, .timeout = 60)
{
    char why[80];
    struct world world;
    world_init(&world);
    count_whole(&world);
    cr_assert_eq(world.search.n_calls, N_LANES * (N_PER_LANE / RARE_EVERY));
    cr_assert_eq(rv_filter_add(&world.search.filter, "duration:<50ns", why, sizeof why), 0);
    count_whole(&world);
    cr_assert_eq(world.search.n_calls, N_PER_LANE / RARE_EVERY, "those of the other lane are 1 ns shorter");
    cr_assert(rv_viewer_search_go(&world.search, world.lanes, 0, true));
    cr_assert_eq(world.search.hit.place.lane_idx, 1);
    cr_assert_eq(rv_filter_add(&world.search.filter, "depth:>5", why, sizeof why), 0);
    count_whole(&world);
    cr_assert_eq(world.search.n_calls, 0);
    cr_assert_not(rv_viewer_search_go(&world.search, world.lanes, 0, true));
    world_fini(&world);
}

Test(viewer_search, a_count_does_not_go_back_while_it_is_made_again, .timeout = 60)
{
    struct world world;
    world_init(&world);
    count_whole(&world);
    uint64_t n_calls = world.search.n_calls;
    rv_subroutines_define(world.subroutines, RARE + 1, "pack", "rarest", "", 0);
    for (unsigned i = 0; i < MOST_UPDATES; i++) {
        (void)rv_viewer_search_update(&world.search, world.lanes, world.subroutines, false);
        cr_assert_geq(world.search.n_calls, n_calls);
    }
    count_whole(&world);
    cr_assert_eq(world.search.n_calls, n_calls);
    world_fini(&world);
}

Test(viewer_search, a_hit_in_a_collapsed_lane_is_gone_to, .timeout = 60)
{
    struct world world;
    struct rv_lane_choices lane_order = {.lanes = NULL};
    bool has_found[2] = {false};
    world_init(&world);
    rv_lane_choices_update(&lane_order, world.lanes);
    rv_lane_choices_toggle_all(&lane_order);
    world.search.lane_order = &lane_order;
    count_whole(&world);
    for (unsigned i = 0; i < 2 * world.search.n_calls; i++) {
        cr_assert(rv_viewer_search_go(&world.search, world.lanes, 0, true));
        has_found[world.search.hit.place.lane_idx] = true;
    }
    cr_assert(has_found[0] && has_found[1]);
    rv_lane_choices_fini(&lane_order);
    world_fini(&world);
}

Test(viewer_search, a_hit_in_a_hidden_lane_is_skipped, .timeout = 60)
{
    struct world world;
    struct rv_lane_choices lane_order = {.lanes = NULL};
    world_init(&world);
    rv_lane_choices_update(&lane_order, world.lanes);
    rv_lane_choices_toggle_hidden(&lane_order, 0);
    world.search.lane_order = &lane_order;
    count_whole(&world);
    for (int i = 0; i < 3; i++) {
        cr_assert(rv_viewer_search_go(&world.search, world.lanes, 0, true));
        cr_assert_eq(world.search.hit.place.lane_idx, 1);
    }
    rv_lane_choices_toggle_hidden(&lane_order, 1);
    cr_assert_not(rv_viewer_search_go(&world.search, world.lanes, 0, true));
    rv_lane_choices_fini(&lane_order);
    world_fini(&world);
}
