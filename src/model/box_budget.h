/*
 * Level of detail: chooses the level, with hysteresis against flicker near the box budget, and adapts the budget to the
 * time that frames take. Pure.
 */
#ifndef RV_MODEL_BOX_BUDGET_H
#define RV_MODEL_BOX_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#define RV_LEVEL_NONE UINT32_MAX

struct rv_level_choice {
    uint32_t finest, n_levels; /* the choice: finest <= level < n_levels */
    uint32_t last;             /* the previous frame's level; RV_LEVEL_NONE = none */
    size_t budget;
    uint64_t (*count)(void *context, uint32_t level); /* number of boxes of a level; falls with coarser levels */
    void *context;
};

/*
 * The finest level whose count fits the budget, the coarsest if none does. The last level is kept while it fits and
 * no finer one fits with a fifth to spare.
 */
uint32_t rv_box_budget_choose_level(const struct rv_level_choice *choice);

/* What a window without a GPU begins with: on two CPUs, about as many boxes as 80 ms allow in the view that costs
 * most. */
#define RV_BOX_BUDGET_SOFTWARE 40000u

struct rv_box_budget {
    size_t n_boxes, least, most;
    uint64_t frame_ns; /* the longest a frame should take */
    double fitted[2];  /* boxes for which the last two frames had time, the last one first; 0: it did not take longer */
};

struct rv_frame_cost {
    uint64_t wall_ns;
    uint64_t own_ns, driver_ns; /* CPU time of the thread that asked for it, and of all that drew it */
    size_t n_drivers;           /* that draw at the same time; 0: not known, nor is driver_ns */
};

/* The time that a frame would have taken if its threads had waited for no CPU: at most what it took. */
uint64_t rv_box_budget_alone_ns(const struct rv_frame_cost *cost);

/*
 * Adapt the budget to a frame's time: fewer boxes if it and the two before were slow; more if fast and near the budget.
 * One or two slow frames teach nothing: those are the first of a window or of a view mode, for which the driver
 * compiles shaders.
 *   n_counted  the frame's boxes, as the budget counts them: before narrow ones were joined
 */
void rv_box_budget_learn(struct rv_box_budget *budget, size_t n_counted, uint64_t took_ns);

#endif
