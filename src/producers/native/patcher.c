/*
 * Where anything is in doubt nothing is written: the program runs as it is, and is not traced. The planner's library is
 * loaded for planning alone.
 */
#include "producers/native/patcher.h"

#include "producers/native/patched.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "producers/native/process.h"
#include "producers/native/returns.h"
#include "producers/native/signal_guard.h"

#define LIBRARY "libringviz-patch.so"
#define PATH_BYTES 4096
#define PAGE 4096ull
#define REACH 0x7f000000ull /* 2 GiB, less room to spare */
#define STEP 0x100000ull
#define N_TRIES 1024
#define SHADOW_STACK_STATUS 0x5005 /* arch_prctl: ARCH_SHSTK_STATUS of Linux 6.6 */

typedef void *dlopen_fn(const char *path, int flags);

/*
 * Programs whose own code reads return addresses would fail with others there: garbage collectors that find frames by
 * them, sanitizers. These have such texts among their constants, and such names among their dynamic symbols.
 */
static const char *const READER_TEXTS[] = {"OCAMLRUNPARAM", "SBCL_HOME", "GHCRTS", "\xff Go buildinf:"};
static const char *const READER_NAMES[] = {"_ZN2v82V832SetReturnAddressLocationResolverEPFmmE", "__asan_init",
                                           "__tsan_init", "__msan_init"};
static const char *const HOOK_NAMES[] = {"__cyg_profile_func_enter", "mcount", "_mcount", "__fentry__"};
#define N(array) (sizeof(array) / sizeof *(array))

struct object {
    const char *name; /* "" is the program */
    struct rv_patch_image image;
    const struct dl_phdr_info *info;
};

static struct {
    rv_patch_prepare_fn *prepare;
    char wanted[RV_PATCHER_WANTED_BYTES];
    char program[PATH_BYTES];
    bool is_by_name;
    struct rv_patcher_object objects[RV_PATCHER_OBJECTS];
    struct place {
        char *name;
        uint64_t base;
    } places[RV_PATCHER_OBJECTS]; /* of the objects */
    size_t n_objects;
} patcher;

/* ---- where ---- */

/* Memory between the addresses of a hole: below the object, since the heap grows above a program, else far above. */
static void *map_near(uint64_t first, uint64_t last, size_t n_bytes)
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

static int protect(const struct rv_patch_segment *segment, int protection)
{
    const uint64_t start = segment->start & ~(PAGE - 1), end = (segment->end + PAGE - 1) & ~(PAGE - 1);
    return mprotect((void *)(uintptr_t)start, end - start, protection) == 0 ? 0 : -errno;
}

/* What is there now decides: it may be another library by now, or never have been written. */
static void write_site(const struct rv_patch_site *site, bool is_patched)
{
    uint8_t *code = (uint8_t *)(uintptr_t)site->address;
    const uint8_t *from = is_patched ? site->original : site->jump, *to = is_patched ? site->jump : site->original;
    if (memcmp(code, from, RV_PATCH_JUMP_BYTES) == 0 && !(is_patched && site->is_left_out))
        memcpy(code, to, RV_PATCH_JUMP_BYTES);
}

/* Segment by segment: there may be holes between them. All the while they can be run: they may be needed here. */
static int write_object(const struct rv_patcher_object *object, bool is_patched)
{
    int error = 0;
    for (size_t i = 0; i < object->image.n_segments && !error; i++) {
        const struct rv_patch_segment *segment = &object->image.segments[i];
        if (!segment->is_code || segment->is_writable)
            continue;
        error = protect(segment, PROT_READ | PROT_WRITE | PROT_EXEC);
        for (size_t k = 0; k < object->prepared.n_sites && !error; k++) {
            const struct rv_patch_site *site = &object->prepared.sites[k];
            if (site->address >= segment->start && site->address < segment->end)
                write_site(site, is_patched);
        }
        if (!error)
            (void)protect(segment, PROT_READ | PROT_EXEC);
    }
    return error;
}

/* ---- whether ---- */

static bool has_text(const struct rv_patch_image *image, const char *text)
{
    for (size_t i = 0; i < image->n_segments; i++) {
        const struct rv_patch_segment *segment = &image->segments[i];
        if (segment->is_readable && !segment->is_code &&
            memmem(segment->bytes, segment->end - segment->start, text, strlen(text)))
            return true;
    }
    return false;
}

