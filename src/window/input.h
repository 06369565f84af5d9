/* Turns SDL's key and mouse events into actions. Main thread. */
#ifndef RV_WINDOW_INPUT_H
#define RV_WINDOW_INPUT_H

#include <stdbool.h>

#include <SDL2/SDL.h>

#include "viewer/viewer.h"

enum rv_input_drag { RV_INPUT_FREE, RV_INPUT_SELECTING, RV_INPUT_PANNING, RV_INPUT_ORBITING };

struct rv_input {               /* zeroed = no button is down */
    enum rv_input_drag drag;    /* kind of drag, of the button pressed last */
    float grabbed_y_px;         /* start of the drag */
    uint64_t grabbed_ns, to_ns; /* SELECTING: times at the start and at the cursor */
    double share;               /* PANNING: share of the window dragged so far */
    double speed_per_s;         /* PANNING: windows per second */
    uint32_t moved_ms;          /* SDL's time of the last motion */
    bool is_click;              /* a button is down and the cursor has not moved */
};

/* Apply one event to a viewer. scale: pixels per unit of SDL's positions. */
void rv_input_event(struct rv_input *input, const SDL_Event *event, struct rv_viewer *viewer, double scale);

#endif
