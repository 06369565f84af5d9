/*
 * The functions of the C library in which a thread may block, in front of it: what blocked for long becomes a wait, which
 * is written when it is over. So one that does not block costs two looks at the clock, and one that is cancelled, or left
 * by a jump, leaves nothing behind. Of one that does not end, the thread's ring tells.
 *
 * A thread that has no ring is left alone. Functions that call these within the C library, such as those of streams, are
 * not seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own_syscalls.h"
#include "producers/native/creator.h"
#include "producers/native/ended_child.h"
#include "producers/native/has_waited.h"
#include "producers/native/epoll_files.h"
#include "producers/native/file_kind.h"
#include "producers/native/file_lock.h"
#include "producers/native/file_queue.h"
#include "producers/native/file_text.h"
#include "producers/native/next_function.h"
#include "producers/native/pipe_socket_wakers.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "producers/native/wait_records.h"

#define NO_FILE (-1)

/* ---- the intercepted functions ---- */

/* Those that check the size of a buffer have no declaration of their own. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
                       socklen_t *restrict n_from);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *signals, size_t room);

/* clang-format off */
#define FUNCTIONS(one)                                                                                                 \
    one(nanosleep) one(clock_nanosleep) one(usleep) one(sleep)                                                         \
    one(read) one(readv) one(pread) one(pread64) one(preadv) one(preadv64) one(__read_chk) one(__pread_chk)            \
    one(__pread64_chk)                                                                                                 \
    one(write) one(writev) one(pwrite) one(pwrite64) one(pwritev) one(pwritev64)                                       \
    one(recv) one(recvfrom) one(recvmsg) one(recvmmsg) one(__recv_chk) one(__recvfrom_chk)                             \
    one(send) one(sendto) one(sendmsg) one(sendmmsg) one(sendfile) one(sendfile64) one(splice)                         \
    one(poll) one(ppoll) one(__poll_chk) one(__ppoll_chk) one(select) one(pselect)                                     \
    one(epoll_wait) one(epoll_pwait) one(epoll_pwait2) one(epoll_ctl)                                                               \
    one(accept) one(accept4) one(connect) one(socketpair)                                                              \
    one(close) one(fclose) one(close_range) one(closefrom) one(dup2) one(dup3)                                         \
    one(fsync) one(fdatasync) one(msync) one(sync_file_range)                                                          \
    one(flock) one(lockf) one(lockf64) one(fcntl) one(fcntl64)                                                         \
    one(wait) one(waitpid) one(waitid) one(wait3) one(wait4) one(system) one(pclose)                                   \
    one(pause) one(sigsuspend) one(sigwait) one(sigwaitinfo) one(sigtimedwait)                                         \
    one(msgrcv) one(msgsnd) one(semop) one(semtimedop)                                                                 \
    one(mq_receive) one(mq_timedreceive) one(mq_send) one(mq_timedsend)
/* clang-format on */

#define AS_INDEX(function) I_##function,
#define AS_ENTRY(function) {.name = #function},

enum { FUNCTIONS(AS_INDEX) N_FUNCTIONS };
static struct rv_next_function next_functions[N_FUNCTIONS] = {FUNCTIONS(AS_ENTRY)};

#define NEXT(function) ((__typeof__(&function))(uintptr_t)rv_next_function(&next_functions[I_##function]))

/* Later, dlsym() might wait for a lock of the loader, or be called by a signal handler. */
__attribute__((constructor)) static void start(void)
{
    for (unsigned i = 0; i < N_FUNCTIONS; i++)
        (void)rv_next_function(&next_functions[i]);
}

/* ---- waits ---- */

/*
 * A blocking call that the thread has entered. The thread's ring has it, too, in case the thread is killed in the call.
 */
struct blocking {
    uint64_t began; /* ticks; 0: the thread is not traced */
    uint64_t *word; /* the ring's word for it, */
    uint64_t outer; /* and its value before: a handler may have interrupted another such call */
};

static __attribute__((noinline)) uint64_t read_clock(void)
{
    return rv_wait_is_traced() ? rv_clock_ticks(rv_process_map()->clock.kind) : 0;
}

/* The time in ticks; 0: the thread is not traced. A pusher with a limit has the TSC as its clock. */
static inline uint64_t now(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(rv_thread.pusher.limit != 0, 1))
        return __builtin_ia32_rdtsc();
