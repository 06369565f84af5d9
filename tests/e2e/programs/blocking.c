/*
 * Calls of the C library that block for 20 ms or more. Each scene looks at what its calls return, which must not change
 * while it is watched: the outcome is in the exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "thread_state.h"

enum { BLOCK_MS = 20, KEPT = 77, STACK_BYTES = 1 << 16 };

#define CALLED __attribute__((noinline))

static void expect(long got, long wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("%s: got %ld, expected %ld, %s\n", what, got, wanted, strerror(errno));
    exit(1);
}

static pid_t main_thread;

UNTRACED static void pass_time(void)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < BLOCK_MS);
}

/*
 * Wait until the thread is blocked, then leave it so for a while; call no function that is intercepted. It may be asleep for a
 * moment on its way, and then have no CPU.
 */
static void keep_blocked(pid_t tid)
{
    do {
        await_blocked(&tid);
        pass_time();
    } while (state_of(tid) != 'S');
}

/* ---- one call after another ---- */

static int channel[2], pair[2], event;

static CALLED void read_pipe(void)
{
    char byte;
    errno = KEPT;
    expect(read(channel[0], &byte, 1), 1, "read");
    expect(errno, KEPT, "errno of read");
}

static CALLED void poll_pipe(void)
{
    char byte;
    struct pollfd poll_of = {.fd = channel[0], .events = POLLIN};
    expect(poll(&poll_of, 1, -1), 1, "poll");
    expect(poll_of.revents, POLLIN, "revents");
    expect(read(channel[0], &byte, 1), 1, "read");
}

static CALLED void select_pipe(void)
{
    char byte;
    fd_set reads;
    FD_ZERO(&reads);
    FD_SET(channel[0], &reads);
    expect(select(channel[0] + 1, &reads, NULL, NULL, NULL), 1, "select");
    expect(read(channel[0], &byte, 1), 1, "read");
}

static CALLED void wait_epoll(void)
{
    char byte;
    struct epoll_event wanted = {.events = EPOLLIN, .data = {.u32 = 7}}, got;
    const int fd = epoll_create1(0);
    expect(epoll_ctl(fd, EPOLL_CTL_ADD, channel[0], &wanted), 0, "epoll_ctl");
    expect(epoll_wait(fd, &got, 1, -1), 1, "epoll_wait");
    expect(got.data.u32, 7, "epoll_wait's data");
    expect(read(channel[0], &byte, 1), 1, "read");
    close(fd);
}

static CALLED void receive(void)
{
    char byte;
    expect(recv(pair[0], &byte, 1, 0), 1, "recv");
}

static CALLED void read_event(void)
{
    uint64_t n;
    expect(read(event, &n, sizeof n), sizeof n, "read of an eventfd");
}

static CALLED void *write_all(void *unused)
{
    const uint64_t one = 1;
    for (int i = 0; i < 4; i++) {
        keep_blocked(main_thread);
        expect(write(channel[1], "", 1), 1, "write");
    }
    keep_blocked(main_thread);
    expect(send(pair[1], "", 1, 0), 1, "send");
    keep_blocked(main_thread);
    expect(write(event, &one, sizeof one), sizeof one, "write to an eventfd");
    return unused;
}

static CALLED void *drain_pipe(void *full)
{
    char bytes[4096];
    keep_blocked(main_thread);
    while (read(((int *)full)[0], bytes, sizeof bytes) > 0)
        continue;
    return NULL;
}

static CALLED void write_pipe(void)
{
    char bytes[4096] = "";
    int full[2];
    pthread_t thread;
    expect(pipe(full), 0, "pipe");
    fcntl(full[1], F_SETFL, O_NONBLOCK);
    while (write(full[1], bytes, sizeof bytes) > 0)
        continue;
    fcntl(full[1], F_SETFL, 0);
    pthread_create(&thread, NULL, drain_pipe, full);
    expect(write(full[1], bytes, sizeof bytes), sizeof bytes, "write to a full pipe");
    close(full[1]);
    pthread_join(thread, NULL);
}

