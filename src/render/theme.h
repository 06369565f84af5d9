/* Colours of everything that is not a call: sRGB, straight alpha. Those of calls are in model/color.h. No GL. */
#ifndef RV_RENDER_THEME_H
#define RV_RENDER_THEME_H

#include <stdint.h>

#include "model/color.h"
#include "model/notes.h"
#include "render/emphasis.h"

struct rv_theme_tag {
    uint32_t plate, text;
};

struct rv_theme { /* 0xRRGGBB */
    uint32_t background, floor, wall, grid;
    uint32_t plate, plate_rim, shadow; /* of lanes' plates */
    uint32_t now, accent, path;
    uint32_t arc_lock, arc_signal, arc_transfer, arc_start; /* from who ended waits */
    uint32_t arc_flow, arc_task;
    uint32_t lost, mark, value, running, ready, suspended;
    uint32_t text, text_strong; /* on a panel; `text` also on the background */
    uint32_t panel, panel_rim;
    uint32_t tick; /* text on the background and on the floor */
    struct rv_theme_tag tags[RV_NOTE_FORM_COUNT], flag;
    float lift[2];   /* highlighted boxes: brightness added, and share of white mixed in */
    float veil_grey; /* linear grey that dimmed boxes are mixed with */
};

/* Static. */
const struct rv_theme *rv_theme_get(enum rv_color_theme theme);

/* The colour that the box shader makes of an emphasized colour, except the chosen box's. */
struct rv_color rv_theme_emphasize(const struct rv_theme *theme, enum rv_emphasis emphasis, struct rv_color color);

/* Bytes r, g, b, a in memory order. */
static inline uint32_t rv_theme_rgba(uint32_t rgb, float alpha)
{
    uint32_t a = (uint32_t)(alpha * 255.0f + 0.5f);
    return (rgb >> 16 & 0xFFu) | (rgb & 0xFF00u) | (rgb & 0xFFu) << 16 | a << 24;
}

/* A colour as 0xRRGGBBAA, and 0xRRGGBB as a colour. */
static inline uint32_t rv_theme_opaque(struct rv_color color)
{
    return color.r | (uint32_t)color.g << 8 | (uint32_t)color.b << 16 | 0xFF000000u;
}

/* The colour of 0xRRGGBB. */
static inline struct rv_color rv_theme_color(uint32_t rgb)
{
    return (struct rv_color){(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8 & 0xFFu), (uint8_t)(rgb & 0xFFu)};
}

#endif
