/* Patches this process before its program begins, as RINGVIZ_PATCH and the trace file say: nothing runs yet but this
 * thread. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producers/native/capture_operations.h"
#include "producers/native/patcher.h"
#include "producers/native/process.h"
#include "producers/native/signal_guard.h"
#include "producers/native/static_program.h"
#include "producers/native/thread.h"

/* Programs that are only there to run others, or that a producer of their own traces. */
static const char *const LEFT_ALONE[] = {"sh",      "dash",   "bash",   "zsh",  "ksh",     "busybox",
                                         "env",     "nice",   "nohup",  "time", "timeout", "setsid",
                                         "taskset", "stdbuf", "ionice", "chrt", "prlimit", "numactl",
                                         "setarch", "sudo",   "xargs",  "perl", "ruby"};

static bool has_one_thread(void)
{
    size_t n = 0;
    DIR *folder = opendir("/proc/self/task");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return n == 1;
}

static bool is_left_alone(void)
{
    char program[4096];
    ssize_t n_path = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n_path > 0 ? n_path : 0] = '\0';
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < sizeof LEFT_ALONE / sizeof *LEFT_ALONE; i++) {
        size_t n = strlen(LEFT_ALONE[i]);
        if (strncmp(name, LEFT_ALONE[i], n) == 0 && name[n + strspn(name + n, "0123456789.-")] == '\0')
            return true;
    }
    return false;
}

/* Those that are asked for, but no functions where nobody asked for them; "": none. */
static const char *find_wanted(void)
{
    static const char AUTO[] = "auto";
    const char *wanted = secure_getenv("RINGVIZ_PATCH");
    if (!wanted || strcmp(wanted, "off") == 0)
        return "";
    if (strncmp(wanted, AUTO, strlen(AUTO)) == 0 && strchr("\n", wanted[strlen(AUTO)]) && is_left_alone())
        wanted += strlen(AUTO) + (wanted[strlen(AUTO)] == '\n');
    return wanted;
}

static bool has_syscalls(const char *file)
{
    (void)rv_capture_operations_read(file);
    return rv_capture_operations_have_syscalls();
}

/* The first system call may be fork's, between whose handlers the file cannot be opened. A static program has none. */
static void open_for_syscalls(void)
{
    struct rv_signal_guard guard;
    if (!rv_capture_operations_have_syscalls() || rv_thread_is_foreign)
        return;
    rv_signal_guard_begin(&guard);
    (void)rv_process_open(NULL);
    rv_signal_guard_end(&guard);
}

__attribute__((constructor)) static void start(int n_arguments, const char *const *arguments,
                                               const char *const *environment)
{
    const int saved = errno;
    (void)n_arguments;
    (void)arguments;
    if (!rv_static_program_begin(environment))
        return;
    const char *file = rv_process_path(), *wanted = find_wanted();
    if (file && *file && (*wanted || has_syscalls(file)) && has_one_thread() &&
        rv_patcher_plan(wanted, file, false) == 0) {
        rv_patcher_write();
        open_for_syscalls();
    }
    errno = saved;
}
