/*
 * Places of text: labels of marks and of collections cover no calls of other lanes, none of their names in flat views, and are not under a panel; dense
 * marks are found at their label and at their ticks, a collection at its label and on the ground; of collections, the
 * longest has its label; the lowest row has its name; a message that replaces the picture covers nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"

#define FROM_NS 1000000000u
#define WINDOW_NS 1000000u
#define WIDTH_PX 1000
#define HEIGHT_PX 600
#define N_LANES 30u
#define MARKED 10u
#define MOST_ROWS 22u /* of which each has room for a name */
#define INSET 120.0f
#define LEAST_PX 200u /* of a tag */
#define N_DENSE 20u
#define LEAST_STRIPE_PX 10000u
#define CAPTION_PX 20 /* from the middle of the picture */
#define NAME_WIDTH 100
#define NAME_HEIGHT 10 /* of a row of 14 */

#define NEAR_PX 6.0f /* a tag begins this much before its time */

static const uint8_t plate[3] = {0x25, 0x33, 0x4a}; /* a mark's, on the background */
static const uint8_t gc_plate[3] = {0x76, 0x34, 0x07};

struct fixture {
    struct canvas canvas;
    struct rv_view_lane lanes[N_LANES];
    struct rv_box boxes[N_LANES];
    struct rv_lane_note mark, dense[N_DENSE];
    struct rv_view view;
    struct rv_scene_frame frame;
};

static int fail(const struct fixture *fixture, const char *what)
{
    fprintf(stderr, "%s: %s\n", rv_view_mode_get(fixture->frame.look)->name, what);
    return 1;
}

static void draw(struct fixture *fixture, enum rv_view_mode look)
{
    fixture->frame.look = fixture->frame.look_from = look;
    canvas_draw(&fixture->canvas, fixture->frame);
}

static bool is_near(const uint8_t *rgba, const uint8_t rgb[3])
{
    return abs(rgba[0] - rgb[0]) < 8 && abs(rgba[1] - rgb[1]) < 8 && abs(rgba[2] - rgb[2]) < 8;
}

/* Pixels of a tag; *n_hidden: those where panels and the top bar would be. */
static unsigned count_tag(const struct fixture *fixture, unsigned *n_hidden)
{
    const struct rv_scene_insets *insets = &fixture->frame.insets;
    unsigned n = 0;
    *n_hidden = 0;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            const bool is_tag = is_near(canvas_pixel(&fixture->canvas, x, y), plate);
            n += is_tag;
            *n_hidden += is_tag && ((float)y < insets->top || (float)x >= WIDTH_PX - insets->right);
        }
    return n;
}

/* Lanes with a mark in one, and a call in those behind it or in none. */
static void set_lanes(struct fixture *fixture, uint32_t marked, uint64_t at_ns, bool has_calls)
{
    fixture->mark = (struct rv_lane_note){.start_ns = at_ns, .end_ns = at_ns, .kind = RV_NOTE_MARK, .id = 1};
    for (uint32_t i = 0; i < N_LANES; i++) {
        fixture->boxes[i] = (struct rv_box){
            .start_ns = FROM_NS, .duration_ns = WINDOW_NS, .id = 2, .count = 1, .coverage = RV_BOX_EXACT};
        fixture->lanes[i] = (struct rv_view_lane){.lane_idx = i,
                                                  .first_box = i,
                                                  .n_boxes = has_calls && i != marked,
                                                  .n_notes = i == marked,
                                                  .max_depth = 1,
                                                  .name = "lane"};
    }
    fixture->view.n_lanes = N_LANES;
    fixture->view.n_boxes = N_LANES;
}

static int check_tag(struct fixture *fixture, enum rv_view_mode look)
{
    unsigned n_hidden;
    set_lanes(fixture, MARKED, FROM_NS + WINDOW_NS / 2, false);
    draw(fixture, look);
    if (count_tag(fixture, &n_hidden) < LEAST_PX)
        return fail(fixture, "a mark has no tag where nothing is behind it");
    set_lanes(fixture, 0, FROM_NS, false);
    fixture->lanes[0].n_notes = 0;
    fixture->lanes[0].merged_ns = FROM_NS + WINDOW_NS / 2;
    fixture->view.n_lanes = 1;
    draw(fixture, look);
    if (count_tag(fixture, &n_hidden) < LEAST_PX)
        return fail(fixture, "merged states have no label");
    set_lanes(fixture, MARKED, FROM_NS + WINDOW_NS / 2, true);
    draw(fixture, look);
    if (count_tag(fixture, &n_hidden) >= LEAST_PX)
        return fail(fixture, "a tag lies over the calls of the lane behind it");
    set_lanes(fixture, N_LANES - 1, FROM_NS + WINDOW_NS - WINDOW_NS / 100, false);
    draw(fixture, look);
    if (count_tag(fixture, &n_hidden) < LEAST_PX || n_hidden)
        return fail(fixture, "a tag lies under panels");
    return 0;
}

