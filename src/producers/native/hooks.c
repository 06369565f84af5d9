/*
 * The hooks of -finstrument-functions. Twice: as the compiler would order them, and by hand for x86-64. Both do the
 * same in the same steps, which are those of ring/push.h and producers/native/shadow_stack.h:
 *
 *     gate    return at once where nobody listens, and of a function that a verdict rejects
 *     begin   poison the cursor, see that it is below the limit
 *     shadow  push or pop the frame; the two checks for which it is not that simple
 *     write   the event: its second word is the frame's, its first the time
 *     end     publish the head, release the cursor
 *
 * What is not simple is a tail call to C with all in registers: no stack frame here.
 */
#include "producers/native/call_events.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/* Called by assembly only. */
RV_HIDDEN __attribute__((used)) void rv_hooks_enter_slow(void *function, void *call_site, void *site, uint64_t stack);
RV_HIDDEN __attribute__((used)) void rv_hooks_exit_slow(void *function, void *call_site, void *site, uint64_t stack);

__attribute__((noinline)) static void look_closer(enum rv_event_kind kind, const void *function, const void *call_site,
                                                  const void *site, uint64_t stack, uint64_t next)
{
    const struct rv_shadow_frame call = {.stack = stack,
                                         .word = (uint64_t)(uintptr_t)function,
                                         .call_site = (uint64_t)(uintptr_t)call_site,
                                         .site = (uint64_t)(uintptr_t)site};
    rv_call_events_push_slow(kind, &call, stack, next);
}

__attribute__((noinline)) static void enter_closer(void *function, void *call_site, void *site, uint64_t stack,
                                                   uint64_t next)
{
    const struct rv_shadow_frame *frame = NULL;
    if (rv_call_events_leave_out((uint64_t)(uintptr_t)function, next))
        return;
    rv_process_use_instrument(RV_INSTRUMENT_HOOKS);
    if (next != RV_PUSH_NESTED && rv_shadow_has_room(&rv_thread.shadow))
        frame = rv_shadow_push(&rv_thread.shadow, stack, function, call_site, site);
    if (frame)
        rv_call_events_push(RV_EVENT_CALL_AT, frame, stack, next);
    else
        look_closer(RV_EVENT_CALL_AT, function, call_site, site, stack, next);
}

__attribute__((noinline)) static void exit_closer(void *function, void *call_site, void *site, uint64_t stack,
                                                  uint64_t next)
{
    const struct rv_shadow_frame *frame = NULL;
    if (next != RV_PUSH_NESTED)
        frame = rv_shadow_pop(&rv_thread.shadow, stack, function);
    if (frame)
        rv_call_events_push(RV_EVENT_RETURN_AT, frame, stack, next);
    else
        look_closer(RV_EVENT_RETURN_AT, function, call_site, site, stack, next);
}

/* Below the limit of other clocks and of call sites, which come this way with each event. */
static inline bool is_simple(uint64_t next)
{
    return next < rv_thread.pusher.slow_limit && !rv_call_events_are_limited();
}

/* A signal handler may have lowered the limit meanwhile. */
static inline void push_simple(enum rv_event_kind kind, const struct rv_shadow_frame *frame, uint64_t stack,
                               uint64_t next)
{
    if (rv_call_events_have_sites() || !rv_push_other_clock(&rv_thread.pusher, next, kind, frame->word))
        rv_call_events_push(kind, frame, stack, next);
}

/* The rest of a hook whose push has begun and which has moved no frame yet. stack: the hook's at its entry. */
void rv_hooks_enter_slow(void *function, void *call_site, void *site, uint64_t stack)
{
    const uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (is_simple(next) && rv_shadow_has_room(&rv_thread.shadow))
        frame = rv_shadow_push(&rv_thread.shadow, stack, function, call_site, site);
    if (frame)
        push_simple(RV_EVENT_CALL_AT, frame, stack, next);
    else
        enter_closer(function, call_site, site, stack, next);
}

void rv_hooks_exit_slow(void *function, void *call_site, void *site, uint64_t stack)
{
    const uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (is_simple(next))
        frame = site == call_site ? rv_shadow_pop_jumped(&rv_thread.shadow, stack, function, call_site)
                                  : rv_shadow_pop(&rv_thread.shadow, stack, function);
    if (frame)
        push_simple(RV_EVENT_RETURN_AT, frame, stack, next);
    else
        exit_closer(function, call_site, site, stack, next);
}

