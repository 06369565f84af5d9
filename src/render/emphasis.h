/* Emphasis of boxes: highlighted, search hit or dimmed by a filter. No GL. */
#ifndef RV_RENDER_EMPHASIS_H
#define RV_RENDER_EMPHASIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/box.h"

enum rv_emphasis { RV_EMPHASIS_NONE, RV_EMPHASIS_DIMMED, RV_EMPHASIS_ALIKE, RV_EMPHASIS_CHOSEN };

struct
    rv_highlight { /* a box: outlined under the cursor; if pinned, it and others of its subroutine are highlighted and
                         the rest is dimmed */
    uint32_t id;
    uint32_t box; /* UINT32_MAX = not in this view */
    bool is_pinned;
};

/* Emphasis of box box_idx of a view. The highlight (may be NULL) precedes hits, and hits precede dimming.
 */
enum rv_emphasis rv_emphasis_of(const struct rv_highlight *highlight, const struct rv_box *box, size_t box_idx);

#endif
