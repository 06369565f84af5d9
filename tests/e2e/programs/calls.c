/*
 * Calls functions of a library in all the ways that there are, while a signal's handler calls some, too, and on a stack of
 * its own; compares the results, and prints how often the library was called.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "called.h"
#include "count.h"

#define ROUNDS 3000
#define CHECK(is_so) (void)((is_so) ? 0 : (fprintf(stderr, "%s: %d: %s\n", __FILE__, __LINE__, #is_so), n_wrong++))

static int n_wrong;
static volatile sig_atomic_t n_ticks;

static void tick(int number)
{
    (void)number;
    if (called_ticked(n_ticks) != n_ticks + 1 || called_any(1, 1L, 0.5) != 1.5)
        n_wrong++;
    n_ticks++;
}

static void start_ticks(void)
{
    static uint8_t stack[1 << 16];
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_ONSTACK | SA_RESTART};
    const struct itimerval every = {{0, 200}, {0, 200}};
    sigaltstack(&other, NULL);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

static void stop_ticks(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

__attribute__((target("avx"))) static void call_with_vectors(double a)
{
    const called_vector left = {a, a + 1, a + 2, a + 3}, right = {2, 3, 4, 5};
    const called_vector product = called_vectors(left, right);
    for (int i = 0; i < 4; i++)
        CHECK(product[i] == left[i] * right[i]);
}

static void call_with_values(long i)
{
    CHECK(called_eight(i, 2, 3, 4, 5, 6, 7, 8) == i + 203);
    CHECK(called_any(10, i, 1.0, i, 2.0, i, 3.0, i, 4.0, i, 5.0, i, 6.0, i, 7.0, i, 8.0, i, 9.0, i, 10.0) ==
          10.0 * (double)i + 55.0);
    CHECK(called_longer((long double)i + 0.25L, 2.0) == 2.0L * (long double)i + 0.5L);
    CHECK(called_turned((double)i + 2.0 * I) == (double)i * I - 2.0);
    CHECK(called_turned_long((long double)i + 2.0L * I) == (long double)i * I - 2.0L);
    const struct called_pair pair = called_pair((struct called_pair){i, (double)i});
    CHECK(pair.number == i + 1 && pair.share == (double)i / 2);
    const struct called_large large = called_large((struct called_large){{i, 1, 2, 3, 4, 5, 6, 7, 8}}, 3);
    CHECK(large.numbers[0] == 3 * i && large.numbers[8] == 24);
    CHECK(called_chosen((int)i) == ((int)i ^ 5));
}

static int jump_out(int a, void *context)
{
    if (a % 2)
        longjmp(*(jmp_buf *)context, a + 1);
    return called_ticked(a);
}

/* The program calls setjmp; longjmp leaves the frame of the library. */
static void call_with_jumps(int i)
{
    jmp_buf here;
    const volatile int kept = i;
    const int came = setjmp(here);
    if (came)
        CHECK(came == kept + 1 && kept % 2);
    else
        CHECK(called_back(jump_out, i, &here) == kept + 2);
}

__attribute__((noinline)) static int call_at_end(int i)
{
    return called_last(i);
}

static void call_in_child(void)
{
    int status = -1;
    const pid_t child = vfork();
    if (child == 0)
        _exit(called_bare());
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 11);
}

int main(void)
{
    int (*volatile bare)(void) = called_bare;
    start_ticks();
    for (int i = 0; i < ROUNDS; i++) {
        call_with_values(i);
        if (__builtin_cpu_supports("avx"))
            call_with_vectors(i);
        call_with_jumps(i);
        CHECK(call_at_end(i) == 3 * i);
        if (i % 100 == 0)
            call_in_child();
    }
    stop_ticks();
    CHECK(bare == called_address_of_bare() && called_bare() == 11);
    CHECK(&called_number == called_address_of_number() && called_number == 7);
#define REPORT(name) printf("COUNT called_%s %lu\n", #name, called_count(#name));
    CALLED_FUNCTIONS(REPORT)
    printf("COUNT vfork 0\nCOUNT _setjmp 0\nCOUNT call_at_end %d\n", ROUNDS);
    printf("wrong %d\n", n_wrong);
    return n_wrong != 0;
}
