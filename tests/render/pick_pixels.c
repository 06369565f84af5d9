/*
 * The picker finds the box that the picture shows at a pixel: compared with an ID buffer at random pixels, from a
 * window of many cells down to one of few boxes, in every view, and with boxes of different heights. A picker that is
 * one row off is detected by the same comparison. Prints what a pick and a picture cost.
 */
#include <stdio.h>
#include <stdlib.h>

#include <GL/glew.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "canvas.h"
#include "model/leaf_view.h"
#include "synthetic.h"

#define ORIGIN_NS 18000000000000u
#define WIDTH_PX 1600
#define HEIGHT_PX 900
#define N_PIXELS 20000
#define SEED 20260u
#define AGREEMENT 0.995
#define N_ROUNDS 20
#define N_COMPARED 64u      /* subroutines, from 1 */
#define COMPARED_CALLS 400u /* of each */

struct fixture {
    struct canvas canvas;
    unsigned depth_buffer;
    struct rv_scene_frame frame;
    struct rv_view view;
    struct rv_leaf_view leaves; /* drawn where only leaves are */
    struct rv_box *shifted;     /* the boxes one row up; where there is one row only, later */
    size_t shifted_capacity;
};

static void add_depth(struct fixture *fixture)
{
    glBindFramebuffer(GL_FRAMEBUFFER, fixture->canvas.framebuffer);
    glGenRenderbuffers(1, &fixture->depth_buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, fixture->depth_buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, WIDTH_PX, HEIGHT_PX);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, fixture->depth_buffer);
}

static void random_pixel(uint64_t i, int out[2])
{
    uint64_t random = rv_hash_u64(SEED + i);
    out[0] = (int)((random & 0xFFFFFFFFu) % WIDTH_PX);
    out[1] = (int)((random >> 32) % HEIGHT_PX);
}

static uint32_t drawn_at(const struct fixture *fixture, const int pixel[2])
{
    const uint8_t *rgba = canvas_pixel(&fixture->canvas, pixel[0], pixel[1]);
    uint32_t number = (uint32_t)rgba[0] | (uint32_t)rgba[1] << 8 | (uint32_t)rgba[2] << 16;
    bool has_leaves = rv_view_mode_get(fixture->frame.look)->has_leaves;
    return number && has_leaves ? fixture->leaves.sources[number - 1] + 1 : number;
}

static uint32_t picked_at(const struct fixture *fixture, const int pixel[2])
{
    struct rv_pick_hit hit;
    bool is_hit = rv_scene_pick(fixture->canvas.scene, pixel[0] + 0.5, pixel[1] + 0.5, &hit);
    return is_hit ? hit.box + 1 : 0;
}

static double compose_cost_ns(const struct fixture *fixture)
{
    double least_ns = 1e18;
    for (int round = 0; round < N_ROUNDS; round++) {
        uint64_t start_ns = rv_clock_thread_cpu_ns();
        rv_scene_compose(fixture->canvas.scene, &fixture->frame);
        double cost_ns = (double)(rv_clock_thread_cpu_ns() - start_ns);
        least_ns = cost_ns < least_ns ? cost_ns : least_ns;
    }
    return least_ns;
}

/* Share of pixels on which both say the same; of those that show boxes, if only_boxes. */
static double agreement(const struct fixture *fixture, bool only_boxes)
{
    unsigned n_equal = 0, n = 0;
    for (uint64_t i = 0; i < N_PIXELS; i++) {
        int pixel[2];
        random_pixel(i, pixel);
        uint32_t drawn = drawn_at(fixture, pixel);
        if (only_boxes && !drawn)
            continue;
        n++;
        n_equal += drawn == picked_at(fixture, pixel);
    }
    return n ? (double)n_equal / n : 0.0;
}

static void shift_picker(struct fixture *fixture)
{
    static struct rv_view shifted; /* outlives its picture */
    shifted = fixture->view;
    fixture->shifted =
        rv_vec_reserve(fixture->shifted, &fixture->shifted_capacity, shifted.n_boxes, sizeof *fixture->shifted);
    for (size_t i = 0; i < shifted.n_boxes; i++) {
        fixture->shifted[i] = fixture->view.boxes[i];
        if (rv_view_mode_get(fixture->frame.look)->has_leaves)
            fixture->shifted[i].start_ns += (shifted.to_ns - shifted.from_ns) / 4;
        else
            fixture->shifted[i].depth++;
    }
    shifted.boxes = fixture->shifted;
    struct rv_scene_frame frame = fixture->frame;
    frame.view = &shifted;
    rv_scene_compose(fixture->canvas.scene, &frame);
    rv_scene_place(fixture->canvas.scene, &frame);
}

static double pick_cost_ns(const struct fixture *fixture)
{
    double least_ns = 1e18;
    for (int round = 0; round < N_ROUNDS; round++) {
        uint64_t start_ns = rv_clock_thread_cpu_ns();
        for (uint64_t i = 0; i < N_PIXELS / N_ROUNDS; i++) {
            int pixel[2];
            random_pixel((uint64_t)round * N_PIXELS + i, pixel);
            (void)picked_at(fixture, pixel);
        }
        double cost_ns = (double)(rv_clock_thread_cpu_ns() - start_ns) / (N_PIXELS / N_ROUNDS);
        least_ns = cost_ns < least_ns ? cost_ns : least_ns;
    }
    return least_ns;
}