/* Pixels of the picture at which the dense marks are found, of their tag and of all. */
static void count_found(const struct fixture *fixture, uint32_t lane, unsigned *n_tag, unsigned *n_all)
{
    *n_tag = *n_all = 0;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            struct rv_scene_notes found = {0};
            if (!rv_scene_notes_at(fixture->canvas.scene, x + 0.5, y + 0.5, &found))
                continue;
            const struct rv_lane_note *first = fixture->dense, *last = &fixture->dense[N_DENSE - 1];
            *n_all += found.lane == lane && found.from_ns == first->start_ns && found.to_ns == last->start_ns;
            *n_tag += is_near(canvas_pixel(&fixture->canvas, x, y), plate);
        }
}

static int check_dense(struct fixture *fixture, enum rv_view_mode look)
{
    unsigned n_hidden, n_tag, n_all;
    const uint32_t lane = look == RV_VIEW_MODE_FLAME ? 1 : MARKED; /* one in sight */
    set_lanes(fixture, lane, FROM_NS, false);
    for (uint32_t i = 0; i < N_DENSE; i++)
        fixture->dense[i] = (struct rv_lane_note){.start_ns = FROM_NS + WINDOW_NS / 2 + i,
                                                  .end_ns = FROM_NS + WINDOW_NS / 2 + i,
                                                  .kind = RV_NOTE_MARK,
                                                  .id = 1};
    fixture->lanes[lane].n_notes = N_DENSE;
    fixture->view.notes = fixture->dense;
    fixture->view.n_notes = N_DENSE;
    draw(fixture, look);
    const unsigned n_drawn = count_tag(fixture, &n_hidden);
    count_found(fixture, lane, &n_tag, &n_all);
    fixture->view.notes = &fixture->mark;
    fixture->view.n_notes = 1;
    if (n_drawn < LEAST_PX || n_tag < n_drawn * 9 / 10)
        return fail(fixture, "dense marks are not found at their tag");
    return n_all > n_tag ? 0 : fail(fixture, "dense marks are not found at their ticks");
}

/* A short collection begins so little before a long one that only one of them has room for a label, wherever the lanes are
 * scrolled. */
static int check_longest(struct fixture *fixture, double scroll)
{
    const uint64_t short_ns = FROM_NS + WINDOW_NS / 2, long_ns = short_ns + WINDOW_NS / 25;
    set_lanes(fixture, 1, FROM_NS, false);
    fixture->dense[0] = (struct rv_lane_note){.start_ns = short_ns, .end_ns = short_ns + 50, .kind = RV_NOTE_GC};
    fixture->dense[1] =
        (struct rv_lane_note){.start_ns = long_ns, .end_ns = long_ns + WINDOW_NS / 5, .kind = RV_NOTE_GC};
    fixture->lanes[1].n_notes = 2;
    fixture->view.notes = fixture->dense;
    fixture->view.n_notes = 2;
    fixture->frame.scroll = scroll;
    draw(fixture, RV_VIEW_MODE_FLAME);
    fixture->frame.scroll = 0.0;
    fixture->view.notes = &fixture->mark;
    fixture->view.n_notes = 1;
    float at[2], first = WIDTH_PX;
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){long_ns, 1, 0}, at);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            if (is_near(canvas_pixel(&fixture->canvas, x, y), gc_plate))
                first = fminf(first, (float)x);
    return fabsf(first - at[0]) < NEAR_PX ? 0 : fail(fixture, "a short collection has the label instead of a long one");
}

/* A collection is found at its label and where it tints the ground, of any lane of its process; its outline is drawn
 * about it. */
static int check_collection(struct fixture *fixture, enum rv_view_mode look)
{
    static uint8_t before[4 * WIDTH_PX * HEIGHT_PX];
    const uint64_t start_ns = FROM_NS + WINDOW_NS / 2, end_ns = start_ns + WINDOW_NS / 10;
    unsigned n_tag = 0, n_stripe = 0, n_wrong = 0, n_outline = 0;
    set_lanes(fixture, 1, FROM_NS, false);
    fixture->mark = (struct rv_lane_note){.start_ns = start_ns, .end_ns = end_ns, .kind = RV_NOTE_GC};
    draw(fixture, look);
    memcpy(before, fixture->canvas.rgba, sizeof before);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            struct rv_scene_notes found = {.from_ns = start_ns, .to_ns = end_ns, .lane = 1};
            const bool is_tag = is_near(canvas_pixel(&fixture->canvas, x, y), gc_plate);
            if (!rv_scene_notes_at(fixture->canvas.scene, x + 0.5, y + 0.5, &found))
                continue;
            n_tag += is_tag && !found.is_stripe;
            n_stripe += found.is_stripe;
            n_wrong += found.form != RV_NOTE_FORM_PAUSE || found.lane != 1 || found.from_ns != start_ns ||
                       found.to_ns != end_ns;
        }
    fixture->frame.collection = &(struct rv_scene_notes){RV_NOTE_FORM_PAUSE, 1, start_ns, end_ns, true};
    draw(fixture, look);
    fixture->frame.collection = NULL;
    for (size_t i = 0; i < sizeof before; i += 4)
        n_outline += memcmp(before + i, fixture->canvas.rgba + i, 4) != 0;
    if (n_tag < LEAST_PX || n_wrong)
        return fail(fixture, "a collection is not found at its label");
    if (n_stripe < LEAST_STRIPE_PX)
        return fail(fixture, "a collection is not found on the ground");
    return n_outline >= LEAST_PX && n_outline < n_stripe ? 0 : fail(fixture, "a collection has no outline");
}

