/*
 * Of a command the events are opened on the calling thread, disabled, to be inherited and enabled by exec: so the
 * switches of ringviz itself are not reported, and nobody waits for anybody between fork and exec.
 *
 * Of a process they are opened on each thread for each CPU, and write into the buffers of events that count nothing. A
 * thread that is found while its creator has an event already has two, and each of its switches is read twice: of two
 * in the same direction the first one counts.
 *
 * Of a thread that blocks on one CPU and runs on another, the second record may be seen before the first, when the
 * buffers are read between the two. Such a late record is dropped and counted: it is rare, and moving it behind the
 * other would turn the thread's state around; the state is not known from then on.
 *
 * A thread without an owner is silent, unless one claims it within a second of its end. Its sums are kept until then, its
 * switches for a second each. The kernel reports each end, so that a number that is used again is another thread.
 *
 * A full buffer loses records, of any thread: one at least, until the kernel says how many, with the next record there.
 * From its last record until the kernel says how many it has lost, every thread's state is not known, nor is it until
 * the thread's next switch.
 *
 *   Kernel1 -> Switch1   the kernel has written records (data_head)
 *   Switch2 -> Kernel2   their room may be written again (data_tail)
 */
#include "source/context_switches.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"

/*
 * Pages of one CPU's buffer: from USUAL_PAGES on, the first that the kernel gives. By default it allows 516 KiB a CPU to a
 * user, and to each process what it may lock in memory. 128 pages have 21,000 records. When thousands of threads are runnable
 * the drain gets a CPU seldom, and each of them may write two records meanwhile.
 */
static const size_t PAGES[] = {1024, 512, 256, 128, 64, 32, 16, 8, 4};
enum { N_PAGES = sizeof PAGES / sizeof *PAGES, USUAL_PAGES = 128, LEAST_WANTED = 64, MOST_PAGES_OF_ALL = 4096 };
enum { CROWD = 512 }; /* threads of a process, for more than USUAL_PAGES */
/* How long switches of threads without an owner are kept: the thread's first call may still come. */
static const uint64_t STRANGER_NS = 1000000000;
/* Passes over the threads of a process: each finds those that were created during the one before. Each reading
 * opens events for a while only: meanwhile the buffers fill up. */
enum { MOST_PASSES = 16 };
static const uint64_t OPENING_NS = 5000000;
enum { SPARE_DESCRIPTORS = 256 }; /* left for all else that we open */
/* Most switches kept per thread; older ones are dropped, where a ring is read at the end only. */
enum { MOST_CHANGES = 1 << 18 };
enum { NAME_BYTES = 16 }; /* of a thread, as the kernel keeps it */

struct switch_record { /* PERF_RECORD_SWITCH with PERF_SAMPLE_TID and PERF_SAMPLE_TIME */
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t mono_ns;
};

struct lost_record { /* PERF_RECORD_LOST */
    struct perf_event_header header;
    uint64_t id, n;
    uint32_t pid, tid;
    uint64_t mono_ns;
};

struct task_record { /* PERF_RECORD_FORK, PERF_RECORD_EXIT */
    struct perf_event_header header;
    uint32_t pid, parent_pid, tid, parent_tid;
    uint64_t mono_ns;
};

struct name_record { /* PERF_RECORD_COMM */
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[NAME_BYTES]; /* or fewer, in words of 8; behind them a pid, a tid and the time */
    uint32_t room[4];
};

union record { /* aligned in the buffer to 8 bytes, as its size is */
    struct perf_event_header header;
    struct switch_record switched;
    struct lost_record lost;
    struct task_record task;
    struct name_record named;
};

struct cpu {
    int fd;
    uint16_t number;
    struct perf_event_mmap_page *page; /* followed by the records */
    size_t n_bytes;                    /* of the records, a power of two */
    uint64_t last_ns;                  /* time of the last one */
    bool is_counted;                   /* a loss is counted of which the kernel has not reported the size yet */
    size_t thread;                     /* index of the thread of the last switch, which often has the next one */
    /* while it is read: */
    uint64_t at, head;        /* places of the next record and of the end */
    const union record *next; /* in the buffer, or room */
    uint64_t next_ns;         /* its time, or UINT64_MAX: none is left */
    union record room;
    bool is_full;
};

