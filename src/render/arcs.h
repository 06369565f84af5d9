/*
 * The pass that draws arcs between lanes: below all names; what stands in front lets them shine through. Main thread,
 * with a current context.
 */
#ifndef RV_RENDER_ARCS_H
#define RV_RENDER_ARCS_H

#include "render/arc_list.h"
#include "render/pass.h"

struct rv_arcs; /* opaque */

/* 0 through *arcs, or -ENOTSUP with one line printed. */
int rv_arcs_create(struct rv_arcs **arcs);
void rv_arcs_destroy(struct rv_arcs *arcs);

/* Draw a list; chosen: the one that stands out, RV_ARCS_NONE = none. Does not write depth; leaves blending on. */
#define RV_ARCS_NONE SIZE_MAX
void rv_arcs_draw(struct rv_arcs *arcs, const struct rv_pass *pass, const struct rv_arc_list *list, size_t chosen,
                  float scale);

#endif
