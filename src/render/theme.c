#include "render/theme.h"

#include "base/err.h"

#define DIMMED_CHROMA 0.35f /* share of chroma that is left */
#define DIMMED_STRENGTH 0.45f

static const struct rv_theme themes[RV_COLOR_THEME_COUNT] = {
    [RV_COLOR_DARK] =
        {
            .background = 0x0a0e16,
            .floor = 0x0f151f,
            .wall = 0x121927,
            .grid = 0x4a5a75,
            .plate = 0x1a212e,
            .plate_rim = 0x3a4a63,
            .shadow = 0x05070b,
            .now = 0x6fe3ff,
            .accent = 0x6fe3ff,
            .path = 0xffdc3f,
            .arc_lock = 0xff5d6c,
            .arc_signal = 0xffa14a,
            .arc_transfer = 0x9a4ff0,
            .arc_start = 0x7cc0ff,
            .arc_flow = 0x4fd6c8,
            .arc_task = 0x818a9a,
            .lost = 0xff4d6a,
            .mark = 0xe6ecf5,
            .value = 0x6fb8ff,
            .running = 0x4be08b,
            .ready = 0xf0ce4d,
            .suspended = 0x8f9bb0,
            .text = 0x9fb0c8,
            .text_strong = 0xf2f5fa,
            .panel = 0x0b1017,
            .panel_rim = 0x3a4a63,
            .tick = 0xaebbd0,
            .tags = {[RV_NOTE_FORM_PAUSE] = {0x7a3606, 0xffd9b8},
                     [RV_NOTE_FORM_LOSS] = {0x6b1626, 0xffc2cc},
                     [RV_NOTE_FORM_MARK] = {0x27364f, 0xe6ecf5},
                     [RV_NOTE_FORM_VALUE] = {0x10233b, 0xa9d4ff}},
            .flag = {0xe9eef7, 0x10161f},
            .lift = {1.35f, 0.12f},
            .veil_grey = 0.0f,
        },
    [RV_COLOR_LIGHT] =
        {
            .background = 0xf4f6fa,
            .floor = 0xe7ebf2,
            .wall = 0xdde3ec,
            .grid = 0x94a3b8,
            .plate = 0xd3dae6,
            .plate_rim = 0x8b9ab0,
            .shadow = 0xaab5c6,
            .now = 0x0a6484,
            .accent = 0x0b5f94,
            .path = 0xb07a00,
            .arc_lock = 0xc01437,
            .arc_signal = 0xb65a00,
            .arc_transfer = 0xb45cf0,
            .arc_start = 0x2030a8,
            .arc_flow = 0x00736b,
            .arc_task = 0x10161f,
            .lost = 0xc01437,
            .mark = 0x24324a,
            .value = 0x1f6fc4,
            .running = 0x1c8a4e,
            .ready = 0x9a6a00,
            .suspended = 0x67758c,
            .text = 0x41506a,
            .text_strong = 0x10161f,
            .panel = 0xfcfdfe,
            .panel_rim = 0x9aa8bd,
            .tick = 0x37455d,
            .tags = {[RV_NOTE_FORM_PAUSE] = {0xffdcbc, 0x6b2f05},
                     [RV_NOTE_FORM_LOSS] = {0xffd3da, 0x7d0f24},
                     [RV_NOTE_FORM_MARK] = {0xd5dfee, 0x16202f},
                     [RV_NOTE_FORM_VALUE] = {0xcfe3fa, 0x0d3f78}},
            .flag = {0x24324a, 0xffffff},
            .lift = {1.0f, 0.0f},
            .veil_grey = 0.85f,
        },
};

const struct rv_theme *rv_theme_get(enum rv_color_theme theme)
{
    return &themes[theme];
}

/* Keep equal to box.vert. */
struct rv_color rv_theme_emphasize(const struct rv_theme *theme, enum rv_emphasis emphasis, struct rv_color color)
{
    float rgb[3] = {rv_color_linear(color.r), rv_color_linear(color.g), rv_color_linear(color.b)};
    float grey = 0.25f * rgb[0] + 0.65f * rgb[1] + 0.10f * rgb[2];
    switch (emphasis) {
    case RV_EMPHASIS_NONE:
    case RV_EMPHASIS_CHOSEN:
        return color;
    case RV_EMPHASIS_DIMMED:
        for (int i = 0; i < 3; i++)
            rgb[i] = theme->veil_grey * (1.0f - DIMMED_STRENGTH) +
                     DIMMED_STRENGTH * (grey + DIMMED_CHROMA * (rgb[i] - grey));
        break;
    case RV_EMPHASIS_ALIKE:
        for (int i = 0; i < 3; i++)
            rgb[i] = rgb[i] * theme->lift[0] * (1.0f - theme->lift[1]) + theme->lift[1];
        break;
    }
    return (struct rv_color){rv_color_byte(rgb[0]), rv_color_byte(rgb[1]), rv_color_byte(rgb[2])};
}
