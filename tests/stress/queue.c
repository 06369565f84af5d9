/*
 * Several producers and consumers on one small queue: every item arrives once, each producer's in order at each
 * consumer, what an item points to is visible, and nothing is left behind.
 */
#include "stream/queue.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_PRODUCERS 3
#define N_CONSUMERS 3
#define N_ITEMS 20000u

struct item {
    unsigned producer, number;
    uint64_t payload; /* written without any atomics: the queue alone publishes it */
};

struct producer {
    struct rv_queue *queue;
    unsigned idx;
    struct item *items;
};

struct consumer {
    struct rv_queue *queue;
    int64_t last[N_PRODUCERS];
    uint64_t n, sum, n_bad;
};

static uint64_t payload_of(unsigned producer, unsigned number)
{
    return (uint64_t)producer * 1000003u + number * 7919u;
}

static void *produce(void *argument)
{
    struct producer *producer = argument;
    for (unsigned i = 0; i < N_ITEMS; i++) {
        struct item *item = &producer->items[i];
        *item = (struct item){producer->idx, i, payload_of(producer->idx, i)};
        if (!rv_queue_push(producer->queue, item))
            return (void *)"refused";
    }
    return NULL;
}

static void take(struct consumer *consumer, const struct item *item)
{
    consumer->n_bad += item->payload != payload_of(item->producer, item->number);
    consumer->n_bad += (int64_t)item->number <= consumer->last[item->producer];
    consumer->last[item->producer] = item->number;
    consumer->sum += item->payload;
    consumer->n++;
}

static void *consume(void *argument)
{
    struct consumer *consumer = argument;
    memset(consumer->last, 0xff, sizeof consumer->last);
    for (;;) {
        struct item *item = rv_queue_pop(consumer->queue);
        if (!item)
            return NULL;
        take(consumer, item);
    }
}

static uint64_t expected_sum(void)
{
    uint64_t sum = 0;
    for (unsigned producer = 0; producer < N_PRODUCERS; producer++)
        for (unsigned i = 0; i < N_ITEMS; i++)
            sum += payload_of(producer, i);
    return sum;
}

/* Returns how many things were wrong. */
static uint64_t run(size_t capacity)
{
    struct rv_queue *queue = rv_queue_create(capacity);
    struct producer producers[N_PRODUCERS];
    struct consumer consumers[N_CONSUMERS] = {0};
    pthread_t producing[N_PRODUCERS], consuming[N_CONSUMERS];
    uint64_t n_bad = 0, n = 0, sum = 0;

    for (unsigned i = 0; i < N_CONSUMERS; i++) {
        consumers[i].queue = queue;
        pthread_create(&consuming[i], NULL, consume, &consumers[i]);
    }
    for (unsigned i = 0; i < N_PRODUCERS; i++) {
        producers[i] = (struct producer){queue, i, calloc(N_ITEMS, sizeof(struct item))};
        pthread_create(&producing[i], NULL, produce, &producers[i]);
    }
    for (unsigned i = 0; i < N_PRODUCERS; i++) {
        void *failure;
        pthread_join(producing[i], &failure);
        n_bad += failure != NULL;
    }
    rv_queue_close(queue);
    for (unsigned i = 0; i < N_CONSUMERS; i++) {
        pthread_join(consuming[i], NULL);
        n_bad += consumers[i].n_bad;
        n += consumers[i].n;
        sum += consumers[i].sum;
    }
    n_bad += n != N_PRODUCERS * N_ITEMS;
    n_bad += sum != expected_sum();
    n_bad += rv_queue_pop(queue) != NULL;
    for (unsigned i = 0; i < N_PRODUCERS; i++)
        free(producers[i].items);
    rv_queue_destroy(queue);
    return n_bad;
}

int main(void)
{
    static const size_t capacities[] = {1, 2, 7, 64};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        uint64_t n_bad = run(capacities[i]);
        if (n_bad) {
            printf("capacity %zu: %llu wrong\n", capacities[i], (unsigned long long)n_bad);
            return 1;
        }
    }
    return 0;
}
