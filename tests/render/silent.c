/*
 * A window on a program of which no event comes: as soon as it is known why, that stands in the middle, in lines that fit; the
 * window asks until it is known, here after the program has ended.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "render/scene.h"
#include "window_steps.h"

#include "base/os.h"
#include "base/vec.h"

enum { WIDTH = 640, HEIGHT = 480, N_ASKED = 2, BAND_FROM = HEIGHT / 2 + 6, BAND_TO = HEIGHT - 60, MARGIN = 16 };

static atomic_uint n_asked;
static size_t n_lit_before; /* of the axes */

static enum rv_source_status poll_silent(struct rv_source *source, const struct rv_intake *intake)
{
    (void)source;
    return n_asked > 0 || intake->is_stopping(intake->context) ? RV_SOURCE_ENDED : RV_SOURCE_IDLE;
}

static void nap(struct rv_source *source)
{
    (void)source;
    rv_os_sleep_ns(MS);
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source, (void)intake, (void)is_final;
}

static void close_silent(struct rv_source *source)
{
    free(source);
}

static bool why_silent(void *context, char *out, size_t out_bytes)
{
    (void)context;
    for (size_t n = 0; n < out_bytes; n++)
        out[n] = n + 1 == out_bytes ? '\0' : n % 10 == 9 ? ' ' : 'w';
    return ++n_asked >= N_ASKED;
}

/* Lit pixels below the first line, and whether some are within the margins. */
static size_t count_lit(bool *is_beyond)
{
    size_t n = 0;
    uint8_t *rgba = rv_alloc((size_t)WIDTH * HEIGHT, 4);
    rv_scene_read_pixels(WIDTH, HEIGHT, rgba);
    *is_beyond = false;
    for (int y = BAND_FROM; y < BAND_TO; y++)
        for (int x = 0; x < WIDTH; x++)
            if (rgba[4 * (y * WIDTH + x) + 1] > 100) {
                n++;
                *is_beyond |= x < MARGIN || x >= WIDTH - MARGIN;
            }
    free(rgba);
    return n;
}

static bool step(struct window_steps *steps, const struct rv_window_state *state)
{
    bool is_beyond;
    const size_t n_lit = count_lit(&is_beyond);
    switch (steps->step) {
    case 0:
        n_lit_before = n_asked ? n_lit_before : n_lit;
        return n_asked == N_ASKED;
    case 1:
        if (n_lit < n_lit_before + 2000)
            return false;
        window_steps_check(steps, !is_beyond, "the lines are wider than the window");
        user_press(SDL_SCANCODE_Q, KMOD_LCTRL);
        return true;
    default:
        window_steps_check(steps, n_asked == N_ASKED, "it was asked again");
        return false;
    }
}

int main(void)
{
    struct rv_source *source = rv_alloc(1, sizeof *source);
    *source = (struct rv_source){.poll = poll_silent, .nap = nap, .resolve = resolve, .close = close_silent};
    struct window_steps steps = {.act = step, .source = source, .window = {.why_silent = why_silent}};
    return window_steps_run(&steps, WIDTH, HEIGHT, 2);
}
