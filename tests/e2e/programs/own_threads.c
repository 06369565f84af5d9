/* own_threads N: makes N threads, one after another, by an instruction of its own, without thread-local data of theirs; each
 * calls a function. Prints the sum of what they return. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define STACK_BYTES 65536

static volatile int n_ended;
static unsigned long sum;

__attribute__((noinline, noipa)) static unsigned long work(unsigned long n)
{
    unsigned long product = 1;
    for (unsigned long i = 1; i < n; i++)
        product = product * i + n;
    return product % 1000;
}

__attribute__((noinline, noipa, noreturn, used)) static void run(void)
{
    sum += work((unsigned long)n_ended + 100);
    n_ended++;
    for (;;)
        __asm__ volatile("xor %%edi, %%edi\nmov %0, %%eax\nsyscall" : : "i"(SYS_exit) : "rax", "rdi", "memory");
}

static void make_thread(char *stack)
{
    __asm__ volatile("mov %0, %%edi\n"
                     "mov %1, %%rsi\n"
                     "xor %%edx, %%edx\n"
                     "xor %%r10d, %%r10d\n"
                     "xor %%r8d, %%r8d\n"
                     "mov %2, %%eax\n"
                     "syscall\n"
                     "test %%eax, %%eax\n"
                     "jne 1f\n"
                     "call run\n"
                     "1:"
                     :
                     : "i"(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM),
                       "r"(stack + STACK_BYTES), "i"(SYS_clone)
                     : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r10", "r11", "memory");
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1;
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < n; i++) {
        make_thread(stack);
        while (n_ended <= i)
            sched_yield();
        for (volatile int spin = 0; spin < 100000; spin++) /* it still has the stack */
            continue;
    }
    printf("sum %lu\n", sum);
    return 0;
}
