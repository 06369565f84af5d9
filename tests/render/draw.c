/*
 * Draws the synthetic program into a PNG file, for people:
 * draw OUT.png [FROM_MS WINDOW_MS [WIDTH HEIGHT [live|ended|noted [LOOK [X Y of the cursor]]]]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "viewer/tooltip_rows.h"
#include "base/vec.h"
#include "canvas.h"
#include "render/png.h"
#include "synthetic.h"

#define ORIGIN_NS 5000000000u

static double argument(int argc, char **argv, int idx, double otherwise)
{
    return argc > idx ? atof(argv[idx]) : otherwise;
}

struct pointed {
    struct rv_hover hover;
    struct rv_highlight highlight;
    struct rv_tooltip tooltip;
};

static void point(struct pointed *pointed, struct canvas *canvas, struct rv_scene_frame *frame, const float at_px[2])
{
    struct rv_pick_hit hit;
    struct rv_tooltip_rows_about about = {
        .subroutines = frame->subroutines, .zero_ns = frame->now_ns, .is_live = frame->is_live, .scale = 1.0};
    *pointed = (struct pointed){0};
    rv_scene_compose(canvas->scene, frame);
    rv_scene_place(canvas->scene, frame);
    if (!rv_scene_pick(canvas->scene, (double)at_px[0], (double)at_px[1], &hit))
        return;
    (void)rv_hover_move(&pointed->hover, frame->view, &hit, at_px);
    (void)rv_tooltip_rows_fill(&pointed->hover, &about, &pointed->tooltip);
    pointed->highlight = (struct rv_highlight){pointed->hover.box.id, pointed->hover.box_idx, true};
    frame->highlight = &pointed->highlight;
    frame->tooltip = &pointed->tooltip;
}

/* Notes of every kind on three lanes. */
static void add_notes(struct rv_view *view, struct rv_subroutines *subroutines)
{
    uint64_t step_ns = (view->to_ns - view->from_ns) / 200;
    rv_subroutines_define(subroutines, 9000, "", "queue length", "", 0);
    rv_subroutines_define(subroutines, 9001, "", "checkpoint", "", 0);
    view->notes = rv_vec_reserve(view->notes, &view->notes_capacity, view->n_notes + 1000, sizeof *view->notes);
    for (uint32_t lane = 1; lane < 4; lane++) {
        struct rv_view_lane *shown = &view->lanes[lane];
        shown->first_note = (uint32_t)view->n_notes;
        for (uint64_t i = 0; i < 200; i++) {
            struct rv_lane_note note = {.start_ns = view->from_ns + i * step_ns, .kind = RV_NOTE_VALUE, .id = 9000};
            note.end_ns = note.start_ns;
            note.value = (float)((i * i / 7 + i * lane) % 60);
            if (i % 9 == 4)
                note = (struct rv_lane_note){
                    note.start_ns, note.end_ns, RV_NOTE_STATE, (uint32_t)(i / 9 % 4), 0, 0, 0, 0, 0};
            if (i % 50 == 20 * lane % 50)
                note = (struct rv_lane_note){note.start_ns, note.end_ns, RV_NOTE_MARK, 9001, 0, 0, 0, 0, 0};
            if (i == 40 * lane)
                note =
                    (struct rv_lane_note){note.start_ns, note.end_ns + 9 * step_ns, RV_NOTE_LOST, 1234, 0, 0, 0, 0, 0};
            view->notes[view->n_notes++] = note;
        }
        shown->n_notes = (uint32_t)view->n_notes - shown->first_note;
    }
}

int main(int argc, char **argv)
{
    struct canvas canvas;
    struct synthetic synthetic;
    struct rv_view view = {0};
    uint64_t from_ns = ORIGIN_NS + (uint64_t)(1e6 * argument(argc, argv, 2, 10));
    uint64_t window_ns = (uint64_t)(1e6 * argument(argc, argv, 3, 100));
    enum rv_view_mode look = (enum rv_view_mode)argument(argc, argv, 7, 0);
    canvas_init(&canvas, (int)argument(argc, argv, 4, 1600), (int)argument(argc, argv, 5, 900));
    synthetic_init(&synthetic, ORIGIN_NS, from_ns + window_ns - ORIGIN_NS + 100000000);
    synthetic_view(&synthetic, &view, from_ns, from_ns + window_ns);
    if (argc > 6 && *argv[6] == 'n')
        add_notes(&view, synthetic.subroutines);
    struct rv_scene_frame frame = {.view = &view,
                                   .subroutines = synthetic.subroutines,
                                   .width_px = canvas.width_px,
                                   .height_px = canvas.height_px,
                                   .samples = 4,
                                   .now_ns = view.to_ns,
                                   .origin_ns = ORIGIN_NS,
                                   .is_live = argc > 6 && *argv[6] == 'l',
                                   .look = look,
                                   .look_from = look,
                                   .insets = {.top = 34.0f}};
    struct pointed pointed;
    if (argc > 9)
        point(&pointed, &canvas, &frame, (float[2]){(float)atof(argv[8]), (float)atof(argv[9])});
    canvas_draw(&canvas, frame);
    printf("%zu boxes, %llu folded\n", view.n_boxes, (unsigned long long)view.n_folded);
    int err = argc > 1 ? rv_png_write(argv[1], canvas.rgba, canvas.width_px, canvas.height_px) : 0;
    synthetic_view_fini(&view);
    synthetic_fini(&synthetic);
    canvas_fini(&canvas);
    return err ? 1 : 0;
}