static CALLED void sleep_once(void)
{
    const struct timespec ms = {.tv_nsec = BLOCK_MS * 1000000};
    expect(nanosleep(&ms, NULL), 0, "nanosleep");
    expect(clock_nanosleep(CLOCK_MONOTONIC, 0, &ms, NULL), 0, "clock_nanosleep");
    expect(usleep(BLOCK_MS * 1000), 0, "usleep");
}

static CALLED void time_out(void)
{
    expect(poll(NULL, 0, BLOCK_MS), 0, "poll of nothing");
}

static CALLED void *connect_late(void *port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = *(in_port_t *)port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    keep_blocked(main_thread);
    expect(connect(fd, (const struct sockaddr *)&to, sizeof to), 0, "connect");
    return NULL; /* as long as it is open, it tells who connected */
}

static CALLED void accept_one(void)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}, peer;
    socklen_t n = sizeof own;
    pthread_t thread;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    expect(bind(fd, (struct sockaddr *)&own, sizeof own), 0, "bind");
    expect(listen(fd, 1), 0, "listen");
    expect(getsockname(fd, (struct sockaddr *)&own, &n), 0, "getsockname");
    pthread_create(&thread, NULL, connect_late, &own.sin_port);
    n = sizeof peer;
    const int accepted = accept(fd, (struct sockaddr *)&peer, &n);
    expect(accepted >= 0, 1, "accept");
    expect(n, sizeof peer, "accept's address");
    close(accepted);
    close(fd);
    pthread_join(thread, NULL);
}

static CALLED void await_child(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        keep_blocked(main_thread);
        _exit(5);
    }
    expect(waitpid(child, &status, 0), child, "waitpid");
    expect(WEXITSTATUS(status), 5, "the child's status");
    expect(waitpid(child, &status, 0), -1, "waitpid again");
    expect(errno, ECHILD, "errno of waitpid");
}

/* Wait for a lock of a file that a child holds. */
static CALLED void lock_file(bool is_range)
{
    FILE *file = tmpfile();
    char path[64];
    char *has_lock = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* [atomic] */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    const pid_t child = fork();
    const int fd = open(path, O_RDWR);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (child == 0) {
        expect(is_range ? fcntl(fd, F_SETLK, &range) : flock(fd, LOCK_EX), 0, "the child's lock");
        __atomic_store_n(has_lock, 1, __ATOMIC_RELEASE);
        keep_blocked(main_thread);
        _exit(0);
    }
    while (
        !__atomic_load_n(has_lock, __ATOMIC_ACQUIRE)) /* without a wait: the longest of its kind is another scene's */
        sched_yield();
    expect(is_range ? fcntl(fd, F_SETLKW, &range) : flock(fd, LOCK_EX), 0, "lock");
    waitpid(child, NULL, 0);
}

static CALLED void *send_message(void *queue)
{
    const struct {
        long type;
        char byte;
    } message = {1, 'x'};
    keep_blocked(main_thread);
    expect(msgsnd(*(int *)queue, &message, 1, 0), 0, "msgsnd");
    return NULL;
}

static CALLED void receive_message(void)
{
    struct {
        long type;
        char byte;
    } message;
    int queue = msgget(IPC_PRIVATE, 0600);
    pthread_t thread;
    pthread_create(&thread, NULL, send_message, &queue);
    expect(msgrcv(queue, &message, 1, 0, 0), 1, "msgrcv");
    pthread_join(thread, NULL);
    msgctl(queue, IPC_RMID, NULL);
}

static CALLED void *kill_late(void *thread)
{
    keep_blocked(main_thread);
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static CALLED void wait_signal(void)
{
    sigset_t signals;
    pthread_t self = pthread_self(), thread;
    int number = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    pthread_create(&thread, NULL, kill_late, &self);
    expect(sigwait(&signals, &number), 0, "sigwait");
    expect(number, SIGUSR1, "sigwait's signal");
    pthread_join(thread, NULL);
}

static void all_scene(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_all, NULL);
    read_pipe();
    poll_pipe();
    select_pipe();
    wait_epoll();
    receive();
    read_event();
    pthread_join(thread, NULL);
    write_pipe();
    sleep_once();
    time_out();
    accept_one();
    await_child();
    lock_file(false);
    lock_file(true);
    receive_message();
    wait_signal();
}

