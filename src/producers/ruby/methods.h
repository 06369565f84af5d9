/*
 * The subroutine ids of methods and blocks. A method is known by its method entry and a block by its instruction
 * sequence, so that a method that is defined again is another one. Neither is kept alive: a garbage collection may
 * free or move it and reuse its address, so entries older than the last collection are checked. Each native thread has
 * a table of its own: Ractors run in parallel.
 */
#ifndef RV_PRODUCERS_RUBY_METHODS_H
#define RV_PRODUCERS_RUBY_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/ruby/collections.h"
#include "producers/ruby/ruby_api.h"

struct rv_method {
    uint32_t id;
    bool is_of_block;    /* made by define_method: its block is called, too */
    bool is_left_out;    /* by the filter: its calls are not written */
    bool may_be_instant; /* takes less than a clock read where it makes no object: as an addition, or String#to_s */
    bool is_reader;      /* of an attribute or a Struct's member: always does */
};

/* The native thread's table: open addressing, at most half full; all zero: none yet. */
struct rv_method_key {
    VALUE object;    /* method entry, instruction sequence, or the owner of a function */
    uint64_t detail; /* 0: a method; code of a block; ID of a function */
};

struct rv_method_entry { /* two in a cache line */
    struct rv_method_key key;
    struct rv_method method;
    uint32_t collection; /* of its last check */
    uint32_t check;
};
_Static_assert(sizeof(struct rv_method_entry) == 32, "none lies in two lines");

struct rv_method_table {
    struct rv_method_entry *entries;
    uint32_t n, mask;
};
extern _Thread_local struct rv_method_table rv_method_table __attribute__((tls_model("initial-exec")));

static inline uint64_t rv_methods_mix(uint64_t a, uint64_t b)
{
    return (a ^ b ^ b >> 29) * 0x9e3779b97f4a7c15u;
}

/* Where the search begins. */
static inline uint32_t rv_methods_slot(const struct rv_method_table *table, struct rv_method_key key)
{
    return (uint32_t)(rv_methods_mix(key.object, key.detail) >> 32) & table->mask;
}

static inline bool rv_methods_is_of(const struct rv_method_entry *entry, struct rv_method_key key)
{
    return entry->key.object == key.object && entry->key.detail == key.detail;
}

/* Methods not called since the last collection may be gone. */
static inline bool rv_methods_is_fresh(const struct rv_method_entry *entry)
{
    return entry->collection == rv_collections_current();
}

/*
 * The method of that key. No code of Ruby runs, nothing is allocated.
 *   returns  valid until one is learnt; NULL: not known
 */
static inline const struct rv_method *rv_methods_find(struct rv_method_key key)
{
    for (uint32_t i = rv_methods_slot(&rv_method_table, key); rv_method_table.entries;
         i = (i + 1) & rv_method_table.mask) {
        const struct rv_method_entry *entry = &rv_method_table.entries[i];
        if (__builtin_expect(rv_methods_is_of(entry, key), 1))
            return rv_methods_is_fresh(entry) ? &entry->method : NULL;
        if (!entry->key.object)
            break;
    }
    return NULL;
}

/* The same for the method of the innermost frame, only in its CALL; for its block, only in its B_CALL; for a method
 * written in C. */
static inline const struct rv_method *rv_methods_known(const struct rv_control_frame *frame)
{
    return rv_methods_find((struct rv_method_key){rv_control_frame_method(frame), 0});
}

static inline const struct rv_method *rv_methods_known_function(VALUE owner, ID name)
{
    return rv_methods_find((struct rv_method_key){owner, name});
}

const struct rv_method *rv_methods_known_block(const struct rv_control_frame *block);

/* The same where it is not known. */
struct rv_method rv_methods_learn(const struct rv_control_frame *frame);
struct rv_method rv_methods_learn_block(const struct rv_control_frame *block);
struct rv_method rv_methods_learn_function(VALUE owner, ID name);

/* "Foo#bar" or "Foo.bar", as the trace has it: a new string in UTF-8. */
VALUE rv_methods_name(VALUE owner, ID id);

/* Once, before any lookup. */
void rv_methods_start(void);

#endif
