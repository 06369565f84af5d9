#include "model/slab.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

Test(slab, blocks_do_not_overlap_and_come_back, .timeout = 60)
{
    enum { N = 200 };
    unsigned char *blocks[N];
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < N; i++) {
            blocks[i] = rv_slab_take();
            cr_assert_eq((uintptr_t)blocks[i] % RV_SLAB_BYTES, 0);
            memset(blocks[i], (int)i, RV_SLAB_BYTES);
        }
        for (unsigned i = 0; i < N; i += 2) {
            rv_slab_give(blocks[i]);
            blocks[i] = rv_slab_take();
            memset(blocks[i], (int)i, RV_SLAB_BYTES);
        }
        for (unsigned i = 0; i < N; i++) {
            cr_assert_eq(blocks[i][0], i);
            cr_assert_eq(blocks[i][RV_SLAB_BYTES - 1], i);
        }
        for (unsigned i = 0; i < N; i++)
            rv_slab_give(blocks[(i * 7) % N]);
    }
    rv_slab_give(NULL);
}
