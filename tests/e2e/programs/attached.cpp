// The program that ringviz attaches to: four threads that call all the time, throw, jump, get signals and change
// stacks. It ends with its standard input, and prints how many results were wrong and whether its code is that of its
// file; '?' prints that earlier. At 'f' it forks: the child waits, for 20 s at most, until its code is that of its
// file, and then for its parent, so that it is still alive when ringviz restores the code.
// With an argument it is under seccomp.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static volatile bool is_over;
static volatile sig_atomic_t n_signals;
static unsigned long n_rounds[4], n_wrong;

KEPT static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEPT static unsigned sum_of(const unsigned *numbers, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += numbers[i] * fib(i % 5);
    return sum;
}

KEPT static unsigned thrower(unsigned n)
{
    if (n == 0)
        throw std::runtime_error("deep");
    return thrower(n - 1) + 1;
}

KEPT static unsigned catcher(unsigned n)
{
    try {
        return thrower(n);
    } catch (const std::runtime_error &error) {
        return error.what()[0] == 'd' ? n : 0;
    }
}

KEPT static void jumper(jmp_buf &out, unsigned n)
{
    if (n == 0)
        longjmp(out, 7);
    jumper(out, n - 1);
    is_over = is_over; // no tail call
}

KEPT static int jump(unsigned n)
{
    jmp_buf out;
    int code = setjmp(out);
    if (code == 0)
        jumper(out, n);
    return code;
}

KEPT static void handle(int)
{
    n_signals = n_signals + (fib(6) == 8);
}

struct coroutine {
    ucontext_t inside, outside;
    unsigned value;
    bool is_done;
    alignas(16) char stack[64 << 10];
};

KEPT static void run_coroutine(unsigned high, unsigned low)
{
    coroutine *it = reinterpret_cast<coroutine *>(uint64_t(high) << 32 | low);
    while (!it->is_done) {
        it->value += fib(5);
        swapcontext(&it->inside, &it->outside);
    }
}

KEPT static unsigned resume(coroutine *it)
{
    swapcontext(&it->outside, &it->inside);
    return it->value;
}

// A system call instruction of the program, far from libraries, and more, never run, than a page of stubs holds.
KEPT static long ask_parent()
{
    long result;
    __asm__ volatile("mov %1, %%eax\n"
                     "syscall\n"
                     "jmp 1f\n"
                     ".rept 150\n"
                     "mov %1, %%eax\n"
                     "syscall\n"
                     ".endr\n"
                     "1:"
                     : "=a"(result)
                     : "i"(SYS_getppid)
                     : "rcx", "r11", "memory");
    return result;
}

// A function of two bytes, hop: its jump is among the first ten of hop_host, which calls it.
extern "C" unsigned hop_host(unsigned n);
__asm__(".text\n"
        ".macro function name\n"
        ".type \\name, @function\n"
        "\\name:\n"
        ".cfi_startproc\n"
        ".endm\n"
        ".macro end name\n"
        ".cfi_endproc\n"
        ".size \\name, . - \\name\n"
        ".endm\n"
        ".p2align 4\n"
        "function hop_host\n"
        "lea 1(%rdi), %eax\n"
        "add $2, %eax\n"
        "add $3, %eax\n"
        "sub $1, %eax\n"
        "push %rdx\n"
        ".cfi_adjust_cfa_offset 8\n"
        "call hop\n"
        "pop %rdx\n"
        ".cfi_adjust_cfa_offset -8\n"
        "ret\n"
        "end hop_host\n"
        "function hop\n"
        "jmp hop_on\n"
        "end hop\n"
        "function hop_on\n"
        "mov $10, %edx\n"
        "add %edx, %eax\n"
        "ret\n"
        "end hop_on\n");

KEPT static bool is_right(coroutine *it, unsigned round)
{
    unsigned numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    return sum_of(numbers, 8) == 2 * 1 + 3 * 1 + 4 * 2 + 5 * 3 + 7 * 1 + 8 * 1 && catcher(9) == 9 && jump(6) == 7 &&
           resume(it) == 5 * (round + 1) && ask_parent() == getppid() && hop_host(round) == round + 15;
}