/* ---- what another process does ---- */

static int full[2], named[2]; /* a pipe; connected sockets, of which the first has an address */

static void connect_named(void)
{
    struct sockaddr_un own = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(own.sun_path + 1, sizeof own.sun_path - 1, "ringviz-blocking-%d", getpid());
    expect(bind(fd, (struct sockaddr *)&own, sizeof own), 0, "bind");
    expect(listen(fd, 1), 0, "listen");
    named[1] = socket(AF_UNIX, SOCK_STREAM, 0);
    expect(connect(named[1], (struct sockaddr *)(uintptr_t)8, sizeof own), -1, "connect to an address nowhere");
    expect(errno, EFAULT, "its errno");
    expect(connect(named[1], (struct sockaddr *)&own, sizeof own), 0, "connect");
    named[0] = accept(fd, NULL, NULL);
    close(fd);
}

static CALLED void end_waits(void)
{
    static char room[1 << 16];
    const uint64_t one = 1;
    keep_blocked(main_thread);
    expect(write(channel[1], "", 1), 1, "write");
    keep_blocked(main_thread);
    expect(send(pair[1], "", 1, 0), 1, "send");
    keep_blocked(main_thread);
    expect(write(event, &one, sizeof one), sizeof one, "write to an eventfd");
    keep_blocked(main_thread);
    expect(write(named[1], "", 1), 1, "write to a socket");
    keep_blocked(main_thread);
    expect(read(full[0], room, sizeof room) > 0, 1, "read of a full pipe");
}

static CALLED void read_named(void)
{
    char byte;
    expect(read(named[0], &byte, 1), 1, "read of a socket");
}

static CALLED void write_full(void)
{
    static const char page[4096];
    fcntl(full[1], F_SETFL, O_NONBLOCK);
    while (write(full[1], page, sizeof page) > 0)
        continue;
    fcntl(full[1], F_SETFL, 0);
    expect(write(full[1], page, sizeof page), sizeof page, "write to a full pipe");
}

/* Several waits: calls of the other process are recorded only once somebody has waited for one. */
static void neighbour_scene(void)
{
    connect_named();
    expect(pipe(full), 0, "pipe");
    const pid_t child = fork();
    for (int i = 0; i < 6; i++) {
        if (child == 0) {
            end_waits();
            continue;
        }
        read_pipe();
        receive();
        read_event();
        read_named();
        write_full();
    }
    if (child == 0)
        _exit(0);
    printf("child %d\n", (int)child);
    waitpid(child, NULL, 0);
}

/* A word that another thread changes, as C++20 and Rust wait for one. */
static uint32_t word; /* [atomic] */

static CALLED void *change_word(void *unused)
{
    keep_blocked(main_thread);
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    expect(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1), 1, "threads woken");
    return unused;
}

static CALLED void wait_word(void)
{
    const struct timespec soon = {.tv_nsec = 1000000};
    pthread_t thread;
    expect(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, NULL), -1, "wait for a word that differs");
    expect(errno, EAGAIN, "its errno");
    expect(syscall(SYS_futex, NULL, FUTEX_WAIT_PRIVATE, 0, NULL), -1, "wait for no word");
    expect(errno, EFAULT, "its errno");
    expect(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &soon), -1, "wait with a time limit");
    expect(errno, ETIMEDOUT, "its errno");
    pthread_create(&thread, NULL, change_word, NULL);
    expect(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL), 0, "wait for a word");
    pthread_join(thread, NULL);
}

static void futex_scene(void)
{
    wait_word();
    expect(syscall(SYS_getpid), main_thread, "another system call");
    expect(syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L) != -1, 1,
           "one of six arguments");
}

/* ---- waits that are interrupted ---- */

static void note_signal(int signal)
{
    (void)signal;
}

