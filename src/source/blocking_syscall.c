#include "source/blocking_syscall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/link_kind.h"
#include "base/os.h"
#include "base/syscall_names.h"

static const struct {
    const char *name;
    enum rv_wait_kind kind;
    bool has_file; /* its first argument is a descriptor */
} BLOCKING[] = {
    {"futex", RV_WAIT_FUTEX, false},
    {"nanosleep", RV_WAIT_SLEEP, false},
    {"clock_nanosleep", RV_WAIT_SLEEP, false},
    {"read", RV_WAIT_READ, true},
    {"readv", RV_WAIT_READ, true},
    {"pread64", RV_WAIT_READ, true},
    {"recvfrom", RV_WAIT_READ, true},
    {"recvmsg", RV_WAIT_READ, true},
    {"recvmmsg", RV_WAIT_READ, true},
    {"write", RV_WAIT_WRITE, true},
    {"writev", RV_WAIT_WRITE, true},
    {"pwrite64", RV_WAIT_WRITE, true},
    {"sendto", RV_WAIT_WRITE, true},
    {"sendmsg", RV_WAIT_WRITE, true},
    {"poll", RV_WAIT_POLL, false},
    {"ppoll", RV_WAIT_POLL, false},
    {"select", RV_WAIT_POLL, false},
    {"pselect6", RV_WAIT_POLL, false},
    {"epoll_wait", RV_WAIT_POLL, false},
    {"epoll_pwait", RV_WAIT_POLL, false},
    {"epoll_pwait2", RV_WAIT_POLL, false},
    {"accept", RV_WAIT_ACCEPT, true},
    {"accept4", RV_WAIT_ACCEPT, true},
    {"connect", RV_WAIT_CONNECT, true},
    {"fsync", RV_WAIT_SYNC, true},
    {"fdatasync", RV_WAIT_SYNC, true},
    {"flock", RV_WAIT_FILE_LOCK, true},
    {"wait4", RV_WAIT_PROCESS, false},
    {"waitid", RV_WAIT_PROCESS, false},
    {"pause", RV_WAIT_SIGNAL, false},
    {"rt_sigsuspend", RV_WAIT_SIGNAL, false},
    {"rt_sigtimedwait", RV_WAIT_SIGNAL, false},
    {"msgrcv", RV_WAIT_MESSAGE, false},
    {"msgsnd", RV_WAIT_MESSAGE, false},
    {"mq_timedreceive", RV_WAIT_MESSAGE, false},
    {"mq_timedsend", RV_WAIT_MESSAGE, false},
};
enum { N_BLOCKING = sizeof BLOCKING / sizeof *BLOCKING };

static enum rv_wait_on file_of(pid_t tid, uint64_t descriptor)
{
    char link[64], path[64];
    (void)snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)tid, (int)descriptor);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? rv_link_kind(path) : RV_WAIT_ON_NOTHING;
}

bool rv_blocking_syscall_find(pid_t tid, struct rv_blocking_syscall *found)
{
    /* "202 0x7f.. 0x80 ...": the call's number and its arguments; "running"; "-1 ..." outside of calls. */
    char line[256], *end;
    if (!rv_os_read_proc(tid, "syscall", line, sizeof line) || line[0] < '0' || line[0] > '9')
        return false;
    const unsigned long number = strtoul(line, &end, 10);
    const char *name = number < RV_SYSCALLS ? rv_syscall_name((unsigned)number) : NULL;
    const uint64_t first = strtoull(end, NULL, 16);
    for (size_t i = 0; name && i < N_BLOCKING; i++) {
        if (strcmp(name, BLOCKING[i].name) != 0)
            continue;
        found->kind = BLOCKING[i].kind;
        found->object = found->kind == RV_WAIT_FUTEX ? first : RV_WAIT_ON_NOTHING;
        if (BLOCKING[i].has_file)
            found->object = file_of(tid, first);
        return true;
    }
    return false;
}
