/* Going to a hit while the trace is still being searched. */
#include "viewer/analysis.h"

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
    struct rv_inquiry inquiry;
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
    rv_inquiry_find(&world->inquiry, "rare");
}

static void world_fini(struct world *world)
{
    rv_inquiry_fini(&world->inquiry);
    rv_lanes_destroy(world->lanes);
    rv_subroutines_destroy(world->subroutines);
}

/* How many updates until the wish is fulfilled. */
static unsigned wait_for_wish(struct world *world)
{
    for (unsigned i = 0; i < MOST_UPDATES; i++) {
        (void)rv_inquiry_update(&world->inquiry, world->lanes, world->subroutines, false);
        if (rv_inquiry_fulfil(&world->inquiry, world->lanes, 0))
            return i + 1;
    }
    return 0;
}

static uint64_t rare_start(size_t which, uint32_t lane_idx)
{
    return (uint64_t)CALL_NS * (RARE_EVERY * (which + 1) - 1) + lane_idx;
}

Test(inquiry, a_wish_waits_for_the_search_and_gets_the_hit_that_is_next, .timeout = 60)
{
    struct world world;
    world_init(&world);
    rv_inquiry_wish(&world.inquiry, true);
    cr_assert_not(rv_inquiry_fulfil(&world.inquiry, world.lanes, 0));
    cr_assert_gt(wait_for_wish(&world), 1u);
    cr_assert_eq(world.inquiry.hit.place.start_ns, rare_start(0, 0));
    cr_assert_not(rv_inquiry_fulfil(&world.inquiry, world.lanes, 0), "a wish is fulfilled once");
    rv_inquiry_wish(&world.inquiry, true);
    cr_assert(rv_inquiry_fulfil(&world.inquiry, world.lanes, 0), "at once, when all has been searched");
    cr_assert_eq(world.inquiry.hit.place.start_ns, rare_start(0, 1));
    world_fini(&world);
}

Test(inquiry, wishes_add_up, .timeout = 60)
{
    struct world world;
    world_init(&world);
    for (int i = 0; i < 4; i++)
        rv_inquiry_wish(&world.inquiry, true);
    rv_inquiry_wish(&world.inquiry, false);
    cr_assert(wait_for_wish(&world));
    cr_assert_eq(world.inquiry.hit.place.start_ns, rare_start(1, 0), "the third");
    rv_inquiry_find(&world.inquiry, "common");
    cr_assert_eq(wait_for_wish(&world), 0u, "what is searched for now was not wished for");
    world_fini(&world);
}
