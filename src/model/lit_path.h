/*
 * A critical path as pictures light it: its steps in order of time, and by thread. Immutable and shared: the thread
 * that makes a picture and the window hold the same one.
 */
#ifndef RV_MODEL_LIT_PATH_H
#define RV_MODEL_LIT_PATH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/critical_path_walk.h"

struct rv_lit_path {
    atomic_uint n_holders;
    struct rv_critical_path_step *steps; /* in order of time; they do not overlap */
    size_t n;
    struct rv_critical_path_step *by_thread; /* the same by thread, then time, */
    uint64_t *before_ns;                     /* and how long those before each of them are, of its thread */
    size_t *first;                           /* of each thread in them, and the end of the last one */
    size_t n_threads;
};

/* steps: as of rv_critical_path_take(), taken. Returns it held. */
const struct rv_lit_path *rv_lit_path_create(struct rv_critical_path_step *steps, size_t n);

/* Hold it, to be released. NULL-safe. Any thread. Returns it. */
const struct rv_lit_path *rv_lit_path_hold(const struct rv_lit_path *path);
void rv_lit_path_release(const struct rv_lit_path *path);

/*
 * Is a thread on the path for half of the time from from_ns to to_ns, or more, as far as that is between the path's
 * ends? O(log steps).
 */
bool rv_lit_path_has(const struct rv_lit_path *path, uint32_t thread, uint64_t from_ns, uint64_t to_ns);

/* The first step that ends after a time; n: none does. O(log steps). */
size_t rv_lit_path_after(const struct rv_lit_path *path, uint64_t at_ns);

/*
 * The step to draw after one that was drawn: the next one that ends a pixel or more later. Of steps shorter than a
 * pixel each is drawn as likely as it is long.
 */
size_t rv_lit_path_next(const struct rv_lit_path *path, size_t drawn, uint64_t pixel_ns);

#endif
