// Sizes and colours of widgets, for imgui_bridge.cpp.
#ifndef RV_UI_IMGUI_WIDGETS_HPP
#define RV_UI_IMGUI_WIDGETS_HPP

#include "ui/imgui_widgets.h"
#include "ui/style.h"

// Those that do not change, once for a context.
void rv_imgui_set_sizes();

void rv_imgui_set_colours(const rv_ui_style *style);

#endif
