/*
 * Colours: schemes that say what a colour stands for, and the tones in which a box is lit.
 *
 * A colour is a slot and a shade. The first RV_COLOR_HUES slots are plain, the other RV_COLOR_HUES are told apart by
 * their pattern too (the picture stripes them); then come one neutral for all others and one for waiting.
 */
#ifndef RV_MODEL_COLOR_H
#define RV_MODEL_COLOR_H

#include <stdint.h>

#include "model/color_theme.h"

#define RV_COLOR_HUES 8u
#define RV_COLOR_SLOTS 16u
#define RV_COLOR_ONE_RUN 8u /* of the scheme difference: what only one of the runs has */
#define RV_COLOR_NEUTRAL 16u
#define RV_COLOR_WAIT 17u
#define RV_COLOR_ROWS 18u
#define RV_COLOR_SHADES 64u

enum rv_color_scheme {
    RV_COLOR_PACKAGE,       /* slot: package; shade: subroutine */
    RV_COLOR_SUBROUTINE,    /* slot and shade: subroutine */
    RV_COLOR_THREAD,        /* slot: thread; shade: subroutine */
    RV_COLOR_DURATION,      /* shade: length of the call, rising in lightness */
    RV_COLOR_HIGH_CONTRAST, /* as package; every colour is 7:1 against the dark background, edges are black */
    RV_COLOR_DIFFERENCE,    /* of two runs that are compared. Slot 0: shade from faster to slower; RV_COLOR_ONE_RUN */
    RV_COLOR_SCHEME_COUNT
};

/* Schemes that any trace has come before the one that a comparison has. */
#define RV_COLOR_PLAIN_SCHEMES RV_COLOR_DIFFERENCE

/* As on the command line. */
const char *rv_color_scheme_name(enum rv_color_scheme scheme);

struct rv_color {
    uint8_t r, g, b;
};

/* Three tones of one colour: front, top, side. Pure. slot < RV_COLOR_ROWS, shade < RV_COLOR_SHADES. */
struct rv_color_tones {
    struct rv_color front, top, side;
};
struct rv_color_tones rv_color_tones(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade);

/* What a scheme is shown on when this theme is asked for: high contrast is dark. */
enum rv_color_theme rv_color_theme_of(enum rv_color_scheme scheme, enum rv_color_theme theme);

/* Linear 0..1 of an sRGB byte, and back; what lies outside is cut off. */
float rv_color_linear(uint8_t value);
uint8_t rv_color_byte(float linear);

/* 1 to 21, as WCAG defines it; text needs 4.5. */
float rv_color_contrast(struct rv_color a, struct rv_color b);

/* For text on a colour: black or white, whichever is read better, which is 4.58 at least; and the grey on the same side
 * that is still read, 4.5. */
struct rv_color rv_color_ink(struct rv_color back);
struct rv_color rv_color_faint_ink(struct rv_color back);

/* The shade of a duration: 0 below 128 ns, the last from 8.6 s on, equal factors between. */
uint32_t rv_color_duration_shade(uint64_t duration_ns);

/* The shade of a difference: how many times as long, as a logarithm to base 2. The middle is none, the ends are 4 times
 * as fast and as slow. */
uint32_t rv_color_difference_shade(double octaves);

struct rv_color rv_color_gc(void);

#endif
