/*
 * Folded stacks, as written by stackcollapse-*.pl for flamegraph.pl: "outer;inner 12". One thread; a line is a stack
 * that is open for its weight in microseconds; calls in common with the previous line stay open. Lines that begin with
 * # are comments.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "import/formats.h"

enum { LINES_PER_STEP = 2000, HEAD_LINES = 20 };

struct folded {
    struct rv_import import; /* first */
    uint32_t thread;
    int64_t now_ns;
    uint32_t *ids;
    size_t capacity;
};

static bool is_passed_over(const char *line, size_t n)
{
    return n == 0 || *line == '#';
}

/* "stack weight", or with two weights, as difffolded.pl writes them: the second one counts. */
static bool read_line(const char *line, size_t n, size_t *n_stack, int64_t *weight_ns)
{
    size_t at = n;
    while (at > 0 && line[at - 1] != ' ')
        at--;
    const char *end;
    if (at < 2 || at == n || !rv_import_decimal(line + at, n - at, 3, weight_ns, &end) || end != line + n ||
        *weight_ns < 0)
        return false;
    for (*n_stack = at - 1; *n_stack > 0 && line[*n_stack - 1] == ' ';)
        --*n_stack;
    size_t before = *n_stack;
    while (before > 0 && line[before - 1] >= '0' && line[before - 1] <= '9')
        before--;
    if (before < *n_stack && before > 1 && line[before - 1] == ' ' && memchr(line, ';', before))
        *n_stack = before - 1;
    return *n_stack > 0;
}

static bool matches(const char *head, size_t n)
{
    unsigned n_read = 0, n_nested = 0;
    for (const char *at = head, *end; n_read < HEAD_LINES && (end = memchr(at, '\n', n - (size_t)(at - head)));
         at = end + 1, n_read++) {
        size_t n_line = (size_t)(end - at) - (end > at && end[-1] == '\r'), n_stack;
        int64_t weight;
        if (is_passed_over(at, n_line))
            continue;
        if (!read_line(at, n_line, &n_stack, &weight))
            return false;
        n_nested += memchr(at, ';', n_stack) != NULL;
    }
    return n_nested > 0;
}

static int begin(struct rv_import *import)
{
    struct folded *folded = (struct folded *)import;
    folded->thread = rv_import_only_thread(import, "all stacks");
    return 0;
}

static void read_stack(struct folded *folded, const char *line, size_t n_stack, int64_t weight_ns)
{
    struct rv_import *import = &folded->import;
    size_t n = 0;
    rv_event_builder_see_time(import->builder, 0);
    for (const char *at = line, *end = line + n_stack; at <= end && n < RV_EVENT_BUILDER_DEPTH;) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at));
        size_t n_name = (size_t)((semicolon ? semicolon : end) - at);
        folded->ids = rv_vec_reserve(folded->ids, &folded->capacity, n + 1, sizeof *folded->ids);
        struct rv_event_builder_text none = {0};
        folded->ids[n++] = rv_event_builder_intern(import->builder, none, rv_import_text(at, n_name), none, 0);
        at += n_name + 1;
    }
    rv_event_builder_sample(import->builder, folded->thread, folded->now_ns, folded->ids, n);
    if (__builtin_add_overflow(folded->now_ns, weight_ns, &folded->now_ns))
        folded->now_ns = INT64_MAX;
}

static int step(struct rv_import *import)
{
    struct folded *folded = (struct folded *)import;
    for (int i = 0; i < LINES_PER_STEP; i++) {
        char *line;
        size_t n, n_stack;
        int64_t weight_ns;
        int status = rv_text_reader_line(import->text, &line, &n);
        if (status == 0)
            rv_event_builder_sample(import->builder, folded->thread, folded->now_ns, NULL, 0);
        if (status <= 0)
            return status;
        if (is_passed_over(line, n))
            continue;
        if (read_line(line, n, &n_stack, &weight_ns))
            read_stack(folded, line, n_stack, weight_ns);
        else
            rv_import_fault(import, RV_FAULT_NOT_READ);
    }
    return 1;
}

static void fini(struct rv_import *import)
{
    free(((struct folded *)import)->ids);
}

const struct rv_import_format rv_import_folded = {.name = "folded",
                                                  .describe = "folded stacks",
                                                  .bytes = sizeof(struct folded),
                                                  .is_text = true,
                                                  .matches = matches,
                                                  .begin = begin,
                                                  .step = step,
                                                  .fini = fini};
