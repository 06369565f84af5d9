#include "producers/native/jump_writer.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bisect.h"

#define PAGE 4096ull
#define RUN_GAP                                                                                                        \
    (64 * PAGE) /* that far a page's protection is changed with its neighbours', rather than by a call of its own */
#define GUEST_REACH 256ull /* a guest's host is not farther */

struct run { /* of sites: first to end */
    size_t first, end;
};

static int protect(uint64_t first, uint64_t end, int protection)
{
    const uint64_t page = first & ~(PAGE - 1), last = (end + PAGE - 1) & ~(PAGE - 1);
    return mprotect((void *)(uintptr_t)page, last - page, protection) == 0 ? 0 : -errno;
}

/* Nearly all sites have a jump's bytes, and cc1 has 40,000 sites: that number of bytes is compared without a call. */
static bool has(const struct rv_patch_site *site, const uint8_t *bytes)
{
    const void *present = (const void *)(uintptr_t)site->address;
    return site->n_bytes == RV_PATCH_JUMP_BYTES ? memcmp(present, bytes, RV_PATCH_JUMP_BYTES) == 0
                                                : memcmp(present, bytes, site->n_bytes) == 0;
}

/* Is the island that the site leads to in place? */
static bool has_island(const struct rv_patch_site *site)
{
    const uint64_t island = rv_patch_site_island(site);
    return !island ||
           memcmp((const void *)(uintptr_t)island, site->jump + RV_PATCH_SHORT_BYTES, RV_PATCH_JUMP_BYTES) == 0;
}

/*
 * Find the bytes that a site is to have instead of its present ones; false: none. The present bytes decide: another
 * library may be there by now, or the site was never written. A host that a thread may go on in keeps its islands.
 */
static bool find_bytes(const struct rv_patch_site *site, enum rv_jumps_change change,
                       uint8_t bytes[RV_PATCH_HOST_BYTES])
{
    const bool brings_jumps = change == RV_JUMPS_AS_WANTED || change == RV_JUMPS_AT_FIRST;
    const bool is_jump = brings_jumps && !site->is_off;
    const bool is_left = change == RV_JUMPS_AT_FIRST && site->is_off && site->n_bytes != RV_PATCH_HOST_BYTES;
    if (is_left || (change == RV_JUMPS_OFF_OUT && !site->is_off))
        return false;
    const bool is_original = has(site, site->original), has_jump = !is_original && has(site, site->jump);
    if (is_original && (!brings_jumps || site->is_left_out))
        return false;
    rv_patch_site_idle(site, bytes);
    if (!is_original && !has_jump && !has(site, bytes))
        return false;
    if (is_jump || (change == RV_JUMPS_ALL_OUT && !site->is_left_out))
        memcpy(bytes, is_jump ? site->jump : site->original, RV_PATCH_HOST_BYTES);
    return !has(site, bytes) && (!is_jump || has_island(site));
}

static bool is_within(const struct rv_patch_segment *segment, const struct rv_patch_site *site)
{
    return site->address >= segment->start && site->address < segment->end;
}

static bool is_to_change(const struct rv_patch_segment *segment, const struct rv_patch_site *site,
                         enum rv_jumps_change change)
{
    uint8_t bytes[RV_PATCH_HOST_BYTES];
    return is_within(segment, site) && find_bytes(site, change, bytes);
}

/* are_guests: write the guests among them; else the others. */
static void write_site(const struct rv_patch_segment *segment, const struct rv_patch_site *site,
                       enum rv_jumps_change change, bool are_guests)
{
    uint8_t bytes[RV_PATCH_HOST_BYTES];
    if (is_within(segment, site) && (site->n_bytes == RV_PATCH_SHORT_BYTES) == are_guests &&
        find_bytes(site, change, bytes))
        memcpy((void *)(uintptr_t)site->address, bytes, site->n_bytes);
}

static bool has_change(const struct rv_patcher_object *object, const struct rv_patch_segment *segment,
                       enum rv_jumps_change change)
{
    bool has = false;
    for (size_t i = 0; i < object->prepared.n_sites && !has; i++)
        has = is_to_change(segment, &object->prepared.sites[i], change);
    return has;
}