#if defined(__x86_64__) && defined(__LP64__)

#include "producers/native/assembly_x86.h"

/* A line of the assembly is an instruction. */
/* clang-format off */

/*
 * Time goes into taking in instructions, and a clock read lets none behind it begin before it is done. So there are as
 * few as can be: an exchange for a subtraction and a move, a carry for a subtraction, a whole word for its parts. The
 * checks come early, since a clock read ahead of them waits for them; what nobody waits for comes after it, out of its
 * way. A clock read hides some 15 cycles of what must be done one after the other since the last; a word stored and
 * loaded again takes 5 of them, and the cursor is such a word: stored by one push, fetched and stored by the next.
 *
 *     rdi  the function         rcx  &rv_thread, from %fs      r9   the top frame, as it was
 *     rsi  its call site        r8   next: behind the slot     r10  how far beneath it; the new frame, its tag, the
 *          word
 *     rax  the site             r11  the shared head
 */
#define BEGIN                                                                                                          \
    "mov " GATE ", %rcx\n"                                                                                             \
    "test %rcx, %rcx\n"                                                                                                \
    "jns 2f\n"                                                                                                         \
    "5:\n"                                                                                                             \
    PUSH_BEGIN                                                                                                         \
    "cmp " LIMIT ", %r8\n"                                                                                             \
    "jae 1f\n"                                 /* below it: there is a carry */                                        \
    "mov " TOP ", %r9\n"

#define END                                                                                                            \
    "addq $1, (%r11)\n"                        /* P1 -> C1, P3 -> C3: x86 lets stores be seen in their order */        \
    "mov %r8, " CURSOR "\n"                                                                                            \
    "ret\n"

/* rejected: text for a function that a verdict rejects, without a jump, of which each takes a cycle. At 7 depth is limited. */
#define ELSEWHERE(rejected)                                                                                            \
    "2:\n"                                                                                                             \
    "cmp $" TEXT(CLOSED) ", %rcx\n"                                                                                    \
    "je 3f\n"                                                                                                          \
    "mov %rcx, %rax\n"                                                                                                 \
    FROM_FS                                                                                                            \
    "test %rax, %rax\n"                                                                                                \
    "je 13f\n"                                                                                                         \
    "test $" TEXT(IS_LIMITED) ", %al\n"                                                                                \
    "jne 7f\n"                                                                                                         \
    VERDICT_LOOKUP("jne 14f\n" rejected "14:\n", 5b, "")                                                               \
    "3:\n"                                                                                                             \
    "ret\n"                                                                                                            \
    "13:\n"                                                                                                            \
    LOOK                                                                                                               \
    "jmp 5b\n"                                                                                                         \
    "7:\n"                                                                                                             \
    "mov " TOP ", %r9\n"                                                                                               \
    "test %r9, %r9\n"                         /* the thread's first */                                                 \
    "je 5b\n"

/* The call may have been before it was rejected. */
#define REJECTED_RETURN                                                                                                \
    "mov " TOP ", %r9\n"                                                                                               \
    "test %r9, %r9\n"                                                                                                  \
    "je 3f\n"                                                                                                          \
    "cmp %edi, 8(%r9)\n"                                                                                               \
    "je 5b\n"                                                                                                          \
    "ret\n"

#define SLOW(rest)                                                                                                     \
    "1:\n"                                                                                                             \
    "mov (%rsp), %rdx\n"                                                                                               \
    "mov %rsp, %rcx\n"                                                                                                 \
    "jmp " #rest "\n"

/* The push that has begun writes nothing. */
#define CANCEL                                                                                                         \
    "sub $16, %r8\n"                                                                                                   \
    "mov %r8, " CURSOR "\n"                                                                                            \
    "ret\n"

