/*
 * scripts [OUT.png of the picture, OUT.png of a panel]
 *
 * Names in many scripts, in the picture's views and in a panel: each is drawn, and none as another or as boxes. With
 * little time for a frame, all of them come in the end, and the picture is then as with all the time. Callers whose long
 * names differ at their ends look different beside the pinned call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "canvas.h"
#include "glyphs/fonts.h"
#include "render/png.h"
#include "ui/inspector.h"
#include "ui/ui.h"

#define WIDTH 1100
#define HEIGHT 620
#define WINDOW_NS 100000000u
#define FRAMES_MAX 10000

static const struct {
    const char *name;
    uint32_t codepoint; /* one that a font must have */
} names[] = {
    {"□□□□□□", 0x25a1},           {"Пример::привет", 0x43f},
    {"Ελλάδα::λόγος", 0x3bb},     {"שלום::עולם", 0x5e9},
    {"مرحبا::بالعالم", 0x645},    {"नमस्ते::क्षत्रिय", 0x915},
    {"สวัสดี::ที่นี่", 0xe01},          {"中文::你好世界", 0x4e2d},
    {"日本::こんにちは", 0x3053}, {"cafe\u0301::x\u0323\u0308", 0x301},
    {"Foo::שלום_bar", 0x5e9},
};

#define N (sizeof names / sizeof *names)

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, what);
    return 1;
}

static int check_fonts(void)
{
    struct rv_fonts *fonts = rv_fonts_create();
    struct rv_face *face;
    int failed = 0;
    for (size_t i = 0; i < N; i++)
        if (rv_fonts_find(fonts, RV_TYPEFACE_LABEL, &names[i].codepoint, 1, true, &face) != RV_FONTS_FOUND)
            failed |= fail("no font; are the packages for tests installed?", names[i].name);
    rv_fonts_destroy(fonts);
    return failed;
}

/* A thread of one row: a call of each of n subroutines from the first on. */
static void fill(struct rv_view *view, uint32_t first, uint32_t n)
{
    view->from_ns = 0;
    view->to_ns = WINDOW_NS;
    view->n_processes = view->n_lanes = 1;
    view->lanes = rv_vec_reserve(view->lanes, &view->lanes_capacity, 1, sizeof *view->lanes);
    view->boxes = rv_vec_reserve(view->boxes, &view->boxes_capacity, n, sizeof *view->boxes);
    view->lanes[0] = (struct rv_view_lane){.n_boxes = n, .max_depth = n, .n_members = 1};
    view->n_boxes = n;
    for (uint32_t i = 0; i < n; i++)
        view->boxes[i] = (struct rv_box){0, WINDOW_NS, first + i, 1, i, UINT16_MAX, 0};
}

static uint64_t hash_of(const struct canvas *canvas)
{
    return rv_hash_bytes(canvas->rgba, (size_t)WIDTH * HEIGHT * 4);
}

/* The pictures of all names must have different hashes. */
static int compare(const uint64_t hashes[N], const char *where)
{
    int failed = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < i; k++)
            if (hashes[i] == hashes[k])
                failed |= fail(where, names[i].name);
    return failed;
}

static int check_view(struct canvas *canvas, struct rv_scene_frame frame, struct rv_view *view, enum rv_view_mode look)
{
    uint64_t hashes[N];
    frame.look = frame.look_from = look;
    for (uint32_t i = 0; i < N; i++) {
        fill(view, 1 + i, 1);
        canvas_draw(canvas, frame);
        hashes[i] = hash_of(canvas);
    }
    return compare(hashes, "drawn as another name");
}

/* In a new scene, which has shaped no line yet. */
static int check_late(struct canvas *canvas, struct rv_scene_frame frame)
{
    int n_frames = 0;
    frame.text_ns = 1;
    do
        canvas_draw(canvas, frame);
    while (rv_scene_lacks_text(canvas->scene) && ++n_frames < FRAMES_MAX);
    const uint64_t late = hash_of(canvas);
    frame.text_ns = 0;
    canvas_draw(canvas, frame);
    if (n_frames < (int)N || hash_of(canvas) != late)
        return fail("frames with little time do not end with the whole picture", "text_ns");
    return 0;
}

static int check_picture(struct canvas *canvas, const char *path)
{
    struct rv_view view = {0};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    for (uint32_t i = 0; i < N; i++)
        rv_subroutines_define(subroutines, 1 + i, "", names[i].name, "", 0);
    struct rv_scene_frame frame = {.view = &view, .subroutines = subroutines, .scheme = RV_COLOR_DARK, .scale = 1.0};
    fill(&view, 1, N);
    int failed = check_late(canvas, frame);
    if (path)
        failed |= rv_png_write(path, canvas->rgba, WIDTH, HEIGHT) != 0;
    failed |= check_view(canvas, frame, &view, RV_VIEW_MODE_3D);
    failed |= check_view(canvas, frame, &view, RV_VIEW_MODE_FLAME);
    rv_subroutines_destroy(subroutines);
    free(view.lanes);
    free(view.boxes);
    return failed;
}

