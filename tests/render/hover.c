/*
 * The call under the cursor is outlined and hardly another pixel changes; a pinned one dims the rest. In 3D, aligned and
 * flame. A tooltip has no room for a foot that it does not have.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "canvas.h"
#include "synthetic.h"

#define ORIGIN_NS 5000000000u
#define WIDTH_PX 1000
#define HEIGHT_PX 600
#define BYTES ((size_t)WIDTH_PX * HEIGHT_PX * 4)
#define MOST_OUTLINED 12000u /* pixels */
#define LEAST_OUTLINED 60u
#define LEAST_DIMMED 20000u
#define LEAST_FOOT 1000u /* pixels, at the foot of a tooltip */

static size_t n_different(const uint8_t *a, const uint8_t *b)
{
    size_t n = 0;
    for (size_t i = 0; i < BYTES; i += 4)
        n += memcmp(a + i, b + i, 4) != 0;
    return n;
}

/* The longest exact call of the first lane that is not its outermost. */
static uint32_t box_to_hover(const struct rv_view *view)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < view->lanes[0].n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        bool is_better = best == 0 || box->duration_ns > view->boxes[best].duration_ns;
        if (box->coverage == RV_BOX_EXACT && box->depth == 1 && is_better)
            best = i;
    }
    return best;
}

static void check_view(struct canvas *canvas, struct rv_scene_frame frame)
{
    const char *name = rv_view_mode_get(frame.look)->name;
    uint32_t box = box_to_hover(frame.view);
    struct rv_highlight highlight = {.id = frame.view->boxes[box].id, .box = box};
    uint8_t *before = rv_alloc(BYTES, 1);
    canvas_draw(canvas, frame);
    memcpy(before, canvas->rgba, BYTES);
    frame.highlight = &highlight;
    canvas_draw(canvas, frame);
    size_t n = n_different(before, canvas->rgba);
    canvas_check(n >= LEAST_OUTLINED && n <= MOST_OUTLINED, "pixels that change when it is hovered", name, (double)n);
    highlight.is_pinned = true;
    canvas_draw(canvas, frame);
    n = n_different(before, canvas->rgba);
    canvas_check(n >= LEAST_DIMMED, "pixels that change when it is pinned", name, (double)n);
    free(before);
}

/* Pixels of a tooltip with this foot. */
static size_t count_tooltip(struct canvas *canvas, struct rv_scene_frame frame, const char *foot)
{
    struct rv_tooltip tooltip = {.at = {100.0f, 300.0f}, .title = "GC", .foot = foot};
    uint8_t *before = rv_alloc(BYTES, 1);
    canvas_draw(canvas, frame);
    memcpy(before, canvas->rgba, BYTES);
    frame.tooltip = &tooltip;
    canvas_draw(canvas, frame);
    const size_t n = n_different(before, canvas->rgba);
    free(before);
    return n;
}

int main(void)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    canvas_init(&canvas, WIDTH_PX, HEIGHT_PX);
    synthetic_init(&synthetic, ORIGIN_NS, 300000000);
    synthetic_view(&synthetic, &view, ORIGIN_NS + 10000000, ORIGIN_NS + 110000000);
    for (int i = 0; i < RV_VIEW_MODE_TOP; i++)
        check_view(&canvas, (struct rv_scene_frame){.view = &view,
                                                    .subroutines = synthetic.subroutines,
                                                    .origin_ns = ORIGIN_NS,
                                                    .now_ns = view.to_ns,
                                                    .look = (enum rv_view_mode)i,
                                                    .look_from = (enum rv_view_mode)i});
    const struct rv_scene_frame frame = {.view = &view, .subroutines = synthetic.subroutines};
    const size_t n_without = count_tooltip(&canvas, frame, ""), n_with = count_tooltip(&canvas, frame, "click");
    canvas_check(n_without > 0 && n_without + LEAST_FOOT <= n_with, "pixels of a foot without text", "3d",
                 (double)n_with - (double)n_without);
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    canvas_fini(&canvas);
    return canvas_n_failed ? 1 : 0;
}
