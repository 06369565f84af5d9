/*
 * Compares a report with the program's own counts.
 *
 *     check_counts STDOUT REPORT.json [may-drop]
 *
 * STDOUT has lines "COUNT name n"; the report's calls of the subroutines of that name, in any package, must sum to
 * n. No event may be lost, and every row's times must be consistent.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int n_failures;

static void expect(bool is_so, const char *what, uint64_t got, uint64_t wanted)
{
    if (is_so)
        return;
    fprintf(stderr, "%s: %" PRIu64 ", expected %" PRIu64 "\n", what, got, wanted);
    n_failures++;
}

static uint64_t number(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        fprintf(stderr, "%s: missing or no integer\n", key);
        n_failures++;
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static bool is_named(const char *full, const char *name)
{
    size_t full_bytes = strlen(full), name_bytes = strlen(name);
    if (full_bytes < name_bytes || strcmp(full + full_bytes - name_bytes, name) != 0)
        return false;
    return full_bytes == name_bytes || full[full_bytes - name_bytes - 1] == ':';
}

static uint64_t calls_of(json_t *report, const char *name)
{
    uint64_t n_calls = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "subroutines"), i, row)
    {
        if (is_named(json_string_value(json_object_get(row, "name")), name))
            n_calls += number(row, "calls");
    }
    return n_calls;
}

static void check_rows(json_t *report)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "subroutines"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        uint64_t total = number(row, "total_ns"), self = number(row, "self_ns");
        expect(self <= total, name, self, total);
        expect(number(row, "min_ns") <= number(row, "max_ns"), name, number(row, "min_ns"), number(row, "max_ns"));
        expect(number(row, "p50_ns") <= number(row, "p99_ns"), name, number(row, "p50_ns"), number(row, "p99_ns"));
    }
}

int main(int argc, char **argv)
{
    json_error_t error;
    bool may_drop = argc == 4 && strcmp(argv[3], "may-drop") == 0;
    json_t *report = argc >= 3 ? json_load_file(argv[2], 0, &error) : NULL;
    FILE *lines = argc >= 3 ? fopen(argv[1], "r") : NULL;
    if (!report || !lines) {
        fprintf(stderr, "%s: no report or no output: %s\n", argv[0], report ? "" : error.text);
        return 2;
    }
    json_t *events = json_object_get(report, "events");
    uint64_t n_produced = number(events, "produced"), n_dropped = number(events, "dropped");
    expect(n_dropped == 0 || may_drop, "dropped", n_dropped, 0);
    expect(n_produced == number(events, "consumed") + n_dropped, "produced", n_produced,
           number(events, "consumed") + n_dropped);
    char name[256];
    uint64_t wanted;
    unsigned n_counts = 0;
    for (char line[512]; fgets(line, sizeof line, lines);)
        if (sscanf(line, "COUNT %255s %" SCNu64, name, &wanted) == 2) {
            uint64_t got = calls_of(report, name);
            expect(got == wanted, name, got, wanted);
            n_counts++;
        }
    expect(n_counts > 0, "COUNT lines", n_counts, 1);
    check_rows(report);
    printf("%u counts, %d failures\n", n_counts, n_failures);
    fclose(lines);
    json_decref(report);
    return n_failures ? 1 : 0;
}
