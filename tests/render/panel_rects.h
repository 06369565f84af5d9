/* What Dear ImGui drew in the last pass: a test's look behind src/ui's C interface. Main thread. */
#ifndef RV_TEST_RENDER_PANEL_RECTS_H
#define RV_TEST_RENDER_PANEL_RECTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct panel_rect {   /* points */
    const char *name; /* valid until the next pass */
    float left, top, right, bottom;
    float hidden_right, hidden_below; /* how much of its contents lies outside and cannot be scrolled to */
    bool is_child, is_docked;         /* in another panel; at an edge, else over the picture */
};

/* The panels, in the order in which they were drawn; returns their number, writes up to max. */
size_t panel_rects_find(struct panel_rect *out, size_t max);

#ifdef __cplusplus
}
#endif

#endif
