/*
 * A stub calls text, which keeps every register and flag and calls C. Whether a call is traced is decided in front of it;
 * only then the second hook is called. Between the two nothing but the frame on the shadow stack is kept: it has the number
 * of the call, and is found by the place on the stack from which the call was made. So a handler may run within the call,
 * the call may never return, and a child may return from it first.
 *
 * Unwind information covers the stubs in one table entry: from where a stub stands, an expression reads the site that it
 * serves, and whether the stack pointer is lowered. Stubs of code that is out of reach of this library have none.
 */
#include "producers/native/syscall_events.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <asm/prctl.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/own_syscalls.h"
#include "producers/native/call_c.h"
#include "producers/native/call_events.h"
#include "producers/native/capture_text.h"
#include "producers/native/capture_operations.h"
#include "producers/native/forking.h"
#include "producers/native/near_pages.h"
#include "producers/native/process.h"
#include "producers/native/signal_guard.h"
#include "producers/native/static_program.h"
#include "producers/native/assembly_x86.h"
#include "producers/native/thread.h"
#include "ring/names.h"

#define STUB RV_PATCH_SYSCALL_STUB_BYTES
#define N_STUBS 2048u
#define PAGE 4096u
#define FAR_BYTES 16384u /* bytes of stubs allocated at once for code that is far from here */
#define FAR_ARENAS 256u
#define RED_ZONE RV_PATCH_SYSCALL_RED_ZONE

struct registers { /* as the text below pushes them */
    uint64_t r9, r10, r8, rdi, rsi, rdx, rcx, flags, rax;
    uint64_t resume; /* the stub's */
};

enum { SHOWN = 1, WATCHED = 2 };

/* Used by assembly only. */
RV_HIDDEN __attribute__((used)) void rv_syscalls_enter_slow(struct registers *registers);
RV_HIDDEN __attribute__((used)) void rv_syscalls_leave_slow(struct registers *registers);
RV_HIDDEN __attribute__((used)) uint8_t rv_syscalls_wanted[RV_SYSCALLS];
RV_HIDDEN void rv_syscalls_enter(void);
RV_HIDDEN void rv_syscalls_leave(void);
RV_HIDDEN extern uint8_t rv_syscalls_stubs[N_STUBS * STUB];

static uint32_t names[RV_SYSCALLS]; /* [atomic] ids; 0: not known yet */

static RV_THREAD_LOCAL bool is_shared;    /* a child that is no thread uses its memory */
static RV_THREAD_LOCAL bool forks_unseen; /* between the hooks of a call that forks, without our fork handlers */

/* ---- calls that are not shown ---- */

/* Of threads that are another C library's, these tell begin and end. */
static bool is_watched(uint64_t number)
{
    return rv_thread_is_foreign && (number == SYS_arch_prctl || number == SYS_exit || number == SYS_clone ||
                                    number == SYS_clone3 || number == SYS_fork);
}

/* From here on a static program's thread is known. */
static bool sets_first_thread(uint64_t number, const struct registers *registers)
{
    return number == SYS_arch_prctl && rv_thread_is_foreign && registers->rdi == ARCH_SET_FS;
}

/* libc may have made the thread cancellable at any instruction, for the sake of the call; in a hook it is not. Where it is
 * cancelled meanwhile, that happens as the state is set back. */