struct thread {
    uint32_t tid;           /* 0: a free place */
    uint32_t owner;         /* 0: none */
    uint32_t pid;           /* 0: unknown yet */
    char name[NAME_BYTES];    /* likewise "" */
    struct rv_event *changes; /* first to n: not taken yet, by time */
    size_t first, n, capacity;
    uint64_t first_ns, last_ns; /* time of the first and the last change added */
    uint64_t ended_ns; /* 0: it runs */
    bool was_claimed;
    uint8_t last_state;         /* since last_ns, */
    struct rv_silent_times did; /* until then; if it was never claimed */
    uint64_t taken_ticks;       /* time of the last change taken; 0: none */
    uint8_t taken_state;        /* if taken_ticks is not 0 */
};

struct rv_context_switches {
    struct cpu *cpus;
    struct cpu **by_next; /* while they are read: a heap of them, the earliest next record first */
    size_t n_cpus;
    int *events; /* descriptors, of a process's threads */
    size_t n_events, events_capacity;
    DIR *process;               /* its threads, whose events are being opened; NULL: all are */
    struct rv_hash_index known; /* those found so far */
    size_t n_found;             /* in this pass */
    unsigned n_passes;
    int first_spare; /* descriptors from this one on are left */
    int error;       /* some threads have no events */
    unsigned percent_full; /* the fullest buffer at the last reading */
    size_t page_bytes;
    struct thread *threads;
    size_t n_threads, capacity, n_swept; /* n_swept: number left by the last sweep */
    struct rv_hash_index by_tid;         /* index in threads, + 1 */
    struct rv_silent_threads silent;     /* those that have ended */
    uint64_t n_lost;
    uint64_t unknown_from, unknown_to; /* the latest time of losses, in ticks */
};

/* ---- the kernel's buffers ---- */

/* When an event begins to report. */
enum beginning { NEVER, WITH_EXEC, AT_ONCE };

static int open_event(pid_t tid, int cpu, enum beginning begin)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .sample_id_all = 1,
        .context_switch = 1,
        .task = 1, /* begins and ends of threads */
        .comm = 1, /* their names */
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .disabled = begin != AT_ONCE,
        .inherit = begin != NEVER,
        .enable_on_exec = begin == WITH_EXEC,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    const int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Of as many CPUs. Index in PAGES. */
static size_t first_size(size_t n_cpus, bool is_crowd)
{
    size_t i = 0;
    while (PAGES[i] > LEAST_WANTED && ((PAGES[i] > USUAL_PAGES && !is_crowd) || PAGES[i] * n_cpus > MOST_PAGES_OF_ALL))
        i++;
    return i;
}

static int open_cpu(struct rv_context_switches *switches, int number, size_t size, enum beginning begin)
{
    struct cpu cpu = {.number = (uint16_t)number, .fd = open_event(0, number, begin)};
    if (cpu.fd < 0)
        return cpu.fd;
    int error = ENOMEM;
    cpu.page = MAP_FAILED;
    for (size_t i = size; i < N_PAGES && cpu.page == MAP_FAILED; i++) {
        cpu.n_bytes = PAGES[i] * switches->page_bytes;
        cpu.page = mmap(NULL, switches->page_bytes + cpu.n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu.fd, 0);
        error = errno;
    }
    if (cpu.page == MAP_FAILED) {
        close(cpu.fd);
        return -error;
    }
    switches->cpus[switches->n_cpus++] = cpu;
    return 0;
}

static struct rv_context_switches *open_cpus(enum beginning begin, bool is_crowd, int *error)
{
    struct rv_context_switches *switches = rv_alloc(1, sizeof *switches);
    long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
    switches->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    switches->cpus = rv_alloc(n_cpus > 0 ? (size_t)n_cpus : 1, sizeof *switches->cpus);
    switches->by_next = rv_alloc(n_cpus > 0 ? (size_t)n_cpus : 1, sizeof *switches->by_next);
    *error = 0;
    for (int i = 0; i < n_cpus && !*error; i++) {
        *error = open_cpu(switches, i, first_size((size_t)n_cpus, is_crowd), begin);
        if (*error == -ENODEV) /* switched off */
            *error = 0;
    }
    if (!*error && switches->n_cpus)
        return switches;
    rv_context_switches_close(switches);
    return NULL;
}

struct rv_context_switches *rv_context_switches_open(int *error)
{
    return open_cpus(WITH_EXEC, false, error);
}

/* ---- threads of a process ---- */

static int open_on_cpu(struct rv_context_switches *switches, pid_t tid, const struct cpu *cpu)
{
    const int fd = open_event(tid, cpu->number, AT_ONCE);
    if (fd < 0)
        return fd;
    switches->events =
        rv_vec_reserve(switches->events, &switches->events_capacity, switches->n_events + 1, sizeof *switches->events);
    switches->events[switches->n_events++] = fd;
    if (fd >= switches->first_spare)
        return -EMFILE;
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd) == 0 ? 0 : -errno;
}

