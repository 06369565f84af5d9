/* The state of a thread of any process, as ps(1) has it. */
#ifndef THREAD_STATE_H
#define THREAD_STATE_H

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#define UNTRACED __attribute__((no_instrument_function))

/* S where it is blocked; ? where it is not known. */
UNTRACED static char state_of(pid_t tid)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *behind_name = n ? strrchr(text, ')') : NULL;
    return behind_name ? behind_name[2] : '?';
}

/* Until the thread that stores its tid there, before it is going to wait, is blocked. By no function that is
 * intercepted. */
UNTRACED static inline void await_blocked(const pid_t *tid) /* [atomic] 0: not yet */
{
    while (state_of(__atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 'S')
        sched_yield();
}

#endif
