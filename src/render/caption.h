/* Subroutine names short enough for the face they stand on. No GL. */
#ifndef RV_RENDER_CAPTION_H
#define RV_RENDER_CAPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "render/font.h"

/*
 * Shorten from the left until the text fits: "A::B::c", "B::c", "c", then "c" cut with an ellipsis. Arguments and
 * template parameters are no components, and go first. width_px  room, at the face's own size returns   false when not
 * even two characters fit
 */
bool rv_caption_fit(const char *full_name, enum rv_font font, float width_px, char *out, size_t out_bytes);

#endif
