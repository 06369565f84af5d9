/* Colours: hue by package, lightness by subroutine, one neutral for what is not among the first packages. */
#ifndef RV_MODEL_COLOR_H
#define RV_MODEL_COLOR_H

#include <stdint.h>

#define RV_COLOR_SLOTS 8u

struct rv_color {
    uint8_t r, g, b;
};

/* Three tones of one subroutine: front, top, side. Pure. slot >= RV_COLOR_SLOTS is neutral grey. */
struct rv_color_tones {
    struct rv_color front, top, side;
};
struct rv_color_tones rv_color_subroutine(uint32_t slot, uint32_t subroutine_hash);
struct rv_color rv_color_gc(void);
struct rv_color rv_color_wait(void);

#endif