/* Besides those from first to last the guests nearby: they may change once their islands are there. */
static struct run with_guests(const struct rv_patcher_object *object, const struct rv_patch_segment *segment,
                              size_t first, size_t last)
{
    const struct rv_patch_site *sites = object->prepared.sites;
    struct run run = {first, last + 1};
    while (run.first && is_within(segment, &sites[run.first - 1]) &&
           sites[first].address - sites[run.first - 1].address <= GUEST_REACH)
        run.first--;
    while (run.end < object->prepared.n_sites && is_within(segment, &sites[run.end]) &&
           sites[run.end].address - sites[last].address <= GUEST_REACH)
        run.end++;
    return run;
}

/* The next run from there on: of those that are to change none is far from the one before. At the end: there is none. */
static struct run find_run(const struct rv_patcher_object *object, const struct rv_patch_segment *segment, size_t from,
                           enum rv_jumps_change change)
{
    const struct rv_patch_site *sites = object->prepared.sites;
    const size_t n = object->prepared.n_sites;
    size_t first = from;
    while (first < n && !is_to_change(segment, &sites[first], change))
        first++;
    size_t last = first;
    for (size_t i = first + 1; i < n && sites[i].address - sites[last].address <= RUN_GAP; i++)
        if (is_to_change(segment, &sites[i], change))
            last = i;
    return first < n ? with_guests(object, segment, first, last) : (struct run){n, n};
}

/* All the while it can be run: it may be needed here, and where ringviz is killed meanwhile, the stopped threads run on:
 * islands are there as long as guests jump into them. */
static int write_run(const struct rv_patcher_object *object, const struct rv_patch_segment *segment, struct run run,
                     enum rv_jumps_change change)
{
    const struct rv_patch_site *sites = object->prepared.sites, *last = &sites[run.end - 1];
    const uint64_t end = last->address + last->n_bytes;
    const bool are_guests_first = change == RV_JUMPS_ALL_OUT;
    int error = protect(sites[run.first].address, end, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = run.first; i < run.end && !error; i++)
            write_site(segment, &sites[i], change, pass != are_guests_first);
    if (!error)
        (void)protect(sites[run.first].address, end, PROT_READ | PROT_EXEC);
    return error;
}

/* Segment by segment: there may be holes between them. */
static int write_segment(const struct rv_patcher_object *object, const struct rv_patch_segment *segment,
                         enum rv_jumps_change change)
{
    int error = 0;
    for (struct run run = find_run(object, segment, 0, change); run.first < object->prepared.n_sites && !error;
         run = find_run(object, segment, run.end, change))
        error = write_run(object, segment, run, change);
    return error;
}

static bool is_code(const struct rv_patch_segment *segment)
{
    return segment->is_code && !segment->is_writable;
}

