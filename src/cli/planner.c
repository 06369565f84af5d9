#include "cli/planner.h"

#ifdef RV_CLI_ATTACH

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/vec.h"
#include "patch/plans.h"
#include "ring/modules.h"

#define MOST_BYTES (128l << 20) /* of a program */
/* A file that changed just now may change again without getting another time. */
#define SETTLED_S 2
#define PATIENCE_S 1 /* with a plan, at the end */

struct program {
    uint64_t device, inode;
    bool is_done; /* it is planned, or cannot be */
};

/* Orderings: T1 -> T2  the thread has planned before it is not busy */
struct rv_planner {
    const struct rv_map *map;
    struct rv_patch_plans *plans;
    char place[RV_PATCH_PLANS_PLACE_BYTES];
    uint32_t n_looked; /* modules; the drain's, as the next ones */
    bool *is_known;    /* by process: what it runs */
    size_t n_known;
    struct program *programs;
    size_t n_programs, capacity;
    bool has_thread;
    pthread_t thread;
    atomic_bool is_busy; /* all that follows and the programs are the thread's then */
    struct program *next;
    char path[PATH_MAX];
};

/* ---- the thread ---- */

static bool read_all(int fd, uint8_t *bytes, size_t n)
{
    size_t n_read = 0;
    for (ssize_t step; n_read < n; n_read += (size_t)step)
        if ((step = pread(fd, bytes + n_read, n - n_read, (off_t)n_read)) <= 0)
            return false;
    return true;
}

static bool is_settled(const struct stat *file)
{
    return time(NULL) - file->st_ctim.tv_sec > SETTLED_S;
}

static void plan_file(struct rv_patch_plans *plans, int fd, const struct stat *file)
{
    struct rv_patch_image image;
    struct rv_patch_functions all = {0};
    struct rv_patch_plan_key key, key_after;
    struct stat after;
    uint8_t *bytes = malloc((size_t)file->st_size);
    if (bytes && read_all(fd, bytes, (size_t)file->st_size) &&
        rv_patch_image_file(&image, bytes, (size_t)file->st_size) == 0 && image.unwind_table &&
        rv_patch_functions_find(&all, &image) == 0 && fstat(fd, &after) == 0) {
        rv_patch_plan_key(&key, file, &image);
        rv_patch_plan_key(&key_after, &after, &image);
        if (memcmp(&key, &key_after, sizeof key) == 0)
            (void)rv_patch_plans_add(plans, &key, &all, image.bias);
    }
    rv_patch_functions_free(&all);
    free(bytes);
}

static void plan(const struct rv_planner *planner)
{
    struct stat file;
    const int fd = open(planner->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    planner->next->is_done = true;
    if (fd >= 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_dev == planner->next->device &&
        file.st_ino == planner->next->inode && file.st_size > 0 && file.st_size <= MOST_BYTES) {
        planner->next->is_done = is_settled(&file);
        if (planner->next->is_done)
            plan_file(planner->plans, fd, &file);
    }
    if (fd >= 0)
        close(fd);
}

static void *run(void *context)
{
    struct rv_planner *planner = context;
    rv_os_schedule_bulk();
    plan(planner);
    atomic_store_explicit(&planner->is_busy, false, memory_order_release); /* T1 -> T2 */
    return NULL;
}

static void join(struct rv_planner *planner)
{
    if (planner->has_thread)
        pthread_join(planner->thread, NULL);
    planner->has_thread = false;
}

static void start(struct rv_planner *planner)
{
    sigset_t all, before;
    join(planner);
    atomic_store_explicit(&planner->is_busy, true, memory_order_relaxed);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    planner->has_thread = pthread_create(&planner->thread, NULL, run, planner) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!planner->has_thread)
        atomic_store_explicit(&planner->is_busy, false, memory_order_relaxed);
}

/* ---- what is run ---- */

/* NULL: it was not met before, and is from here on. */
static struct program *find_program(struct rv_planner *planner, const struct rv_module *module)
{
    for (size_t i = 0; i < planner->n_programs; i++)
        if (planner->programs[i].device == module->device && planner->programs[i].inode == module->inode)
            return &planner->programs[i];
    planner->programs =
        rv_vec_reserve(planner->programs, &planner->capacity, planner->n_programs + 1, sizeof *planner->programs);
    planner->programs[planner->n_programs++] = (struct program){module->device, module->inode, false};
    return NULL;
}

/* The first module of a process is its program. */
static bool is_program(struct rv_planner *planner, uint32_t process_idx)
{
    if (process_idx >= planner->n_known)
        planner->is_known = rv_vec_extend(planner->is_known, &planner->n_known, process_idx + 1, sizeof(bool));
    const bool is_first = !planner->is_known[process_idx];
    planner->is_known[process_idx] = true;
    return is_first;
}

static bool is_patched(const struct rv_map *map, uint32_t process_idx)
{
    return __atomic_load_n(&rv_map_process(map, process_idx)->instrumentation.n_functions, __ATOMIC_RELAXED) != 0;
}

static void look_at(struct rv_planner *planner, uint32_t module_idx)
{
    struct rv_module module;
    if (rv_modules_read(planner->map, module_idx, &module, planner->path, sizeof planner->path) != 0 ||
        !is_program(planner, module.process_idx) || !is_patched(planner->map, module.process_idx))
        return;
    planner->next = find_program(planner, &module);
    if (planner->next && !planner->next->is_done)
        start(planner);
}

void rv_planner_look(struct rv_planner *planner)
{
    if (!planner)
        return;
    const uint32_t n = rv_modules_count(planner->map);
    while (planner->n_looked < n && !atomic_load_explicit(&planner->is_busy, memory_order_acquire)) /* T2 <- T1 */
        look_at(planner, planner->n_looked++);
}

/* ---- all ---- */

struct rv_planner *rv_planner_create(const struct rv_map *map)
{
    struct rv_planner *planner = rv_alloc(1, sizeof *planner);
    planner->map = map;
    planner->plans = rv_patch_plans_create(planner->place);
    if (!planner->plans) {
        free(planner);
        return NULL;
    }
    return planner;
}

const char *rv_planner_place(const struct rv_planner *planner)
{
    return planner ? planner->place : NULL;
}

/* A file system may never answer, and a program may have been made to take for ever. */
static bool has_ended(struct rv_planner *planner)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    if (planner->has_thread && pthread_clockjoin_np(planner->thread, NULL, CLOCK_MONOTONIC, &until) != 0)
        return false;
    planner->has_thread = false;
    return true;
}

void rv_planner_destroy(struct rv_planner *planner)
{
    if (!planner || !has_ended(planner))
        return;
    rv_patch_plans_close(planner->plans);
    free(planner->is_known);
    free(planner->programs);
    free(planner);
}

#else

struct rv_planner *rv_planner_create(const struct rv_map *map)
{
    (void)map;
    return NULL;
}

const char *rv_planner_place(const struct rv_planner *planner)
{
    (void)planner;
    return NULL;
}

void rv_planner_look(struct rv_planner *planner)
{
    (void)planner;
}

void rv_planner_destroy(struct rv_planner *planner)
{
    (void)planner;
}

#endif
