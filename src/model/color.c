/*
 * Tones are made in OKLCH, where equal steps look equal, and brought back into sRGB by giving up chroma.
 * The palette was searched for the largest least distance under normal and the three kinds of dichromatic sight, with
 * the greys and the orange of the states as fixed members: 14.6 / 9.2 / 9.0 / 8.4 (100 times OKLab distance).
 */
#include "model/color.h"

#include <math.h>
#include <stdbool.h>

#define TOP_LIGHTER 0.10f
#define SIDE_DARKER 0.17f
#define LIGHTNESS_VARIES 0.030f /* each way, by subroutine */
#define CHROMA_VARIES 0.12f     /* as a share */

struct oklch {
    float lightness, chroma, hue;
};

static const struct rv_color palette[RV_COLOR_SLOTS] = {
    {0xb6, 0x5e, 0x3a}, {0xbb, 0xaa, 0x80}, {0xf0, 0xce, 0x4d}, {0x66, 0xe9, 0xa7},
    {0x29, 0xbe, 0xc3}, {0xa2, 0x9a, 0xfe}, {0xd3, 0xc9, 0xf7}, {0x9c, 0x5a, 0xb5},
};
static const struct rv_color neutral = {0x76, 0x7b, 0x84};

static float to_linear(uint8_t value)
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
    float r = to_linear(color.r), g = to_linear(color.g), b = to_linear(color.b);
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

static uint8_t to_byte(float linear)
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
    return (struct rv_color){to_byte(rgb[0]), to_byte(rgb[1]), to_byte(rgb[2])};
}

static float clamp(float v, float least, float most)
{
    return v < least ? least : v > most ? most : v;
}

struct rv_color_tones rv_color_subroutine(uint32_t slot, uint32_t subroutine_hash)
{
    struct oklch front = to_oklch(slot < RV_COLOR_SLOTS ? palette[slot] : neutral), top, side;
    float lightness = (float)(subroutine_hash & 255) / 127.5f - 1,
          chroma = (float)(subroutine_hash >> 8 & 255) / 127.5f - 1;
    front.lightness = clamp(front.lightness + lightness * LIGHTNESS_VARIES, 0.35f, 0.88f);
    front.chroma *= 1 + chroma * CHROMA_VARIES;
    top = side = front;
    top.lightness += TOP_LIGHTER;
    side.lightness -= SIDE_DARKER;
    return (struct rv_color_tones){from_oklch(front), from_oklch(top), from_oklch(side)};
}

struct rv_color rv_color_gc(void)
{
    return (struct rv_color){0xe0, 0x70, 0x1c};
}

struct rv_color rv_color_wait(void)
{
    return (struct rv_color){0x47, 0x4b, 0x52};
}
