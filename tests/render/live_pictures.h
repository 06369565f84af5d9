/*
 * Windows of a program as they are shown while it runs, and the same windows later, when all events are there; and how
 * different their pictures look.
 */
#ifndef RV_TESTS_RENDER_LIVE_PICTURES_H
#define RV_TESTS_RENDER_LIVE_PICTURES_H

#include "model/lanes.h"
#include "model/subroutines.h"
#include "model/view.h"

enum { LIVE_N_WIDTHS = 5, LIVE_N_MODES = 4 }; /* 20 ms, 100 ms, .5 s, 1 s, 2 s; 3d, aligned, flame, top */
#define LIVE_LENGTH_NS UINT64_C(2000000000)   /* of the widest one */

extern const uint64_t live_widths_ns[LIVE_N_WIDTHS];

struct live_window {             /* zeroed = nothing seen yet */
    struct live_views {          /* for a mode */
        struct rv_view views[2]; /* the last two, live */
        struct rv_view frozen;   /* later */
    } of_mode[LIVE_N_MODES];
    unsigned at;              /* of views: the last one */
    uint64_t width_ns, to_ns; /* of that */
};

/* The next frame of the window that ends at to_ns. */
void live_window_look(struct live_window *window, struct rv_lanes *lanes, uint64_t to_ns);

/* The last frame's window once more, as a picture at rest shows it. */
void live_window_look_later(struct live_window *window, struct rv_lanes *lanes);

void live_window_fini(struct live_window *window);

struct live_pictures_params {
    struct live_window *windows; /* LIVE_N_WIDTHS of them */
    struct rv_subroutines *subroutines;
    uint64_t origin_ns;
    /*
     * The greatest difference allowed, in CIE L*a*b*, where about one is just visible side by side: the mean of blurred
     * pictures. Aligned bars have long edges that only a picture at rest draws smooth.
     */
    double most[LIVE_N_MODES][LIVE_N_WIDTHS];
    int least_caught; /* pictures in which solid folds must differ half as much again as is allowed */
};

/*
 * Draw all windows in all modes: live, live by a shader that draws folds solid, and later. Prints the differences.
 *   returns  0 when all are allowed and solid folds were caught, else 1: for main()
 */
int live_pictures_check(const struct live_pictures_params *params);

#endif
