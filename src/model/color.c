/*
 * Tones are computed in OKLCH, where equal steps look equal, and brought into sRGB by reducing chroma. The hues were
 * chosen by a search: with a step of lightness each, no two of their 48 colours are nearer than 7.9 (100 times OKLab
 * distance) under normal vision, 3 to 4 under the three kinds of dichromatic vision, and all differ from the greys and
 * the orange of the states. In the table, hues beside each other are far apart. Durations run from blue to yellow, a
 * rise in every kind of vision.
 */
#include "model/color.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

#define TOP_LIGHTER 0.10f
#define SIDE_DARKER 0.17f
#define LIGHTNESS_VARIES 0.140f /* each way, by shade; */
#define GREY_VARIES 0.030f      /* of the neutral slot */
#define CHROMA_VARIES 0.12f     /* as a share */
#define LIGHTNESS_LEAST 0.35f
#define LIGHTNESS_MOST 0.90f
#define WAIT_TOP_LIGHTER 0.08f
#define DURATION_OCTAVE_FIRST 7
#define DURATION_OCTAVES 26.0f
#define DIFFERENCE_OCTAVES 2.0 /* each way */
#define CONTRASTING 8u         /* hues of that much contrast */
#define GLARE 0.05f            /* WCAG's constant for ambient light, as a share of white */
#define FAINT_CONTRAST 4.55f   /* at least 4.5 after rounding */

struct oklch {
    float lightness, chroma, hue;
};

static const char *const names[RV_COLOR_SCHEME_COUNT] = {
    [RV_COLOR_PACKAGE] = "package",   [RV_COLOR_SUBROUTINE] = "subroutine",       [RV_COLOR_THREAD] = "thread",
    [RV_COLOR_DURATION] = "duration", [RV_COLOR_HIGH_CONTRAST] = "high-contrast", [RV_COLOR_DIFFERENCE] = "difference",
};

static const struct rv_color hues[RV_COLOR_HUES] = {
    {0xb1, 0x60, 0x5c}, {0xd5, 0x74, 0xd4}, {0x8f, 0x8f, 0xda}, {0x78, 0xc8, 0x5d},
    {0x99, 0x63, 0x98}, {0xc9, 0x92, 0x58}, {0x00, 0xcc, 0xbe}, {0x87, 0x56, 0xc6},
    {0xa0, 0x9e, 0x00}, {0x32, 0x72, 0xd8}, {0x4e, 0x83, 0x52}, {0xfc, 0x79, 0xac},
};
static const struct rv_color neutral = {0x76, 0x7b, 0x84}, waiting = {0x47, 0x4b, 0x52};

static const struct rv_color contrasting[CONTRASTING] = {
    {0x31, 0xd2, 0xff}, {0x9d, 0xff, 0x00}, {0xff, 0xc6, 0xb2}, {0xc6, 0x83, 0xd7},
    {0x1a, 0xb2, 0x7c}, {0xf9, 0xf7, 0xa6}, {0x27, 0xff, 0xef}, {0xc3, 0xd6, 0x5e},
};
static const struct rv_color contrasting_neutral = {0xb0, 0xb4, 0xbc}, contrasting_waiting = {0x5a, 0x5f, 0x68};

/* From blue over grey to orange, two directions in every kind of vision; violet for RV_COLOR_ONE_RUN. */
static const struct rv_color faster = {0x3f, 0x8f, 0xf2}, same = {0xa0, 0xa2, 0xa6}, slower = {0xf4, 0x7d, 0x45},
                             of_one_run = {0xb9, 0x8c, 0xf0};
static const struct rv_color shortest = {0x24, 0x46, 0x86}, longest = {0xf4, 0xdc, 0x5c};

