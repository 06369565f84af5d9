/*
 * A hostile event stream into the scan. The first bytes choose the size of the blocks and how the rest is
 * read: as events with rising times, where every kernel must agree with the serial oracle, or as raw bytes, where
 * only memory safety is promised.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/scan/compare.h"
#include "base/vec.h"
#include "scan/block.h"
#include "scan/block_join.h"

#define MAX_EVENTS 4096u
#define RECORD_BYTES 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct header {
    uint8_t mode, block_events_low, block_events_high, seed;
};

enum { MODE_RAW = 2, MODE_HIDE_SPECIALS = 4 };

/* Kind and step of time are in the first byte of an event. Only a SYNC may have any time. */
static size_t read_events(struct rv_event *events, const uint8_t *data, size_t size)
{
    uint64_t ns = 1ull << 33;
    size_t n = 0;
    for (; n < MAX_EVENTS && size >= RECORD_BYTES; n++, data += RECORD_BYTES, size -= RECORD_BYTES) {
        uint16_t words[3];
        memcpy(words, data + 2, sizeof words);
        uint64_t kind = data[0] & 15, when;
        ns += (uint64_t)(data[0] >> 4) << (data[1] & 7);
        when = kind == RV_EVENT_SYNC ? ns - ((uint64_t)data[1] << 8) : ns;
        events[n] = (struct rv_event){
            .when = kind << RV_EVENT_KIND_SHIFT | when, .id = words[0], .aux = words[2], .frame = words[1]};
        if (kind == RV_EVENT_LOST)
            events[n].id <<= data[1] & 15;
    }
    return n;
}

static void compare(const struct rv_event *events, size_t n, const struct header *header)
{
    struct scanned expected = scan_serially(events, n);
    for (int kernel = 0; kernel < RV_SCAN_KERNEL_COUNT; kernel++) {
        if (!rv_scan_kernel_is_supported((enum rv_scan_kernel)kernel))
            continue;
        struct cutting cutting = {
            .kernel = (enum rv_scan_kernel)kernel,
            .block_events = (header->block_events_low | (uint32_t)header->block_events_high << 8) & 0x1fff,
            .seed = header->seed,
        };
        struct scanned got = scan_in_blocks(events, n, &cutting);
        if (!scanned_is_equal(&expected, &got))
            abort();
        scanned_free(&got);
    }
    scanned_free(&expected);
}

static void scan_raw(const struct rv_event *events, uint32_t n, bool hides_specials)
{
    struct rv_event *copy = rv_alloc(n + RV_BLOCK_PADDING, sizeof *copy);
    uint32_t *specials = rv_alloc(n + 1, sizeof *specials), n_specials = 0;
    memcpy(copy, events, n * sizeof *copy);
    for (uint32_t i = 0; i < n && !hides_specials; i++)
        if (rv_event_kind(&copy[i]) > RV_EVENT_RETURN)
            specials[n_specials++] = i;
    for (int kernel = 0; kernel < RV_SCAN_KERNEL_COUNT; kernel++) {
        if (!rv_scan_kernel_is_supported((enum rv_scan_kernel)kernel))
            continue;
        struct rv_block *block = rv_block_create(n);
        struct rv_block_join *carry = rv_block_join_create();
        struct rv_block_input input = {copy, n, specials, n_specials, rv_event_ticks(events), 3};
        struct rv_span spans[37];
        for (int round = 0; round < 2; round++) {
            struct rv_block_cursor cursor = {0};
            rv_block_scan(block, &input, (enum rv_scan_kernel)kernel);
            rv_block_join_apply(carry, block);
            while (rv_block_read_spans(block, &cursor, spans, 37) > 0)
                ;
            input.entry_stack = rv_block_exit_stack(&input);
        }
        while (rv_block_join_finish(carry, 5, spans, 37) > 0)
            ;
        rv_block_join_destroy(carry);
        rv_block_destroy(block);
    }
    free(specials);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rv_event events[MAX_EVENTS];
    struct header header;
    if (size < sizeof header)
        return 0;
    memcpy(&header, data, sizeof header);
    data += sizeof header;
    size -= sizeof header;
    if (!(header.mode & MODE_RAW)) {
        compare(events, read_events(events, data, size), &header);
        return 0;
    }
    size_t n = size / sizeof *events < MAX_EVENTS ? size / sizeof *events : MAX_EVENTS;
    memcpy(events, data, n * sizeof *events);
    if (n)
        scan_raw(events, (uint32_t)n, header.mode & MODE_HIDE_SPECIALS);
    return 0;
}