#endif
    return read_clock();
}

static inline struct blocking begin(enum rv_wait_kind kind)
{
    struct blocking call = {.began = now()};
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    if (!call.began || !state || !state->ring.control)
        return (struct blocking){0};
    rv_has_waited_begin();
    call.word = &state->ring.control->blocking;
    call.outer = __atomic_load_n(call.word, __ATOMIC_RELAXED);
    __atomic_store_n(call.word, call.began << RV_BLOCKING_KIND_BITS | kind, __ATOMIC_RELAXED);
    return call;
}

/* Leave the call. Returns whether it took long. */
static inline bool end(const struct blocking *call)
{
    if (!call->began)
        return false;
    __atomic_store_n(call->word, call->outer, __ATOMIC_RELAXED);
    return __builtin_expect(now() - call->began >= RV_WAIT_LONG_TICKS, 0);
}

/* 0: an event, or the program, has given the ring back meanwhile. */
static uint32_t own_tid(void)
{
    const struct rv_pusher_state *state = rv_thread.pusher.state;
    const struct rv_wire_control *control = state ? state->ring.control : NULL;
    return control ? control->owner_tid : 0;
}

/* Who ended it: the thread that did the opposite to what is at the file's other end. */
static struct rv_transfer find_peer(enum rv_wait_kind kind, int fd, enum rv_wait_on on, uint64_t began)
{
    switch (kind) {
    case RV_WAIT_READ:
    case RV_WAIT_POLL:
    case RV_WAIT_ACCEPT:
        return rv_pipe_socket_wakers_find(fd, RV_TRANSFER_WRITE, on, began, own_tid());
    case RV_WAIT_WRITE:
        return rv_pipe_socket_wakers_find(fd, RV_TRANSFER_READ, on, began, own_tid());
    default:
        return (struct rv_transfer){0};
    }
}

/* Of what took RV_WAIT_LONG_TICKS, which is all that is known until the monitor has settled the clock. */
static bool is_long(uint64_t began)
{
    const struct rv_clock clock = rv_map_clock(rv_process_map());
    return !clock.mult || rv_clock_to_ns(&clock, now()) - rv_clock_to_ns(&clock, began) >= RV_WAIT_LONG_NS;
}

/* System calls of tracing itself are no waits of the program. */
static bool is_long_wait(uint64_t began)
{
    return is_long(began) && !rv_os_n_own && rv_wait_is_traced() && rv_has_waited();
}

/* May a child's end have ended the call: by the signal that it sends, or that waits for it? error: of one that found no
 * file. */
static bool may_be_of_child(enum rv_wait_kind kind, int fd, int error)
{
    const bool is_interruptible = kind == RV_WAIT_POLL || kind == RV_WAIT_SLEEP;
    return kind == RV_WAIT_SIGNAL || kind == RV_WAIT_PROCESS || (is_interruptible && fd == NO_FILE && error == EINTR);
}

static void write_wait_for_child(uint64_t began, enum rv_wait_kind kind)
{
    const struct rv_ended_child child = rv_ended_child_find(began);
    rv_wait_write_past(&(struct rv_wait_past){.kind = kind,
                                              .began = began,
                                              .waker = child.pid,
                                              .woke = child.ticks,
                                              .wake = child.pid ? RV_WAKE_LIKELY : RV_WAKE_UNKNOWN});
}

/* A wait without a traced waker has the file's name instead. */
static void write_file_wait(uint64_t began, enum rv_wait_kind kind, int fd, bool is_timeout)
{
    const enum rv_wait_on on = rv_file_kind(fd);
    const bool is_timer = is_timeout || on == RV_WAIT_ON_TIMERFD;
    const struct rv_transfer peer = is_timer ? (struct rv_transfer){0} : find_peer(kind, fd, on, began);
    rv_wait_write_past(&(struct rv_wait_past){.kind = kind,
                                              .on = on,
                                              .name = peer.tid ? 0 : rv_file_text_id(fd, on, NULL),
                                              .began = began,
                                              .waker = peer.tid,
                                              .woke = peer.ticks,
                                              .wake = is_timer   ? RV_WAKE_TIMEOUT
                                                      : peer.tid ? RV_WAKE_LIKELY
                                                                 : RV_WAKE_UNKNOWN});
}

