/*
 * A call is made as a signal's handler is: what the thread was doing is put on its stack, and the function returns into
 * rt_sigreturn(2), which takes it from there. The thread is released at once, so that nothing depends on us any more.
 */
#include "attach/ptrace.h"

#include <cpuid.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "attach/addresses.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"

#if defined(__x86_64__)

#define RED_ZONE 128u
#define STATE_BYTES 16384u
#define STATE_WORDS_AT 464u    /* what fxsave leaves to programs */
#define STATE_PARTS_AT 512u    /* XSTATE_BV: which parts are in use, */
#define STATE_HEADER_BYTES 64u /* which begins there */
#define TILES (3ull << 17)     /* TILECFG and TILEDATA */
#define STATE_LEAF 0xd         /* cpuid: sizes and places of parts */
#define GET_RSEQ 0x420f        /* ptrace(2): PTRACE_GET_RSEQ_CONFIGURATION of Linux 5.13 */
#define SEQUENCE_AT 8u         /* in struct rseq of linux/rseq.h */
#define FRAME_BYTES (STATE_BYTES + 10240u)
#define NO_STACK_MODE 0x7f /* the kernel then leaves the thread's alternate stack as it is */
#define DIRECTION_FLAG 0x400ull
#define INTERRUPTED_FIRST 512 /* ERESTARTSYS .. ERESTART_RESTARTBLOCK: only stopped threads have these */
#define INTERRUPTED_LAST 516
#define LOOKS 16u /* of waits for a thread, between looks at whether it is ending */
#define BIT(signal) (1ull << ((signal)-1))
static const uint64_t STOP_NS = 2000000000, FOR_EVER = UINT64_MAX / 2;
static const uint64_t LEAST_NAP_NS = 20000, MOST_NAP_NS = 500000;

/* Signals that wait while code of ours is run: not those that an instruction causes, which would end the process then. */
static const uint64_t BLOCKED = ~(BIT(SIGSYS) | BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGILL) | BIT(SIGFPE) | BIT(SIGTRAP));

void rv_ptrace_close(struct rv_ptrace *tracee)
{
    rv_ptrace_release(tracee);
    if (tracee->memory >= 0)
        close(tracee->memory);
    free(tracee->threads);
    *tracee = (struct rv_ptrace){.memory = -1};
}

int rv_ptrace_read(const struct rv_ptrace *tracee, uint64_t address, void *out, size_t n_bytes)
{
    return pread(tracee->memory, out, n_bytes, (off_t)address) == (ssize_t)n_bytes ? 0 : -EFAULT;
}

int rv_ptrace_write(const struct rv_ptrace *tracee, uint64_t address, const void *bytes, size_t n_bytes)
{
    return pwrite(tracee->memory, bytes, n_bytes, (off_t)address) == (ssize_t)n_bytes ? 0 : -EFAULT;
}

/* ---- a thread of its own ---- */

struct work {
    int (*function)(void *context);
    void *context;
    int result;
};

static void *run_work(void *context)
{
    struct work *work = context;
    work->result = work->function(work->context);
    return NULL;
}

int rv_ptrace_on_own_thread(int (*work)(void *context), void *context)
{
    struct work run = {.function = work, .context = context};
    pthread_t thread;
    sigset_t before;
    rv_os_block_signals(&before);
    const bool has_thread = pthread_create(&thread, NULL, run_work, &run) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (has_thread)
        pthread_join(thread, NULL);
    else
        (void)run_work(&run);
    return run.result;
}

/* ---- opening ---- */

int rv_ptrace_open(struct rv_ptrace *tracee, pid_t pid)
{
    char path[64];
    *tracee = (struct rv_ptrace){.pid = pid};
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    tracee->memory = open(path, O_RDWR | O_CLOEXEC);
    if (tracee->memory < 0)
        return errno == ENOENT ? -ESRCH : -errno;
    tracee->restorer = rv_addresses_restorer(tracee);
    return 0;
}

/* ---- stopping ---- */

/* A thread that is ending may not be seized, and does not stop: it is as good as gone. */
static bool is_ending(pid_t tid)
{
    const char state = rv_os_process_state(tid);
    return !state || state == 'Z' || state == 'X';
}

/* An eighth of the time so far: many short naps took as long on a processor as some of the calls that are waited for. */
static uint64_t nap_after(uint64_t waited_ns)
{
    const uint64_t ns = waited_ns / 8;
    return ns < LEAST_NAP_NS ? LEAST_NAP_NS : ns > MOST_NAP_NS ? MOST_NAP_NS : ns;
}

