/* Start COMMAND under the fitting producer, pass signals on, and bring back its exit status. */
#ifndef RV_LAUNCH_LAUNCH_H
#define RV_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rv_launch_params {
    const char *trace_path;  /* goes to RINGVIZ_FILE */
    const char *const *argv; /* NULL-terminated */
    const char *patches;     /* goes to RINGVIZ_PATCH: a request (producers/native/wanted_lines.h). NULL: auto */
    const char *plans;       /* goes to RINGVIZ_PLANS: a folder (patch/plan_file.h). NULL: there is none, "off" */
    bool is_alone;           /* processes that it starts are not traced */
    bool wants_lines; /* runtimes of languages tell the lines of statements, unless the environment decides that */
    /*
     * Called for TERM and HUP that come after the command's end, in a signal handler on any thread. NULL: they end this
     * process.
     */
    void (*end_us)(int signal_number);
};

struct rv_launch; /* opaque */

/*
 * Start. stdin, stdout and stderr are the child's own, untouched; it stays in our process group, so that the terminal's
 * signals reach it; TERM, HUP, USR1, USR2 sent to us are passed on while it lives; afterwards the first two are
 * end_us's, and the others say nothing to anybody. INT and QUIT are the caller's to catch: the terminal sends them to
 * both. The child has the signal mask and the ignored signals that this process was started with. One child at a time.
 *   returns  NULL with *status = 127 (not found) or 126 (not executable) and one line printed
 *   thread   main
 */
struct rv_launch *rv_launch_start(const struct rv_launch_params *params, int *status);

/* Of the command. */
pid_t rv_launch_pid(const struct rv_launch *launch);

/* Reap without waiting. True once it has ended; any thread. */
bool rv_launch_has_ended(struct rv_launch *launch);

/*
 * After it has ended: do processes that it left behind still run? They become ours (this process is made their
 * subreaper by rv_launch_start()), and are reaped here. Any thread.
 */
bool rv_launch_has_offspring(struct rv_launch *launch);

/* The TERM or HUP that was passed on; TERM where both were, 0 where none was. Any thread. */
int rv_launch_end_signal(void);

/* Exit status as a shell gives it: the code, or 128 + signal. After has_ended. */
int rv_launch_status(const struct rv_launch *launch);

/* Forget it: a child that still runs goes on. NULL-safe. Main thread. */
void rv_launch_destroy(struct rv_launch *launch);

/*
 * Why may this command have made no traced call? One line: not ELF, static, setuid, not instrumented, an interpreter,
 * one that runs another; and what to do.
 *   unfit  that no function fits what the user chose those to be traced by; NULL: nothing was chosen
 */
void rv_launch_explain_silence(const char *const *argv, const char *unfit, char *out, size_t out_bytes);

/*
 * Which functions that an interpreter (python3.11, node, java, ...) runs are not traced though its native ones are, and
 * what to do for them. NULL: it is none, or a shell.
 */
const char *rv_launch_untraced_language(const char *program);

/* Is this program built with -pg, -mfentry or -Z instrument-mcount? Our hooks then hide the C library's. */
bool rv_launch_is_profiled(const char *command);

/* Absolute path of a file that we came with ("libringviz-cyg.so", "perl/Devel/RingViz.pm"): in the binary's build tree,
 * else installed. 0 or -ENOENT. */
int rv_launch_find_file(const char *file_name, char *path, size_t path_bytes);

#endif
