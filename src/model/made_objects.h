/* The objects that a lane's calls have made, as its runtime counts them: how many, until when. */
#ifndef RV_MODEL_MADE_OBJECTS_H
#define RV_MODEL_MADE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

struct rv_made_objects { /* zeroed = none */
    struct rv_made_objects_sum {
        uint64_t at_ns, n; /* all that were made up to then */
    } * sums;              /* by time */
    size_t n_sums, capacity;
    uint64_t lost_until_ns; /* those up to the first sum were dropped; 0: none was */
};

/* n, at least 1, no earlier than the last. */
void rv_made_objects_add(struct rv_made_objects *made, uint64_t at_ns, uint64_t n);

/* Those of sums after one time and not after another: what was made in a call that began and ended then. */
uint64_t rv_made_objects_between(const struct rv_made_objects *made, uint64_t after_ns, uint64_t until_ns);

/* Drop the oldest until at most so many bytes are taken. */
void rv_made_objects_limit(struct rv_made_objects *made, size_t n_bytes);

static inline size_t rv_made_objects_bytes(const struct rv_made_objects *made)
{
    return made->capacity * sizeof *made->sums;
}

void rv_made_objects_fini(struct rv_made_objects *made);

#endif
