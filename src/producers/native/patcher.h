/* Patches functions of this process, as a request (wanted_lines.h) says. */
#ifndef RV_PRODUCERS_NATIVE_PATCHER_H
#define RV_PRODUCERS_NATIVE_PATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"
#include "ring/attachment.h"

/* What ringviz reads of this process from outside: the objects that are planned. Protected: the library that is
 * preloaded and the one of an attachment each have one. */
extern struct rv_attachment ringviz_attachment __attribute__((visibility("protected")));

/*
 * Find what can be patched, and build its stubs; a trace file may have arguments of some functions captured, and system
 * calls. No jump is in place.
 *   do_others_run  other threads may load and unload meanwhile, and wait in system calls
 *   returns        0; -ENOENT: no planner; -ENOTSUP: return addresses are guarded by the processor, or of a static
 *                  program no system call is found; -E2BIG; -ENOMEM; -EPERM; -EAGAIN: a fork lasts too long
 */
RV_HIDDEN int rv_patcher_plan(const char *wanted, const char *trace_path, bool do_others_run);

/*
 * Put all jumps in place, or the original bytes: while nothing runs there, nor is about to go on there. From the one to
 * the other, libraries that are loaded are planned and patched before their code runs, if some were wanted.
 *   returns  0; -EAGAIN: a thread is in the loader
 */
RV_HIDDEN void rv_patcher_write(void);
RV_HIDDEN int rv_patcher_remove(void);

/*
 * While nothing else runs: take the jumps of functions out that the viewer's verdicts reject (ring/verdict_section.h),
 * let hooks know them, and write the others' jumps where no thread is about to go on between their bytes.
 *   are_sites_clear  that is so; else none is written
 *   returns          0; 1: there are jumps to write; -EAGAIN: not at this moment
 */
RV_HIDDEN int rv_patcher_apply(bool are_sites_clear);

/* While nothing runs: no library that may be wanted has been loaded since the plan. */
RV_HIDDEN bool rv_patcher_is_current(void);

#endif
