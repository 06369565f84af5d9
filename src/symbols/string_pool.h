/* Interned strings at stable addresses: equal strings have equal pointers. One thread at a time. */
#ifndef RV_SYMBOLS_STRING_POOL_H
#define RV_SYMBOLS_STRING_POOL_H

#include <stddef.h>

#include "base/hash_index.h"

struct rv_string_pool { /* zero = empty */
    struct rv_hash_index index;
    const char **strings;
    size_t n, capacity;
    char **chunks;
    size_t n_chunks, chunk_capacity;
    char *room;
    size_t room_bytes;
};

/* The pool's own copy of text[0 .. n_bytes), NUL-terminated. Truncated at an inner NUL. */
const char *rv_string_pool_keep(struct rv_string_pool *pool, const char *text, size_t n_bytes);

/* A text that was kept before, or NULL. */
const char *rv_string_pool_find(const struct rv_string_pool *pool, const char *text);

void rv_string_pool_fini(struct rv_string_pool *pool);

#endif
