/*
 * Incremental parser of JSON as tools write it. Tolerates common defects: an array without its end, a comma before a
 * closing bracket, a missing one between objects, control characters in strings (read as blanks), a byte order mark,
 * text after the end.
 */
#ifndef RV_IMPORT_JSON_PARSER_H
#define RV_IMPORT_JSON_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_json; /* opaque */

/* Each returns 0, or a negative errno to stop with. Bytes are valid until it returns. */
struct rv_json_handler {
    int (*key)(void *context, const char *bytes, size_t n);
    int (*value)(void *context, const char *bytes, size_t n, bool is_number); /* a string or number */
    int (*nothing)(void *context);                                            /* a null or bool; NULL: left out */
    int (*open)(void *context, bool is_array); /* rv_json_depth() already counts it, as at its end */
    int (*close)(void *context, bool is_array);
};

struct rv_json *rv_json_create(const struct rv_json_handler *handler, void *context); /* both borrowed until destroy */
void rv_json_destroy(struct rv_json *json);

/*
 * Parse the next n > 0 bytes, which are modified.
 *   returns  0; the handler's error; -EBADMSG with why (at most why_bytes) when it is not JSON
 */
int rv_json_feed(struct rv_json *json, char *bytes, size_t n, char *why, size_t why_bytes);

unsigned rv_json_depth(const struct rv_json *json); /* number of open brackets */
bool rv_json_has_ended(const struct rv_json *json); /* the outermost value is whole */

/* Are the n bytes this word? */
bool rv_json_is(const char *bytes, size_t n, const char *word);

struct rv_json_key {
    const char *word; /* NULL ends a table */
    int key;
};

/* The key whose word the n bytes are; 0: none of the table's. */
int rv_json_key_of(const struct rv_json_key *keys, const char *bytes, size_t n);

/* Does the object at the start of a text have one of these keys within n bytes? NULL ends the keys. */
bool rv_json_has_key(const char *head, size_t n, const char *const *keys);

#endif