static int open_thread(struct rv_context_switches *switches, pid_t tid)
{
    int error = 0;
    for (size_t i = 0; i < switches->n_cpus && !error; i++)
        error = open_on_cpu(switches, tid, &switches->cpus[i]);
    return error == -ESRCH ? 0 : error; /* it has ended */
}

static void end_opening(struct rv_context_switches *switches)
{
    if (switches->process)
        closedir(switches->process);
    switches->process = NULL;
    rv_hash_index_fini(&switches->known);
}

/* The next thread that is not known yet; 0: none in this pass. */
static pid_t find_new_thread(struct rv_context_switches *switches)
{
    for (const struct dirent *entry; (entry = readdir(switches->process));) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || rv_hash_index_get(&switches->known, (uint64_t)tid))
            continue;
        rv_hash_index_add(&switches->known, (uint64_t)tid, 1);
        switches->n_found++;
        return tid;
    }
    return 0;
}

/* Returns whether there is another pass. */
static bool begin_pass(struct rv_context_switches *switches)
{
    if (!switches->n_found || ++switches->n_passes == MOST_PASSES)
        return false;
    switches->n_found = 0;
    rewinddir(switches->process);
    return true;
}

static void open_some_threads(struct rv_context_switches *switches)
{
    const uint64_t begin_ns = switches->process ? rv_clock_mono_ns() : 0;
    while (switches->process && rv_clock_mono_ns() - begin_ns < OPENING_NS) {
        const pid_t tid = find_new_thread(switches);
        if (tid)
            switches->error = open_thread(switches, tid);
        if (switches->error || (!tid && !begin_pass(switches)))
            end_opening(switches);
    }
}

/* Returns their number, or a great one. */
static int allow_most_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return INT_MAX;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max < INT_MAX ? (int)limit.rlim_max : INT_MAX;
}

static int begin_opening(struct rv_context_switches *switches, pid_t pid, DIR *process)
{
    const int n_descriptors = allow_most_descriptors();
    const int n_half = n_descriptors / 2;
    switches->first_spare = n_descriptors - (n_half < SPARE_DESCRIPTORS ? n_half : SPARE_DESCRIPTORS);
    switches->process = process;
    rv_hash_index_add(&switches->known, (uint64_t)pid, 1);
    switches->n_found = 1;
    return open_thread(switches, pid);
}

/* Its links are its threads and two more. */
static bool is_crowd(DIR *process)
{
    struct stat status;
    return fstat(dirfd(process), &status) == 0 && status.st_nlink > CROWD;
}

struct rv_context_switches *rv_context_switches_open_process(pid_t pid, int *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *process = opendir(path);
    *error = -ESRCH;
    if (!process)
        return NULL;
    struct rv_context_switches *switches = open_cpus(NEVER, is_crowd(process), error);
    if (!switches) {
        closedir(process);
        return NULL;
    }
    *error = begin_opening(switches, pid, process);
    if (!*error)
        return switches;
    rv_context_switches_close(switches);
    return NULL;
}

bool rv_context_switches_is_opening(const struct rv_context_switches *switches)
{
    return switches->process != NULL;
}

int rv_context_switches_error(const struct rv_context_switches *switches)
{
    return switches->error;
}

void rv_context_switches_close(struct rv_context_switches *switches)
{
    if (!switches)
        return;
    for (size_t i = 0; i < switches->n_cpus; i++) {
        munmap(switches->cpus[i].page, switches->page_bytes + switches->cpus[i].n_bytes);
        close(switches->cpus[i].fd);
    }
    for (size_t i = 0; i < switches->n_events; i++)
        close(switches->events[i]);
    end_opening(switches);
    for (size_t i = 0; i < switches->n_threads; i++)
        free(switches->threads[i].changes);
    rv_silent_threads_fini(&switches->silent);
    free(switches->events);
    free(switches->threads);
    free(switches->cpus);
    free(switches->by_next);
    rv_hash_index_fini(&switches->by_tid);
    free(switches);
}

/* ---- threads ---- */

static void index_thread(struct rv_context_switches *switches, size_t i)
{
    uint32_t *value = rv_hash_index_at(&switches->by_tid, switches->threads[i].tid);
    if (value)
        *value = (uint32_t)i + 1;
    else
        rv_hash_index_add(&switches->by_tid, switches->threads[i].tid, (uint32_t)i + 1);
}

