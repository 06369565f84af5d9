/*
 * Where anything is in doubt nothing is written: the program runs as it is, and is not traced. The planner's library is
 * loaded for planning alone.
 */
#include "producers/native/patcher.h"

#include "producers/native/captured.h"
#include "producers/native/captures.h"
#include "producers/native/patched.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "producers/native/loader.h"
#include "producers/native/objects.h"
#include "producers/native/process.h"
#include "producers/native/returns.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread.h"

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
    uint32_t lock; /* held while what follows is changed */
    void *planner; /* its library, while that is loaded */
    void *mprotect;
    rv_patch_prepare_fn *prepare;
    char wanted[RV_PATCHER_WANTED_BYTES];
    char program[PATH_BYTES];
    bool is_by_name;   /* else "auto" */
    bool is_for_later; /* libraries are wanted: those, too, that are loaded later */
    bool is_written;
    uint64_t planned_sum; /* of the objects when they were planned */
    struct rv_patcher_object objects[RV_PATCHER_OBJECTS];
    struct place {
        char *name;
        uint64_t base;
        struct stat file;
    } places[RV_PATCHER_OBJECTS]; /* of the objects */
    size_t n_objects;
    const struct rv_patch_name *captured; /* functions whose arguments are */
    size_t n_captured;
    char line[PATH_BYTES], pattern[PATH_BYTES]; /* a loading thread's stack may be small */
} patcher;

/* Signals are blocked. */
static bool try_lock(void)
{
    return !__atomic_exchange_n(&patcher.lock, 1, __ATOMIC_ACQUIRE); /* F2 <- F1 */
}

/* Also in the child of fork: its holder may be a thread that the child has not. */
static void unlock(void)
{
    __atomic_store_n(&patcher.lock, 0, __ATOMIC_RELEASE); /* F1 -> F2 */
}

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

/* "regex@library": the last @ counts; an empty library is the program and all libraries. */
static bool fits(const struct object *object, const char *line, size_t n_line, char *pattern, size_t n_pattern)
{
    const char *at = memrchr(line, '@', n_line);
    const size_t n = at ? (size_t)(at - line) : n_line;
    if (n >= n_pattern)
        return false;
    memcpy(pattern, line, n);
    pattern[n] = '\0';
    if (!at)
        return !*object->name;
    return at + 1 == line + n_line ||
           (*object->name && memmem(object->name, strlen(object->name), at + 1, n_line - n - 1));
}

/* Its stubs stay: a thread may be in them. */
static void drop(size_t idx)
{
    free(patcher.objects[idx].prepared.sites);
    free(patcher.objects[idx].prepared.captured);
    free(patcher.places[idx].name);
    patcher.n_objects--;
    patcher.objects[idx] = patcher.objects[patcher.n_objects];
    patcher.places[idx] = patcher.places[patcher.n_objects];
}

static bool is_there(const struct place *place)
{
    return place->name && rv_objects_have(place->base, place->name);
}

/* Of what has been unloaded no thread is in the stubs any more. */
static void drop_unloaded(void)
{
    for (size_t i = patcher.n_objects; i-- > 0;) {
        const struct rv_patch_prepared *prepared = &patcher.objects[i].prepared;
        if (is_there(&patcher.places[i]))
            continue;
        if (prepared->stubs)
            munmap(prepared->stubs, prepared->n_stub_bytes);
        drop(i);
    }
}

/* While nothing follows the loader an object may have been loaded anew where it was, from a file that has changed. */
static void drop_replaced(void)
{
    struct stat now;
    for (size_t i = patcher.n_objects; i-- > 0;) {
        const struct place *place = &patcher.places[i];
        if (*place->name && (stat(place->name, &now) != 0 || now.st_ino != place->file.st_ino ||
                             now.st_dev != place->file.st_dev || now.st_mtime != place->file.st_mtime))
            drop(i);
    }
}

static bool is_planned(const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < patcher.n_objects; i++)
        if (patcher.places[i].base == info->dlpi_addr && strcmp(patcher.places[i].name, info->dlpi_name) == 0)
            return true;
    return false;
}

/* Its stubs can be run from here on. What cannot be patched is kept, too, so that it is read only once. */
static void add_object(const struct object *object, const struct rv_patch_prepared *prepared)
{
    char *name = strdup(object->name);
    if (!name)
        return;
    patcher.places[patcher.n_objects] = (struct place){.name = name, .base = object->info->dlpi_addr};
    (void)stat(name, &patcher.places[patcher.n_objects].file);
    patcher.objects[patcher.n_objects] = (struct rv_patcher_object){object->image, *prepared};
    if (prepared->n_sites && mprotect(prepared->stubs, prepared->n_stub_bytes, PROT_READ | PROT_EXEC) != 0)
        patcher.objects[patcher.n_objects].prepared.n_sites = 0;
    patcher.n_objects++;
}

