/*
 * A capture that has ended, played in a window by keys and by the time bar; checked by the window's state. The picture
 * at the playhead shows what had happened by then.
 */
#include "window_steps.h"

#define WIDTH 1200
#define HEIGHT 600
#define LENGTH (100 * MS)
#define TRACK_X 202 /* of the time bar */
#define TRACK_WIDTH (WIDTH - TRACK_X - 16)
#define TRACK_Y (HEIGHT - 45)
#define BUTTON_Y (HEIGHT - 38)
#define BACK_X 28 /* its buttons */
#define PLAY_X 70
#define CALM_TURNS 20

struct user {
    struct window_steps steps;
    unsigned n_calm;
    uint64_t at_ns;
};

/* Has the view the calls that had begun by at_ns, ended ones with their length, the others open up to that time? */
static bool is_picture_of(const struct rv_window_state *state, uint64_t at_ns)
{
    const struct rv_view *view = state->view;
    size_t n_wanted = 1;
    for (unsigned i = 0; i < N_INNER; i++)
        n_wanted += ended_program_inner_start(i) <= at_ns;
    if (view->n_boxes != n_wanted)
        return false;
    for (size_t i = 0; i < view->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        uint64_t end_ns = box->depth ? box->start_ns + 20 * MS : ended_program_origin() + LENGTH;
        bool is_open = end_ns > at_ns;
        if (box->duration_ns != (is_open ? at_ns : end_ns) - box->start_ns ||
            box->flags != (is_open ? RV_SPAN_OPEN : 0))
            return false;
    }
    return true;
}

static bool is_at(const struct rv_window_state *state, uint64_t ns)
{
    const struct rv_playhead *playhead = &state->viewer->playhead;
    return playhead->is_on && playhead->at_ns == ns && state->is_settled && is_picture_of(state, ns);
}

/* Within a pixel of the time bar. */
static bool is_near(const struct rv_window_state *state, uint64_t ns)
{
    uint64_t at_ns = state->viewer->playhead.at_ns, pixel_ns = LENGTH / TRACK_WIDTH + 1;
    return state->viewer->playhead.is_on && at_ns + pixel_ns >= ns && at_ns <= ns + pixel_ns && state->is_settled &&
           is_picture_of(state, at_ns);
}

/* Each step waits for the effect of the one before, then does the next thing. True when it has. */
static bool step_keys(struct user *user, const struct rv_window_state *state)
{
    const struct rv_playhead *playhead = &state->viewer->playhead;
    uint64_t origin_ns = ended_program_origin();
    switch (user->steps.step) {
    case 0: /* it plays by itself, slowly, from the chosen time */
        if (!playhead->is_playing || playhead->at_ns <= origin_ns + 5 * MS)
            return false;
        window_steps_check(&user->steps, playhead->at_ns < origin_ns + LENGTH, "it is at the end");
        window_steps_check(&user->steps, state->viewer->time_window.is_following, "the window does not follow");
        user_press(SDL_SCANCODE_SPACE, 0);
        return true;
    case 1:
        if (playhead->is_playing || !state->is_settled)
            return false;
        if (user->n_calm == 0)
            user->at_ns = playhead->at_ns;
        window_steps_check(&user->steps, playhead->at_ns == user->at_ns, "it moves while it pauses");
        window_steps_check(&user->steps, is_picture_of(state, user->at_ns), "the picture is not that of its time");
        if (user->n_calm++ < CALM_TURNS)
            return false;
        user_press(SDL_SCANCODE_HOME, 0);
        return true;
    case 2:
        if (!is_at(state, origin_ns))
            return false;
        user_press(SDL_SCANCODE_PERIOD, 0);
        return true;
    case 3:
        if (!is_at(state, ended_program_inner_start(0)))
            return false;
        user_press(SDL_SCANCODE_PERIOD, 0);
        return true;
    case 4:
        if (!is_at(state, ended_program_inner_start(0) + 20 * MS))
            return false;
        user_press(SDL_SCANCODE_COMMA, 0);
        return true;
    case 5:
        if (!is_at(state, ended_program_inner_start(0)))
            return false;
        for (unsigned i = 0; i < 12; i++)
            user_press(SDL_SCANCODE_PERIOD, KMOD_LSHIFT);
        return true;
    case 6:
        if (playhead->speed < 1.0)
            return false;
        user_press(SDL_SCANCODE_COMMA, KMOD_LSHIFT);
        return true;
    }
    return false;
}

static bool step_mouse(struct user *user, const struct rv_window_state *state)
{
    const struct rv_playhead *playhead = &state->viewer->playhead;
    uint64_t origin_ns = ended_program_origin();
    int quarter = TRACK_X + TRACK_WIDTH / 4, most = TRACK_X + TRACK_WIDTH * 4 / 5;
    switch (user->steps.step) {
    case 7:
        if (!state->is_settled)
            return false;
        user_move((int[2]){quarter, TRACK_Y});
        user_button(SDL_BUTTON_LEFT, (int[2]){quarter, TRACK_Y}, true, 1);
        return true;
    case 8:
        if (!is_near(state, origin_ns + LENGTH / 4))
            return false;
        user_move((int[2]){most, TRACK_Y});
        return true;
    case 9:
        if (!is_near(state, origin_ns + LENGTH * 4 / 5))
            return false;
        user_button(SDL_BUTTON_LEFT, (int[2]){most, TRACK_Y}, false, 1);
        window_steps_click((int[2]){BACK_X, BUTTON_Y}, 1);
        return true;
    case 10:
        if (!is_at(state, ended_program_inner_start(2)))
            return false;
        window_steps_click((int[2]){PLAY_X, BUTTON_Y}, 1);
        return true;
    case 11: /* to the end, where it stays */
        if (!is_at(state, origin_ns + LENGTH) || playhead->is_playing)
            return false;
        user_press(SDL_SCANCODE_END, 0);
        return true;
    case 12:
        if (playhead->is_on)
            return false;
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    }
    return false;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    struct user *user = (struct user *)steps;
    return steps->step < 7 ? step_keys(user, state) : step_mouse(user, state);
}

int main(void)
{
    struct user user = {.steps = {.act = act, .window = {.window_ns = 2 * LENGTH, .speed = 0.01, .start_ns = 4 * MS}}};
    return window_steps_run(&user.steps, WIDTH, HEIGHT, 13);
}
