/*
 * The set of subroutines whose full name or package matches a pattern. It grows as subroutines become known, and
 * follows redefinitions. One thread at a time changes it; any thread may look up ids meanwhile.
 */
#ifndef RV_MODEL_NAME_SET_H
#define RV_MODEL_NAME_SET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/regex.h"
#include "model/subroutines.h"

enum rv_name_set_of { RV_NAME_SET_NAME, RV_NAME_SET_PACKAGE };

struct rv_name_set_seen { /* name of a subroutine when it was matched; interned, so pointers can be compared */
    const char *package, *name;
};

struct rv_name_bits { /* a bit per id; replaced by a larger one, but kept until the set's end */
    struct rv_name_bits *smaller;
    size_t n_words;
    _Atomic uint64_t words[];
};

struct rv_name_set {                /* zeroed = empty, with a pattern that matches nothing */
    const struct rv_regex *pattern; /* borrowed; NULL = matches nothing */
    enum rv_name_set_of of;
    const struct rv_subroutines *subroutines; /* the table it follows */
    struct rv_name_set_seen *seen;            /* by id */
    size_t n_seen, seen_capacity;
    _Atomic(struct rv_name_bits *) bits; /* NS1 -> NS2; NULL: no id */
    uint32_t n_matching, next;   /* number of ids in the set; first id not matched yet in this version of the table */
    uint64_t version;            /* of the table */
    _Atomic uint64_t generation; /* increases when the set changes */
};

void rv_name_set_init(struct rv_name_set *matches, enum rv_name_set_of of, const struct rv_regex *pattern);
void rv_name_set_fini(struct rv_name_set *matches);

/* Copy another's current set, without its pattern: a snapshot for readers while that one grows. */
void rv_name_set_follow(struct rv_name_set *into, const struct rv_name_set *from);

/* Add a subroutine to a set without a pattern; remove all. */
void rv_name_set_add(struct rv_name_set *matches, uint32_t id);
void rv_name_set_clear(struct rv_name_set *matches);

/*
 * Match new names of the table.
 *   most     names to match now, microseconds each; the rest is left for the next call
 *   returns  whether all known names were matched
 */
bool rv_name_set_update(struct rv_name_set *matches, struct rv_subroutines *subroutines, size_t most);

/* Is the subroutine in the set? Ids not examined yet are not. */
static inline bool rv_name_set_has(const struct rv_name_set *matches, uint32_t id)
{
    const struct rv_name_bits *bits = atomic_load_explicit(&matches->bits, memory_order_acquire); /* NS2 <- NS1 */
    return bits && id / 64 < bits->n_words &&
           atomic_load_explicit(&bits->words[id / 64], memory_order_relaxed) >> (id % 64) & 1;
}

/* Changes whenever the set may have changed. */
static inline uint64_t rv_name_set_generation(const struct rv_name_set *matches)
{
    return atomic_load_explicit(&matches->generation, memory_order_relaxed);
}

#endif
