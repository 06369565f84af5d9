/* Keys and mouse: SDL's events, real or pushed by a test, become actions. Main thread. */
#ifndef RV_WINDOW_INPUT_H
#define RV_WINDOW_INPUT_H

#include <stdbool.h>

#include <SDL2/SDL.h>

#include "viewer/viewer.h"

enum rv_input_drag { RV_INPUT_FREE, RV_INPUT_SELECTING, RV_INPUT_PANNING, RV_INPUT_ORBITING };

struct rv_input {               /* zeroed = no button is down */
    enum rv_input_drag drag;    /* by the button that was pressed last */
    float grabbed_y_px;         /* where it began */
    uint64_t grabbed_ns, to_ns; /* SELECTING: the times there and where the cursor is */
    double share;               /* PANNING: of the window, dragged since */
    double speed_per_s;         /* of that, in windows */
    uint32_t moved_ms;          /* when it last moved, as SDL tells */
    bool is_click;              /* the left button is down and the cursor has stayed */
};

/* What one event does to a viewer whose window has `scale` pixels per unit of SDL's positions. */
void rv_input_event(struct rv_input *input, const SDL_Event *event, struct rv_viewer *viewer, double scale);

#endif
