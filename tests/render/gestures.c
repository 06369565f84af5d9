/*
 * A window with panels, used by pushed events: each key and gesture is checked by the state that it changes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window_steps.h"

#define WIDTH 1200
#define HEIGHT 600
#define STRIP_X 202 /* of the minimap, behind the time bar's buttons */
#define STRIP_Y (HEIGHT - 25)
#define LEGEND_X (WIDTH - 150)
#define LEGEND_Y 88 /* of its first row */
#define HIDE_X 24   /* the first row of the list of threads, above the minimap */
#define PIN_X 62
#define THREAD_X 130
#define THREAD_Y (HEIGHT - 75)
#define FIND_X 320 /* its field */
#define FIND_Y (HEIGHT - 122)
#define SCREENSHOT "ringviz-picture-1.png"

static uint64_t origin_ns;

/* A keyboard sends what a key types right after it, before the key is released. */
static void press(SDL_Scancode scancode, unsigned mod)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    SDL_Event typed = {.text = {.type = SDL_TEXTINPUT, .text = "g"}};
    event.key.keysym = (SDL_Keysym){.scancode = scancode, .mod = (Uint16)mod};
    SDL_PushEvent(&event);
    if (scancode == SDL_SCANCODE_G)
        SDL_PushEvent(&typed);
    event.key.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
}

static void move(int x, int y)
{
    user_move((int[2]){x, y});
}

static void button(int x, int y, unsigned which, bool is_down)
{
    user_button(which, (int[2]){x, y}, is_down, 1);
}

static void click(int x, int y, unsigned which)
{
    move(x, y);
    button(x, y, which, true);
    button(x, y, which, false);
}

struct user {
    struct window_steps steps;
    uint64_t from_ns, to_ns; /* to come back to */
    double share;            /* of the cursor */
};

static void check(struct user *user, bool is_right, const char *what)
{
    window_steps_check(&user->steps, is_right, what);
}

static bool is_middle(const struct rv_window_state *state, uint64_t ns, double tolerance)
{
    double middle = 0.5 * ((double)(int64_t)(state->from_ns - origin_ns) + (double)(int64_t)(state->to_ns - origin_ns));
    return fabs(middle - (double)(ns - origin_ns)) <= tolerance * (double)(state->to_ns - state->from_ns);
}

/* Each step waits for the effect of the one before, then does the next thing. True when it has. */
static bool key_steps(struct user *user, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    switch (user->steps.step) {
    case 0:
        if (!viewer->live_edge.is_done || state->from_ns != origin_ns || state->view->n_boxes != N_INNER + 1)
            return false;
        press(SDL_SCANCODE_3, 0);
        return true;
    case 1:
        if (viewer->look.shown != RV_VIEW_MODE_FLAME)
            return false;
        press(SDL_SCANCODE_F1, 0);
        return true;
    case 2:
        if (!viewer->panels.has_help)
            return false;
        press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 3:
        if (viewer->panels.has_help)
            return false;
        press(SDL_SCANCODE_C, 0);
        press(SDL_SCANCODE_MINUS, 0);
        press(SDL_SCANCODE_MINUS, 0);
        press(SDL_SCANCODE_MINUS, 0);
        return true;
    case 4:
        if (viewer->look.scheme != RV_COLOR_SUBROUTINE || rv_scene_row_height(state->scene, 0) > 14.0 ||
            rv_scene_row_height(state->scene, 0) <= 0.0)
            return false;
        press(SDL_SCANCODE_PAGEUP, KMOD_LSHIFT); /* rows too low to read become taller */
        press(SDL_SCANCODE_F3, 0);
        press(SDL_SCANCODE_F4, 0);
        return true;
    case 5:
        if (viewer->settings.has_legend || viewer->settings.has_minimap || viewer->look.awaited.is_on ||
            rv_scene_row_height(state->scene, 0) < 15.0)
            return false;
        press(SDL_SCANCODE_F3, 0);
        press(SDL_SCANCODE_F4, 0);
        press(SDL_SCANCODE_F2, 0);
        return true;
    case 6:
        if (!viewer->settings.has_minimap || !viewer->panels.has_settings)
            return false;
        press(SDL_SCANCODE_ESCAPE, 0);
        for (int i = 0; i < RV_COLOR_PLAIN_SCHEMES - 1; i++)
            press(SDL_SCANCODE_C, 0);
        return true;
    }
    return false;
}

