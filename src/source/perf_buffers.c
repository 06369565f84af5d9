/*
 * Of a command the events are opened on the calling thread, disabled, to be inherited and enabled by exec: so the
 * switches of ringviz itself are not reported, and nobody waits for anybody between fork and exec.
 *
 * Of a process they are opened on each thread for each CPU, and write into the buffers of events that count nothing. A
 * thread that is found while its creator has an event already has two, and each of its switches is read twice.
 *
 * A full buffer loses records, of any thread: one at least, until the kernel says how many, with the next record there.
 *
 *   Kernel1 -> Switch1   the kernel has written records (data_head)
 *   Switch2 -> Kernel2   their room may be written again (data_tail)
 */
#include "source/perf_buffers.h"

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

#include "base/clock.h"
#include "base/hash_index.h"
#include "base/os.h"
#include "base/vec.h"
#include "ringviz/wire.h"

/*
 * Pages of one CPU's buffer: from USUAL_PAGES on, the first that the kernel gives. By default it allows 516 KiB a CPU to a
 * user, and to each process what it may lock in memory. 128 pages have 21,000 records. When thousands of threads are runnable
 * the drain gets a CPU seldom, and each of them may write two records meanwhile.
 */
static const size_t PAGES[] = {1024, 512, 256, 128, 64, 32, 16, 8, 4};
enum { N_PAGES = sizeof PAGES / sizeof *PAGES, USUAL_PAGES = 128, LEAST_WANTED = 64, MOST_PAGES_OF_ALL = 4096 };
enum { CROWD = 512 }; /* threads of a process, for more than USUAL_PAGES */
/* Passes over the threads of a process: each finds those that were created during the one before. Each reading
 * opens events for a while only: meanwhile the buffers fill up. */
enum { MOST_PASSES = 16 };
static const uint64_t OPENING_NS = 5000000;
enum { SPARE_DESCRIPTORS = 256 }; /* left for all else that we open */

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

enum { MOST_RAW_BYTES = 128 }; /* of a tracepoint's record; what is beyond is not looked at */

struct wake_record { /* PERF_RECORD_SAMPLE with PERF_SAMPLE_TID, PERF_SAMPLE_TIME and PERF_SAMPLE_RAW */
    struct perf_event_header header;
    uint32_t pid, tid; /* of the thread that the CPU ran */
    uint64_t mono_ns;
    uint32_t n_bytes;
    char bytes[MOST_RAW_BYTES];
};

struct name_record { /* PERF_RECORD_COMM */
    struct perf_event_header header;
    uint32_t pid, tid;
    char name[RV_PERF_NAME_BYTES]; /* or fewer, in words of 8; behind them a pid, a tid and the time */
    uint32_t room[4];
};

union record { /* aligned in the buffer to 8 bytes, as its size is */
    struct perf_event_header header;
    struct switch_record switched;
    struct lost_record lost;
    struct task_record task;
    struct name_record named;
    struct wake_record woke;
};

struct cpu { /* a buffer of one */
    int fd;
    uint16_t number;
    bool has_wakes;
    struct perf_event_mmap_page *page; /* followed by the records */
    size_t n_bytes;                    /* of the records, a power of two */
    uint64_t last_ns;                  /* time of the last switch or wake */
    bool is_counted;                   /* a loss is counted of which the kernel has not reported the size yet */
    /* while it is read: */
    uint64_t at, head;        /* places of the next record and of the end */
    const union record *next; /* in the buffer, or room */
    uint64_t next_ns;         /* its time, or UINT64_MAX: none is left */
    union record room;
    bool is_full;
};

struct blocked { /* a thread that waited for something when its events were opened */
    uint32_t pid, tid;
    uint64_t mono_ns;
    uint16_t cpu;
};

