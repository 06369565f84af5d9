/*
 * The hooks of patched functions. They do what those of -finstrument-functions do, in the same steps (hooks.c), and keep
 * every register and flag: a compiler knows which registers its own functions change, and counts on the others at calls
 * and at returns alike.
 *
 *     enter   jumped to by a stub, which has pushed the resume below the function's return address. That one is
 *             replaced by a trampoline's: by its call, which continues at the resume.
 *     arrive  jumped to by a trampoline, which has pushed the real return address where it was, and its number below. It
 *             returns there; but where the trampoline's address was written, rather than pushed by a call, it jumps:
 *             a return would be mispredicted, as would all behind it.
 *
 * What is not simple is for C, between saving and restoring what C may change besides.
 *
 * A function whose return address is a trampoline already was jumped to by another's last act, as a third of PHP's and
 * Lua's are: the first returns, the second is called in its place and gets its entry.
 */
#include "producers/native/patched_calls.h"

#if defined(__x86_64__) && defined(__LP64__)

#include "patch/stubs.h"
#include "producers/native/assembly_x86.h"
#include "producers/native/call_c.h"
#include "producers/native/call_events.h"
#include "producers/native/captured_arguments.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/replaced_returns.h"

struct results { /* as the text below saves them */
    uint64_t floats[2];
    uint64_t r8, rdi, rsi, rdx, rcx, flags, rax;
};

/* Called by assembly only. */
RV_HIDDEN __attribute__((used)) void rv_patched_enter_slow(uint64_t *slot, uint64_t stack);
RV_HIDDEN __attribute__((used)) void rv_patched_follow_slow(uint64_t *slot, uint64_t stack);
RV_HIDDEN __attribute__((used)) void rv_patched_arrive_slow(uint64_t *slot, struct results *saved,
                                                            struct rv_return *entry);
RV_HIDDEN void rv_returns_arrive(void);

/* A call and its return, as the shadow stack is to see them. A site tells functions inlined into one another apart:
 * here none are, so any but where the call returns to will do. */
static struct rv_shadow_frame frame_of(uint64_t function, uint64_t returns_to, const uint64_t *slot)
{
    return (struct rv_shadow_frame){
        .stack = (uint64_t)(uintptr_t)slot, .word = function, .call_site = returns_to, .site = function};
}

/* The rest of a push that has begun. */
static uint64_t push_call(const struct rv_shadow_frame *call, uint64_t stack, uint64_t next)
{
    const void *function = (const void *)(uintptr_t)call->word;
    const struct rv_shadow_frame *frame = NULL;
    if (next != RV_PUSH_NESTED && rv_shadow_has_room(&rv_thread.shadow))
        frame = rv_shadow_push(&rv_thread.shadow, call->stack, function, (const void *)(uintptr_t)call->call_site,
                               (const void *)(uintptr_t)call->site);
    return frame ? rv_call_events_push(RV_EVENT_CALL_AT, frame, stack, next)
                 : rv_call_events_push_slow(RV_EVENT_CALL_AT, call, stack, next);
}

static uint64_t push_return(const struct rv_shadow_frame *call, uint64_t stack, uint64_t next)
{
    const struct rv_shadow_frame *frame = NULL;
    if (next != RV_PUSH_NESTED)
        frame = rv_shadow_pop(&rv_thread.shadow, call->stack, (const void *)(uintptr_t)call->word);
    return frame ? rv_call_events_push(RV_EVENT_RETURN_AT, frame, stack, next)
                 : rv_call_events_push_slow(RV_EVENT_RETURN_AT, call, stack, next);
}

/* The call is not traced, since its return could not be. */
static void leave_out(uint64_t next, uint64_t stack)
{
    rv_push_withdraw(&rv_thread.pusher, next, stack);
    if (rv_process_is_open())
        __atomic_fetch_add(&rv_process_map()->header->n_events_without_ring, 2, __ATOMIC_RELAXED);
}

static uint64_t push_call_of(struct rv_return *entry, const uint64_t *slot, uint64_t function, uint64_t stack,
                             uint64_t next)
{
    entry->function = function;
    const struct rv_shadow_frame call = frame_of(function, entry->address, slot);
    return push_call(&call, stack, next);
}

