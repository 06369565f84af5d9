/* Any bytes as the begin of a function, a guest or a host: moved code fits into its place and replaces whole
 * instructions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patch/move_instructions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ADDRESS 0x400000u
#define FURTHER 0x10000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rv_patch_decoder decoder;
    struct rv_patch_moved moved;
    struct rv_patch_instruction in;
    if (size == 0)
        return 0;
    static const size_t N_WRITTEN[] = {RV_PATCH_JUMP_BYTES, RV_PATCH_SHORT_BYTES, RV_PATCH_HOST_BYTES};
    size_t n_padding = data[0] % size, n_written = N_WRITTEN[data[0] / 64 % 3];
    uint8_t *code = malloc(size);
    if (!code)
        abort();
    memcpy(code, data, size);
    rv_patch_decoder_init(&decoder);
    const struct rv_patch_code from = {code, ADDRESS, size - n_padding, n_padding, n_written};
    if (rv_patch_move(&decoder, &from, ADDRESS + FURTHER, &moved) == RV_PATCH_FITS) {
        if (moved.n_bytes > sizeof moved.bytes || moved.n_displaced < n_written || moved.n_displaced > size)
            abort();
        for (size_t at = 0; at < moved.n_bytes; at += in.n_bytes)
            if (!rv_patch_decode(&decoder, moved.bytes + at, moved.n_bytes - at, ADDRESS + FURTHER + at, &in))
                abort();
    }
    free(code);
    return 0;
}
