#include "base/bisect.h"

#include <string.h>

size_t rv_bisect_count(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t most)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t key;
        memcpy(&key, (const char *)items + middle * item_bytes + key_offset, sizeof key);
        if (key <= most)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t rv_bisect_below(const void *items, size_t n, size_t item_bytes, size_t key_offset, uint64_t key)
{
    return key ? rv_bisect_count(items, n, item_bytes, key_offset, key - 1) : 0;
}
