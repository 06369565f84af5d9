#include "stream/queue.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

TestSuite(queue, .timeout = 60);

static int items[8];

Test(queue, is_first_in_first_out_around_its_end)
{
    struct rv_queue *queue = rv_queue_create(3);
    for (int round = 0; round < 5; round++) {
        cr_assert(rv_queue_push(queue, &items[0]));
        cr_assert(rv_queue_push(queue, &items[1]));
        cr_assert_eq(rv_queue_pop(queue), &items[0]);
        cr_assert_eq(rv_queue_pop(queue), &items[1]);
    }
    rv_queue_destroy(queue);
    rv_queue_destroy(NULL);
}

Test(queue, closed_it_refuses_and_drains)
{
    struct rv_queue *queue = rv_queue_create(4);
    rv_queue_push(queue, &items[0]);
    rv_queue_push(queue, &items[1]);
    rv_queue_close(queue);
    cr_assert_not(rv_queue_push(queue, &items[2]));
    cr_assert_eq(rv_queue_pop(queue), &items[0]);
    cr_assert_eq(rv_queue_pop(queue), &items[1]);
    cr_assert_null(rv_queue_pop(queue));
    rv_queue_close(queue);
    cr_assert_null(rv_queue_pop(queue));
    rv_queue_destroy(queue);
}

struct side {
    struct rv_queue *queue;
    atomic_int n_done;
    bool is_pushed;
};

static void *push_three(void *argument)
{
    struct side *side = argument;
    for (int i = 0; i < 3; i++) {
        side->is_pushed = rv_queue_push(side->queue, &items[i]);
        atomic_fetch_add_explicit(&side->n_done, 1, memory_order_relaxed);
    }
    return NULL;
}

Test(queue, a_full_queue_blocks_its_producer)
{
    struct side side = {.queue = rv_queue_create(1)};
    pthread_t thread;
    pthread_create(&thread, NULL, push_three, &side);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rv_queue_pop(side.queue), &items[i]);
        /* Done are at most the popped ones and the one that fits into the queue. */
        cr_assert_leq(atomic_load_explicit(&side.n_done, memory_order_relaxed), i + 2);
    }
    pthread_join(thread, NULL);
    rv_queue_destroy(side.queue);
}

Test(queue, closing_frees_a_producer_that_waits)
{
    struct side side = {.queue = rv_queue_create(2)};
    pthread_t thread;
    pthread_create(&thread, NULL, push_three, &side);
    while (atomic_load_explicit(&side.n_done, memory_order_relaxed) < 2)
        continue;
    rv_queue_close(side.queue);
    pthread_join(thread, NULL);
    cr_assert_not(side.is_pushed);
    cr_assert_not_null(rv_queue_pop(side.queue));
    cr_assert_not_null(rv_queue_pop(side.queue));
    cr_assert_null(rv_queue_pop(side.queue));
    rv_queue_destroy(side.queue);
}

static void *pop_until_closed(void *argument)
{
    struct side *side = argument;
    while (rv_queue_pop(side->queue))
        atomic_fetch_add_explicit(&side->n_done, 1, memory_order_relaxed);
    return NULL;
}

Test(queue, closing_frees_all_consumers_that_wait)
{
    struct side side = {.queue = rv_queue_create(2)};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, pop_until_closed, &side);
    for (int i = 0; i < 8; i++)
        cr_assert(rv_queue_push(side.queue, &items[i]));
    rv_queue_close(side.queue);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(side.n_done, 8);
    rv_queue_destroy(side.queue);
}

static bool becomes(struct side *side, int n)
{
    while (atomic_load_explicit(&side->n_done, memory_order_relaxed) < n)
        sched_yield();
    return atomic_load_explicit(&side->n_done, memory_order_relaxed) == n;
}

Test(queue, many_small_items_wake_a_consumer_once_they_fill_half_of_it_or_it_is_woken, .timeout = 60)
{
    struct side side = {.queue = rv_queue_create(4)};
    pthread_t thread;
    pthread_create(&thread, NULL, pop_until_closed, &side);
    for (int i = 0; i < 2; i++)
        cr_assert(rv_queue_put(side.queue, &items[i]));
    cr_assert(becomes(&side, 2));
    cr_assert(rv_queue_put(side.queue, &items[2]));
    rv_queue_wake(side.queue);
    cr_assert(becomes(&side, 3));
    rv_queue_close(side.queue);
    pthread_join(thread, NULL);
    cr_assert_not(rv_queue_put(side.queue, &items[3]));
    rv_queue_destroy(side.queue);
}
