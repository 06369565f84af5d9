/* Display names of subroutines by dense id, with their packages; filled by the pipeline, read by reports and the
 * window. */
#ifndef RV_MODEL_SUBROUTINES_H
#define RV_MODEL_SUBROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_subroutines; /* internally locked */

struct rv_subroutine {
    const char *package, *name, *file; /* valid until destroy; never NULL */
    uint32_t line_form;                /* ringviz/wire.h */
    uint32_t line;
    uint32_t package_idx; /* dense, in order of appearance; 0 = no package */
    bool is_defined;      /* else the name is made of the id */
};

struct rv_subroutines *rv_subroutines_create(void);
void rv_subroutines_destroy(struct rv_subroutines *subroutines);

/* Subroutines of one name and file are namesakes whatever their lines, as in a comparison of two runs. Before the first
 * definition. */
void rv_subroutines_join_lines(struct rv_subroutines *subroutines);

/* Define or redefine. Strings copied and interned. Any thread. */
void rv_subroutines_define(struct rv_subroutines *subroutines, uint32_t id, const char *package, const char *name,
                           const char *file, uint32_t line_form);

/* An id without definition reads as "#id". Any thread. */
struct rv_subroutine rv_subroutines_get(struct rv_subroutines *subroutines, uint32_t id);
uint32_t rv_subroutines_count(struct rv_subroutines *subroutines);   /* highest id defined + 1 */
uint64_t rv_subroutines_version(struct rv_subroutines *subroutines); /* number of definitions */

struct rv_namesake { /* of a definition */
    uint32_t id;
    uint32_t
        first; /* id that was defined first with the same qualified name, file and line: itself, if none was before */
};

/* Up to max of the definitions, in their order, from this one on (0: the first); returns their number. Any thread. */
size_t rv_subroutines_read_namesakes(struct rv_subroutines *subroutines, uint64_t from, struct rv_namesake *out,
                                     size_t max);

/* For each id below *n the least id with the same qualified name, file and line (itself if unique); for free(). */
uint32_t *rv_subroutines_take_namesakes(struct rv_subroutines *subroutines, uint32_t *n);

/* Of all names, files and lines, by their ids. */
uint64_t rv_subroutines_hash(struct rv_subroutines *subroutines);

/* As rv_full_name(), into out; returns out. */
char *rv_subroutine_full_name(const struct rv_subroutine *subroutine, char *out, size_t out_bytes);

/* The same of the subroutine with this id. */
char *rv_subroutines_name_of(struct rv_subroutines *subroutines, uint32_t id, char *out, size_t out_bytes);

/* The same for a row of a panel: where it does not fit, without template arguments, else its front and an ellipsis. */
char *rv_subroutines_brief_name_of(struct rv_subroutines *subroutines, uint32_t id, char *out, size_t out_bytes);

/* Append a separator and that, "worker" and " in cache::get", as far as there is room; nothing of id 0. */
void rv_subroutines_append_brief_name(struct rv_subroutines *subroutines, const char *separator, uint32_t id, char *out,
                                      size_t out_bytes);

/* As rv_subroutine_full_name(), untruncated, for free(). */
char *rv_subroutine_take_full_name(const struct rv_subroutine *subroutine);

#endif
