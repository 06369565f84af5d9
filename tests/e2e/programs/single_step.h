/* A trap (SIGTRAP) after each instruction of this thread. The 128 bytes below the stack pointer stay untouched. */
#ifndef RV_TESTS_SINGLE_STEP_H
#define RV_TESTS_SINGLE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#define TRAP_FLAG 0x100

__attribute__((no_instrument_function)) static inline void set_stepping(bool is_stepping)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n"
                     "pushfq\n"
                     "andq %1, (%%rsp)\n"
                     "orq %0, (%%rsp)\n"
                     "popfq\n"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "r"(is_stepping ? (uint64_t)TRAP_FLAG : 0), "i"(~TRAP_FLAG)
                     : "memory", "cc");
}

#endif
