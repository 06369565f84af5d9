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
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "attach/addresses.h"
#include "attach/refuse.h"
#include "attach/threads_in_jumps.h"
#include "attach/ptrace.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mappings.h"
#include "base/os.h"
#include "base/vec.h"
#include "ring/attachment.h"
#include "ring/process_liveness.h"
#include "symbols/elf_symbols.h"

#define TRIES 200u
#define TRIES_ALIKE 4u            /* tries before the pause grows by one more PAUSE_NS: to 50 times that, 5 s in all */
#define TRIES_EARLY 4u            /* with sites that were read before the stop */
#define HANDLER_BYTES 65536u      /* of stack that a signal's handler is thought to use */
#define ARENA_BYTES (64ull << 20) /* size of malloc's arenas, which begin at multiples of it */
#define ARENA_HEAD_BYTES 4096u
#define LOOKS 20u                 /* at a call's result, each PAUSE_NS */
#define WRITE_JUMPS "write jumps" /* why all threads were stopped */
#define N(array) (sizeof(array) / sizeof *(array))
static const uint64_t PAUSE_NS = 1000000, LOADING_NS = 25000000, CALL_NS = 5000000000, PLAN_NS = 60000000000;
static const uint64_t LONG_STOP_NS = 100000000;

struct attacher {
    pid_t pid;
    const char *library;
    struct rv_ptrace tracee;
    uint64_t base;        /* of the library; 0: not loaded */
    uint64_t loader_lock; /* 0: unknown */
    int loader_holder;    /* the thread that had it at the last look; 0: none */
    bool is_given_back;   /* the lock, just before a thread was stopped */
    struct rv_elf *elf;
};

/* ---- addresses ---- */

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

/* But for what only ringviz writes. */
static int read_attachment(const struct attacher *attacher, struct rv_attachment *out)
{
    return rv_ptrace_read(&attacher->tracee, attachment_of(attacher), out,
                          offsetof(struct rv_attachment, thread_pointers));
}

/* ---- a thread that holds no lock ---- */

/* In a call that is made while no lock of the C library is held: plain FUTEX_WAIT is made by those who want one. */
static bool waits(const struct rv_ptrace_thread *thread)
{
    static const long WAITS[] = {SYS_read,    SYS_poll,     SYS_select,        SYS_pselect6,        SYS_ppoll,
                                 SYS_recvmsg, SYS_accept,   SYS_epoll_wait,    SYS_epoll_pwait,     SYS_nanosleep,
                                 SYS_waitid,  SYS_recvfrom, SYS_rt_sigsuspend, SYS_clock_nanosleep, SYS_rt_sigtimedwait,
                                 SYS_wait4,   SYS_pause,    SYS_accept4,       SYS_connect,         SYS_flock};
    for (size_t i = 0; i < N(WAITS); i++)
        if (thread->system_call == WAITS[i])
            return true;
    return thread->system_call == SYS_futex && (thread->registers.rsi & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

/* Of code and data that lie in such a mapping, or in what follows it without a name. */
static bool is_library(const char *path)
{
    static const char *const LIBRARIES[] = {"ld-linux",    "libc.so",     "libc-2.",   "libpthread",
                                            "libdl",       "libgcc_s",    "libstdc++", "libjemalloc",
                                            "libtcmalloc", "libmimalloc", "[vdso]"};
    for (size_t i = 0; i < N(LIBRARIES); i++)
        if (strstr(path, LIBRARIES[i]))
            return true;
    return false;
}

/* In code, or data, of what may hold a lock of the C library, the loader or an allocator. */
static bool is_in_library(pid_t pid, uint64_t address)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    uint64_t library_end = 0;
    bool is_found = false, is_there = true;
    if (rv_mappings_open(&mappings, pid) != 0)
        return true;
    while (!is_found && rv_mappings_next(&mappings, &mapping)) {
        is_found = mapping.start <= address && address < mapping.end;
        is_there = is_library(mapping.path) || (!*mapping.path && mapping.start == library_end);
        if (is_there)
            library_end = mapping.end;
    }
    rv_mappings_close(&mappings);
    return is_there || !is_found;
}

/* A mutex, or a lock inside the C library, of which the thread may hold others: fork(2) takes all of its allocator's. An
 * arena's is at the beginning of its memory. */
static bool waits_for_own_lock(pid_t pid, const struct rv_ptrace_thread *thread)
{
    const uint64_t word = thread->registers.rdi;
    return thread->system_call == SYS_futex && (thread->registers.rsi & FUTEX_CMD_MASK) == FUTEX_WAIT &&
           word % ARENA_BYTES >= ARENA_HEAD_BYTES && !is_in_library(pid, word);
}

/* Words of the frame that the kernel makes for a signal's handler: the first is where the handler returns to. */
enum {
    FLAGS_WORD = 1 + offsetof(ucontext_t, uc_flags) / sizeof(uint64_t),
    LINK_WORD = 1 + offsetof(ucontext_t, uc_link) / sizeof(uint64_t),
    CODE_WORD = 1 + offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]) / sizeof(uint64_t),
    SEGMENTS_WORD = 1 + offsetof(ucontext_t, uc_mcontext.gregs[REG_CSGSFS]) / sizeof(uint64_t),
    MOST_FLAGS = 7,     /* of the kernel's */
    USER_SEGMENT = 0x33 /* of code, of 64 bits */
};

