/* Expectations of single-threaded stress programs: each that is not met is printed and counted. */
#ifndef RV_TESTS_STRESS_EXPECT_H
#define RV_TESTS_STRESS_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

void expect(bool is_so, const char *what, uint64_t got, uint64_t wanted);

/* So far. */
unsigned expect_n_failures(void);

#endif
