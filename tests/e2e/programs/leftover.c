/* leftover: runs for ever, with what a call of sigaction(2) has left on its stack. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CODE_WORD 22 /* where a handler's frame has the address that was interrupted */

static void handle(int number)
{
    (void)number;
}

int main(void)
{
    struct {
        void *handler;
        unsigned long flags;
        uint64_t restorer, mask;
    } action;
    volatile uint64_t words[256] = {0};
    signal(SIGUSR1, handle);
    if (syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, sizeof action.mask) != 0)
        return 1;
    words[100] = action.restorer;
    words[100 + CODE_WORD] = (uint64_t)(uintptr_t)signal;
    printf("running\n");
    fflush(stdout);
    for (uint64_t x = 1;; x++)
        words[0] += x;
}
