#include "ui/style.h"

static const struct rv_ui_style STYLES[RV_COLOR_THEME_COUNT] = {
    [RV_COLOR_DARK] =
        {
            .bar = 0x0b0f16ff,
            .panel = 0x0c1119ff,
            .line = 0x263042ff,
            .text = 0x9fb0c8ff,
            .text_strong = 0xf2f5faff,
            .text_faint = 0x8493adff,
            .text_warning = 0xff6b7fff,
            .plate = 0x1a2230ff,
            .plate_hovered = 0x26324aff,
            .plate_pressed = 0x2f3f5eff,
            .chosen = 0x2f6fe0ff,
            .chosen_text = 0xffffffff,
            .accent = 0x6fe3ffff,
            .glass = 0x6fe3ff22,
            .idle = 0x0e0e0eff,
            .veil = 0x05080da0,
            .live = 0x12402aff,
            .live_text = 0x7df0aeff,
            .frozen = 0x16324fff,
            .frozen_text = 0xa9d4ffff,
            .ended = 0x2a303cff,
            .ended_text = 0xb9c4d6ff,
        },
    [RV_COLOR_LIGHT] =
        {
            .bar = 0xf4f6faff,
            .panel = 0xf8fafdff,
            .line = 0xc9d2e0ff,
            .text = 0x41506aff,
            .text_strong = 0x10161fff,
            .text_faint = 0x556279ff,
            .text_warning = 0xb3182fff,
            .plate = 0xe2e8f1ff,
            .plate_hovered = 0xd0daeaff,
            .plate_pressed = 0xbccae0ff,
            .chosen = 0x2f6fe0ff,
            .chosen_text = 0xffffffff,
            .accent = 0x0b6f9cff,
            .glass = 0x0b6f9c22,
            .idle = 0xe4e9f0ff,
            .veil = 0xdfe5eea0,
            .live = 0xc5ecd6ff,
            .live_text = 0x0d5f36ff,
            .frozen = 0xcfe3faff,
            .frozen_text = 0x124a85ff,
            .ended = 0xdce1eaff,
            .ended_text = 0x46536aff,
        },
};

const struct rv_ui_style *rv_ui_style_get(enum rv_color_theme theme)
{
    return &STYLES[theme < RV_COLOR_THEME_COUNT ? theme : RV_COLOR_DARK];
}