/* Of a push that is below the limit. count: text that stores what the frame counts, if anything. */
#define CALL(count)                                                                                                    \
    "mov (%rsp), %rax\n"                                                                                               \
    "mov " HEAD ", %r11\n"                                                                                             \
    "mov %rsp, 32(%r9)\n"                     /* the new frame's stack, where nobody looks yet */                      \
    "mov (%r9), %r10\n"                                                                                                \
    "sbb %rsp, %r10\n"                        /* how far beneath the top's, less the carry: what is equal wraps, */    \
    "cmp $" TEXT(NEAR_BYTES) ", %r10\n"       /* and is not near either */                                             \
    "jae 1f\n"                                                                                                         \
    "mov %rsi, 48(%r9)\n"                     /* its call site */                                                      \
    "mov %rax, 56(%r9)\n"                     /* its site */                                                           \
    count                                                                                                              \
    "lea 32(%r9), %r10\n"                                                                                              \
    "mov %r10, " TOP "\n"                     /* all but its word is there: handlers look for calls of their own */    \
    "shl $43, %r10\n"                         /* bits 5 to 20 of its address: the tag, in place */                     \
    "rdtsc\n"                                                                                                          \
    "mov %eax, -16(%r8)\n"                                                                                             \
    "or $" TEXT(CALL_AT) ", %edx\n"                                                                                    \
    "mov %edx, -12(%r8)\n"                                                                                             \
    "prefetchw 496(%r8)\n"                    /* 512 from the slot */                                                  \
    "or %rdi, %r10\n"                                                                                                  \
    "mov %r10, -8(%r8)\n"                     /* the word of this event, */                                            \
    "mov %r10, 40(%r9)\n"                     /* and of the frame's return */                                          \
    END

/* Of a return above the top frame: back to the rest if that frame's function has jumped to the hook. */
#define JUMPED(rest)                                                                                                   \
    "cmp %rsi, (%rsp)\n"                      /* returns to its caller */                                              \
    "jne 1f\n"                                                                                                         \
    "cmp %rsi, 16(%r9)\n"                                                                                              \
    "jne 1f\n"                                                                                                         \
    "cmp %rsp, -32(%r9)\n"                    /* and the frame below the top one is not left, too */                   \
    "jae " #rest "\n"                                                                                                  \
    "jmp 1f\n"

/* Begins so many bytes into a 64-byte line, with bytes in front that are never run: where no jump needs padding. */
#define HOOK(n_bytes) RV_EXPORT __attribute__((naked, aligned(64), patchable_function_entry(n_bytes, n_bytes)))

HOOK(0) void __cyg_profile_func_enter(__attribute__((unused)) void *function, __attribute__((unused)) void *call_site)
{
    __asm__(BEGIN
            CALL("")
            ELSEWHERE("ret\n")
            "movzwl 30(%r9), %r10d\n"          /* what the top counts */
            "cmp rv_process_limit(%rip), %r10d\n"
            "jae 9f\n"
            "cmp $" TEXT(LIMITED_ALL_KEPT) ", %rax\n"
            "je 10f\n"
            "dec %rax\n"
            VERDICT_LOOKUP(IF_REJECTED(3b), 11f, IF_KEPT(10f))
            "10:\n"
            "inc %r10d\n"
            "11:\n"
            "mov %r10d, %edx\n"
            PUSH_BEGIN
            "cmp " LIMIT ", %r8\n"
            "jae 1f\n"
            CALL("mov %dx, 62(%r9)\n")
            "9:\n"                            /* too deep: the frame alone */
            "mov rv_process_limit(%rip), %edx\n"
            "inc %edx\n"
            PUSH_BEGIN
            "cmp " ROOM ", %r9\n"
            "jae 1f\n"
            "cmp " CEILING ", %r8\n"
            "jae 1f\n"
            "mov %rsp, 32(%r9)\n"
            "mov (%r9), %r10\n"
            "sbb %rsp, %r10\n"
            "cmp $" TEXT(NEAR_BYTES) ", %r10\n"
            "jae 1f\n"
            "mov (%rsp), %rax\n"
            "mov %rsi, 48(%r9)\n"
            "mov %rax, 56(%r9)\n"
            "mov %dx, 62(%r9)\n"
            "lea 32(%r9), %r10\n"
            "mov %r10, " TOP "\n"
            "shl $43, %r10\n"
            "or %rdi, %r10\n"
            "mov %r10, 40(%r9)\n"
            CANCEL
            SLOW(rv_hooks_enter_slow));
}