/* holder: its pid, of its first thread, too; 0: unknown. wake: where it is known. */
static void write_held_wait(uint64_t began, enum rv_wait_kind kind, uint32_t name, pid_t holder, enum rv_wake wake)
{
    rv_wait_write_past(&(struct rv_wait_past){.kind = kind,
                                              .name = name,
                                              .began = began,
                                              .waker = holder > 0 ? (uint32_t)holder : 0,
                                              .wake = holder > 0 ? wake : RV_WAKE_UNKNOWN});
}

/*
 * A file lock that the thread was refused. Its next sleep counts as a wait for that lock, unless it gets a lock before:
 * after the sleep it asks again, or has given up.
 */
static RV_THREAD_LOCAL struct refused_lock {
    uint32_t name; /* 0: none */
    pid_t holder;
    struct rv_file_lock_file flocked; /* whose holder has not been asked for */
} refused_lock;

/* A program that asks again without a sleep does not wait. */
static __attribute__((noinline)) void find_holder(void)
{
    if (!refused_lock.flocked.inode)
        return;
    refused_lock.holder = rv_file_lock_flock_holder(refused_lock.flocked);
    refused_lock.flocked = (struct rv_file_lock_file){0};
}

static void write_refused_wait(uint64_t began)
{
    const struct refused_lock lock = refused_lock;
    refused_lock = (struct refused_lock){0};
    write_held_wait(began, RV_WAIT_FILE_LOCK, lock.name, lock.holder, RV_WAKE_LIKELY);
}

static __attribute__((noinline)) void write_wait(uint64_t began, enum rv_wait_kind kind, int fd, bool is_timeout)
{
    const int saved = errno;
    const bool is_long = is_long_wait(began);
    if (is_long && kind == RV_WAIT_SLEEP && refused_lock.name)
        write_refused_wait(began);
    else if (is_long && !is_timeout && may_be_of_child(kind, fd, saved))
        write_wait_for_child(began, kind);
    else if (is_long)
        write_file_wait(began, kind, fd, is_timeout);
    errno = saved;
}

static __attribute__((noinline)) void write_child_wait(uint64_t began, pid_t child)
{
    const int saved = errno;
    if (is_long_wait(began))
        write_held_wait(began, RV_WAIT_PROCESS, 0, child, RV_WAKE_OWNER);
    errno = saved;
}

/* is_timeout may name the call's result. */
#define MAY_BLOCK(type, call, kind, fd, is_timeout)                                                                    \
    do {                                                                                                               \
        const struct blocking blocking = begin(kind);                                                                  \
        const type result = call;                                                                                      \
        if (end(&blocking))                                                                                            \
            write_wait(blocking.began, kind, fd, is_timeout);                                                          \
        return result;                                                                                                 \
    } while (0)

/*
 * The thread reads or writes, which may end another's wait. Once a thread was found to wait for this file, the lane
 * gets an event for it.
 */
static inline void tell_transfer(uint32_t key, uint64_t began)
{
    if (!key)
        return;
    struct rv_wire_transfer *entry = rv_pipe_socket_wakers_entry(key);
    const uint32_t on = __atomic_load_n(&entry->on, __ATOMIC_RELAXED);
    if (__builtin_expect(on != RV_WAIT_ON_NOTHING, 0) && on < RV_WAIT_ON_COUNT)
        began = rv_wait_push(RV_EVENT_WAIT, rv_event_word_at(on, RV_WAIT_READ | RV_WAIT_RELEASE));
    rv_pipe_socket_wakers_put(entry, key, began, own_tid());
}

/* key: of the queue that the call changes. */
#define TRANSFER(type, call, kind, key, fd)                                                                            \
    do {                                                                                                               \
        const struct blocking blocking = begin(kind);                                                                  \
        if (blocking.began)                                                                                            \
            tell_transfer(key, blocking.began);                                                                        \
        const type result = call;                                                                                      \
        if (end(&blocking))                                                                                            \
            write_wait(blocking.began, kind, fd, false);                                                               \
        return result;                                                                                                 \
    } while (0)

/* child may name the call's result. */
#define AWAITS_CHILD(type, call, child)                                                                                \
    do {                                                                                                               \
        const struct blocking blocking = begin(RV_WAIT_PROCESS);                                                       \
        const type result = call;                                                                                      \
        if (end(&blocking))                                                                                            \
            write_child_wait(blocking.began, child);                                                                   \
        return result;                                                                                                 \
    } while (0)

