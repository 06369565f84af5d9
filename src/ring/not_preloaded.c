/*
 *   N1 -> N2   a path is written before its slot says so
 */
#include "ring/not_preloaded.h"

#include <string.h>

#include "base/text.h"

enum { NONE, BEING_WRITTEN, THERE };

void rv_not_preloaded_add(struct rv_wire_header *header, enum rv_not_preloaded reason, const char *path)
{
    struct rv_wire_not_preloaded *first = &header->first_not_preloaded[reason];
    uint64_t *n = reason == RV_NOT_PRELOADED_STATIC ? &header->n_static_programs : &header->n_programs_not_preloaded;
    uint32_t state = NONE;
    if (__atomic_compare_exchange_n(&first->state, &state, BEING_WRITTEN, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        memcpy(first->path, path, strnlen(path, sizeof first->path - 1));
        __atomic_store_n(&first->state, THERE, __ATOMIC_RELEASE); /* N1 -> N2 */
    }
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

uint64_t rv_not_preloaded_n(const struct rv_wire_header *header)
{
    return __atomic_load_n(&header->n_programs_not_preloaded, __ATOMIC_RELAXED);
}

uint64_t rv_not_preloaded_n_static(const struct rv_wire_header *header)
{
    return __atomic_load_n(&header->n_static_programs, __ATOMIC_RELAXED);
}

bool rv_not_preloaded_first(const struct rv_wire_header *header, enum rv_not_preloaded reason,
                            char path[4 * RV_WIRE_NOT_PRELOADED_BYTES])
{
    const struct rv_wire_not_preloaded *first = &header->first_not_preloaded[reason];
    if (__atomic_load_n(&first->state, __ATOMIC_ACQUIRE) != THERE) /* N2 <- N1 */
        return false;
    (void)rv_text_escape(path, 4 * RV_WIRE_NOT_PRELOADED_BYTES, first->path, strnlen(first->path, sizeof first->path));
    return true;
}