uint64_t rv_patched_push_call(uint64_t *slot, uint64_t stack, uint64_t function)
{
    struct rv_return *entry = rv_returns_find(*slot);
    uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    if (!entry && rv_call_events_leave_out(function, next))
        return 0;
    if (entry) {
        const struct rv_shadow_frame left = frame_of(entry->function, entry->address, slot);
        (void)push_return(&left, stack, next);
        entry->capture = 0;
        next = rv_call_events_begin(stack);
    } else {
        uint32_t number = rv_returns_take(slot);
        if (!number) {
            leave_out(next, stack);
            return 0;
        }
        entry = rv_returns_replace(number, slot, function);
    }
    return push_call_of(entry, slot, function, stack, next);
}

/* Below the slot is where the function's stub resumes. */
static uint64_t function_at(const uint64_t *slot)
{
    return *(const uint64_t *)(uintptr_t)(slot[-1] - RV_PATCH_FUNCTION_BEFORE_RESUME);
}

void rv_patched_enter_slow(uint64_t *slot, uint64_t stack)
{
    (void)rv_patched_push_call(slot, stack, function_at(slot));
}

/*
 * The function that jumped to this one has returned; the push of the call has begun. The thread saw a trampoline in its
 * slot: where the real address has been put back since, the call is not traced any more, and its entry may be free by now.
 */
void rv_patched_follow_slow(uint64_t *slot, uint64_t stack)
{
    struct rv_return *entry = rv_returns_find(*slot);
    const uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    if (entry)
        (void)push_call_of(entry, slot, function_at(slot), stack, next);
    else
        rv_push_withdraw(&rv_thread.pusher, next, stack);
}

void rv_patched_arrive_slow(uint64_t *slot, struct results *saved, struct rv_return *entry)
{
    const uint64_t stack = (uint64_t)(uintptr_t)&saved->r8; /* what the push began with */
    const struct rv_shadow_frame call = frame_of(entry->function, entry->address, slot);
    const uint64_t next = rv_push_next(&rv_thread.pusher, stack);
    if (!call.word || !entry->slot) {
        rv_push_withdraw(&rv_thread.pusher, next, stack);
        return;
    }
    const uint64_t ticks = push_return(&call, stack, next);
    if (entry->capture)
        rv_captured_return(entry, (const uint64_t[4]){saved->rax, saved->rdx, saved->floats[0], saved->floats[1]},
                           ticks);
    rv_returns_free(rv_returns_number(entry));
}

/* A line of the assembly is an instruction. */
/* clang-format off */

/* What the text counts on, besides what assembly_x86.h has. */
#define PREDICTED_AT 26
#define CAPTURE_AT 28
#define FREE_AT 112
#define TAKEN_AT 120
#define ARENA_BYTES 0x2000000
#define FUNCTION_BEFORE_RESUME 28
#define CALL_BYTES 4 /* of a trampoline's call */
_Static_assert(offsetof(struct rv_thread, returns.head) == FREE_AT, "");
_Static_assert(offsetof(struct rv_thread, returns.n_taken) == TAKEN_AT, "");
_Static_assert(offsetof(struct rv_return, address) == 0 && offsetof(struct rv_return, function) == 8, "");
_Static_assert(offsetof(struct rv_return, is_predicted) == PREDICTED_AT, "");
_Static_assert(offsetof(struct rv_return, capture) == CAPTURE_AT, "");
_Static_assert(RV_RETURNS_NUMBER_SHIFT == 32, "");
_Static_assert(offsetof(struct rv_return, slot) == 16 && sizeof(struct rv_return) == 32, "");
_Static_assert(sizeof rv_returns_trampolines == ARENA_BYTES && RV_RETURNS_TRAMPOLINE_BYTES == 32, "");
_Static_assert(RV_RETURNS_CALL_BYTES == CALL_BYTES, "");
_Static_assert(RV_RETURNS_PAGE == 4096, "");
_Static_assert(RV_PATCH_FUNCTION_BEFORE_RESUME == FUNCTION_BEFORE_RESUME, "");