/* Show a name in all ways in which panels do: as a text, cut, on a button, in a field. */
static void show_name(const char *name)
{
    char typed[64], cut[64];
    snprintf(typed, sizeof typed, "%s", name);
    rv_ui_fit_name(RV_IMGUI_FONT_BOLD, name, 60.0f, cut, sizeof cut);
    rv_imgui_push_id((uint32_t)rv_hash_bytes(name, strlen(name)));
    rv_imgui_text(RV_IMGUI_FONT_TEXT, 0xffffffff, name);
    rv_imgui_same_line(200.0f - rv_imgui_text_width(RV_IMGUI_FONT_TEXT, name));
    rv_imgui_text(RV_IMGUI_FONT_BOLD, 0xffd060ff, cut);
    rv_imgui_same_line(100.0f - rv_imgui_text_width(RV_IMGUI_FONT_BOLD, cut));
    (void)rv_imgui_button(name, 180.0f, false);
    rv_imgui_same_line(20.0f);
    (void)rv_imgui_input("##typed", "", 200.0f, typed, sizeof typed, false);
    rv_imgui_pop_id();
}

static void draw_panel(struct rv_ui *ui, struct canvas *canvas, size_t first, size_t n)
{
    glViewport(0, 0, WIDTH, HEIGHT);
    glClearColor(0.0f, 0.0f, 0.0f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int pass = 0; pass < 3; pass++) { /* what is typed takes a second one */
        rv_ui_begin(ui, &(struct rv_ui_surface){WIDTH, HEIGHT, 1.0, 1.0, RV_COLOR_DARK, 0});
        rv_imgui_panel_begin("names", (struct rv_imgui_area){10, 10, WIDTH - 20, HEIGHT - 20}, 0);
        for (size_t i = first; i < first + n; i++)
            show_name(names[i].name);
        rv_imgui_text_wrapped(RV_IMGUI_FONT_TEXT, 0xc0c0c0ff, names[first].name);
        rv_imgui_panel_end();
        (void)rv_ui_end(ui);
    }
    rv_ui_draw(ui);
    rv_scene_read_pixels(WIDTH, HEIGHT, canvas->rgba);
}

static int check_panel(struct canvas *canvas, const char *path)
{
    uint64_t hashes[N];
    struct rv_ui *ui;
    if (rv_ui_create(&ui))
        return 1;
    for (size_t i = 0; i < N; i++) {
        draw_panel(ui, canvas, i, 1);
        hashes[i] = hash_of(canvas);
    }
    int failed = compare(hashes, "in a panel, shown as another name");
    draw_panel(ui, canvas, 0, N);
    if (path)
        failed |= rv_png_write(path, canvas->rgba, WIDTH, HEIGHT) != 0;
    rv_ui_destroy(ui);
    return failed;
}

static uint32_t white(const void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return 0xffffffff;
}

/* The pinned call and the one that called it. */
static uint64_t hash_of_caller(struct rv_ui *ui, struct canvas *canvas, const char *name)
{
    static const struct rv_span calls[] = {{.start = 20, .end = 30, .id = 2, .depth = 1},
                                           {.start = 10, .end = 40, .id = 1, .depth = 0}};
    struct rv_ui_acts acts = {0};
    struct rv_subroutines *subroutines = rv_subroutines_create();
    struct rv_lanes *lanes = rv_lanes_create();
    struct rv_lane *lane = rv_lanes_add(lanes, &(struct rv_lane_identity){.tid = 1, .name = "main"});
    rv_subroutines_define(subroutines, 1, "", name, "", 0);
    rv_subroutines_define(subroutines, 2, "", "callee", "", 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        rv_timeline_add(lane->timeline, &calls[i], 1);
    lane->last_ns = 40;
    struct rv_range_statistics *range = rv_range_statistics_create(
        &(struct rv_range_statistics_params){.from_ns = 1, .to_ns = 50, .lanes = lanes, .subroutines = subroutines});
    rv_range_statistics_measure(range);
    struct rv_inspector shown = {.title = "callee", .range = range, .subroutines = subroutines, .rgba = white};
    size_t n;
    const struct rv_range_node *nodes = rv_range_statistics_nodes(range, &n);
    for (uint32_t i = 1; i < n; i++)
        shown.node = nodes[i].id == 2 ? i : shown.node;
    glClear(GL_COLOR_BUFFER_BIT);
    rv_ui_begin(ui, &(struct rv_ui_surface){WIDTH, HEIGHT, 1.0, 1.0, RV_COLOR_DARK, 0});
    rv_inspector_show(ui, &shown, &acts);
    (void)rv_ui_end(ui);
    rv_ui_draw(ui);
    rv_scene_read_pixels(WIDTH, HEIGHT, canvas->rgba);
    rv_range_statistics_destroy(range);
    rv_lanes_destroy(lanes);
    rv_subroutines_destroy(subroutines);
    return shown.node ? hash_of(canvas) : 0;
}

static int check_callers(struct canvas *canvas)
{
    struct rv_ui *ui;
    if (rv_ui_create(&ui))
        return 1;
    (void)hash_of_caller(ui, canvas, "first"); /* a panel takes its place in a first pass */
    const uint64_t one = hash_of_caller(ui, canvas, "Some::Package::With::A::Long::Name::Of::Its::Own#tokenize");
    const uint64_t other = hash_of_caller(ui, canvas, "Some::Package::With::A::Long::Name::Of::Its::Own#parse");
    rv_ui_destroy(ui);
    if (!one || one == other)
        return fail("shown as another name beside the pinned call", "tokenize");
    return 0;
}

int main(int argc, char **argv)
{
    struct canvas canvas;
    canvas_init(&canvas, WIDTH, HEIGHT);
    int failed = check_fonts();
    failed |= check_picture(&canvas, argc > 2 ? argv[1] : NULL);
    failed |= check_panel(&canvas, argc > 2 ? argv[2] : NULL);
    failed |= check_callers(&canvas);
    canvas_fini(&canvas);
    return failed;
}
