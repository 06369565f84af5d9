#include "producers/native/earlier_verdicts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/file_io.h"
#include "patch/array.h"
#include "ring/map.h"

#define NOWHERE UINT64_MAX

/* The lists of a trace file, as they are now. */
struct lists {
    struct rv_wire_module *modules;
    struct rv_wire_verdict *verdicts;
    uint64_t *biases; /* of the program in each process; NOWHERE: it is another's */
    size_t n_modules, n_verdicts, n_processes;
};

struct addresses {
    uint64_t *all;
    size_t n, capacity;
};

/* The first n records of an area; NULL: none, or not all of them. */
static void *read_records(int fd, const struct rv_wire_area *area, size_t n, size_t record_bytes)
{
    const size_t n_bytes = n * record_bytes;
    void *records = n && n_bytes <= area->n_bytes ? malloc(n_bytes) : NULL;
    if (records && rv_file_read_at(fd, records, n_bytes, area->offset) != (ssize_t)n_bytes) {
        free(records);
        records = NULL;
    }
    return records;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void read_lists(int fd, const struct rv_wire_header *header, struct lists *lists)
{
    lists->n_modules = least(header->n_modules_used, header->n_modules);
    lists->n_verdicts = least(header->n_verdicts_used, header->n_verdicts);
    lists->n_processes = least(header->n_processes_used, header->n_processes);
    if (!lists->n_verdicts)
        return;
    lists->verdicts = read_records(fd, &header->verdicts, lists->n_verdicts, sizeof *lists->verdicts);
    lists->modules = read_records(fd, &header->modules, lists->n_modules, sizeof *lists->modules);
    lists->biases = malloc((lists->n_processes + 1) * sizeof *lists->biases);
}

static void free_lists(struct lists *lists)
{
    free(lists->modules);
    free(lists->verdicts);
    free(lists->biases);
}

static void find_biases(struct lists *lists, const struct stat *program)
{
    for (size_t i = 0; i < lists->n_processes; i++)
        lists->biases[i] = NOWHERE;
    for (size_t i = 0; i < lists->n_modules; i++) {
        const struct rv_wire_module *module = &lists->modules[i];
        if (module->is_published && module->process < lists->n_processes && module->device == program->st_dev &&
            module->inode == program->st_ino)
            lists->biases[module->process] = module->bias;
    }
}

static bool add(struct addresses *addresses, uint64_t address)
{
    uint64_t *all = rv_patch_array_grown(addresses->all, addresses->n, &addresses->capacity, sizeof *all);
    if (!all)
        return false;
    addresses->all = all;
    all[addresses->n++] = address;
    return true;
}

static struct addresses collect(const struct lists *lists, bool is_kept)
{
    struct addresses addresses = {0};
    for (size_t i = 0; i < lists->n_verdicts; i++) {
        const struct rv_wire_verdict *verdict = &lists->verdicts[i];
        const uint64_t bias = verdict->process < lists->n_processes ? lists->biases[verdict->process] : NOWHERE;
        if (bias != NOWHERE && (verdict->is_kept != 0) == is_kept && !add(&addresses, verdict->address - bias))
            break;
    }
    rv_patch_array_sort(addresses.all, addresses.n, sizeof *addresses.all);
    return addresses;
}

static bool has(const uint64_t *addresses, size_t n, uint64_t address)
{
    const size_t n_before = rv_bisect_count(addresses, n, sizeof *addresses, 0, address);
    return n_before && addresses[n_before - 1] == address;
}

/* What was let in again, in any process, is kept. */
static struct rv_earlier_verdicts judge(const struct lists *lists)
{
    const struct addresses kept = collect(lists, true);
    struct addresses rejected = collect(lists, false);
    size_t n = 0;
    for (size_t i = 0; i < rejected.n; i++)
        if (!has(kept.all, kept.n, rejected.all[i]))
            rejected.all[n++] = rejected.all[i];
    free(kept.all);
    return (struct rv_earlier_verdicts){rejected.all, n};
}

struct rv_earlier_verdicts rv_earlier_verdicts_read(const char *trace_path, const struct stat *program)
{
    struct rv_wire_header header;
    struct rv_earlier_verdicts verdicts = {0};
    struct lists lists = {0};
    const int fd = open(trace_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return verdicts;
    if (rv_file_read_at(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        rv_map_validate(&header, header.file_bytes) == 0)
        read_lists(fd, &header, &lists);
    close(fd);
    if (lists.verdicts && lists.modules && lists.biases) {
        find_biases(&lists, program);
        verdicts = judge(&lists);
    }
    free_lists(&lists);
    return verdicts;
}

bool rv_earlier_verdicts_reject(const struct rv_earlier_verdicts *verdicts, uint64_t address)
{
    return has(verdicts->addresses, verdicts->n, address);
}

void rv_earlier_verdicts_free(struct rv_earlier_verdicts *verdicts)
{
    free(verdicts->addresses);
    *verdicts = (struct rv_earlier_verdicts){0};
}