static bool time_steps(struct user *user, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    double width_ns = (double)(state->to_ns - state->from_ns);
    switch (user->steps.step) {
    case 7:
        if (viewer->panels.has_settings || viewer->look.scheme != RV_COLOR_PACKAGE || !state->is_settled)
            return false;
        move(500, 300);
        user->share = rv_scene_share_at(state->scene, 500.0, 300.0);
        user->from_ns = state->from_ns;
        user->to_ns = state->to_ns;
        press(SDL_SCANCODE_W, 0);
        return true;
    case 8: /* the time under the cursor stays there */
        if (state->to_ns - state->from_ns == user->to_ns - user->from_ns || !state->is_settled)
            return false;
        check(user,
              fabs((double)(state->from_ns - user->from_ns) + user->share * width_ns -
                   user->share * (double)(user->to_ns - user->from_ns)) < width_ns / WIDTH,
              "the time under the cursor has moved");
        press(SDL_SCANCODE_LEFT, KMOD_LALT);
        return true;
    case 9:
        if (state->from_ns != user->from_ns || state->to_ns != user->to_ns)
            return false;
        press(SDL_SCANCODE_RIGHT, KMOD_LALT);
        return true;
    case 10:
        if (state->from_ns == user->from_ns)
            return false;
        press(SDL_SCANCODE_G, 0);
        return true;
    case 11:
        if (!viewer->panels.has_go_to || !state->is_settled)
            return false;
        user_type("soon");
        press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 12: /* a text that is not a time leaves the field open */
        if (!viewer->panels.is_entry_wrong || !state->is_settled)
            return false;
        check(user, viewer->panels.has_go_to, "the field has closed");
        press(SDL_SCANCODE_ESCAPE, 0);
        press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 13:
        if (viewer->panels.has_go_to || !state->is_settled)
            return false;
        press(SDL_SCANCODE_G, 0);
        return true;
    case 14:
        if (!viewer->panels.has_go_to || !state->is_settled)
            return false;
        user_type("40ms");
        press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 15:
        if (viewer->panels.has_go_to || !state->is_settled)
            return false;
        check(user, is_middle(state, origin_ns + 40 * MS, 0.001), "the window is not at the time it was sent to");
        press(SDL_SCANCODE_M, 0);
        return true;
    case 16:
        if (viewer->marks.n != 1)
            return false;
        press(SDL_SCANCODE_M, KMOD_LCTRL);
        return true;
    case 17: /* the note is the mark's at the cursor */
        if (!viewer->panels.has_note || !state->is_settled)
            return false;
        user_type("slow here");
        press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 18:
        if (viewer->panels.has_note || !state->is_settled)
            return false;
        check(user, viewer->marks.n == 1 && strcmp(viewer->marks.notes[0], "slow here") == 0, "the mark has no note");
        press(SDL_SCANCODE_D, 0);
        press(SDL_SCANCODE_M, KMOD_LSHIFT);
        return true;
    case 19:
        if (!is_middle(state, viewer->marks.ns[0], 0.001) || !state->is_settled)
            return false;
        press(SDL_SCANCODE_SPACE, 0);
        return true;
    case 20: /* it plays, or has come to the end: a frame may take as long */
        if (!viewer->playhead.is_on)
            return false;
        press(SDL_SCANCODE_END, 0);
        return true;
    }
    return false;
}

static bool mouse_steps(struct user *user, const struct rv_window_state *state)
{
    const struct rv_filter *filter = state->viewer->search.filter;
    int length = WIDTH - STRIP_X - 16;
    switch (user->steps.step) {
    case 21: /* the minimap: press, then drag */
        if (state->viewer->live_edge.is_frozen || !state->viewer->time_window.is_following || !state->is_settled)
            return false;
        move(STRIP_X + length / 4, STRIP_Y);
        button(STRIP_X + length / 4, STRIP_Y, SDL_BUTTON_LEFT, true);
        return true;
    case 22:
        if (!is_middle(state, origin_ns + 25 * MS, 0.01))
            return false;
        move(STRIP_X + length * 3 / 4, STRIP_Y);
        return true;
    case 23:
        if (!is_middle(state, origin_ns + 75 * MS, 0.01))
            return false;
        button(STRIP_X + length * 3 / 4, STRIP_Y, SDL_BUTTON_LEFT, false);
        move(STRIP_X, STRIP_Y);
        click(LEGEND_X, LEGEND_Y, SDL_BUTTON_LEFT);
        return true;
    case 24: /* the legend: alone, all, all but this */
        if (rv_filter_n_rules(filter) != 1 || !state->is_settled)
            return false;
        check(user, strcmp(rv_filter_text(filter, 0), "package:^Inner$") == 0, rv_filter_text(filter, 0));
        check(user, is_middle(state, origin_ns + 75 * MS, 0.01), "the released minimap moved the window");
        click(LEGEND_X, LEGEND_Y, SDL_BUTTON_LEFT);
        return true;
    case 25:
        if (rv_filter_n_rules(filter) || !state->is_settled)
            return false;
        click(LEGEND_X, LEGEND_Y, SDL_BUTTON_RIGHT);
        return true;
    case 26:
        if (rv_filter_n_rules(filter) != 1)
            return false;
        check(user, strcmp(rv_filter_text(filter, 0), "!package:^Inner$") == 0, rv_filter_text(filter, 0));
        press(SDL_SCANCODE_T, 0);
        return true;
    }
    return false;
}