/* The dynamic section says where the names are: with the object's bias in it, where the loader has put that in. */
static const char *find_names(const struct object *object, size_t *n_bytes)
{
    const ElfW(Dyn) *dynamic = NULL;
    uint64_t names = 0;
    size_t n_there;
    *n_bytes = 0;
    for (unsigned i = 0; i < object->info->dlpi_phnum; i++)
        if (object->info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(object->info->dlpi_addr + object->info->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_STRTAB)
            names = dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_STRSZ)
            *n_bytes = dynamic->d_un.d_val;
    }
    const uint8_t *found = rv_patch_image_at(&object->image, names, &n_there);
    if (!found)
        found = rv_patch_image_at(&object->image, names + object->info->dlpi_addr, &n_there);
    *n_bytes = *n_bytes < n_there ? *n_bytes : n_there;
    return (const char *)found;
}

static bool has_name(const struct object *object, const char *name)
{
    size_t n_bytes;
    const char *names = find_names(object, &n_bytes), *end = names + n_bytes, *found;
    for (; names && (found = memmem(names, (size_t)(end - names), name, strlen(name) + 1)); names = found + 1)
        if (found[-1] == '\0') /* the table begins with a 0 */
            return true;
    return false;
}

static bool reads_return_addresses(const struct object *object)
{
    bool reads = false;
    for (size_t i = 0; i < N(READER_TEXTS); i++)
        reads |= has_text(&object->image, READER_TEXTS[i]);
    for (size_t i = 0; i < N(READER_NAMES); i++)
        reads |= has_name(object, READER_NAMES[i]);
    return reads;
}

static bool has_hooks(const struct object *object)
{
    bool has = false;
    for (size_t i = 0; i < N(HOOK_NAMES); i++)
        has |= has_name(object, HOOK_NAMES[i]);
    return has;
}

/* The processor compares returns with a stack of its own: they must not be changed. */
static bool has_shadow_stack(void)
{
    unsigned long features = 0;
    return syscall(SYS_arch_prctl, SHADOW_STACK_STATUS, &features) == 0 && features & 1;
}

/* ---- what ---- */

/* "regex@library": the last @ counts. */
static bool fits(const struct object *object, const char *line, size_t n_line, char *pattern, size_t n_pattern)
{
    const char *at = memrchr(line, '@', n_line);
    const size_t n = at ? (size_t)(at - line) : n_line, n_library = n_line - n;
    char library[PATH_BYTES];
    if (n >= n_pattern || n_library > sizeof library)
        return false;
    memcpy(pattern, line, n);
    pattern[n] = '\0';
    if (!at)
        return !*object->name;
    memcpy(library, at + 1, n_library - 1);
    library[n_library - 1] = '\0';
    return *object->name && strstr(object->name, library);
}

static void drop(size_t idx)
{
    free(patcher.objects[idx].prepared.sites);
    free(patcher.places[idx].name);
}

static void plan_object(const struct object *object, const char *pattern)
{
    struct rv_patcher_object *planned = &patcher.objects[patcher.n_objects];
    const struct rv_patch_request request = {.image = object->image,
                                             .hook = (uint64_t)(uintptr_t)rv_patched_enter,
                                             .has_trivial = pattern != NULL,
                                             .pattern = pattern,
                                             .path = *object->name ? object->name : patcher.program,
                                             .map_near = map_near};
    if (patcher.n_objects == RV_PATCHER_OBJECTS || patcher.prepare(&request, &planned->prepared) != 0)
        return;
    planned->image = object->image;
    patcher.places[patcher.n_objects] = (struct place){strdup(object->name), object->info->dlpi_addr};
    if (!planned->prepared.n_sites ||
        mprotect(planned->prepared.stubs, planned->prepared.n_stub_bytes, PROT_READ | PROT_EXEC) == 0)
        patcher.n_objects++;
    else
        drop(patcher.n_objects);
}

/* One regular expression of all lines that choose functions of an object: "(REGEX)|(REGEX)". False: none does. */
static bool find_pattern(const struct object *object, char pattern[PATH_BYTES])
{
    size_t n_used = 0;
    for (const char *line = patcher.wanted; *line;) {
        char one[PATH_BYTES];
        const size_t n = strcspn(line, "\n");
        if (fits(object, line, n, one, sizeof one) && n_used + strlen(one) + sizeof "()|" < PATH_BYTES)
            n_used += (size_t)snprintf(pattern + n_used, PATH_BYTES - n_used, "%s(%s)", n_used ? "|" : "", one);
        line += n + (line[n] == '\n');
    }
    return n_used != 0;
}

static bool is_chosen_unasked(const struct object *object)
{
    return !*object->name && !has_hooks(object);
}

