/* sequences: the C library has registered the restartable sequences (rseq(2)) of its threads, where the kernel has any. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count.h"

#define LAYOUT_BYTES 32
#define CPU_AT 4 /* in struct rseq: a number of a CPU, or negative */

extern const ptrdiff_t __rseq_offset; /* glibc 2.35 */

DEFINE_COUNT(is_registered)

KEPT static bool is_registered(void)
{
    COUNTED(is_registered);
    return *(const volatile int *)((const char *)__builtin_thread_pointer() + __rseq_offset + CPU_AT) >= 0;
}

QUIET static void *run(void *result)
{
    *(bool *)result = is_registered();
    return NULL;
}

QUIET int main(void)
{
    const bool is_known = syscall(SYS_rseq, NULL, LAYOUT_BYTES, 0, 0) == 0 || errno != ENOSYS;
    bool is_in_thread = false;
    pthread_t thread;
    const bool is_in_first = is_registered();
    if (pthread_create(&thread, NULL, run, &is_in_thread) != 0 || pthread_join(thread, NULL) != 0)
        return 2;
    REPORT_COUNT(is_registered);
    return is_known && !(is_in_first && is_in_thread);
}