/* The thread's next stop: its status; -ESRCH: it has ended, or it is the first and has to wait for others that have not yet;
 * -EAGAIN: it does not come to a stop in time. */
static int wait_for(pid_t tid, uint64_t most_ns)
{
    const uint64_t begin_ns = rv_clock_mono_ns();
    int status;
    for (unsigned n = 1;; n++) {
        pid_t found = waitpid(tid, &status, __WALL | WNOHANG);
        if (found == tid && WIFSTOPPED(status))
            return status;
        if (found != 0 || (n % LOOKS == 0 && is_ending(tid)))
            return -ESRCH;
        const uint64_t waited_ns = rv_clock_mono_ns() - begin_ns;
        if (waited_ns >= most_ns)
            return -EAGAIN;
        rv_os_sleep_ns(nap_after(waited_ns));
    }
}

/*
 * The kernel continues an interrupted sleep or poll by another system call number; the program's is in the instruction
 * before the call: mov $NUMBER, %eax; syscall.
 */
static long restarted_call(const struct rv_ptrace *tracee, uint64_t after)
{
    struct __attribute__((packed)) {
        uint8_t move;
        int32_t number;
        uint8_t call[2];
    } code;
    const bool is_known = rv_ptrace_read(tracee, after - sizeof code, &code, sizeof code) == 0 && code.move == 0xb8 &&
                          code.call[0] == 0x0f && code.call[1] == 0x05;
    return is_known ? code.number : SYS_restart_syscall;
}

static long system_call_of(const struct rv_ptrace *tracee, const struct user_regs_struct *registers)
{
    const int64_t result = (int64_t)registers->rax;
    const bool is_interrupted = (result <= -INTERRUPTED_FIRST && result >= -INTERRUPTED_LAST) || result == -EINTR;
    if ((int64_t)registers->orig_rax < 0 || !is_interrupted)
        return -1;
    return registers->orig_rax == SYS_restart_syscall ? restarted_call(tracee, registers->rip)
                                                      : (long)registers->orig_rax;
}

/* Of PTRACE_INTERRUPT, or of a signal that stops the process: ptrace(2). */
static bool is_event_stop(int status)
{
    return status >> 16 == PTRACE_EVENT_STOP;
}

static void release_thread(const struct rv_ptrace_thread *thread)
{
    (void)ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
    if (ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal) != 0)
        (void)waitpid(thread->tid, NULL, __WALL | WNOHANG); /* it was killed */
}

/* It may wait for a disk, or for a process that vfork(2) began. What it stops with then is given back to it. */
static void release_late(pid_t tid)
{
    int status = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 ? wait_for(tid, FOR_EVER) : -ESRCH;
    if (status >= 0)
        (void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)(is_event_stop(status) ? 0 : WSTOPSIG(status)));
}

/* Some calls (epoll_wait, semop) return EINTR after a stop where no handler ran: they are begun again, too. */
static void restart_call(struct user_regs_struct *registers)
{
    if ((int64_t)registers->orig_rax < 0 || (int64_t)registers->rax != -EINTR)
        return;
    registers->rax = registers->orig_rax;
    registers->rip -= 2;
    registers->orig_rax = (unsigned long long)-1;
}

static int seize(struct rv_ptrace *tracee, pid_t tid)
{
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return errno == EPERM && is_ending(tid) ? -ESRCH : -errno;
    tracee->threads =
        rv_vec_reserve(tracee->threads, &tracee->capacity, tracee->n_threads + 1, sizeof *tracee->threads);
    tracee->threads[tracee->n_threads++] = (struct rv_ptrace_thread){.tid = tid};
    return 0;
}

/* One that has ended is found so when it is waited for. */
static void interrupt(struct rv_ptrace *tracee, pid_t tid)
{
    if (!tracee->stopped_since_ns)
        tracee->stopped_since_ns = rv_clock_mono_ns();
    (void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
}

/* 0, or a negative errno; *is_for_long: a signal has stopped the process. */
static int await_stop(const struct rv_ptrace *tracee, struct rv_ptrace_thread *thread, bool *is_for_long)
{
    int status = wait_for(thread->tid, STOP_NS);
    if (status >= 0 && ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->registers) != 0)
        status = -ESRCH;
    if (status < 0)
        return status;
    thread->has_stopped = true;
    thread->system_call = system_call_of(tracee, &thread->registers);
    if (!is_event_stop(status))
        thread->signal = WSTOPSIG(status);
    else
        restart_call(&thread->registers);
    *is_for_long = is_event_stop(status) && WSTOPSIG(status) != SIGTRAP;
    return 0;
}

