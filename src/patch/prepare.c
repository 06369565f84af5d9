#include "patch/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/own_threads.h"
#include "patch/array.h"
#include "patch/imports.h"
#include "patch/plan_file.h"
#include "patch/prepared_file.h"
#include "patch/return_address_readers.h"

#define NAMED_AT_LEAST 10u /* one of so many functions has a symbol, or they count as without */

/* What an image has, and what is made of it. */
struct work {
    const struct rv_patch_request *request;
    struct rv_patch_prepared *prepared;
    struct rv_patch_names chosen, rejected, kept;
    struct rv_patch_plan_key key; /* of its plan, where there are plans */
    struct rv_patch_functions functions;
    struct rv_patch_imports imports;
    uint64_t *links; /* of the imports; 0: none */
    struct rv_patch_stubs stubs;
};

static bool is_captured(const struct rv_patch_prepared *prepared, uint64_t address)
{
    size_t n = rv_bisect_count(prepared->captured, prepared->n_captured, sizeof *prepared->captured,
                               offsetof(struct rv_patch_named, address), address);
    return n && prepared->captured[n - 1].address == address;
}

/* ---- functions ---- */

/* Has the procedure linkage table the form of a function? It stands for what it jumps to, 8 or 16 bytes each. */
static bool is_linkage_table(const struct work *work, const struct rv_patch_function *function)
{
    const struct rv_patch_imports *imports = &work->imports;
    const uint64_t address = function->address + function->skipped;
    const size_t n = rv_bisect_count(imports->uses, imports->n_uses, sizeof *imports->uses,
                                     offsetof(struct rv_patch_use, address), address);
    return n && imports->uses[n - 1].address == address && function->n_bytes % 8 == 0;
}

static enum rv_patch_refusal refusal_of(const struct work *work, const struct rv_patch_function *function)
{
    return rv_patch_names_match(&work->kept, function->address) ? RV_PATCH_RETURN_ADDRESS
                                                                : (enum rv_patch_refusal)function->refusal;
}

static bool is_chosen(const struct work *work, const struct rv_patch_function *function)
{
    const enum rv_patch_refusal refusal = refusal_of(work, function);
    struct rv_patch_prepared *prepared = work->prepared;
    const struct rv_patch_request *request = work->request;
    if (is_linkage_table(work, function) ||
        (request->pattern && !rv_patch_names_match(&work->chosen, function->address)))
        return false;
    prepared->counts.n_functions++;
    if (refusal) {
        prepared->counts.n_refused[refusal]++;
        return false;
    }
    if (function->is_trivial && !request->has_trivial && !is_captured(prepared, function->address)) {
        prepared->counts.n_trivial++;
        return false;
    }
    return true;
}

/* The site at this address, which may be one of a function's; NULL: there is none. */
static struct rv_patch_site *find_site(const struct rv_patch_prepared *prepared, size_t n_sites, uint64_t address)
{
    const size_t n = rv_bisect_count(prepared->sites, n_sites, sizeof *prepared->sites,
                                     offsetof(struct rv_patch_site, address), address);
    return n && prepared->sites[n - 1].address == address ? &prepared->sites[n - 1] : NULL;
}

static void add_function(struct work *work, const struct rv_patch_function *function, size_t n_hosts)
{
    struct rv_patch_prepared *prepared = work->prepared;
    struct rv_patch_site *site = &prepared->sites[prepared->n_sites], *host = NULL;
    enum rv_patch_refusal refusal = rv_patch_stubs_add(&work->stubs, &work->request->image, function,
                                                       is_captured(prepared, function->address), site);
    const uint64_t island = refusal ? 0 : rv_patch_site_island(site);
    if (island && !(host = find_site(prepared, n_hosts, island - RV_PATCH_JUMP_BYTES)))
        refusal = RV_PATCH_TOO_SHORT;
    if (refusal) {
        prepared->counts.n_refused[refusal]++;
        return;
    }
    if (host)
        rv_patch_site_lodge(host, site);
    prepared->n_sites++;
    site->is_off = site->is_rejected = rv_patch_names_match(&work->rejected, function->address);
    prepared->counts.n_filtered += site->is_off;
}

