/* A table that is only added to: an entry stays its object's, with or without a name. */
#include "producers/native/object_names.h"

#include <stddef.h>

#include "base/hash.h"
#include "ringviz/producer.h"

#define N_ENTRIES 16384u
#define MOST_PROBES 16u

static struct entry {
    uint64_t object; /* [atomic] 0: free */
    uint32_t name;   /* [atomic] id; 0: none */
} entries[N_ENTRIES];
bool rv_object_names_are_given;

/* takes: a free entry becomes the object's. NULL: none is, or none is free. */
static struct entry *find(uint64_t object, bool takes)
{
    const uint64_t hash = rv_hash_u64(object);
    for (uint64_t i = 0; i < MOST_PROBES; i++) {
        struct entry *entry = &entries[(hash + i) % N_ENTRIES];
        uint64_t found = __atomic_load_n(&entry->object, __ATOMIC_RELAXED);
        if (!found && !takes)
            return NULL;
        if (!found &&
            __atomic_compare_exchange_n(&entry->object, &found, object, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return entry;
        if (found == object)
            return entry;
    }
    return NULL;
}

uint32_t rv_object_names_look_up(const void *object)
{
    const struct entry *entry = find((uint64_t)(uintptr_t)object, false);
    return entry ? __atomic_load_n(&entry->name, __ATOMIC_RELAXED) : 0;
}

RV_EXPORT void ringviz_name_object(const void *object, const char *name)
{
    const uint32_t id = name ? ringviz_intern("", name, NULL, 0) : 0;
    struct entry *entry = find((uint64_t)(uintptr_t)object, id != 0);
    if (!entry)
        return;
    __atomic_store_n(&entry->name, id, __ATOMIC_RELAXED);
    __atomic_store_n(&rv_object_names_are_given, true, __ATOMIC_RELAXED);
}
