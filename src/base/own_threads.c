#include "base/own_threads.h"

#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#define NEAR_BYTES 64u /* from where its arguments are loaded to a system call, at most */
#define FLAGS (CLONE_VM | CLONE_THREAD)
#define MOVE_EAX 0xb8u /* each followed by a number */
#define MOVE_RAX 0xc0u
#define MOVE_EDI 0xbfu
#define MOVE_RDI 0xc7u

static const uint8_t SYSTEM_CALL[] = {0x0f, 0x05};

/* Among the n bytes in front of the instruction. */
static bool is_of_thread(const uint8_t *bytes, size_t n)
{
    bool has_number = false, has_flags = false;
    uint32_t number;
    for (size_t i = 0; i + 1 + sizeof number <= n; i++) {
        memcpy(&number, bytes + i + 1, sizeof number);
        has_number |= (bytes[i] == MOVE_EAX || bytes[i] == MOVE_RAX) && number == SYS_clone;
        has_flags |= (bytes[i] == MOVE_EDI || bytes[i] == MOVE_RDI) && (number & FLAGS) == FLAGS;
    }
    return has_number && has_flags;
}

bool rv_own_threads_are_made(const void *bytes, size_t n)
{
    const uint8_t *first = bytes, *end = first + n, *at = first;
    bool are_made = false;
    while (!are_made && (at = memmem(at, (size_t)(end - at), SYSTEM_CALL, sizeof SYSTEM_CALL))) {
        const size_t n_before = (size_t)(at - first) < NEAR_BYTES ? (size_t)(at - first) : NEAR_BYTES;
        are_made = is_of_thread(at - n_before, n_before);
        at++;
    }
    return are_made;
}
