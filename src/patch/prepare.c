#include "patch/prepare.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bisect.h"

static bool is_captured(const struct rv_patch_prepared *prepared, uint64_t address)
{
    size_t n = rv_bisect_count(prepared->captured, prepared->n_captured, sizeof *prepared->captured,
                               offsetof(struct rv_patch_named, address), address);
    return n && prepared->captured[n - 1].address == address;
}

struct names {
    struct rv_patch_names chosen, rejected;
};

static bool is_chosen(const struct rv_patch_request *request, const struct names *names,
                      const struct rv_patch_function *function, struct rv_patch_prepared *prepared)
{
    if (request->pattern && !rv_patch_names_match(&names->chosen, function->address))
        return false;
    prepared->counts.n_functions++;
    if (function->refusal) {
        prepared->counts.n_refused[function->refusal]++;
        return false;
    }
    if (function->is_trivial && !request->has_trivial && !is_captured(prepared, function->address)) {
        prepared->counts.n_trivial++;
        return false;
    }
    return true;
}

static void build(const struct rv_patch_request *request, const struct rv_patch_functions *all,
                  const struct names *names, struct rv_patch_stubs *stubs, struct rv_patch_prepared *prepared)
{
    rv_patch_stubs_begin(stubs, request->hook, request->capture_hook);
    for (size_t i = 0; i < all->n_functions; i++) {
        const struct rv_patch_function *function = &all->functions[i];
        if (!is_chosen(request, names, function, prepared))
            continue;
        struct rv_patch_site *site = &prepared->sites[prepared->n_sites];
        enum rv_patch_refusal refusal =
            rv_patch_stubs_add(stubs, &request->image, function, is_captured(prepared, function->address), site);
        if (refusal) {
            prepared->counts.n_refused[refusal]++;
            continue;
        }
        prepared->n_sites++;
        site->is_off = site->is_rejected = rv_patch_names_match(&names->rejected, function->address);
        prepared->counts.n_filtered += site->is_off;
    }
    prepared->counts.n_patched = (uint32_t)prepared->n_sites - prepared->counts.n_filtered;
}

static int prepare(const struct rv_patch_request *request, const struct rv_patch_functions *all,
                   const struct names *names, struct rv_patch_prepared *prepared)
{
    const struct rv_patch_function *functions = all->functions, *last = functions + all->n_functions - 1;
    if (!all->n_functions)
        return 0;
    struct rv_patch_stubs stubs = {.n_bytes = (all->n_functions + 1) * RV_PATCH_STUB_BYTES};
    prepared->sites = calloc(all->n_functions, sizeof *prepared->sites);
    if (!prepared->sites)
        return -ENOMEM;
    stubs.bytes = request->map_near(functions->address, last->address + last->n_bytes, stubs.n_bytes);
    if (!stubs.bytes)
        return -ENOSPC;
    stubs.address = (uint64_t)(uintptr_t)stubs.bytes;
    build(request, all, names, &stubs, prepared);
    prepared->stubs = stubs.bytes;
    prepared->n_stub_bytes = stubs.n_bytes;
    return 0;
}

int rv_patch_prepare(const struct rv_patch_request *request, struct rv_patch_prepared *prepared)
{
    struct rv_patch_functions all = {0};
    struct names names = {0};
    *prepared = (struct rv_patch_prepared){0};
    int error =
        request->pattern ? rv_patch_names_read(&names.chosen, request->path, request->pattern, &request->image) : 0;
    const bool has_addresses = request->pattern && rv_patch_names_has_addresses(request->pattern);
    const bool has_any = !error && (!request->pattern || names.chosen.n || has_addresses);
    if (has_any && (request->filter.include || request->filter.exclude))
        (void)rv_patch_names_filter(&names.rejected, request->path, &request->filter, &request->image);
    if (has_any)
        error = rv_patch_functions_find(&all, &request->image);
    if (has_any && !error && has_addresses)
        error = rv_patch_names_add_addresses(&names.chosen, request->pattern, &request->image, &all);
    if (has_any && !error)
        (void)rv_patch_names_find(request->path, &request->image, request->captured, request->n_captured,
                                  &prepared->captured, &prepared->n_captured);
    if (has_any && !error)
        error = prepare(request, &all, &names, prepared);
    if (error) {
        free(prepared->captured);
        free(prepared->sites);
        *prepared = (struct rv_patch_prepared){0};
    }
    rv_patch_names_end(&names.chosen);
    rv_patch_names_end(&names.rejected);
    rv_patch_functions_free(&all);
    return error;
}
