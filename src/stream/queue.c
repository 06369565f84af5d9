/* A circular array under one mutex. Each item wakes one waiter; closing wakes all. */
#include "stream/queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"

struct rv_queue {
    pthread_mutex_t lock;
    pthread_cond_t has_item, has_room;
    /* protected by the lock: n <= capacity items from items[first] on; is_closed is never reset */
    void **items;
    size_t capacity, first, n;
    bool is_closed;
};

static void lock(struct rv_queue *queue)
{
    if (pthread_mutex_lock(&queue->lock) != 0)
        rv_unreachable();
}

static void unlock(struct rv_queue *queue)
{
    if (pthread_mutex_unlock(&queue->lock) != 0)
        rv_unreachable();
}

struct rv_queue *rv_queue_create(size_t capacity)
{
    struct rv_queue *queue = rv_alloc(1, sizeof *queue);
    rv_assert(capacity > 0);
    queue->items = rv_alloc(capacity, sizeof *queue->items);
    queue->capacity = capacity;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->has_item, NULL);
    pthread_cond_init(&queue->has_room, NULL);
    return queue;
}

void rv_queue_destroy(struct rv_queue *queue)
{
    if (!queue)
        return;
    pthread_cond_destroy(&queue->has_room);
    pthread_cond_destroy(&queue->has_item);
    pthread_mutex_destroy(&queue->lock);
    free(queue->items);
    free(queue);
}

/* A waiter is woken once `n_least` items wait. */
static bool put(struct rv_queue *queue, void *item, size_t n_least)
{
    lock(queue);
    while (queue->n == queue->capacity && !queue->is_closed)
        pthread_cond_wait(&queue->has_room, &queue->lock);
    bool is_pushed = !queue->is_closed;
    if (is_pushed)
        queue->items[(queue->first + queue->n++) % queue->capacity] = item;
    bool is_enough = queue->n >= n_least;
    unlock(queue);
    if (is_enough)
        pthread_cond_signal(&queue->has_item); /* without the lock, which the woken thread takes at once */
    return is_pushed;
}

bool rv_queue_push(struct rv_queue *queue, void *item)
{
    return put(queue, item, 1);
}

bool rv_queue_put(struct rv_queue *queue, void *item)
{
    return put(queue, item, (queue->capacity + 1) / 2);
}

void rv_queue_wake(struct rv_queue *queue)
{
    lock(queue);
    bool has_items = queue->n > 0;
    unlock(queue);
    if (has_items)
        pthread_cond_broadcast(&queue->has_item);
}

/* Under the lock, n > 0. */
static void *take_first(struct rv_queue *queue)
{
    void *item = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->n--;
    return item;
}

void *rv_queue_pop(struct rv_queue *queue)
{
    lock(queue);
    while (queue->n == 0 && !queue->is_closed)
        pthread_cond_wait(&queue->has_item, &queue->lock);
    void *item = queue->n > 0 ? take_first(queue) : NULL;
    unlock(queue);
    if (item)
        pthread_cond_signal(&queue->has_room);
    return item;
}

void rv_queue_close(struct rv_queue *queue)
{
    lock(queue);
    queue->is_closed = true;
    pthread_cond_broadcast(&queue->has_item);
    pthread_cond_broadcast(&queue->has_room);
    unlock(queue);
}