#define FREE "%fs:" TEXT(FREE_AT) "(%rcx)"
#define TAKEN "%fs:" TEXT(TAKEN_AT) "(%rcx)"

/* Seven words. Of the flags all that a call or return could tell something by: lahf has them but for overflow. */
#define SAVE_ALL                                                                                                       \
    SAVE(rax) "lahf\n" "seto %al\n" SAVE(rax) SAVE(rcx) SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8)
#define RESTORE_ALL                                                                                                    \
    RESTORE(r8) RESTORE(rdi) RESTORE(rsi) RESTORE(rdx) RESTORE(rcx) RESTORE(rax) "add $0x7f, %al\n" "sahf\n" RESTORE(rax)
#define SAVED "56"    /* offset of what was on top before */
#define SAVED_2 "64"

/* Below all that is saved, where handlers keep off 128 bytes. */
#define COUNT_BELOW "-8(%rsp)"       /* what the call counts */
#define TRAMPOLINE_BELOW "-16(%rsp)" /* where the call leads */
#define TRAMPOLINE_LEFT "-88(%rsp)"  /* the same, from above the slot, which is at -8; the resume is at -16 */

#define END                                                                                                            \
    "mov " HEAD ", %rdx\n"                                                                                             \
    "addq $1, (%rdx)\n"                        /* P1 -> C1, P3 -> C3: x86 lets stores be seen in their order */        \
    "mov %r8, " CURSOR "\n"

/* Of the call by the entry at rdi, in the frame above the top, which is rsi and whose stack and call site are there. */
#define PUSH_FRAME(count)                                                                                              \
    "mov " SAVED "(%rsp), %rdx\n"          /* the resume */                                                            \
    "mov -" TEXT(FUNCTION_BEFORE_RESUME) "(%rdx), %rax\n"                                                              \
    "mov %rax, 8(%rdi)\n"                                                                                              \
    "mov %rax, 56(%rsi)\n"                 /* the frame's site, as in frame_of() */                                    \
    count                                                                                                              \
    "add $32, %rsi\n"                                                                                                  \
    "mov %rsi, " TOP "\n"                                                                                              \
    "mov %rsi, %rdi\n"                                                                                                 \
    "shl $43, %rdi\n"                                                                                                  \
    "or %rax, %rdi\n"                                                                                                  \
    "mov %rdi, 8(%rsi)\n"                                                                                              \
    "mov %rdi, -8(%r8)\n"                                                                                              \
    "rdtsc\n"                                                                                                          \
    "mov %eax, -16(%r8)\n"                                                                                             \
    "or $" TEXT(CALL_AT) ", %edx\n"                                                                                    \
    "mov %edx, -12(%r8)\n"                                                                                             \
    "prefetchw 496(%r8)\n"                                                                                             \
    END

/* rdx: how far the slot is beneath that of the frame at rsi; rdi: the slot. */
#define NEAR_OR_ELSE(elsewhere)                                                                                        \
    "lea " SAVED_2 "(%rsp), %rdi\n"                                                                                    \
    "mov (%rsi), %rdx\n"                                                                                               \
    "sub %rdi, %rdx\n"                                                                                                 \
    "dec %rdx\n"                                                                                                       \
    "cmp $" TEXT(NEAR_BYTES) ", %rdx\n"    /* not beneath it, or far beneath */                                        \
    "jae " #elsewhere "\n"

/* Of a push that is below the limit. count: text that stores what the frame counts, if anything; it may change rdx. follow:
 * goes on with a return address, rax, that is a trampoline. The slot is replaced later, by the trampoline's call. */
