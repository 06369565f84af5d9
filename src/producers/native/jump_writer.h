/*
 * The places of an object where jumps are or may be: which of them are off, and the bytes written. For patcher.c, under
 * its lock or while nothing else runs.
 */
#ifndef RV_PRODUCERS_NATIVE_JUMP_WRITER_H
#define RV_PRODUCERS_NATIVE_JUMP_WRITER_H

#include <stdbool.h>

#include "patch/prepare.h"
#include "producers/native/earlier_verdicts.h"
#include "producers/native/visibility.h"

struct rv_patcher_object {
    struct rv_patch_image image;
    struct rv_patch_prepared prepared;
    struct rv_earlier_verdicts earlier;
};

enum rv_jumps_change {
    RV_JUMPS_ALL_OUT,   /* all original bytes */
    RV_JUMPS_OFF_OUT,   /* those of functions that are off */
    RV_JUMPS_AS_WANTED, /* those, and the jumps of the others */
    RV_JUMPS_AT_FIRST   /* the same where no jump has been written yet: code of functions that are off is not read */
};

/* Are there bytes to be written? */
RV_HIDDEN bool rv_jumps_have(const struct rv_patcher_object *object, enum rv_jumps_change change);

/* While others run: has the kernel give the process pages of its own for what is to be written, which takes much longer
 * than to write it (2.3 us a page: cc1 has 5,600). */
RV_HIDDEN void rv_jumps_touch(const struct rv_patcher_object *object, enum rv_jumps_change change);

/* Write them. 0; a negative errno: the code stays as it is from some place on. */
RV_HIDDEN int rv_jumps_write(const struct rv_patcher_object *object, enum rv_jumps_change change);

/* Map code with all jumps from a copy of the file (patch/patched_copies.h) instead. 0; a negative errno: some of it is
 * not. */
RV_HIDDEN int rv_jumps_map(const struct rv_patcher_object *object, int copy);

/* The same of n of its sites, which are sorted. */
RV_HIDDEN int rv_jumps_write_some(const struct rv_patcher_object *object, struct rv_patch_site **sites, size_t n,
                                  enum rv_jumps_change change);

/* Is the site's jump wanted, but not written? Has the object such a site among those left out? */
RV_HIDDEN bool rv_jumps_is_missing(const struct rv_patch_site *site);
RV_HIDDEN bool rv_jumps_have_missing(const struct rv_patcher_object *object);

/* The site of the function at this address, or NULL. */
RV_HIDDEN struct rv_patch_site *rv_jumps_find(const struct rv_patcher_object *object, uint64_t function);

/*
 * Have the calls of the import whose word is at this address traced, or no longer: at once, wherever threads are.
 * False: there is no such import.
 */
RV_HIDDEN bool rv_jumps_turn_import(const struct rv_patcher_object *object, uint64_t import, bool is_on);

/* Turn off the sites of functions that were rejected by name, or before, and the imports that were rejected before. */
RV_HIDDEN void rv_jumps_judge_by_names(const struct rv_patcher_object *object);

/* Forget between whose bytes threads were: this is set from outside. */
RV_HIDDEN void rv_jumps_expect_clearing(const struct rv_patcher_object *object);

/* Count those that are off; not in an object that could not be written. */
RV_HIDDEN void rv_jumps_count(struct rv_patcher_object *object);

#endif
