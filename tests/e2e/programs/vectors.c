/* vectors: keeps numbers in the upper halves of vector registers, and asks all the time whether they are there. Ends with its
 * standard input; prints how often they were not. */
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Nothing but these instructions is run meanwhile. */
__attribute__((target("avx"), noinline)) static int is_kept(uint64_t round)
{
    const __m256i number = _mm256_set1_epi64x((long long)round);
    __m256i kept = number;
    __asm__ volatile("mov $2000, %%ecx\n"
                     "1:\n"
                     "vmovdqa %0, %%ymm15\n"
                     "vmovdqa %%ymm15, %0\n"
                     "dec %%ecx\n"
                     "jne 1b\n"
                     : "+x"(kept)
                     :
                     : "ecx", "ymm15", "cc");
    uint64_t words[4];
    memcpy(words, &kept, sizeof words);
    return words[0] == round && words[1] == round && words[2] == round && words[3] == round;
}

int main(void)
{
    unsigned long n_wrong = 0, n = 1;
    char byte;
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    puts("running");
    fflush(stdout);
    for (; n % 1000 || read(STDIN_FILENO, &byte, 1) != 0; n++)
        n_wrong += !is_kept(n | 0x5a5a000000000000ull);
    printf("wrong %lu\n", n_wrong);
    return 0;
}
