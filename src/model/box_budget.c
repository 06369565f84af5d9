#include "model/box_budget.h"

#include <math.h>
#include <stdbool.h>

#define SPARE_NUMERATOR 4u /* a finer level must fit into this share of the budget */
#define SPARE_DENOMINATOR 5u
#define SHRINK_MIN 0.5 /* of the budget, from one frame to the next */
#define GROW 1.15
#define GROW_BELOW 0.8  /* of a frame's time */
#define GROW_FILLED 0.5 /* of the budget */

uint32_t rv_box_budget_choose_level(const struct rv_level_choice *choice)
{
    uint32_t last = choice->last, level = choice->finest;
    bool keeps = last != RV_LEVEL_NONE && last >= choice->finest && last < choice->n_levels &&
                 choice->count(choice->context, last) <= choice->budget;
    size_t budget = keeps ? choice->budget / SPARE_DENOMINATOR * SPARE_NUMERATOR : choice->budget;
    uint32_t end = keeps ? last : choice->n_levels - 1;
    while (level < end && choice->count(choice->context, level) > budget)
        level++;
    return level;
}

/* As if drawing began when all had been asked for, which is slower than both at once. */
uint64_t rv_box_budget_alone_ns(const struct rv_frame_cost *cost)
{
    const uint64_t busy_ns = cost->n_drivers ? cost->own_ns + cost->driver_ns / cost->n_drivers : cost->wall_ns;
    return busy_ns < cost->wall_ns ? busy_ns : cost->wall_ns;
}

/* Of three slow frames in a row, the fastest tells what fits. */
static double shrunk(const struct rv_box_budget *budget, double fitting)
{
    const double n = (double)budget->n_boxes, least = n * SHRINK_MIN, *before = budget->fitted;
    const double fitted = fmax(fitting, fmax(before[0], before[1]));
    if (before[0] <= 0.0 || before[1] <= 0.0 || fitted >= n)
        return n;
    return fmax(fitted, least);
}

void rv_box_budget_learn(struct rv_box_budget *budget, size_t n_counted, uint64_t took_ns)
{
    const double took = (double)took_ns, wanted = (double)budget->frame_ns;
    const double fitting = took > wanted ? (double)n_counted * wanted / took : 0.0;
    double n = (double)budget->n_boxes;
    if (took > wanted)
        n = shrunk(budget, fitting);
    else if (took < GROW_BELOW * wanted && (double)n_counted > GROW_FILLED * n)
        n *= GROW;
    budget->fitted[1] = budget->fitted[0];
    budget->fitted[0] = fitting;
    n = n < (double)budget->least ? (double)budget->least : n;
    n = n > (double)budget->most ? (double)budget->most : n;
    budget->n_boxes = (size_t)n;
}
