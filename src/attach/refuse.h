/* Why a process cannot be attached to: one line that says what to do. Each returns a negative errno: -ESRCH,
 * without a line, for a process that has ended or is about to. */
#ifndef RV_ATTACH_REFUSE_H
#define RV_ATTACH_REFUSE_H

#include <sys/types.h>

enum rv_refuse {
    RV_REFUSE_NO_LOADER,  /* it has no C library that loads libraries */
    RV_REFUSE_NOT_LOADED, /* that failed */
    RV_REFUSE_TRACED,     /* by another ringviz */
    RV_REFUSE_LOADING,    /* one of its threads loads a library */
    RV_REFUSE_KEPT,       /* it is stopped, so that we do not get out */
    RV_REFUSE_CROWDED,    /* it has too many threads by now, so that we do not get out */
};

/* What /proc says without touching it; 0: nothing is against it. It will need both files, by these paths. */
int rv_refuse_attaching_early(pid_t pid, const char *library, const char *trace_path);

/* Print why, and return the negative errno of it. */
int rv_refuse_attaching(pid_t pid, enum rv_refuse why);

/* An error of ptrace(2) or of a call. */
int rv_refuse_attaching_error(pid_t pid, int error);

/* The library's own. */
int rv_refuse_planning(pid_t pid, int error);

#endif