/* sigaction(2) leaves the first word on the stack, too; and a frame may be of a call of ours. */
static bool is_of_handler(const struct attacher *attacher, const uint64_t *words)
{
    return words[0] == attacher->tracee.restorer && words[FLAGS_WORD] <= MOST_FLAGS &&
           (uint16_t)words[SEGMENTS_WORD] == USER_SEGMENT && words[LINK_WORD] != RV_TRACEE_CALLED;
}

/* May it be in a signal's handler that has interrupted such code? What is left on the stack of one that has ended counts,
 * too. */
static bool has_interrupted_library(const struct attacher *attacher, const struct rv_ptrace_thread *thread)
{
    enum { N_WORDS = 128 };
    uint64_t words[N_WORDS], at = thread->registers.rsp & ~7ull;
    for (const uint64_t end = at + HANDLER_BYTES; at < end; at += (N_WORDS - SEGMENTS_WORD) * sizeof *words) {
        if (rv_ptrace_read(&attacher->tracee, at, words, sizeof words) != 0)
            return false;
        for (size_t i = 0; i + SEGMENTS_WORD < N_WORDS; i++)
            if (is_of_handler(attacher, words + i) && is_in_library(attacher->pid, words[i + CODE_WORD]))
                return true;
    }
    return false;
}

/* The thread that has the loader's lock; 0: none, or it is not known. */
static int read_loader_holder(const struct attacher *attacher)
{
    struct {
        int lock;
        unsigned count;
        int owner;
    } mutex; /* the beginning of glibc's pthread_mutex_t */
    return attacher->loader_lock &&
                   rv_ptrace_read(&attacher->tracee, attacher->loader_lock, &mutex, sizeof mutex) == 0 && mutex.lock
               ? mutex.owner
               : 0;
}

/*
 * Does a thread load a library, or run its constructors? A call to load another would wait for it, and it perhaps for
 * that call. Where threads load all the time, the lock has been given back just before, or the holder is another one
 * by now: then loading ends, too.
 */
static bool is_loading(struct attacher *attacher)
{
    const int before = attacher->loader_holder;
    attacher->loader_holder = read_loader_holder(attacher);
    return attacher->loader_holder && !attacher->is_given_back && (!before || before == attacher->loader_holder);
}

/* Wait before the next try; where a library is being loaded, until the lock is given back, too. */
static void pause_before(struct attacher *attacher, unsigned n_tries)
{
    const unsigned n_late = n_tries > TRIES / 2 ? n_tries - TRIES / 2 : 0;
    rv_os_sleep_ns(PAUSE_NS * (1 + n_late / TRIES_ALIKE));
    const int holder = read_loader_holder(attacher);
    const uint64_t end_ns = rv_clock_mono_ns() + LOADING_NS;
    bool is_held = holder != 0;
    while (is_held && rv_clock_mono_ns() < end_ns) {
        rv_os_sleep_ns(PAUSE_NS / LOOKS);
        is_held = read_loader_holder(attacher) == holder;
    }
    attacher->is_given_back = holder && !is_held;
}

/*
 * May the stopped thread make the call? At first only threads that surely hold no lock; then those that run outside of
 * code with locks; at last those that wait for a lock.
 */
