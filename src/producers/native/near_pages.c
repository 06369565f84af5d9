#include "producers/native/near_pages.h"

#include <stdbool.h>
#include <sys/mman.h>

#define PAGE 4096ull
#define REACH 0x7f000000ull /* 2 GiB, less room to spare */
#define STEP 0x100000ull
#define N_TRIES 1024

void *rv_near_pages_map(uint64_t first, uint64_t last, size_t n_bytes)
{
    const uint64_t size = (n_bytes + PAGE - 1) & ~(PAGE - 1), lowest = last > REACH ? last - REACH : PAGE * 16;
    for (unsigned i = 0; i < 2 * N_TRIES; i++) {
        bool is_below = i < N_TRIES;
        uint64_t at = is_below ? (first & ~(PAGE - 1)) - size - (i + 1) * STEP
                               : (first & ~(PAGE - 1)) + REACH - size - (i - N_TRIES) * STEP;
        if (is_below && (at < lowest || at > first))
            continue;
        void *pages = mmap((void *)(uintptr_t)at, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (pages == (void *)(uintptr_t)at)
            return pages;
        if (pages != MAP_FAILED)
            munmap(pages, size);
    }
    return NULL;
}