/* Guests last: their hosts are known then. */
static void add_functions(struct work *work)
{
    struct rv_patch_prepared *prepared = work->prepared;
    const struct rv_patch_function *functions = work->functions.functions;
    for (size_t i = 0; i < work->functions.n_functions; i++)
        if (functions[i].n_written != RV_PATCH_SHORT_BYTES && is_chosen(work, &functions[i]))
            add_function(work, &functions[i], 0);
    const size_t n_hosts = prepared->n_sites;
    for (size_t i = 0; i < work->functions.n_functions; i++)
        if (functions[i].n_written == RV_PATCH_SHORT_BYTES && is_chosen(work, &functions[i]))
            add_function(work, &functions[i], n_hosts);
    rv_patch_array_sort(prepared->sites, prepared->n_sites, sizeof *prepared->sites);
    prepared->counts.n_patched = (uint32_t)prepared->n_sites - prepared->counts.n_filtered;
}

/* ---- imports ---- */

/* Uses of others are forgotten. */
static void keep_wanted(struct work *work)
{
    struct rv_patch_imports *imports = &work->imports;
    size_t n_kept = 0;
    for (size_t i = 0; i < imports->n; i++)
        if (!rv_patch_import_may_be_called(imports->all[i].name) || !work->request->wants_import(imports->all[i].name))
            imports->all[i].name = NULL;
    for (size_t i = 0; i < imports->n_uses; i++)
        if (imports->all[imports->uses[i].import].name)
            imports->uses[n_kept++] = imports->uses[i];
    imports->n_uses = n_kept;
}

/* A stub for each that is used. */
static void add_links(struct work *work)
{
    for (size_t i = 0; i < work->imports.n_uses; i++) {
        const size_t import = work->imports.uses[i].import;
        const uint64_t address = work->imports.all[import].address;
        if (!work->links[import] &&
            rv_patch_stubs_add_import(&work->stubs, address, is_captured(work->prepared, address),
                                      &work->links[import]) == RV_PATCH_FITS)
            work->prepared->counts.n_imports++;
    }
}

/* The function with whose begin an instruction has been moved; NULL: it has not. */
static const struct rv_patch_site *find_moved(const struct rv_patch_prepared *prepared, size_t n_functions,
                                              uint64_t address)
{
    const size_t n = rv_bisect_count(prepared->sites, n_functions, sizeof *prepared->sites,
                                     offsetof(struct rv_patch_site, address), address);
    return n && address - prepared->sites[n - 1].address < prepared->sites[n - 1].n_displaced ? &prepared->sites[n - 1]
                                                                                              : NULL;
}

static void divert_uses(struct work *work)
{
    struct rv_patch_prepared *prepared = work->prepared;
    const size_t n_functions = prepared->n_sites;
    for (size_t i = 0; i < work->imports.n_uses; i++) {
        const struct rv_patch_use *use = &work->imports.uses[i];
        const uint64_t link = work->links[use->import];
        const struct rv_patch_site *moved = find_moved(prepared, n_functions, use->address);
        if (link && moved)
            rv_patch_stubs_divert_moved(&work->stubs, moved, work->imports.all[use->import].address, link);
        else if (link && rv_patch_stubs_divert(&work->request->image, use->address, link,
                                               &prepared->sites[prepared->n_sites]) == RV_PATCH_FITS)
            prepared->n_sites++;
    }
    rv_patch_array_sort(prepared->sites, prepared->n_sites, sizeof *prepared->sites);
}

/* ---- all ---- */

static int compare_names(const void *name, const void *wanted)
{
    return strcmp(name, ((const struct rv_patch_name *)wanted)->name);
}

/* Imports whose arguments are captured, besides functions. */
static int find_captured_imports(struct work *work)
{
    const struct rv_patch_request *request = work->request;
    struct rv_patch_prepared *prepared = work->prepared;
    size_t capacity = prepared->n_captured;
    for (size_t i = 0; i < work->imports.n && request->n_captured; i++) {
        const struct rv_patch_name *found = bsearch(work->imports.all[i].name, request->captured, request->n_captured,
                                                    sizeof *request->captured, compare_names);
        if (!found)
            continue;
        struct rv_patch_named *named =
            rv_patch_array_grown(prepared->captured, prepared->n_captured, &capacity, sizeof *named);
        if (!named)
            return -ENOMEM;
        prepared->captured = named;
        named[prepared->n_captured++] = (struct rv_patch_named){work->imports.all[i].address, found->number};
    }
    rv_patch_array_sort(prepared->captured, prepared->n_captured, sizeof *prepared->captured);
    return 0;
}

