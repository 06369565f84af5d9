#include "cli/info.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "cli/info_recording.h"
#include "cli/open_trace.h"
#include "base/clock.h"
#include "base/full_name.h"
#include "base/instrumentation_text.h"
#include "base/sigbus.h"
#include "base/text.h"
#include "ring/ownership.h"
#include "ring/map.h"
#include "ring/names.h"
#include "ring/ring.h"
#include "import/formats.h"
#include "ringviz/wire.h"

static const char *const POLICIES[RV_POLICY_COUNT] = {"block", "switch", "fill", "ring"};
static const char *const CLOCKS[RV_CLOCK_COUNT] = {"tsc", "monotonic", "tick"};
static const char *const RING_STATES[RV_RING_STATE_COUNT] = {"free", "claimed", "live", "exited"};
static const char *const PROCESS_STATES[] = {"free", "claimed", "live", "ended"};
enum { N_PROCESS_STATES = sizeof PROCESS_STATES / sizeof *PROCESS_STATES, NAME_BYTES = 3 * 4 * 4096 };

static const char *word(const char *const *words, uint32_t n, uint32_t index)
{
    return index < n ? words[index] : "?";
}

static void print_header(const struct rv_map *map, FILE *out)
{
    const struct rv_wire_header *g = &map->geometry;
    time_t created = (time_t)(g->clock_real0_ns / 1000000000u);
    struct tm tm;
    char when[64];
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S %z", localtime_r(&created, &tm));
    fprintf(out, "file      %s\nversion   %u.%u\ncreated   %s by process %u\n", map->path, g->major, g->minor, when,
            g->creator_pid);
    fprintf(out, "bytes     %llu\nclock     %s\npolicy    %s\nstate     %s\n", (unsigned long long)g->file_bytes,
            word(CLOCKS, RV_CLOCK_COUNT, g->clock_kind), word(POLICIES, RV_POLICY_COUNT, g->policy),
            __atomic_load_n(&map->header->state, __ATOMIC_RELAXED) == RV_FILE_STOPPED ? "stopped" : "tracing");
    fprintf(out, "rings     %u of %u events\nslots     %u of %u bytes\nmessages  %u bytes a ring, %llu global\n",
            g->n_rings, g->ring_events, g->n_slots, g->slot_bytes, g->message_bytes,
            (unsigned long long)g->global_message.n_bytes);
    fprintf(out, "consumer  %u\n", __atomic_load_n(&map->header->consumer_pid, __ATOMIC_RELAXED));
    fprintf(out, "names     %u\n", rv_names_count(map) ? rv_names_count(map) - 1 : 0);
    fprintf(out, "without a ring: %llu threads, %llu events\n",
            (unsigned long long)__atomic_load_n(&map->header->n_threads_without_ring, __ATOMIC_RELAXED),
            (unsigned long long)__atomic_load_n(&map->header->n_events_without_ring, __ATOMIC_RELAXED));
}

static void print_processes(const struct rv_map *map, FILE *out)
{
    fprintf(out, "\n%8s %8s %-8s %s\n", "pid", "parent", "state", "name");
    const uint32_t n = rv_ownership_n_processes(map);
    for (uint32_t i = 0; i < n; i++) {
        const struct rv_wire_process *process = rv_map_process(map, i);
        uint32_t state = __atomic_load_n(&process->state, __ATOMIC_RELAXED);
        if (state == RV_PROCESS_FREE)
            continue;
        fprintf(out, "%8u %8u %-8s ", process->pid, process->parent_pid, word(PROCESS_STATES, N_PROCESS_STATES, state));
        char name[4 * sizeof process->name], by[RV_INSTRUMENTATION_BYTES];
        rv_text_escape(name, sizeof name, process->name, strnlen(process->name, sizeof process->name));
        rv_instrumentation_text(&process->instrumentation, by);
        fprintf(out, "%s%s%s\n", name, *by ? ", traced by " : "", by);
    }
}

static void print_ring_row(FILE *out, const char *who, const struct rv_ring_account *account)
{
    fprintf(out, "%14llu %14llu %14llu  %s\n", (unsigned long long)account->n_produced,
            (unsigned long long)account->n_consumed, (unsigned long long)account->n_dropped, who);
}

static void print_rings(struct rv_map *map, FILE *out)
{
    fprintf(out, "\n%5s %-8s %8s %8s %14s %14s %14s  %s\n", "ring", "state", "pid", "tid", "produced", "consumed",
            "dropped", "thread");
    for (uint32_t i = 0; i < rv_ownership_n_rings_used(map); i++) {
        struct rv_ring ring;
        rv_ring_view(&ring, map, i);
        uint32_t state = __atomic_load_n(&ring.control->state, __ATOMIC_RELAXED);
        if (state == RV_RING_FREE)
            continue;
        char name[64];
        rv_ownership_thread_name(map, i, name);
        struct rv_ring_account account = rv_ring_account(&ring);
        fprintf(out, "%5u %-8s %8u %8u ", i, word(RING_STATES, RV_RING_STATE_COUNT, state), ring.control->owner_pid,
                ring.control->owner_tid);
        print_ring_row(out, name, &account);
    }
    const struct rv_wire_header *header = map->header;
    struct rv_ring_account total = {header->total_produced, header->total_consumed, header->total_dropped};
    fprintf(out, "%-32s ", "rings given back");
    char who[48];
    snprintf(who, sizeof who, "(%llu claims)", (unsigned long long)header->total_claims);
    print_ring_row(out, who, &total);
}

static void print_names(const struct rv_map *map, FILE *out)
{
    uint32_t n = rv_names_count(map);
    if (n > 1)
        fprintf(out, "\n%8s  %s\n", "name", "");
    for (uint32_t id = 1; id < n; id++) {
        char buffer[NAME_BYTES], full[NAME_BYTES];
        struct rv_name name;
        if (rv_names_read(map, id, &name, buffer, sizeof buffer) != 0)
            continue;
        (void)rv_full_name(full, sizeof full, name.package, name.name, name.line_form);
        fprintf(out, "%8u  %s", id, full);
        if (*name.file)
            fprintf(out, "  %s:%u", name.file, rv_name_line(name.line_form));
        fputc('\n', out);
    }
}

int rv_info_write(const char *path, FILE *out)
{
    if (rv_open_trace_is_recording(path))
        return rv_info_recording_write(path, out);
    const struct rv_import_format *format = rv_import_format_of(path);
    if (format) {
        fprintf(out, "file      %s\nformat    %s (--import=%s)\n", path, format->describe, format->name);
        return 0;
    }
    struct rv_map map = {0};
    int error = rv_map_open(&map, path, RV_MAP_OBSERVER, false);
    if (error)
        return error;
    rv_sigbus_catch(&(struct rv_sigbus_region){map.base, map.n_bytes, map.fd, map.path});
    print_header(&map, out);
    print_processes(&map, out);
    print_rings(&map, out);
    print_names(&map, out);
    rv_sigbus_release();
    rv_map_close(&map);
    return rv_sigbus_has_come() ? -EIO : 0;
}
