/*
 * How much is drawn: the level of detail, which does not flicker where the number of boxes is about what is allowed,
 * and how many boxes are allowed, by what frames have cost. Pure.
 */
#ifndef RV_MODEL_LOD_H
#define RV_MODEL_LOD_H

#include <stddef.h>
#include <stdint.h>

#define RV_LOD_NONE UINT32_MAX

struct rv_lod_choice {
    uint32_t finest, n_levels; /* those to choose from: finest <= level < n_levels */
    uint32_t last;             /* the level of the frame before; RV_LOD_NONE = none */
    size_t budget;
    uint64_t (*count)(void *context, uint32_t level); /* boxes of a level: never more for a coarser one */
    void *context;
};

/*
 * The finest level whose count fits the budget, the coarsest where none does. The last one is kept while it fits and
 * no finer one fits with a fifth to spare.
 */
uint32_t rv_lod_choose(const struct rv_lod_choice *choice);

struct rv_lod_budget {
    size_t n_boxes, least, most;
    uint64_t frame_ns; /* that a frame should take at most */
};

/* A frame of this many boxes took so long: allow fewer, or more if it was the budget that kept it short. */
void rv_lod_learn(struct rv_lod_budget *budget, size_t n_drawn, uint64_t took_ns);

#endif