/* A handler that does not restart calls. */
static void interrupted_scene(void)
{
    char byte;
    pthread_t self = pthread_self(), thread;
    const struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, kill_late, &self);
    errno = KEPT;
    expect(read(channel[0], &byte, 1), -1, "read that is interrupted");
    expect(errno, EINTR, "errno of read");
    pthread_join(thread, NULL);
    fcntl(channel[0], F_SETFL, O_NONBLOCK);
    expect(read(channel[0], &byte, 1), -1, "read of an empty pipe");
    expect(errno, EAGAIN, "errno of read");
    expect(fcntl(channel[0], F_GETFL) & O_NONBLOCK, O_NONBLOCK, "fcntl");
}

static pid_t blocked; /* [atomic] */

static void *block_in(void *way)
{
    __atomic_store_n(&blocked, gettid(), __ATOMIC_RELEASE);
    char byte;
    struct pollfd poll_of = {.fd = channel[0], .events = POLLIN};
    switch ((uintptr_t)way) {
    case 0:
        (void)!read(channel[0], &byte, 1);
        break;
    case 1:
        (void)poll(&poll_of, 1, -1);
        break;
    case 2:
        (void)pause();
        break;
    default:
        (void)sleep(1000);
    }
    return NULL;
}

static void cancelled_scene(void)
{
    for (uintptr_t way = 0; way < 4; way++) {
        pthread_t thread;
        void *result = NULL;
        blocked = 0;
        pthread_create(&thread, NULL, block_in, (void *)way);
        while (!__atomic_load_n(&blocked, __ATOMIC_ACQUIRE))
            sched_yield();
        keep_blocked(blocked);
        pthread_cancel(thread);
        expect(pthread_join(thread, &result), 0, "join");
        expect(result == PTHREAD_CANCELED, 1, "cancelled");
    }
}

/* The process ends while a thread blocks. */
static void unfinished_scene(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, block_in, (void *)1);
    while (!__atomic_load_n(&blocked, __ATOMIC_ACQUIRE))
        sched_yield();
    keep_blocked(blocked);
}

/* The child of vfork has the parent's memory, its thread's as well. */
static void vfork_scene(void)
{
    char byte;
    const pid_t child = vfork();
    if (child == 0) {
        (void)!write(channel[1], "v", 1);
        (void)poll(NULL, 0, BLOCK_MS);
        _exit(3);
    }
    int status = 0;
    expect(read(channel[0], &byte, 1), 1, "read");
    expect(byte, 'v', "what the child wrote");
    expect(waitpid(child, &status, 0), child, "waitpid");
    expect(WEXITSTATUS(status), 3, "the child's status");
}

/* A handler waits while what it has interrupted waits, too. */
static sem_t outer, inner;

static void wait_in_handler(int signal)
{
    (void)signal;
    while (sem_wait(&inner) != 0)
        continue;
}

static CALLED void *post_both(void *thread)
{
    keep_blocked(main_thread);
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    keep_blocked(main_thread);
    sem_post(&inner);
    keep_blocked(main_thread);
    sem_post(&outer);
    return NULL;
}

static CALLED void nested_scene(void)
{
    pthread_t self = pthread_self(), thread;
    const struct sigaction action = {.sa_handler = wait_in_handler, .sa_flags = SA_RESTART | SA_ONSTACK};
    sem_init(&outer, 0, 0);
    sem_init(&inner, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, post_both, &self);
    expect(sem_wait(&outer), 0, "sem_wait");
    pthread_join(thread, NULL);
}

/* The handler's stack is above that of the thread, which is not the first. */
static CALLED void *run_nested(void *stack)
{
    const stack_t above = {.ss_sp = stack, .ss_size = STACK_BYTES};
    expect(sigaltstack(&above, NULL), 0, "sigaltstack");
    main_thread = gettid();
    nested_scene();
    return NULL;
}

static void nested_above_scene(void)
{
    char stack[STACK_BYTES];
    pthread_t thread;
    pthread_create(&thread, NULL, run_nested, stack);
    pthread_join(thread, NULL);
}

