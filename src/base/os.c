/* Linux calls. Functions that a traced process may call from a signal handler use system calls only and keep errno. */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/own_syscalls.h"

_Thread_local unsigned rv_os_n_own;

#define NS_PER_SECOND 1000000000u
#define STAT_STATE 3 /* fields of /proc/PID/stat, as proc(5) numbers them */
#define STAT_FLAGS 9
#define STAT_START 22
#define STAT_CPU 39

int rv_os_futex_wait(const uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    struct timespec timeout = {(time_t)(timeout_ns / NS_PER_SECOND), (long)(timeout_ns % NS_PER_SECOND)};
    const long woken =
        rv_os_call(SYS_futex, RV_OS_POINTER(word), FUTEX_WAIT, (long)expected, RV_OS_POINTER(&timeout), 0, 0);
    return woken < 0 ? (int)woken : 0;
}

static void wake(uint32_t *word, int n)
{
    (void)rv_os_call(SYS_futex, RV_OS_POINTER(word), FUTEX_WAKE, n, 0, 0, 0);
}

void rv_os_futex_wake(uint32_t *word)
{
    wake(word, INT32_MAX);
}

void rv_os_futex_wake_one(uint32_t *word)
{
    wake(word, 1);
}

/* "/proc/PID/NAME", without stdio. */
static void proc_path(char *path, pid_t pid, const char *name)
{
    char digits[12];
    unsigned value = (unsigned)pid;
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
    } while (value /= 10);

    memcpy(path, "/proc/", 6);
    path += 6;
    while (n > 0)
        *path++ = digits[--n];
    *path++ = '/';
    strcpy(path, name);
}

