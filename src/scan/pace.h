/*
 * When the vector kernels use the scalar one: for each irregular group, and for longer stretches where irregular groups
 * are so frequent that the scalar kernel is faster.
 */
#ifndef RV_SCAN_PACE_H
#define RV_SCAN_PACE_H

#include <stdint.h>

#define RV_PACE_GROUP 8u
#define RV_PACE_NEAR 24u
#define RV_PACE_MANY_NEAR 12u
#define RV_PACE_SCALAR 512u

struct rv_pace { /* zero at the start of a run */
    uint32_t last_irregular, n_near;
};

/* The group at event i of n is irregular: returns the number of events to give to the scalar kernel. */
static inline uint32_t rv_pace_irregular(struct rv_pace *pace, uint32_t i, uint32_t n)
{
    pace->n_near = i - pace->last_irregular < RV_PACE_NEAR ? pace->n_near + 1 : 0;
    uint32_t n_scalar = pace->n_near < RV_PACE_MANY_NEAR ? RV_PACE_GROUP : RV_PACE_SCALAR;
    n_scalar = n - i < n_scalar ? n - i : n_scalar;
    pace->last_irregular = i + n_scalar;
    return n_scalar;
}

#endif
