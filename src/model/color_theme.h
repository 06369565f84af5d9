/* The background of everything drawn: dark or light. Not in model/color.h, which the C++ file of ui cannot include. */
#ifndef RV_MODEL_COLOR_THEME_H
#define RV_MODEL_COLOR_THEME_H

enum rv_color_theme { RV_COLOR_DARK, RV_COLOR_LIGHT, RV_COLOR_THEME_COUNT };

/* The name used on the command line and in the settings file. */
const char *rv_color_theme_name(enum rv_color_theme theme);

#endif
