/*
 * Every kernel against the serial oracle, on random streams, cut in every way, on one to four threads, by one carry or
 * by one after the other. oracle [N_STREAMS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"
#include "streams.h"

static size_t n_events, n_spans, n_scans;

static bool check(const struct stream *stream, const struct scanned *expected, const struct cutting *cutting)
{
    struct scanned got = scan_in_blocks(stream->events, stream->n, cutting);
    bool is_equal = scanned_is_equal(expected, &got);
    if (!is_equal)
        fprintf(stderr, "kernel %s, blocks of %u, %u threads, n %u\n", rv_scan_kernel_name(cutting->kernel),
                cutting->block_events, cutting->n_threads, stream->n);
    scanned_free(&got);
    n_scans++;
    return is_equal;
}

static bool check_stream(uint64_t seed)
{
    uint64_t random = seed;
    struct stream_params params = stream_random_params(&random);
    struct stream stream = stream_generate(&params, &random);
    struct scanned expected = scan_serially(stream.events, stream.n);
    uint32_t n = stream.n, small = n < 2000 ? 1 : 61;
    const uint32_t sizes[] = {small, 2 * small, n > 1 ? n - 1 : 1, n, n + 1, 0, 0, 0};
    bool is_equal = true;
    n_events += n;
    n_spans += expected.n;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kernel = 0; kernel < RV_SCAN_KERNEL_COUNT && is_equal; kernel++) {
            struct cutting cutting = {
                .kernel = (enum rv_scan_kernel)kernel,
                .block_events = sizes[i] < RV_BLOCK_EVENTS ? sizes[i] : RV_BLOCK_EVENTS,
                .n_threads = 1 + random_below(&random, 4),
                .seed = random_next(&random),
                .is_resumed = i + 1 == sizeof sizes / sizeof *sizes,
            };
            if (rv_scan_kernel_is_supported(cutting.kernel))
                is_equal = check(&stream, &expected, &cutting);
        }
    scanned_free(&expected);
    stream_free(&stream);
    return is_equal;
}

int main(int argc, char **argv)
{
    unsigned long n_streams = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    printf("%lu streams from seed %llu\n", n_streams, (unsigned long long)seed);
    for (unsigned long i = 0; i < n_streams; i++) {
        if (!check_stream(seed + i)) {
            fprintf(stderr, "seed %llu differs\n", (unsigned long long)(seed + i));
            return 1;
        }
    }
    printf("%zu scans equal; %zu events, %zu spans in %lu streams\n", n_scans, n_events, n_spans, n_streams);
    return 0;
}