static void add_time(struct rv_silent_times *did, uint8_t state, uint64_t n_ns)
{
    did->running_ns += state == RV_THREAD_RUNNING ? n_ns : 0;
    did->runnable_ns += state == RV_THREAD_PREEMPTED ? n_ns : 0;
    did->blocked_ns += state == RV_THREAD_BLOCKED ? n_ns : 0;
}

static bool is_off(uint8_t state)
{
    return state == RV_THREAD_PREEMPTED || state == RV_THREAD_BLOCKED;
}

static void follow_state(struct thread *thread, uint64_t mono_ns, uint8_t state)
{
    if (mono_ns < thread->last_ns)
        return;
    if (thread->last_ns)
        add_time(&thread->did, thread->last_state, mono_ns - thread->last_ns);
    thread->did.n_switches += is_off(state) && !is_off(thread->last_state);
    thread->first_ns = thread->first_ns ? thread->first_ns : mono_ns;
    thread->last_ns = mono_ns;
    thread->last_state = state;
}

/* As the kernel has it now; "" when the thread is gone. */
static void ask_name(uint32_t tid, char name[NAME_BYTES])
{
    const int fd = rv_os_open_proc((pid_t)tid, "comm");
    const ssize_t n = fd < 0 ? 0 : read(fd, name, NAME_BYTES);
    memset(name + (n > 0 ? n - 1 : 0), 0, NAME_BYTES - (size_t)(n > 0 ? n - 1 : 0)); /* a newline ends it */
    if (fd >= 0)
        close(fd);
}

static void name_silent(struct rv_silent_thread *silent, const struct thread *thread)
{
    char name[NAME_BYTES];
    memcpy(name, thread->name, sizeof name);
    if (!*name && !thread->ended_ns)
        ask_name(thread->tid, name);
    rv_text_escape(silent->name, sizeof silent->name, name, strnlen(name, sizeof name));
}

static void add_silent(struct rv_silent_threads *all, const struct thread *thread, uint64_t until_ns)
{
    struct rv_silent_thread silent = {.pid = thread->pid, .tid = thread->tid, .times = thread->did};
    if (!thread->tid || thread->was_claimed || !thread->last_ns)
        return;
    name_silent(&silent, thread);
    if (!thread->ended_ns && until_ns > thread->last_ns)
        add_time(&silent.times, thread->last_state, until_ns - thread->last_ns);
    rv_silent_threads_add(all, &silent);
}

static void drop_changes(struct thread *thread)
{
    free(thread->changes);
    thread->changes = NULL;
    thread->first = thread->n = thread->capacity = 0;
}

/* The thread has ended, and its number is free. */
static void end_thread(struct rv_context_switches *switches, struct thread *thread)
{
    add_silent(&switches->silent, thread, 0);
    free(thread->changes);
    *thread = (struct thread){0};
}

/* Forget threads that have ended, unless someone may still claim them, and switches that are too old. */
static void sweep(struct rv_context_switches *switches, uint64_t now_ns)
{
    size_t n_left = 0;
    rv_hash_index_clear(&switches->by_tid);
    for (size_t i = 0; i < switches->n_threads; i++) {
        struct thread *thread = &switches->threads[i];
        const bool is_old = !thread->owner && now_ns > thread->last_ns + STRANGER_NS;
        if (is_old && thread->ended_ns)
            end_thread(switches, thread);
        else if (is_old)
            drop_changes(thread);
        if (!thread->tid)
            continue;
        switches->threads[n_left] = *thread;
        index_thread(switches, n_left++);
    }
    switches->n_threads = switches->n_swept = n_left;
}

static struct thread *find_thread(const struct rv_context_switches *switches, uint32_t tid)
{
    uint32_t i = rv_hash_index_get(&switches->by_tid, tid);
    return i && switches->threads[i - 1].tid == tid ? &switches->threads[i - 1] : NULL;
}

static struct thread *need_thread(struct rv_context_switches *switches, uint32_t tid, uint64_t now_ns)
{
    struct thread *thread = find_thread(switches, tid);
    if (thread)
        return thread;
    if (switches->n_threads > 2 * switches->n_swept + 64)
        sweep(switches, now_ns);
    size_t i = switches->n_threads++;
    switches->threads =
        rv_vec_reserve(switches->threads, &switches->capacity, switches->n_threads, sizeof *switches->threads);
    switches->threads[i] = (struct thread){.tid = tid};
    index_thread(switches, i);
    return &switches->threads[i];
}