float rv_color_linear(uint8_t value)
{
    float v = (float)value / 255;
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static float from_linear(float v)
{
    return v <= 0.0031308f ? v * 12.92f : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static struct oklch to_oklch(struct rv_color color)
{
    float r = rv_color_linear(color.r), g = rv_color_linear(color.g), b = rv_color_linear(color.b);
    float l = cbrtf(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
    float m = cbrtf(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
    float s = cbrtf(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
    float green_red = 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s;
    float blue_yellow = 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s;
    return (struct oklch){.lightness = 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                          .chroma = hypotf(green_red, blue_yellow),
                          .hue = atan2f(blue_yellow, green_red)};
}

/* Linear sRGB; returns whether it is inside the gamut. */
static bool to_rgb(struct oklch color, float rgb[3])
{
    float a = color.chroma * cosf(color.hue), b = color.chroma * sinf(color.hue);
    float l = color.lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = color.lightness - 0.1055613458f * a - 0.0638541728f * b;
    float s = color.lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s;
    rgb[1] = -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s;
    rgb[2] = -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s;
    for (unsigned i = 0; i < 3; i++)
        if (rgb[i] < -0.0005f || rgb[i] > 1.0005f)
            return false;
    return true;
}

uint8_t rv_color_byte(float linear)
{
    float v = from_linear(linear < 0 ? 0 : linear > 1 ? 1 : linear);
    return (uint8_t)lrintf(v * 255);
}

static struct rv_color from_oklch(struct oklch color)
{
    float rgb[3];
    if (!to_rgb(color, rgb)) {
        float low = 0, high = color.chroma;
        for (unsigned i = 0; i < 12; i++) {
            color.chroma = (low + high) / 2;
            if (to_rgb(color, rgb))
                low = color.chroma;
            else
                high = color.chroma;
        }
        color.chroma = low;
        (void)to_rgb(color, rgb);
    }
    return (struct rv_color){rv_color_byte(rgb[0]), rv_color_byte(rgb[1]), rv_color_byte(rgb[2])};
}

static float clamp(float v, float least, float most)
{
    return v < least ? least : v > most ? most : v;
}

/* A straight line in OKLab, not around the hues: lightness rises evenly, and blue turns to yellow through grey. */
static struct oklch between(struct rv_color from, struct rv_color to, float share)
{
    struct oklch a = to_oklch(from), b = to_oklch(to);
    float green_red = a.chroma * cosf(a.hue) * (1 - share) + b.chroma * cosf(b.hue) * share;
    float blue_yellow = a.chroma * sinf(a.hue) * (1 - share) + b.chroma * sinf(b.hue) * share;
    return (struct oklch){.lightness = a.lightness + share * (b.lightness - a.lightness),
                          .chroma = hypotf(green_red, blue_yellow),
                          .hue = atan2f(blue_yellow, green_red)};
}

static struct oklch vary(struct oklch color, uint32_t shade, float lightness_varies)
{
    const uint32_t n_chromas = RV_COLOR_SHADES / RV_COLOR_LIGHTNESSES;
    float lightness = (float)(shade % RV_COLOR_LIGHTNESSES) / ((RV_COLOR_LIGHTNESSES - 1) / 2.0f) - 1;
    float chroma = (float)(shade / RV_COLOR_LIGHTNESSES) / ((float)(n_chromas - 1) / 2.0f) - 1;
    color.lightness = clamp(color.lightness + lightness * lightness_varies, LIGHTNESS_LEAST, LIGHTNESS_MOST);
    color.chroma *= 1 + chroma * CHROMA_VARIES;
    return color;
}

static struct oklch difference(uint32_t shade)
{
    float share = 2.0f * (float)shade / (RV_COLOR_SHADES - 1) - 1.0f;
    return share < 0 ? between(same, faster, -share) : between(same, slower, share);
}

static struct oklch contrasting_of(uint32_t slot)
{
    return to_oklch(slot == RV_COLOR_WAIT      ? contrasting_waiting
                    : slot == RV_COLOR_NEUTRAL ? contrasting_neutral
                                               : contrasting[slot % RV_COLOR_HUES % CONTRASTING]);
}

static struct oklch usual_of(uint32_t slot, uint32_t shade)
{
    if (slot == RV_COLOR_WAIT)
        return to_oklch(waiting);
    return slot == RV_COLOR_NEUTRAL ? vary(to_oklch(neutral), shade, GREY_VARIES)
                                    : vary(to_oklch(hues[slot % RV_COLOR_HUES]), shade, LIGHTNESS_VARIES);
}

static struct oklch front_of(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade)
{
    const bool is_state = slot >= RV_COLOR_SLOTS;
    switch (scheme) {
    case RV_COLOR_HIGH_CONTRAST:
        return contrasting_of(slot);
    case RV_COLOR_DURATION:
        return is_state ? usual_of(slot, shade) : between(shortest, longest, (float)shade / (RV_COLOR_SHADES - 1));
    case RV_COLOR_DIFFERENCE:
        if (is_state)
            return to_oklch(slot == RV_COLOR_WAIT ? waiting : neutral);
        return slot == RV_COLOR_ONE_RUN ? to_oklch(of_one_run) : difference(shade);
    case RV_COLOR_PACKAGE:
    case RV_COLOR_SUBROUTINE:
    case RV_COLOR_THREAD:
    case RV_COLOR_SCHEME_COUNT:
        break;
    }
    return usual_of(slot, shade);
}

struct rv_color_tones rv_color_tones_of(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade)
{
    struct oklch front = front_of(scheme, slot, shade), top = front, side = front;
    top.lightness += slot == RV_COLOR_WAIT ? WAIT_TOP_LIGHTER : TOP_LIGHTER;
    side.lightness -= SIDE_DARKER;
    return (struct rv_color_tones){from_oklch(front), from_oklch(top), from_oklch(side)};
}

/* Kept as 0xffRRGGBB once it was computed, 0 before: a legend asks for a dozen a frame, a minimap for one a pixel. */
struct rv_color rv_color_front_of(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade)
{
    static _Atomic uint32_t kept[RV_COLOR_SCHEME_COUNT][RV_COLOR_ROWS][RV_COLOR_SHADES];
    uint32_t front = atomic_load_explicit(&kept[scheme][slot][shade], memory_order_relaxed);
    if (!front) {
        const struct rv_color color = from_oklch(front_of(scheme, slot, shade));
        front = 0xffu << 24 | (uint32_t)color.r << 16 | (uint32_t)color.g << 8 | color.b;
        atomic_store_explicit(&kept[scheme][slot][shade], front, memory_order_relaxed);
    }
    return (struct rv_color){(uint8_t)(front >> 16), (uint8_t)(front >> 8), (uint8_t)front};
}

uint32_t rv_color_duration_shade(uint64_t duration_ns)
{
    float octave = log2f((float)(duration_ns ? duration_ns : 1)) - DURATION_OCTAVE_FIRST;
    return (uint32_t)clamp(octave / DURATION_OCTAVES * (RV_COLOR_SHADES - 1), 0, RV_COLOR_SHADES - 1);
}

enum rv_color_theme rv_color_theme_of(enum rv_color_scheme scheme, enum rv_color_theme theme)
{
    return scheme == RV_COLOR_HIGH_CONTRAST ? RV_COLOR_DARK : theme;
}

uint32_t rv_color_difference_shade(double octaves)
{
    double share = fmax(-1.0, fmin(1.0, octaves / DIFFERENCE_OCTAVES));
    return (uint32_t)lrint((share + 1.0) / 2.0 * (RV_COLOR_SHADES - 1));
}

static float luminance(struct rv_color color)
{
    return 0.2126f * rv_color_linear(color.r) + 0.7152f * rv_color_linear(color.g) + 0.0722f * rv_color_linear(color.b);
}

float rv_color_contrast(struct rv_color a, struct rv_color b)
{
    float x = luminance(a) + GLARE, y = luminance(b) + GLARE;
    return x > y ? x / y : y / x;
}

struct rv_color rv_color_ink(struct rv_color back)
{
    static const struct rv_color black = {0, 0, 0}, white = {255, 255, 255};
    return rv_color_contrast(back, black) > rv_color_contrast(back, white) ? black : white;
}

struct rv_color rv_color_faint_ink(struct rv_color back)
{
    bool is_white = rv_color_ink(back).r;
    float least = (luminance(back) + GLARE) * (is_white ? FAINT_CONTRAST : 1 / FAINT_CONTRAST) - GLARE;
    uint8_t grey = rv_color_byte(least);
    return (struct rv_color){grey, grey, grey};
}

const char *rv_color_theme_name(enum rv_color_theme theme)
{
    return theme == RV_COLOR_LIGHT ? "light" : "dark";
}

const char *rv_color_scheme_name(enum rv_color_scheme scheme)
{
    return names[scheme];
}

struct rv_color rv_color_gc(void)
{
    return (struct rv_color){0xe0, 0x70, 0x1c};
}