/* Children of raw system calls, for which no fork handler runs. They and their parent make calls at the same time. */
enum { N_RAW_CALLS = 20000 };

static CALLED void call_on(unsigned *n)
{
    __atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

static CALLED int be_child(void *unused)
{
    unsigned n = 0;
    (void)unused;
    while (n < N_RAW_CALLS)
        call_on(&n);
    _exit(5);
}

static CALLED void await_raw(pid_t child)
{
    unsigned n = 0;
    int status = 0;
    if (child == 0)
        be_child(NULL);
    while (n < N_RAW_CALLS)
        call_on(&n);
    expect(waitpid(child, &status, 0), child, "waitpid");
    expect(WEXITSTATUS(status), 5, "the child's status");
}

static CALLED void raw_fork_scene(void)
{
    static char stack[STACK_BYTES] __attribute__((aligned(16)));
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    await_raw((pid_t)syscall(SYS_fork));
    await_raw((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0));
    await_raw((pid_t)syscall(SYS_clone3, &arguments, sizeof arguments));
    await_raw(clone(be_child, stack + sizeof stack, SIGCHLD, NULL));
    expect(syscall(SYS_clone3, (void *)8, sizeof arguments), -1, "clone3 of a bad pointer");
}

/* ---- the file, and the waker ---- */

static CALLED void *write_epoll(void *unused)
{
    keep_blocked(main_thread);
    expect(write(channel[1], "e", 1), 1, "write");
    return unused;
}

/* The wait must be for the file in the epoll set, not for the file whose number the event's data happen to be. */
static void epoll_scene(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_epoll, NULL);
    wait_epoll();
    pthread_join(thread, NULL);
}

static CALLED void *set_timer(void *fd)
{
    const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
    keep_blocked(main_thread);
    expect(timerfd_settime(*(int *)fd, 0, &soon, NULL), 0, "timerfd_settime");
    return NULL;
}

static void timer_scene(void)
{
    uint64_t n = 0;
    pthread_t thread;
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&thread, NULL, set_timer, &fd);
    expect(read(fd, &n, sizeof n), sizeof n, "read of a timer");
    pthread_join(thread, NULL);
    close(fd);
}

/* Another process writes: only the file can be named. */
static void outside_scene(void)
{
    char path[] = "/tmp/ringviz-outside-XXXXXX", byte;
    expect(mkdtemp(path) != NULL, 1, "mkdtemp");
    expect(chdir(path), 0, "chdir");
    expect(mkfifo("outside", 0600), 0, "mkfifo");
    const int fd = open("outside", O_RDWR);
    const pid_t child = fork();
    if (child == 0) {
        keep_blocked(main_thread);
        expect(syscall(SYS_write, fd, "o", 1), 1, "write"); /* by no intercepted function */
        _exit(0);
    }
    expect(read(fd, &byte, 1), 1, "read");
    waitpid(child, NULL, 0);
    unlink("outside");
    rmdir(path);
}

/* From a program that is not traced. */
static CALLED void read_input(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) == 1)
        continue;
}

/* Some milliseconds from now, by the kernel's timer. */
static CALLED void await_alarm(void)
{
    const struct sigaction action = {.sa_handler = note_signal};
    const struct itimerval soon = {.it_value = {.tv_usec = BLOCK_MS * 1000}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    expect(pause(), -1, "pause");
}

static void input_scene(void)
{
    read_input();
    await_alarm();
}

/* ---- a child's end ---- */

static CALLED void poll_until_child(const sigset_t *signals)
{
    expect(ppoll(NULL, 0, NULL, signals), -1, "ppoll until a child ends");
    expect(errno, EINTR, "errno of ppoll");
}

static CALLED void suspend_until_child(const sigset_t *signals)
{
    expect(sigsuspend(signals), -1, "sigsuspend until a child ends");
}

/* As make and shells do: no signal gets lost between the fork and the wait. */
static void child_end_scene(void)
{
    static void (*const waits[])(const sigset_t *) = {poll_until_child, suspend_until_child};
    const struct sigaction action = {.sa_handler = note_signal};
    sigset_t blocked_signals, before;
    sigaction(SIGCHLD, &action, NULL);
    sigemptyset(&blocked_signals);
    sigaddset(&blocked_signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked_signals, &before);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        const pid_t child = fork();
        if (child == 0) {
            keep_blocked(main_thread);
            exit(0);
        }
        waits[i](&before);
        expect(waitpid(child, NULL, 0), child, "waitpid");
        printf("child %d\n", (int)child);
    }
}