/* Its pages that are to be written. They stay executable: others run. */
static void touch_segment(const struct rv_patcher_object *object, const struct rv_patch_segment *segment,
                          enum rv_jumps_change change)
{
    uint64_t touched = 0;
    if (protect(segment->start, segment->end, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    for (size_t i = 0; i < object->prepared.n_sites; i++) {
        const uint64_t page = object->prepared.sites[i].address & ~(PAGE - 1);
        if (page == touched || !is_to_change(segment, &object->prepared.sites[i], change))
            continue;
        touched = page;
        (void)madvise((void *)(uintptr_t)page, PAGE, MADV_POPULATE_WRITE);
    }
    (void)protect(segment->start, segment->end, PROT_READ | PROT_EXEC);
}

/* qsort() may allocate, and the threads that stand still may have the allocator's lock. Shell's way: they may be thousands. */
static void sort(struct rv_patch_site **sites, size_t n)
{
    for (size_t gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (size_t i = gap; i < n; i++) {
            struct rv_patch_site *site = sites[i];
            size_t at = i;
            for (; at >= gap && sites[at - gap]->address > site->address; at -= gap)
                sites[at] = sites[at - gap];
            sites[at] = site;
        }
}

/* How many of the sorted ones, from the first on, are within the segment and none far from the one before. */
static size_t count_near(const struct rv_patch_segment *segment, struct rv_patch_site *const *sites, size_t n)
{
    size_t n_near = 1;
    while (n_near < n && is_within(segment, sites[n_near]) &&
           sites[n_near]->address - sites[n_near - 1]->address <= RUN_GAP)
        n_near++;
    return n_near;
}

/* The pages between the first and the last are made writable at once. */
static int write_near(const struct rv_patch_segment *segment, struct rv_patch_site *const *sites, size_t n,
                      enum rv_jumps_change change)
{
    const uint64_t first = sites[0]->address, end = sites[n - 1]->address + sites[n - 1]->n_bytes;
    bool has_change = false;
    for (size_t i = 0; i < n && !has_change; i++)
        has_change = is_to_change(segment, sites[i], change);
    int error = has_change ? protect(first, end, PROT_READ | PROT_WRITE | PROT_EXEC) : 0;
    if (!has_change || error)
        return error;
    for (unsigned are_guests = 0; are_guests < 2; are_guests++)
        for (size_t i = 0; i < n; i++)
            write_site(segment, sites[i], change, are_guests);
    (void)protect(first, end, PROT_READ | PROT_EXEC);
    return 0;
}

static int write_some(const struct rv_patch_segment *segment, struct rv_patch_site *const *sites, size_t n,
                      enum rv_jumps_change change)
{
    int error = 0;
    for (size_t i = 0, n_near; i < n && !error; i += n_near) {
        n_near = 1;
        if (!is_within(segment, sites[i]))
            continue;
        n_near = count_near(segment, sites + i, n - i);
        error = write_near(segment, sites + i, n_near, change);
    }
    return error;
}

int rv_jumps_write_some(const struct rv_patcher_object *object, struct rv_patch_site **sites, size_t n,
                        enum rv_jumps_change change)
{
    int error = 0;
    sort(sites, n);
    for (size_t i = 0; i < object->image.n_segments && !error; i++)
        if (is_code(&object->image.segments[i]))
            error = write_some(&object->image.segments[i], sites, n, change);
    return error;
}

void rv_jumps_touch(const struct rv_patcher_object *object, enum rv_jumps_change change)
{
    for (size_t i = 0; i < object->image.n_segments; i++) {
        const struct rv_patch_segment *segment = &object->image.segments[i];
        if (is_code(segment) && has_change(object, segment, change))
            touch_segment(object, segment, change);
    }
}

int rv_jumps_write(const struct rv_patcher_object *object, enum rv_jumps_change change)
{
    int error = 0;
    for (size_t i = 0; i < object->image.n_segments && !error; i++) {
        const struct rv_patch_segment *segment = &object->image.segments[i];
        if (is_code(segment))
            error = write_segment(object, segment, change);
    }
    return error;
}

static int map_segment(const struct rv_patch_segment *segment, int copy)
{
    const uint64_t first = segment->start & ~(PAGE - 1), end = (segment->end + PAGE - 1) & ~(PAGE - 1),
                   offset = segment->offset & ~(PAGE - 1);
    const void *mapped = mmap((void *)(uintptr_t)first, end - first, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
                              copy, (off_t)offset);
    return mapped == MAP_FAILED ? -errno : 0;
}

int rv_jumps_map(const struct rv_patcher_object *object, int copy)
{
    int error = 0;
    for (size_t i = 0; i < object->image.n_segments && !error; i++)
        if (is_code(&object->image.segments[i]))
            error = map_segment(&object->image.segments[i], copy);
    return error;
}

bool rv_jumps_have(const struct rv_patcher_object *object, enum rv_jumps_change change)
{
    bool has = false;
    for (size_t i = 0; i < object->image.n_segments && !has; i++)
        has = is_code(&object->image.segments[i]) && has_change(object, &object->image.segments[i], change);
    return has;
}

bool rv_jumps_is_missing(const struct rv_patch_site *site)
{
    return !site->is_off && has(site, site->original) && has_island(site);
}

bool rv_jumps_have_missing(const struct rv_patcher_object *object)
{
    bool has = false;
    for (size_t i = 0; i < object->prepared.n_sites && !has; i++)
        has = object->prepared.sites[i].is_left_out && rv_jumps_is_missing(&object->prepared.sites[i]);
    return has;
}

struct rv_patch_site *rv_jumps_find(const struct rv_patcher_object *object, uint64_t function)
{
    const struct rv_patch_prepared *prepared = &object->prepared;
    const size_t n = rv_bisect_count(prepared->sites, prepared->n_sites, sizeof *prepared->sites,
                                     offsetof(struct rv_patch_site, function), function);
    return n && prepared->sites[n - 1].function == function ? &prepared->sites[n - 1] : NULL;
}

static struct rv_patch_link *links_of(const struct rv_patcher_object *object)
{
    return (struct rv_patch_link *)(void *)(object->prepared.stubs + RV_PATCH_LINKS_AT);
}

static uint64_t target_of(const struct rv_patch_link *link, bool is_on)
{
    return (uint64_t)(uintptr_t)(is_on ? link->call : link->jump);
}

static bool turn(struct rv_patch_link *link, bool is_on)
{
    const uint64_t at = (uint64_t)(uintptr_t)link, to = target_of(link, is_on);
    if (link->leads_to == to)
        return true;
    if (protect(at, at + sizeof *link, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    __atomic_store_n(&link->leads_to, to, __ATOMIC_RELAXED);
    (void)protect(at, at + sizeof *link, PROT_READ | PROT_EXEC);
    return true;
}

bool rv_jumps_turn_import(const struct rv_patcher_object *object, uint64_t import, bool is_on)
{
    for (size_t i = 0; i < object->prepared.counts.n_imports; i++)
        if (links_of(object)[i].import == import)
            return turn(&links_of(object)[i], is_on);
    return false;
}

static bool is_rejected_before(const struct rv_patcher_object *object, uint64_t address)
{
    return rv_earlier_verdicts_reject(&object->earlier, address - object->image.bias);
}

/* All at once, and none by a call of its own: each process does this as it begins. */
static void judge_imports(const struct rv_patcher_object *object)
{
    const size_t n = object->prepared.counts.n_imports;
    struct rv_patch_link *links = links_of(object);
    const uint64_t first = (uint64_t)(uintptr_t)links, end = (uint64_t)(uintptr_t)(links + n);
    size_t i = 0;
    while (i < n && links[i].leads_to == target_of(&links[i], !is_rejected_before(object, links[i].import)))
        i++;
    if (i == n || protect(first, end, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    for (; i < n; i++)
        __atomic_store_n(&links[i].leads_to, target_of(&links[i], !is_rejected_before(object, links[i].import)),
                         __ATOMIC_RELAXED);
    (void)protect(first, end, PROT_READ | PROT_EXEC);
}

/* Pages of sites that stay as they are are not the process's own (patch/prepared_file.h). */
static void set(bool *is, bool now)
{
    if (*is != now)
        *is = now;
}

void rv_jumps_judge_by_names(const struct rv_patcher_object *object)
{
    judge_imports(object);
    for (size_t i = 0; i < object->prepared.n_sites; i++)
        set(&object->prepared.sites[i].is_off, object->prepared.sites[i].is_rejected);
    for (size_t i = 0; i < object->earlier.n; i++) {
        struct rv_patch_site *site = rv_jumps_find(object, object->image.bias + object->earlier.addresses[i]);
        if (site && !site->is_use)
            set(&site->is_off, true);
    }
}

void rv_jumps_expect_clearing(const struct rv_patcher_object *object)
{
    for (size_t i = 0; i < object->prepared.n_sites; i++)
        set(&object->prepared.sites[i].is_left_out, false);
}

void rv_jumps_count(struct rv_patcher_object *object)
{
    struct rv_wire_instrumentation *counts = &object->prepared.counts;
    if (!counts->n_functions)
        return;
    counts->n_filtered = counts->n_patched = 0;
    for (size_t i = 0; i < object->prepared.n_sites; i++) {
        const struct rv_patch_site *site = &object->prepared.sites[i];
        counts->n_filtered += site->is_off;
        counts->n_patched += !site->is_off && !site->is_use;
    }
}

#endif
