/* Pictures without a window. */
#ifndef RV_APP_HEADLESS_H
#define RV_APP_HEADLESS_H

#include <stdint.h>

#include "model/color.h"
#include "model/lanes.h"
#include "model/subroutines.h"
#include "render/look.h"

struct rv_screenshot_params { /* zero = default */
    const char *path;
    int width_px, height_px; /* 1600 x 900 */
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    enum rv_look look;
    enum rv_color_scheme scheme;
    uint64_t at_ns;          /* where the window begins, from the first event */
    uint64_t window_ns;      /* to the end */
    uint64_t from_ns, to_ns; /* a range, from the first event: the window, or marked in one that at or window chose */
    const char *find;        /* pointed out; the window moves to the first, unless it was chosen */
    const struct rv_lens *lens; /* lets through; NULL = all */
    const char *program;        /* shown in the top bar; NULL = no bar */
    uint32_t pid;
    uint64_t n_dropped;
};

/*
 * Draw one picture of the lanes into a PNG file. The same content gives the same pixels.
 *   returns  0, or a negative errno with one line printed: -ENODEV, -ENOTSUP (no OpenGL 3.3), -EINVAL (size), file
 * errors thread   main
 */
int rv_headless_screenshot(const struct rv_screenshot_params *params);

#endif
