/* The shared library whose function is called by the workload `library`. */
#include <stdint.h>

uint64_t ringviz_bench_step(uint64_t value);

uint64_t ringviz_bench_step(uint64_t value)
{
    return value * 6364136223846793005u + 1442695040888963407u;
}
