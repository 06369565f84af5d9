/*
 * The hooks of gcc's and clang's -pg, with -mfentry and without, and of rustc's -Z instrument-mcount: calls at the begin
 * of a function that tell nothing of its end. So its return address is replaced, as those of patched functions are.
 *
 *     __fentry__   the function's first instruction: its return address is above the hook's own
 *     mcount       behind its prologue: it is above what the frame pointer points to
 *
 * All registers are the function's, whose arguments are in them. The quick path is compiled to use none but those that
 * are saved here; what is not that simple, C that may use all, runs between saving and restoring them all.
 *
 * A program that has __cyg_profile_func_enter, too, reports each call twice: its calls of these hooks are skipped.
 *
 * These hide the C library's own, so that a program's gmon.out has its sampled times, but no counts of calls.
 */
#include "producers/native/patched_calls.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "producers/native/assembly_x86.h"
#include "producers/native/call_c.h"
#include "producers/native/call_events.h"
#include "producers/native/forking.h"
#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/replaced_returns.h"
#include "producers/native/signal_guard.h"
#include "producers/native/thread.h"

#define CALL_BYTES 5u /* of the hook's call, at least: an address within the function */

/* Called by assembly only. */
RV_HIDDEN __attribute__((used)) bool rv_profiled_enter(uint64_t *slot, uint64_t resume);
RV_HIDDEN __attribute__((used)) void rv_profiled_enter_slow(uint64_t *slot, uint64_t resume);

/* The program's code, when its calls have other hooks as well; else empty. Written once, before the first call is. */
static struct {
    uint64_t start, n_bytes;
} doubled;

static bool is_doubled(uint64_t address)
{
    return address - doubled.start < doubled.n_bytes;
}

static bool is_beneath_top(uint64_t stack)
{
    return rv_shadow_top(&rv_thread.shadow)->stack - stack - 1 < RV_SHADOW_NEAR_BYTES;
}

static bool is_left_out(intptr_t gate, uint64_t function, uint64_t stack)
{
    if (gate == RV_GATE_CLOSED || (rv_call_events_is_too_deep(gate, rv_shadow_top(&rv_thread.shadow)) && is_beneath_top(stack)))
        return true;
    return rv_gate_verdict(gate, function) == RV_VERDICT_REJECTED;
}

/* slot: of the function's return address. True: a push has begun, and the rest is not that simple. */
bool rv_profiled_enter(uint64_t *slot, uint64_t resume)
{
    const uint64_t function = resume - CALL_BYTES, stack = (uint64_t)(uintptr_t)slot;
    const intptr_t gate = rv_thread_gate();
    if (__builtin_expect(is_doubled(function) || (gate > 0 && is_left_out(gate, function, stack)), 0))
        return false;
    uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    if (__builtin_expect(next >= rv_thread.pusher.limit || rv_returns_find(*slot) || !is_beneath_top(stack), 0))
        return true;
    uint32_t number = rv_returns_take_free(&rv_thread.returns);
    if (__builtin_expect(!number, 0))
        return true;
    rv_returns_replace(number, slot, function);
    const struct rv_shadow_frame *frame =
        rv_shadow_push(&rv_thread.shadow, stack, (const void *)(uintptr_t)function,
                       (const void *)(uintptr_t)rv_returns_entries[number].address, (const void *)(uintptr_t)function);
    if (__builtin_expect(rv_gate_is_limited(gate), 0))
        (void)rv_call_events_count_kept(rv_thread.shadow.top);
    rv_push_fetch_ahead(next);
    rv_push_commit(&rv_thread.pusher, next, RV_EVENT_CALL_AT, frame->word);
    return false;
}

/* Does a relocation in this table name it? */
static bool names(const ElfW(Rela) * at, uint64_t n_bytes, const ElfW(Sym) * symbols, const char *strings,
                  const char *name)
{
    for (const ElfW(Rela) *end = at ? at + n_bytes / sizeof *at : at; at < end; at++)
        if (strcmp(strings + symbols[ELF64_R_SYM(at->r_info)].st_name, name) == 0)
            return true;
    return false;
}

static bool has_other_hooks(const ElfW(Dyn) * entry)
{
    uint64_t values[DT_NUM] = {0};
    for (; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag < DT_NUM)
            values[entry->d_tag] = entry->d_un.d_val;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(uintptr_t)values[DT_SYMTAB];
    const char *strings = (const char *)(uintptr_t)values[DT_STRTAB], *name = "__cyg_profile_func_enter";
    return names((const ElfW(Rela) *)(uintptr_t)values[DT_JMPREL], values[DT_PLTRELSZ], symbols, strings, name) ||
           names((const ElfW(Rela) *)(uintptr_t)values[DT_RELA], values[DT_RELASZ], symbols, strings, name);
}