static void find_extent(const struct work *work, uint64_t *first, uint64_t *last)
{
    const struct rv_patch_function *functions = work->functions.functions;
    const struct rv_patch_use *uses = work->imports.uses;
    const size_t n = work->functions.n_functions, n_uses = work->imports.n_uses;
    *first = n ? functions->address : uses->address;
    *last = n ? functions[n - 1].address + functions[n - 1].n_bytes : uses[n_uses - 1].address;
    if (n_uses && uses->address < *first)
        *first = uses->address;
    if (n_uses && uses[n_uses - 1].address > *last)
        *last = uses[n_uses - 1].address;
}

static int build(struct work *work)
{
    struct rv_patch_prepared *prepared = work->prepared;
    uint64_t first, last;
    const size_t n_sites = work->functions.n_functions + work->imports.n_uses;
    if (!n_sites)
        return 0;
    find_extent(work, &first, &last);
    work->stubs.n_bytes = (work->functions.n_functions + work->imports.n + 1) * RV_PATCH_STUB_BYTES;
    work->links = calloc(work->imports.n + 1, sizeof *work->links);
    prepared->sites = calloc(n_sites, sizeof *prepared->sites);
    if (!prepared->sites || !work->links)
        return -ENOMEM;
    work->stubs.bytes = work->request->map_near(first, last, work->stubs.n_bytes);
    if (!work->stubs.bytes)
        return -ENOSPC;
    work->stubs.address = (uint64_t)(uintptr_t)work->stubs.bytes;
    rv_patch_stubs_begin(&work->stubs, work->request->hook, work->request->capture_hook);
    add_links(work);
    add_functions(work);
    divert_uses(work);
    prepared->stubs = work->stubs.bytes;
    prepared->n_stub_bytes = work->stubs.n_bytes;
    return 0;
}

static bool is_same_code(const struct rv_patch_image *image, const struct rv_patch_image *of_file)
{
    bool is_same = image->n_segments == of_file->n_segments;
    for (size_t i = 0; is_same && i < image->n_segments; i++) {
        const struct rv_patch_segment *own = &image->segments[i], *other = &of_file->segments[i];
        is_same = own->start - image->bias == other->start && own->end - image->bias == other->end &&
                  (!own->is_code ||
                   (own->is_readable && memcmp(own->bytes, other->bytes, (size_t)(own->end - own->start)) == 0));
    }
    return is_same;
}

