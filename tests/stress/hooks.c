/*
 * Runs a program that counts its own calls under the preloaded hooks and compares its rings with its counts.
 *
 *     hooks HOOKS.so|- FLAGS PROGRAM [ARG...]
 *
 * FLAGS, letters: p = every return pairs with the call on top of its stack; j = pushes may be abandoned by siglongjmp,
 * and are counted; t = clock tick, m = clock monotonic, s = small rings, r = fewer rings than threads. Names come from
 * the module table of the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/modules.h"
#include "ring/names.h"
#include "stress/expect.h"
#include "stress/tracee.h"
#include "symbols/symbolizer.h"

#define MAX_DEPTH 65536u
#define MAX_NAMES 65536u
#define TIMEOUT_MS 500000u

static uint64_t n_calls_of[MAX_NAMES], n_named_calls[MAX_NAMES], n_of_kind[RV_EVENT_KIND_COUNT];

/* 0: never. */
static uint64_t to_ns(const struct rv_map *map, uint64_t ticks)
{
    return ticks ? rv_clock_to_ns(&map->clock, ticks) : 0;
}

static struct rv_symbolizer *read_modules(const struct rv_map *map)
{
    static char path[8192];
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_module module;
    for (uint32_t i = 0; i < rv_modules_count(map); i++) {
        if (rv_modules_read(map, i, &module, path, sizeof path) != 0)
            continue;
        rv_symbolizer_put_module(symbolizer, &(struct rv_symbolizer_module){
                                                 .process = module.process_idx,
                                                 .start = module.start,
                                                 .end = module.end,
                                                 .bias = module.bias,
                                                 .loaded_ns = to_ns(map, module.loaded_ticks),
                                                 .unloaded_ns = to_ns(map, module.unloaded_ticks),
                                                 .device = module.device,
                                                 .inode = module.inode,
                                                 .path = module.path,
                                                 .build_id = module.build_id,
                                                 .build_id_bytes = module.build_id_bytes,
                                             });
    }
    return symbolizer;
}

/* The plain rule: a call nests, with a tag above its caller's, a return closes the frame with its tag, which is the top
 * one in a program that pairs. */
static void check_pairs(const struct tracee_stream *stream)
{
    static struct rv_event stack[MAX_DEPTH];
    size_t depth = 0, n_wrong = 0;
    for (size_t i = 0; i < stream->n; i++) {
        const struct rv_event *event = &stream->events[i];
        unsigned kind = rv_event_kind(event);
        if ((kind == RV_EVENT_CALL || kind == RV_EVENT_CALL_AT) && depth < MAX_DEPTH) {
            n_wrong += depth > 0 && (int16_t)(event->frame - stack[depth - 1].frame) <= 0;
            stack[depth++] = *event;
        } else if (kind == RV_EVENT_RETURN || kind == RV_EVENT_RETURN_AT) {
            const struct rv_event *call = depth ? &stack[--depth] : event;
            n_wrong += call == event || rv_event_kind(call) != kind - 1 || call->id != event->id ||
                       call->aux != event->aux || call->frame != event->frame;
        }
    }
    expect(n_wrong == 0, "returns that do not pair", n_wrong, 0);
    expect(depth == 0, "calls left open", depth, 0);
}

static void count_calls(const struct rv_map *map, struct rv_symbolizer *symbolizer, const struct tracee_stream *stream)
{
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, stream->process);
    size_t n_back = 0;
    for (size_t i = 0; i < stream->n; i++) {
        const struct rv_event *event = &stream->events[i];
        uint64_t ticks = rv_event_ticks(event);
        n_back += i > 0 && ticks < rv_event_ticks(event - 1);
        n_of_kind[rv_event_kind(event) % RV_EVENT_KIND_COUNT]++;
        if (rv_event_kind(event) == RV_EVENT_CALL)
            n_named_calls[event->id % MAX_NAMES]++;
        if (rv_event_kind(event) == RV_EVENT_CALL_AT)
            n_calls_of[rv_symbolizer_look_up(process, rv_event_address(event), to_ns(map, ticks)) % MAX_NAMES]++;
    }
    expect(n_back == 0, "times that fall", n_back, 0);
}

static void check_streams(const struct tracee *tracee, struct rv_symbolizer *symbolizer, const char *flags)
{
    for (size_t i = 0; i < tracee->n_streams; i++) {
        const struct tracee_stream *stream = &tracee->streams[i];
        const struct rv_ring_account *account = &stream->account;
        expect(stream->is_over, "streams that do not end", i, 0);
        expect(account->n_produced == account->n_consumed + account->n_dropped, "produced", account->n_produced,
               account->n_consumed + account->n_dropped);
        if (!strchr(flags, 'j'))
            expect(account->n_dropped == 0, "dropped", account->n_dropped, 0);
        if (strchr(flags, 'p'))
            check_pairs(stream);
        count_calls(&tracee->map, symbolizer, stream);
    }
    if (!strchr(flags, 'r')) {
        uint64_t n_without_ring = tracee->map.header->n_events_without_ring;
        expect(n_without_ring == 0, "events without a ring", n_without_ring, 0);
    }
}