#define READS(type, call, fd) TRANSFER(type, call, RV_WAIT_READ, rv_pipe_socket_wakers_key(fd, RV_TRANSFER_READ), fd)
#define WRITES(type, call, fd) TRANSFER(type, call, RV_WAIT_WRITE, rv_pipe_socket_wakers_key(fd, RV_TRANSFER_WRITE), fd)

/* ---- sleep ---- */

#define SLEEPS(type, call, is_timeout)                                                                                 \
    do {                                                                                                               \
        if (refused_lock.name)                                                                                         \
            find_holder();                                                                                             \
        MAY_BLOCK(type, call, RV_WAIT_SLEEP, NO_FILE, is_timeout);                                                     \
    } while (0)

RV_EXPORT int nanosleep(const struct timespec *duration, struct timespec *rest)
{
    SLEEPS(int, NEXT(nanosleep)(duration, rest), result == 0);
}

RV_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *rest)
{
    SLEEPS(int, NEXT(clock_nanosleep)(clock, flags, until, rest), result == 0);
}

RV_EXPORT int usleep(useconds_t us)
{
    SLEEPS(int, NEXT(usleep)(us), result == 0);
}

RV_EXPORT unsigned sleep(unsigned seconds)
{
    SLEEPS(unsigned, NEXT(sleep)(seconds), result == 0);
}

/* ---- read and write ---- */

RV_EXPORT ssize_t read(int fd, void *to, size_t n)
{
    READS(ssize_t, NEXT(read)(fd, to, n), fd);
}

RV_EXPORT ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
    READS(ssize_t, NEXT(__read_chk)(fd, to, n, room), fd);
}

RV_EXPORT ssize_t readv(int fd, const struct iovec *to, int n)
{
    READS(ssize_t, NEXT(readv)(fd, to, n), fd);
}

RV_EXPORT ssize_t pread(int fd, void *to, size_t n, off_t at)
{
    READS(ssize_t, NEXT(pread)(fd, to, n, at), fd);
}

RV_EXPORT ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
    READS(ssize_t, NEXT(pread64)(fd, to, n, at), fd);
}

RV_EXPORT ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
    READS(ssize_t, NEXT(__pread_chk)(fd, to, n, at, room), fd);
}

RV_EXPORT ssize_t __pread64_chk(int fd, void *to, size_t n, off64_t at, size_t room)
{
    READS(ssize_t, NEXT(__pread64_chk)(fd, to, n, at, room), fd);
}

RV_EXPORT ssize_t preadv(int fd, const struct iovec *to, int n, off_t at)
{
    READS(ssize_t, NEXT(preadv)(fd, to, n, at), fd);
}

RV_EXPORT ssize_t preadv64(int fd, const struct iovec *to, int n, off64_t at)
{
    READS(ssize_t, NEXT(preadv64)(fd, to, n, at), fd);
}

RV_EXPORT ssize_t recv(int fd, void *to, size_t n, int flags)
{
    READS(ssize_t, NEXT(recv)(fd, to, n, flags), fd);
}

RV_EXPORT ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
    READS(ssize_t, NEXT(__recv_chk)(fd, to, n, room, flags), fd);
}

RV_EXPORT ssize_t recvfrom(int fd, void *restrict to, size_t n, int flags, __SOCKADDR_ARG from,
                           socklen_t *restrict n_from)
{
    READS(ssize_t, NEXT(recvfrom)(fd, to, n, flags, from, n_from), fd);
}

RV_EXPORT ssize_t __recvfrom_chk(int fd, void *restrict to, size_t n, size_t room, int flags, __SOCKADDR_ARG from,
                                 socklen_t *restrict n_from)
{
    READS(ssize_t, NEXT(__recvfrom_chk)(fd, to, n, room, flags, from, n_from), fd);
}

RV_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    READS(ssize_t, NEXT(recvmsg)(fd, message, flags), fd);
}

RV_EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags, struct timespec *timeout)
{
    READS(int, NEXT(recvmmsg)(fd, messages, n, flags, timeout), fd);
}

RV_EXPORT ssize_t write(int fd, const void *from, size_t n)
{
    WRITES(ssize_t, NEXT(write)(fd, from, n), fd);
}

RV_EXPORT ssize_t writev(int fd, const struct iovec *from, int n)
{
    WRITES(ssize_t, NEXT(writev)(fd, from, n), fd);
}

