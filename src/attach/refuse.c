#include "attach/refuse.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mappings.h"
#include "base/os.h"
#include "ring/attachment.h"

#define TRACER_TRIES 100u
#define TRACER_PAUSE_NS 2000000u

/* A line of /proc/PID/status: its number, or its text in out. -1: there is none. */
static long status_of(pid_t pid, const char *key, char out[128])
{
    char path[64], line[256];
    long value = -1;
    out[0] = '\0';
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *status = fopen(path, "re");
    while (status && value < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
            snprintf(out, 128, "%s", line + strlen(key) + 1);
            value = strtol(out, NULL, 10);
        }
    if (status)
        fclose(status);
    return value;
}

/* As the process finds it: a link's absolute target, too, begins at the process's root. 0 or a negative errno. */
static int stat_as(pid_t pid, const char *path, struct stat *its)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    char root[64];
    snprintf(root, sizeof root, "/proc/%d/root", (int)pid);
    const int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -errno;
    const int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    const int error = fd < 0 || fstat(fd, its) != 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    close(folder);
    return error;
}

/* Is it the same file where the process looks for it? Daemons of systemd have mounts of their own, but few. What cannot be
 * told (a container may refuse openat2(2)) is taken for the same: dlopen then fails. */
static bool sees(pid_t pid, const char *path)
{
    struct stat its = {0}, ours;
    const int error = stat_as(pid, path, &its);
    return stat(path, &ours) != 0 || error == -EACCES || error == -ENOSYS || error == -EPERM ||
           (!error && its.st_dev == ours.st_dev && its.st_ino == ours.st_ino);
}

static bool is_our_machine(pid_t pid)
{
    char path[64];
    Elf64_Ehdr header = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* another line says why */
    bool is_read = read(fd, &header, sizeof header) == (ssize_t)sizeof header;
    close(fd);
    return is_read && header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64;
}

static bool has_mapped(pid_t pid, const char *name)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    bool has = false;
    if (rv_mappings_open(&mappings, pid) != 0)
        return false;
    while (!has && rv_mappings_next(&mappings, &mapping))
        has = strstr(mapping.path, name) != NULL;
    rv_mappings_close(&mappings);
    return has;
}

/* Where it is in a container's, so are we. */
static bool is_under_own_seccomp(pid_t pid)
{
    char text[128];
    return status_of(pid, "Seccomp", text) == 2 &&
           status_of(pid, "Seccomp_filters", text) > status_of(getpid(), "Seccomp_filters", text);
}

static int refuse_crowd(pid_t pid)
{
    return rv_err(ENOTSUP, "process %d has more than %u threads, all of which would have to be stopped at once",
                  (int)pid, RV_ATTACHMENT_THREADS);
}

/* Another ringviz is one for milliseconds only. 0: there is none. */
static long wait_for_tracer(pid_t pid)
{
    char text[128];
    long tracer = status_of(pid, "TracerPid", text);
    for (unsigned i = 0; i < TRACER_TRIES && tracer > 0; i++) {
        rv_os_sleep_ns(TRACER_PAUSE_NS);
        tracer = status_of(pid, "TracerPid", text);
    }
    return tracer;
}

int rv_refuse_attaching_early(pid_t pid, const char *library, const char *trace_path)
{
    char text[128];
    if (rv_os_process_has_ended(pid))
        return -ESRCH;
    if (!is_our_machine(pid))
        return rv_err(ENOTSUP, "process %d is no program of 64 bits for x86-64; only these can be attached to",
                      (int)pid);
    const long tracer = wait_for_tracer(pid);
    if (tracer > 0)
        return rv_err(EBUSY, "process %d is traced by process %ld (a debugger, strace): end that first", (int)pid,
                      tracer);
    (void)status_of(pid, "x86_Thread_features", text);
    if (strstr(text, "shstk"))
        return rv_err(ENOTSUP,
                      "process %d has a shadow stack, so that its return addresses cannot be replaced: start it with "
                      "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off",
                      (int)pid);
    if (!sees(pid, library) || !sees(pid, trace_path))
        return rv_err(ENOTSUP,
                      "process %d sees other files than we do (another root or mount namespace): run ringviz inside, "
                      "as nsenter or "
                      "the container's exec does",
                      (int)pid);
    if (rv_os_process_state(pid) == 'T')
        return rv_refuse_attaching_error(pid, -ECANCELED);
    if (is_under_own_seccomp(pid))
        return rv_err(ENOTSUP, "process %d is restricted by seccomp, which may end it for a system call of ours",
                      (int)pid);
    if (status_of(pid, "Threads", text) > RV_ATTACHMENT_THREADS)
        return refuse_crowd(pid);
    if (has_mapped(pid, "libringviz-cyg.so"))
        return rv_err(EBUSY, "process %d was started under ringviz, and is traced from there", (int)pid);
    return 0;
}

