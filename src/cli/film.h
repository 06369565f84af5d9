/*
 * A film of a run, without a window: pictures one after the other while the window moves over the run from its
 * beginning to its end with a playhead at its end, as numbered PNG files or as one video.
 */
#ifndef RV_CLI_FILM_H
#define RV_CLI_FILM_H

#include <stdbool.h>

#include "window/offscreen.h"
#include "cli/options.h"
#include "cli/output.h"

struct rv_film { /* zeroed = none is asked for */
    const char *folder;
    struct rv_output video;
    bool has_video;
};

/* Look whether there is room for what is asked for, before anything runs. 0 or negative errno, one line printed. */
int rv_film_open(struct rv_film *film, const struct rv_options *options);

struct rv_film_params {
    const struct rv_screenshot_params *picture; /* its path is not used */
    unsigned fps;
    double speed;                       /* ns of the run in a ns of the film; 0 = 1 */
    bool (*should_stop)(void *context); /* asked before each picture */
    void *context;
};

/* Film, and finish the files. Of the window module. 0 or negative errno, one line printed. */
int rv_film_take(struct rv_film *film, const struct rv_film_params *params);

/* Of one that was opened and not filmed. Safe on a zeroed one. */
void rv_film_close(struct rv_film *film);

#endif
