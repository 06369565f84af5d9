/*
 * Which colour each box has, in every scheme. No GL.
 *
 * Subroutines are grouped by package, or without one by the first part of their name ("lua_pushnil" -> "lua"). The
 * name of a group alone decides its colour: one of 12 hues, plain or striped, in one of four lightnesses. So a program
 * has the same colours in every run, live and recorded, whatever comes first (README.md).
 * A package with most of the area, as the executable of a plain C program, is split: its subroutines are groups.
 * States have colours of their own. A colour index is slot * 64 + shade; the texture has one texel per index and tone.
 */
#ifndef RV_RENDER_BOX_COLORS_H
#define RV_RENDER_BOX_COLORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/color.h"
#include "model/diff.h"
#include "model/stats.h"
#include "model/subroutines.h"
#include "model/view.h"

#define RV_BOX_COLORS_TONES 3u /* front, top, side */

struct rv_box_colors;

struct rv_box_colors *rv_box_colors_create(void);
void rv_box_colors_destroy(struct rv_box_colors *colors);

/* Copy them. */
void rv_box_colors_copy(struct rv_box_colors *into, const struct rv_box_colors *from);

enum rv_box_colors_stage {
    RV_BOX_COLORS_RESTING,  /* ranks and shares are this view's */
    RV_BOX_COLORS_MOVING,   /* they follow slowly: one of many views in a row */
    RV_BOX_COLORS_SETTLING, /* the same, and a package may be split: the capture has just begun */
};

/* Add the subroutines of this view. */
void rv_box_colors_update(struct rv_box_colors *colors, const struct rv_view *view, struct rv_subroutines *subroutines,
                          enum rv_box_colors_stage stage);

/* Take the groups' own times from statistics, where folds of views only have the time of their majority. Subroutines
 * that no view had get groups, too. */
void rv_box_colors_take_self_times(struct rv_box_colors *colors, const struct rv_stats_row *rows, size_t n,
                                   struct rv_subroutines *subroutines);

/* Rises when a group is new, and when a package is split or is not any more. */
uint64_t rv_box_colors_version(const struct rv_box_colors *colors);

/* Was a subroutine seen by an update? Others have their group's colour by rv_box_colors_index_of(). */
bool rv_box_colors_knows(const struct rv_box_colors *colors, uint32_t id);

/* Is there a package whose subroutines are groups? */
bool rv_box_colors_is_split(const struct rv_box_colors *colors);

/* Set the scheme; at first it is RV_COLOR_PACKAGE. */
void rv_box_colors_choose(struct rv_box_colors *colors, enum rv_color_scheme scheme);
enum rv_color_scheme rv_box_colors_scheme(const struct rv_box_colors *colors);

/* The comparison that RV_COLOR_DIFFERENCE shows; NULL = none. Borrowed until replaced. */
void rv_box_colors_set_diff(struct rv_box_colors *colors, const struct rv_diff *diff);

/*
 * Least height of a box as a share of its row: 1, except when the scheme shows differences by height too. Then the
 * height is least + (1 - least) * shade / greatest shade.
 */
float rv_box_colors_least_height(const struct rv_box_colors *colors);
float rv_box_colors_height(const struct rv_box_colors *colors, uint32_t colour_idx);

/* Colour index of a box of the last view, on a lane of this thread. */
uint32_t rv_box_colors_index(const struct rv_box_colors *colors, const struct rv_box *box, uint32_t thread);

/* The same for a subroutine that no view had, in schemes by subroutine or package. */
uint32_t rv_box_colors_index_of(const struct rv_box_colors *colors, const struct rv_subroutine *subroutine);

/* Front tone of a colour index. */
struct rv_color rv_box_colors_front(const struct rv_box_colors *colors, uint32_t colour_idx);

/* A group of subroutines in the last view. */
enum rv_box_colors_kind { RV_BOX_COLORS_STEM, RV_BOX_COLORS_PACKAGE, RV_BOX_COLORS_SUBROUTINE };

struct rv_box_colors_group {
    uint64_t key;        /* the same in all views as long as no package is split, or is not any more; not 0 */
    const char *package; /* of a subroutine that has an address instead of a name; else NULL */
    const char *name; /* of its package or subroutine, or the common begin of names; valid as long as the subroutines */
    size_t name_bytes;
    const char *file; /* with the line, of the subroutine that was met first; "" = unknown */
    uint32_t line;
    uint32_t n_members; /* subroutines */
    enum rv_box_colors_kind kind;
    bool is_state;
    double share, inclusive; /* of the own time, and of the inclusive time, of all subroutines */
    uint32_t slot, shade;    /* < RV_COLOR_ROWS; an average one */
};

/* Has a subroutine a package, in any view so far? */
bool rv_box_colors_has_packages(const struct rv_box_colors *colors);

/* The groups with most own time in the last view first, ties in order of appearance. Returns the number written. */
size_t rv_box_colors_rank(const struct rv_box_colors *colors, struct rv_box_colors_group *out, size_t max);

/* sRGB RGBA texels of a scheme, RV_COLOR_SHADES wide, row = slot * RV_BOX_COLORS_TONES + tone. */
#define RV_BOX_COLORS_TEXEL_BYTES (RV_COLOR_SHADES * RV_COLOR_ROWS * RV_BOX_COLORS_TONES * 4u)
void rv_box_colors_texels(enum rv_color_scheme scheme, uint8_t out[RV_BOX_COLORS_TEXEL_BYTES]);

#endif