#define CALL(count, follow)                                                                                            \
    "mov " TOP ", %rsi\n"                                                                                              \
    "mov " SAVED_2 "(%rsp), %rax\n"        /* where the function returns to */                                         \
    "lea rv_returns_trampolines(%rip), %rdi\n"                                                                         \
    "sub %rax, %rdi\n"                     /* behind the first, less than all of them: rdi is in -ARENA_BYTES..0 */    \
    "add $" TEXT(ARENA_BYTES) ", %rdi\n"                                                                               \
    "cmp $" TEXT(ARENA_BYTES) ", %rdi\n"                                                                               \
    "jb " #follow "\n"                                                                                                 \
    NEAR_OR_ELSE(1f)                                                                                                   \
    "mov %rdi, 32(%rsi)\n"                 /* the new frame, where nobody looks yet: its stack, */                     \
    "mov %rax, 48(%rsi)\n"                 /* its call site */                                                         \
    "mov " FREE ", %rax\n"                                                                                             \
    "mov %rax, %rdi\n"                                                                                                 \
    "shr $32, %rdi\n"                      /* the first's number */                                                    \
    "je 1f\n"                                                                                                          \
    "shl $5, %rdi\n"                                                                                                   \
    "lea rv_returns_entries(%rip), %rdx\n"                                                                             \
    "add %rdx, %rdi\n"                                                                                                 \
    "lea 1(%rax), %edx\n"                  /* one more is taken */                                                     \
    "or 8(%rdi), %rdx\n"                   /* and the next is the first */                                             \
    "cmpxchg %rdx, " FREE "\n"             /* from here on handlers take others */                                     \
    "jne 1f\n"                                                                                                         \
    "mov " SAVED_2 "(%rsp), %rax\n"                                                                                    \
    "mov %rax, (%rdi)\n"                                                                                               \
    "movb $1, " TEXT(PREDICTED_AT) "(%rdi)\n"                                                                          \
    "lea -" TEXT(ARENA_BYTES) "(%rdi), %rdx\n" /* entries have as many bytes as trampolines */                         \
    "mov %rdx, " TRAMPOLINE_BELOW "\n"                                                                                 \
    "lea " SAVED_2 "(%rsp), %rax\n"                                                                                    \
    "mov %rax, 16(%rdi)\n"                 /* it has its slot: now it may be read */                                   \
    PUSH_FRAME(count)

/* The top frame is that of the entry at rdi, whose slot is at this offset, and was written: rdx is its word. */
#define IS_TOP_OR_ELSE(slot, elsewhere)                                                                                \
    "mov " TOP ", %rsi\n"                                                                                              \
    "lea " slot "(%rsp), %rdx\n"                                                                                       \
    "cmp %rdx, (%rsi)\n"                                                                                               \
    "jne " #elsewhere "\n"                                                                                             \
    "movzwl 30(%rsi), %eax\n"                                                                                          \
    "cmp rv_process_limit(%rip), %eax\n"  /* its call was too deep */                                                  \
    "ja " #elsewhere "\n"                                                                                              \
    "mov 8(%rdi), %rax\n"                                                                                              \
    "mov 8(%rsi), %rdx\n"                                                                                              \
    "cmp %eax, %edx\n"                                                                                                 \
    "jne " #elsewhere "\n"

/* The event's time; rcx, r8: as a push has them. */
#define STAMP_RETURN                                                                                                   \
    "rdtsc\n"                                                                                                          \
    "mov %eax, -16(%r8)\n"                                                                                             \
    "or $" TEXT(RETURN_AT) ", %edx\n"                                                                                  \
    "mov %edx, -12(%r8)\n"                                                                                             \
    END

/* Two pushes, as rv_patched_push_call() does: the return of the function that jumped here, whose entry stays, and the
 * call. more: goes on with the second where it is not simple. */
#define FOLLOW(more)                                                                                                   \
    "lea " TEXT(ARENA_BYTES) "-" TEXT(CALL_BYTES) "(%rax), %rdi\n" /* entries have as many bytes */                   \
    IS_TOP_OR_ELSE(SAVED_2, 1f)                                                                                        \
    "mov %rdx, -8(%r8)\n"                                                                                              \
    "sub $32, %rsi\n"                                                                                                  \
    "mov %rsi, " TOP "\n"                                                                                              \
    "movl $0, " TEXT(CAPTURE_AT) "(%rdi)\n"                                                                            \
    STAMP_RETURN                                                                                                       \
    "mov %rdi, %rax\n"                                                                                                 \
    PUSH_BEGIN                                                                                                         \
    "cmp " LIMIT ", %r8\n"                                                                                             \
    "jae " #more "\n"                                                                                                  \
    NEAR_OR_ELSE(more)                                                                                                 \
    "mov %rdi, 32(%rsi)\n"                                                                                             \
    "mov %rax, %rdi\n"                                                                                                 \
    "mov (%rdi), %rax\n"                                                                                               \
    "mov %rax, 48(%rsi)\n"                                                                                             \
    PUSH_FRAME("")

