/* A library of functions with all kinds of arguments and results, which counts their calls (called.c). */
#ifndef RV_TESTS_E2E_CALLED_H
#define RV_TESTS_E2E_CALLED_H

#include <complex.h>
#include <setjmp.h>

struct called_pair { /* returned in a general and a vector register */
    long number;
    double share;
};
struct called_large { /* returned in memory */
    long numbers[9];
};
typedef double called_vector __attribute__((vector_size(32)));

#define CALLED_FUNCTIONS(x)                                                                                            \
    x(eight) x(any) x(vectors) x(longer) x(turned) x(turned_long) x(pair) x(large) x(chosen) x(back) x(ticked) x(last) \
        x(bare)

long called_eight(long a, long b, long c, long d, long e, long f, long g, long h);
double called_any(int n, ...); /* doubles, each behind a long */
#ifdef __x86_64__
__attribute__((target("avx"))) called_vector called_vectors(called_vector a, called_vector b);
#endif
long double called_longer(long double a, double b);
double complex called_turned(double complex a);
long double complex called_turned_long(long double complex a);
struct called_pair called_pair(struct called_pair a);
struct called_large called_large(struct called_large a, long by);
int called_chosen(int a);                                            /* an IFUNC */
int called_back(int (*function)(int, void *), int a, void *context); /* calls it */
int called_ticked(int a);                                            /* by a signal's handler, too */
int called_last(int a);                                              /* by a jump, as a function's last act */
int called_bare(void);

extern int called_number; /* data */
int *called_address_of_number(void);
int (*called_address_of_bare(void))(void);

unsigned long called_count(const char *name);

#endif
