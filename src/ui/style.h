/* Colours of the panels, 0xRRGGBBAA, straight alpha. */
#ifndef RV_UI_STYLE_H
#define RV_UI_STYLE_H

#include <stdint.h>

#include "model/color.h"

struct rv_ui_style {
    uint32_t bar, panel, line; /* backgrounds of the top bar and of panels, separators */
    uint32_t text, text_strong, text_faint, text_warning;
    uint32_t plate, plate_hovered, plate_pressed; /* of buttons and fields */
    uint32_t chosen, chosen_text;                 /* a chosen button and its text */
    uint32_t accent;                              /* marks and frames */
    uint32_t glass;                               /* over the window in the minimap */
    uint32_t idle;                                /* an idle lane in the minimap */
    uint32_t veil;                                /* over the picture, behind a dialog */
    uint32_t live, live_text, frozen, frozen_text, ended, ended_text;
};

/* Static. */
const struct rv_ui_style *rv_ui_style_get(enum rv_color_theme theme);

#endif