/* rdi: the entry of the number that the trampoline has pushed. */
#define FIND_ENTRY                                                                                                     \
    "mov " SAVED "(%rsp), %rdi\n"                                                                                      \
    "shl $5, %rdi\n"                                                                                                   \
    "lea rv_returns_entries(%rip), %rax\n"                                                                             \
    "add %rax, %rdi\n"

#define ENTRIES_BYTES 0x2000000
_Static_assert(sizeof rv_returns_entries == ENTRIES_BYTES, "");
#define FRAME_BYTES 160
#define FRAME_RECORD 120
_Static_assert(RV_RETURNS_FRAME_BYTES == FRAME_BYTES && RV_RETURNS_FRAME_RECORD == FRAME_RECORD, "");

/*
 * The trampolines. Unwinders look up the address before that to which a call returns, since they see no signal frame
 * above, and find this; as a signal frame it has another identity than its caller, whose stack pointer is the same. The
 * caller's address is then taken as it is, so the record gives it less one. A signal may find the thread at any of the
 * trampoline's four instructions, of which two push what is popped again; the entry is read as the first of these reads it,
 * by its displacement, also at the call, where the slot still holds the real address:
 *
 *     ff 54 24 f0, ff 35 address, 68 number, e9 arrive
 *     begin = at & -32; stack = rsp + 8 * ((at - begin >= 10) + (at - begin >= 15))
 *     *(begin + 10 + *(uint32 *)(begin + 6)) - 1
 *
 * An unwinder that has found this may see the real address put back before it gets to the expressions (rv_returns_restore):
 * then no trampoline is there (its first six bytes are as above), and the address is at - 1, the stack rsp.
 *
 * libunwind takes each signal frame for one that the kernel has made, and its backtraces end there. It reads four
 * letters of what a record is extended by, where others read all: so the S that says "signal frame" is the fifth, behind an R
 * that is said three times.
 */
#define AND_32_BACK "0x09, 0xe0, 0x1a, "
#define BYTES_OF_TRAMPOLINE                                                                                            \
    "0x06, 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x1a, "                                               \
    "0x0e, 0xff, 0x54, 0x24, 0xf0, 0xff, 0x35, 0x00, 0x00, "
#define STACK_RULE                                                                                                     \
    "0x0f, 43, 0x77, 0x00, "                                                                                           \
    "0x80, 0x00, 0x4f, 0x1a, 0x12, 0x3a, 0x2a, 0x16, 0x3f, 0x2a, 0x22, "                                               \
    "0x80, 0x00, " AND_32_BACK BYTES_OF_TRAMPOLINE "0x29, 0x1e, 0x33, 0x24, 0x22"
#define RETURN_RULE                                                                                                    \
    "0x16, 16, 44, 0x80, 0x00, "                                                                                       \
    "0x12, " AND_32_BACK BYTES_OF_TRAMPOLINE "0x2e, 0x28, 0x0c, 0x00, "                                                \
    AND_32_BACK "0x12, 0x23, 0x06, 0x94, 0x04, 0x22, 0x23, 0x0a, 0x06, 0x31, 0x1c"
#define RETURN_CIE(encoding)                                                                                           \
    ".long " TEXT(FRAME_RECORD) " - 4, 0\n"                                                                            \
    ".byte 1\n"                                                                                                        \
    ".asciz \"zRRRS\"\n"                                                                                               \
    ".byte 1, 0x78, 16, 3, " encoding ", " encoding ", " encoding "\n"                                                 \
    ".byte " STACK_RULE "\n"                                                                                           \
    ".byte " RETURN_RULE "\n"                                                                                          \
    ".p2align 3\n"

