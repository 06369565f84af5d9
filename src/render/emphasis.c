#include "render/emphasis.h"

enum rv_emphasis rv_emphasis_of(const struct rv_highlight *highlight, const struct rv_box *box, size_t box_idx)
{
    if (highlight && box->id == highlight->id)
        return box_idx == highlight->box ? RV_EMPHASIS_CHOSEN : RV_EMPHASIS_ALIKE;
    if (box->flags & RV_BOX_HIT)
        return RV_EMPHASIS_ALIKE;
    return highlight || (box->flags & RV_BOX_DIMMED) ? RV_EMPHASIS_DIMMED : RV_EMPHASIS_NONE;
}