int rv_refuse_attaching(pid_t pid, enum rv_refuse why)
{
    if (rv_os_process_has_ended(pid))
        return -ESRCH;
    switch (why) {
    case RV_REFUSE_NO_LOADER:
        if (has_mapped(pid, "/libc.so.6" RV_MAPPING_DELETED))
            return rv_err(ENOTSUP,
                          "process %d: its C library was replaced since it began, and only root may read the one that it "
                          "has: start it anew, or run ringviz as root",
                          (int)pid);
        return rv_err(ENOTSUP,
                      "process %d has no GNU C library that could load ours: it is statically linked, or uses another "
                      "one; link it "
                      "dynamically, or with libringviz.a and start it under ringviz",
                      (int)pid);
    case RV_REFUSE_NOT_LOADED:
        if (has_mapped(pid, RV_ATTACHMENT_LIBRARY RV_MAPPING_DELETED))
            return rv_err(ENOTSUP,
                          "process %d has our library as it was before ringviz was installed anew, and keeps that: start it "
                          "anew",
                          (int)pid);
        return rv_err(
            ENOTSUP,
            "process %d could not load our library: it may not read it, or has no room for its thread-local data",
            (int)pid);
    case RV_REFUSE_TRACED:
        return rv_err(EBUSY, "process %d: another ringviz has attached to it; if it was killed: ringviz -p %d --detach",
                      (int)pid, (int)pid);
    case RV_REFUSE_LOADING:
        return rv_err(EBUSY, "process %d is loading a library, whose constructors have not ended; try again", (int)pid);
    case RV_REFUSE_CROWDED:
        return rv_err(E2BIG,
                      "process %d has more than %u threads by now and stays patched; once it has fewer: ringviz "
                      "-p %d --detach",
                      (int)pid, RV_ATTACHMENT_THREADS, (int)pid);
    case RV_REFUSE_KEPT:
        return rv_err(ECANCELED,
                      "process %d is stopped by a signal (Ctrl-Z) and stays patched; once it runs again: ringviz -p %d "
                      "--detach",
                      (int)pid, (int)pid);
    }
    return -EINVAL;
}

/* '0' where the kernel has no such restriction; '1' and '2': root may attach; '3': nobody, and none can change it. */
static char ptrace_scope(void)
{
    char word = '0';
    int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, &word, 1) != 1)
        word = '0';
    if (fd >= 0)
        close(fd);
    return word;
}

int rv_refuse_attaching_error(pid_t pid, int error)
{
    if (rv_os_process_has_ended(pid))
        return -ESRCH;
    switch (-error) {
    case EPERM:
    case EACCES:
        if (ptrace_scope() == '3')
            return rv_err(EPERM,
                          "process %d may not be attached to: kernel.yama.ptrace_scope is 3, which forbids it to root, too, "
                          "until the machine is started anew: start the program under ringviz",
                          (int)pid);
        if (ptrace_scope() != '0' && geteuid() != 0)
            return rv_err(EPERM,
                          "process %d may not be attached to: kernel.yama.ptrace_scope forbids it; as root: sysctl "
                          "kernel.yama.ptrace_scope=0, or run ringviz as root",
                          (int)pid);
        return rv_err(EPERM,
                      "process %d may not be attached to: it is another user's, or privileged, or seccomp forbids us "
                      "ptrace(2)%s",
                      (int)pid, geteuid() == 0 ? "" : "; run ringviz as root");
    case ECANCELED:
        return rv_err(ECANCELED,
                      "process %d is stopped by a signal (Ctrl-Z): continue it first, by fg or kill -CONT %d", (int)pid,
                      (int)pid);
    case ESRCH: /* only threads have ended */
    case EAGAIN:
        return rv_err(EAGAIN, "process %d: its threads reached no place where they can be stopped; try again",
                      (int)pid);
    case E2BIG:
        return refuse_crowd(pid);
    case EBUSY:
        return rv_err(EBUSY, "process %d: no thread reached a place where a library can be loaded; try again",
                      (int)pid);
    default:
        return rv_err(-error, "process %d: a call in it failed (%s); seccomp may forbid it mmap(2)", (int)pid,
                      strerror(-error));
    }
}

int rv_refuse_planning(pid_t pid, int error)
{
    if (rv_os_process_has_ended(pid))
        return -ESRCH;
    switch (-error) {
    case ENOENT:
        return rv_err(ENOENT, "process %d cannot open the trace file or " RV_ATTACHMENT_PLANNER, (int)pid);
    case EACCES:
        return rv_err(
            EACCES,
            "process %d may not open the trace file, which is ours: run ringviz as its user, or as root without "
            "--trace-file",
            (int)pid);
    case EPERM:
        return rv_err(EPERM, "process %d may not make memory executable (SELinux, seccomp)", (int)pid);
    case ELIBBAD:
        return rv_err(ELIBBAD, "process %d throws its exceptions by libunwind, which does not go through traced calls",
                      (int)pid);
    default:
        return rv_err(-error, "process %d: its functions cannot be patched (%s)", (int)pid, strerror(-error));
    }
}
