/*
 * Programs that traced ones start and that the loader preloads nothing into: how many, and for each reason the first of
 * them. Any process that has the header mapped; system calls are not made, so also between vfork and exec.
 */
#ifndef RV_RING_NOT_PRELOADED_H
#define RV_RING_NOT_PRELOADED_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

/* Count one; its path is kept when it is the first. */
void rv_not_preloaded_add(struct rv_wire_header *header, enum rv_not_preloaded reason, const char *path);

/* Those but static ones, which may be traced nevertheless. */
uint64_t rv_not_preloaded_n(const struct rv_wire_header *header);
uint64_t rv_not_preloaded_n_static(const struct rv_wire_header *header);

/* Path of the first one, as given to exec, cut, fit for a message. False: there is none. */
bool rv_not_preloaded_first(const struct rv_wire_header *header, enum rv_not_preloaded reason,
                            char path[4 * RV_WIRE_NOT_PRELOADED_BYTES]);

#endif
