/*
 * A film of a run, without a window: a sequence of pictures, as numbered PNG files or one video. The window of time
 * moves from the run's beginning to its end, with the playhead at the window's end.
 */
#ifndef RV_CLI_FILM_H
#define RV_CLI_FILM_H

#include <stdbool.h>

#include "window/offscreen.h"
#include "cli/options.h"
#include "cli/output.h"

struct rv_film { /* zeroed = no film */
    const char *folder;
    struct rv_output video;
    bool has_video;
};

/* Open the outputs, before anything runs. 0 or negative errno, one line printed. */
int rv_film_open(struct rv_film *film, const struct rv_options *options);

struct rv_film_params {
    const struct rv_screenshot_params *picture; /* its path is not used */
    unsigned fps;
    double speed;                       /* ns of the run per ns of the film; 0 = 1 */
    bool (*should_stop)(void *context); /* called before each picture */
    void *context;
};

/* Film, and finish the files. In the window module. 0 or negative errno, one line printed. */
int rv_film_take(struct rv_film *film, const struct rv_film_params *params);

/* Close an opened film that was not taken. Safe on a zeroed one. */
void rv_film_close(struct rv_film *film);

#endif
