/*
 * Three stops. The first is of one thread, which loads our library and starts a thread of ours that plans, while all
 * others run. It must hold no lock that loading needs: it is one that waits in a system call, else one that is outside
 * the C library and the loader. The second and third are of all threads, to write the jumps and to put the original bytes
 * back: the one of them that does it takes no lock.
 *
 * A thread that is to go on between the bytes of a jump is stepped out of there. Where a signal's frame on a stack holds
 * such an address, that function is left as it is.
 */
#include "attach/attach.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/refuse.h"
#include "attach/sites.h"
#include "attach/tracee.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mappings.h"
#include "base/os.h"
#include "ring/attachment.h"
#include "ring/liveness.h"
#include "symbols/elf.h"

#define TRIES 200
#define N(array) (sizeof(array) / sizeof *(array))
static const uint64_t PAUSE_NS = 1000000, CALL_NS = 5000000000, PLAN_NS = 60000000000;

struct attacher {
    pid_t pid;
    const char *library;
    struct rv_tracee tracee;
    uint64_t base; /* of the library; 0: not loaded */
    struct rv_elf *elf;
};

/* ---- addresses ---- */

/* The first mapping whose file's name is, or begins with, `name`. */
static bool find_mapping(pid_t pid, const char *name, bool is_prefix, uint64_t *start, char file[PATH_MAX])
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    bool is_found = false;
    if (rv_mappings_open(&mappings, pid) != 0)
        return false;
    while (!is_found && rv_mappings_next(&mappings, &mapping)) {
        if (*mapping.path != '/')
            continue;
        const char *base = strrchr(mapping.path, '/') + 1;
        is_found = is_prefix ? strncmp(base, name, strlen(name)) == 0 : strcmp(mapping.path, name) == 0;
        *start = mapping.start;
        snprintf(file, PATH_MAX, "%s", mapping.path);
    }
    rv_mappings_close(&mappings);
    return is_found;
}

/* dlopen, or what the C library had in its place before 2.34. */
static uint64_t find_loader(const struct attacher *attacher)
{
    static const char *const NAMES[] = {"dlopen", "__libc_dlopen_mode"};
    char file[PATH_MAX], path[PATH_MAX + 32];
    uint64_t base, address = 0;
    if (!find_mapping(attacher->pid, "libc.so.6", true, &base, file) &&
        !find_mapping(attacher->pid, "libc-2.", true, &base, file))
        return 0;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)attacher->pid, file);
    struct rv_elf *elf = rv_elf_open(path, &(struct rv_elf_identity){0});
    for (size_t i = 0; elf && !address && i < N(NAMES); i++)
        address = rv_elf_exported_function(elf, NAMES[i], &address) ? base + address : 0;
    rv_elf_close(elf);
    return address;
}

static uint64_t function_of(const struct attacher *attacher, const char *name)
{
    uint64_t address;
    return rv_elf_exported_function(attacher->elf, name, &address) ? attacher->base + address : 0;
}

static uint64_t attachment_of(const struct attacher *attacher)
{
    uint64_t address;
    return rv_elf_variable(attacher->elf, RV_ATTACHMENT, &address) ? attacher->base + address : 0;
}

static bool find_library(struct attacher *attacher)
{
    char file[PATH_MAX];
    return find_mapping(attacher->pid, attacher->library, false, &attacher->base, file);
}

static int read_attachment(const struct attacher *attacher, struct rv_attachment *out)
{
    return rv_tracee_read(&attacher->tracee, attachment_of(attacher), out, sizeof *out);
}

/* ---- a thread that holds no lock ---- */

static bool waits(const struct rv_tracee_thread *thread)
{
    static const long WAITS[] = {SYS_read,       SYS_poll,        SYS_select,        SYS_pselect6,        SYS_ppoll,
                                 SYS_epoll_wait, SYS_epoll_pwait, SYS_nanosleep,     SYS_clock_nanosleep, SYS_futex,
                                 SYS_recvfrom,   SYS_recvmsg,     SYS_accept,        SYS_accept4,         SYS_wait4,
                                 SYS_waitid,     SYS_pause,       SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_connect,
                                 SYS_flock};
    for (size_t i = 0; i < N(WAITS); i++)
        if (thread->system_call == WAITS[i])
            return true;
    return false;
}