HOOK(48) void __cyg_profile_func_exit(__attribute__((unused)) void *function, __attribute__((unused)) void *call_site)
{
    __asm__(BEGIN
            "mov " HEAD ", %r11\n"
            "cmp %rsp, (%r9)\n"                /* no frame beneath this one's, as alloca may have lowered it */
            "jb 23f\n"
            "21:\n"
            "mov 8(%r9), %rax\n"
            "cmp %edi, 8(%r9)\n"
            "jne 1f\n"
            "mov %rax, -8(%r8)\n"
            "sub $32, %r9\n"
            "mov %r9, " TOP "\n"
            "rdtsc\n"
            "mov %eax, -16(%r8)\n"
            "or $" TEXT(RETURN_AT) ", %edx\n"
            "mov %edx, -12(%r8)\n"
            END
            ELSEWHERE(REJECTED_RETURN)
            "cmp %edi, 8(%r9)\n"
            "jne 9f\n"
            "movzwl 30(%r9), %edx\n"
            "cmp rv_process_limit(%rip), %edx\n"
            "jbe 5b\n"
            PUSH_BEGIN
            "cmp " CEILING ", %r8\n"
            "jae 1f\n"
            "cmp %rsp, (%r9)\n"
            "jb 24f\n"
            "22:\n"
            "sub $32, %r9\n"
            "mov %r9, " TOP "\n"
            CANCEL
            "23:\n"
            JUMPED(21b)
            "24:\n"
            JUMPED(22b)
            "9:\n"                            /* not of the top call: one that is not written, or others were left */
            "cmp $" TEXT(LIMITED_ALL_KEPT) ", %rax\n"
            "je 5b\n"
            "dec %rax\n"
            VERDICT_LOOKUP(IF_REJECTED(3b), 5b, IF_KEPT(5b))
            SLOW(rv_hooks_exit_slow));
}

/* clang-format on */

#else

/* What is too deep is seen all the same: the shadow stack tells its return from others. */
static bool is_shut(const void *function)
{
    const intptr_t gate = rv_thread_gate();
    if (!gate || gate == RV_GATE_CLOSED)
        return gate == RV_GATE_CLOSED;
    return !rv_call_events_is_too_deep(gate, rv_shadow_top(&rv_thread.shadow)) &&
           rv_gate_verdict(gate, (uint64_t)(uintptr_t)function) == RV_VERDICT_REJECTED;
}

/* Its call may have been before it was rejected. */
static bool is_top(const void *function)
{
    const intptr_t gate = rv_process_gate();
    return gate && gate != RV_GATE_CLOSED && (uint32_t)rv_shadow_top(&rv_thread.shadow)->word == (uint32_t)(uintptr_t)function;
}

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    if (rv_process_gate() >= 0 && is_shut(function))
        return;
    void *site = __builtin_return_address(0);
    const uint64_t stack = RV_ENTRY_STACK(), next = rv_push_begin(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (__builtin_expect(next < rv_thread.pusher.limit, 1))
        frame = rv_shadow_push(&rv_thread.shadow, stack, function, call_site, site);
    if (__builtin_expect(frame && rv_process_gate() < 0, 1)) {
        rv_push_fetch_ahead(next);
        rv_push_commit(&rv_thread.pusher, next, RV_EVENT_CALL_AT, frame->word);
    } else if (frame) {
        rv_call_events_push(RV_EVENT_CALL_AT, frame, stack, next);
    } else {
        rv_hooks_enter_slow(function, call_site, site, stack);
    }
}

RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    if (rv_process_gate() >= 0 && is_shut(function) && !is_top(function))
        return;
    const uint64_t stack = RV_ENTRY_STACK(), next = rv_push_begin(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (__builtin_expect(next < rv_thread.pusher.limit, 1))
        frame = rv_shadow_pop(&rv_thread.shadow, stack, function);
    if (__builtin_expect(frame && rv_process_gate() < 0, 1))
        rv_push_commit(&rv_thread.pusher, next, RV_EVENT_RETURN_AT, frame->word);
    else if (frame)
        rv_call_events_push(RV_EVENT_RETURN_AT, frame, stack, next);
    else
        rv_hooks_exit_slow(function, call_site, __builtin_return_address(0), stack);
}

#endif
