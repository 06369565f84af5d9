/*
 * One source, several plugins: PLUGIN is the prefix of its functions' names. Two of them usually get the same address.
 * WAITS_FOR: a descriptor at whose end the constructor ends. TAKES_MS: how long it takes.
 */
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define KEPT __attribute__((noinline))

unsigned plugin_run(unsigned n);

static unsigned n_started;

KEPT static unsigned NAMED(PLUGIN, _helper)(unsigned i)
{
    __asm__ volatile("" : "+r"(i));
    return i + 7;
}

__attribute__((constructor)) KEPT static void NAMED(PLUGIN, _start)(void)
{
#ifdef WAITS_FOR
    for (char byte; read(WAITS_FOR, &byte, 1) > 0;)
        continue;
#endif
#ifdef TAKES_MS
    poll(NULL, 0, TAKES_MS);
#endif
    n_started = NAMED(PLUGIN, _helper)(0);
}

__attribute__((destructor)) KEPT static void NAMED(PLUGIN, _stop)(void)
{
    n_started = NAMED(PLUGIN, _helper)(1);
}

KEPT static unsigned NAMED(PLUGIN, _body)(unsigned n)
{
    unsigned sum = n_started;
    for (unsigned i = 0; i < n; i++)
        sum += NAMED(PLUGIN, _helper)(i);
    return sum;
}

__attribute__((no_instrument_function)) unsigned plugin_run(unsigned n)
{
    return NAMED(PLUGIN, _body)(n);
}