RV_EXPORT ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    WRITES(ssize_t, NEXT(pwrite)(fd, from, n, at), fd);
}

RV_EXPORT ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at)
{
    WRITES(ssize_t, NEXT(pwrite64)(fd, from, n, at), fd);
}

RV_EXPORT ssize_t pwritev(int fd, const struct iovec *from, int n, off_t at)
{
    WRITES(ssize_t, NEXT(pwritev)(fd, from, n, at), fd);
}

RV_EXPORT ssize_t pwritev64(int fd, const struct iovec *from, int n, off64_t at)
{
    WRITES(ssize_t, NEXT(pwritev64)(fd, from, n, at), fd);
}

RV_EXPORT ssize_t send(int fd, const void *from, size_t n, int flags)
{
    WRITES(ssize_t, NEXT(send)(fd, from, n, flags), fd);
}

RV_EXPORT ssize_t sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG to, socklen_t n_to)
{
    WRITES(ssize_t, NEXT(sendto)(fd, from, n, flags, to, n_to), fd);
}

RV_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    WRITES(ssize_t, NEXT(sendmsg)(fd, message, flags), fd);
}

RV_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned n, int flags)
{
    WRITES(int, NEXT(sendmmsg)(fd, messages, n, flags), fd);
}

RV_EXPORT ssize_t sendfile(int fd, int from, off_t *at, size_t n)
{
    WRITES(ssize_t, NEXT(sendfile)(fd, from, at, n), fd);
}

RV_EXPORT ssize_t sendfile64(int fd, int from, off64_t *at, size_t n)
{
    WRITES(ssize_t, NEXT(sendfile64)(fd, from, at, n), fd);
}

RV_EXPORT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t n, unsigned flags)
{
    READS(ssize_t, NEXT(splice)(from, from_at, to, to_at, n, flags), from);
}

/* ---- poll ---- */

/* The first that is ready; of one file, that. */
static int ready_of_poll(const struct pollfd *fds, nfds_t n, int result)
{
    for (nfds_t i = 0; i < n && result > 0; i++)
        if (fds[i].revents)
            return fds[i].fd;
    return n == 1 && result == 0 ? fds[0].fd : NO_FILE;
}

static int ready_of_select(int n, const fd_set *reads, const fd_set *writes, int result)
{
    for (int fd = 0; fd < n && result > 0 && fd < FD_SETSIZE; fd++)
        if ((reads && FD_ISSET(fd, reads)) || (writes && FD_ISSET(fd, writes)))
            return fd;
    return NO_FILE;
}

RV_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    MAY_BLOCK(int, NEXT(poll)(fds, n, timeout), RV_WAIT_POLL, ready_of_poll(fds, n, result), result == 0);
}

RV_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    MAY_BLOCK(int, NEXT(__poll_chk)(fds, n, timeout, room), RV_WAIT_POLL, ready_of_poll(fds, n, result), result == 0);
}

RV_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *signals)
{
    MAY_BLOCK(int, NEXT(ppoll)(fds, n, timeout, signals), RV_WAIT_POLL, ready_of_poll(fds, n, result), result == 0);
}

RV_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *signals,
                          size_t room)
{
    MAY_BLOCK(int, NEXT(__ppoll_chk)(fds, n, timeout, signals, room), RV_WAIT_POLL, ready_of_poll(fds, n, result),
              result == 0);
}

RV_EXPORT int select(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
                     struct timeval *restrict timeout)
{
    MAY_BLOCK(int, NEXT(select)(n, reads, writes, others, timeout), n ? RV_WAIT_POLL : RV_WAIT_SLEEP,
              ready_of_select(n, reads, writes, result), result == 0);
}

RV_EXPORT int pselect(int n, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict others,
                      const struct timespec *restrict timeout, const sigset_t *restrict signals)
{
    MAY_BLOCK(int, NEXT(pselect)(n, reads, writes, others, timeout, signals), n ? RV_WAIT_POLL : RV_WAIT_SLEEP,
              ready_of_select(n, reads, writes, result), result == 0);
}

/* The first that is ready. */
static int ready_of_epoll(int epoll, const struct epoll_event *events, int result)
{
    return result > 0 ? rv_epoll_files_find(epoll, events[0].data.u64) : NO_FILE;
}

