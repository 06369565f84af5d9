/* Signed distance fields of glyphs, as FreeType's, in a tenth of the time. Pure. */
#ifndef RV_GLYPHS_DISTANCE_FIELD_H
#define RV_GLYPHS_DISTANCE_FIELD_H

#include <stddef.h>
#include <stdint.h>

#define RV_DISTANCE_FIELD_SPREAD 6u /* px at which a field ends, at all sides of the glyph */

/*
 * The field of a glyph's coverage.
 *   out  (width + 2 * spread) x (height + 2 * spread): 128 at the edge, more inside
 */
void rv_distance_field(const uint8_t *coverage, size_t row_bytes, uint32_t width, uint32_t height, uint8_t *out);

#endif
