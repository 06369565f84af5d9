// A program that is hard to attach to: threads that allocate and throw, timers whose handlers interrupt them anywhere,
// threads that are cancelled in a read, threads that start threads and end, fork and vfork all the time. It ends with
// its standard input; its exit status is 0 if all results were right.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static volatile bool is_over;
static volatile unsigned sum;

static void expect(bool is_right)
{
    if (!is_right)
        abort();
}

KEPT static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEPT static void handle(int)
{
    const int saved = errno;
    sum = fib(14);
    errno = saved;
}

KEPT static unsigned thrower(unsigned n)
{
    if (n == 0)
        throw std::runtime_error(std::string(100, 'x'));
    return thrower(n - 1) + 1;
}

KEPT static void allocate(unsigned *seed)
{
    std::map<int, std::string> texts;
    for (unsigned i = 0; i < 200; i++)
        texts[rand_r(seed) % 1000] = std::string(size_t(rand_r(seed) % 3000), 'a');
    try {
        thrower(5);
    } catch (const std::runtime_error &error) {
        expect(strlen(error.what()) == 100);
    }
}

static void *allocate_all_the_time(void *)
{
    unsigned seed = 1;
    while (!is_over)
        allocate(&seed);
    return nullptr;
}

static unsigned n_chains;

static void *start_another(void *n)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    free(malloc(5000));
    if (n)
        while (pthread_create(&thread, &attributes, start_another, static_cast<char *>(n) - 1) != 0)
            usleep(1000);
    else
        __atomic_fetch_sub(&n_chains, 1, __ATOMIC_RELAXED);
    return nullptr;
}

// A chain starts only when another one has ended: otherwise a slow machine would get ever more threads, which wait for
// the C library's lock of stacks.
static void *start_threads(void *)
{
    for (; !is_over; usleep(500))
        if (__atomic_load_n(&n_chains, __ATOMIC_RELAXED) < 4) {
            __atomic_fetch_add(&n_chains, 1, __ATOMIC_RELAXED);
            start_another(reinterpret_cast<void *>(20));
        }
    return nullptr;
}

static void wait_for(pid_t child, int expected)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        expect(errno == EINTR);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

static void *fork_all_the_time(void *)
{
    for (; !is_over; usleep(1000)) {
        pid_t child = fork();
        if (child == 0) {
            free(malloc(100));
            _exit(7);
        }
        wait_for(child, 7);
        child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", static_cast<char *>(nullptr));
            _exit(9);
        }
        wait_for(child, 0);
    }
    return nullptr;
}

static void *read_for_ever(void *fd)
{
    char byte;
    for (;;)
        expect(read(*static_cast<int *>(fd), &byte, 1) >= 0);
    return nullptr;
}

static void *cancel_all_the_time(void *)
{
    int fds[2];
    expect(pipe(fds) == 0);
    while (!is_over) {
        pthread_t thread;
        void *result;
        expect(pthread_create(&thread, nullptr, read_for_ever, fds) == 0);
        usleep(200);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        expect(result == PTHREAD_CANCELED);
    }
    return nullptr;
}

int main()
{
    static void *(*const run[])(void *) = {allocate_all_the_time, allocate_all_the_time, fork_all_the_time,
                                           cancel_all_the_time, start_threads};
    pthread_t threads[sizeof run / sizeof *run], reader;
    struct sigaction action = {};
    const struct itimerval period = {{0, 1000}, {0, 1000}};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    sigaction(SIGPROF, &action, nullptr);
    setitimer(ITIMER_REAL, &period, nullptr);
    setitimer(ITIMER_PROF, &period, nullptr);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        pthread_create(&threads[i], nullptr, run[i], nullptr);
    auto wait_for_end = [](void *) -> void * {
        char byte;
        while (read(STDIN_FILENO, &byte, 1) != 0)
            continue;
        is_over = true;
        return nullptr;
    };
    pthread_create(&reader, nullptr, wait_for_end, nullptr);
    unsigned seed = 2;
    while (!is_over)
        allocate(&seed);
    pthread_join(reader, nullptr);
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    return 0;
}
