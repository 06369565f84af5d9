/* A PNG file of RGBA pixels, by libpng. */
#ifndef RV_RENDER_PNG_H
#define RV_RENDER_PNG_H

#include <stdint.h>

/*
 * Rows top first. Never leaves half a file: writes a temporary file and renames it; writes devices and pipes directly.
 *   returns  0 or negative errno with one line printed
 */
int rv_png_write(const char *path, const uint8_t *rgba, int width_px, int height_px);

#endif
