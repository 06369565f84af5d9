/*
 * The arguments and results of a lane's calls: ids of their texts (prototypes/arguments_text.h), by the time of the
 * call's begin or end and by its subroutine.
 */
#ifndef RV_MODEL_ARGUMENTS_H
#define RV_MODEL_ARGUMENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/subroutines.h"
#include "scan/span.h"

struct rv_argument_text {
    uint64_t at_ns;
    uint32_t id;              /* of the text, among the subroutines */
    uint32_t subroutine : 31; /* of the call; 0: not known */
    uint32_t is_result : 1;
};

struct rv_argument_texts { /* zeroed: none. Times rise. All functions may be called by any thread. */
    pthread_mutex_t lock;  /* covers all below; the innermost of all */
    struct rv_argument_text *all;
    size_t n, capacity;
    uint64_t n_forgotten; /* by the limit of memory, oldest first */
};

void rv_argument_texts_fini(struct rv_argument_texts *texts);
/* Add one. Quick where it is the newest or nearly so. */
void rv_argument_texts_add(struct rv_argument_texts *texts, const struct rv_argument_text *text);

/* Add n whose times rise, but for those that are there already. */
void rv_argument_texts_merge(struct rv_argument_texts *texts, const struct rv_argument_text *more, size_t n);

/* Memory that they take. */
size_t rv_argument_texts_bytes(const struct rv_argument_texts *texts);

/* Forget the oldest ones until they take at most so many bytes. */
void rv_argument_texts_limit(struct rv_argument_texts *texts, size_t n_bytes);

bool rv_argument_texts_any(const struct rv_argument_texts *texts); /* are there any? */

/* The id of a call's arguments or result; 0: not known. */
uint32_t rv_argument_texts_find(const struct rv_argument_texts *texts, const struct rv_span *call, bool is_result);

/* Ids of arguments, of the first calls that begin in [from, to), up to most. Returns their number. */
size_t rv_argument_texts_in(const struct rv_argument_texts *texts, uint64_t from_ns, uint64_t to_ns, uint32_t *ids,
                            size_t most);

/* The name of a text of arguments as they are shown, with commas; for free(). */
char *rv_argument_text_take_joined(const char *text);

/* A call's texts, split. */
struct rv_call_arguments {
    char **arguments; /* n, as they were at the end where they have changed */
    size_t n;
    char *result; /* NULL: not known, or void */
};

/* call: its id, start and end are read. False: nothing is known of it. To be ended in either case. */
bool rv_call_arguments_read(struct rv_call_arguments *arguments, const struct rv_argument_texts *texts,
                            struct rv_subroutines *subroutines, const struct rv_span *call);
void rv_call_arguments_fini(struct rv_call_arguments *arguments);

#endif
