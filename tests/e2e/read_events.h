/* Events of a recording, as a sink gets them. */
#ifndef RV_TEST_READ_EVENTS_H
#define RV_TEST_READ_EVENTS_H

#include <stddef.h>
#include <stdint.h>

struct rv_event;

/* Give all events of the file to take, in batches, from one thread. Returns 0, or an error of the file. */
int read_events(const char *path,
                void (*take)(void *context, uint32_t stream, const struct rv_event *events, size_t n));

#endif
