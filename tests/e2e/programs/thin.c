/* thin N: N calls of what its library does, whose sum it prints. Built with -DIS_LIBRARY it is that library, which also
 * replaces mmap(), as allocators do. */
#ifdef IS_LIBRARY

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int thin_work(int n);

__attribute__((noipa)) void *mmap(void *at, size_t n_bytes, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, n_bytes, protection, flags, fd, offset);
}

__attribute__((noipa)) static int thin_step(int i)
{
    volatile int sum = 0;
    while (i > 0)
        sum += i--;
    return sum;
}

int thin_work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += thin_step(i);
    return sum;
}

#else

#include <stdio.h>
#include <stdlib.h>

int thin_work(int n);

int main(int argc, char **argv)
{
    printf("%d\n", thin_work(argc > 1 ? atoi(argv[1]) : 10));
    return 0;
}

#endif
