#include "patch/plan_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/hash.h"
#include "base/private_cache.h"

#define MOST_FUNCTIONS (1u << 20) /* of a plan: 16 MiB */
#define SETTLED_NS 2000000000u

struct stored {       /* a function, without padding between its fields */
    uint32_t address; /* as in the image's headers */
    uint32_t n_bytes;
    uint8_t n_padding, skipped, n_written;
    int8_t to_island;
    uint8_t refusal, is_trivial, unused[2];
};

struct header {
    struct rv_patch_plan_key key;
    uint64_t n, hash; /* of functions that follow */
};

struct plan {
    struct header header;
    struct stored *functions;
};

/* ---- files ---- */

static uint64_t number_of(const struct rv_patch_plan_key *key)
{
    return rv_hash_bytes(key, sizeof *key);
}

static int read_plan(int fd, uint64_t n_file, const struct rv_patch_plan_key *key, struct plan *plan)
{
    struct header *header = &plan->header;
    if (rv_file_read_at(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        memcmp(&header->key, key, sizeof *key) != 0 || header->n > MOST_FUNCTIONS ||
        n_file != sizeof *header + header->n * sizeof *plan->functions)
        return -EBADMSG;
    const size_t n_bytes = header->n * sizeof *plan->functions;
    plan->functions = malloc(n_bytes + sizeof *plan->functions);
    if (!plan->functions)
        return -ENOMEM;
    return rv_file_read_at(fd, plan->functions, n_bytes, sizeof *header) == (ssize_t)n_bytes &&
                   rv_hash_bytes(plan->functions, n_bytes) == header->hash
               ? 0
               : -EBADMSG;
}

/* ---- functions ---- */

static bool is_number_written(uint8_t n)
{
    return n == RV_PATCH_SHORT_BYTES || n == RV_PATCH_JUMP_BYTES || n == RV_PATCH_HOST_BYTES;
}

static bool is_sound(const struct rv_patch_image *image, const struct rv_patch_function *function)
{
    return function->skipped <= function->n_bytes && is_number_written(function->n_written) &&
           function->refusal < RV_PATCH_REFUSAL_COUNT &&
           (function->refusal != RV_PATCH_FITS || rv_patch_image_has_code(image, function->address, function->n_bytes));
}

static int take(const struct plan *plan, const struct rv_patch_image *image, struct rv_patch_functions *all)
{
    all->functions = calloc(plan->header.n + 1, sizeof *all->functions);
    if (!all->functions)
        return -ENOMEM;
    for (; all->n_functions < plan->header.n; all->n_functions++) {
        const struct stored *stored = &plan->functions[all->n_functions];
        struct rv_patch_function *function = &all->functions[all->n_functions];
        *function = (struct rv_patch_function){.address = image->bias + stored->address,
                                               .n_bytes = stored->n_bytes,
                                               .n_padding = stored->n_padding,
                                               .skipped = stored->skipped,
                                               .n_written = stored->n_written,
                                               .to_island = stored->to_island,
                                               .refusal = stored->refusal,
                                               .is_trivial = stored->is_trivial != 0};
        if (!is_sound(image, function) || (all->n_functions && function->address <= function[-1].address))
            return -EBADMSG;
        all->n_refused[function->refusal]++;
    }
    return 0;
}

static int fill(struct plan *plan, const struct rv_patch_image *image, const struct rv_patch_functions *all)
{
    plan->header.n = all->n_functions;
    plan->functions = calloc(all->n_functions + 1, sizeof *plan->functions);
    if (!plan->functions)
        return -ENOMEM;
    for (size_t i = 0; i < all->n_functions; i++) {
        const struct rv_patch_function *function = &all->functions[i];
        const uint64_t address = function->address - image->bias;
        if (address > UINT32_MAX)
            return -E2BIG;
        plan->functions[i] = (struct stored){.address = (uint32_t)address,
                                             .n_bytes = function->n_bytes,
                                             .n_padding = function->n_padding,
                                             .skipped = function->skipped,
                                             .n_written = function->n_written,
                                             .to_island = function->to_island,
                                             .refusal = function->refusal,
                                             .is_trivial = function->is_trivial};
    }
    plan->header.hash = rv_hash_bytes(plan->functions, plan->header.n * sizeof *plan->functions);
    return 0;
}

/* ---- all ---- */

int rv_patch_plan_file_read(const char *folder, const struct rv_patch_plan_key *key, const struct rv_patch_image *image,
                            struct rv_patch_functions *all)
{
    uint64_t n_file;
    struct plan plan = {.functions = NULL};
    *all = (struct rv_patch_functions){0};
    const int fd = rv_private_cache_open(folder, number_of(key), &n_file);
    if (fd < 0)
        return fd;
    int error = read_plan(fd, n_file, key, &plan);
    if (!error)
        error = take(&plan, image, all);
    if (error)
        rv_patch_functions_free(all);
    free(plan.functions);
    close(fd);
    return error;
}

static bool is_settled(const struct rv_patch_plan_key *key)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t now_ns = rv_clock_time_ns(now);
    return now_ns > key->file.changed_ns && now_ns - key->file.changed_ns > SETTLED_NS;
}

int rv_patch_plan_file_write(const char *folder, const struct rv_patch_plan_key *key,
                             const struct rv_patch_image *image, const struct rv_patch_functions *all)
{
    struct plan plan = {.header.key = *key};
    if (!is_settled(key))
        return -EAGAIN;
    if (all->n_functions > MOST_FUNCTIONS)
        return -E2BIG;
    int error = fill(&plan, image, all);
    const struct iovec parts[] = {{&plan.header, sizeof plan.header},
                                  {plan.functions, plan.header.n * sizeof *plan.functions}};
    if (!error)
        error = rv_private_cache_write(folder, number_of(key), parts, 2);
    free(plan.functions);
    return error;
}