static bool is_named(const char *name, const char *wanted)
{
    size_t n = strlen(name), n_wanted = strlen(wanted);
    return n >= n_wanted && strcmp(name + n - n_wanted, wanted) == 0 &&
           (n == n_wanted || name[n - n_wanted - 1] == ':');
}

static uint64_t calls_of(const struct rv_map *map, struct rv_symbolizer *symbolizer, const char *wanted)
{
    char buffer[4096];
    uint64_t n = 0;
    for (uint32_t id = 1; id <= rv_symbolizer_count(symbolizer) && id < MAX_NAMES; id++) {
        struct rv_symbolizer_name name;
        if (rv_symbolizer_name(symbolizer, id, &name) == 0 && is_named(name.name, wanted))
            n += n_calls_of[id];
    }
    for (uint32_t id = 1; id < rv_names_count(map) && id < MAX_NAMES; id++) {
        struct rv_name name;
        if (rv_names_read(map, id, &name, buffer, sizeof buffer) == 0 && is_named(name.name, wanted))
            n += n_named_calls[id];
    }
    return n;
}

static uint64_t n_produced(const struct tracee *tracee)
{
    uint64_t n = 0;
    for (size_t i = 0; i < tracee->n_streams; i++)
        n += tracee->streams[i].account.n_produced;
    return n;
}

/* "COUNT name calls", "KIND kind events" and "PUSHES events, lost ones included". */
static void check_counts(const struct tracee *tracee, struct rv_symbolizer *symbolizer, FILE *out)
{
    char line[256], name[128];
    unsigned long long n;
    unsigned n_counts = 0, kind;
    rewind(out);
    while (fgets(line, sizeof line, out)) {
        if (sscanf(line, "COUNT %127s %llu", name, &n) == 2) {
            uint64_t n_calls = calls_of(&tracee->map, symbolizer, name);
            expect(n_calls == n, name, n_calls, n);
            n_counts++;
        } else if (sscanf(line, "KIND %u %llu", &kind, &n) == 2 && kind < RV_EVENT_KIND_COUNT) {
            expect(n_of_kind[kind] == n, "events of a kind", n_of_kind[kind], n);
        } else if (sscanf(line, "PUSHES %llu", &n) == 1) {
            expect(n_produced(tracee) == n, "pushes", n_produced(tracee), n);
        }
    }
    expect(n_counts > 0, "COUNT lines", n_counts, 1);
}

/* Threads without a ring: their events are counted in the header only. */
static void check_shortage(const struct tracee *tracee, FILE *out)
{
    const struct rv_wire_header *header = tracee->map.header;
    char line[256];
    unsigned long long n;
    uint64_t n_events = header->n_events_without_ring + n_produced(tracee), n_counted = 0;
    rewind(out);
    while (fgets(line, sizeof line, out))
        n_counted += sscanf(line, "COUNT %*s %llu", &n) == 1 ? n : 0;
    expect(header->n_threads_without_ring > 0, "threads without a ring", header->n_threads_without_ring, 1);
    expect(n_events == 2 * n_counted, "events", n_events, 2 * n_counted);
}

/* These tests have no ticker thread: each turn of the reader moves the tick. */
static bool drain_ticking(struct tracee *tracee, bool is_ticking)
{
    while (is_ticking && !tracee->has_ended) {
        tracee_turn(tracee);
        __atomic_fetch_add(&tracee->map.header->tick, 1, __ATOMIC_RELAXED);
    }
    return tracee_drain(tracee, TIMEOUT_MS);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *flags = argv[2];
    struct tracee tracee;
    struct rv_map_params params = {
        .policy = RV_POLICY_BLOCK,
        .ring_events = strchr(flags, 's') ? 1024 : 0,
        .n_rings = strchr(flags, 'r') ? 3 : 0,
        .clock_kind = strchr(flags, 't')   ? RV_CLOCK_TICK
                      : strchr(flags, 'm') ? RV_CLOCK_MONOTONIC
                                           : RV_CLOCK_TSC,
    };
    FILE *out = tmpfile();
    tracee_open(&tracee, &params);
    tracee_start(&tracee, (const char *const *)argv + 3, strcmp(argv[1], "-") ? argv[1] : NULL, fileno(out));
    bool has_ended = drain_ticking(&tracee, params.clock_kind == RV_CLOCK_TICK);
    expect(has_ended, "ended in time", has_ended, 1);
    expect(tracee.status == 0, "status", (uint64_t)tracee.status, 0);

    struct rv_symbolizer *symbolizer = read_modules(&tracee.map);
    check_streams(&tracee, symbolizer, flags);
    if (strchr(flags, 'r'))
        check_shortage(&tracee, out);
    else
        check_counts(&tracee, symbolizer, out);
    printf("%zu rings, %u modules, %u processes\n", tracee.n_streams, rv_modules_count(&tracee.map),
           tracee.map.header->n_processes_used);
    rv_symbolizer_destroy(symbolizer);
    tracee_close(&tracee);
    fclose(out);
    return expect_n_failures() != 0;
}
