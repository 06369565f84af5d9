#include "producers/native/next_object.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mappings.h"
#include "patch/dynamic_section.h"
#include "patch/plan_file.h"
#include "patch/prepared_file.h"
#include "producers/native/captured_arguments.h"
#include "producers/native/dynamic_loader.h"
#include "producers/native/image_facts.h"
#include "producers/native/libcalls.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/near_pages.h"
#include "producers/native/patched_calls.h"
#include "producers/native/patched_objects.h"
#include "producers/native/process.h"
#include "producers/native/second_cpu.h"
#include "producers/native/thread.h"

/* Compiled regular expressions of V8 call it with the address of its return address. */
#define V8_KEPT "CheckStackGuardState"

static const void *libc_code; /* an address in it */

/* ---- finding ---- */

static bool is_loader(const struct rv_patch_image *image)
{
    return image->bias && image->bias == getauxval(AT_BASE);
}

/* Our own library, and libc, which the hooks call. */
static bool serves_hooks(const struct rv_patch_image *image)
{
    return rv_patch_image_segment(image, (uint64_t)(uintptr_t)rv_patched_enter) ||
           rv_patch_image_segment(image, (uint64_t)(uintptr_t)libc_code);
}

static bool is_patchable(const struct rv_patch_image *image)
{
    return !serves_hooks(image) && !is_loader(image);
}

/* The kernel's own object cannot be changed, and our own calls are not the program's. */
static bool has_own_calls(const struct rv_patch_image *image, const struct rv_planner *planner)
{
    return image->bias == getauxval(AT_SYSINFO_EHDR) ||
           rv_patch_image_segment(image, (uint64_t)(uintptr_t)rv_patched_enter) ||
           rv_patch_image_segment(image, (uint64_t)(uintptr_t)planner->prepare);
}

static bool is_of_program(struct rv_next_object *next)
{
    struct rv_patch_image *thin = &next->thin;
    if (!*next->name)
        *thin = rv_image_is_thin(&next->image) ? next->image : (struct rv_patch_image){0};
    return !*next->name || (thin->n_segments && rv_image_is_worked_by(thin, &next->image, next->name));
}

/* Of the loader, which runs on its callers' stacks, only what it calls for debuggers is patched. */
static bool is_chosen(struct rv_next_object *next)
{
    const struct rv_wanted_patches *wanted = next->wanted;
    if (next->is_of_syscalls)
        return !has_own_calls(&next->image, wanted->planner) && (!rv_thread_is_foreign || !*next->name);
    if (is_loader(&next->image))
        return wanted->is_for_later;
    if (serves_hooks(&next->image))
        return false;
    next->has_functions = wanted->is_auto ? is_of_program(next) && !rv_image_has_hooks(&next->image)
                                          : rv_wanted_functions_find(wanted->lines, next->name, next->pattern);
    next->has_calls = rv_libcalls_may_be_wanted(wanted->lines, !*next->name);
    return next->has_functions || next->has_calls;
}

