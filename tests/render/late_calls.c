/*
 * Calls that are loaded after a picture's level of detail was chosen: the picture is the same as if they had been there
 * from the beginning.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window/offscreen.h"

#define N_EARLY 100u
#define N_LATE 40000u
#define WHOLE_NS 100000000u
#define WIDTH_PX 640
#define HEIGHT_PX 360

struct world {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_lane *late;
};

static struct rv_lane *add_lane(struct world *world, uint32_t thread)
{
    struct rv_lane_identity identity = {.tid = thread, .thread = thread, .name = "t", .process_name = "p"};
    return rv_lanes_add(world->lanes, &identity);
}

/* Calls side by side, over the whole time. */
static void fill(struct rv_lane *lane, unsigned n)
{
    uint64_t step_ns = WHOLE_NS / n;
    pthread_rwlock_wrlock(&lane->lock);
    for (uint64_t i = 0; i < n; i++)
        rv_timeline_add(lane->timeline,
                        &(struct rv_span){.start = i * step_ns, .end = (i + 1) * step_ns - step_ns / 4, .id = 1}, 1);
    lane->last_ns = WHOLE_NS;
    lane->max_depth = 1;
    pthread_rwlock_unlock(&lane->lock);
}

/* Add the late calls, as when the last page is loaded just before the view asks for it. */
static bool fetch(void *context, const struct rv_view *view)
{
    struct world *world = context;
    (void)view;
    if (world->late)
        fill(world->late, N_LATE);
    world->late = NULL;
    return false;
}

static uint8_t *draw(bool is_late)
{
    struct world world = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    rv_subroutines_define(world.subroutines, 1, "", "call", "", 0);
    fill(add_lane(&world, 0), N_EARLY);
    world.late = add_lane(&world, 1);
    if (!is_late)
        (void)fetch(&world, NULL);
    struct rv_screenshot_params params = {.width_px = WIDTH_PX,
                                          .height_px = HEIGHT_PX,
                                          .box_budget = 1000,
                                          .lanes = world.lanes,
                                          .subroutines = world.subroutines,
                                          .fetch = fetch,
                                          .context = &world};
    struct rv_offscreen *offscreen;
    if (rv_offscreen_open(&offscreen, &params) != 0)
        exit(1);
    const uint8_t *rgba = rv_offscreen_draw(offscreen, 0, WHOLE_NS);
    uint8_t *kept = malloc((size_t)WIDTH_PX * HEIGHT_PX * 4);
    if (!rgba || !kept)
        exit(1);
    memcpy(kept, rgba, (size_t)WIDTH_PX * HEIGHT_PX * 4);
    rv_offscreen_close(offscreen);
    rv_subroutines_destroy(world.subroutines);
    rv_lanes_destroy(world.lanes);
    return kept;
}

int main(void)
{
    uint8_t *early = draw(false), *late = draw(true);
    size_t n_others = 0;
    for (size_t i = 0; i < (size_t)WIDTH_PX * HEIGHT_PX * 4; i++)
        n_others += early[i] != late[i];
    printf("%zu bytes are others\n", n_others);
    free(early);
    free(late);
    return n_others > 0;
}