void rv_context_switches_claim(struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    struct thread *thread = need_thread(switches, tid, 0);
    thread->owner = owner;
    thread->was_claimed = true;
}

void rv_context_switches_show(struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    need_thread(switches, tid, 0)->owner = owner;
}

bool rv_context_switches_runs(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    const struct thread *thread = find_thread(switches, tid);
    return thread && thread->owner == owner && !thread->ended_ns;
}

uint64_t rv_context_switches_end_ns(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    const struct thread *thread = find_thread(switches, tid);
    return thread && thread->owner == owner ? thread->ended_ns : 0;
}

/* Is its first switch one that was before this time? */
static bool is_unclaimed(const struct thread *thread, uint64_t before_ns)
{
    return thread->tid && !thread->owner && !thread->was_claimed && !thread->ended_ns &&
           thread->first < thread->n && thread->first_ns < before_ns;
}

bool rv_context_switches_next_unclaimed(const struct rv_context_switches *switches, size_t *at, uint64_t before_ns,
                                        struct rv_unclaimed_thread *found)
{
    while (*at < switches->n_threads) {
        const struct thread *thread = &switches->threads[(*at)++];
        if (!is_unclaimed(thread, before_ns))
            continue;
        *found = (struct rv_unclaimed_thread){thread->pid, thread->tid, thread->name,
                                              rv_event_ticks(&thread->changes[thread->first])};
        return true;
    }
    return false;
}

void rv_context_switches_forget(struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    struct thread *thread = find_thread(switches, tid);
    if (!thread || thread->owner != owner)
        return;
    if (thread->ended_ns) {
        end_thread(switches, thread);
        return;
    }
    drop_changes(thread);
    *thread = (struct thread){.tid = tid, .was_claimed = true, .last_ns = thread->last_ns};
}

/* ---- records ---- */

struct reading {
    uint64_t rate; /* of the clock */
    struct rv_clock_instant now;
    uint64_t stranger_ticks; /* earlier switches of threads without an owner are dropped */
};

static uint64_t ticks_at(const struct reading *reading, uint64_t mono_ns)
{
    return rv_clock_ticks_at(reading->rate, &reading->now, mono_ns);
}

static struct reading begin_reading(const struct rv_clock *clock)
{
    struct reading reading = {.rate = rv_clock_rate(clock), .now = rv_clock_instant(clock->kind)};
    const uint64_t now_ns = reading.now.mono_ns;
    reading.stranger_ticks = ticks_at(&reading, now_ns > STRANGER_NS ? now_ns - STRANGER_NS : 0);
    return reading;
}

/* Make room for one more. Drops the oldest of too many, and those without an owner. */
static void make_room(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading)
{
    if (thread->n - thread->first == MOST_CHANGES) {
        thread->changes[++thread->first].aux = RV_THREAD_UNKNOWN;
        switches->n_lost++;
    }
    while (!thread->owner && thread->first < thread->n &&
           rv_event_ticks(&thread->changes[thread->first]) < reading->stranger_ticks)
        thread->first++;
    if (thread->first > thread->n / 2) {
        thread->n -= thread->first;
        memmove(thread->changes, thread->changes + thread->first, thread->n * sizeof *thread->changes);
        thread->first = 0;
    }
    thread->changes = rv_vec_reserve(thread->changes, &thread->capacity, thread->n + 1, sizeof *thread->changes);
}