/* Copy the image's bytes, for when it has been unloaded. False: no memory. */
static bool copy(struct rv_next_object *next)
{
    size_t at = 0;
    next->n_copy = 0;
    for (size_t i = 0; i < next->image.n_segments; i++)
        next->n_copy += next->image.segments[i].end - next->image.segments[i].start;
    next->copy = mmap(NULL, next->n_copy, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (next->copy == MAP_FAILED)
        return false;
    for (size_t i = 0; i < next->read.n_segments; i++) {
        struct rv_patch_segment *segment = &next->read.segments[i];
        const size_t n = segment->end - segment->start;
        if (segment->is_readable)
            segment->bytes = memcpy((uint8_t *)next->copy + at, segment->bytes, n);
        at += n;
    }
    return true;
}

static int take_if_chosen(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct rv_next_object *next = context;
    const size_t n_name = strlen(info->dlpi_name);
    const uint64_t entry = getauxval(AT_ENTRY);
    (void)n_bytes;
    if (rv_patched_objects_have(info->dlpi_name, info->dlpi_addr, next->is_of_syscalls) ||
        n_name >= sizeof next->name ||
        rv_patch_image_mapped(&next->image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) != 0)
        return 0;
    memcpy(next->name, info->dlpi_name, n_name + 1);
    next->image.entry = rv_patch_image_segment(&next->image, entry) ? entry : 0;
    next->read = next->image;
    next->copy = NULL;
    next->fingerprint = rv_image_fingerprint(&next->image);
    return is_chosen(next) && (!next->is_unloaded || !*next->name || copy(next));
}

int rv_next_object_find(struct rv_next_object *next)
{
    if (!libc_code)
        libc_code = dlsym(RTLD_NEXT, "mprotect");
    if (rv_patched_objects.n == RV_ATTACHMENT_OBJECTS)
        return -ENOENT;
    if (!rv_process_lock_within())
        return -EAGAIN;
    const int found = rv_loaded_objects_each(take_if_chosen, next);
    rv_process_unlock();
    return found ? 0 : -ENOENT;
}

/* ---- preparing ---- */

static void prepare_syscalls(const struct rv_next_object *next, struct rv_patch_prepared *prepared)
{
    struct rv_patch_syscalls_request request = next->wanted->syscalls;
    size_t n = 0;
    request.image = next->read;
    if (next->wanted->planner->prepare_syscalls(&request, prepared) != 0)
        return;
    for (size_t i = 0; i < prepared->n_sites; i++)
        if (!rv_patched_objects_displace(prepared->sites[i].address))
            prepared->sites[n++] = prepared->sites[i];
    prepared->n_sites = n;
}

static bool is_any_wanted(const char *name)
{
    (void)name;
    return true;
}

/* Calls that nobody has asked for are of use where functions have no names; those of a thin program are traced anyway. */
static bool wants_calls_of_nameless(const struct rv_next_object *next)
{
    return next->wanted->is_auto && !next->thin.n_segments;
}

/* A static program is started by the loader; what its file would be is not known. */
static const char *find_plans(const struct rv_next_object *next, const char *path, struct stat *file)
{
    const char *folder = secure_getenv(RV_PATCH_PLANS);
    const bool is_known = !rv_thread_is_foreign && stat(*next->name ? path : "/proc/self/exe", file) == 0;
    return is_known && folder && *folder == '/' ? folder : NULL;
}

/* The file may have been deleted or replaced since it was mapped. */
static const char *find_file(const struct rv_next_object *next, const char *path, char link[RV_MAPPINGS_LINK_BYTES])
{
    const bool may_be_gone = !next->wanted->is_alone && next->image.n_segments;
    return may_be_gone && rv_mappings_link_deleted(getpid(), next->image.segments[0].start, link) ? link : path;
}

static void prepare_patches(const struct rv_next_object *next, struct rv_patch_prepared *prepared)
{
    const struct rv_wanted_patches *wanted = next->wanted;
    struct stat file;
    char link[RV_MAPPINGS_LINK_BYTES];
    const char *called = *next->name ? next->name : wanted->program, *path = find_file(next, called, link);
    const struct rv_patch_request request = {.image = next->read,
                                             .plans = find_plans(next, path, &file),
                                             .planner = wanted->planner->path,
                                             .file = &file,
                                             .takes_copy = next->is_starting,
                                             .leaves_readers = true,
                                             .leaves_own_threads = !rv_thread_is_foreign,
                                             .hook = (uint64_t)(uintptr_t)rv_patched_enter,
                                             .captured = wanted->captured,
                                             .n_captured = wanted->n_captured,
                                             .capture_hook = (uint64_t)(uintptr_t)rv_captured_enter,
                                             .has_functions = next->has_functions,
                                             .has_trivial = !wanted->is_auto,
                                             .pattern = wanted->is_auto ? NULL : next->pattern,
                                             .path = path,
                                             .called = called,
                                             .kept = wanted->is_v8_told ? V8_KEPT : NULL,
                                             .filter = {wanted->patterns.include, wanted->patterns.exclude},
                                             .wants_import = next->has_calls                 ? rv_libcalls_want
                                                             : wants_calls_of_nameless(next) ? is_any_wanted
                                                                                             : NULL,
                                             .is_for_nameless = !next->has_calls,
                                             .share = next->is_starting ? rv_second_cpu_share : NULL,
                                             .map_near = rv_near_pages_map};
    if (next->has_calls)
        rv_libcalls_begin(wanted->lines, !*next->name, is_patchable);
    if (rv_patch_prepared_file_read(&request, prepared) != 0 && rv_planner_load() == 0)
        (void)wanted->planner->prepare(&request, prepared);
    if (prepared->is_by_plan)
        rv_process_use_instrument(RV_INSTRUMENT_SHARED_PLAN);
    rv_libcalls_end();
}

/* One that has not been told where return addresses are. */
static bool has_other_v8(const struct rv_next_object *next)
{
    return !next->wanted->is_v8_told && rv_patch_dynamic_section_exports(&next->read, RV_V8_SET_LOCATOR);
}

static void prepare_functions(const struct rv_next_object *next, struct rv_patch_prepared *prepared)
{
    if (is_loader(&next->image))
        (void)rv_loader_prepare(&next->read, next->wanted->follow_loader, prepared);
    else if (!has_other_v8(next))
        prepare_patches(next, prepared);
}

void rv_next_object_prepare(const struct rv_next_object *next, struct rv_patch_prepared *prepared)
{
    (next->is_of_syscalls ? prepare_syscalls : prepare_functions)(next, prepared);
    if (next->copy)
        munmap(next->copy, next->n_copy);
}

#endif
