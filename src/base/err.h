/*
 * Errors and messages: printed once, where the cause is known, as one line on stderr that starts with "ringviz: ".
 *
 * Functions return 0 or a negative errno. rv_err() and rv_err_sys() print and return that value, so that a
 * failure path is one statement: return rv_err(EBADMSG, "%s: not a trace file", path);
 */
#ifndef RV_BASE_ERR_H
#define RV_BASE_ERR_H

#include <stdbool.h>

/*
 * Print one line and return -errnum.
 *   errnum   a positive errno value
 *   thread   any
 */
int rv_err(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As rv_err(errno, ...), with ": " and strerror(errno) appended. */
int rv_err_sys(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print a warning: the program continues. */
void rv_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The warnings that were printed so far, for who does not see stderr: the first ones. NULL: there are not so many. The
 * text is without the prefix, and stays. Any thread. */
#define RV_WARNINGS_KEPT 16u
const char *rv_warning_kept(unsigned idx);

/* Print a line with --verbose only. */
void rv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print notes, too. Before other threads are started. */
void rv_set_verbose(bool is_verbose);

/* Print the place and abort when an invariant of ours is broken. Never for input. */
#define rv_assert(condition) ((condition) ? (void)0 : rv_assert_failed(#condition, __FILE__, __LINE__))
#define rv_unreachable() rv_assert_failed("unreachable", __FILE__, __LINE__)
_Noreturn void rv_assert_failed(const char *what, const char *file, int line);

#endif
