/*
 * Colours: schemes define the meaning of a colour; tones are its shades on the faces of a box.
 *
 * A colour is a slot and a shade. The first RV_COLOR_HUES slots are plain, the other RV_COLOR_HUES are the same hues
 * with stripes in the picture; then follow a neutral one for all others and one for waiting.
 */
#ifndef RV_MODEL_COLOR_H
#define RV_MODEL_COLOR_H

#include <stdbool.h>
#include <stdint.h>

#define RV_COLOR_HUES 12u
#define RV_COLOR_SLOTS 24u
#define RV_COLOR_ONE_RUN 12u /* scheme difference: slot of subroutines that only one run has */
#define RV_COLOR_NEUTRAL 24u
#define RV_COLOR_WAIT 25u
#define RV_COLOR_ROWS 26u
#define RV_COLOR_LIGHTNESSES 8u /* shade = a step of chroma * RV_COLOR_LIGHTNESSES + one of lightness */
#define RV_COLOR_SHADES 64u
#define RV_COLOR_STEPS 4u /* of lightness, which look different: two shades each */

enum rv_color_scheme {
    RV_COLOR_PACKAGE,       /* slot: package; shade: subroutine */
    RV_COLOR_SUBROUTINE,    /* slot and shade: subroutine */
    RV_COLOR_THREAD,        /* slot: thread; shade: subroutine */
    RV_COLOR_DURATION,      /* shade: length of the call, rising in lightness */
    RV_COLOR_HIGH_CONTRAST, /* as package; every colour is 7:1 against the dark background, edges are black */
    RV_COLOR_DIFFERENCE,    /* for two compared runs. Slot 0: shade from faster to slower; RV_COLOR_ONE_RUN */
    RV_COLOR_SCHEME_COUNT
};

/* Has each package its colours? */
static inline bool rv_color_is_by_package(enum rv_color_scheme scheme)
{
    return scheme == RV_COLOR_PACKAGE || scheme == RV_COLOR_HIGH_CONTRAST;
}

/* Number of schemes for any trace; the ones after need a comparison. */
#define RV_COLOR_PLAIN_SCHEMES RV_COLOR_DIFFERENCE

enum rv_color_theme { RV_COLOR_DARK, RV_COLOR_LIGHT, RV_COLOR_THEME_COUNT }; /* the background of everything drawn */

/* The names used on the command line and in the settings file. */
const char *rv_color_scheme_name(enum rv_color_scheme scheme);
const char *rv_color_theme_name(enum rv_color_theme theme);

struct rv_color {
    uint8_t r, g, b;
};

/* Three tones of one colour: front, top, side. Pure. slot < RV_COLOR_ROWS, shade < RV_COLOR_SHADES. */
struct rv_color_tones {
    struct rv_color front, top, side;
};
struct rv_color_tones rv_color_tones_of(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade);

/* One of the shades of a step of lightness, which is any number; hash chooses one, in a whole cycle all of them. */
static inline uint32_t rv_color_shade_of(uint32_t step, uint32_t hash)
{
    const uint32_t n_each = RV_COLOR_LIGHTNESSES / RV_COLOR_STEPS;
    return hash % RV_COLOR_SHADES / RV_COLOR_LIGHTNESSES * RV_COLOR_LIGHTNESSES + step % RV_COLOR_STEPS * n_each +
           hash % n_each;
}

/* The front tone, in a third of the time. */
struct rv_color rv_color_front_of(enum rv_color_scheme scheme, uint32_t slot, uint32_t shade);

/* The theme actually used for a scheme: high contrast is always dark. */
enum rv_color_theme rv_color_theme_of(enum rv_color_scheme scheme, enum rv_color_theme theme);

/* An sRGB byte to linear 0..1, and back; values outside are clamped. */
float rv_color_linear(uint8_t value);
uint8_t rv_color_byte(float linear);

/* 1 to 21, as WCAG defines it; text needs 4.5. */
float rv_color_contrast(struct rv_color a, struct rv_color b);

/* Text colours on a background: black or white, whichever has more contrast (at least 4.58); and a grey on the same
 * side with contrast 4.5. */
struct rv_color rv_color_ink(struct rv_color back);
struct rv_color rv_color_faint_ink(struct rv_color back);

/* The shade of a duration: 0 below 128 ns, the last from 8.6 s on, logarithmic in between. */
uint32_t rv_color_duration_shade(uint64_t duration_ns);

/* The shade of a difference, given the base-2 logarithm of the ratio of times. The middle is no difference, the ends
 * are 4 times as fast and as slow. */
uint32_t rv_color_difference_shade(double octaves);

/* The colour of garbage collections. */
struct rv_color rv_color_gc(void);

#endif