int rv_os_open_proc(pid_t pid, const char *name)
{
    char path[64];
    if (pid <= 0)
        return -ESRCH;
    proc_path(path, pid, name);
    return (int)rv_os_call(SYS_openat, AT_FDCWD, RV_OS_POINTER(path), O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

size_t rv_os_read_proc(pid_t pid, const char *name, char *out, size_t out_bytes)
{
    const int fd = rv_os_open_proc(pid, name);
    const long n = fd < 0 ? 0 : rv_os_call(SYS_read, fd, RV_OS_POINTER(out), (long)out_bytes - 1, 0, 0, 0);
    if (fd >= 0)
        (void)rv_os_call(SYS_close, fd, 0, 0, 0, 0, 0);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

pid_t rv_os_proc_pid(void)
{
    char digits[12];
    int saved = errno;
    ssize_t n = readlink("/proc/self", digits, sizeof digits);
    pid_t pid = 0;
    for (ssize_t i = 0; i < n; i++)
        pid = pid * 10 + (digits[i] - '0');
    errno = saved;
    return pid ? pid : getpid();
}

/* Field 2 is the program's name in parentheses and may contain anything: count from the last ')'. */
static const char *find_field(const char *stat, size_t n_bytes, int field)
{
    const char *at = memrchr(stat, ')', n_bytes);
    for (int i = 2; at && i < field; i++) {
        at = strchr(at, ' ');
        if (at)
            at++;
    }
    return at;
}

struct stat_text { /* of /proc/PID/stat; empty when the process is gone */
    char bytes[1024];
    size_t n;
};

static void read_stat(pid_t pid, struct stat_text *stat)
{
    stat->n = rv_os_read_proc(pid, "stat", stat->bytes, sizeof stat->bytes);
}

static char state_in(const struct stat_text *stat)
{
    const char *at = find_field(stat->bytes, stat->n, STAT_STATE);
    return at ? *at : '\0';
}

static uint64_t number_in(const struct stat_text *stat, int field)
{
    uint64_t value = 0;
    for (const char *at = find_field(stat->bytes, stat->n, field); at && *at >= '0' && *at <= '9'; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

char rv_os_process_state(pid_t pid)
{
    struct stat_text stat;
    read_stat(pid, &stat);
    return state_in(&stat);
}

bool rv_os_thread_is_blocked(pid_t tid, uint16_t *cpu)
{
    struct stat_text stat;
    read_stat(tid, &stat);
    const char state = state_in(&stat);
    *cpu = (uint16_t)number_in(&stat, STAT_CPU);
    return state == 'S' || state == 'D';
}

uint64_t rv_os_process_start(pid_t pid)
{
    struct stat_text stat;
    read_stat(pid, &stat);
    return number_in(&stat, STAT_START);
}

/* A process that is ending loses its memory before it is a zombie. */
bool rv_os_process_has_ended(pid_t pid)
{
    enum { EXITING = 4 }; /* PF_EXITING of the kernel's flags */
    struct stat_text stat;
    read_stat(pid, &stat);
    const char state = state_in(&stat);
    return !state || state == 'Z' || state == 'X' || (number_in(&stat, STAT_FLAGS) & EXITING) != 0;
}

uid_t rv_os_process_user(pid_t pid)
{
    char status[1024];
    unsigned user;
    (void)rv_os_read_proc(pid, "status", status, sizeof status);
    const char *at = strstr(status, "\nUid:");
    return at && sscanf(at, " Uid: %*u %u", &user) == 1 ? user : (uid_t)-1;
}

void rv_os_block_signals(sigset_t *before)
{
    static const int CAUSED[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof CAUSED / sizeof *CAUSED; i++)
        sigdelset(&blocked, CAUSED[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

void rv_os_start_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    int error = pthread_create(thread, NULL, run, context);
    if (error == 0)
        return;
    rv_err(error, "cannot start a thread: %s", strerror(error));
    quick_exit(EXIT_FAILURE);
}

void rv_os_schedule_bulk(void)
{
    struct sched_param param;
    int policy;
    if (pthread_getschedparam(pthread_self(), &policy, &param) == 0 && policy == SCHED_OTHER)
        (void)pthread_setschedparam(pthread_self(), SCHED_BATCH, &param);
}

void rv_os_init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void rv_os_init_shared_lock(pthread_rwlock_t *lock)
{
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
}

bool rv_os_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, uint64_t end_ns)
{
    struct timespec end = {(time_t)(end_ns / NS_PER_SECOND), (long)(end_ns % NS_PER_SECOND)};
    return pthread_cond_timedwait(condition, lock, &end) != ETIMEDOUT;
}

pid_t rv_os_tid(void)
{
    return (pid_t)syscall(SYS_gettid);
}

unsigned rv_os_n_cpus(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0)
        return (unsigned)CPU_COUNT(&cpus);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

uint64_t rv_os_ram_bytes(void)
{
    long n_pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return n_pages > 0 && page_bytes > 0 ? (uint64_t)n_pages * (uint64_t)page_bytes : 0;
}

static pthread_once_t statm_once = PTHREAD_ONCE_INIT;
static int statm_fd;

static void open_statm(void)
{
    statm_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

/* It stays open: an idle session asks 20 times a second, and to open the file takes longer than all its other work. */
uint64_t rv_os_resident_bytes(void)
{
    char text[128];
    unsigned long long n_pages = 0;
    pthread_once(&statm_once, open_statm);
    ssize_t n = pread(statm_fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    long page_bytes = sysconf(_SC_PAGESIZE);
    return sscanf(text, "%*u %llu", &n_pages) == 1 && page_bytes > 0 ? n_pages * (uint64_t)page_bytes : 0;
}

uint64_t rv_os_resident_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static bool is_in_memory(const char *folder)
{
    struct statfs status;
    return statfs(folder, &status) == 0 && (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

static const char *spool_folder(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder && *folder)
        return folder;
    return is_in_memory("/tmp") && access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

uint64_t rv_os_spool_room(void)
{
    struct statvfs status;
    if (is_in_memory(spool_folder()))
        return 0;
    return statvfs(spool_folder(), &status) == 0 ? (uint64_t)status.f_bavail * status.f_frsize : 0;
}

int rv_os_open_spool(const char *purpose)
{
    const char *folder = spool_folder();
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/ringviz-XXXXXX", folder) >= sizeof path)
        return rv_err(ENAMETOOLONG, "%s: path too long", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return rv_err_sys("%s: no temporary file for %s (TMPDIR chooses the folder)", folder, purpose);
    (void)unlink(path);
    return fd;
}

bool rv_os_is_same_file(const char *path, const char *other)
{
    struct stat here, there;
    return stat(path, &here) == 0 && stat(other, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

int rv_os_make_folders(const char *path)
{
    char folder[PATH_MAX];
    if ((size_t)snprintf(folder, sizeof folder, "%s", path) >= sizeof folder)
        return -ENAMETOOLONG;
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return 0;
}

void rv_os_sleep_ns(uint64_t duration_ns)
{
    struct timespec rest = {(time_t)(duration_ns / NS_PER_SECOND), (long)(duration_ns % NS_PER_SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
        continue;
}