/* ---- the end of a process whose first thread ends before its last ---- */

enum { N_DEPARTING = 5 };

static CALLED void *outlive(void *unused)
{
    usleep(BLOCK_MS * 1000);
    return unused;
}

static pid_t fork_departing(void)
{
    pthread_t last;
    const pid_t child = fork();
    if (child != 0)
        return child;
    expect(pthread_create(&last, NULL, outlive, NULL), 0, "pthread_create");
    pthread_exit(NULL);
}

static CALLED void poll_process(int process)
{
    struct pollfd wanted = {.fd = process, .events = POLLIN};
    expect(poll(&wanted, 1, -1), 1, "poll of a process");
}

static CALLED void await_signal(const sigset_t *wanted)
{
    expect(sigwaitinfo(wanted, NULL), SIGCHLD, "sigwaitinfo");
}

static void departing_scene(void)
{
    sigset_t wanted;
    for (int i = 0; i < N_DEPARTING; i++) {
        const pid_t child = fork_departing();
        const int process = (int)syscall(SYS_pidfd_open, child, 0);
        poll_process(process);
        expect(waitpid(child, NULL, 0), child, "waitpid");
        close(process);
    }
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigprocmask(SIG_BLOCK, &wanted, NULL);
    for (int i = 0; i < N_DEPARTING; i++) {
        const pid_t child = fork_departing();
        await_signal(&wanted);
        expect(waitpid(child, NULL, 0), child, "waitpid");
    }
}

/* As SQLite does: try for the lock again and again. Only the sleeps in between are waits for it. */
static int try_lock(int fd, bool is_range)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
    return is_range ? fcntl(fd, F_SETLK, &range) : flock(fd, LOCK_EX | LOCK_NB);
}

static CALLED void poll_lock(int fd, bool is_range, unsigned *n_refused) /* [atomic] */
{
    while (try_lock(fd, is_range) != 0) {
        expect(errno == EAGAIN || errno == EACCES, 1, "errno of a lock that another process has");
        __atomic_fetch_add(n_refused, 1, __ATOMIC_RELAXED);
        usleep(BLOCK_MS * 1000);
    }
    usleep(BLOCK_MS * 1000); /* a sleep that is no wait for the lock */
}

/* After a refused try only the first sleep may be a wait for the lock. */
static CALLED void give_up(int fd, bool is_range)
{
    expect(try_lock(fd, is_range), -1, "a lock that another process has");
    for (int i = 0; i < 3; i++)
        usleep(BLOCK_MS * 100);
}

/* Poll for a lock of a child, which keeps it until two tries were refused. */
static void be_refused(bool is_range)
{
    char byte, path[64];
    unsigned *n_refused = mmap(NULL, sizeof *n_refused, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(tmpfile()));
    const pid_t child = fork();
    const int fd = open(path, O_RDWR);
    if (child == 0) {
        expect(try_lock(fd, is_range), 0, "the child's lock");
        expect(write(channel[1], "", 1), 1, "write");
        while (__atomic_load_n(n_refused, __ATOMIC_RELAXED) < 2)
            sched_yield();
        _exit(0);
    }
    expect(read(channel[0], &byte, 1), 1, "the child has the lock");
    give_up(fd, is_range);
    poll_lock(fd, is_range, n_refused);
    waitpid(child, NULL, 0);
}

static void polled_scene(void)
{
    be_refused(true);
}

static void polled_flock_scene(void)
{
    be_refused(false);
}

/* ---- programs that are begun ---- */

static char own_path[4096];

static CALLED void begun_scene(void)
{
    expect(getppid() > 1, 1, "the parent's number");
}