/* In code that may hold a lock of the C library, the loader or an allocator. */
static bool is_in_library(pid_t pid, uint64_t address)
{
    static const char *const LIBRARIES[] = {"ld-linux",    "libc.so",     "libc-2.",   "libpthread",
                                            "libdl",       "libgcc_s",    "libstdc++", "libjemalloc",
                                            "libtcmalloc", "libmimalloc", "[vdso]"};
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    bool is_found = false, is_there = false;
    if (rv_mappings_open(&mappings, pid) != 0)
        return true;
    while (!is_found && rv_mappings_next(&mappings, &mapping))
        is_found = mapping.start <= address && address < mapping.end;
    for (size_t i = 0; is_found && i < N(LIBRARIES); i++)
        is_there |= strstr(mapping.path, LIBRARIES[i]) != NULL;
    rv_mappings_close(&mappings);
    return is_there || !is_found;
}

/* Stop any one that fits. First those that wait are taken, then others, too. */
static int stop_free_thread(struct attacher *attacher)
{
    int error = -ESRCH;
    for (unsigned i = 0; i < TRIES; i++, rv_os_sleep_ns(PAUSE_NS)) {
        error = rv_tracee_stop_any(&attacher->tracee, i);
        if (error == -EAGAIN)
            rv_tracee_release(&attacher->tracee);
        if (error == -EAGAIN || error == -ESRCH)
            continue;
        if (error)
            return error;
        const struct rv_tracee_thread *thread = attacher->tracee.threads;
        if (waits(thread) ||
            (i > TRIES / 4 && thread->system_call < 0 && !is_in_library(attacher->pid, thread->registers.rip)))
            return 0;
        rv_tracee_release(&attacher->tracee);
        error = -EBUSY;
    }
    return error;
}

static int set_result(const struct attacher *attacher, uint32_t result)
{
    return rv_tracee_write(&attacher->tracee, attachment_of(attacher) + offsetof(struct rv_attachment, result), &result,
                           sizeof result);
}

/* Of the function of our library that was called; -ETIMEDOUT: it does not end. */
static int wait_for_result(const struct attacher *attacher)
{
    struct rv_attachment attachment;
    const uint64_t end_ns = rv_clock_mono_ns() + CALL_NS;
    while (rv_clock_mono_ns() < end_ns) {
        if (read_attachment(attacher, &attachment) != 0)
            return -ESRCH;
        if (attachment.result != RV_ATTACHMENT_CALLED)
            return (int)attachment.result;
        rv_os_sleep_ns(PAUSE_NS / 20);
    }
    return -ETIMEDOUT;
}

/* A function of our library, whose result it returns. One that has begun is waited for, however long that takes: a thread may
 * be stopped in it. */
static int call_on(struct attacher *attacher, size_t idx, const struct rv_tracee_call *call)
{
    int error = set_result(attacher, RV_ATTACHMENT_CALLED);
    if (!error)
        error = rv_tracee_call(&attacher->tracee, idx, call);
    if (!error)
        error = wait_for_result(attacher);
    while (error == -ETIMEDOUT && (error = rv_tracee_take_back(&attacher->tracee)) == -EALREADY)
        error = wait_for_result(attacher);
    if (error)
        (void)set_result(attacher, 0);
    return error;
}

static void note_stop(const struct attacher *attacher, const char *what, const char *why)
{
    rv_note("process %d: %s stood still for %.1f ms, to %s", (int)attacher->pid, what,
            (double)attacher->tracee.stopped_ns / 1e6, why);
}

/* ---- loading ---- */

static bool is_loaded(struct attacher *attacher)
{
    struct rv_attachment attachment;
    return find_library(attacher) && read_attachment(attacher, &attachment) == 0 && attachment.is_loaded;
}

static int wait_for_library(struct attacher *attacher)
{
    const uint64_t end_ns = rv_clock_mono_ns() + CALL_NS;
    while (!is_loaded(attacher)) {
        if (rv_clock_mono_ns() >= end_ns)
            return rv_refuse_attaching(attacher->pid, RV_REFUSE_NOT_LOADED);
        rv_os_sleep_ns(PAUSE_NS);
    }
    return 0;
}

static int load(struct attacher *attacher)
{
    enum { NOW = 2 }; /* RTLD_NOW */
    const struct rv_tracee_call call = {
        .function = find_loader(attacher), .texts = {attacher->library}, .arguments = {0, NOW}};
    if (is_loaded(attacher))
        return 0;
    if (!call.function)
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_NO_LOADER);
    int error = stop_free_thread(attacher);
    if (!error)
        error = rv_tracee_call(&attacher->tracee, 0, &call);
    rv_tracee_release(&attacher->tracee);
    return error ? rv_refuse_attaching_error(attacher->pid, error) : wait_for_library(attacher);
}

/* ---- while all stand still ---- */