static void *run(void *context)
{
    unsigned long *n = static_cast<unsigned long *>(context);
    static thread_local coroutine it;
    getcontext(&it.inside);
    it.inside.uc_stack.ss_sp = it.stack;
    it.inside.uc_stack.ss_size = sizeof it.stack;
    it.inside.uc_link = &it.outside;
    makecontext(&it.inside, reinterpret_cast<void (*)()>(run_coroutine), 2,
                unsigned(reinterpret_cast<uint64_t>(&it) >> 32), unsigned(reinterpret_cast<uint64_t>(&it)));
    for (unsigned round = 0; !is_over; round++, ++*n)
        if (!is_right(&it, round))
            __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
    it.is_done = true;
    resume(&it);
    return nullptr;
}

// Bytes of the program's code that are not as in its file.
static size_t count_changed()
{
    struct stat status;
    int fd = open("/proc/self/exe", O_RDONLY);
    fstat(fd, &status);
    const char *file = static_cast<char *>(mmap(nullptr, size_t(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0));
    const ElfW(Ehdr) *header = reinterpret_cast<const ElfW(Ehdr) *>(file);
    const ElfW(Phdr) *segments = reinterpret_cast<const ElfW(Phdr) *>(file + header->e_phoff);
    const char *bias = nullptr;
    size_t n = 0;
    auto find_bias = [](dl_phdr_info *info, size_t, void *out) {
        *static_cast<const char **>(out) = reinterpret_cast<const char *>(info->dlpi_addr);
        return 1;
    };
    dl_iterate_phdr(find_bias, &bias);
    for (unsigned i = 0; i < header->e_phnum; i++)
        for (size_t k = 0; segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X && k < segments[i].p_filesz; k++)
            n += bias[segments[i].p_vaddr + k] != file[segments[i].p_offset + k];
    close(fd);
    return n;
}

// Open while the parent waits for no child.
static int child_goes_on;

// Returns once the child runs, and libraries' fork handlers in it are done.
static pid_t fork_child()
{
    int news[2], goes_on[2];
    char byte;
    if (pipe(news) != 0 || pipe(goes_on) != 0)
        return -1;
    pid_t child = fork();
    if (child != 0) {
        child_goes_on = goes_on[1];
        close(goes_on[0]);
        close(news[1]);
        __atomic_fetch_add(&n_wrong, read(news[0], &byte, 1) != 1, __ATOMIC_RELAXED);
        close(news[0]);
        return child;
    }
    close(goes_on[1]);
    if (write(news[1], "", 1) != 1)
        _exit(2);
    for (int i = 0; i < 400 && count_changed() > 0; i++)
        usleep(50000 + fib(5));
    (void)!read(goes_on[0], &byte, 1);
    _exit(count_changed() > 0);
}

static bool has_ended_well(pid_t child)
{
    int status;
    if (child > 0)
        close(child_goes_on);
    return child == 0 || (waitpid(child, &status, 0) == child && status == 0);
}

// A filter of its own, which allows all.
static void restrict_calls()
{
    sock_filter filter[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program = {1, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **)
{
    if (argc > 1)
        restrict_calls();
    pthread_t threads[4];
    char byte;
    struct sigaction action = {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const struct itimerval period = {{0, 2000}, {0, 2000}};
    setitimer(ITIMER_REAL, &period, nullptr);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], nullptr, run, &n_rounds[i]);
    puts("running");
    fflush(stdout);
    pid_t child = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        if (byte == 'f') {
            child = fork_child();
            puts("forked");
            fflush(stdout);
        } else if (byte == '?') {
            printf("changed %zu\n", count_changed());
            fflush(stdout);
        }
    is_over = true;
    for (pthread_t thread : threads)
        pthread_join(thread, nullptr);
    n_wrong += !has_ended_well(child);
    printf("wrong %lu, idle threads %d, signals %s, changed %zu\n", n_wrong,
           !n_rounds[0] + !n_rounds[1] + !n_rounds[2] + !n_rounds[3], n_signals ? "came" : "none", count_changed());
    return 0;
}