struct rv_perf_buffers {
    struct cpu *cpus;     /* n_cpus of switches, then those of wakes */
    struct cpu **by_next; /* while they are read: a heap of them, the earliest next record first */
    size_t n_cpus, n_buffers;
    struct rv_sched_waking waking;
    uint64_t until_ns, second_ns; /* of this reading; the next record of any other CPU */
    int *events;                  /* descriptors, of a process's threads */
    size_t n_events, events_capacity;
    pid_t *processes; /* to be opened behind the first */
    size_t n_processes, processes_capacity;
    pid_t *refused; /* some threads of which have no events */
    size_t n_refused, refused_capacity;
    struct blocked *blocked; /* threads */
    size_t n_blocked, blocked_capacity;
    pid_t opening;              /* the one whose events are being opened */
    DIR *process;               /* its threads, whose events are being opened; NULL: of none */
    struct rv_hash_index known; /* those found so far */
    size_t n_found;             /* in this pass */
    unsigned n_passes;
    int first_spare;       /* descriptors from this one on are left */
    int error;             /* some threads have no events */
    unsigned percent_full; /* the fullest buffer at the last reading */
    size_t page_bytes;
};

/* When an event begins to report. */
enum beginning { NEVER, WITH_EXEC, AT_ONCE };

static int open_attr(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
    const int fd = (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int open_event(pid_t tid, int cpu, enum beginning begin)
{
    const struct perf_event_attr attr = {
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
    return open_attr(&attr, tid, cpu);
}

/* Of all threads that wake others on the CPU. */
static int open_wakes(const struct rv_sched_waking *waking, int cpu)
{
    const struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof attr,
        .config = waking->id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    return open_attr(&attr, -1, cpu);
}

/* Of as many CPUs. Index in PAGES. */
static size_t first_size(size_t n_cpus, bool is_crowd)
{
    size_t i = 0;
    while (PAGES[i] > LEAST_WANTED && ((PAGES[i] > USUAL_PAGES && !is_crowd) || PAGES[i] * n_cpus > MOST_PAGES_OF_ALL))
        i++;
    return i;
}

/* Takes the event. */
static int add_buffer(struct rv_perf_buffers *buffers, struct cpu cpu, size_t size)
{
    if (cpu.fd < 0)
        return cpu.fd;
    int error = ENOMEM;
    cpu.page = MAP_FAILED;
    for (size_t i = size; i < N_PAGES && cpu.page == MAP_FAILED; i++) {
        cpu.n_bytes = PAGES[i] * buffers->page_bytes;
        cpu.page = mmap(NULL, buffers->page_bytes + cpu.n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu.fd, 0);
        error = errno;
    }
    if (cpu.page == MAP_FAILED) {
        close(cpu.fd);
        return -error;
    }
    buffers->cpus[buffers->n_buffers++] = cpu;
    return 0;
}

static struct rv_perf_buffers *open_cpus(enum beginning begin, bool is_crowd, int *error)
{
    struct rv_perf_buffers *buffers = rv_alloc(1, sizeof *buffers);
    long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
    buffers->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    buffers->cpus = rv_alloc(n_cpus > 0 ? 2 * (size_t)n_cpus : 1, sizeof *buffers->cpus);
    buffers->by_next = rv_alloc(n_cpus > 0 ? 2 * (size_t)n_cpus : 1, sizeof *buffers->by_next);
    *error = 0;
    for (int i = 0; i < n_cpus && !*error; i++) {
        const struct cpu cpu = {.number = (uint16_t)i, .fd = open_event(0, i, begin)};
        *error = add_buffer(buffers, cpu, first_size((size_t)n_cpus, is_crowd));
        if (*error == -ENODEV) /* switched off */
            *error = 0;
    }
    buffers->n_cpus = buffers->n_buffers;
    if (!*error && buffers->n_cpus)
        return buffers;
    rv_perf_buffers_close(buffers);
    return NULL;
}

struct rv_perf_buffers *rv_perf_buffers_open(int *error)
{
    return open_cpus(WITH_EXEC, false, error);
}

static void close_buffers(struct rv_perf_buffers *buffers, size_t n_left)
{
    while (buffers->n_buffers > n_left) {
        const struct cpu *cpu = &buffers->cpus[--buffers->n_buffers];
        munmap(cpu->page, buffers->page_bytes + cpu->n_bytes);
        close(cpu->fd);
    }
}

int rv_perf_buffers_add_wakes(struct rv_perf_buffers *buffers)
{
    const size_t n_cpus = buffers->n_cpus, size = first_size(n_cpus, false);
    int error = rv_sched_waking_find(&buffers->waking);
    for (size_t i = 0; i < n_cpus && !error; i++) {
        const uint16_t number = buffers->cpus[i].number;
        const struct cpu cpu = {.number = number, .has_wakes = true, .fd = open_wakes(&buffers->waking, number)};
        error = add_buffer(buffers, cpu, size);
    }
    if (error)
        close_buffers(buffers, n_cpus);
    return error;
}

/* ---- threads of a process ---- */

static int open_on_cpu(struct rv_perf_buffers *buffers, pid_t tid, const struct cpu *cpu)
{
    const int fd = open_event(tid, cpu->number, AT_ONCE);
    if (fd < 0)
        return fd;
    buffers->events =
        rv_vec_reserve(buffers->events, &buffers->events_capacity, buffers->n_events + 1, sizeof *buffers->events);
    buffers->events[buffers->n_events++] = fd;
    if (fd >= buffers->first_spare)
        return -EMFILE;
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->fd) == 0 ? 0 : -errno;
}

/* The kernel reports no switch of it before it runs again. */
static void look_at_state(struct rv_perf_buffers *buffers, pid_t tid)
{
    struct blocked blocked = {(uint32_t)buffers->opening, (uint32_t)tid, rv_clock_mono_ns(), 0};
    if (!rv_os_thread_is_blocked(tid, &blocked.cpu))
        return;
    buffers->blocked =
        rv_vec_reserve(buffers->blocked, &buffers->blocked_capacity, buffers->n_blocked + 1, sizeof *buffers->blocked);
    buffers->blocked[buffers->n_blocked++] = blocked;
}

bool rv_perf_buffers_take_blocked(struct rv_perf_buffers *buffers, struct rv_perf_record *record)
{
    if (!buffers->n_blocked)
        return false;
    const struct blocked *blocked = &buffers->blocked[--buffers->n_blocked];
    *record = (struct rv_perf_record){.kind = RV_PERF_SWITCH,
                                      .state = RV_THREAD_BLOCKED,
                                      .cpu = blocked->cpu,
                                      .pid = blocked->pid,
                                      .tid = blocked->tid,
                                      .mono_ns = blocked->mono_ns};
    return true;
}

static int open_thread(struct rv_perf_buffers *buffers, pid_t tid)
{
    int error = 0;
    for (size_t i = 0; i < buffers->n_cpus && !error; i++)
        error = open_on_cpu(buffers, tid, &buffers->cpus[i]);
    if (!error)
        look_at_state(buffers, tid);
    return error == -ESRCH ? 0 : error; /* it has ended */
}

static void end_opening(struct rv_perf_buffers *buffers)
{
    if (buffers->process)
        closedir(buffers->process);
    buffers->process = NULL;
    rv_hash_index_fini(&buffers->known);
}

/* The next thread that is not known yet; 0: none in this pass. */
static pid_t find_new_thread(struct rv_perf_buffers *buffers)
{
    for (const struct dirent *entry; (entry = readdir(buffers->process));) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || rv_hash_index_get(&buffers->known, (uint64_t)tid))
            continue;
        rv_hash_index_add(&buffers->known, (uint64_t)tid, 1);
        buffers->n_found++;
        return tid;
    }
    return 0;
}