/* The last of the threads then. One that does not stop is among them, too. */
static int stop_thread(struct rv_ptrace *tracee, pid_t tid, bool *is_for_long)
{
    int error = seize(tracee, tid);
    if (error)
        return error;
    interrupt(tracee, tid);
    error = await_stop(tracee, &tracee->threads[tracee->n_threads - 1], is_for_long);
    tracee->n_threads -= error == -ESRCH;
    return error;
}

static int stop_one(struct rv_ptrace *tracee, pid_t tid)
{
    bool is_for_long;
    int error = stop_thread(tracee, tid, &is_for_long);
    if (!error && is_for_long) {
        release_thread(&tracee->threads[--tracee->n_threads]);
        return -ECANCELED;
    }
    return error;
}

static bool is_seized(const struct rv_ptrace *tracee, pid_t tid)
{
    for (size_t i = 0; i < tracee->n_threads; i++)
        if (tracee->threads[i].tid == tid)
            return true;
    return false;
}

/* Those that are not seized yet. *has_found: there was one, which may have ended by now. */
static int seize_more(struct rv_ptrace *tracee, bool *has_found)
{
    char path[64];
    int error = 0;
    *has_found = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)tracee->pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -ESRCH;
    for (const struct dirent *entry; !error && (entry = readdir(folder));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || is_seized(tracee, tid))
            continue;
        error = seize(tracee, tid);
        *has_found |= !error;
        if (error == -ESRCH) /* the first may end before others */
            error = 0;
    }
    closedir(folder);
    return error;
}

/* From an index on: all are interrupted before any is waited for, so that they stand still for less time. */
static int stop_seized(struct rv_ptrace *tracee, size_t first)
{
    for (size_t i = first; i < tracee->n_threads; i++)
        interrupt(tracee, tracee->threads[i].tid);
    for (size_t i = first; i < tracee->n_threads;) {
        bool is_for_long;
        int error = await_stop(tracee, &tracee->threads[i], &is_for_long);
        if (error == -ESRCH)
            tracee->threads[i] = tracee->threads[--tracee->n_threads];
        else if (error || is_for_long)
            return error ? error : -ECANCELED;
        else
            i++;
    }
    return 0;
}

int rv_ptrace_stop_any(struct rv_ptrace *tracee, unsigned turn)
{
    char path[64];
    pid_t tids[256];
    unsigned n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)tracee->pid);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && n < 256 && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            tids[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
    if (folder)
        closedir(folder);
    return n ? stop_one(tracee, tids[turn % n]) : -ESRCH;
}

/* Until there are no others: threads that run begin new ones, and may end then. */
int rv_ptrace_stop_all(struct rv_ptrace *tracee)
{
    int error;
    bool has_found;
    do {
        const size_t n = tracee->n_threads;
        error = seize_more(tracee, &has_found);
        if (!error)
            error = stop_seized(tracee, n);
    } while (!error && has_found);
    if (!error && tracee->n_threads == 0)
        error = -ESRCH;
    if (error)
        rv_ptrace_release(tracee);
    return error;
}

void rv_ptrace_release(struct rv_ptrace *tracee)
{
    for (size_t i = 0; i < tracee->n_threads; i++)
        if (tracee->threads[i].has_stopped)
            release_thread(&tracee->threads[i]);
    if (tracee->stopped_since_ns)
        tracee->stopped_ns = rv_clock_mono_ns() - tracee->stopped_since_ns;
    tracee->stopped_since_ns = 0;
    for (size_t i = 0; i < tracee->n_threads; i++)
        if (!tracee->threads[i].has_stopped)
            release_late(tracee->threads[i].tid);
    tracee->n_threads = 0;
}

/*
 * The thread's status as of wait_for, stopped in any case. An interruption or a stop of the whole process may come
 * first, and is reported again later.
 */
static int step(pid_t tid)
{
    int status;
    do {
        if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) != 0)
            return -ESRCH;
        status = wait_for(tid, STOP_NS);
    } while (status >= 0 && is_event_stop(status));
    if (status == -EAGAIN && ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 && wait_for(tid, FOR_EVER) < 0)
        return -ESRCH;
    return status;
}

