/*
 * The table of families, and the two formats of a row. Families print each row at once: an interrupted run has printed
 * what it measured.
 */
#include "bench/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os.h"

struct rv_bench_out {
    FILE *file;
    const struct rv_bench_params *params;
};

struct family {
    const char *name;
    int (*run)(struct rv_bench_out *out); /* NULL: in the window module */
    bool is_large;                        /* writes a gigabyte: runs only if it is named */
};

static const struct family families[] = {
    {"ring", rv_bench_ring, false},
    {"drain", rv_bench_drain, false},
    {"scan", rv_bench_scan, false},
    {"lod", rv_bench_lod, false},
    {"codec", rv_bench_codec, false},
    {"replay", NULL, true},
    {"render", NULL, false},
    {"export", rv_bench_export, false},
    {"overhead", rv_bench_overhead, false},
    {"control", rv_bench_control, false},
#ifdef RV_BENCH_PATCH
    {"patch", rv_bench_patch, false},
    {"max_overhead", rv_bench_max_overhead, false},
#endif
};
#define N_FAMILIES (sizeof families / sizeof *families)

static void print_json(FILE *file, const struct rv_bench_row *row)
{
    fprintf(file, "{\"bench\":\"%s\",\"unit\":\"%s\",\"median\":%.6g,\"min\":%.6g,\"n\":%u", row->bench, row->unit,
            row->median, row->min, row->n);
    if (row->baseline)
        fprintf(file, ",\"baseline\":\"%s\",\"ratio\":%.6g", row->baseline, row->ratio);
    fputs("}\n", file);
}

static void print_table(FILE *file, const struct rv_bench_row *row)
{
    char ratio[64] = "";
    if (row->baseline)
        snprintf(ratio, sizeof ratio, "%.3gx %s", row->ratio, row->baseline);
    fprintf(file, "%-34s %12.4g %12.4g %5u  %-11s %-22s %s\n", row->bench, row->median, row->min, row->n, row->unit,
            ratio, row->detail ? row->detail : "");
}

const char *rv_bench_input(const struct rv_bench_out *out)
{
    return out->params->input;
}

const char *const *rv_bench_command(const struct rv_bench_out *out)
{
    return out->params->command;
}

void rv_bench_row(struct rv_bench_out *out, const struct rv_bench_row *row)
{
    if (out->params->is_json)
        print_json(out->file, row);
    else
        print_table(out->file, row);
    fflush(out->file);
}

static void read_cpu_name(char *name, size_t n_bytes)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(name, n_bytes, "unknown CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !value)
            continue;
        snprintf(name, n_bytes, "%s", value + 1 + strspn(value + 1, " "));
        name[strcspn(name, "\n")] = '\0';
        break;
    }
    if (file)
        fclose(file);
}

static void print_heading(FILE *file)
{
    char cpu[128], date[16] = "";
    time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    read_cpu_name(cpu, sizeof cpu);
    fprintf(file, "%s, %u CPUs, %s\n", cpu, rv_os_n_cpus(), date);
    fprintf(file, "%-34s %12s %12s %5s  %-11s %-22s\n", "bench", "median", "min", "n", "unit", "minimum against");
}

/* Is the family in this comma-separated list? An empty list stands for all that are not large. */
static bool is_listed(const char *names, const struct family *family)
{
    const char *name = family->name;
    size_t length = strlen(name);
    if (!*names)
        return !family->is_large;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static int check_names(const char *names)
{
    while (*names) {
        size_t length = strcspn(names, ",");
        size_t i = 0;
        while (i < N_FAMILIES && (strlen(families[i].name) != length || memcmp(families[i].name, names, length) != 0))
            i++;
        if (i == N_FAMILIES)
            return rv_err(EINVAL, "no benchmark is named '%.*s'", (int)length, names);
        names += length + (names[length] == ',');
    }
    return 0;
}

static int run_family(const struct family *family, struct rv_bench_out *out)
{
    return family->run ? family->run(out) : out->params->draw(family->name, out);
}

int rv_bench_run(const struct rv_bench_params *params, FILE *file)
{
    struct rv_bench_out out = {file, params};
    int result = check_names(params->names);
    if (result < 0)
        return result;
    if (!params->is_json)
        print_heading(file);
    for (size_t i = 0; i < N_FAMILIES && result >= 0; i++) {
        if (is_listed(params->names, &families[i]))
            result = run_family(&families[i], &out);
        if (result == -ENOTSUP && !*params->names)
            result = 0; /* was printed; the other benchmarks ran */
    }
    if (result >= 0 && (fflush(file) != 0 || ferror(file)))
        result = rv_err_sys("benchmark output");
    return result < 0 ? result : 0;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int rv_bench_make_file(char *path, size_t path_bytes)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, path_bytes, "%s/ringviz-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        return rv_err_sys("%s", path);
    close(fd);
    return 0;
}

double rv_bench_median(double *samples, unsigned n)
{
    if (n == 0)
        return 0;
    qsort(samples, n, sizeof *samples, compare);
    return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

/* SplitMix64 (public domain). Any state will do. */
uint64_t rv_bench_random(uint64_t *state)
{
    uint64_t value = *state += 0x9e3779b97f4a7c15ull;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}