static int tell_threads(const struct attacher *attacher)
{
    uint64_t pointers[RV_ATTACHMENT_THREADS], n = attacher->tracee.n_threads;
    n = n < RV_ATTACHMENT_THREADS ? n : RV_ATTACHMENT_THREADS;
    for (size_t i = 0; i < n; i++)
        pointers[i] = attacher->tracee.threads[i].registers.fs_base;
    const uint64_t at = attachment_of(attacher);
    int error = rv_tracee_write(&attacher->tracee, at + offsetof(struct rv_attachment, thread_pointers), pointers,
                                (size_t)n * sizeof *pointers);
    return error ? error
                 : rv_tracee_write(&attacher->tracee, at + offsetof(struct rv_attachment, n_threads), &n, sizeof n);
}

/* On any of them, since what is called takes no lock. A sleep that was interrupted before would end by it, and one that is
 * about to be stopped would not run. */
static size_t choose_thread(const struct rv_tracee *tracee)
{
    for (size_t i = 0; i < tracee->n_threads; i++)
        if (tracee->threads[i].system_call != SYS_restart_syscall && tracee->threads[i].signal != SIGSTOP)
            return i;
    return 0;
}

/* sites: to be cleared before; NULL: none. */
static int call_among_all(struct attacher *attacher, const char *function, const struct rv_sites *sites)
{
    const struct rv_tracee_call call = {.function = function_of(attacher, function)};
    int error = rv_tracee_stop_all(&attacher->tracee);
    if (error)
        return error;
    if (sites)
        error = rv_sites_clear(sites, &attacher->tracee);
    if (!error)
        error = tell_threads(attacher);
    if (!error)
        error = call_on(attacher, choose_thread(&attacher->tracee), &call);
    rv_tracee_release(&attacher->tracee);
    note_stop(attacher, "all threads", sites ? "write jumps" : "put the original bytes back");
    return error;
}

static int call_stopped(struct attacher *attacher, const char *function, const struct rv_sites *sites)
{
    int error = -EAGAIN;
    for (unsigned i = 0; i < TRIES && error == -EAGAIN; i++) {
        error = call_among_all(attacher, function, sites);
        if (error == -EAGAIN)
            rv_os_sleep_ns(PAUSE_NS);
    }
    return error;
}

/* ---- planning ---- */

/* Wait until our thread in the process has planned. */
static int wait_for_planner(const struct attacher *attacher, struct rv_attachment *attachment)
{
    const uint64_t end_ns = rv_clock_mono_ns() + PLAN_NS;
    do {
        if (read_attachment(attacher, attachment) != 0)
            return -ESRCH;
        if (attachment->state != RV_ATTACHMENT_PLANNING)
            return 0;
        rv_os_sleep_ns(PAUSE_NS);
    } while (rv_clock_mono_ns() < end_ns);
    return -ETIMEDOUT;
}

/* Wait until the call and the planner of a killed ringviz have ended. A call that does not end has not begun. */
static int wait_for_rest(const struct attacher *attacher, struct rv_attachment *attachment)
{
    if (wait_for_result(attacher) == -ETIMEDOUT)
        (void)set_result(attacher, 0);
    return wait_for_planner(attacher, attachment);
}

/* Set the ringviz that owns the process; zeroes: none. */
static int set_owner(const struct attacher *attacher, uint32_t pid, uint64_t start)
{
    const uint64_t at = attachment_of(attacher);
    int error = rv_tracee_write(&attacher->tracee, at + offsetof(struct rv_attachment, owner_pid), &pid, sizeof pid);
    return error ? error
                 : rv_tracee_write(&attacher->tracee, at + offsetof(struct rv_attachment, owner_start), &start,
                                   sizeof start);
}

/* Remove the patches, and give the process up. */
static int leave(struct attacher *attacher)
{
    int error = call_stopped(attacher, RV_ATTACHMENT_REMOVE, NULL);
    return error ? error : set_owner(attacher, 0, 0);
}

/* Clean up after a ringviz that was killed, and say whose the process is now. */
static int take_over(struct attacher *attacher)
{
    struct rv_attachment attachment;
    if (read_attachment(attacher, &attachment) != 0)
        return rv_refuse_attaching_error(attacher->pid, -ESRCH);
    if (rv_liveness_is_running(attachment.owner_pid, attachment.owner_start))
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_TRACED);
    int error = wait_for_rest(attacher, &attachment);
    if (!error && attachment.state != RV_ATTACHMENT_NONE)
        error = leave(attacher);
    if (!error)
        error = set_owner(attacher, (uint32_t)getpid(), rv_os_process_start(getpid()));
    return error ? rv_refuse_attaching_error(attacher->pid, error) : 0;
}