/* Our own library and libc, which the hooks call, and the loader, which runs on stacks of its callers. */
static bool serves_hooks(const struct dl_phdr_info *info, const struct rv_patch_image *image)
{
    return rv_patch_image_segment(image, (uint64_t)(uintptr_t)rv_patched_enter) ||
           rv_patch_image_segment(image, (uint64_t)(uintptr_t)dlsym(RTLD_NEXT, "mprotect")) ||
           (info->dlpi_addr && info->dlpi_addr == getauxval(AT_BASE));
}

static int look_at_object(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    struct object object = {.name = info->dlpi_name, .info = info};
    (void)n_bytes;
    (void)unused;
    if (rv_patch_image_mapped(&object.image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) != 0)
        return 0;
    if (serves_hooks(info, &object.image))
        return 0;
    object.image.entry = getauxval(AT_ENTRY);
    char pattern[PATH_BYTES];
    if (patcher.is_by_name ? find_pattern(&object, pattern) : is_chosen_unasked(&object))
        if (!reads_return_addresses(&object))
            plan_object(&object, patcher.is_by_name ? pattern : NULL);
    return 0;
}

/* Not by our own dlopen, which would announce a library that is gone by the time of the first event. */
static void *load_planner(void)
{
    Dl_info own;
    char path[PATH_BYTES];
    dlopen_fn *load = (dlopen_fn *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (!load || !dladdr((void *)(uintptr_t)rv_patched_enter, &own) ||
        strlen(own.dli_fname) >= sizeof path - sizeof LIBRARY)
        return NULL;
    strcpy(path, own.dli_fname);
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, LIBRARY);
    void *library = load(path, RTLD_NOW | RTLD_LOCAL);
    patcher.prepare = library ? (rv_patch_prepare_fn *)(uintptr_t)dlsym(library, RV_PATCH_PREPARE) : NULL;
    return library;
}

/* It stays from here on, whatever the program closes: its code is to be put back, and our stubs go on in it. */
static bool pin(const struct place *place, dlopen_fn *load)
{
    if (!place->name || !*place->name)
        return place->name != NULL;
    const struct link_map *map = load(place->name, RTLD_NOW | RTLD_NOLOAD);
    return map && map->l_addr == place->base;
}

/* Not while the loader's list is walked: that would take its locks in another order than it does. */
static void pin_objects(void)
{
    dlopen_fn *load = (dlopen_fn *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    for (size_t i = patcher.n_objects; i-- > 0;)
        if (!load || !pin(&patcher.places[i], load)) {
            drop(i);
            patcher.n_objects--;
            patcher.objects[i] = patcher.objects[patcher.n_objects];
            patcher.places[i] = patcher.places[patcher.n_objects];
        }
}

static void forget(void)
{
    for (size_t i = 0; i < patcher.n_objects; i++)
        drop(i);
    patcher.n_objects = 0;
    patcher.wanted[0] = '\0';
}

int rv_patcher_plan(const char *wanted)
{
    if (strlen(wanted) >= sizeof patcher.wanted)
        return -E2BIG;
    if (has_shadow_stack())
        return -ENOTSUP;
    if (patcher.n_objects && strcmp(wanted, patcher.wanted) == 0)
        return 0;
    forget();
    strcpy(patcher.wanted, wanted);
    patcher.is_by_name = strcmp(wanted, "auto") != 0;
    ssize_t n = readlink("/proc/self/exe", patcher.program, sizeof patcher.program - 1);
    patcher.program[n > 0 ? n : 0] = '\0';
    void *library = load_planner();
    int error = patcher.prepare ? 0 : -ENOENT;
    if (!error)
        error = rv_returns_entries ? 0 : rv_returns_init();
    if (!error)
        dl_iterate_phdr(look_at_object, NULL);
    pin_objects();
    if (library)
        dlclose(library);
    return error;
}

const struct rv_patcher_object *rv_patcher_objects(size_t *n)
{
    *n = patcher.n_objects;
    return patcher.objects;
}

void rv_patcher_write(void)
{
    struct rv_wire_instrumentation sum = {0};
    for (size_t i = 0; i < patcher.n_objects; i++) {
        const uint32_t *counts = (const uint32_t *)&patcher.objects[i].prepared.counts;
        if (write_object(&patcher.objects[i], true) != 0)
            continue;
        for (size_t k = 0; k < offsetof(struct rv_wire_instrumentation, runtime) / sizeof *counts; k++)
            ((uint32_t *)&sum)[k] += counts[k];
    }
    if (sum.n_functions)
        rv_process_set_patches(&sum);
}

void rv_patcher_remove(void)
{
    for (size_t i = 0; i < patcher.n_objects; i++)
        (void)write_object(&patcher.objects[i], false);
}

#endif
