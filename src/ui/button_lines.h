/* Buttons and a text side by side, in as many lines as they need. Within a pass of imgui_bridge.h. */
#ifndef RV_UI_BUTTON_LINES_H
#define RV_UI_BUTTON_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct rv_button_lines { /* zeroed = none yet */
    float x, height;     /* of the present line so far; of all lines */
};

/* The next button, as wide as its title. True when pressed. */
bool rv_button_lines_button(struct rv_button_lines *lines, const char *title, bool is_chosen);
void rv_button_lines_label(struct rv_button_lines *lines, const char *text, uint32_t rgba);

/* Width of buttons with these titles in one line. */
float rv_button_lines_width(const char *const *titles, uint32_t n);

#endif