static int wait_for_plan(const struct attacher *attacher)
{
    struct rv_attachment attachment;
    int error = wait_for_planner(attacher, &attachment);
    if (error == -ETIMEDOUT)
        return rv_err(ETIMEDOUT, "process %d: its functions were not found within a minute", (int)attacher->pid);
    if (error)
        return rv_refuse_attaching_error(attacher->pid, error);
    return attachment.state == RV_ATTACHMENT_PLANNED ? 0 : rv_refuse_planning(attacher->pid, attachment.error);
}

static int plan(struct attacher *attacher, const struct rv_attach_params *params)
{
    const struct rv_tracee_call call = {.function = function_of(attacher, RV_ATTACHMENT_PLAN),
                                        .texts = {params->trace_path, params->patches}};
    int error = stop_free_thread(attacher);
    if (!error)
        error = call_on(attacher, 0, &call);
    rv_tracee_release(&attacher->tracee);
    if (error == -ESRCH || error == -ECANCELED)
        return rv_refuse_attaching_error(attacher->pid, error);
    if (error == -EBUSY)
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_TRACED);
    return error ? rv_refuse_planning(attacher->pid, error) : wait_for_plan(attacher);
}

static int write_jumps(struct attacher *attacher)
{
    struct rv_attachment attachment;
    struct rv_sites sites = {0};
    int error = read_attachment(attacher, &attachment);
    if (!error)
        error = rv_sites_begin(&sites, &attacher->tracee, &attachment);
    if (!error)
        error = call_stopped(attacher, RV_ATTACHMENT_WRITE, &sites);
    rv_sites_end(&sites);
    return error;
}

/* Again, where a library was loaded in between. */
static int plan_and_write(struct attacher *attacher, const struct rv_attach_params *params)
{
    int error;
    do {
        error = plan(attacher, params);
        if (error)
            return error;
        error = write_jumps(attacher);
    } while (error == -ESTALE);
    return error ? rv_refuse_attaching_error(attacher->pid, error) : 0;
}

/* What fails is undone, but for what is another ringviz's by now. */
static int patch(struct attacher *attacher, const struct rv_attach_params *params)
{
    struct rv_attachment attachment;
    int error = plan_and_write(attacher, params);
    if (error == -EBUSY)
        return error;
    if (error && wait_for_rest(attacher, &attachment) == 0)
        (void)leave(attacher);
    return error;
}

static int open_attacher(struct attacher *attacher, pid_t pid, const char *library)
{
    *attacher = (struct attacher){.pid = pid, .library = library};
    attacher->elf = rv_elf_open(library, &(struct rv_elf_identity){0});
    if (!attacher->elf)
        return rv_err(ENOENT, "%s: cannot be read", library);
    int error = rv_tracee_open(&attacher->tracee, pid);
    return error ? rv_refuse_attaching_error(pid, error) : 0;
}

static void close_attacher(struct attacher *attacher)
{
    rv_tracee_close(&attacher->tracee);
    rv_elf_close(attacher->elf);
}

int rv_attach_begin(const struct rv_attach_params *params)
{
    struct attacher attacher = {.tracee.memory = -1};
    int error = rv_refuse_attaching_early(params->pid);
    if (!error)
        error = open_attacher(&attacher, params->pid, params->library);
    if (!error)
        error = load(&attacher);
    if (!error)
        error = take_over(&attacher);
    if (!error)
        error = patch(&attacher, params);
    close_attacher(&attacher);
    return error;
}

int rv_attach_end(pid_t pid, const char *library)
{
    struct attacher attacher = {.tracee.memory = -1};
    struct rv_attachment attachment;
    int error = 0;
    if (!rv_os_process_start(pid) || rv_os_process_state(pid) == 'Z')
        return 0;
    error = open_attacher(&attacher, pid, library);
    if (!error && (!is_loaded(&attacher) || wait_for_rest(&attacher, &attachment) != 0 ||
                   attachment.state == RV_ATTACHMENT_NONE)) {
        close_attacher(&attacher);
        return -ENOENT;
    }
    if (!error) {
        error = leave(&attacher);
        if (error == -ESRCH)
            error = 0;
        else if (error == -ECANCELED)
            (void)rv_refuse_attaching(pid, RV_REFUSE_KEPT);
        else if (error)
            (void)rv_refuse_attaching_error(pid, error);
    }
    close_attacher(&attacher);
    return error;
}
