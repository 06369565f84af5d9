#include "patch/plans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"

#define MOST_PLANS 1024u
#define MOST_FUNCTIONS (1u << 20) /* of all plans: 16 MiB, of which those in use take memory */

struct plan {
    struct rv_patch_plan_key key;
    uint32_t first, n;
};

struct rv_patch_plans {
    uint32_t n_plans;     /* [atomic] */
    uint32_t n_functions; /* the writer's */
    struct plan plans[MOST_PLANS];
    struct rv_patch_function functions[MOST_FUNCTIONS]; /* addresses as in the image's headers */
};

static uint64_t to_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t shape_of(const struct rv_patch_image *image)
{
    uint64_t hash = rv_hash_combine(image->entry - image->bias, image->unwind_table - image->bias);
    for (size_t i = 0; i < image->n_segments; i++) {
        hash = rv_hash_combine(hash, image->segments[i].start - image->bias);
        hash = rv_hash_combine(hash, image->segments[i].end - image->bias);
    }
    return hash;
}

void rv_patch_plan_key(struct rv_patch_plan_key *key, const struct stat *file, const struct rv_patch_image *image)
{
    *key = (struct rv_patch_plan_key){.device = file->st_dev,
                                      .inode = file->st_ino,
                                      .n_bytes = (uint64_t)file->st_size,
                                      .modified_ns = to_ns(file->st_mtim),
                                      .changed_ns = to_ns(file->st_ctim),
                                      .shape = shape_of(image)};
}

/* ---- the memory ---- */

static struct rv_patch_plans *map(int fd, int protection)
{
    void *plans = mmap(NULL, sizeof(struct rv_patch_plans), protection, MAP_SHARED, fd, 0);
    return plans == MAP_FAILED ? NULL : plans;
}

/* Its descriptor stays open: others open it by that, and know it by its inode. */
struct rv_patch_plans *rv_patch_plans_create(char place[RV_PATCH_PLANS_PLACE_BYTES])
{
    struct rv_patch_plans *plans = NULL;
    struct stat file;
    const int fd = memfd_create("ringviz-plans", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, sizeof *plans) == 0 && fstat(fd, &file) == 0)
        plans = map(fd, PROT_READ | PROT_WRITE);
    if (plans && fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        rv_patch_plans_close(plans);
        plans = NULL;
    }
    if (plans)
        snprintf(place, RV_PATCH_PLANS_PLACE_BYTES, "%llu /proc/%d/fd/%d", (unsigned long long)file.st_ino,
                 (int)getpid(), fd);
    else
        close(fd);
    return plans;
}

struct rv_patch_plans *rv_patch_plans_open(const char *place)
{
    struct rv_patch_plans *plans = NULL;
    struct stat file;
    char *path;
    int seals;
    const unsigned long long inode = strtoull(place, &path, 10);
    const int fd = *path == ' ' ? open(path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &file) == 0 && file.st_ino == inode && file.st_size == sizeof *plans &&
        (seals = fcntl(fd, F_GET_SEALS)) >= 0 && seals & F_SEAL_FUTURE_WRITE && seals & F_SEAL_SHRINK)
        plans = map(fd, PROT_READ);
    close(fd);
    return plans;
}

void rv_patch_plans_close(struct rv_patch_plans *plans)
{
    if (plans)
        munmap(plans, sizeof *plans);
}

/* ---- plans ---- */

int rv_patch_plans_add(struct rv_patch_plans *plans, const struct rv_patch_plan_key *key,
                       const struct rv_patch_functions *all, uint64_t bias)
{
    const uint32_t n_plans = plans->n_plans, first = plans->n_functions;
    if (n_plans == MOST_PLANS || all->n_functions > MOST_FUNCTIONS - first)
        return -ENOSPC;
    for (size_t i = 0; i < all->n_functions; i++) {
        plans->functions[first + i] = all->functions[i];
        plans->functions[first + i].address -= bias;
    }
    plans->n_functions += (uint32_t)all->n_functions;
    plans->plans[n_plans] = (struct plan){*key, first, (uint32_t)all->n_functions};
    __atomic_store_n(&plans->n_plans, n_plans + 1, __ATOMIC_RELEASE); /* P1 -> P2 */
    return 0;
}

static const struct plan *find(const struct rv_patch_plans *plans, const struct rv_patch_plan_key *key)
{
    const uint32_t n = __atomic_load_n(&plans->n_plans, __ATOMIC_ACQUIRE); /* P2 <- P1 */
    for (uint32_t i = 0; i < n && i < MOST_PLANS; i++)
        if (memcmp(&plans->plans[i].key, key, sizeof *key) == 0)
            return &plans->plans[i];
    return NULL;
}

int rv_patch_plans_find(const struct rv_patch_plans *plans, const struct rv_patch_plan_key *key, uint64_t bias,
                        struct rv_patch_functions *all)
{
    const struct plan *plan = find(plans, key);
    *all = (struct rv_patch_functions){0};
    if (!plan || plan->first > MOST_FUNCTIONS || plan->n > MOST_FUNCTIONS - plan->first)
        return -ENOENT;
    all->functions = calloc(plan->n + 1, sizeof *all->functions);
    if (!all->functions)
        return -ENOMEM;
    all->n_functions = plan->n;
    for (size_t i = 0; i < all->n_functions; i++) {
        all->functions[i] = plans->functions[plan->first + i];
        all->functions[i].address += bias;
        if ((size_t)all->functions[i].refusal >= RV_PATCH_REFUSAL_COUNT)
            all->functions[i].refusal = RV_PATCH_REFUSAL_COUNT - 1;
        all->n_refused[all->functions[i].refusal]++;
    }
    return 0;
}
