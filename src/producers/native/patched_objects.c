/* An unloaded object is recognized by name, address and fingerprint: the loader reports nothing. */
#include "producers/native/patched_objects.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bisect.h"
#include "patch/prepared_file.h"
#include "producers/native/image_facts.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/patch_verdicts.h"
#include "producers/native/process.h"

struct rv_patched_objects rv_patched_objects;

static struct place {
    struct rv_patched_object_origin origin;
    uint64_t base;
    bool is_unloaded, is_replaced; /* to be dropped */
} places[RV_ATTACHMENT_OBJECTS];   /* of the objects */

struct rv_patcher_object *rv_patched_objects_take(const struct rv_patcher_object *object,
                                                  const struct rv_patched_object_origin *origin)
{
    places[rv_patched_objects.n] = (struct place){.origin = *origin, .base = object->image.bias};
    rv_patched_objects.all[rv_patched_objects.n] = *object;
    return &rv_patched_objects.all[rv_patched_objects.n++];
}

bool rv_patched_objects_have(const char *name, uint64_t base, bool is_of_syscalls)
{
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        if (places[i].origin.is_of_syscalls == is_of_syscalls && places[i].base == base &&
            strcmp(places[i].origin.name, name) == 0)
            return true;
    return false;
}

bool rv_patched_objects_is_there(size_t idx)
{
    return rv_loaded_objects_have(places[idx].base, places[idx].origin.name) &&
           rv_image_fingerprint(&rv_patched_objects.all[idx].image) == places[idx].origin.fingerprint;
}

bool rv_patched_objects_is_program(size_t idx)
{
    return !*places[idx].origin.name && !places[idx].origin.is_of_syscalls;
}

void rv_patched_objects_mark_unloaded(void)
{
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        places[i].is_unloaded = !rv_patched_objects_is_there(i);
}

/* While nothing follows the loader an object may have been loaded anew where it was, from a file that has changed. */
void rv_patched_objects_mark_replaced(void)
{
    for (size_t i = 0; i < rv_patched_objects.n; i++) {
        const struct rv_patched_object_origin *origin = &places[i].origin;
        struct stat now = {.st_ino = 0}; /* stays so where it is gone */
        (void)stat(origin->name, &now);
        places[i].is_replaced = origin->is_late || now.st_ino != origin->file.st_ino ||
                                now.st_dev != origin->file.st_dev || now.st_mtime != origin->file.st_mtime;
    }
}

/* Its stubs stay, unless it is unloaded: a thread may be in them. False: the lock was taken for too long. */
static bool drop(size_t idx)
{
    struct rv_patcher_object object = rv_patched_objects.all[idx];
    const struct place place = places[idx];
    if (!rv_process_lock_within())
        return false;
    rv_patch_verdicts_forget();
    rv_patched_objects.n--;
    rv_patched_objects.all[idx] = rv_patched_objects.all[rv_patched_objects.n];
    places[idx] = places[rv_patched_objects.n];
    rv_process_unlock();
    if (object.prepared.stubs && place.is_unloaded)
        munmap(object.prepared.stubs, object.prepared.n_stub_bytes);
    rv_patch_prepared_free_sites(&object.prepared);
    free(object.prepared.captured);
    rv_earlier_verdicts_free(&object.earlier);
    free(place.origin.name);
    return true;
}

int rv_patched_objects_drop(bool are_all)
{
    for (size_t i = rv_patched_objects.n; i-- > 0;)
        if ((are_all || places[i].is_unloaded || places[i].is_replaced) && !drop(i))
            return -EAGAIN;
    return 0;
}

bool rv_patched_objects_have_syscalls(void)
{
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        if (places[i].origin.is_of_syscalls && rv_patched_objects.all[i].prepared.n_sites)
            return true;
    return false;
}

bool rv_patched_objects_displace(uint64_t address)
{
    for (size_t i = 0; i < rv_patched_objects.n; i++) {
        const struct rv_patch_prepared *prepared = &rv_patched_objects.all[i].prepared;
        size_t n = rv_bisect_count(prepared->sites, prepared->n_sites, sizeof *prepared->sites,
                                   offsetof(struct rv_patch_site, address), address + RV_PATCH_JUMP_BYTES);
        while (n && prepared->sites[n - 1].is_use)
            n--;
        if (n && address < prepared->sites[n - 1].address + prepared->sites[n - 1].n_displaced)
            return true;
    }
    return false;
}

struct rv_wire_instrumentation rv_patched_objects_counts(void)
{
    struct rv_wire_instrumentation sum = {0};
    for (size_t i = 0; i < rv_patched_objects.n; i++) {
        const struct rv_wire_instrumentation *counts = &rv_patched_objects.all[i].prepared.counts;
        for (size_t k = 0; k < offsetof(struct rv_wire_instrumentation, runtime) / sizeof(uint32_t); k++)
            ((uint32_t *)&sum)[k] += ((const uint32_t *)counts)[k];
        sum.n_filtered += counts->n_filtered;
    }
    return sum;
}

#endif
