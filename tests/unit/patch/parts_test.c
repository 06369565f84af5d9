/* Each part is run once, by one worker or by two. */
#include "patch/parts.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

TestSuite(parts, .timeout = 60);

enum { MOST = 1000 };

struct record {
    unsigned n_runs[MOST];
    atomic_uint n_at_once[RV_PATCH_WORKERS]; /* runs of a worker that have not ended */
    atomic_bool is_mixed;
};

static void run_part(void *context, unsigned worker, size_t part)
{
    struct record *record = context;
    cr_assert(worker < RV_PATCH_WORKERS && part < MOST);
    if (atomic_fetch_add_explicit(&record->n_at_once[worker], 1, memory_order_relaxed) != 0)
        atomic_store_explicit(&record->is_mixed, true, memory_order_relaxed);
    record->n_runs[part]++;
    atomic_fetch_sub_explicit(&record->n_at_once[worker], 1, memory_order_relaxed);
}

struct task {
    void (*work)(void *context);
    void *context;
};

static void *run_task(void *argument)
{
    const struct task *task = argument;
    task->work(task->context);
    return NULL;
}

static bool share(void (*work)(void *context), void *context)
{
    pthread_t thread;
    struct task task = {work, context};
    cr_assert_eq(pthread_create(&thread, NULL, run_task, &task), 0);
    work(context);
    pthread_join(thread, NULL);
    return true;
}

static bool share_with_nobody(void (*work)(void *context), void *context)
{
    work(context);
    return false;
}

static void expect_each_once(rv_patch_share_fn *share_fn, size_t n, bool wanted)
{
    struct record record = {.is_mixed = false};
    cr_expect_eq(rv_patch_parts_run(share_fn, n, run_part, &record), wanted);
    for (size_t i = 0; i < MOST; i++)
        cr_expect_eq(record.n_runs[i], i < n);
    cr_expect(!record.is_mixed);
}

Test(parts, each_is_run_once)
{
    const size_t numbers[] = {0, 1, 2, 3, MOST - 1, MOST};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        expect_each_once(NULL, numbers[i], true);
        expect_each_once(share, numbers[i], true);
        expect_each_once(share_with_nobody, numbers[i], false);
    }
}
