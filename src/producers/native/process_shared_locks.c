#include "producers/native/process_shared_locks.h"

#include "base/hash.h"
#include "base/mappings.h"
#include "base/os.h"
#include "producers/native/file_text.h"
#include "producers/native/own_files.h"
#include "producers/native/pages.h"

#define INDEX_BITS 10
#define N_ENTRIES (1u << INDEX_BITS)
#define INDEX_MASK (N_ENTRIES - 1)
#define ALIGN_BITS 3
#define NAME_BITS 30 /* of an entry; above them the object's address without index and alignment */
#define ADDRESS_SHIFT (INDEX_BITS + ALIGN_BITS)

static uint64_t entries[N_ENTRIES]; /* [atomic] 0: free. An object takes the place of another */
/* Of the same objects; 0: none. Processes that learn one at once may give it two names. */
static uint32_t keys[N_ENTRIES]; /* [atomic] */
bool rv_process_shared_locks_are_learned;

/* Objects that have a page each, as named semaphores do, differ in the bits above it. */
static unsigned index_of(uint64_t address)
{
    return (address >> ALIGN_BITS ^ address >> ADDRESS_SHIFT) & INDEX_MASK;
}

/* Is it the object's, with or without a name? */
static bool is_of(uint64_t entry, uint64_t address)
{
    return entry >> NAME_BITS == address >> ADDRESS_SHIFT;
}

static uint64_t address_at(unsigned index, uint64_t entry)
{
    const uint64_t high = entry >> NAME_BITS;
    return high << ADDRESS_SHIFT | ((index ^ high) & INDEX_MASK) << ALIGN_BITS;
}

uint32_t rv_process_shared_locks_look_up_name(const void *object)
{
    const uint64_t address = (uint64_t)(uintptr_t)object;
    const uint64_t entry = __atomic_load_n(&entries[index_of(address)], __ATOMIC_RELAXED);
    return is_of(entry, address) ? (uint32_t)(entry & ((1u << NAME_BITS) - 1)) : 0;
}

uint32_t rv_process_shared_locks_look_up_key(const void *object)
{
    return rv_process_shared_locks_look_up_name(object)
               ? __atomic_load_n(&keys[index_of((uintptr_t)object)], __ATOMIC_RELAXED)
               : 0;
}

struct search {
    uint64_t address;
    struct rv_mappings mappings; /* which has the found one's path */
    struct rv_mapping found;
    bool is_found;
};

static void search(void *context)
{
    struct search *search = context;
    if (rv_mappings_open(&search->mappings, rv_os_proc_pid()) != 0)
        return;
    while (!search->is_found && rv_mappings_next(&search->mappings, &search->found))
        search->is_found = search->found.start <= search->address && search->address < search->found.end;
    rv_mappings_close(&search->mappings);
}

static void enter(uint64_t address, const struct search *searched)
{
    const unsigned i = index_of(address);
    const struct rv_mapping *found = &searched->found;
    uint64_t name = 0;
    if (searched->is_found && found->inode) {
        const uint64_t at = found->offset + (address - found->start);
        name = rv_file_text_id_in(found->path, found->inode, at);
        __atomic_store_n(&keys[i], (uint32_t)rv_hash_combine(found->inode, at) | 1, __ATOMIC_RELAXED);
    }
    name = name >> NAME_BITS ? 0 : name;
    __atomic_store_n(&entries[i], address >> ADDRESS_SHIFT << NAME_BITS | name, __ATOMIC_RELAXED);
    __atomic_store_n(&rv_process_shared_locks_are_learned, true, __ATOMIC_RELAXED);
}

/* A line of a path is too much for the stack of a signal handler. */
void rv_process_shared_locks_learn(const void *object)
{
    const uint64_t address = (uint64_t)(uintptr_t)object;
    if (is_of(__atomic_load_n(&entries[index_of(address)], __ATOMIC_RELAXED), address))
        return;
    struct search *context = rv_pages_map(sizeof *context);
    if (!context)
        return;
    context->address = address;
    rv_own_files_run(search, context);
    enter(address, context);
    rv_pages_unmap(context, sizeof *context);
}

void rv_process_shared_locks_forget(const void *memory, size_t n_bytes)
{
    if (!__atomic_load_n(&rv_process_shared_locks_are_learned, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < N_ENTRIES; i++) {
        uint64_t entry = __atomic_load_n(&entries[i], __ATOMIC_RELAXED);
        if (entry && address_at(i, entry) - (uint64_t)(uintptr_t)memory < n_bytes)
            (void)__atomic_compare_exchange_n(&entries[i], &entry, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}