static void check_window(struct fixture *fixture, const struct synthetic *synthetic, uint64_t window_ns)
{
    char where[64];
    uint64_t from_ns = ORIGIN_NS + 10000000;
    synthetic_view(synthetic, &fixture->view, from_ns, from_ns + window_ns);
    rv_leaf_view_update(&fixture->leaves, &fixture->view, true, window_ns / WIDTH_PX);
    rv_scene_compose(fixture->canvas.scene, &fixture->frame);
    rv_scene_draw_ids(fixture->canvas.scene, &fixture->frame);
    rv_scene_read_pixels(WIDTH_PX, HEIGHT_PX, fixture->canvas.rgba);
    snprintf(where, sizeof where, "%s, %zu boxes", rv_view_mode_get(fixture->frame.look)->name, fixture->view.n_boxes);
    double equal = agreement(fixture, false), equal_boxes = agreement(fixture, true);
    double cost_ns = pick_cost_ns(fixture), compose_ns = compose_cost_ns(fixture);
    shift_picker(fixture);
    double equal_shifted = agreement(fixture, false);
    printf("%s: %.3f %% of pixels agree, %.3f %% of those with boxes, %.1f %% of all with a shifted picker; %.2f us a "
           "pick, %.0f us a picture\n",
           where, 100.0 * equal, 100.0 * equal_boxes, 100.0 * equal_shifted, cost_ns / 1e3, compose_ns / 1e3);
    canvas_check(equal >= AGREEMENT, "picker and picture agree on too few pixels", where, equal);
    canvas_check(equal_boxes >= AGREEMENT, "picker and picture agree on too few pixels with boxes", where, equal_boxes);
    canvas_check(equal_shifted < AGREEMENT, "a shifted picker is not found out", where, equal_shifted);
    canvas_check(glGetError() == GL_NO_ERROR, "GL error", where, 0.0);
}

/* A run against one in which every subroutine takes another number of times as long. */
static void compare_with_another(struct rv_diff *diff, struct rv_subroutines *subroutines)
{
    struct rv_diff_side sides[RV_DIFF_SIDES];
    struct rv_stats *stats[RV_DIFF_SIDES];
    struct rv_diff_variance *variances[RV_DIFF_SIDES];
    for (int side = 0; side < RV_DIFF_SIDES; side++) {
        struct rv_stats_lane *lane = rv_stats_lane_create();
        stats[side] = rv_stats_create();
        variances[side] = rv_diff_variance_create();
        rv_stats_lane_set_open(lane, NULL, NULL, 0, 0);
        for (uint32_t i = 0; i < N_COMPARED * COMPARED_CALLS; i++) {
            uint32_t id = 1 + i % N_COMPARED, factor = side == RV_DIFF_BEFORE ? 4 : 1 + id % 16;
            uint64_t start = i * 100000ull;
            struct rv_span span = {.start = start, .end = start + factor * 1000, .id = id};
            rv_stats_add(stats[side], lane, &span, 1);
            rv_diff_variance_add(variances[side], id, span.end, (uint64_t[]){factor * 1000, factor * 1000});
        }
        rv_stats_lane_destroy(lane);
        sides[side] = (struct rv_diff_side){stats[side], stats[side], variances[side], subroutines};
    }
    rv_diff_init(diff, sides);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_stats_destroy(stats[side]);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_diff_variance_destroy(variances[side]);
}

int main(void)
{
    static const uint64_t windows_ns[] = {200000, 10000000, 100000000, 1000000000, 4000000000u};
    struct fixture fixture = {0};
    struct synthetic synthetic;
    canvas_init(&fixture.canvas, WIDTH_PX, HEIGHT_PX);
    add_depth(&fixture);
    synthetic_init(&synthetic, ORIGIN_NS, 4100000000u);
    fixture.frame = (struct rv_scene_frame){.view = &fixture.view,
                                            .subroutines = synthetic.subroutines,
                                            .width_px = WIDTH_PX,
                                            .height_px = HEIGHT_PX,
                                            .origin_ns = ORIGIN_NS};
    for (unsigned look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        fixture.frame.look = fixture.frame.look_from = (enum rv_view_mode)look;
        for (size_t i = 0; i < sizeof windows_ns / sizeof *windows_ns; i++)
            check_window(&fixture, &synthetic, windows_ns[i]);
    }
    struct rv_diff diff;
    compare_with_another(&diff, synthetic.subroutines);
    fixture.frame.diff = &diff;
    fixture.frame.scheme = RV_COLOR_DIFFERENCE;
    for (unsigned look = 0; look < RV_VIEW_MODE_COUNT; look++) {
        fixture.frame.look = fixture.frame.look_from = (enum rv_view_mode)look;
        check_window(&fixture, &synthetic, 10000000);
    }
    rv_diff_fini(&diff);
    rv_leaf_view_fini(&fixture.leaves);
    glDeleteRenderbuffers(1, &fixture.depth_buffer);
    free(fixture.shifted);
    synthetic_view_fini(&fixture.view);
    synthetic_fini(&synthetic);
    canvas_fini(&fixture.canvas);
    return canvas_n_failed ? 1 : 0;
}
