#include "model/color_theme.h"

const char *rv_color_theme_name(enum rv_color_theme theme)
{
    return theme == RV_COLOR_LIGHT ? "light" : "dark";
}
