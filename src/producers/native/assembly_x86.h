/*
 * What the hooks that are written in assembly share: numbers as strings, the words of a thread, and the steps
 * that all have. For x86-64 only.
 */
#ifndef RV_PRODUCERS_NATIVE_ASSEMBLY_X86_H
#define RV_PRODUCERS_NATIVE_ASSEMBLY_X86_H

#include <stddef.h>

#include "producers/native/process.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/thread.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#define CURSOR_AT 0
#define LIMIT_AT 8
#define SLOW_LIMIT_AT 16
#define HEAD_AT 24
#define CEILING_AT 64
#define TOP_AT 80
#define ROOM_AT 88
#define NEAR_BYTES 0x100000
#define CALL_AT 0x20000000
#define RETURN_AT 0x30000000
#define TABLE_FACTOR 0x9e3779b1
#define TABLE_SHIFT 15
#define TABLE_LAST 0x1ffff
#define KEPT_BIT 63
#define IS_LIMITED 1
#define CLOSED 4
#define LIMITED_ALL_KEPT 3
_Static_assert(RV_VERDICT_TABLE_FACTOR == TABLE_FACTOR && RV_VERDICT_TABLE_SHIFT == TABLE_SHIFT, "");
_Static_assert(RV_VERDICT_TABLE_SLOTS == TABLE_LAST + 1, "");
_Static_assert(RV_VERDICT_TABLE_KEPT_BIT == KEPT_BIT, "");
_Static_assert(RV_GATE_IS_LIMITED == IS_LIMITED && RV_GATE_CLOSED == CLOSED, "");
_Static_assert((RV_GATE_ALL_KEPT | RV_GATE_IS_LIMITED) == LIMITED_ALL_KEPT, "");
_Static_assert(offsetof(struct rv_wiped, gate) == 0, "");
_Static_assert(offsetof(struct rv_thread, pusher.cursor) == CURSOR_AT, "");
_Static_assert(offsetof(struct rv_thread, pusher.limit) == LIMIT_AT, "");
_Static_assert(offsetof(struct rv_thread, pusher.slow_limit) == SLOW_LIMIT_AT, "");
_Static_assert(offsetof(struct rv_thread, pusher.head) == HEAD_AT, "");
_Static_assert(offsetof(struct rv_thread, pusher.ceiling) == CEILING_AT, "");
_Static_assert(offsetof(struct rv_thread, shadow.top) == TOP_AT, "");
_Static_assert(offsetof(struct rv_thread, shadow.limit) == ROOM_AT, "");
_Static_assert(offsetof(struct rv_shadow_frame, stack) == 0, "");
_Static_assert(offsetof(struct rv_shadow_frame, word) == 8, "");
_Static_assert(offsetof(struct rv_shadow_frame, call_site) == 16, "");
_Static_assert(offsetof(struct rv_shadow_frame, site) == 24, "");
_Static_assert(sizeof(struct rv_shadow_frame) == 32, "");
_Static_assert(RV_SHADOW_KEPT_SHIFT == 48, "what a frame counts is at 30");
_Static_assert(offsetof(struct rv_event, when) == 0 && offsetof(struct rv_event, id) == 8, "");
_Static_assert(sizeof(struct rv_event) == 16, "");
_Static_assert(RV_PUSH_POISON_SHIFT == 7, "the poison is 128 times the stack pointer");
_Static_assert(RV_PUSH_AHEAD_BYTES == 512, "");
_Static_assert(RV_EVENT_FRAME_SHIFT - RV_SHADOW_TAG_SHIFT == 43, "a frame's address to its tag");
_Static_assert(RV_SHADOW_NEAR_BYTES == NEAR_BYTES, "");
_Static_assert((uint64_t)RV_EVENT_CALL_AT << (RV_EVENT_KIND_SHIFT - 32) == CALL_AT, "");
_Static_assert((uint64_t)RV_EVENT_RETURN_AT << (RV_EVENT_KIND_SHIFT - 32) == RETURN_AT, "");

#define GATE "rv_wiped(%rip)"

/* rcx: &rv_thread, from %fs, as the gate has it where all calls are written */
#define FROM_FS "mov rv_thread@gottpoff(%rip), %rcx\n"
#define CURSOR "%fs:" TEXT(CURSOR_AT) "(%rcx)"
#define LIMIT "%fs:" TEXT(LIMIT_AT) "(%rcx)"
#define SLOW_LIMIT "%fs:" TEXT(SLOW_LIMIT_AT) "(%rcx)"
#define HEAD "%fs:" TEXT(HEAD_AT) "(%rcx)"
#define CEILING "%fs:" TEXT(CEILING_AT) "(%rcx)"
#define TOP "%fs:" TEXT(TOP_AT) "(%rcx)"
#define ROOM "%fs:" TEXT(ROOM_AT) "(%rcx)"

#define SAVE(register) "push %" #register "\n.cfi_adjust_cfa_offset 8\n"
#define RESTORE(register) "pop %" #register "\n.cfi_adjust_cfa_offset -8\n"

/* A line of the assembly is an instruction. */
/* clang-format off */

/* Poisons the cursor, by the stack pointer. r8: next, behind the slot. */
#define PUSH_BEGIN                                                                                                     \
    "imul $128, %rsp, %r8\n"                   /* the poison: two instructions, were it a shift */                     \
    "xadd %r8, " CURSOR "\n"                   /* from here on handlers find it poisoned, */                           \
    "lea 16(%r8), %r8\n"                       /* behind the slot; add was slower */

/* Nothing is known yet, or this is a forked child: the push takes the slow path, as after rv_thread_look(). */
#define LOOK                                                                                                           \
    "movq $0, " LIMIT "\n"                                                                                             \
    "movq $0, " SLOW_LIMIT "\n"

/*
 * Looks the function of rdi up in the table at rax. rejected: text for one that is, by the flags of a comparison; goes
 * to unknown; kept: text for one that is kept, which r8 is. Changes rdx and r8; uses label 4.
 */
#define VERDICT_LOOKUP(rejected, unknown, kept)                                                                        \
    "imul $" TEXT(TABLE_FACTOR) ", %edi, %edx\n"                                                                       \
    "shr $" TEXT(TABLE_SHIFT) ", %edx\n"                                                                               \
    "4:\n"                                                                                                             \
    "mov (%rax,%rdx,8), %r8\n"                                                                                         \
    "cmp %rdi, %r8\n"                                                                                                  \
    rejected                                                                                                           \
    "test %r8, %r8\n"                                                                                                  \
    "je " #unknown "\n"                                                                                                \
    kept                                                                                                               \
    "inc %edx\n"                                                                                                       \
    "and $" TEXT(TABLE_LAST) ", %edx\n"                                                                                \
    "jmp 4b\n"

/* The first argument above, and the last one. */
#define IF_REJECTED(rejected) "je " #rejected "\n"
#define IF_KEPT(kept)                                                                                                  \
    "btr $" TEXT(KEPT_BIT) ", %r8\n"                                                                                   \
    "cmp %rdi, %r8\n"                                                                                                  \
    "je " #kept "\n"

/* clang-format on */

#endif