/* Few lanes of deep stacks: labels of the collections of either process cover no call, and those at the back have one. */
static int check_over_calls(struct fixture *fixture, enum rv_view_mode look)
{
    enum { N_FEW = 3, N_DEEP = N_LANES / N_FEW };
    unsigned n_tag = 0, n_over = 0;
    memset(fixture->lanes, 0, sizeof fixture->lanes);
    for (uint32_t i = 0; i < N_FEW; i++) {
        fixture->lanes[i] = (struct rv_view_lane){.lane_idx = i,
                                                  .process = i > 0,
                                                  .first_box = i * N_DEEP,
                                                  .n_boxes = N_DEEP,
                                                  .first_note = i > 0,
                                                  .n_notes = i < 2,
                                                  .max_depth = N_DEEP,
                                                  .name = "lane"};
        fixture->dense[i] = (struct rv_lane_note){
            .start_ns = FROM_NS + WINDOW_NS / 2, .end_ns = FROM_NS + WINDOW_NS * 3 / 4, .kind = RV_NOTE_GC};
        for (uint32_t depth = 0; depth < N_DEEP; depth++)
            fixture->boxes[i * N_DEEP + depth] = (struct rv_box){.start_ns = FROM_NS,
                                                                 .duration_ns = WINDOW_NS,
                                                                 .id = 2,
                                                                 .count = 1,
                                                                 .depth = (uint16_t)depth,
                                                                 .coverage = RV_BOX_EXACT};
    }
    fixture->view.n_lanes = N_FEW;
    fixture->view.n_boxes = N_LANES;
    fixture->view.n_processes = 2;
    fixture->view.notes = fixture->dense;
    fixture->view.n_notes = 2;
    draw(fixture, look);
    fixture->view.n_processes = 0;
    fixture->view.notes = &fixture->mark;
    fixture->view.n_notes = 1;
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++) {
            struct rv_pick_hit hit;
            struct rv_scene_notes found;
            if (!rv_scene_notes_at(fixture->canvas.scene, x + 0.5, y + 0.5, &found) || found.is_stripe)
                continue;
            n_tag++;
            n_over += rv_scene_pick(fixture->canvas.scene, x + 0.5, y + 0.5, &hit);
        }
    if (n_tag < LEAST_PX)
        return fail(fixture, "a collection at the back has no label");
    return n_over == 0 ? 0 : fail(fixture, "the label of a collection lies over calls");
}

/* Is there ink in the middle of the row, of a box of one colour and of light? */
static bool has_name(const struct fixture *fixture, uint32_t depth)
{
    float low[2], high[2];
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS, 0, depth}, low);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS, 0, depth + 1}, high);
    const int y = (int)(0.5f * (low[1] + high[1]));
    const uint8_t *empty = canvas_pixel(&fixture->canvas, WIDTH_PX / 2, y);
    unsigned n = 0;
    for (int x = (int)low[0] + 3; x < (int)low[0] + 60; x++)
        n += abs(canvas_pixel(&fixture->canvas, x, y)[1] - empty[1]) > 60;
    return n > 3;
}

static int check_names(struct fixture *fixture, uint32_t n_rows)
{
    memset(fixture->lanes, 0, sizeof fixture->lanes);
    fixture->lanes[0] = (struct rv_view_lane){.n_boxes = n_rows, .max_depth = n_rows, .name = "lane"};
    for (uint32_t i = 0; i < n_rows; i++)
        fixture->boxes[i] = (struct rv_box){.start_ns = FROM_NS,
                                            .duration_ns = WINDOW_NS,
                                            .id = 2,
                                            .count = 1,
                                            .depth = (uint16_t)i,
                                            .coverage = RV_BOX_EXACT};
    fixture->view.n_lanes = 1;
    fixture->view.n_boxes = n_rows;
    draw(fixture, RV_VIEW_MODE_FLAME);
    for (uint32_t i = 0; i < n_rows; i++)
        if (!has_name(fixture, i))
            return fail(fixture, "a row has no name");
    return 0;
}