RV_EXPORT int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    const int result = NEXT(epoll_ctl)(epoll, operation, fd, event);
    if (result == 0 && operation != EPOLL_CTL_DEL)
        rv_epoll_files_add(epoll, event->data.u64, fd);
    return result;
}

RV_EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    MAY_BLOCK(int, NEXT(epoll_wait)(fd, events, n, timeout), RV_WAIT_POLL, ready_of_epoll(fd, events, result),
              result == 0);
}

RV_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *signals)
{
    MAY_BLOCK(int, NEXT(epoll_pwait)(fd, events, n, timeout, signals), RV_WAIT_POLL, ready_of_epoll(fd, events, result),
              result == 0);
}

RV_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *timeout,
                           const sigset_t *signals)
{
    MAY_BLOCK(int, NEXT(epoll_pwait2)(fd, events, n, timeout, signals), RV_WAIT_POLL,
              ready_of_epoll(fd, events, result), result == 0);
}

/* ---- connections ---- */

RV_EXPORT int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict n)
{
    MAY_BLOCK(int, NEXT(accept)(fd, from, n), RV_WAIT_ACCEPT, fd, false);
}

RV_EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict n, int flags)
{
    MAY_BLOCK(int, NEXT(accept4)(fd, from, n, flags), RV_WAIT_ACCEPT, fd, false);
}

RV_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t n)
{
    rv_pipe_socket_wakers_forget(fd); /* what it has sent to and received from before */
    TRANSFER(int, NEXT(connect)(fd, to, n), RV_WAIT_CONNECT, rv_pipe_socket_wakers_key_of_address(to.__sockaddr__, n),
             fd);
}

/* Neither socket has a name by which the other could be found. */
RV_EXPORT int socketpair(int domain, int type, int protocol, int fds[2])
{
    const int result = NEXT(socketpair)(domain, type, protocol, fds);
    if (result == 0)
        rv_file_queue_pair(fds[0], fds[1]);
    return result;
}

/* ---- files ---- */

RV_EXPORT int close(int fd)
{
    rv_pipe_socket_wakers_forget(fd);
    return NEXT(close)(fd);
}

static void forget_stream(FILE *stream)
{
    const int saved = errno;
    rv_pipe_socket_wakers_forget(fileno(stream)); /* negative, with an error: it has no file */
    errno = saved;
}

RV_EXPORT int fclose(FILE *stream)
{
    forget_stream(stream);
    return NEXT(fclose)(stream);
}

RV_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    rv_pipe_socket_wakers_forget_range(first, last);
    return NEXT(close_range)(first, last, flags);
}

RV_EXPORT void closefrom(int first)
{
    rv_pipe_socket_wakers_forget_range(first < 0 ? 0 : (unsigned)first, INT_MAX);
    NEXT(closefrom)(first);
}

RV_EXPORT int dup2(int fd, int as)
{
    rv_pipe_socket_wakers_forget(as);
    return NEXT(dup2)(fd, as);
}

RV_EXPORT int dup3(int fd, int as, int flags)
{
    rv_pipe_socket_wakers_forget(as);
    return NEXT(dup3)(fd, as, flags);
}

RV_EXPORT int fsync(int fd)
{
    MAY_BLOCK(int, NEXT(fsync)(fd), RV_WAIT_SYNC, fd, false);
}

RV_EXPORT int fdatasync(int fd)
{
    MAY_BLOCK(int, NEXT(fdatasync)(fd), RV_WAIT_SYNC, fd, false);
}

RV_EXPORT int msync(void *address, size_t n, int flags)
{
    MAY_BLOCK(int, NEXT(msync)(address, n, flags), RV_WAIT_SYNC, NO_FILE, false);
}

RV_EXPORT int sync_file_range(int fd, off64_t from, off64_t n, unsigned flags)
{
    MAY_BLOCK(int, NEXT(sync_file_range)(fd, from, n, flags), RV_WAIT_SYNC, fd, false);
}

/* ---- locks of files ---- */

static __attribute__((noinline)) void write_lock_wait(uint64_t began, int fd, const struct flock *range, pid_t holder)
{
    const int saved = errno;
    refused_lock = (struct refused_lock){0};
    if (is_long_wait(began))
        write_held_wait(began, RV_WAIT_FILE_LOCK, rv_file_text_id(fd, rv_file_kind(fd), range), holder, RV_WAKE_OWNER);
    errno = saved;
}

