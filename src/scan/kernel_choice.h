/*
 * When the vector kernels use the scalar one: for each irregular group, and for longer stretches where irregular groups
 * are so frequent that the scalar kernel is faster.
 */
#ifndef RV_SCAN_KERNEL_CHOICE_H
#define RV_SCAN_KERNEL_CHOICE_H

#include <stdint.h>

#define RV_KERNEL_CHOICE_GROUP 8u
#define RV_KERNEL_CHOICE_NEAR 24u
#define RV_KERNEL_CHOICE_MANY_NEAR 12u
#define RV_KERNEL_CHOICE_SCALAR 512u

struct rv_kernel_choice { /* zero at the start of a run */
    uint32_t last_irregular, n_near;
};

/* The group at event i of n is irregular: returns the number of events to give to the scalar kernel. */
static inline uint32_t rv_kernel_choice_irregular(struct rv_kernel_choice *choice, uint32_t i, uint32_t n)
{
    choice->n_near = i - choice->last_irregular < RV_KERNEL_CHOICE_NEAR ? choice->n_near + 1 : 0;
    uint32_t n_scalar = choice->n_near < RV_KERNEL_CHOICE_MANY_NEAR ? RV_KERNEL_CHOICE_GROUP : RV_KERNEL_CHOICE_SCALAR;
    n_scalar = n - i < n_scalar ? n - i : n_scalar;
    choice->last_irregular = i + n_scalar;
    return n_scalar;
}

#endif