static int hold_cancelling(void)
{
    int state = PTHREAD_CANCEL_DISABLE;
    if (!rv_thread_is_foreign)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static void allow_cancelling(int state)
{
    if (!rv_thread_is_foreign)
        pthread_setcancelstate(state, NULL);
}

/* ---- stubs ---- */

static struct {
    struct arena { /* the first is this library's, the others are near code that is far from here */
        uint8_t *stubs;
        uint32_t n_used;
    } arenas[1 + FAR_ARENAS];
    uint32_t n_arenas;
} stubs = {.arenas = {{.stubs = rv_syscalls_stubs}}, .n_arenas = 1};

static bool reaches(uint64_t from, const uint8_t *to)
{
    const int64_t distance = (int64_t)((uint64_t)(uintptr_t)to - from);
    return distance > -0x7fff0000ll && distance < 0x7fff0000ll;
}

static uint64_t site_of(const uint8_t *stub)
{
    uint64_t site;
    memcpy(&site, stub, sizeof site);
    return site;
}

static uint8_t *stub_at(const struct arena *arena, uint32_t i)
{
    return arena->stubs + (size_t)i * STUB;
}

/* Find the next stub of a site that an earlier attachment has left. */
static uint8_t *find_stub(uint64_t site, const uint8_t *after)
{
    bool is_behind = !after;
    for (const struct arena *arena = stubs.arenas; arena < stubs.arenas + stubs.n_arenas; arena++)
        for (uint32_t i = 0; i < arena->n_used; i++) {
            uint8_t *stub = stub_at(arena, i);
            if (is_behind && site_of(stub) == site)
                return stub;
            is_behind |= stub == after;
        }
    return NULL;
}

/* Take the next of n stubs, the last one again if no site got it. NULL: the arena is too far, or full. */
static uint8_t *take_of(struct arena *arena, uint64_t site, uint32_t n)
{
    if (!reaches(site, arena->stubs))
        return NULL;
    if (arena->n_used && !site_of(stub_at(arena, arena->n_used - 1)))
        arena->n_used--;
    return arena->n_used < n ? stub_at(arena, arena->n_used++) : NULL;
}

static struct arena *add_arena(uint64_t near)
{
    uint8_t *page = stubs.n_arenas <= FAR_ARENAS ? rv_near_pages_map(near, near + STUB, FAR_BYTES) : NULL;
    if (!page || mprotect(page, FAR_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return NULL;
    stubs.arenas[stubs.n_arenas].stubs = page;
    return &stubs.arenas[stubs.n_arenas++];
}

static uint8_t *take_stub(uint64_t site)
{
    uint8_t *stub = take_of(&stubs.arenas[0], site, N_STUBS);
    for (uint32_t i = 1; i < stubs.n_arenas && !stub; i++)
        stub = take_of(&stubs.arenas[i], site, FAR_BYTES / STUB);
    struct arena *added = stub ? NULL : add_arena(site);
    return added ? take_of(added, site, FAR_BYTES / STUB) : stub;
}

/* Of those that are near and far. */
static int protect(int protection)
{
    int error = 0;
    for (uint32_t i = 0; i < stubs.n_arenas && !error; i++)
        error = mprotect(stubs.arenas[i].stubs, i ? FAR_BYTES : sizeof rv_syscalls_stubs, protection) ? -errno : 0;
    return error;
}

void rv_syscalls_begin(struct rv_patch_syscalls_request *request, bool are_threads_running)
{
    request->enter = (uint64_t)(uintptr_t)rv_syscalls_enter;
    request->leave = (uint64_t)(uintptr_t)rv_syscalls_leave;
    request->take_stub = take_stub;
    request->spares_calls = are_threads_running;
    request->find_stub = find_stub;
    rv_capture_text_init();
    memset(names, 0, sizeof names); /* it may be another file than the last */
    for (uint32_t i = 0; i < RV_SYSCALLS; i++)
        rv_syscalls_wanted[i] = rv_capture_operations_find_syscall(i) ? SHOWN : is_watched(i) ? WATCHED : 0;
    rv_thread_end_at_exit(rv_syscalls_wanted[SYS_exit]);
}

int rv_syscalls_open_stubs(void)
{
    return protect(PROT_READ | PROT_WRITE | PROT_EXEC);
}

void rv_syscalls_close_stubs(void)
{
    (void)protect(PROT_READ | PROT_EXEC);
}

/* ---- calls ---- */

/* The stack pointer with which the call is made, less what keeps it beneath the frame of the function that makes it. */
static uint64_t stack_of(const struct registers *registers)
{
    return (uint64_t)(uintptr_t)(registers + 1) + RED_ZONE - 16;
}

/* A system call's frame is known by its call_site and site. */
static struct rv_shadow_frame frame_of(uint32_t name, uint64_t number, uint64_t stack)
{
    return (struct rv_shadow_frame){.stack = stack,
                                    .word = name,
                                    .call_site = (uint64_t)(uintptr_t)rv_syscalls_stubs,
                                    .site = (uint64_t)(uintptr_t)rv_syscalls_stubs + 1 + number};
}

/* Between the fork handlers the process's lock is held: the file cannot be opened there. */
static uint32_t intern(uint64_t number)
{
    const struct rv_name name = {RV_NAME_SUBROUTINE, RV_SYSCALL_PACKAGE, rv_syscall_name((unsigned)number), "", 0};
    struct rv_signal_guard guard;
    uint32_t id = 0;
    if (rv_process_is_closed() || (rv_forking_is_under_way() && !rv_process_is_open()))
        return 0;
    rv_signal_guard_begin(&guard);
    if (rv_process_open(NULL) == 0)
        id = rv_names_intern(rv_process_map(), &name);
    rv_signal_guard_end(&guard);
    __atomic_store_n(&names[number], id, __ATOMIC_RELAXED);
    return id;
}

static uint32_t name_of(uint64_t number)
{
    const uint32_t id = __atomic_load_n(&names[number], __ATOMIC_RELAXED);
    return id ? id : intern(number);
}

/* The rest of a push that has begun. Returns its ticks, or 0. */
static uint64_t push_call(const struct rv_shadow_frame *call, uint64_t stack)
{
    uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (next != RV_PUSH_NESTED && rv_shadow_has_room(&rv_thread.shadow))
        frame = rv_shadow_push(&rv_thread.shadow, call->stack, (const void *)(uintptr_t)call->word,
                               (const void *)(uintptr_t)call->call_site, (const void *)(uintptr_t)call->site);
    return frame ? rv_call_events_push(RV_EVENT_CALL, frame, stack, next)
                 : rv_call_events_push_slow(RV_EVENT_CALL, call, stack, next);
}

static uint64_t push_return(const struct rv_shadow_frame *call, uint64_t stack)
{
    const uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (next != RV_PUSH_NESTED)
        frame = rv_shadow_pop(&rv_thread.shadow, call->stack, (const void *)(uintptr_t)call->word);
    return frame ? rv_call_events_push(RV_EVENT_RETURN, frame, stack, next)
                 : rv_call_events_push_slow(RV_EVENT_RETURN, call, stack, next);
}

static void push_text(uint64_t stack, uint64_t position, uint64_t ticks)
{
    rv_capture_text_push(rv_push_begin(&rv_thread.pusher, stack), stack, position, ticks);
}

static void take_arguments(const struct registers *registers, uint64_t *values)
{
    const uint64_t arguments[RV_CAPTURE_INTEGERS] = {registers->rdi, registers->rsi, registers->rdx,
                                                     registers->r10, registers->r8,  registers->r9};
    memcpy(values + RV_CAPTURE_INTEGER, arguments, sizeof arguments);
}

/* The text before the event, unless that is the thread's first, by which it gets a ring. */
static void push_with_text(const struct registers *registers, const struct rv_shadow_frame *call, uint64_t stack)
{
    const uint32_t capture = rv_capture_operations_find_syscall(registers->rax);
    const bool has_ring = rv_thread_ring() >= 0;
    uint64_t values[RV_CAPTURE_VALUES] = {0}, position = RV_CAPTURE_NO_TEXT;
    take_arguments(registers, values);
    (void)rv_push_begin(&rv_thread.pusher, stack);
    if (has_ring)
        position = rv_capture_text_copy(capture, false, values);
    const uint64_t ticks = push_call(call, stack);
    if (!ticks)
        return;
    if (!has_ring) {
        (void)rv_push_begin(&rv_thread.pusher, stack);
        position = rv_capture_text_copy(capture, false, values);
        rv_capture_text_push(rv_push_next(&rv_thread.pusher, stack), stack, position, ticks);
        return;
    }
    push_text(stack, position, ticks);
}

static bool has_shadow_room(void)
{
    return !rv_thread.shadow.region || rv_shadow_has_room(&rv_thread.shadow);
}

static void count_lost(void)
{
    if (rv_process_is_open())
        __atomic_fetch_add(&rv_process_map()->header->n_events_without_ring, 2, __ATOMIC_RELAXED);
}

/*
 * Is the call untraced: does nobody listen, or is it ringviz's own? A handler's call within one of ours cannot be told
 * from it.
 */
static bool is_untraced(void)
{
    if (rv_os_n_own || rv_process_is_closed() || rv_thread_gate() == RV_GATE_CLOSED)
        return true;
    if (has_shadow_room() && !is_shared)
        return false;
    count_lost();
    return true;
}

/* Flags of clone(2): of what the call makes. */
static uint64_t flags_of(uint64_t number, const struct registers *registers)
{
    uint64_t flags = 0;
    if (number == SYS_clone)
        return registers->rdi;
    if (number == SYS_clone3)
        (void)rv_capture_text_read(&flags, registers->rdi, sizeof flags);
    return number == SYS_vfork ? CLONE_VM | CLONE_VFORK : flags;
}

static bool makes_children(uint64_t number)
{
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

/*
 * Before a child is made. False: it is to share all memory without being a thread, and to run beside this one. Both
 * would write into the same ring, so neither is traced from here on.
 */
static bool prepare_child(uint64_t number, const struct registers *registers)
{
    const uint64_t flags = flags_of(number, registers);
    if (flags & CLONE_VM) {
        is_shared = !(flags & (CLONE_VFORK | CLONE_SETTLS));
    } else if (!rv_forking_is_under_way()) {
        rv_forking_begin();
        forks_unseen = true;
    }
    return !is_shared;
}

static void end_fork(void)
{
    if (!forks_unseen)
        return;
    forks_unseen = false;
    rv_forking_end();
}

static void show_call(const struct registers *registers, uint32_t name, uint64_t stack)
{
    const struct rv_shadow_frame call = frame_of(name, registers->rax, stack_of(registers));
    if (!rv_push_is_under_way(&rv_thread.pusher)) {
        push_with_text(registers, &call, stack);
        return;
    }
    (void)rv_push_begin(&rv_thread.pusher, stack);
    (void)push_call(&call, stack);
    rv_capture_text_refuse();
}

void rv_syscalls_enter_slow(struct registers *registers)
{
    const uint64_t stack = (uint64_t)(uintptr_t)registers, number = registers->rax;
    if (sets_first_thread(number, registers))
        rv_static_program_set_thread();
    if (is_untraced())
        return;
    const int saved = errno, cancel_state = hold_cancelling();
    const bool is_shown = rv_syscalls_wanted[number] == SHOWN;
    const uint32_t name = is_shown ? name_of(number) : 0;
    const bool is_known = name || !is_shown;
    if (is_known && (!makes_children(number) || prepare_child(number, registers))) {
        if (is_shown)
            show_call(registers, name, stack);
        if (is_shown || forks_unseen)
            registers->resume += RV_PATCH_SYSCALL_TRACED;
    }
    if (number == SYS_exit)
        rv_thread_end();
    errno = saved;
    allow_cancelling(cancel_state);
}

/* ---- returns ---- */

/* The number of the open call that was made from here; -1: none. */
static int64_t find_number(uint64_t stack)
{
    const uint64_t call_site = (uint64_t)(uintptr_t)rv_syscalls_stubs;
    const struct rv_shadow_frame *frame = rv_shadow_find(&rv_thread.shadow, stack, call_site);
    return frame ? (int64_t)((frame->site & RV_EVENT_ADDRESS_MASK) - call_site - 1) : -1;
}

/* Does the call return in the child? The call is its parent's, where it may still be open on the same stack. */
static bool is_child(uint64_t number, const struct registers *registers)
{
    return makes_children(number) && registers->rax == 0;
}

void rv_syscalls_leave_slow(struct registers *registers)
{
    const int saved = errno, cancel_state = hold_cancelling();
    const uint64_t stack = (uint64_t)(uintptr_t)registers, at = stack_of(registers);
    const int64_t number = find_number(at);
    if (number < 0 || is_child((uint64_t)number, registers)) {
        end_fork();
    } else {
        const uint32_t capture = rv_capture_operations_find_syscall((uint64_t)number);
        const struct rv_shadow_frame call = frame_of(names[number], (uint64_t)number, at);
        uint64_t values[RV_CAPTURE_VALUES] = {[RV_CAPTURE_RESULT] = registers->rax};
        take_arguments(registers, values);
        (void)rv_push_begin(&rv_thread.pusher, stack);
        const uint64_t ticks = push_return(&call, stack);
        if (ticks && capture) {
            const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
            rv_capture_text_push(next, stack, rv_capture_text_copy(capture, true, values), ticks);
        }
        end_fork();
    }
    errno = saved;
    allow_cancelling(cancel_state);
}

/* A line of the assembly is an instruction. */
/* clang-format off */

/* What the text counts on. */
#define N_SYSCALLS 512
#define STUBS_BYTES 0x40000
_Static_assert(RV_SYSCALLS == N_SYSCALLS && sizeof rv_syscalls_stubs == STUBS_BYTES && STUB == 128, "");
_Static_assert(RED_ZONE == 128, "");

/*
 *     at = instruction pointer; offset = (at & 127) - 48;
 *     frame = stack pointer + (offset is in 0 .. 63 and bit `offset` of a mask is set: the stack pointer is lowered) * 128
 *     site = *(at & -128)
 * valgrind aborts where such a text duplicates or swaps values, or has one of 8 bytes.
 */
__asm__(".pushsection .bss.rv_syscalls_stubs, \"aw\", @nobits\n"
        ".p2align 12\n"
        ".globl rv_syscalls_stubs\n"
        ".hidden rv_syscalls_stubs\n"
        ".type rv_syscalls_stubs, @object\n"
        ".size rv_syscalls_stubs, " TEXT(STUBS_BYTES) "\n"
        "rv_syscalls_stubs:\n"
        ".cfi_startproc\n"
        ".cfi_signal_frame\n"
        ".cfi_escape 0x0f, 46, 0x77, 0x00, 0x0d, 0xc0, 0xff, 0x0f, 0x00, 0x08, 32, 0x24, 0x0d, 0xe0, 0xff, 0x87, 0x7f, "
        "0x22, 0x80, 0x00, 0x08, 0x7f, 0x1a, 0x08, 48, 0x1c, 0x08, 0x3f, 0x1a, 0x25, 0x80, 0x00, 0x08, 0x7f, 0x1a, "
        "0x08, 48, 0x1c, 0x08, 6, 0x25, 0x30, 0x29, 0x1a, 0x08, 7, 0x24, 0x22\n"
        ".cfi_escape 0x16, 16, 6, 0x80, 0x00, 0x09, 0x80, 0x1a, 0x06\n"
        ".skip " TEXT(STUBS_BYTES) "\n"
        ".cfi_endproc\n"
        ".popsection\n");

#define SAVE_ALL                                                                                                       \
    SAVE(rax) "lahf\n" "seto %al\n" SAVE(rax) SAVE(rcx) SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r10) SAVE(r9)
#define RESTORE_ALL                                                                                                    \
    RESTORE(r9) RESTORE(r10) RESTORE(r8) RESTORE(rdi) RESTORE(rsi) RESTORE(rdx) RESTORE(rcx) RESTORE(rax)              \
    "add $0x7f, %al\n" "sahf\n" RESTORE(rax)

__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl rv_syscalls_enter\n"
        ".hidden rv_syscalls_enter\n"
        ".type rv_syscalls_enter, @function\n"
        "rv_syscalls_enter:\n"
        ".cfi_startproc\n"
        SAVE_ALL
        "mov 64(%rsp), %rax\n"                 /* its number */
        "cmp $" TEXT(N_SYSCALLS) ", %rax\n"
        "jae 1f\n"
        "lea rv_syscalls_wanted(%rip), %rcx\n"
        "cmpb $0, (%rcx,%rax)\n"
        "je 1f\n"
        "mov %rsp, %rdi\n"
        CALL_C(rv_syscalls_enter_slow)
        "1:\n"
        RESTORE_ALL
        "ret\n"
        ".cfi_endproc\n"
        ".size rv_syscalls_enter, . - rv_syscalls_enter\n"
        ".p2align 4\n"
        ".globl rv_syscalls_leave\n"
        ".hidden rv_syscalls_leave\n"
        ".type rv_syscalls_leave, @function\n"
        "rv_syscalls_leave:\n"
        ".cfi_startproc\n"
        SAVE_ALL
        "mov %rsp, %rdi\n"
        CALL_C(rv_syscalls_leave_slow)
        RESTORE_ALL
        "ret\n"
        ".cfi_endproc\n"
        ".size rv_syscalls_leave, . - rv_syscalls_leave\n"
        ".popsection\n");

/* clang-format on */

#endif