static int begin_process(struct rv_perf_buffers *buffers, pid_t pid, DIR *process)
{
    buffers->process = process;
    buffers->opening = pid;
    rv_hash_index_add(&buffers->known, (uint64_t)pid, 1);
    buffers->n_found = 1;
    buffers->n_passes = 0;
    return open_thread(buffers, pid);
}

static DIR *open_threads(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return opendir(path);
}

void rv_perf_buffers_add_process(struct rv_perf_buffers *buffers, pid_t pid)
{
    buffers->processes = rv_vec_reserve(buffers->processes, &buffers->processes_capacity, buffers->n_processes + 1,
                                        sizeof *buffers->processes);
    buffers->processes[buffers->n_processes++] = pid;
}

/* Returns whether there is another pass. */
static bool begin_pass(struct rv_perf_buffers *buffers)
{
    if (!buffers->n_found || ++buffers->n_passes == MOST_PASSES)
        return false;
    buffers->n_found = 0;
    rewinddir(buffers->process);
    return true;
}

static void refuse(struct rv_perf_buffers *buffers, pid_t pid)
{
    buffers->refused =
        rv_vec_reserve(buffers->refused, &buffers->refused_capacity, buffers->n_refused + 1, sizeof *buffers->refused);
    buffers->refused[buffers->n_refused++] = pid;
}