/* A debugger or a probe may have written into the code, and what the loader was called with is not of its file. */
static bool is_as_in_file(const struct rv_patch_request *request)
{
    struct rv_patch_image of_file;
    struct stat now;
    bool is_same = false;
    const int fd = open(request->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    if (fstat(fd, &now) == 0 && now.st_dev == request->file->st_dev && now.st_ino == request->file->st_ino) {
        const size_t n = (size_t)now.st_size;
        void *bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
        is_same = bytes != MAP_FAILED && rv_patch_image_file(&of_file, bytes, n) == 0 &&
                  is_same_code(&request->image, &of_file);
        if (bytes != MAP_FAILED)
            munmap(bytes, n);
    }
    close(fd);
    return is_same;
}

/* An image that is left as it is has none: what has one is not looked at again. */
static void read_plan(struct work *work)
{
    const struct rv_patch_request *request = work->request;
    if (!request->plans || !request->has_functions)
        return;
    rv_patch_plan_key(&work->key, request->planner, request->file, &request->image);
    work->prepared->is_by_plan =
        rv_patch_plan_file_read(request->plans, &work->key, &request->image, &work->functions) == 0;
}

static int find_all(struct work *work)
{
    const struct rv_patch_request *request = work->request;
    if (work->prepared->is_by_plan)
        return 0;
    const int error = rv_patch_functions_find(&work->functions, &request->image, request->share);
    if (!error && request->plans && is_as_in_file(request))
        (void)rv_patch_plan_file_write(request->plans, &work->key, &request->image, &work->functions);
    return error;
}

static int find_functions(struct work *work)
{
    const struct rv_patch_request *request = work->request;
    const char *pattern = request->pattern;
    int error = pattern ? rv_patch_names_read(&work->chosen, request->path, pattern, &request->image) : 0;
    const bool has_addresses = pattern && rv_patch_names_has_addresses(pattern);
    if (error || (pattern && !work->chosen.n && !has_addresses)) {
        rv_patch_functions_free(&work->functions);
        work->prepared->is_by_plan = false;
        return error;
    }
    if (request->kept)
        (void)rv_patch_names_read(&work->kept, request->path, request->kept, &request->image);
    error = find_all(work);
    if (!error && (request->filter.include || request->filter.exclude))
        (void)rv_patch_names_filter(&work->rejected, request->path, request->called, &request->filter,
                                    &request->image, &work->functions);
    if (!error && has_addresses)
        error = rv_patch_names_add_addresses(&work->chosen, pattern, &request->image, &work->functions);
    if (!error)
        (void)rv_patch_names_find(request->path, &request->image, request->captured, request->n_captured,
                                  &work->prepared->captured, &work->prepared->n_captured);
    return error;
}

static bool are_nameless(const struct work *work)
{
    const size_t n = work->functions.n_functions / NAMED_AT_LEAST + (work->functions.n_functions % NAMED_AT_LEAST != 0);
    return rv_patch_names_are_fewer(work->request->path, &work->request->image, n);
}

static int find_imports(struct work *work)
{
    if (work->request->is_for_nameless && !are_nameless(work))
        return 0;
    int error = rv_patch_imports_find(&work->imports, &work->request->image);
    if (!error)
        error = find_captured_imports(work);
    if (!error)
        keep_wanted(work);
    return error;
}

/* Of all functions of a program: each other choice would have a copy of its own. */
static void open_copy(struct work *work)
{
    const struct rv_patch_request *request = work->request;
    struct rv_patch_prepared *prepared = work->prepared;
    const struct rv_patch_copy copy = {.folder = request->plans,
                                       .path = request->path,
                                       .file = request->file,
                                       .key = &work->key,
                                       .image = &request->image,
                                       .sites = prepared->sites,
                                       .n_sites = prepared->n_sites};
    if (!request->takes_copy || !prepared->is_by_plan || request->pattern)
        return;
    prepared->copy = rv_patch_copy_open(&copy);
    prepared->has_copy = prepared->copy >= 0;
    if (prepared->has_copy)
        (void)rv_patch_prepared_file_write(request, &work->key, prepared);
}

static bool makes_threads(const struct rv_patch_image *image)
{
    bool makes = false;
    for (size_t i = 0; i < image->n_segments && !makes; i++) {
        const struct rv_patch_segment *segment = &image->segments[i];
        makes = segment->is_code && segment->is_readable &&
                rv_own_threads_are_made(segment->bytes, (size_t)(segment->end - segment->start));
    }
    return makes;
}

static bool is_left(const struct rv_patch_request *request)
{
    return (request->leaves_readers && rv_patch_reads_return_addresses(&request->image)) ||
           (request->leaves_own_threads && makes_threads(&request->image));
}

static int prepare(struct work *work)
{
    read_plan(work);
    if (!work->prepared->is_by_plan && is_left(work->request))
        return 0;
    int error = work->request->has_functions ? find_functions(work) : 0;
    if (work->request->wants_import) /* of an image whose functions are not known, too */
        error = find_imports(work);
    if (!error)
        error = build(work);
    if (!error)
        open_copy(work);
    return error;
}

int rv_patch_prepare(const struct rv_patch_request *request, struct rv_patch_prepared *prepared)
{
    struct work work = {.request = request, .prepared = prepared};
    *prepared = (struct rv_patch_prepared){0};
    const int error = prepare(&work);
    if (error) {
        free(prepared->captured);
        rv_patch_prepared_free_sites(prepared);
        *prepared = (struct rv_patch_prepared){0};
    }
    free(work.links);
    rv_patch_names_end(&work.chosen);
    rv_patch_names_end(&work.rejected);
    rv_patch_names_end(&work.kept);
    rv_patch_functions_free(&work.functions);
    rv_patch_imports_end(&work.imports);
    return error;
}
