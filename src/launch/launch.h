/* Start COMMAND under the fitting producer, pass signals on, and bring back its exit status. */
#ifndef RV_LAUNCH_LAUNCH_H
#define RV_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

struct rv_launch_params {
    const char *trace_path;   /* goes to RINGVIZ_FILE */
    const char *const *argv;  /* NULL-terminated */
    const char *include, *exclude; /* regexes over subroutine names, or NULL: passed on to producers that filter early */
};

struct rv_launch; /* opaque */

/*
 * Start. stdin, stdout and stderr are the child's own, untouched; it stays in our process group, so that the terminal's
 * signals reach it; TERM, HUP, USR1, USR2 sent to us are passed on.
 *   returns  NULL with *status = 127 (not found) or 126 (not executable) and one line printed
 *   thread   main
 */
struct rv_launch *rv_launch_start(const struct rv_launch_params *params, int *status);

pid_t rv_launch_pid(const struct rv_launch *launch);

/* Reap without waiting. True once it has ended; any thread. */
bool rv_launch_has_ended(struct rv_launch *launch);

/* Exit status as a shell gives it: the code, or 128 + signal. After has_ended. */
int rv_launch_status(const struct rv_launch *launch);
void rv_launch_signal(struct rv_launch *launch, int signal_number);
void rv_launch_destroy(struct rv_launch *launch);

/* Why may this command have written no event? One line: not ELF, static, setuid, not instrumented, and what to do. */
void rv_launch_explain_silence(const char *command, char *out, size_t out_bytes);

/* Absolute path of a producer's shared object ("libringviz-cyg.so"): beside the binary's build tree, else installed. 0 or -ENOENT. */
int rv_launch_find_producer(const char *file_name, char *path, size_t path_bytes);

#endif