/* Of a call that does not wait. */
static __attribute__((noinline)) void note_lock(int fd, const struct flock *range, struct refused_lock lock)
{
    const int saved = errno;
    lock.name = rv_wait_is_traced() ? rv_file_text_id(fd, rv_file_kind(fd), range) : 0;
    refused_lock = lock;
    errno = saved;
}

static inline bool is_lock_refused(int result)
{
    return result == -1 && (errno == EAGAIN || errno == EACCES);
}

/* holder: who has it now. range: NULL: none, of all of the file. */
#define LOCKS_FILE(call, fd, range, held_by)                                                                           \
    do {                                                                                                               \
        const struct blocking blocking = begin(RV_WAIT_FILE_LOCK);                                                     \
        const pid_t holder = blocking.began ? held_by : 0;                                                             \
        const int result = call;                                                                                       \
        if (end(&blocking))                                                                                            \
            write_lock_wait(blocking.began, fd, result == 0 ? range : NULL, holder);                                   \
        return result;                                                                                                 \
    } while (0)

RV_EXPORT int flock(int fd, int operation)
{
    if (!(operation & LOCK_NB))
        LOCKS_FILE(NEXT(flock)(fd, operation), fd, NULL, rv_file_lock_expect_flock(fd, operation));
    const int result = NEXT(flock)(fd, operation);
    if (is_lock_refused(result))
        note_lock(fd, NULL, (struct refused_lock){.flocked = rv_file_lock_file(fd)});
    else if (refused_lock.name && !(operation & LOCK_UN))
        refused_lock = (struct refused_lock){0};
    return result;
}

RV_EXPORT int lockf(int fd, int operation, off_t n)
{
    const struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
    if (operation != F_LOCK)
        return NEXT(lockf)(fd, operation, n);
    LOCKS_FILE(NEXT(lockf)(fd, operation, n), fd, &range, rv_file_lock_expect(fd, F_SETLKW, &range));
}

RV_EXPORT int lockf64(int fd, int operation, off64_t n)
{
    const struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = n};
    if (operation != F_LOCK)
        return NEXT(lockf64)(fd, operation, n);
    LOCKS_FILE(NEXT(lockf64)(fd, operation, n), fd, &range, rv_file_lock_expect(fd, F_SETLKW, &range));
}

/* One argument of any type may follow. */
#define TAKE_ARGUMENT(argument, last)                                                                                  \
    va_list arguments;                                                                                                 \
    va_start(arguments, last);                                                                                         \
    void *const argument = va_arg(arguments, void *);                                                                  \
    va_end(arguments)

static bool waits_for_lock(int command)
{
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

/* After a call that did not wait. */
static void follow_lock(int fd, int command, const struct flock *range, int result)
{
    if (command != F_SETLK && command != F_OFD_SETLK)
        return;
    if (is_lock_refused(result))
        note_lock(fd, range, (struct refused_lock){.holder = rv_file_lock_holder(fd, command, range)});
    else if (refused_lock.name && result == 0 && range->l_type != F_UNLCK)
        refused_lock = (struct refused_lock){0};
}

RV_EXPORT int fcntl(int fd, int command, ...)
{
    TAKE_ARGUMENT(argument, command);
    if (waits_for_lock(command))
        LOCKS_FILE(NEXT(fcntl)(fd, command, argument), fd, (const struct flock *)argument,
                   rv_file_lock_expect(fd, command, argument));
    const int result = NEXT(fcntl)(fd, command, argument);
    follow_lock(fd, command, argument, result);
    return result;
}

RV_EXPORT int fcntl64(int fd, int command, ...)
{
    TAKE_ARGUMENT(argument, command);
    if (waits_for_lock(command))
        LOCKS_FILE(NEXT(fcntl64)(fd, command, argument), fd, (const struct flock *)argument,
                   rv_file_lock_expect(fd, command, argument));
    const int result = NEXT(fcntl64)(fd, command, argument);
    follow_lock(fd, command, argument, result);
    return result;
}

/* ---- processes and signals ---- */

RV_EXPORT pid_t wait(int *status)
{
    AWAITS_CHILD(pid_t, NEXT(wait)(status), result);
}

RV_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    AWAITS_CHILD(pid_t, NEXT(waitpid)(pid, status, options), result);
}