static CALLED void be_begun(void)
{
    execl(own_path, own_path, "begun", (char *)NULL);
    _exit(127);
}

static void await_begun(pid_t child)
{
    int status = 0;
    expect(waitpid(child, &status, 0), child, "waitpid");
    expect(status, 0, "the program's status");
}

static CALLED void spawn_one(void)
{
    char *arguments[] = {own_path, (char[]){"begun"}, NULL};
    pid_t child;
    expect(posix_spawn(&child, own_path, NULL, NULL, arguments, environ), 0, "posix_spawn");
    await_begun(child);
}

static CALLED void vfork_one(void)
{
    const pid_t child = vfork();
    if (child == 0) {
        execl(own_path, own_path, "begun", (char *)NULL);
        _exit(127);
    }
    await_begun(child);
}

static CALLED void fork_one(void)
{
    const pid_t child = fork();
    if (child == 0)
        be_begun();
    await_begun(child);
}

static void begins_scene(void)
{
    expect(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0, 1, "own path");
    spawn_one();
    vfork_one();
    fork_one();
}

/* The program ends its trace while another thread writes to what was waited for. */
extern void ringviz_close(void) __attribute__((weak));
enum { N_WAITED = 3, N_LATER = 100000 };
static uint32_t is_closed; /* [atomic] */

static CALLED void *write_on(void *unused)
{
    for (unsigned i = 0; i < N_WAITED; i++) {
        keep_blocked(main_thread);
        expect(write(channel[1], "w", 1), 1, "write");
    }
    while (!__atomic_load_n(&is_closed, __ATOMIC_ACQUIRE))
        sched_yield();
    unsigned n_written = 0; /* without calls in between, of which tracing would learn of its end */
    for (unsigned i = 0; i < N_LATER; i++)
        n_written += write(channel[1], "l", 1) == 1;
    expect(n_written, N_LATER, "writes after the end");
    return unused;
}

static void closed_scene(void)
{
    char bytes[4096];
    pthread_t thread;
    pthread_create(&thread, NULL, write_on, NULL);
    for (unsigned i = 0; i < N_WAITED; i++)
        read_pipe();
    if (ringviz_close)
        ringviz_close();
    __atomic_store_n(&is_closed, 1, __ATOMIC_RELEASE);
    for (ssize_t n = 0, n_now; n < N_LATER; n += n_now)
        expect((n_now = read(channel[0], bytes, sizeof bytes)) > 0, 1, "read after the end");
    pthread_join(thread, NULL);
}

/* ---- numbers of files that are used again ---- */

static void free_by_fclose(int fd)
{
    expect(fclose(fdopen(fd, "w")), 0, "fclose");
}

static void free_by_close_range(int fd)
{
    expect(close_range((unsigned)fd, (unsigned)fd, 0), 0, "close_range");
}

static CALLED void *write_once(void *unused)
{
    keep_blocked(main_thread);
    expect(write(channel[1], "w", 1), 1, "write");
    return unused;
}

/* The write end of this pipe has the number that the file before had. */
static void read_from_thread(int number)
{
    pthread_t thread;
    expect(channel[1], number, "the number of the new pipe");
    pthread_create(&thread, NULL, write_once, NULL);
    read_pipe();
    pthread_join(thread, NULL);
    close(channel[0]);
    close(channel[1]);
}

/* The child has files of its own, in its parent's memory. */
static void write_in_child(int to, int as)
{
    const pid_t child = vfork();
    if (child == 0) {
        (void)dup2(to, as);
        (void)!write(as, "v", 1);
        _exit(0);
    }
    expect(waitpid(child, NULL, 0), child, "waitpid");
}

