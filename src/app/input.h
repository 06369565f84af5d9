/* Keys and mouse: SDL's events, real or pushed by a test, become actions. Main thread. */
#ifndef RV_APP_INPUT_H
#define RV_APP_INPUT_H

#include <stdbool.h>

#include <SDL2/SDL.h>

#include "app/viewer.h"

struct rv_input {       /* zeroed = no button is down */
    double share;       /* of the window, dragged since */
    double speed_per_s; /* of the drag, in windows */
    uint32_t moved_ms;  /* when it last moved, as SDL tells */
    float grabbed_y_px; /* where the drag began */
    bool is_dragging;
    bool is_click; /* the left button is down and the cursor has stayed */
};

/* What one event does to a viewer whose window has `scale` pixels per point. */
void rv_input_event(struct rv_input *input, const SDL_Event *event, struct rv_viewer *viewer, double scale);

#endif
