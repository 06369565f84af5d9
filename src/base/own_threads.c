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

#define SYSTEM_CALL 0x0fu /* its two bytes */
#define SYSTEM_CALL_END 0x05u

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

/* By its rarer byte: memchr(3) looks at many at once, memmem(3) for two bytes at each. */
bool rv_own_threads_are_made(const void *bytes, size_t n)
{
    const uint8_t *first = bytes, *end = first + n, *at = first;
    bool are_made = false;
    while (!are_made && (at = memchr(at, SYSTEM_CALL_END, (size_t)(end - at)))) {
        const size_t n_before = (size_t)(at - first) <= NEAR_BYTES ? (size_t)(at - first) : NEAR_BYTES + 1;
        are_made = n_before && at[-1] == SYSTEM_CALL && is_of_thread(at - n_before, n_before - 1);
        at++;
    }
    return are_made;
}