static bool is_free(struct attacher *attacher, unsigned n_tries)
{
    const struct rv_ptrace_thread *thread = attacher->tracee.threads;
    if (is_loading(attacher) || !rv_ptrace_can_call(thread))
        return false;
    if (waits(thread))
        return n_tries > TRIES / 2 || !has_interrupted_library(attacher, thread);
    if (thread->system_call >= 0)
        return n_tries > TRIES / 2 && waits_for_own_lock(attacher->pid, thread);
    return n_tries > TRIES / 4 && !is_in_library(attacher->pid, thread->registers.rip) &&
           !has_interrupted_library(attacher, thread);
}

/* Stop any one that fits. -EPERM: it may be another ringviz that has stopped it, for a moment. */
static int stop_free_thread(struct attacher *attacher)
{
    int error = -ESRCH;
    attacher->is_given_back = false;
    for (unsigned i = 0; i < TRIES; pause_before(attacher, ++i)) {
        error = rv_ptrace_stop_any(&attacher->tracee, i);
        if (error == -EAGAIN)
            rv_ptrace_release(&attacher->tracee);
        if (error == -EAGAIN || error == -ESRCH || error == -EPERM)
            continue;
        if (error)
            return error;
        if (is_free(attacher, i))
            return 0;
        rv_ptrace_release(&attacher->tracee);
        error = -EBUSY;
    }
    return error;
}

static int set_result(const struct attacher *attacher, uint32_t result)
{
    return rv_ptrace_write(&attacher->tracee, attachment_of(attacher) + offsetof(struct rv_attachment, result), &result,
                           sizeof result);
}

/* Of the function of our library that was called; -ETIMEDOUT: it does not end, or not while a signal stops its process. */
static int wait_for_result(const struct attacher *attacher)
{
    struct rv_attachment attachment;
    const uint64_t end_ns = rv_clock_mono_ns() + CALL_NS;
    for (unsigned n = 1; rv_clock_mono_ns() < end_ns; n++) {
        if (read_attachment(attacher, &attachment) != 0)
            return -ESRCH;
        if (attachment.result != RV_ATTACHMENT_CALLED)
            return (int)attachment.result;
        if (n % LOOKS == 0 && rv_ptrace_is_called_stopped(&attacher->tracee))
            break;
        rv_os_sleep_ns(PAUSE_NS / LOOKS);
    }
    return -ETIMEDOUT;
}

/* A function of our library, whose result it returns. One that has begun is waited for, however long that takes. */
static int call_on(struct attacher *attacher, size_t idx, const struct rv_ptrace_call *call)
{
    int error = set_result(attacher, RV_ATTACHMENT_CALLED);
    if (!error)
        error = rv_ptrace_call(&attacher->tracee, idx, call);
    if (!error)
        error = wait_for_result(attacher);
    while (error == -ETIMEDOUT && (error = rv_ptrace_take_back(&attacher->tracee)) == -EALREADY)
        error = wait_for_result(attacher);
    if (error)
        (void)set_result(attacher, 0);
    return error;
}

/* A stop that a user of the process may have felt is printed without --verbose. */
static void note_stop(const struct attacher *attacher, const char *why, bool is_in_vain)
{
    void (*const say)(const char *format, ...) =
        attacher->tracee.stopped_ns >= LONG_STOP_NS && !is_in_vain ? rv_warn : rv_note;
    say("process %d: all threads were stopped for %.1f ms, to %s%s", (int)attacher->pid,
        (double)attacher->tracee.stopped_ns / 1e6, why, is_in_vain ? ", in vain" : "");
}

/* ---- loading ---- */

static bool is_loaded(struct attacher *attacher)
{
    struct rv_attachment attachment;
    attacher->base = rv_addresses_file(attacher->pid, attacher->library);
    return attacher->base && read_attachment(attacher, &attachment) == 0 && attachment.is_loaded;
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

static int refuse_stop(struct attacher *attacher, int error)
{
    if (error == -EBUSY && is_loading(attacher))
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_LOADING);
    return rv_refuse_attaching_error(attacher->pid, error);
}

static int load(struct attacher *attacher)
{
    enum { NOW = 2 }; /* RTLD_NOW */
    const struct rv_ptrace_call call = {
        .function = rv_addresses_dlopen(&attacher->tracee), .texts = {attacher->library}, .arguments = {0, NOW}};
    if (is_loaded(attacher))
        return 0;
    if (!call.function)
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_NO_LOADER);
    int error = stop_free_thread(attacher);
    if (!error)
        error = rv_ptrace_call(&attacher->tracee, 0, &call);
    rv_ptrace_release(&attacher->tracee);
    return error ? refuse_stop(attacher, error) : wait_for_library(attacher);
}

