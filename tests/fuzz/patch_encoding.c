/* Any bytes as an instruction: the tables agree with Zydis, and nothing behind the bytes is read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "encoding_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        uint8_t *code = malloc(size - at);
        if (!code)
            abort();
        memcpy(code, data + at, size - at);
        if (encoding_oracle_compare(code, size - at))
            abort();
        free(code);
    }
    return 0;
}