RV_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    AWAITS_CHILD(int, NEXT(waitid)(type, id, info, options), result == 0 && info ? info->si_pid : 0);
}

RV_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    AWAITS_CHILD(pid_t, NEXT(wait3)(status, options, usage), result);
}

RV_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    AWAITS_CHILD(pid_t, NEXT(wait4)(pid, status, options, usage), result);
}

RV_EXPORT int system(const char *command)
{
    (void)rv_creator_announce_process();
    MAY_BLOCK(int, NEXT(system)(command), RV_WAIT_PROCESS, NO_FILE, false);
}

RV_EXPORT int pclose(FILE *stream)
{
    forget_stream(stream);
    MAY_BLOCK(int, NEXT(pclose)(stream), RV_WAIT_PROCESS, NO_FILE, false);
}

RV_EXPORT int pause(void)
{
    MAY_BLOCK(int, NEXT(pause)(), RV_WAIT_SIGNAL, NO_FILE, false);
}

RV_EXPORT int sigsuspend(const sigset_t *signals)
{
    MAY_BLOCK(int, NEXT(sigsuspend)(signals), RV_WAIT_SIGNAL, NO_FILE, false);
}

RV_EXPORT int sigwait(const sigset_t *restrict signals, int *restrict signal)
{
    MAY_BLOCK(int, NEXT(sigwait)(signals, signal), RV_WAIT_SIGNAL, NO_FILE, false);
}

RV_EXPORT int sigwaitinfo(const sigset_t *restrict signals, siginfo_t *restrict info)
{
    MAY_BLOCK(int, NEXT(sigwaitinfo)(signals, info), RV_WAIT_SIGNAL, NO_FILE, false);
}

RV_EXPORT int sigtimedwait(const sigset_t *restrict signals, siginfo_t *restrict info,
                           const struct timespec *restrict timeout)
{
    MAY_BLOCK(int, NEXT(sigtimedwait)(signals, info, timeout), RV_WAIT_SIGNAL, NO_FILE,
              result == -1 && errno == EAGAIN);
}

/* ---- messages, and the other semaphores ---- */

RV_EXPORT ssize_t msgrcv(int queue, void *message, size_t n, long type, int flags)
{
    MAY_BLOCK(ssize_t, NEXT(msgrcv)(queue, message, n, type, flags), RV_WAIT_MESSAGE, NO_FILE, false);
}

RV_EXPORT int msgsnd(int queue, const void *message, size_t n, int flags)
{
    MAY_BLOCK(int, NEXT(msgsnd)(queue, message, n, flags), RV_WAIT_MESSAGE, NO_FILE, false);
}

RV_EXPORT int semop(int set, struct sembuf *operations, size_t n)
{
    MAY_BLOCK(int, NEXT(semop)(set, operations, n), RV_WAIT_SEMAPHORE, NO_FILE, false);
}

RV_EXPORT int semtimedop(int set, struct sembuf *operations, size_t n, const struct timespec *timeout)
{
    MAY_BLOCK(int, NEXT(semtimedop)(set, operations, n, timeout), RV_WAIT_SEMAPHORE, NO_FILE,
              result == -1 && errno == EAGAIN);
}

RV_EXPORT ssize_t mq_receive(mqd_t queue, char *message, size_t n, unsigned *priority)
{
    MAY_BLOCK(ssize_t, NEXT(mq_receive)(queue, message, n, priority), RV_WAIT_MESSAGE, NO_FILE, false);
}

RV_EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict message, size_t n, unsigned *restrict priority,
                                  const struct timespec *restrict until)
{
    MAY_BLOCK(ssize_t, NEXT(mq_timedreceive)(queue, message, n, priority, until), RV_WAIT_MESSAGE, NO_FILE,
              result == -1 && errno == ETIMEDOUT);
}

RV_EXPORT int mq_send(mqd_t queue, const char *message, size_t n, unsigned priority)
{
    MAY_BLOCK(int, NEXT(mq_send)(queue, message, n, priority), RV_WAIT_MESSAGE, NO_FILE, false);
}

RV_EXPORT int mq_timedsend(mqd_t queue, const char *message, size_t n, unsigned priority, const struct timespec *until)
{
    MAY_BLOCK(int, NEXT(mq_timedsend)(queue, message, n, priority, until), RV_WAIT_MESSAGE, NO_FILE,
              result == -1 && errno == ETIMEDOUT);
}
