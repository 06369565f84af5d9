#include "cli/film.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "render/png.h"
#include "render/y4m.h"

#define WINDOW_NS 100000000u
#define PATH_BYTES 4096

static int add_picture(struct rv_film *film, const uint8_t *rgba, const int size_px[2], uint64_t idx, uint8_t *planes)
{
    char path[PATH_BYTES];
    int err = 0;
    if (film->folder) {
        int n = snprintf(path, sizeof path, "%s/frame-%06" PRIu64 ".png", film->folder, idx + 1);
        err = n < (int)sizeof path ? rv_png_write(path, rgba, size_px[0], size_px[1])
                                   : rv_err(ENAMETOOLONG, "%s", film->folder);
    }
    if (film->has_video && !err) /* its error is printed when it is closed */
        err = rv_y4m_add(film->video.file, rgba, size_px, planes);
    return err;
}

static void print_progress(uint64_t idx, uint64_t n, bool is_last)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rfilming: picture %" PRIu64 " of %" PRIu64 "%s", idx, n, is_last ? "\n" : "");
}

struct take { /* the filmed session */
    uint64_t from_ns, to_ns, window_ns, n;
};

/* The playhead is at the window's end. */
static struct rv_playhead begin(const struct take *take, const struct rv_film_params *params)
{
    struct rv_playhead playhead = {.is_playing = true, .speed = params->speed};
    rv_playhead_set(&playhead, take->from_ns);
    return playhead;
}

/* Advance by a picture. False after the last one, which is at the end. */
static bool go_on(struct rv_playhead *playhead, const struct take *take, const struct rv_film_params *params)
{
    bool is_over = playhead->at_ns >= take->to_ns;
    (void)rv_playhead_advance(playhead, 1.0 / params->fps, take->to_ns);
    return !is_over;
}

/* The window is full from the first picture on, if the run is as long as the window. */
static struct take plan(const struct rv_offscreen *offscreen, const struct rv_film_params *params)
{
    const struct rv_screenshot_params *picture = params->picture;
    struct rv_offscreen_times times = rv_offscreen_times(offscreen);
    struct take take = {.from_ns = times.first_ns + (picture->from_ns ? picture->from_ns : picture->at_ns),
                        .to_ns = picture->to_ns ? times.first_ns + picture->to_ns : times.last_ns,
                        .window_ns = picture->window_ns ? picture->window_ns : WINDOW_NS};
    if (take.to_ns > times.last_ns)
        take.to_ns = times.last_ns;
    take.from_ns += take.window_ns;
    if (take.from_ns > take.to_ns)
        take.from_ns = take.to_ns;
    struct rv_playhead playhead = begin(&take, params);
    do
        take.n++;
    while (go_on(&playhead, &take, params));
    return take;
}

static int film_all(struct rv_film *film, struct rv_offscreen *offscreen, const struct rv_film_params *params)
{
    struct take take = plan(offscreen, params);
    int size_px[2], err = 0;
    struct rv_playhead playhead = begin(&take, params);
    rv_offscreen_size(offscreen, size_px);
    uint8_t *planes = rv_alloc((size_t)size_px[0] * (size_t)size_px[1], 3);
    if (film->has_video)
        rv_y4m_begin(film->video.file, size_px, params->fps);
    for (uint64_t idx = 0; !err && idx < take.n; idx++) {
        if (params->should_stop && params->should_stop(params->context)) {
            rv_warn("the film ends after %" PRIu64 " of %" PRIu64 " pictures", idx, take.n);
            break;
        }
        uint64_t end_ns = playhead.at_ns;
        rv_offscreen_play(offscreen, &playhead);
        const uint8_t *rgba =
            rv_offscreen_draw(offscreen, end_ns > take.window_ns ? end_ns - take.window_ns : 0, end_ns);
        (void)go_on(&playhead, &take, params);
        err = rgba ? add_picture(film, rgba, size_px, idx, planes) : -EIO;
        print_progress(idx + 1, take.n, idx + 1 == take.n);
    }
    free(planes);
    return err;
}

int rv_film_take(struct rv_film *film, const struct rv_film_params *params)
{
    struct rv_offscreen *offscreen = NULL;
    int err = film->has_video ? rv_output_begin(&film->video) : 0;
    if (!err)
        err = rv_offscreen_open(&offscreen, params->picture);
    if (!err)
        err = film_all(film, offscreen, params);
    rv_offscreen_close(offscreen);
    if (film->has_video)
        err = rv_output_finish(&film->video, err);
    film->has_video = false;
    return err;
}