static void plan_object(const struct object *object, const char *pattern)
{
    struct rv_patch_prepared prepared = {0};
    const struct rv_patch_request request = {.image = object->image,
                                             .hook = (uint64_t)(uintptr_t)rv_patched_enter,
                                             .captured = patcher.captured,
                                             .n_captured = patcher.n_captured,
                                             .capture_hook = (uint64_t)(uintptr_t)rv_captured_enter,
                                             .has_trivial = pattern != NULL,
                                             .pattern = pattern,
                                             .path = *object->name ? object->name : patcher.program,
                                             .map_near = map_near};
    if (!reads_return_addresses(object))
        (void)patcher.prepare(&request, &prepared);
    rv_captures_bind(prepared.captured, prepared.n_captured);
    add_object(object, &prepared);
}

/* One regular expression of all lines that choose functions of an object: "(REGEX)|(REGEX)". False: none does. */
static bool find_pattern(const struct object *object)
{
    size_t n_used = 0;
    for (const char *line = patcher.wanted; *line;) {
        char *one = patcher.line;
        const size_t n = strcspn(line, "\n");
        if (fits(object, line, n, one, PATH_BYTES) && n_used + strlen(one) + sizeof "()|" < PATH_BYTES)
            n_used += (size_t)snprintf(patcher.pattern + n_used, PATH_BYTES - n_used, "%s(%s)", n_used ? "|" : "", one);
        line += n + (line[n] == '\n');
    }
    return n_used != 0;
}

static bool is_chosen_unasked(const struct object *object)
{
    return !*object->name && !has_hooks(object);
}

static bool is_loader(const struct dl_phdr_info *info)
{
    return info->dlpi_addr && info->dlpi_addr == getauxval(AT_BASE);
}

/* Our own library and libc, which the hooks call, and the loader, which runs on stacks of its callers. */
static bool serves_hooks(const struct dl_phdr_info *info, const struct rv_patch_image *image)
{
    return rv_patch_image_segment(image, (uint64_t)(uintptr_t)rv_patched_enter) ||
           rv_patch_image_segment(image, (uint64_t)(uintptr_t)patcher.mprotect) || is_loader(info);
}

static void plan_loader(const struct object *object)
{
    struct rv_patch_prepared prepared;
    if (rv_loader_prepare(&object->image, rv_patcher_follow, map_near, &prepared) == 0)
        add_object(object, &prepared);
}

static void look_closer(const struct object *object)
{
    if (is_loader(object->info) && patcher.is_for_later)
        plan_loader(object);
    else if (serves_hooks(object->info, &object->image))
        return;
    else if (patcher.is_by_name && find_pattern(object))
        plan_object(object, patcher.pattern);
    else if (!patcher.is_by_name && is_chosen_unasked(object))
        plan_object(object, NULL);
}

static int look_at_object(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    struct object object = {.name = info->dlpi_name, .info = info};
    (void)n_bytes;
    (void)unused;
    if (patcher.n_objects == RV_PATCHER_OBJECTS || is_planned(info) ||
        rv_patch_image_mapped(&object.image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) != 0)
        return 0;
    object.image.entry = getauxval(AT_ENTRY);
    look_closer(&object);
    return 0;
}

/* Not by our own dlopen, which would announce a library that is gone by the time of the first event. */
static int load_planner(void)
{
    Dl_info own;
    char path[PATH_BYTES];
    dlopen_fn *load = (dlopen_fn *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (patcher.planner)
        return 0;
    if (!load || !dladdr((void *)(uintptr_t)rv_patched_enter, &own) ||
        strlen(own.dli_fname) >= sizeof path - sizeof LIBRARY)
        return -ENOENT;
    strcpy(path, own.dli_fname);
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, LIBRARY);
    patcher.planner = load(path, RTLD_NOW | RTLD_LOCAL);
    if (patcher.planner)
        patcher.prepare = (rv_patch_prepare_fn *)(uintptr_t)dlsym(patcher.planner, RV_PATCH_PREPARE);
    return patcher.prepare ? 0 : -ENOENT;
}

/* It stays where it may be needed while the loader loads. */
static void unload_planner(void)
{
    if (patcher.is_for_later || !patcher.planner)
        return;
    dlclose(patcher.planner);
    patcher.planner = NULL;
    patcher.prepare = NULL;
}

