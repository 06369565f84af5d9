/* A PNG file of RGBA pixels, by libpng. */
#ifndef RV_RENDER_PNG_H
#define RV_RENDER_PNG_H

#include <stdint.h>

/*
 * Rows top first. Never overwrites half a file: written beside and renamed; devices and pipes are written to. 0 or
 * negative errno, one line printed.
 */
int rv_png_write(const char *path, const uint8_t *rgba, int width_px, int height_px);

#endif
