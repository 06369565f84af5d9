/*
 * vfork and exec, without a copy of our page tables, with three precautions: errors in the child come back through a
 * pipe that exec closes; the child gets the signal dispositions that we were started with; and its pid is never used
 * after it was reaped, so that no signal reaches another process: the reaping thread clears the pid and waits for
 * handlers that have read it.
 *
 *   V1 -> V2   a handler counts itself before it reads the pid
 *   V3 -> V4   the pid is cleared before the count of handlers is read
 *   V5 -> V6   a handler has used the pid
 */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "launch/environment.h"
#include "launch/program.h"
#include "launch/static_program.h"

enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

struct rv_launch {
    pid_t pid;
    pthread_mutex_t lock; /* protects the following */
    bool has_ended;
    int status;
};

static const int PASSED_ON[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define N_PASSED_ON (sizeof PASSED_ON / sizeof *PASSED_ON)

static _Atomic pid_t child_pid; /* 0 when there is none to signal */
static _Atomic unsigned n_handlers;
static atomic_int end_signal;
static void (*_Atomic end_us)(int signal_number);

/* Dispositions that this process was started with. */
static sigset_t started_mask;
static bool started_ignored[NSIG];

static __attribute__((constructor)) void remember_signals(void)
{
    struct sigaction action;
    sigprocmask(SIG_SETMASK, NULL, &started_mask);
    for (int i = 1; i < NSIG; i++)
        started_ignored[i] = sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* A child that ptrace(2) has stopped is reported, too. */
static bool is_exit(const siginfo_t *info)
{
    return info->si_pid && (info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED);
}

static bool has_exited(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || is_exit(&info);
}

/* False when the child has ended, reaped or not. */
static bool pass_on(int signal_number)
{
    atomic_fetch_add_explicit(&n_handlers, 1, memory_order_seq_cst);    /* V1 -> V2 */
    pid_t pid = atomic_load_explicit(&child_pid, memory_order_seq_cst); /* V4 <- V3 */
    bool is_there = pid && !has_exited(pid);
    if (is_there)
        kill(pid, signal_number);
    atomic_fetch_sub_explicit(&n_handlers, 1, memory_order_release); /* V5 -> V6 */
    return is_there;
}

/* The pid is not reused before it is reaped. */
static void take_pid_away(void)
{
    atomic_store_explicit(&child_pid, 0, memory_order_seq_cst);         /* V3 -> V4 */
    while (atomic_load_explicit(&n_handlers, memory_order_seq_cst) > 0) /* V2 <- V1, V6 <- V5 */
        sched_yield();
}

static void die(int signal_number)
{
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void on_signal(int signal_number)
{
    int saved_errno = errno;
    const bool is_end = signal_number == SIGTERM || signal_number == SIGHUP, is_passed_on = pass_on(signal_number);
    if (is_end && is_passed_on) {
        if (signal_number == SIGTERM || !atomic_load_explicit(&end_signal, memory_order_relaxed))
            atomic_store_explicit(&end_signal, signal_number, memory_order_relaxed);
    } else if (is_end)
        atomic_load_explicit(&end_us, memory_order_relaxed)(signal_number);
    errno = saved_errno;
}

static void pass_signals_on(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < N_PASSED_ON; i++)
        if (!started_ignored[PASSED_ON[i]])
            sigaction(PASSED_ON[i], &action, NULL);
}

/* Keep the handlers after the command's end: its signals then have no addressee. */
static void stop_passing_on(void)
{
    atomic_store_explicit(&end_us, die, memory_order_relaxed);
    take_pid_away();
}

static _Noreturn void run_command(const char *const *argv, char **environment, int error_fd)
{
    for (int i = 1; i < NSIG; i++)
        signal(i, started_ignored[i] ? SIG_IGN : SIG_DFL);
    sigprocmask(SIG_SETMASK, &started_mask, NULL);
    rv_environment_name_process(environment);
    execvpe(argv[0], (char *const *)argv, environment);
    int error = errno;
    ssize_t n = write(error_fd, &error, sizeof error);
    _exit(n == sizeof error ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

/* 0 once the command runs, else exec's error. */
static int read_exec_error(int fd)
{
    int error = 0;
    ssize_t n;
    do
        n = read(fd, &error, sizeof error);
    while (n < 0 && errno == EINTR);
    return n == sizeof error ? error : 0;
}

/* The child's pid, or -1 with *error set; the child is reaped when it could not run the command. */
static pid_t start_child(const char *const *argv, char **environment, int *error)
{
    struct rv_program program;
    const bool is_static = rv_program_read(argv[0], &program) == 0 && rv_program_is_static(&program);
    int fds[2];
    sigset_t mask;
    *error = pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
    if (*error)
        return -1;
    rv_os_block_signals(&mask);
    /* vfork's child changes nothing that we use: its signal dispositions are its own. One that ptrace(2) may stop must not
     * keep us waiting. */
    const pid_t parent = getpid();
    pid_t pid = is_static ? fork() : vfork();
    if (pid == 0 && is_static)
        rv_static_program_offer(parent, fds[1]);
    if (pid == 0)
        run_command(argv, environment, fds[1]);
    *error = pid < 0 ? errno : 0;
    close(fds[1]);
    if (pid > 0) {
        atomic_store_explicit(&child_pid, pid, memory_order_relaxed);
        pass_signals_on();
        if (is_static)
            rv_static_program_enter(pid, &program, fds[0]);
        *error = read_exec_error(fds[0]);
    }
    close(fds[0]);
    if (pid > 0 && *error) {
        stop_passing_on();
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return *error ? -1 : pid;
}

static int say_exec_error(const char *command, int error)
{
    bool is_absent = error == ENOENT || error == ENOTDIR;
    if (is_absent && strchr(command, '/') && access(command, F_OK) == 0)
        rv_err(error, "%s: its interpreter was not found", command);
    else if (is_absent && !strchr(command, '/'))
        rv_err(error, "%s: command not found", command);
    else
        rv_err(error, "%s: %s", command, strerror(error));
    return is_absent ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

struct rv_launch *rv_launch_start(const struct rv_launch_params *params, int *status)
{
    char **environment = rv_environment_create(params);
    int error;
    atomic_store_explicit(&end_us, params->end_us ? params->end_us : die, memory_order_relaxed);
    if (started_ignored[SIGCHLD]) /* else the kernel would reap the child */
        signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t pid = start_child(params->argv, environment, &error);
    rv_environment_destroy(environment);
    if (pid < 0) {
        *status = say_exec_error(params->argv[0], error);
        return NULL;
    }
    struct rv_launch *launch = rv_alloc(1, sizeof *launch);
    launch->pid = pid;
    pthread_mutex_init(&launch->lock, NULL);
    return launch;
}

pid_t rv_launch_pid(const struct rv_launch *launch)
{
    return launch->pid;
}

static void reap(struct rv_launch *launch)
{
    if (!has_exited(launch->pid))
        return;
    int status = 0; /* stays 0 if another reaped it */
    take_pid_away();
    (void)waitpid(launch->pid, &status, WNOHANG);
    launch->has_ended = true;
    launch->status = WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

bool rv_launch_has_offspring(struct rv_launch *launch)
{
    siginfo_t info = {0};
    int error = 0;
    pthread_mutex_lock(&launch->lock);
    while (launch->has_ended && (error = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) == 0 && is_exit(&info)) {
        (void)waitpid(info.si_pid, NULL, WNOHANG);
        info = (siginfo_t){0};
    }
    pthread_mutex_unlock(&launch->lock);
    return error == 0;
}

bool rv_launch_has_ended(struct rv_launch *launch)
{
    pthread_mutex_lock(&launch->lock);
    if (!launch->has_ended)
        reap(launch);
    bool has_ended = launch->has_ended;
    pthread_mutex_unlock(&launch->lock);
    return has_ended;
}

int rv_launch_end_signal(void)
{
    return atomic_load_explicit(&end_signal, memory_order_relaxed);
}

int rv_launch_status(const struct rv_launch *launch)
{
    return launch->status;
}

void rv_launch_destroy(struct rv_launch *launch)
{
    if (!launch)
        return;
    stop_passing_on();
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}
