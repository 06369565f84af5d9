/*
 * Panel buttons with effects outside the window, pressed by synthetic events: a range is exported, a name goes
 * to the clipboard, a line is opened in the editor; and a call's menu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "window_steps.h"

#define WIDTH 1200
#define HEIGHT 800
/* Distances from the right and the lower edge. Panels of the right column grow with their text, so the mouse searches
 * that column for a button from above. */
#define SAVE_RIGHT 120
#define CLOSE_RIGHT 38
#define HEAD_BOTTOM 322
#define COPY_RIGHT 190
#define EDIT_RIGHT 116
#define UNPIN_RIGHT 62
#define COLUMN_FIRST 190
#define COLUMN_LAST 520
#define COLUMN_STEP 9 /* less than a button is high */
#define MENU_RIGHT 60 /* from the mouse */
#define MENU_LIST 120 /* the row that lists all calls, down from the mouse */

static char folder[] = "/tmp/ringviz-buttons-XXXXXX";

static void write_file(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0 || chmod(path, mode) != 0) {
        perror(path);
        exit(1);
    }
}

/* All text of a file; "" when there is no such file. */
static const char *content(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
    return text;
}

static unsigned n_lines(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void press_in_head(int right)
{
    window_steps_click((int[2]){WIDTH - right, HEIGHT - HEAD_BOTTOM}, 1);
}

static void press_in_column(int right)
{
    for (int y = COLUMN_FIRST; y < COLUMN_LAST; y += COLUMN_STEP)
        window_steps_click((int[2]){WIDTH - right, y}, 1);
}

static void face(const struct rv_window_state *state, uint64_t time_ns, int out[2])
{
    float low[2] = {0}, high[2] = {0};
    rv_scene_project(state->scene, &(struct rv_scene_place){time_ns, 0, 1}, low);
    rv_scene_project(state->scene, &(struct rv_scene_place){time_ns, 0, 2}, high);
    out[0] = (int)low[0];
    out[1] = (int)(0.5f * (low[1] + high[1]));
}

static bool range_steps(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_range_ns *selected = &state->viewer->selected;
    int at[2];
    switch (steps->step) {
    case 0:
        if (!rv_session_is_done(steps->session) || state->view->n_boxes != N_INNER + 1 || !state->is_settled)
            return false;
        face(state, ended_program_inner_start(1) + 5 * MS, at);
        user_move(at);
        user_button(SDL_BUTTON_LEFT, at, true, 1);
        face(state, ended_program_inner_start(2) + 5 * MS, at);
        user_move(at);
        user_button(SDL_BUTTON_LEFT, at, false, 1);
        return true;
    case 1:
        if (!rv_viewer_statistics_range(&state->viewer->statistics) || !state->is_settled)
            return false;
        press_in_head(SAVE_RIGHT);
        press_in_head(SAVE_RIGHT);
        return true;
    case 2: /* each time a file of its own */
        if (n_lines(content("ringviz-range-2.csv")) != 3)
            return false;
        window_steps_check(steps, n_lines(content("ringviz-range-1.csv")) == 3, content("ringviz-range-1.csv"));
        window_steps_check(steps, strstr(content("ringviz-range-1.csv"), "Inner::step"),
                           "the inner calls are not in the file");
        window_steps_check(steps, strstr(content("ringviz-range-1.csv"), "Outer::loop"),
                           "the outer call is not in the file");
        window_steps_check(steps, access("ringviz-range-3.csv", F_OK) != 0, "a file too much");
        press_in_head(CLOSE_RIGHT);
        return true;
    case 3:
        return selected->to_ns <= selected->from_ns && state->is_settled;
    }
    return false;
}

static void menu_place(const struct rv_window_state *state, int out[2])
{
    face(state, ended_program_inner_start(1) + 10 * MS, out);
}

static void open_menu(const struct rv_window_state *state)
{
    int at[2];
    menu_place(state, at);
    user_move(at);
    user_button(SDL_BUTTON_RIGHT, at, true, 1);
    user_button(SDL_BUTTON_RIGHT, at, false, 1);
}

static bool call_steps(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer_subroutine_calls *calls = &state->viewer->statistics.calls;
    const struct rv_hover *hover = &state->viewer->pointer.hover;
    int at[2];
    switch (steps->step) {
    case 4:
        SDL_SetClipboardText("");
        face(state, ended_program_inner_start(1) + 10 * MS, at);
        window_steps_click(at, 1);
        return true;
    case 5:
        if (!hover->is_pinned || hover->box.id != 2 || !state->is_settled)
            return false;
        press_in_column(COPY_RIGHT);
        return true;
    case 6: {
        char *text = SDL_GetClipboardText();
        bool is_copied = strcmp(text, "Inner::step") == 0;
        SDL_free(text);
        if (!is_copied)
            return false;
        window_steps_check(steps, hover->is_pinned && !*content("edited"), "another button was pressed");
        press_in_column(EDIT_RIGHT);
        return true;
    }
    case 7:
        if (!*content("edited"))
            return false;
        window_steps_check(steps, strcmp(content("edited"), "--wait +2 ./past.c\n") == 0, content("edited"));
        window_steps_check(steps, hover->is_pinned, "it is pinned no more");
        press_in_column(UNPIN_RIGHT);
        return true;
    case 8:
        if (hover->is_pinned || !state->is_settled)
            return false;
        open_menu(state);
        return true;
    case 9:
        if (state->viewer->panels.menu != RV_MENU_OF_CALL || !state->is_settled)
            return false;
        window_steps_check(steps, hover->is_pinned && hover->box.id == 2, "the menu is of another call");
        menu_place(state, at);
        window_steps_click((int[2]){at[0] + MENU_RIGHT, at[1] + MENU_LIST}, 1);
        return true;
    case 10:
        if (!calls->is_on || calls->id != 2 || state->viewer->statistics.scope == RV_SCOPE_CLOSED || !state->is_settled)
            return false;
        window_steps_check(steps, state->viewer->panels.menu == RV_MENU_CLOSED, "a choice leaves the menu open");
        window_steps_check(steps, state->viewer->statistics.tab == RV_STATISTICS_LIST, "the list is on another page");
        open_menu(state);
        return true;
    case 11: /* one step out at a time */
        if (state->viewer->panels.menu != RV_MENU_OF_CALL || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 12:
        if (state->viewer->panels.menu != RV_MENU_CLOSED || !state->is_settled)
            return false;
        window_steps_check(steps, hover->is_pinned, "the menu's end unpins its call");
        user_press(SDL_SCANCODE_ESCAPE, 0);
        user_press(SDL_SCANCODE_ESCAPE, 0);
        return true;
    case 13: /* the keys of the window are so while something is typed, too */
        if (hover->is_pinned || state->viewer->statistics.scope != RV_SCOPE_CLOSED || !state->is_settled)
            return false;
        user_press(SDL_SCANCODE_SLASH, 0);
        return true;
    case 14:
        if (!state->viewer->panels.has_search || !state->is_settled)
            return false;
        user_type("q");
        return true;
    case 15:
        if (strcmp(state->viewer->search.find, "q") != 0)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    return steps->step < 4 ? range_steps(steps, state) : call_steps(steps, state);
}

int main(void)
{
    struct window_steps steps = {.act = act};
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    write_file("editor", "#!/bin/sh\necho \"$*\" >writing && mv writing edited\n", 0700);
    write_file("past.c", "void step(void)\n{\n}\n", 0600);
    setenv("EDITOR", "./editor --wait", 1);
    unsetenv("VISUAL");
    int failed = window_steps_run(&steps, WIDTH, HEIGHT, 16);
    for (const char *const *name =
             (const char *const[]){"editor", "past.c", "edited", "ringviz-range-1.csv", "ringviz-range-2.csv", NULL};
         *name; name++)
        unlink(*name);
    rmdir(folder);
    return failed;
}