/* Another request than before. */
static void forget(void)
{
    while (patcher.n_objects)
        drop(patcher.n_objects - 1);
}

/* Other threads load meanwhile: only within this call they do not. */
static int begin_looking(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    (void)info;
    (void)n_bytes;
    (void)unused;
    drop_unloaded();
    patcher.planned_sum = rv_objects_sum();
    return 1;
}

static void set_wanted(const char *wanted, bool has_other_captures)
{
    drop_replaced();
    if (has_other_captures || strcmp(wanted, patcher.wanted) != 0)
        forget();
    strcpy(patcher.wanted, wanted);
    patcher.is_by_name = strcmp(wanted, "auto") != 0;
    patcher.is_for_later = strchr(wanted, '@') != NULL;
    patcher.mprotect = dlsym(RTLD_NEXT, "mprotect");
    ssize_t n = readlink("/proc/self/exe", patcher.program, sizeof patcher.program - 1);
    patcher.program[n > 0 ? n : 0] = '\0';
}

/* Their functions are looked for in each object. */
static int read_captures(void)
{
    patcher.captured = rv_captures_names(&patcher.n_captured);
    return patcher.n_captured ? rv_captured_init() : 0;
}

static int plan(const char *wanted, const char *trace_path)
{
    int error = load_planner();
    dl_iterate_phdr(begin_looking, NULL);
    set_wanted(wanted, rv_captures_read(trace_path));
    if (!error)
        error = rv_returns_entries ? 0 : rv_returns_init();
    if (!error)
        error = read_captures();
    if (!error)
        rv_objects_each(look_at_object, NULL);
    unload_planner();
    return error;
}

int rv_patcher_plan(const char *wanted, const char *trace_path)
{
    struct rv_signal_guard guard;
    if (strlen(wanted) >= sizeof patcher.wanted)
        return -E2BIG;
    if (has_shadow_stack())
        return -ENOTSUP;
    rv_signal_guard_begin(&guard);
    while (!try_lock())
        sched_yield();
    int error = plan(wanted, trace_path);
    unlock();
    rv_signal_guard_end(&guard);
    return error;
}

const struct rv_patcher_object *rv_patcher_objects(size_t *n)
{
    *n = patcher.n_objects;
    return patcher.objects;
}

static void count_patches(void)
{
    struct rv_wire_instrumentation sum = {0};
    for (size_t i = 0; i < patcher.n_objects; i++) {
        const uint32_t *counts = (const uint32_t *)&patcher.objects[i].prepared.counts;
        for (size_t k = 0; k < offsetof(struct rv_wire_instrumentation, runtime) / sizeof *counts; k++)
            ((uint32_t *)&sum)[k] += counts[k];
    }
    if (sum.n_functions)
        rv_process_set_patches(&sum);
}

/* Those from an index on. An object that cannot be written has no function that is patched. */
static void write_objects(size_t first)
{
    for (size_t i = first; i < patcher.n_objects; i++)
        if (is_there(&patcher.places[i]) && write_object(&patcher.objects[i], true) != 0)
            patcher.objects[i].prepared.counts = (struct rv_wire_instrumentation){0};
    count_patches();
}

void rv_patcher_write(void)
{
    write_objects(0);
    patcher.is_written = true;
}

bool rv_patcher_is_current(void)
{
    return !patcher.is_for_later || patcher.planned_sum == rv_objects_sum();
}

int rv_patcher_remove(void)
{
    if (__atomic_load_n(&patcher.lock, __ATOMIC_RELAXED) || rv_objects_are_changing())
        return -EAGAIN;
    for (size_t i = 0; i < patcher.n_objects; i++)
        if (is_there(&patcher.places[i]))
            (void)write_object(&patcher.objects[i], false);
    patcher.is_written = false;
    return 0;
}

static void follow(void)
{
    drop_unloaded();
    const size_t n_before = patcher.n_objects;
    rv_objects_each(look_at_object, NULL);
    if (patcher.n_objects > n_before)
        write_objects(n_before);
}

/* By the loader, in a thread that holds its lock. Modules are announced here, too: an attached process has no other place. */
void rv_patcher_follow(void)
{
    struct rv_signal_guard guard;
    if (rv_objects_are_changing())
        return;
    rv_signal_guard_begin(&guard);
    if (try_lock()) {
        if (patcher.is_written)
            follow();
        unlock();
    }
    rv_thread_look_at_modules();
    rv_signal_guard_end(&guard);
}

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(NULL, NULL, unlock);
}

#endif
