/*
 * A bounded queue of pointers between threads: the only hand-over inside ringviz. Items are whole batches, a few
 * thousand a second at the most, so a mutex and two condition variables are cheaper than cleverness.
 */
#ifndef RV_FLOW_QUEUE_H
#define RV_FLOW_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct rv_queue;

struct rv_queue *rv_queue_create(size_t capacity);
void rv_queue_destroy(struct rv_queue *queue); /* items left inside stay the caller's */

/* Waits for room. False when the queue was closed; the item stays the caller's. Any thread. */
bool rv_queue_push(struct rv_queue *queue, void *item);

/* Waits for an item. NULL when closed and empty. Any thread. */
void *rv_queue_pop(struct rv_queue *queue);

/* No more pushes; pops drain what is left. */
void rv_queue_close(struct rv_queue *queue);

#endif
