/* What a window begins with: chosen in it, kept in the settings file. No GL, no SDL. */
#ifndef RV_VIEWER_SETTINGS_H
#define RV_VIEWER_SETTINGS_H

#include <stdbool.h>

#include "viewer/settings_file.h"
#include "model/color.h"
#include "render/view_mode.h"

#define RV_SETTINGS_SCALE_MIN 50u
#define RV_SETTINGS_SCALE_MAX 400u

struct rv_settings {
    enum rv_color_theme theme;
    unsigned scale_percent; /* of the display's own size of a point */
    enum rv_view_mode look;
    enum rv_color_scheme scheme;
    bool has_legend, has_minimap;
};

/* Nothing chosen yet. */
void rv_settings_init(struct rv_settings *settings);

/* Take over what the file says; what it does not say stays. What is not understood is told in one line. */
void rv_settings_load(struct rv_settings *settings, const struct rv_settings_file *config);

/* Set in the file what is not as before. Returns whether there is anything. */
bool rv_settings_store(const struct rv_settings *settings, const struct rv_settings *before,
                       struct rv_settings_file *config);

#endif
