/*
 * Who looks at a window alone learns what was printed on stderr: the first warning lies over the picture, whole, until it is
 * closed, then the next; one that comes when the capture has ended, too.
 */
#include <string.h>

#include "base/err.h"
#include "panel_rects.h"
#include "window_steps.h"

enum { WIDTH = 900, HEIGHT = 600, MOST_RECTS = 64, N_WARNINGS = 2 };

static void warn_at_end(void *context)
{
    (void)context;
    rv_warn("the second one, of a program that has ended");
}

static bool find(struct panel_rect *out)
{
    static struct panel_rect rects[MOST_RECTS];
    const size_t n = panel_rects_find(rects, MOST_RECTS);
    for (size_t i = 0; i < n && i < MOST_RECTS; i++)
        if (!strcmp(rects[i].name, "warning")) {
            *out = rects[i];
            return true;
        }
    return false;
}

static void close_one(const struct window_steps *steps)
{
    (void)steps;
    struct panel_rect rect;
    if (find(&rect))
        window_steps_click((int[2]){(int)rect.left + 40, (int)rect.bottom - 28}, 1);
}

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    struct panel_rect rect;
    const bool is_there = find(&rect);
    const unsigned n_closed = state->viewer->panels.n_warnings_closed;
    if (!state->is_settled || n_closed != steps->step || is_there != (steps->step < N_WARNINGS))
        return false;
    if (!is_there) {
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    window_steps_check(steps, rect.hidden_right <= 0.0f && rect.hidden_below <= 0.0f, "a warning is not seen whole");
    window_steps_check(steps, rect.right <= WIDTH && rect.bottom <= HEIGHT, "a warning is not in the window");
    close_one(steps);
    return true;
}

int main(void)
{
    rv_warn(
        "the first one: a program that was started cannot be traced, since %s; and as it is long, it takes %s",
        "nothing can be preloaded into one that is set-user-ID or set-group-ID or has capabilities: start a plain copy",
        "more than one line of any window: all of it can be read, with what can be done about it, to the last word");
    struct window_steps steps = {.act = step, .window = {.ended = warn_at_end}};
    return window_steps_run(&steps, WIDTH, HEIGHT, N_WARNINGS + 1);
}