/* ---- while all stand still ---- */

/* -E2BIG: those that it could not tell would go on with rings that nobody reads. */
static int tell_threads(const struct attacher *attacher)
{
    const uint64_t at = attachment_of(attacher), n = attacher->tracee.n_threads;
    if (n > RV_ATTACHMENT_THREADS)
        return -E2BIG;
    uint64_t *pointers = rv_alloc(n, sizeof *pointers);
    for (size_t i = 0; i < n; i++)
        pointers[i] = attacher->tracee.threads[i].registers.fs_base;
    int error = rv_ptrace_write(&attacher->tracee, at + offsetof(struct rv_attachment, thread_pointers), pointers,
                                (size_t)n * sizeof *pointers);
    free(pointers);
    return error ? error
                 : rv_ptrace_write(&attacher->tracee, at + offsetof(struct rv_attachment, n_threads), &n, sizeof n);
}

/* On almost any of them, since what is called takes no lock. A sleep that was interrupted before might end by it: only where
 * there is no other. One that is about to be stopped would not run. Their number: none of them now. */
static size_t choose_thread(const struct rv_ptrace *tracee)
{
    size_t chosen = tracee->n_threads;
    for (size_t i = 0; i < tracee->n_threads; i++) {
        const struct rv_ptrace_thread *thread = &tracee->threads[i];
        if (thread->signal == SIGSTOP || !rv_ptrace_can_call(thread))
            continue;
        if (thread->system_call != SYS_restart_syscall)
            return i;
        chosen = i;
    }
    return chosen;
}

static int call_on_any(struct attacher *attacher, const struct rv_ptrace_call *call)
{
    const size_t chosen = choose_thread(&attacher->tracee);
    return chosen < attacher->tracee.n_threads ? call_on(attacher, chosen, call) : -EAGAIN;
}

/* Have they changed since they were read? */
static bool are_outdated(const struct attacher *attacher, const struct rv_jump_sites *sites)
{
    uint32_t n_changes;
    return rv_ptrace_read(&attacher->tracee, attachment_of(attacher) + offsetof(struct rv_attachment, n_changes),
                          &n_changes, sizeof n_changes) != 0 ||
           n_changes != sites->n_changes || n_changes & 1;
}

/* A function that one of all stopped threads is to call. */
struct task {
    const char *function, *why;
    struct rv_jump_sites *sites; /* sites to be cleared first; then the call's argument is 1; NULL: none */
    bool needs_current_sites;    /* else the process checks whether the sites are current */
    bool reads_within_stop;      /* the sites, whose places are read before otherwise: the stop is shorter so */
    bool clears_islands_only;    /* where there are no islands, nothing is cleared */
};

static int read_sites(const struct attacher *attacher, struct rv_jump_sites *sites)
{
    struct rv_attachment attachment;
    rv_jump_sites_end(sites);
    return read_attachment(attacher, &attachment) != 0 ? -ESRCH
                                                       : rv_jump_sites_begin(sites, &attacher->tracee, &attachment);
}

static int call_among_all(struct attacher *attacher, const struct task *task)
{
    const struct rv_ptrace_call call = {.function = function_of(attacher, task->function),
                                        .arguments = {task->sites != NULL}};
    int error = rv_ptrace_stop_all(&attacher->tracee);
    if (error)
        return error;
    if (task->reads_within_stop)
        error = read_sites(attacher, task->sites);
    if (!error && task->needs_current_sites && are_outdated(attacher, task->sites))
        error = -ESTALE;
    if (!error && task->sites && (!task->clears_islands_only || task->sites->has_islands))
        error = rv_jump_sites_clear(task->sites, &attacher->tracee);
    if (!error)
        error = tell_threads(attacher);
    if (!error)
        error = call_on_any(attacher, &call);
    rv_ptrace_release(&attacher->tracee);
    note_stop(attacher, task->why, error < 0);
    return error;
}

/* Again with ever longer pauses: who holds the lock that is needed has to wait for a processor, too, and a fork(2) that a
 * stop interrupts begins anew. */