/* A fault recurs once the thread runs again; SIGSTOP, which cannot be blocked, is sent again. */
int rv_ptrace_step(struct rv_ptrace_thread *thread)
{
    uint64_t mask;
    if (ptrace(PTRACE_GETSIGMASK, thread->tid, (void *)sizeof mask, &mask) != 0 ||
        ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof BLOCKED, &BLOCKED) != 0)
        return -ESRCH;
    (void)ptrace(PTRACE_SETREGS, thread->tid, NULL, &thread->registers);
    int status = step(thread->tid);
    if (ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof mask, &mask) != 0 ||
        ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->registers) != 0)
        return -ESRCH;
    if (WSTOPSIG(status) == SIGSTOP)
        (void)kill(thread->tid, SIGSTOP);
    return WSTOPSIG(status) == SIGTRAP ? 0 : -EAGAIN;
}

/* ---- calls ---- */

/* What is put on the thread's stack, from its lowest address on, as the kernel does for a signal's handler. */
struct frame {
    uint64_t address;
    size_t n_bytes, texts_at, state_at;
    uint8_t bytes[FRAME_BYTES];
};
#define CONTEXT_AT 8u /* behind the address to which the function returns */
#define SIGNAL_MASK_AT (CONTEXT_AT + 296u)
#define INFORMATION_BYTES 128u

/* Lay out: texts on top, then the extended state, then the context, with 8 bytes left to a multiple of 16 below. */
static bool lay_out(struct frame *frame, uint64_t stack, const struct rv_ptrace_call *call, size_t n_state)
{
    size_t n_texts = 0;
    for (size_t i = 0; i < 2; i++)
        n_texts += call->texts[i] ? strlen(call->texts[i]) + 1 : 0;
    const uint64_t texts = (stack - RED_ZONE - n_texts) & ~63ull, state = (texts - n_state - sizeof(uint32_t)) & ~63ull;
    frame->address = ((state - SIGNAL_MASK_AT - sizeof(uint64_t) - INFORMATION_BYTES) & ~15ull) - 8;
    frame->texts_at = (size_t)(texts - frame->address);
    frame->state_at = (size_t)(state - frame->address);
    frame->n_bytes = frame->texts_at + n_texts;
    memset(frame->bytes, 0, sizeof frame->bytes);
    return frame->n_bytes <= sizeof frame->bytes;
}

static void put(struct frame *frame, size_t at, const void *bytes, size_t n_bytes)
{
    memcpy(frame->bytes + at, bytes, n_bytes);
}

/*
 * How many bytes of the state rt_sigreturn(2) takes of any thread: those without tiles, which few threads have asked for. Of a
 * larger one it would take what fxsave has alone, and clear the rest of the vectors.
 */
static size_t count_state(uint64_t parts, size_t n_state)
{
    size_t n = STATE_PARTS_AT + STATE_HEADER_BYTES;
    for (unsigned part = 2; part < 63; part++) {
        unsigned n_bytes, at, flags, unused;
        if (!(parts >> part & 1) || !__get_cpuid_count(STATE_LEAF, part, &n_bytes, &at, &flags, &unused))
            continue;
        n = (size_t)at + n_bytes > n ? (size_t)at + n_bytes : n;
    }
    return n < n_state ? n : n_state;
}

/* Parts that the kernel knows, as ptrace(2) gives them. */
static uint64_t parts_of(const uint8_t *state)
{
    uint64_t parts;
    memcpy(&parts, state + STATE_WORDS_AT, sizeof parts);
    return parts & ~TILES;
}

/* The words that tell rt_sigreturn(2) that the state is more than fxsave's (asm/sigcontext.h). */
static void put_state(struct frame *frame, const uint8_t *state, size_t n_state)
{
    const uint32_t begin = FP_XSTATE_MAGIC1, end = FP_XSTATE_MAGIC2, n_bytes = (uint32_t)n_state,
                   n_extended = n_bytes + (uint32_t)sizeof end;
    const uint64_t parts = parts_of(state);
    put(frame, frame->state_at, state, n_state);
    put(frame, frame->state_at + STATE_WORDS_AT, &begin, sizeof begin);
    put(frame, frame->state_at + STATE_WORDS_AT + 4, &n_extended, sizeof n_extended);
    put(frame, frame->state_at + STATE_WORDS_AT + 8, &parts, sizeof parts);
    put(frame, frame->state_at + STATE_WORDS_AT + 16, &n_bytes, sizeof n_bytes);
    put(frame, frame->state_at + n_state, &end, sizeof end);
}

