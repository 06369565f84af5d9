/*
 * A bounded queue of pointers, the only way to pass data between ringviz's threads. Items are whole batches, at most a
 * few thousand a second, so a mutex and two condition variables are fast enough.
 */
#ifndef RV_STREAM_QUEUE_H
#define RV_STREAM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct rv_queue;

struct rv_queue *rv_queue_create(size_t capacity);
void rv_queue_destroy(struct rv_queue *queue); /* remaining items are not freed */

/* Waits for room. False when the queue was closed; the item stays the caller's. Any thread. */
bool rv_queue_push(struct rv_queue *queue, void *item);

/*
 * The same, for one of many small items: a waiting thread is woken once the queue is half full. The others wait for
 * rv_queue_push() or rv_queue_wake().
 */
bool rv_queue_put(struct rv_queue *queue, void *item);
void rv_queue_wake(struct rv_queue *queue);

/* Waits for an item. NULL when closed and empty. Any thread. */
void *rv_queue_pop(struct rv_queue *queue);

/* No more pushes; pops return the remaining items. */
void rv_queue_close(struct rv_queue *queue);

#endif