static int call_stopped(struct attacher *attacher, const struct task *task)
{
    int error = -EAGAIN;
    for (unsigned i = 0; i < TRIES && (error == -EAGAIN || error == -EPERM); i++) {
        error = call_among_all(attacher, task);
        if (error == -EAGAIN || error == -EPERM)
            rv_os_sleep_ns(PAUSE_NS * (1 + i / TRIES_ALIKE));
    }
    return error;
}

static int call_with_sites(struct attacher *attacher, struct task task)
{
    struct rv_jump_sites sites = {0};
    task.sites = &sites;
    int error = task.reads_within_stop ? 0 : read_sites(attacher, &sites);
    if (!error)
        error = call_stopped(attacher, &task);
    rv_jump_sites_end(&sites);
    return error == -EFAULT && task.needs_current_sites ? -ESTALE : error;
}

/* Again while sites change. Where threads load libraries all the time, those that were read before a stop are outdated at
 * each: they are read within it then. */
static int call_with_current_sites(struct attacher *attacher, struct task task)
{
    int error = -ESTALE;
    task.needs_current_sites = true;
    for (unsigned i = 0; i < TRIES && (error == -ESTALE || error == RV_ATTACHMENT_TO_CLEAR); i++) {
        task.reads_within_stop = i >= TRIES_EARLY;
        error = call_with_sites(attacher, task);
        if (error == -ESTALE)
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
    int error = rv_ptrace_write(&attacher->tracee, at + offsetof(struct rv_attachment, owner_pid), &pid, sizeof pid);
    return error ? error
                 : rv_ptrace_write(&attacher->tracee, at + offsetof(struct rv_attachment, owner_start), &start,
                                   sizeof start);
}

/* -ESRCH when the process has ended. */
static int set_leaving(const struct attacher *attacher, uint64_t is_leaving)
{
    const uint64_t at = attachment_of(attacher) + offsetof(struct rv_attachment, is_leaving);
    return rv_ptrace_write(&attacher->tracee, at, &is_leaving, sizeof is_leaving) ? -ESRCH : 0;
}

/* Remove the patches, and give the process up. */
static int leave(struct attacher *attacher)
{
    int error = set_leaving(attacher, true);
    if (!error)
        error = call_with_current_sites(attacher, (struct task){.function = RV_ATTACHMENT_REMOVE,
                                                                .why = "put the original bytes back",
                                                                .clears_islands_only = true});
    if (!error)
        return set_owner(attacher, 0, 0);
    (void)set_leaving(attacher, false);
    return error;
}

static bool is_ours(const struct rv_attachment *attachment)
{
    return attachment->owner_pid == (uint32_t)getpid() && attachment->owner_start == rv_os_process_start(getpid());
}

/* Clean up after a ringviz that was killed, or in a process that was forked while we got into its parent, and say whose the
 * process is now. */
static int take_over(struct attacher *attacher)
{
    struct rv_attachment attachment;
    if (read_attachment(attacher, &attachment) != 0)
        return rv_refuse_attaching_error(attacher->pid, -ESRCH);
    if (is_ours(&attachment) && attachment.state == RV_ATTACHMENT_PATCHED)
        return -EALREADY;
    if (!is_ours(&attachment) && rv_process_liveness_is_running(attachment.owner_pid, attachment.owner_start))
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
    const struct rv_ptrace_call call = {.function = function_of(attacher, RV_ATTACHMENT_PLAN),
                                        .texts = {params->trace_path, params->patches}};
    int error = stop_free_thread(attacher);
    if (error)
        return refuse_stop(attacher, error);
    error = call_on(attacher, 0, &call);
    rv_ptrace_release(&attacher->tracee);
    if (error == -ESRCH || error == -ECANCELED)
        return rv_refuse_attaching_error(attacher->pid, error);
    if (error == -EBUSY)
        return rv_refuse_attaching(attacher->pid, RV_REFUSE_TRACED);
    return error ? rv_refuse_planning(attacher->pid, error) : wait_for_plan(attacher);
}

/* Again, where a library was loaded in between. */
static int plan_and_write(struct attacher *attacher, const struct rv_attach_params *params)
{
    int error;
    do {
        error = plan(attacher, params);
        if (error)
            return error;
        error = call_with_sites(attacher, (struct task){.function = RV_ATTACHMENT_WRITE, .why = WRITE_JUMPS});
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

/* ---- verdicts ---- */

static void close_attacher(struct attacher *attacher)
{
    rv_ptrace_close(&attacher->tracee);
    rv_elf_close(attacher->elf);
}

static int apply(struct attacher *attacher)
{
    int error =
        call_stopped(attacher, &(struct task){.function = RV_ATTACHMENT_APPLY, .why = "follow the capture filter"});
    return error == RV_ATTACHMENT_TO_CLEAR
               ? call_with_current_sites(attacher, (struct task){.function = RV_ATTACHMENT_APPLY, .why = WRITE_JUMPS})
               : error;
}

/* A process and a library in it: the context of rv_ptrace_on_own_thread(). */
struct place {
    pid_t pid;
    const char *library;
    bool is_only_ours; /* to be left only where this ringviz has attached */
};

static int open_and_apply(void *context)
{
    const struct place *place = context;
    struct attacher attacher = {.pid = place->pid, .library = place->library, .tracee.memory = -1};
    int error = rv_ptrace_open(&attacher.tracee, place->pid);
    if (!error && !rv_addresses_file(place->pid, place->library))
        error = -ENOENT;
    if (!error && !(attacher.elf = rv_elf_open(place->library, &(struct rv_elf_identity){0})))
        error = -ENOENT;
    if (!error)
        error = is_loaded(&attacher) ? apply(&attacher) : -EAGAIN;
    close_attacher(&attacher);
    return error;
}

int rv_attach_apply(pid_t pid, const char *library)
{
    return rv_ptrace_on_own_thread(open_and_apply, &(struct place){.pid = pid, .library = library});
}

/* ---- in and out ---- */

static int open_attacher(struct attacher *attacher, pid_t pid, const char *library)
{
    *attacher = (struct attacher){.pid = pid, .library = library};
    attacher->elf = rv_elf_open(library, &(struct rv_elf_identity){0});
    if (!attacher->elf)
        return rv_err(ENOENT, "%s: cannot be read", library);
    int error = rv_ptrace_open(&attacher->tracee, pid);
    return error ? rv_refuse_attaching_error(pid, error) : 0;
}

static int open_and_begin(void *context)
{
    const struct rv_attach_params *params = context;
    struct attacher attacher = {.tracee.memory = -1};
    int error = rv_refuse_attaching_early(params->pid, params->library, params->trace_path);
    if (!error)
        error = open_attacher(&attacher, params->pid, params->library);
    if (!error) {
        attacher.loader_lock = rv_addresses_loader_lock(&attacher.tracee);
        error = load(&attacher);
    }
    if (!error)
        error = take_over(&attacher);
    if (!error)
        error = patch(&attacher, params);
    close_attacher(&attacher);
    return error;
}

int rv_attach_begin(const struct rv_attach_params *params)
{
    struct rv_attach_params own = *params;
    return rv_ptrace_on_own_thread(open_and_begin, &own);
}

/* -ENOENT: nobody has attached, or not the owner that is asked for; else why it stays patched, as printed. */
static int end(struct attacher *attacher, bool is_only_ours)
{
    struct rv_attachment attachment;
    if (!is_loaded(attacher) || wait_for_rest(attacher, &attachment) != 0 || attachment.state == RV_ATTACHMENT_NONE ||
        (is_only_ours && !is_ours(&attachment)))
        return -ENOENT;
    int error = leave(attacher);
    if (error == -ESRCH)
        error = 0;
    else if (error == -ECANCELED || error == -E2BIG)
        (void)rv_refuse_attaching(attacher->pid, error == -E2BIG ? RV_REFUSE_CROWDED : RV_REFUSE_KEPT);
    else if (error)
        (void)rv_refuse_attaching_error(attacher->pid, error);
    return error;
}

static int open_and_end(void *context)
{
    const struct place *place = context;
    struct attacher attacher = {.tracee.memory = -1};
    if (rv_os_process_has_ended(place->pid))
        return 0;
    int error = open_attacher(&attacher, place->pid, place->library);
    if (!error)
        error = end(&attacher, place->is_only_ours);
    close_attacher(&attacher);
    return error;
}

int rv_attach_end(pid_t pid, const char *library)
{
    return rv_ptrace_on_own_thread(open_and_end, &(struct place){.pid = pid, .library = library});
}

int rv_attach_end_copy(pid_t pid, const char *library)
{
    return rv_ptrace_on_own_thread(open_and_end, &(struct place){.pid = pid, .library = library, .is_only_ours = true});
}