static void put_context(struct frame *frame, const struct user_regs_struct *registers, uint64_t signal_mask)
{
    ucontext_t context = {.uc_flags = 7, /* extended state, and the stack segment */
                          .uc_link = (ucontext_t *)(uintptr_t)RV_TRACEE_CALLED,
                          .uc_stack.ss_flags = NO_STACK_MODE};
    greg_t *to = context.uc_mcontext.gregs;
    const unsigned long long from[] = {[REG_R8] = registers->r8,
                                       [REG_R9] = registers->r9,
                                       [REG_R10] = registers->r10,
                                       [REG_R11] = registers->r11,
                                       [REG_R12] = registers->r12,
                                       [REG_R13] = registers->r13,
                                       [REG_R14] = registers->r14,
                                       [REG_R15] = registers->r15,
                                       [REG_RDI] = registers->rdi,
                                       [REG_RSI] = registers->rsi,
                                       [REG_RBP] = registers->rbp,
                                       [REG_RBX] = registers->rbx,
                                       [REG_RDX] = registers->rdx,
                                       [REG_RAX] = registers->rax,
                                       [REG_RCX] = registers->rcx,
                                       [REG_RSP] = registers->rsp,
                                       [REG_RIP] = registers->rip,
                                       [REG_EFL] = registers->eflags,
                                       [REG_CSGSFS] = (registers->cs & 0xffff) | registers->ss << 48};
    memcpy(to, from, sizeof from);
    context.uc_mcontext.fpregs = (fpregset_t)(uintptr_t)(frame->address + frame->state_at);
    put(frame, CONTEXT_AT, &context, SIGNAL_MASK_AT - CONTEXT_AT);
    put(frame, SIGNAL_MASK_AT, &signal_mask, sizeof signal_mask);
}

/* rt_sigreturn(2) begins no call again: the thread goes back to its instruction. */
static struct user_regs_struct going_on(const struct rv_ptrace_thread *thread)
{
    struct user_regs_struct registers = thread->registers;
    if (thread->system_call >= 0 && (int64_t)registers.orig_rax >= 0) {
        registers.rax = (unsigned long long)thread->system_call;
        registers.rip -= 2;
    }
    return registers;
}

static void set_arguments(const struct frame *frame, const struct rv_ptrace_call *call,
                          struct user_regs_struct *registers)
{
    uint64_t text = frame->address + frame->texts_at, arguments[2];
    for (size_t i = 0; i < 2; i++) {
        arguments[i] = call->texts[i] ? text : call->arguments[i];
        text += call->texts[i] ? strlen(call->texts[i]) + 1 : 0;
    }
    registers->rdi = arguments[0];
    registers->rsi = arguments[1];
    registers->rip = call->function;
    registers->rsp = frame->address;
    registers->rax = 0;
    registers->eflags &= ~DIRECTION_FLAG;
    registers->orig_rax = (unsigned long long)-1;
}

static int build(struct frame *frame, const struct rv_ptrace *tracee, const struct rv_ptrace_thread *thread,
                 const struct rv_ptrace_call *call)
{
    uint8_t state[STATE_BYTES];
    struct iovec extended = {.iov_base = state, .iov_len = sizeof state};
    const struct user_regs_struct registers = going_on(thread);
    if (!tracee->restorer || ptrace(PTRACE_GETREGSET, thread->tid, (void *)(uintptr_t)NT_X86_XSTATE, &extended) != 0 ||
        extended.iov_len < STATE_PARTS_AT + STATE_HEADER_BYTES)
        return -EFAULT;
    const size_t n_state = count_state(parts_of(state), extended.iov_len);
    if (!lay_out(frame, registers.rsp, call, n_state))
        return -EFAULT;
    size_t text = frame->texts_at;
    put(frame, 0, &tracee->restorer, sizeof tracee->restorer);
    put_context(frame, &registers, tracee->called_mask);
    put_state(frame, state, n_state);
    for (size_t i = 0; i < 2; i++) {
        const size_t n = call->texts[i] ? strlen(call->texts[i]) + 1 : 0;
        if (n)
            put(frame, text, call->texts[i], n);
        text += n;
    }
    return rv_ptrace_write(tracee, frame->address, frame->bytes, frame->n_bytes);
}

/* As the kernel aborts a sequence that a signal interrupts: after the call it would find the thread elsewhere. A sequence that
 * the thread has left may still be told; the address decides. */