__asm__(".pushsection .bss.rv_returns_trampolines, \"aw\", @nobits\n"
        ".p2align 12\n"
        ".globl rv_returns_trampolines\n"
        ".hidden rv_returns_trampolines\n"
        ".type rv_returns_trampolines, @object\n"
        ".size rv_returns_trampolines, " TEXT(ARENA_BYTES) "\n"
        "rv_returns_trampolines:\n"
        ".skip " TEXT(ARENA_BYTES) "\n"
        ".globl rv_returns_entries\n"
        ".hidden rv_returns_entries\n"
        ".type rv_returns_entries, @object\n"
        ".size rv_returns_entries, " TEXT(ENTRIES_BYTES) "\n"
        "rv_returns_entries:\n"
        ".skip " TEXT(ENTRIES_BYTES) "\n"
        ".popsection\n"
        ".pushsection .eh_frame, \"a\"\n"
        ".p2align 3\n"
        "1:\n"
        RETURN_CIE("0x1b") /* four bytes, from where they are */
        ".long 20, . - 1b\n"
        ".long rv_returns_trampolines - ., " TEXT(ARENA_BYTES) "\n"
        ".byte 0, 0, 0, 0, 0, 0, 0, 0\n"
        ".popsection\n");

/* The same as a record for other tables, behind its CIE (static_frames.c): addresses have 8 bytes. */
__asm__(".pushsection .rodata\n"
        ".p2align 3\n"
        ".globl rv_returns_frame\n"
        ".hidden rv_returns_frame\n"
        ".type rv_returns_frame, @object\n"
        ".size rv_returns_frame, " TEXT(FRAME_BYTES) "\n"
        "rv_returns_frame:\n"
        RETURN_CIE("0")
        ".org rv_returns_frame + " TEXT(FRAME_RECORD) "\n"
        ".long 28, " TEXT(FRAME_RECORD) " + 4\n"
        ".quad 0, 0\n"
        ".byte 0\n"
        ".skip rv_returns_frame + " TEXT(FRAME_BYTES) " - .\n"
        ".popsection\n");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings" /* of text for the assembler, by clang */
__asm__(".pushsection .text\n"
        ".p2align 6\n"
        ".globl rv_patched_enter\n"
        ".hidden rv_patched_enter\n"
        ".type rv_patched_enter, @function\n"
        "rv_patched_enter:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 16\n"             /* as if it were the function: the stub has no unwind information */
        SAVE_ALL
        "mov " GATE ", %rcx\n"
        "test %rcx, %rcx\n"
        "jns 2f\n"
        "5:\n"
        PUSH_BEGIN
        "cmp " LIMIT ", %r8\n"
        "jae 1f\n"
        CALL("", 3f)
        "14:\n"
        ".cfi_remember_state\n"
        RESTORE_ALL
        "lea 16(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -16\n"
        "jmp *" TRAMPOLINE_LEFT "\n"
        ".cfi_restore_state\n"
        "6:\n"
        ".cfi_remember_state\n"
        RESTORE_ALL
        "lea 8(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "jmp *-8(%rsp)\n"
        ".cfi_restore_state\n"
        "2:\n"
        "cmp $" TEXT(CLOSED) ", %rcx\n"
        "je 6b\n"
        "mov %rcx, %rax\n"
        FROM_FS
        "test %rax, %rax\n"
        "je 13f\n"
        "mov " SAVED "(%rsp), %rdi\n"
        "mov -" TEXT(FUNCTION_BEFORE_RESUME) "(%rdi), %rdi\n"
        "test $" TEXT(IS_LIMITED) ", %al\n"
        "jne 7f\n"
        VERDICT_LOOKUP(IF_REJECTED(6b), 5b, "")
        "13:\n"
        LOOK
        "jmp 5b\n"
        "7:\n"
        "mov " TOP ", %rsi\n"
        "test %rsi, %rsi\n"                  /* the thread's first */
        "je 5b\n"
        "movzwl 30(%rsi), %edx\n"            /* what the top counts */
        "cmp rv_process_limit(%rip), %edx\n"
        "jae 9f\n"
        "cmp $" TEXT(LIMITED_ALL_KEPT) ", %rax\n"
        "je 10f\n"
        "dec %rax\n"
        VERDICT_LOOKUP(IF_REJECTED(6b), 11f, IF_KEPT(10f))
        "9:\n"                                /* a call that is too deep, beneath the top's, is not seen at all */
        NEAR_OR_ELSE(5b)
        "jmp 6b\n"
        "10:\n"
        "mov $1, %eax\n"
        "jmp 12f\n"
        "11:\n"
        "xor %eax, %eax\n"
        "12:\n"
        "add 30(%rsi), %ax\n"
        "mov %ax, " COUNT_BELOW "\n"
        PUSH_BEGIN
        "cmp " LIMIT ", %r8\n"
        "jae 1f\n"
        CALL("mov " COUNT_BELOW ", %dx\n" "mov %dx, 62(%rsi)\n", 1f)
        "jmp 14b\n"
        "3:\n"
        FOLLOW(8f)
        "jmp 6b\n"
        "1:\n"
        "lea " SAVED_2 "(%rsp), %rdi\n"
        "mov %rsp, %rsi\n"
        CALL_C(rv_patched_enter_slow)
        "jmp 6b\n"
        "8:\n"
        "lea " SAVED_2 "(%rsp), %rdi\n"
        "mov %rsp, %rsi\n"
        CALL_C(rv_patched_follow_slow)
        "jmp 6b\n"
        ".cfi_endproc\n"
        ".size rv_patched_enter, . - rv_patched_enter\n"
        ".popsection\n");
