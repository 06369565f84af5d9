/*
 * Gets into a process that runs already, and out of it again: loads our library into it, has it find the functions to
 * be patched, and writes the jumps while all threads stand still. In between nothing is traced by ptrace(2).
 */
#ifndef RV_ATTACH_ATTACH_H
#define RV_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rv_attach_params {
    pid_t pid;
    const char *library;    /* libringviz-attach.so, absolute */
    const char *trace_path; /* absolute */
    const char *patches;    /* "auto", or REGEX[@LIBRARY] a line */
};

/*
 * Events come from here on.
 *   returns  0, or a negative errno with one line printed: nothing in the process has changed but that our library may
 *            be loaded. -ESRCH, without a line: it has ended. -EALREADY, likewise:
 *            this ringviz has got into it, or into the one that forked it
 *   thread   main
 */
int rv_attach_begin(const struct rv_attach_params *params);

/*
 * Have a process that has our library follow the verdicts that its trace file has by now (ring/verdict_section.h): its
 * threads stand still, for about a millisecond.
 *   library  the one that was preloaded into it, or the one of an attachment
 *   returns  0; -ENOENT: it does not have this library; -EPERM, -EACCES: ptrace(2) is not permitted, or another traces
 *            it; -EAGAIN: not now; -ESRCH: it has ended. Prints nothing.
 *   thread   any, but for one process one at a time
 */
int rv_attach_apply(pid_t pid, const char *library);

/*
 * Out again: original bytes and return addresses, those of live calls too. Does nothing for a process that has ended.
 *   library  as above: where an earlier ringviz, that was killed, attached, it is found by that
 *   returns  0; -ENOENT: nobody has attached; a negative errno with one line printed
 */
int rv_attach_end(pid_t pid, const char *library);

/* The same for a process that this ringviz may have attached to, or to one that forked it with its patches; -ENOENT: it
 * has not. */
int rv_attach_end_copy(pid_t pid, const char *library);

#endif
