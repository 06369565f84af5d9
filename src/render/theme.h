/* Colours of everything that is not a call: sRGB, straight alpha. Those of calls are in model/color.h. */
#ifndef RV_RENDER_THEME_H
#define RV_RENDER_THEME_H

#include <math.h>
#include <stdint.h>

#define RV_THEME_BACKGROUND 0x0a0e16u
#define RV_THEME_FLOOR 0x0f151fu
#define RV_THEME_PLATE 0x1a212eu
#define RV_THEME_PLATE_RIM 0x3a4a63u
#define RV_THEME_SHADOW 0x05070bu
#define RV_THEME_GRID 0x4a5a75u
#define RV_THEME_WALL 0x121927u
#define RV_THEME_NOW 0x6fe3ffu
#define RV_THEME_ACCENT 0x6fe3ffu
#define RV_THEME_LOST 0xff4d6au
#define RV_THEME_MARK 0xe6ecf5u
#define RV_THEME_VALUE 0x6fb8ffu
#define RV_THEME_RUNNING 0x4be08bu
#define RV_THEME_READY 0xf0ce4du
#define RV_THEME_SUSPENDED 0x8f9bb0u
#define RV_THEME_TICK 0xaebbd0u
#define RV_THEME_LANE 0xe6ecf5u
#define RV_THEME_PANEL 0x0e131cu
#define RV_THEME_BAR 0x0b0f16u
#define RV_THEME_LINE 0x263042u
#define RV_THEME_TEXT 0x9fb0c8u
#define RV_THEME_TEXT_STRONG 0xf2f5fau

/* Bytes r, g, b, a in memory order. */
static inline uint32_t rv_theme_rgba(uint32_t rgb, float alpha)
{
    uint32_t a = (uint32_t)(alpha * 255.0f + 0.5f);
    return (rgb >> 16 & 0xFFu) | (rgb & 0xFF00u) | (rgb & 0xFFu) << 16 | a << 24;
}

static inline float rv_theme_linear(uint32_t byte)
{
    float srgb = (float)(byte & 0xFFu) / 255.0f;
    return srgb <= 0.04045f ? srgb / 12.92f : powf((srgb + 0.055f) / 1.055f, 2.4f);
}

#endif
