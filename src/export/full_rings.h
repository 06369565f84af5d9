/* How long threads waited for ringviz itself: for room in their rings (--policy=block). */
#ifndef RV_EXPORT_FULL_RINGS_H
#define RV_EXPORT_FULL_RINGS_H

#include <stddef.h>
#include <stdint.h>

#include "export/text_buffer.h"
#include "model/lanes.h"
#include "waits/waits.h"

struct rv_full_rings {             /* zeroed = no thread has waited, or it is not known */
    uint64_t waited_ns, lasted_ns; /* of the threads that did: together, and how long they ran */
    size_t n_threads;
};

/* Of lanes that nothing is added to any more. Takes each lane's lock in turn. */
struct rv_full_rings rv_full_rings_sum(struct rv_lanes *lanes);

/* The same of a range of time, by the lanes' waits; unknown where some of these were discarded or cannot be read. */
struct rv_full_rings rv_full_rings_between(struct rv_lanes *lanes, struct rv_waits *waits, uint64_t from_ns,
                                           uint64_t to_ns);

/* A sentence that says it, and what helps; "" where it is less than half a second, or than a twentieth of their
 * time. Returns out. */
enum { RV_FULL_RINGS_BYTES = 256 };
const char *rv_full_rings_words(const struct rv_full_rings *full_rings, char out[RV_FULL_RINGS_BYTES]);

/* A key and a comma before it; nothing where no thread has waited. */
void rv_full_rings_add_json(struct rv_text_buffer *text, const struct rv_full_rings *full_rings);

#endif
