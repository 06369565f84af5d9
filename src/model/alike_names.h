/* Names of a list that would read alike where there is little room, such as `pop` of several classes. One thread. */
#ifndef RV_MODEL_ALIKE_NAMES_H
#define RV_MODEL_ALIKE_NAMES_H

#include "base/hash_index.h"
#include "model/short_name.h"

struct rv_alike_group { /* names that have something in common, by what each has beside it */
    char *first;
    size_t n_common; /* bytes at its front that all have */
    bool differ;
};

struct rv_alike_names { /* zeroed = empty */
    struct rv_hash_index by_common;
    struct rv_alike_group *groups;
    size_t n, capacity;
};

void rv_alike_names_add(struct rv_alike_names *names, const char *full_name);
void rv_alike_names_clear(struct rv_alike_names *names);

/* As rv_short_name_fit(), but a name of which the list has others with the same end keeps what tells it from them, and
 * scopes in brackets are left out. */
bool rv_alike_names_fit(const struct rv_alike_names *names, const char *full_name,
                        const struct rv_short_name_room *room, char *out, size_t out_bytes);

#endif