static uint64_t when_of(uint64_t ticks)
{
    return (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | ticks;
}

/* Inline: an event on the stack is copied before its small fields are in memory, which takes longer than the rest. */
static inline __attribute__((always_inline)) void insert(struct rv_context_switches *switches, struct thread *thread,
                                                         const struct reading *reading, struct rv_event change)
{
    make_room(switches, thread, reading);
    size_t at = thread->n++;
    for (; at > thread->first && thread->changes[at - 1].when > change.when; at--)
        thread->changes[at] = thread->changes[at - 1];
    thread->changes[at] = change;
}

static bool is_known(const struct thread *thread, uint64_t when)
{
    size_t n = thread->n;
    while (n > thread->first && thread->changes[n - 1].when > when)
        n--;
    return (n > thread->first ? thread->changes[n - 1].aux : thread->taken_state) != RV_THREAD_UNKNOWN;
}

/* The thread's state is not known from then on; where later states were taken, from those. */
static void forget_state(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading,
                         struct rv_event at)
{
    if (!is_known(thread, at.when))
        return;
    at.aux = RV_THREAD_UNKNOWN;
    if (rv_event_ticks(&at) < thread->taken_ticks)
        at.when = when_of(thread->taken_ticks);
    insert(switches, thread, reading, at);
}

static bool is_in_loss(const struct rv_context_switches *switches, uint64_t ticks)
{
    return ticks >= switches->unknown_from && ticks < switches->unknown_to;
}

/* The one that has the number at this time. */
static struct thread *thread_at(struct rv_context_switches *switches, uint32_t pid, uint32_t tid, uint64_t mono_ns)
{
    struct thread *thread = need_thread(switches, tid, mono_ns);
    if (thread->ended_ns && !thread->owner && mono_ns > thread->ended_ns) {
        end_thread(switches, thread);
        thread = need_thread(switches, tid, mono_ns);
    }
    thread->pid = pid;
    return thread;
}

/* The thread of a switch, which is often that of the switch before on its CPU. */
static struct thread *thread_on(struct rv_context_switches *switches, struct cpu *cpu,
                                const struct switch_record *record)
{
    if (cpu->thread < switches->n_threads) {
        struct thread *last = &switches->threads[cpu->thread];
        if (last->tid == record->tid && last->pid == record->pid && !last->ended_ns)
            return last;
    }
    struct thread *thread = thread_at(switches, record->pid, record->tid, record->mono_ns);
    cpu->thread = (size_t)(thread - switches->threads);
    return thread;
}

static void add_change(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading,
                       uint64_t mono_ns, struct rv_event change)
{
    const uint64_t ticks = rv_event_ticks(&change);
    if (is_in_loss(switches, ticks))
        change.aux = RV_THREAD_UNKNOWN;
    follow_state(thread, mono_ns, (uint8_t)change.aux);
    if (ticks >= thread->taken_ticks) {
        insert(switches, thread, reading, change);
        return;
    }
    switches->n_lost++;
    forget_state(switches, thread, reading, change);
}

static void forget_changes(const struct rv_context_switches *switches, struct thread *thread)
{
    for (size_t i = thread->first; i < thread->n; i++)
        if (is_in_loss(switches, rv_event_ticks(&thread->changes[i])))
            thread->changes[i].aux = RV_THREAD_UNKNOWN;
}

/* Records of the CPU after the last one are missing, of any thread. Overlapping losses, of several buffers, are one. */
static void note_loss(struct rv_context_switches *switches, const struct cpu *cpu, const struct reading *reading,
                      uint64_t to_ns)
{
    const uint64_t from_ns = cpu->last_ns + 1, from = ticks_at(reading, from_ns), to = ticks_at(reading, to_ns);
    const bool goes_on = from < switches->unknown_to && to > switches->unknown_from;
    if (!goes_on || from < switches->unknown_from)
        switches->unknown_from = from;
    if (!goes_on || to > switches->unknown_to)
        switches->unknown_to = to;
    for (size_t i = 0; i < switches->n_threads; i++) {
        struct thread *thread = &switches->threads[i];
        if (thread->tid) {
            forget_state(switches, thread, reading, (struct rv_event){.when = when_of(from), .frame = cpu->number});
            follow_state(thread, from_ns, RV_THREAD_UNKNOWN);
        }
        forget_changes(switches, thread);
    }
}

static enum rv_thread_state state_of(const struct perf_event_header *header)
{
    if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
        return RV_THREAD_RUNNING;
    return header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? RV_THREAD_PREEMPTED : RV_THREAD_BLOCKED;
}

/* A record where it is, or where it wraps around the end of the buffer, a copy of it. Its header never does. */
static const union record *record_at(const struct rv_context_switches *switches, const struct cpu *cpu, uint64_t at,
                                     union record *room)
{
    const char *records = (const char *)cpu->page + switches->page_bytes;
    const size_t from = (size_t)(at & (cpu->n_bytes - 1)), n_first = cpu->n_bytes - from;
    const union record *record = (const union record *)(const void *)(records + from);
    const size_t n = record->header.size < sizeof *room ? record->header.size : sizeof *room;
    if (n <= n_first)
        return record;
    memcpy(room, record, n_first);
    memcpy((char *)room + n_first, records, n - n_first);
    return room;
}

static bool is_sound_name(const struct perf_event_header *header)
{
    const size_t rest = sizeof(struct name_record) - NAME_BYTES;
    return header->size > rest && header->size <= sizeof(struct name_record) && header->size % sizeof(uint64_t) == 0;
}

/* 0: of no interest. */
static uint64_t time_of(const union record *record)
{
    switch (record->header.type) {
    case PERF_RECORD_SWITCH:
        return record->switched.mono_ns;
    case PERF_RECORD_LOST:
        return record->lost.mono_ns;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return record->task.mono_ns;
    case PERF_RECORD_COMM:
        return is_sound_name(&record->header)
                   ? ((const uint64_t *)(const void *)record)[record->header.size / sizeof(uint64_t) - 1]
                   : 0;
    default:
        return 0;
    }
}

static void read_end(struct rv_context_switches *switches, const struct task_record *record)
{
    struct thread *thread = find_thread(switches, record->tid);
    if (!thread)
        return;
    follow_state(thread, record->mono_ns, RV_THREAD_UNKNOWN);
    thread->ended_ns = thread->last_ns;
    if (thread->was_claimed && !thread->owner)
        end_thread(switches, thread);
}

/* It has the name of the thread that created it. */
static void read_begin(struct rv_context_switches *switches, const struct task_record *record)
{
    struct thread *thread = thread_at(switches, record->pid, record->tid, record->mono_ns);
    const struct thread *parent = find_thread(switches, record->parent_tid);
    if (parent)
        memcpy(thread->name, parent->name, sizeof thread->name);
}

static void read_name(struct rv_context_switches *switches, const struct name_record *record, uint64_t mono_ns)
{
    struct thread *thread = thread_at(switches, record->pid, record->tid, mono_ns);
    strncpy(thread->name, record->name, sizeof thread->name);
}

static void read_switch(struct rv_context_switches *switches, struct cpu *cpu, const struct switch_record *record,
                        const struct reading *reading)
{
    add_change(switches, thread_on(switches, cpu, record), reading, record->mono_ns,
               (struct rv_event){.when = when_of(ticks_at(reading, record->mono_ns)),
                                 .aux = (uint16_t)state_of(&record->header),
                                 .frame = cpu->number});
    cpu->last_ns = record->mono_ns;
}

static void read_record(struct rv_context_switches *switches, struct cpu *cpu, const union record *record,
                        const struct reading *reading)
{
    const struct perf_event_header *header = &record->header;
    if (header->type == PERF_RECORD_SWITCH && header->size >= sizeof record->switched) {
        read_switch(switches, cpu, &record->switched, reading);
    } else if (header->type == PERF_RECORD_LOST && header->size >= sizeof record->lost) {
        switches->n_lost += record->lost.n - cpu->is_counted;
        cpu->is_counted = false;
        note_loss(switches, cpu, reading, record->lost.mono_ns);
    } else if (header->type == PERF_RECORD_EXIT && header->size >= sizeof record->task) {
        read_end(switches, &record->task);
    } else if (header->type == PERF_RECORD_FORK && header->size >= sizeof record->task) {
        read_begin(switches, &record->task);
    } else if (header->type == PERF_RECORD_COMM && is_sound_name(header)) {
        read_name(switches, &record->named, time_of(record));
    }
}

static void find_next(const struct rv_context_switches *switches, struct cpu *cpu)
{
    cpu->next_ns = UINT64_MAX;
    if (cpu->at >= cpu->head)
        return;
    cpu->next = record_at(switches, cpu, cpu->at, &cpu->room);
    if (cpu->next->header.size < sizeof cpu->next->header) { /* no kernel writes that */
        cpu->at = cpu->head;
        return;
    }
    cpu->next_ns = time_of(cpu->next);
}

static void begin_buffer(struct rv_context_switches *switches, struct cpu *cpu)
{
    cpu->at = __atomic_load_n(&cpu->page->data_tail, __ATOMIC_RELAXED);
    cpu->head = __atomic_load_n(&cpu->page->data_head,
                                __ATOMIC_ACQUIRE); /* Switch1 <- Kernel1; the kernel: Kernel1 -> Switch1 */
    const unsigned percent = (unsigned)((cpu->head - cpu->at) * 100 / cpu->n_bytes);
    switches->percent_full = percent > switches->percent_full ? percent : switches->percent_full;
    cpu->is_full = cpu->n_bytes - (cpu->head - cpu->at) <= sizeof(struct switch_record);
    find_next(switches, cpu);
}

static void end_buffer(struct rv_context_switches *switches, struct cpu *cpu, const struct reading *reading)
{
    if (cpu->is_full) {
        note_loss(switches, cpu, reading, reading->now.mono_ns);
        switches->n_lost += !cpu->is_counted;
        cpu->is_counted = true;
    }
    if (cpu->at != cpu->page->data_tail)
        __atomic_store_n(&cpu->page->data_tail, cpu->at,
                         __ATOMIC_RELEASE); /* Switch2 -> Kernel2; the kernel: Kernel2 <- Switch2 */
}

/* ---- all buffers, by time ---- */

static uint64_t next_ns(const struct rv_context_switches *switches, size_t i)
{
    return i < switches->n_cpus ? switches->by_next[i]->next_ns : UINT64_MAX;
}

/* The child of this place in the heap that has the earlier record. */
static size_t earlier_child(const struct rv_context_switches *switches, size_t i)
{
    return 2 * i + 1 + (next_ns(switches, 2 * i + 2) < next_ns(switches, 2 * i + 1));
}

/* The CPU at this place may have a later record than before. */
static void sift_down(struct rv_context_switches *switches, size_t i)
{
    struct cpu *cpu = switches->by_next[i];
    for (size_t child; child = earlier_child(switches, i), next_ns(switches, child) < cpu->next_ns; i = child)
        switches->by_next[i] = switches->by_next[child];
    switches->by_next[i] = cpu;
}

static void begin_buffers(struct rv_context_switches *switches)
{
    switches->percent_full = 0;
    for (size_t i = 0; i < switches->n_cpus; i++) {
        switches->by_next[i] = &switches->cpus[i];
        begin_buffer(switches, &switches->cpus[i]);
    }
    for (size_t i = switches->n_cpus / 2; i-- > 0;)
        sift_down(switches, i);
}

/* Read the earliest records, until those of another CPU are. Returns false at the end. */
static bool read_earliest(struct rv_context_switches *switches, const struct reading *reading)
{
    struct cpu *cpu = switches->by_next[0];
    const uint64_t second_ns = next_ns(switches, earlier_child(switches, 0)), now_ns = reading->now.mono_ns;
    const uint64_t until_ns = second_ns < now_ns ? second_ns : now_ns;
    if (cpu->next_ns > now_ns)
        return false;
    for (; cpu->next_ns <= until_ns; find_next(switches, cpu)) {
        cpu->at += cpu->next->header.size;
        read_record(switches, cpu, cpu->next, reading);
    }
    sift_down(switches, 0);
    return true;
}

unsigned rv_context_switches_percent_full(const struct rv_context_switches *switches)
{
    return switches->percent_full;
}

/* By time. Records that are later than this call are left: what happened before them may not be in a buffer yet. */
uint64_t rv_context_switches_read(struct rv_context_switches *switches, const struct rv_clock *clock)
{
    open_some_threads(switches);
    const struct reading reading = begin_reading(clock);
    begin_buffers(switches);
    while (read_earliest(switches, &reading))
        ;
    for (size_t i = 0; i < switches->n_cpus; i++)
        end_buffer(switches, &switches->cpus[i], &reading);
    return reading.now.ticks;
}

/* A thread that leaves the CPU, and had left it. */
static bool is_told(const struct thread *thread, const struct rv_event *change)
{
    if (change->aux == RV_THREAD_UNKNOWN || thread->taken_state == RV_THREAD_UNKNOWN)
        return thread->taken_ticks && change->aux == thread->taken_state;
    return thread->taken_ticks && (change->aux == RV_THREAD_RUNNING) == (thread->taken_state == RV_THREAD_RUNNING);
}

size_t rv_context_switches_take(struct rv_context_switches *switches, uint32_t tid, uint32_t owner, uint64_t until,
                                struct rv_event *out, size_t max)
{
    struct thread *thread = find_thread(switches, tid);
    size_t n = 0;
    if (!thread || thread->owner != owner)
        return 0;
    for (; thread->first < thread->n && n < max; thread->first++) {
        const struct rv_event *change = &thread->changes[thread->first];
        if (rv_event_ticks(change) > until)
            break;
        if (is_told(thread, change))
            continue;
        out[n++] = *change;
        thread->taken_ticks = rv_event_ticks(change);
        thread->taken_state = (uint8_t)change->aux;
    }
    return n;
}

uint64_t rv_context_switches_n_lost(const struct rv_context_switches *switches)
{
    return switches->n_lost;
}

void rv_context_switches_silent(const struct rv_context_switches *switches, struct rv_silent_threads *silent)
{
    uint64_t until_ns = 0;
    for (size_t i = 0; i < switches->n_cpus; i++)
        if (switches->cpus[i].last_ns > until_ns)
            until_ns = switches->cpus[i].last_ns;
    rv_silent_threads_merge(silent, &switches->silent);
    for (size_t i = 0; i < switches->n_threads; i++)
        add_silent(silent, &switches->threads[i], until_ns);
}