/* A process that perf refuses is left, with its other threads; when descriptors are used up, so are all. */
static void leave_process(struct rv_perf_buffers *buffers, int error)
{
    buffers->error = error;
    refuse(buffers, buffers->opening);
    while (error == -EMFILE && buffers->n_processes)
        refuse(buffers, buffers->processes[--buffers->n_processes]);
    end_opening(buffers);
}

bool rv_perf_buffers_refuse(const struct rv_perf_buffers *buffers, pid_t pid)
{
    size_t i = 0;
    while (i < buffers->n_refused && buffers->refused[i] != pid)
        i++;
    return i < buffers->n_refused;
}

static int open_next_thread(struct rv_perf_buffers *buffers)
{
    const pid_t tid = find_new_thread(buffers);
    if (tid)
        return open_thread(buffers, tid);
    if (!begin_pass(buffers))
        end_opening(buffers);
    return 0;
}

static int open_next_process(struct rv_perf_buffers *buffers)
{
    const pid_t pid = buffers->processes[--buffers->n_processes];
    DIR *process = open_threads(pid);
    return process ? begin_process(buffers, pid, process) : 0; /* it has ended */
}

void rv_perf_buffers_open_some(struct rv_perf_buffers *buffers)
{
    const uint64_t begin_ns = rv_perf_buffers_is_opening(buffers) ? rv_clock_mono_ns() : 0;
    while (rv_perf_buffers_is_opening(buffers) && rv_clock_mono_ns() - begin_ns < OPENING_NS) {
        const int error = buffers->process ? open_next_thread(buffers) : open_next_process(buffers);
        if (error)
            leave_process(buffers, error);
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

static int begin_opening(struct rv_perf_buffers *buffers, pid_t pid, DIR *process)
{
    const int n_descriptors = allow_most_descriptors();
    const int n_half = n_descriptors / 2;
    buffers->first_spare = n_descriptors - (n_half < SPARE_DESCRIPTORS ? n_half : SPARE_DESCRIPTORS);
    return begin_process(buffers, pid, process);
}

/* Its links are its threads and two more. */
static bool is_crowd(DIR *process)
{
    struct stat status;
    return fstat(dirfd(process), &status) == 0 && status.st_nlink > CROWD;
}

struct rv_perf_buffers *rv_perf_buffers_open_process(pid_t pid, int *error)
{
    DIR *process = open_threads(pid);
    *error = -ESRCH;
    if (!process)
        return NULL;
    struct rv_perf_buffers *buffers = open_cpus(NEVER, is_crowd(process), error);
    if (!buffers) {
        closedir(process);
        return NULL;
    }
    *error = begin_opening(buffers, pid, process);
    if (!*error)
        return buffers;
    rv_perf_buffers_close(buffers);
    return NULL;
}

bool rv_perf_buffers_is_opening(const struct rv_perf_buffers *buffers)
{
    return buffers->process || buffers->n_processes;
}

int rv_perf_buffers_error(const struct rv_perf_buffers *buffers)
{
    return buffers->error;
}

void rv_perf_buffers_close(struct rv_perf_buffers *buffers)
{
    if (!buffers)
        return;
    close_buffers(buffers, 0);
    for (size_t i = 0; i < buffers->n_events; i++)
        close(buffers->events[i]);
    end_opening(buffers);
    free(buffers->events);
    free(buffers->blocked);
    free(buffers->processes);
    free(buffers->refused);
    free(buffers->cpus);
    free(buffers->by_next);
    free(buffers);
}

size_t rv_perf_buffers_n(const struct rv_perf_buffers *buffers)
{
    return buffers->n_buffers;
}

/* ---- records ---- */

static enum rv_thread_state state_of(const struct perf_event_header *header)
{
    if (!(header->misc & PERF_RECORD_MISC_SWITCH_OUT))
        return RV_THREAD_RUNNING;
    return header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? RV_THREAD_PREEMPTED : RV_THREAD_BLOCKED;
}

/* A record where it is, or where it wraps around the end of the buffer, a copy of it. Its header never does. */
static const union record *record_at(const struct rv_perf_buffers *buffers, const struct cpu *cpu, uint64_t at,
                                     union record *room)
{
    const char *records = (const char *)cpu->page + buffers->page_bytes;
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
    const size_t rest = sizeof(struct name_record) - RV_PERF_NAME_BYTES;
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
    case PERF_RECORD_SAMPLE:
        return record->woke.mono_ns;
    case PERF_RECORD_COMM:
        return is_sound_name(&record->header)
                   ? ((const uint64_t *)(const void *)record)[record->header.size / sizeof(uint64_t) - 1]
                   : 0;
    default:
        return 0;
    }
}

static bool translate_wake(const struct rv_sched_waking *waking, const struct wake_record *from,
                           struct rv_perf_record *to)
{
    const size_t n_room = from->header.size - offsetof(struct wake_record, bytes);
    const size_t n_bytes = from->n_bytes < n_room ? from->n_bytes : n_room;
    to->kind = RV_PERF_WAKE;
    to->waker_pid = from->pid;
    to->waker_tid = from->tid;
    return rv_sched_waking_decode(waking, from->bytes, n_bytes < MOST_RAW_BYTES ? n_bytes : MOST_RAW_BYTES, &to->tid,
                                  &to->context);
}

static enum rv_perf_record_kind loss_of(const struct cpu *cpu)
{
    return cpu->has_wakes ? RV_PERF_WAKES_LOSS : RV_PERF_LOSS;
}

/* Returns false: the record is of no interest. */
static bool translate(const struct rv_perf_buffers *buffers, struct cpu *cpu, const union record *from,
                      struct rv_perf_record *to)
{
    const struct perf_event_header *header = &from->header;
    to->mono_ns = cpu->next_ns;
    to->cpu = cpu->number;
    if (header->type == PERF_RECORD_SWITCH && header->size >= sizeof from->switched) {
        to->kind = RV_PERF_SWITCH;
        to->state = state_of(header);
        to->pid = from->switched.pid;
        to->tid = from->switched.tid;
        cpu->last_ns = to->mono_ns;
    } else if (header->type == PERF_RECORD_LOST && header->size >= sizeof from->lost) {
        to->kind = loss_of(cpu);
        to->from_ns = cpu->last_ns + 1;
        to->n_lost = from->lost.n - cpu->is_counted;
        cpu->is_counted = false;
    } else if ((header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT) &&
               header->size >= sizeof from->task) {
        to->kind = header->type == PERF_RECORD_FORK ? RV_PERF_BEGIN : RV_PERF_END;
        to->pid = from->task.pid;
        to->tid = from->task.tid;
        to->parent_tid = from->task.parent_tid;
    } else if (header->type == PERF_RECORD_SAMPLE && header->size >= offsetof(struct wake_record, bytes)) {
        cpu->last_ns = to->mono_ns;
        return translate_wake(&buffers->waking, &from->woke, to);
    } else if (header->type == PERF_RECORD_COMM && is_sound_name(header)) {
        to->kind = RV_PERF_NAME;
        to->pid = from->named.pid;
        to->tid = from->named.tid;
        strncpy(to->name, from->named.name, sizeof to->name);
        to->is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
    } else {
        return false;
    }
    return true;
}

static void find_next(const struct rv_perf_buffers *buffers, struct cpu *cpu)
{
    cpu->next_ns = UINT64_MAX;
    if (cpu->at >= cpu->head)
        return;
    cpu->next = record_at(buffers, cpu, cpu->at, &cpu->room);
    if (cpu->next->header.size < sizeof cpu->next->header) { /* no kernel writes that */
        cpu->at = cpu->head;
        return;
    }
    cpu->next_ns = time_of(cpu->next);
}

static void begin_buffer(struct rv_perf_buffers *buffers, struct cpu *cpu)
{
    cpu->at = __atomic_load_n(&cpu->page->data_tail, __ATOMIC_RELAXED);
    cpu->head = __atomic_load_n(&cpu->page->data_head,
                                __ATOMIC_ACQUIRE); /* Switch1 <- Kernel1; the kernel: Kernel1 -> Switch1 */
    const unsigned percent = (unsigned)((cpu->head - cpu->at) * 100 / cpu->n_bytes);
    buffers->percent_full = percent > buffers->percent_full ? percent : buffers->percent_full;
    cpu->is_full = cpu->n_bytes - (cpu->head - cpu->at) <=
                   (cpu->has_wakes ? sizeof(struct wake_record) : sizeof(struct switch_record));
    find_next(buffers, cpu);
}

/* Let the kernel write where records were read. */
static void end_buffer(struct cpu *cpu)
{
    if (cpu->at != cpu->page->data_tail)
        __atomic_store_n(&cpu->page->data_tail, cpu->at,
                         __ATOMIC_RELEASE); /* Switch2 -> Kernel2; the kernel: Kernel2 <- Switch2 */
}

/* ---- all buffers, by time ---- */

static uint64_t next_ns(const struct rv_perf_buffers *buffers, size_t i)
{
    return i < buffers->n_buffers ? buffers->by_next[i]->next_ns : UINT64_MAX;
}

/* The child of this place in the heap that has the earlier record. */
static size_t earlier_child(const struct rv_perf_buffers *buffers, size_t i)
{
    return 2 * i + 1 + (next_ns(buffers, 2 * i + 2) < next_ns(buffers, 2 * i + 1));
}

/* The CPU at this place may have a later record than before. */
static void sift_down(struct rv_perf_buffers *buffers, size_t i)
{
    struct cpu *cpu = buffers->by_next[i];
    for (size_t child; child = earlier_child(buffers, i), next_ns(buffers, child) < cpu->next_ns; i = child)
        buffers->by_next[i] = buffers->by_next[child];
    buffers->by_next[i] = cpu;
}

/* The first CPU of the heap has another next record. */
static void sift_first(struct rv_perf_buffers *buffers)
{
    sift_down(buffers, 0);
    buffers->second_ns = next_ns(buffers, earlier_child(buffers, 0));
}

void rv_perf_buffers_begin(struct rv_perf_buffers *buffers, uint64_t until_ns)
{
    buffers->percent_full = 0;
    buffers->until_ns = until_ns;
    for (size_t i = 0; i < buffers->n_buffers; i++) {
        buffers->by_next[i] = &buffers->cpus[i];
        begin_buffer(buffers, &buffers->cpus[i]);
    }
    for (size_t i = buffers->n_buffers / 2; i-- > 1;)
        sift_down(buffers, i);
    sift_first(buffers);
}

static bool take_next(struct rv_perf_buffers *buffers, struct cpu *cpu, struct rv_perf_record *record)
{
    const bool is_told = translate(buffers, cpu, cpu->next, record);
    record->buffer = (uint32_t)(cpu - buffers->cpus);
    cpu->at += cpu->next->header.size;
    find_next(buffers, cpu);
    if (cpu->next_ns > buffers->second_ns)
        sift_first(buffers);
    return is_told;
}

/* One more record at least found no room in a full buffer. False: no other is full, and all are ended. */
static bool end_buffers(struct rv_perf_buffers *buffers, struct rv_perf_record *record)
{
    for (size_t i = 0; i < buffers->n_buffers; i++) {
        struct cpu *cpu = &buffers->cpus[i];
        end_buffer(cpu);
        if (!cpu->is_full)
            continue;
        *record = (struct rv_perf_record){.kind = loss_of(cpu),
                                          .buffer = (uint32_t)i,
                                          .cpu = cpu->number,
                                          .from_ns = cpu->last_ns + 1,
                                          .mono_ns = buffers->until_ns,
                                          .n_lost = !cpu->is_counted};
        cpu->is_full = false;
        cpu->is_counted = true;
        return true;
    }
    return false;
}

bool rv_perf_buffers_next(struct rv_perf_buffers *buffers, struct rv_perf_record *record)
{
    while (buffers->n_buffers && buffers->by_next[0]->next_ns <= buffers->until_ns)
        if (take_next(buffers, buffers->by_next[0], record))
            return true;
    return end_buffers(buffers, record);
}

unsigned rv_perf_buffers_percent_full(const struct rv_perf_buffers *buffers)
{
    return buffers->percent_full;
}

uint64_t rv_perf_buffers_last_ns(const struct rv_perf_buffers *buffers)
{
    uint64_t last_ns = 0;
    for (size_t i = 0; i < buffers->n_cpus; i++)
        last_ns = buffers->cpus[i].last_ns > last_ns ? buffers->cpus[i].last_ns : last_ns;
    return last_ns;
}
