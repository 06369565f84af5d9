/*
 * A record is valid for events from `loaded` to `unloaded`. loaded is the earliest announcement that may have been its
 * own, but not before the last unload, since the address may have belonged to another module until then.
 */
#include "producers/native/modules.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "producers/native/build_id.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/pages.h"
#include "producers/native/process.h"
#include "ring/modules.h"
#include "ring/program_name.h"

#define PAGE 4096u
#define PATH_BYTES 4096u
#define N_FIRST 64u

struct record {
    uint64_t start, end, bias;
    uint64_t device, inode;
    uint64_t loaded_ticks;
    uint32_t module_idx;
    bool is_seen;
};

static struct {
    struct record *records; /* mmap'd; grows */
    uint32_t n, capacity;
    unsigned long long n_adds, n_subs; /* the loader's counters at the last update */
    bool has_looked;
    uint64_t unload_ticks;     /* time of the last unload */
    uint64_t announce_ticks;   /* [atomic] first announcement since the last update; 0 = none */
    char path[2 * PATH_BYTES]; /* scratch, under the process lock */
} mapped;

void rv_native_modules_announce(void)
{
    uint64_t none = 0;
    if (!rv_process_is_open())
        return;
    uint64_t now = rv_clock_ticks(rv_process_map()->clock.kind);
    __atomic_compare_exchange_n(&mapped.announce_ticks, &none, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool rv_native_modules_is_stale(void)
{
    return __atomic_load_n(&mapped.announce_ticks, __ATOMIC_RELAXED) != 0;
}

void rv_native_modules_forget(void)
{
    mapped.n = 0;
    mapped.has_looked = false;
    mapped.unload_ticks = 0;
    mapped.announce_ticks = 0;
}

bool rv_native_modules_has(uint64_t address, uint64_t ticks)
{
    for (uint32_t i = 0; i < mapped.n; i++)
        if (address >= mapped.records[i].start && address < mapped.records[i].end)
            return mapped.records[i].loaded_ticks <= ticks;
    return false;
}

static bool has_room(void)
{
    if (mapped.n < mapped.capacity)
        return true;
    uint32_t capacity = mapped.capacity ? 2 * mapped.capacity : N_FIRST;
    struct record *grown = rv_pages_map(capacity * sizeof *grown);
    if (!grown)
        return false;
    if (mapped.records) {
        memcpy(grown, mapped.records, mapped.n * sizeof *grown);
        rv_pages_unmap(mapped.records, mapped.capacity * sizeof *grown);
    }
    mapped.records = grown;
    mapped.capacity = capacity;
    return true;
}

/* The main program has no name here; a relative name is dlopen's argument. False: no file (the vdso). */
static bool find_path(const char *name)
{
    if (!*name)
        return rv_program_path(mapped.path, PATH_BYTES);
    size_t n_name = strnlen(name, PATH_BYTES - 1);
    if (name[0] == '/') {
        memcpy(mapped.path, name, n_name);
        mapped.path[n_name] = '\0';
        return true;
    }
    if (!memchr(name, '/', n_name) || !getcwd(mapped.path, PATH_BYTES))
        return false;
    size_t n = strlen(mapped.path);
    mapped.path[n++] = '/';
    memcpy(mapped.path + n, name, n_name);
    mapped.path[n + n_name] = '\0';
    return true;
}

static void find_range(const struct dl_phdr_info *info, struct rv_module *module)
{
    uint64_t start = UINT64_MAX, end = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD)
            continue;
        start = segment->p_vaddr < start ? segment->p_vaddr : start;
        end = segment->p_vaddr + segment->p_memsz > end ? segment->p_vaddr + segment->p_memsz : end;
    }
    module->bias = info->dlpi_addr;
    module->start = (start & ~(uint64_t)(PAGE - 1)) + info->dlpi_addr;
    module->end = ((end + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + info->dlpi_addr;
}

static void find_build_id(const struct dl_phdr_info *info, struct rv_module *module)
{
    for (unsigned i = 0; i < info->dlpi_phnum && !module->build_id_bytes; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_NOTE)
            module->build_id_bytes = rv_build_id_find((const uint8_t *)(info->dlpi_addr + segment->p_vaddr),
                                                      segment->p_memsz, module->build_id, sizeof module->build_id);
    }
}

static void stamp_unload(struct record *record)
{
    uint64_t now = rv_clock_ticks(rv_process_map()->clock.kind);
    rv_modules_unload(rv_process_map(), record->module_idx, now);
    mapped.unload_ticks = now;
    *record = mapped.records[--mapped.n];
}

static void report(const struct rv_module *module)
{
    int idx = has_room() ? rv_modules_add(rv_process_map(), module) : -1;
    if (idx >= 0)
        mapped.records[mapped.n++] = (struct record){module->start, module->end,          module->bias,  module->device,
                                                     module->inode, module->loaded_ticks, (uint32_t)idx, true};
}

/* Was it reported already? Not if another file was at its address since. */
static bool is_reported(const struct rv_module *module)
{
    for (uint32_t i = 0; i < mapped.n; i++) {
        struct record *record = &mapped.records[i];
        if (record->start != module->start)
            continue;
        record->is_seen = record->end == module->end && record->bias == module->bias &&
                          record->device == module->device && record->inode == module->inode;
        return record->is_seen;
    }
    return false;
}

static void drop_missing(void)
{
    for (uint32_t i = 0; i < mapped.n;) {
        if (!mapped.records[i].is_seen)
            stamp_unload(&mapped.records[i]);
        else
            i++;
    }
}

static bool describe(const struct dl_phdr_info *info, struct rv_module *module)
{
    struct stat status;
    *module = (struct rv_module){.process_idx = rv_process_idx(), .path = mapped.path};
    find_range(info, module);
    if (module->start >= module->end || !find_path(info->dlpi_name))
        return false;
    if (stat(mapped.path, &status) == 0) {
        module->device = status.st_dev;
        module->inode = status.st_ino;
    }
    return true;
}

static int note_reported(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct rv_module module;
    bool *has_news = context;
    (void)n_bytes;
    mapped.n_adds = info->dlpi_adds;
    mapped.n_subs = info->dlpi_subs;
    if (describe(info, &module))
        *has_news |= !is_reported(&module);
    return 0;
}

static int report_news(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct rv_module module;
    const uint64_t *loaded_ticks = context;
    (void)n_bytes;
    if (!describe(info, &module) || is_reported(&module))
        return 0;
    find_build_id(info, &module);
    module.loaded_ticks = *loaded_ticks > mapped.unload_ticks ? *loaded_ticks : mapped.unload_ticks;
    report(&module);
    return 0;
}

static int look_at_counters(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    bool *has_changed = context;
    (void)n_bytes;
    *has_changed = !mapped.has_looked || mapped.n_adds != info->dlpi_adds || mapped.n_subs != info->dlpi_subs;
    return 1;
}

/*
 * Two rounds, with unloads stamped in between, so that a new module at an address is never older than its predecessor.
 * If nothing has changed, the announcement stays: its dlopen is still under way, or failed.
 */
void rv_native_modules_update(void)
{
    bool has_changed = false, has_news = false;
    dl_iterate_phdr(look_at_counters, &has_changed);
    if (has_changed) {
        uint64_t announced = __atomic_exchange_n(&mapped.announce_ticks, 0, __ATOMIC_RELAXED);
        uint64_t loaded_ticks = announced ? announced : rv_clock_ticks(rv_process_map()->clock.kind);
        for (uint32_t i = 0; i < mapped.n; i++)
            mapped.records[i].is_seen = false;
        rv_loaded_objects_each(note_reported, &has_news);
        drop_missing();
        if (has_news)
            rv_loaded_objects_each(report_news, &loaded_ticks);
        /* A namespace that is about to get its first object has it in no list yet, though that is counted. */
        mapped.has_looked = !rv_loaded_objects_are_changing();
    }
}