/* Uses the program's headers as the kernel gave them: the loader's list would need its lock. */
static void look_for_other_hooks(void)
{
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(uintptr_t)getauxval(AT_PHDR);
    uint64_t bias = 0, end = 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (uint64_t i = 0; headers && i < getauxval(AT_PHNUM); i++) {
        const ElfW(Phdr) *header = &headers[i];
        if (header->p_type == PT_PHDR)
            bias = (uint64_t)(uintptr_t)headers - header->p_vaddr;
        else if (header->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(uintptr_t)(bias + header->p_vaddr);
        else if (header->p_type == PT_LOAD && header->p_vaddr + header->p_memsz > end)
            end = header->p_vaddr + header->p_memsz;
    }
    if (!has_other_hooks(dynamic))
        return;
    doubled.start = bias;
    doubled.n_bytes = end;
}

static uint32_t is_ready; /* [atomic] */

/* Once, by the first call. */
static void get_ready(void)
{
    struct rv_signal_guard guard;
    bool is_locked = rv_forking_is_under_way();
    if (__atomic_load_n(&is_ready, __ATOMIC_ACQUIRE)) /* R4 <- R3 */
        return;
    rv_signal_guard_begin(&guard);
    if (!is_locked)
        rv_process_lock();
    if (!is_ready)
        (void)rv_returns_init();
    if (!is_ready)
        look_for_other_hooks();
    __atomic_store_n(&is_ready, 1, __ATOMIC_RELEASE); /* R3 -> R4 */
    if (!is_locked)
        rv_process_unlock();
    rv_signal_guard_end(&guard);
}

void rv_profiled_enter_slow(uint64_t *slot, uint64_t resume)
{
    get_ready();
    if (is_doubled(resume - CALL_BYTES)) { /* the first call, which made it known */
        const uint64_t stack = (uint64_t)(uintptr_t)slot;
        rv_push_withdraw(&rv_thread.pusher, rv_push_next(&rv_thread.pusher, stack), stack);
        return;
    }
    rv_process_use_instrument(RV_INSTRUMENT_PROFILE_HOOKS);
    (void)rv_patched_push_call(slot, (uint64_t)(uintptr_t)slot, resume - CALL_BYTES);
}

/* A line of the assembly is an instruction. */
/* clang-format off */

#define SAVED "72" /* offset of the hook's return address */
#define SAVED_2 "80"

/* slot: as text, where the return address of the function is */
#define HOOK(name, slot)                                                                                               \
    ".pushsection .text\n"                                                                                             \
    ".p2align 6\n"                                                                                                     \
    ".globl " #name "\n"                                                                                               \
    ".type " #name ", @function\n"                                                                                     \
    #name ":\n"                                                                                                        \
    ".cfi_startproc\n"                                                                                                 \
    "endbr64\n"                                                                                                        \
    "cmpq $" TEXT(CLOSED) ", " GATE "\n"                                                                                \
    "je 3f\n"                                                                                                          \
    SAVE(rax) SAVE(rcx) SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r9) SAVE(r10) SAVE(r11)                            \
    "lea " slot ", %rdi\n"                                                                                             \
    "mov " SAVED "(%rsp), %rsi\n"                                                                                      \
    "call rv_profiled_enter\n"                                                                                         \
    "test %al, %al\n"                                                                                                  \
    "jne 2f\n"                                                                                                         \
    "1:\n"                                                                                                             \
    ".cfi_remember_state\n"                                                                                            \
    RESTORE(r11) RESTORE(r10) RESTORE(r9) RESTORE(r8) RESTORE(rdi) RESTORE(rsi) RESTORE(rdx) RESTORE(rcx) RESTORE(rax) \
    "3:\n"                                                                                                             \
    "ret\n"                                                                                                            \
    ".cfi_restore_state\n"                                                                                             \
    "2:\n"                                                                                                             \
    "lea " slot ", %rdi\n"                                                                                             \
    "mov " SAVED "(%rsp), %rsi\n"                                                                                      \
    CALL_C(rv_profiled_enter_slow)                                                                                     \
    "jmp 1b\n"                                                                                                         \
    ".cfi_endproc\n"                                                                                                   \
    ".size " #name ", . - " #name "\n"                                                                                 \
    ".popsection\n"

__asm__(HOOK(__fentry__, SAVED_2 "(%rsp)"));
__asm__(HOOK(mcount, "8(%rbp)"));
__asm__(".globl _mcount\n.set _mcount, mcount\n");

/* clang-format on */

#endif
