/* The objects that the dynamic loader has mapped into this process: the program, its libraries, those of dlopen. */
#ifndef RV_NATIVE_OBJECTS_H
#define RV_NATIVE_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

typedef int rv_loaded_objects_fn(struct dl_phdr_info *info, size_t n_bytes, void *context);

/*
 * Can the loader's list be read now? Not in a signal's handler that has interrupted its thread while that took the
 * loader's lock or gave it back: dl_iterate_phdr() would wait for this very thread, for ever. Another thread that does
 * so lets it be false for a moment, too.
 */
RV_HIDDEN bool rv_loaded_objects_can_be_read(void);

/* As dl_iterate_phdr(), and with the namespaces of dlmopen. */
RV_HIDDEN int rv_loaded_objects_each(rv_loaded_objects_fn *look, void *context);

/*
 * Without a lock: for a moment at which no thread runs, or the loader does not.
 *   are_changing  the loader is about to change its list
 *   have          is an object in the list? base: what its addresses are above those in its file
 *   sum           another number when an object has been loaded or unloaded
 */
RV_HIDDEN bool rv_loaded_objects_are_changing(void);
RV_HIDDEN bool rv_loaded_objects_have(uint64_t base, const char *name);
RV_HIDDEN uint64_t rv_loaded_objects_sum(void);

#endif
