/*
 * The sites of patched functions as the viewer's verdicts (ring/verdict_section.h) want them. Only new verdicts are
 * judged, unless the objects have changed: a stop is as long as there are new ones. For patcher.c, while nothing else
 * runs.
 */
#ifndef RV_PRODUCERS_NATIVE_PATCH_VERDICTS_H
#define RV_PRODUCERS_NATIVE_PATCH_VERDICTS_H

#include "producers/native/jump_writer.h"

/* The objects have changed, or their sites were judged by others: the next call judges all verdicts and sites. */
RV_HIDDEN void rv_patch_verdicts_forget(void);

/* All sites are as their names want them, and no verdict has been judged: the next call judges verdicts alone. */
RV_HIDDEN void rv_patch_verdicts_begin(void);

/*
 * Take the jumps of rejected functions out, and write the others'.
 *   is_there         is the object of this index still loaded?
 *   are_sites_clear  no thread is about to go on between the bytes of a site, but for those that are left out; else no
 *                    jump is written
 *   returns          0; 1: there are jumps to write; -EAGAIN: there are more where a thread is about to go on
 */
RV_HIDDEN int rv_patch_verdicts_apply(struct rv_patcher_object *objects, size_t n_objects, bool is_there(size_t idx),
                                      bool are_sites_clear);

/* Do all those that verdicts reject have their original bytes? */
RV_HIDDEN bool rv_patch_verdicts_are_out(void);

#endif
