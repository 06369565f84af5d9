/* A table of recently used files: each entry is one word, so that threads need no lock. */
#include "producers/native/file_names.h"

#include <string.h>

#include "base/hash.h"
#include "ringviz/producer.h"

#define N_ENTRIES 256u

static uint64_t entries[N_ENTRIES]; /* [atomic] upper half of the text's hash, then the id */

uint32_t rv_file_names_id(const char *path)
{
    const uint64_t hash = rv_hash_bytes(path, strlen(path));
    uint64_t *entry = &entries[hash % N_ENTRIES];
    const uint64_t known = __atomic_load_n(entry, __ATOMIC_RELAXED);
    if (known && known >> 32 == hash >> 32)
        return (uint32_t)known;
    if (!ringviz_is_active())
        return 0;
    const uint32_t id = ringviz_intern("", "", path, 0);
    __atomic_store_n(entry, hash >> 32 << 32 | id, __ATOMIC_RELAXED);
    return id;
}
