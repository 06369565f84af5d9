/*
 * The system calls of an image: for each `syscall` instruction a jump over what is in front of it, or over it and what
 * follows, to a stub that calls a hook before and after the call. The call itself is made in the stub, with the stack
 * and all registers as the program has them: nothing of ours is on the stack meanwhile, so a child may return twice
 * (vfork), or on a stack of its own (clone).
 *
 *     site     where the program goes on, 8 bytes: unwinders take the stub for that place
 *     enter, leave  the hooks, 8 bytes each
 *     before   displaced instructions, up to 24 bytes, at the end of their room
 *     call     lea -128(%rsp); call *enter; lea 128(%rsp); syscall; jmp behind
 *     traced   lea 128(%rsp); syscall; lea -128(%rsp); call *leave; lea 128(%rsp)
 *     behind   displaced instructions, and a jump back
 *
 * The first hook has its return address advanced by RV_PATCH_SYSCALL_TRACED where the second is to be called. Both
 * change no register and no flag: what is below the stack pointer is the program's, too.
 */
#ifndef RV_PATCH_SYSCALL_STUBS_H
#define RV_PATCH_SYSCALL_STUBS_H

#include "patch/prepare.h"

#define RV_PATCH_SYSCALLS "rv_patch_syscalls_prepare"
#define RV_PATCH_SYSCALL_STUB_BYTES 128u
#define RV_PATCH_SYSCALL_TRACED 12u /* from where the hook returns to, to where the traced call begins */
#define RV_PATCH_SYSCALL_RED_ZONE 128u

struct rv_patch_syscalls_request {
    struct rv_patch_image image;
    uint64_t enter, leave;
    bool spares_calls; /* a thread may wait in a call meanwhile, and make it again: no jump may cover its instruction */
    /* Writable room for the stub of a site, zeroes, within reach of a jump, at a multiple of its size; NULL: none. It
     * is not written where the site is refused. */
    uint8_t *(*take_stub)(uint64_t site);
    /* Stubs that were built for a site before, threads may be in them: the one after another (NULL: the first), or
     * NULL. They are used where they are as they would be built now, and never written. NULL: there are none. */
    uint8_t *(*find_stub)(uint64_t site, const uint8_t *after);
};

/*
 *   prepared  sites alone, by rising address; counts: n_functions are the system calls found. Zeroed when it fails
 *   returns   0; -ENOENT: no unwind table; -EBADMSG; -ENOMEM
 *   thread    any; allocates
 */
typedef int rv_patch_syscalls_fn(const struct rv_patch_syscalls_request *request, struct rv_patch_prepared *prepared);
__attribute__((visibility("default"))) rv_patch_syscalls_fn rv_patch_syscalls_prepare;

#endif