/* The begin of the row of the lane above the marked one, where its call's name is. */
static void copy_name(const struct fixture *fixture, uint8_t name[NAME_HEIGHT][NAME_WIDTH][4])
{
    float low[2], high[2];
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS, MARKED - 1, 0}, low);
    rv_scene_project(fixture->canvas.scene, &(struct rv_scene_place){FROM_NS, MARKED - 1, 1}, high);
    const int middle = (int)(0.5f * (low[1] + high[1]));
    for (int y = 0; y < NAME_HEIGHT; y++)
        memcpy(name[y], canvas_pixel(&fixture->canvas, (int)low[0], middle - NAME_HEIGHT / 2 + y), sizeof name[y]);
}

static int check_name_above(struct fixture *fixture, enum rv_view_mode look)
{
    static uint8_t before[NAME_HEIGHT][NAME_WIDTH][4], with_tag[NAME_HEIGHT][NAME_WIDTH][4];
    unsigned n_hidden;
    set_lanes(fixture, MARKED, FROM_NS + WINDOW_NS / 50, true);
    fixture->lanes[MARKED].n_notes = 0;
    draw(fixture, look);
    copy_name(fixture, before);
    fixture->lanes[MARKED].n_notes = 1;
    draw(fixture, look);
    copy_name(fixture, with_tag);
    if (count_tag(fixture, &n_hidden) < LEAST_PX)
        return fail(fixture, "a mark has no tag below a call");
    return memcmp(before, with_tag, sizeof before) == 0 ? 0 : fail(fixture, "a tag lies over a name of the lane above");
}

static int check_caption(struct fixture *fixture, enum rv_view_mode look)
{
    fixture->view.n_lanes = fixture->view.n_boxes = 0;
    fixture->frame.caption = "nothing to show";
    draw(fixture, look);
    fixture->frame.caption = NULL;
    const uint8_t *first = canvas_pixel(&fixture->canvas, 0, 0);
    for (int y = 0; y < HEIGHT_PX; y++)
        for (int x = 0; x < WIDTH_PX; x++)
            if (abs(y - HEIGHT_PX / 2) > CAPTION_PX && memcmp(canvas_pixel(&fixture->canvas, x, y), first, 3) != 0)
                return fail(fixture, "an axis is drawn under the message that replaces the picture");
    return 0;
}

int main(void)
{
    static struct fixture fixture;
    int failed = 0;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    struct rv_subroutines *subroutines = rv_subroutines_create();
    rv_subroutines_define(subroutines, 1, "", "checkpoint of the run", "", 1);
    rv_subroutines_define(subroutines, 2, "", "serve", "", 1);
    fixture.view = (struct rv_view){.from_ns = FROM_NS,
                                    .to_ns = FROM_NS + WINDOW_NS,
                                    .until_ns = UINT64_MAX,
                                    .lanes = fixture.lanes,
                                    .boxes = fixture.boxes,
                                    .notes = &fixture.mark,
                                    .n_notes = 1};
    fixture.frame = (struct rv_scene_frame){.view = &fixture.view,
                                            .subroutines = subroutines,
                                            .origin_ns = FROM_NS,
                                            .scale = 1.0,
                                            .insets = {.top = INSET, .right = INSET}};
    failed |= check_tag(&fixture, RV_VIEW_MODE_3D);
    failed |= check_tag(&fixture, RV_VIEW_MODE_ALIGNED);
    failed |= check_name_above(&fixture, RV_VIEW_MODE_TOP);
    failed |= check_dense(&fixture, RV_VIEW_MODE_3D);
    failed |= check_dense(&fixture, RV_VIEW_MODE_FLAME);
    failed |= check_collection(&fixture, RV_VIEW_MODE_3D);
    failed |= check_collection(&fixture, RV_VIEW_MODE_ALIGNED);
    failed |= check_collection(&fixture, RV_VIEW_MODE_FLAME);
    failed |= check_over_calls(&fixture, RV_VIEW_MODE_3D);
    failed |= check_over_calls(&fixture, RV_VIEW_MODE_ALIGNED);
    failed |= check_longest(&fixture, 0.0);
    failed |= check_longest(&fixture, 5.0);
    failed |= check_longest(&fixture, 500.0);
    failed |= check_caption(&fixture, RV_VIEW_MODE_3D);
    failed |= check_caption(&fixture, RV_VIEW_MODE_ALIGNED);
    failed |= check_caption(&fixture, RV_VIEW_MODE_FLAME);
    for (uint32_t n_rows = 1; n_rows <= MOST_ROWS; n_rows++)
        failed |= check_names(&fixture, n_rows);
    rv_subroutines_destroy(subroutines);
    canvas_fini(&fixture.canvas);
    return failed;
}
