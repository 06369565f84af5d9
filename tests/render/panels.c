/*
 * Every panel at scales of 100, 200 and 300 % in windows of three sizes: it opens, lies within the window, has room for a line at
 * least, hides nothing that cannot be scrolled to, and covers no other at the edges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "panel_rects.h"
#include "window_steps.h"

#include "base/clock.h"
#include "viewer/settings.h"

#define KEY_NS (1000 * MS)
#define ESCAPE_NS (300 * MS)

enum { MOST_RECTS = 64, LEAST_WIDTH = 60, LEAST_HEIGHT = 30, SLACK = 2, HIDDEN_SLACK = 10 };
/* Least size in points of a window with these beside the picture. */
enum { LEGEND = 760, COLUMN = 900, COLUMN_HEIGHT = 420 };

static const struct panel {
    const char *name; /* of its window */
    SDL_Scancode key;
    Uint16 modifiers;
    bool is_kept;    /* it is not closed before the next */
    int least_width; /* of a window with room for it beside the picture, points; 0: it is not there */
} PANELS[] = {
    {"legend", SDL_SCANCODE_UNKNOWN, 0, true, LEGEND}, /* open from the beginning */
    {"statistics", SDL_SCANCODE_I, 0, true},
    {"statistics", SDL_SCANCODE_O, 0, true}, /* its next page */
    {"statistics", SDL_SCANCODE_O, 0, true},
    {"statistics", SDL_SCANCODE_O, 0, true},
    {"statistics", SDL_SCANCODE_O, 0, true},
    {"statistics", SDL_SCANCODE_O, 0, true},
    {"statistics", SDL_SCANCODE_J, 0, true}, /* with the calls of a row */
    {"statistics", SDL_SCANCODE_O, KMOD_LSHIFT, true},
    {"inspector", SDL_SCANCODE_RETURN, 0, true, COLUMN}, /* of the row's longest call */
    {"critical path", SDL_SCANCODE_R, 0, true, COLUMN},
    {"menu", SDL_SCANCODE_F10, KMOD_LSHIFT, false},
    {"search", SDL_SCANCODE_SLASH, 0, false}, /* with what is open; of all, it is closed last */
    {"threads", SDL_SCANCODE_T, 0, false},
    {"waits", SDL_SCANCODE_F9, 0, true},
    {"search", SDL_SCANCODE_SLASH, 0, false},
    {"debugger", SDL_SCANCODE_F8, 0, false},
    {"settings", SDL_SCANCODE_F2, 0, false},
    {"help", SDL_SCANCODE_F1, 0, false},
    {"commands", SDL_SCANCODE_P, KMOD_LCTRL, false},
    {"Go to", SDL_SCANCODE_G, 0, false},
    {"Note", SDL_SCANCODE_M, KMOD_LCTRL, false},
};
enum { N_PANELS = sizeof PANELS / sizeof *PANELS, PER_PANEL = 3 };

static struct {
    int width_px, height_px, scale;
    unsigned n_bad;
    uint64_t n_frames, pressed_ns, escaped_ns; /* when a key was pressed last */
} now;

static void complain(const struct panel *panel, const struct panel_rect *rect, const char *what)
{
    printf("%d x %d at %d %%, %s: '%s' %.0f,%.0f to %.0f,%.0f: %s\n", now.width_px, now.height_px, now.scale * 100,
           panel->name, rect->name, (double)rect->left, (double)rect->top, (double)rect->right, (double)rect->bottom,
           what);
    now.n_bad++;
}

static bool do_overlap(const struct panel_rect *a, const struct panel_rect *b)
{
    return a->left + SLACK < b->right && b->left + SLACK < a->right && a->top + SLACK < b->bottom &&
           b->top + SLACK < a->bottom;
}

static void check_one(const struct panel *panel, const struct panel_rect *rect)
{
    char text[64];
    const float width = (float)now.width_px / (float)now.scale, height = (float)now.height_px / (float)now.scale;
    if (!rect->is_child &&
        (rect->left < -SLACK || rect->top < -SLACK || rect->right > width + SLACK || rect->bottom > height + SLACK))
        complain(panel, rect, "is not within the window");
    if (!rect->is_child && (rect->right - rect->left < LEAST_WIDTH || rect->bottom - rect->top < LEAST_HEIGHT))
        complain(panel, rect, "has no room");
    (void)snprintf(text, sizeof text, "%.0f points below and %.0f at the right are out of reach",
                   (double)rect->hidden_below, (double)rect->hidden_right);
    if (rect->hidden_below > HIDDEN_SLACK || rect->hidden_right > HIDDEN_SLACK)
        complain(panel, rect, text);
}

static void check(const struct panel *panel)
{
    struct panel_rect rects[MOST_RECTS];
    const size_t n = panel_rects_find(rects, MOST_RECTS);
    for (size_t i = 0; i < n; i++) {
        check_one(panel, &rects[i]);
        for (size_t j = 0; j < i; j++)
            if (rects[i].is_docked && rects[j].is_docked && !rects[i].is_child && !rects[j].is_child &&
                do_overlap(&rects[i], &rects[j]))
                complain(panel, &rects[i], rects[j].name);
    }
}

static bool is_open(const struct panel *panel)
{
    struct panel_rect rects[MOST_RECTS];
    const size_t n = panel_rects_find(rects, MOST_RECTS);
    bool is_there = false;
    for (size_t i = 0; i < n; i++)
        is_there |= strcmp(rects[i].name, panel->name) == 0;
    return is_there;
}

static bool has_room(const struct panel *panel)
{
    return !panel->least_width ||
           (now.width_px / now.scale >= panel->least_width && now.height_px / now.scale >= COLUMN_HEIGHT);
}

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    if (!state->viewer->live_edge.is_done || !state->is_settled || steps->step > N_PANELS * PER_PANEL)
        return false;
    if (steps->step == N_PANELS * PER_PANEL) {
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    const struct panel *panel = &PANELS[steps->step / PER_PANEL];
    switch (steps->step % PER_PANEL) {
    case 0:
        now.n_frames = state->n_frames;
        now.pressed_ns = rv_clock_mono_ns();
        user_press(panel->key, panel->modifiers);
        return true;
    case 1: /* a frame after the key, where that changes anything */
        if (state->n_frames == now.n_frames && rv_clock_mono_ns() - now.pressed_ns < KEY_NS)
            return false;
        if (!is_open(panel) && has_room(panel))
            return false;
        check(panel);
        now.escaped_ns = 0;
        return true;
    default: /* a field with a cursor takes the first one */
        if (panel->is_kept || !is_open(panel))
            return true;
        if (rv_clock_mono_ns() - now.escaped_ns > ESCAPE_NS) {
            now.escaped_ns = rv_clock_mono_ns();
            user_press(SDL_SCANCODE_ESCAPE, 0);
        }
        return false;
    }
}

static int try_window(int width_px, int height_px, int scale)
{
    struct rv_settings settings;
    rv_settings_init(&settings);
    settings.scale_percent = 100 * (unsigned)scale;
    settings.look = RV_VIEW_MODE_FLAME;
    struct window_steps steps = {.act = step, .window = {.settings = &settings}};
    now.width_px = width_px;
    now.height_px = height_px;
    now.scale = scale;
    return window_steps_run(&steps, width_px, height_px, N_PANELS * PER_PANEL + 1);
}

int main(void)
{
    static const int sizes[][2] = {{800, 600}, {1280, 720}, {1600, 900}};
    int failed = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int scale = 1; scale <= 3; scale++)
            failed |= try_window(sizes[i][0], sizes[i][1], scale);
    return failed || now.n_bad != 0;
}
