/* Any bytes as an ELF file: what is found lies in the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patch/functions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rv_patch_image image;
    struct rv_patch_functions all;
    uint8_t *file = malloc(size ? size : 1); /* aligned, and its end guarded */
    if (!file)
        abort();
    memcpy(file, data, size);
    if (rv_patch_image_file(&image, file, size) == 0) {
        (void)rv_patch_functions_find(&all, &image);
        for (size_t i = 0; i < all.n_functions; i++) {
            struct rv_patch_code code;
            if (all.functions[i].refusal == RV_PATCH_FITS &&
                (!rv_patch_function_code(&image, &all.functions[i], &code) || code.bytes < file ||
                 code.n_function + code.n_padding > size - (size_t)(code.bytes - file)))
                abort();
        }
        rv_patch_functions_free(&all);
    }
    free(file);
    return 0;
}