static void abort_sequence(const struct rv_ptrace *tracee, struct rv_ptrace_thread *thread)
{
    struct { /* of PTRACE_GET_RSEQ_CONFIGURATION */
        uint64_t address;
        uint32_t n_bytes, signature, flags, pad;
    } area = {0};
    struct { /* struct rseq_cs of linux/rseq.h */
        uint32_t version, flags;
        uint64_t start, n_bytes, abort;
    } sequence;
    uint64_t at;
    if (ptrace(GET_RSEQ, thread->tid, (void *)sizeof area, &area) > 0 && area.address &&
        rv_ptrace_read(tracee, area.address + SEQUENCE_AT, &at, sizeof at) == 0 && at &&
        rv_ptrace_read(tracee, at, &sequence, sizeof sequence) == 0 &&
        thread->registers.rip - sequence.start < sequence.n_bytes)
        thread->registers.rip = sequence.abort;
}

bool rv_ptrace_can_call(const struct rv_ptrace_thread *thread)
{
    uint8_t state[STATE_BYTES];
    uint64_t parts = 0;
    struct iovec extended = {.iov_base = state, .iov_len = sizeof state};
    if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)(uintptr_t)NT_X86_XSTATE, &extended) == 0 &&
        extended.iov_len >= STATE_PARTS_AT + sizeof parts)
        memcpy(&parts, state + STATE_PARTS_AT, sizeof parts);
    return !(parts & TILES);
}

int rv_ptrace_call(struct rv_ptrace *tracee, size_t idx, const struct rv_ptrace_call *call)
{
    struct rv_ptrace_thread thread = tracee->threads[idx];
    struct frame frame;
    if (ptrace(PTRACE_GETSIGMASK, thread.tid, (void *)sizeof tracee->called_mask, &tracee->called_mask) != 0)
        return -ESRCH;
    abort_sequence(tracee, &thread);
    int error = build(&frame, tracee, &thread, call);
    if (error)
        return error;
    struct user_regs_struct registers = thread.registers;
    set_arguments(&frame, call, &registers);
    if (ptrace(PTRACE_SETREGS, thread.tid, NULL, &registers) != 0 ||
        ptrace(PTRACE_SETSIGMASK, thread.tid, (void *)sizeof BLOCKED, &BLOCKED) != 0)
        return -ESRCH;
    (void)ptrace(PTRACE_DETACH, thread.tid, NULL, (void *)(intptr_t)thread.signal);
    tracee->threads[idx] = tracee->threads[--tracee->n_threads];
    tracee->called = thread;
    tracee->called_function = call->function;
    return 0;
}

bool rv_ptrace_is_called_stopped(const struct rv_ptrace *tracee)
{
    return rv_os_process_state(tracee->called.tid) == 'T';
}

/* Anew, where it runs for us although a signal has stopped the process. */
static int stop_called(struct rv_ptrace *tracee, bool *is_for_long)
{
    if (is_seized(tracee, tracee->called.tid))
        release_late(tracee->threads[--tracee->n_threads].tid);
    return stop_thread(tracee, tracee->called.tid, is_for_long);
}

/* It runs, seized, until it is released: nothing else continues what a signal has stopped. The interruption
 * by which it was found stopped is reported once more: a step goes past that. */
static void go_on_for_us(struct rv_ptrace_thread *thread)
{
    (void)rv_ptrace_step(thread);
    (void)ptrace(PTRACE_CONT, thread->tid, NULL, NULL);
    thread->has_stopped = false;
}

/* The signal that it was about to get came with its release. */
int rv_ptrace_take_back(struct rv_ptrace *tracee)
{
    bool is_for_long;
    int error = stop_called(tracee, &is_for_long);
    if (error == -EAGAIN)
        release_late(tracee->threads[--tracee->n_threads].tid);
    if (error)
        return error == -EAGAIN ? -EALREADY : error;
    struct rv_ptrace_thread *thread = &tracee->threads[tracee->n_threads - 1];
    const bool has_begun = thread->registers.rip != tracee->called_function;
    if (has_begun && is_for_long) {
        go_on_for_us(thread);
        return -EALREADY;
    }
    if (has_begun ||
        ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof tracee->called_mask, &tracee->called_mask) != 0) {
        release_thread(thread);
        tracee->n_threads--;
        return -EALREADY;
    }
    thread->registers = tracee->called.registers;
    return is_for_long ? -ECANCELED : -EAGAIN;
}

#endif