static void check_command(struct user *user)
{
    static const char begin[] = "ringviz --view=flame --color=package --theme=dark --at=";
    char *command = SDL_GetClipboardText();
    check(user, strncmp(command, begin, strlen(begin)) == 0, command);
    SDL_free(command);
}

static bool is_png(const char *path)
{
    static const unsigned char magic[8] = "\x89PNG\r\n\x1a\n";
    unsigned char begin[sizeof magic] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(begin, 1, sizeof begin, file) : 0;
    if (file)
        (void)fclose(file);
    return n == sizeof begin && memcmp(begin, magic, sizeof magic) == 0;
}

/* The list of threads: hide, keep in front, come back by the name, close. */
static bool thread_steps(struct user *user, const struct rv_window_state *state)
{
    const struct rv_viewer *viewer = state->viewer;
    const struct rv_arranged_lane *lane = viewer->lane_order.lanes;
    switch (user->steps.step) {
    case 27:
        if (!viewer->panels.has_threads || !state->is_settled)
            return false;
        check(user, state->view->n_lanes == 1 && !lane->is_hidden && !lane->is_pinned, "the thread is not as it came");
        check(user, rv_scene_lane_at(state->scene, 600.0, THREAD_Y) == 1, "the picture is behind the list of threads");
        click(HIDE_X, THREAD_Y, SDL_BUTTON_LEFT);
        return true;
    case 28:
        if (!lane->is_hidden || state->view->n_lanes || !state->is_settled)
            return false;
        click(PIN_X, THREAD_Y, SDL_BUTTON_LEFT);
        return true;
    case 29:
        if (!lane->is_pinned || !state->is_settled)
            return false;
        check(user, lane->is_hidden, "who is kept in front is hidden no more");
        press(SDL_SCANCODE_T, KMOD_LSHIFT);
        click(THREAD_X, THREAD_Y, SDL_BUTTON_LEFT);
        return true;
    case 30:
        if (lane->is_hidden || state->view->n_lanes != 1 || !state->is_settled)
            return false;
        check(user, viewer->lane_order.sorted == RV_LANES_BY_NAME, "the threads are not sorted");
        click(FIND_X, FIND_Y, SDL_BUTTON_LEFT);
        user_type("past 42");
        click(HIDE_X, THREAD_Y, SDL_BUTTON_LEFT); /* no such thread: there is no row */
        click(FIND_X, FIND_Y, SDL_BUTTON_LEFT);
        press(SDL_SCANCODE_BACKSPACE, 0);
        press(SDL_SCANCODE_BACKSPACE, 0);
        click(HIDE_X, THREAD_Y, SDL_BUTTON_LEFT);
        return true;
    case 31:
        if (!lane->is_hidden || state->view->n_lanes || !state->is_settled)
            return false;
        press(SDL_SCANCODE_ESCAPE, 0);
        press(SDL_SCANCODE_P, KMOD_LCTRL);
        return true;
    case 32: /* go to a thread by its name */
        if (viewer->panels.has_threads || !viewer->panels.has_commands)
            return false;
        user_type("go main past");
        press(SDL_SCANCODE_RETURN, 0);
        return true;
    case 33:
        if (viewer->panels.has_commands || lane->is_hidden || state->view->n_lanes != 1 || !state->is_settled)
            return false;
        press(SDL_SCANCODE_C, KMOD_LCTRL);
        return true;
    case 34:
        if (viewer->wants_command || !SDL_HasClipboardText())
            return false;
        check_command(user);
        press(SDL_SCANCODE_S, KMOD_LCTRL);
        return true;
    case 35: /* a picture is written, and the window says so */
        if (viewer->wants_screenshot)
            return false;
        check(user, is_png(SCREENSHOT), "no picture was written");
        check(user, strcmp(viewer->message.text, SCREENSHOT " written") == 0, viewer->message.text);
        press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    struct user *user = (struct user *)steps;
    return steps->step < 7    ? key_steps(user, state)
           : steps->step < 21 ? time_steps(user, state)
           : steps->step < 27 ? mouse_steps(user, state)
                              : thread_steps(user, state);
}

int main(void)
{
    struct user user = {.steps = {.act = act, .window.file = "run.rvz"}};
    (void)remove("run.rvz.bookmarks"); /* of an earlier run */
    (void)remove(SCREENSHOT);
    origin_ns = ended_program_origin();
    return window_steps_run(&user.steps, WIDTH, HEIGHT, 36);
}
