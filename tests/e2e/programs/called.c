#include "called.h"

#include <stdarg.h>
#include <string.h>

#include "count.h"

#define EXPORT __attribute__((visibility("default")))
#define DEFINE(name) DEFINE_COUNT(name)
CALLED_FUNCTIONS(DEFINE)

EXPORT int called_number = 7;

EXPORT long called_eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
    COUNTED(eight);
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

EXPORT double called_any(int n, ...)
{
    va_list arguments;
    double sum = 0;
    COUNTED(any);
    va_start(arguments, n);
    for (int i = 0; i < n; i++) {
        sum += (double)va_arg(arguments, long);
        sum += va_arg(arguments, double);
    }
    va_end(arguments);
    return sum;
}

__attribute__((target("avx"))) EXPORT called_vector called_vectors(called_vector a, called_vector b)
{
    COUNTED(vectors);
    return a * b;
}

EXPORT long double called_longer(long double a, double b)
{
    COUNTED(longer);
    return a * b;
}

EXPORT double complex called_turned(double complex a)
{
    COUNTED(turned);
    return a * I;
}

EXPORT long double complex called_turned_long(long double complex a)
{
    COUNTED(turned_long);
    return a * I;
}

EXPORT struct called_pair called_pair(struct called_pair a)
{
    COUNTED(pair);
    return (struct called_pair){a.number + 1, a.share / 2};
}

EXPORT struct called_large called_large(struct called_large a, long by)
{
    COUNTED(large);
    for (int i = 0; i < 9; i++)
        a.numbers[i] *= by;
    return a;
}

static int chosen(int a)
{
    COUNTED(chosen);
    return a ^ 5;
}

static int (*choose(void))(int)
{
    return chosen;
}
EXPORT int called_chosen(int a) __attribute__((ifunc("choose")));

EXPORT int called_back(int (*function)(int, void *), int a, void *context)
{
    COUNTED(back);
    return function(a, context) + 1;
}

EXPORT int called_ticked(int a)
{
    COUNTED(ticked);
    return a + 1;
}

EXPORT int called_last(int a)
{
    COUNTED(last);
    return a * 3;
}

EXPORT int called_bare(void)
{
    COUNTED(bare);
    return 11;
}

EXPORT int *called_address_of_number(void)
{
    return &called_number;
}

EXPORT int (*called_address_of_bare(void))(void)
{
    return called_bare;
}

EXPORT unsigned long called_count(const char *name)
{
#define FIND(function)                                                                                                 \
    if (strcmp(name, #function) == 0)                                                                                  \
        return *n_##function;
    CALLED_FUNCTIONS(FIND)
    return 0;
}