#pragma GCC diagnostic pop

__asm__(".pushsection .text\n"
        ".p2align 6\n"
        ".globl rv_returns_arrive\n"
        ".hidden rv_returns_arrive\n"
        ".type rv_returns_arrive, @function\n"
        "rv_returns_arrive:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 16\n"            /* the real return address, and the number */
        SAVE_ALL
        FIND_ENTRY
        "mov " GATE ", %rcx\n"
        "test %rcx, %rcx\n"
        "jns 2f\n"
        "5:\n"
        PUSH_BEGIN
        "cmp " LIMIT ", %r8\n"
        "jae 1f\n"
        "cmpl $0, " TEXT(CAPTURE_AT) "(%rdi)\n" /* results are copied */
        "jne 1f\n"
        IS_TOP_OR_ELSE(SAVED_2, 1f)
        "cmpl $0, " TAKEN "\n"
        "je 1f\n"
        "mov %rdx, -8(%r8)\n"
        "sub $32, %rsi\n"
        "mov %rsi, " TOP "\n"
        "movq $0, 16(%rdi)\n"
        "7:\n"
        "mov " FREE ", %rax\n"
        "mov %eax, %edx\n"                    /* what it counts stays */
        "mov %rax, %rsi\n"
        "sub %rdx, %rsi\n"
        "mov %rsi, 8(%rdi)\n"                 /* the next */
        "mov " SAVED "(%rsp), %rsi\n"
        "shl $32, %rsi\n"                     /* its number, as the first's */
        "or %rsi, %rdx\n"
        "cmpxchg %rdx, " FREE "\n"            /* handlers in between may have taken some */
        "jne 7b\n"
        STAMP_RETURN
        "6:\n"
        "cmpb $0, " TEXT(PREDICTED_AT) "(%rdi)\n"
        "je 8f\n"
        ".cfi_remember_state\n"
        RESTORE_ALL
        "lea 8(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_restore_state\n"
        "8:\n"
        ".cfi_remember_state\n"
        RESTORE_ALL
        "lea 16(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -16\n"
        "jmp *-8(%rsp)\n"                      /* handlers keep off 128 bytes below */
        ".cfi_restore_state\n"
        "2:\n"
        FROM_FS
        "jne 5b\n"
        LOOK
        "jmp 5b\n"
        "1:\n"
        "mov %rdi, %rdx\n"
        "lea " SAVED_2 "(%rsp), %rdi\n"
        "lea -16(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset 16\n"
        "movq %xmm0, (%rsp)\n"
        "movq %xmm1, 8(%rsp)\n"
        "mov %rsp, %rsi\n"
        CALL_C(rv_patched_arrive_slow)
        "lea 16(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -16\n"
        FIND_ENTRY
        "jmp 6b\n"
        ".cfi_endproc\n"
        ".size rv_returns_arrive, . - rv_returns_arrive\n"
        ".popsection\n");

/* clang-format on */

#endif
