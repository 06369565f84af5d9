/*
 * helpers: a runtime whose frames are opened by a hooked function that returns at once, and whose returns are
 * single-stepped: after the first instruction, the second and so on a handler calls a hooked function.
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "ringviz/producer.h"

#define TRAP_FLAG 0x100ull

enum { MOST_STEPS = 5000 };

static uint32_t frame_id;
static unsigned n_steps, stop_after, n_handled;

__attribute__((noinline)) void handle(void)
{
    n_handled++;
}

__attribute__((noinline)) void help(void)
{
    (void)ringviz_call(frame_id, 0, 1);
    __asm__ volatile("");
}

__attribute__((no_instrument_function)) static void on_trap(int unused)
{
    (void)unused;
    if (n_steps++ == stop_after)
        handle();
}

__attribute__((noinline)) void attempt(void)
{
    help();
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orq %0, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp"
                     :
                     : "i"(TRAP_FLAG)
                     : "memory", "cc");
    ringviz_return(frame_id, 0);
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n andq %0, (%%rsp)\n popfq\n lea 128(%%rsp), %%rsp"
                     :
                     : "i"(~TRAP_FLAG)
                     : "memory", "cc");
}

__attribute__((no_instrument_function)) int main(void)
{
    struct sigaction action = {.sa_handler = on_trap};
    frame_id = ringviz_intern("Runtime", "frame", "runtime.x", 1);
    help();
    ringviz_return(frame_id, 0); /* the slow paths of a beginning */
    sigaction(SIGTRAP, &action, NULL);
    do
        n_steps = 0, attempt();
    while (n_steps > stop_after++ && stop_after < MOST_STEPS);
    return stop_after < MOST_STEPS && n_handled == stop_after - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
