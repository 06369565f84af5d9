#include "window/driver_threads.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define PATH_BYTES 64
#define NAME_BYTES 32

/* The clock of a thread by its id, as the kernel makes it: pthread_getcpuclockid() wants a pthread_t, which only its maker has. */
static clockid_t clock_of(long tid)
{
    enum { PER_THREAD = 4, SCHEDULED = 2 };
    return (clockid_t)(~(unsigned)tid << 3 | PER_THREAD | SCHEDULED);
}

static bool is_named(long tid, const char *name)
{
    char path[PATH_BYTES], text[NAME_BYTES];
    (void)snprintf(path, sizeof path, "/proc/self/task/%ld/comm", tid);
    FILE *file = fopen(path, "re");
    const bool is_named = file && fgets(text, sizeof text, file) && strncmp(text, name, strlen(name)) == 0;
    if (file)
        (void)fclose(file);
    return is_named;
}

void rv_driver_threads_find(struct rv_driver_threads *threads, const char *name)
{
    DIR *folder = opendir("/proc/self/task");
    threads->n = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const long tid = strtol(entry->d_name, NULL, 10);
        if (tid > 0 && threads->n < RV_DRIVER_MOST_THREADS && is_named(tid, name))
            threads->clocks[threads->n++] = clock_of(tid);
    }
    if (folder)
        (void)closedir(folder);
}

uint64_t rv_driver_threads_cpu_ns(const struct rv_driver_threads *threads)
{
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < threads->n; i++) {
        struct timespec time;
        if (clock_gettime(threads->clocks[i], &time) == 0)
            sum_ns += rv_clock_time_ns(time);
    }
    return sum_ns;
}