static void reused_scene(void)
{
    static void (*const frees[])(int) = {free_by_fclose, free_by_close_range, closefrom};
    const int other = channel[1];
    for (size_t i = 0; i < sizeof frees / sizeof *frees; i++) {
        expect(pipe(channel), 0, "pipe");
        const int number = channel[1];
        expect(write(number, "b", 1), 1, "write before");
        frees[i](number);
        close(channel[0]);
        expect(pipe(channel), 0, "pipe");
        read_from_thread(number);
    }
    FILE *shell = popen("cat >/dev/null", "w");
    const int number = fileno(shell);
    expect(write(number, "b", 1), 1, "write to a shell");
    expect(pclose(shell), 0, "pclose");
    expect(pipe(channel), 0, "pipe");
    read_from_thread(number);
    expect(pipe(channel), 0, "pipe");
    write_in_child(other, channel[1]);
    read_from_thread(channel[1]);
}

/* While one thread reads and writes files that are new to it, another gets the lowest free number each time. */
enum { N_NEW_EVENTS = 200 };
static int new_events[N_NEW_EVENTS];
static bool are_new_events_used; /* [atomic] */

static void *use_new_events(void *unused)
{
    for (int i = 0; i < N_NEW_EVENTS; i++) {
        uint64_t n = 1;
        expect(write(new_events[i], &n, sizeof n), sizeof n, "write to an eventfd");
        expect(read(new_events[i], &n, sizeof n), sizeof n, "read of an eventfd");
    }
    __atomic_store_n(&are_new_events_used, true, __ATOMIC_RELEASE);
    return unused;
}

static void make_new_events(void)
{
    for (int i = 0; i < N_NEW_EVENTS; i++)
        new_events[i] = eventfd(0, 0);
}

static void lowest_scene(void)
{
    pthread_t thread;
    make_new_events();
    const int lowest = dup(event);
    close(lowest);
    pthread_create(&thread, NULL, use_new_events, NULL);
    while (!__atomic_load_n(&are_new_events_used, __ATOMIC_ACQUIRE)) {
        const int fd = dup(event);
        expect(fd, lowest, "the lowest free number");
        close(fd);
    }
    pthread_join(thread, NULL);
}

static void confined_scene(void)
{
    pthread_t thread;
    make_new_events();
    pthread_create(&thread, NULL, use_new_events, NULL);
    pthread_join(thread, NULL);
}

/* A child is the end of the process, a thread is not. */
static void forbid_children(void)
{
#define IF(value, n_then) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n_then)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
    struct sock_filter filter[] = {LOAD(nr),
                                   IF(SYS_clone3, 1), /* the C library then calls clone */
                                   RETURN(SECCOMP_RET_ERRNO | ENOSYS),
                                   IF(SYS_clone, 3),
                                   LOAD(args[0]),
                                   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
                                   RETURN(SECCOMP_RET_KILL_PROCESS),
                                   RETURN(SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0, "no new privileges");
    expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0, "a filter");
}

static void sandbox_scene(void)
{
    expect(readlink("/proc/self/exe", own_path, sizeof own_path - 1) > 0, 1, "own path");
    forbid_children();
    confined_scene();
    execl(own_path, own_path, "confined", (char *)NULL);
    expect(0, 1, "execl");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } scenes[] = {{"all", all_scene},
                  {"neighbour", neighbour_scene},
                  {"futex", futex_scene},
                  {"interrupted", interrupted_scene},
                  {"cancelled", cancelled_scene},
                  {"unfinished", unfinished_scene},
                  {"vfork", vfork_scene},
                  {"nested", nested_scene},
                  {"nested_above", nested_above_scene},
                  {"raw_fork", raw_fork_scene},
                  {"epoll", epoll_scene},
                  {"timer", timer_scene},
                  {"outside", outside_scene},
                  {"input", input_scene},
                  {"child_end", child_end_scene},
                  {"departing", departing_scene},
                  {"polled", polled_scene},
                  {"polled_flock", polled_flock_scene},
                  {"begins", begins_scene},
                  {"begun", begun_scene},
                  {"closed", closed_scene},
                  {"reused", reused_scene},
                  {"lowest", lowest_scene},
                  {"sandbox", sandbox_scene},
                  {"confined", confined_scene}};
    main_thread = getpid();
    expect(pipe(channel), 0, "pipe");
    expect(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0, "socketpair");
    event = eventfd(0, 0);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc == 2 && strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].play();
            return 0;
        }
    return 2;
}
