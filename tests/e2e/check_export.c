/*
 * Compares an export with the list of all calls of the same run.
 *
 *     check_export SPANS.csv chrome|speedscope|perfetto|folded FILE
 *
 * For perfetto, FILE is the output of protoc --decode. Every call must occur as often as in SPANS.csv, with its
 * process, thread, name (chrome: with file and line), start and duration, and with its depth if the format has one;
 * orphans are ignored on both sides. The folded stacks' times must add up to what each
 * name has in SPANS.csv.
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    uint32_t pid, tid, depth;
    uint64_t start_ns, duration_ns;
    char *name;
    bool is_orphan;
};

struct rows {
    struct row *rows;
    size_t n, capacity;
};

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(1);
}

static struct row *add(struct rows *rows)
{
    if (rows->n == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 1024;
        rows->rows = realloc(rows->rows, rows->capacity * sizeof *rows->rows);
    }
    rows->rows[rows->n] = (struct row){0};
    return &rows->rows[rows->n++];
}

/* The next field of a CSV line, in place; advances *at past it. */
static char *csv_field(char **at)
{
    char *first = *at, *to = first, *from = first;
    if (*from != '"') {
        from += strcspn(from, ",\n");
        to = from;
    } else {
        for (from++; *from && !(*from == '"' && from[1] != '"'); *to++ = *from++)
            from += *from == '"';
        from++;
    }
    *at = *from ? from + 1 : from;
    *to = 0;
    return first;
}

/* has_places: file and line are part of a name. */
static struct rows read_spans(const char *path, bool has_places)
{
    struct rows rows = {0};
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file || getline(&line, &room, file) < 0)
        fail(path, "cannot read");
    while (getline(&line, &room, file) > 0) {
        char *at = line;
        struct row *row = add(&rows);
        row->pid = (uint32_t)strtoul(csv_field(&at), NULL, 10);
        row->tid = (uint32_t)strtoul(csv_field(&at), NULL, 10);
        row->depth = (uint32_t)strtoul(csv_field(&at), NULL, 10);
        row->start_ns = strtoull(csv_field(&at), NULL, 10);
        row->duration_ns = strtoull(csv_field(&at), NULL, 10);
        const char *name = csv_field(&at), *place = csv_field(&at), *number = csv_field(&at);
        bool is_placed = has_places && *place && strcmp(number, "0") != 0;
        if (asprintf(&row->name, is_placed ? "%s (%s:%s)" : "%s", name, place, number) < 0)
            fail(path, "no memory");
        row->is_orphan = strstr(csv_field(&at), "orphan") != NULL;
    }
    fclose(file);
    free(line);
    return rows;
}

/* ---- chrome ---- */

static uint64_t ns_of(const json_t *event, const char *key)
{
    return (uint64_t)llround(json_number_value(json_object_get(event, key)) * 1000.0);
}

static struct rows read_chrome(const char *path)
{
    struct rows rows = {0};
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *event;
    if (!root)
        fail(path, error.text);
    size_t i;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        const char *flags = json_string_value(json_object_get(event, "cat"));
        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") != 0)
            continue;
        struct row *row = add(&rows);
        row->pid = (uint32_t)json_integer_value(json_object_get(event, "pid"));
        row->tid = (uint32_t)json_integer_value(json_object_get(event, "tid"));
        row->start_ns = ns_of(event, "ts");
        row->duration_ns = ns_of(event, "dur");
        row->name = strdup(json_string_value(json_object_get(event, "name")));
        row->is_orphan = flags && strstr(flags, "orphan");
    }
    json_decref(root);
    return rows;
}

/* ---- what opens and closes calls ---- */

struct stack {
    size_t *open; /* rows */
    size_t n, capacity;
};

static void open_call(struct stack *stack, struct rows *rows, const struct row *call)
{
    if (stack->n == stack->capacity) {
        stack->capacity = stack->capacity ? 2 * stack->capacity : 64;
        stack->open = realloc(stack->open, stack->capacity * sizeof *stack->open);
    }
    stack->open[stack->n] = rows->n;
    *add(rows) = *call;
    rows->rows[rows->n - 1].depth = (uint32_t)stack->n++;
}

static struct row *close_call(struct stack *stack, struct rows *rows, uint64_t now_ns)
{
    if (!stack->n)
        fail("a close", "without an open");
    struct row *row = &rows->rows[stack->open[--stack->n]];
    if (now_ns < row->start_ns)
        fail(row->name, "ends before it begins");
    row->duration_ns = now_ns - row->start_ns;
    return row;
}

static struct rows read_speedscope(const char *path)
{
    struct rows rows = {0};
    struct stack stack = {0};
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *profile, *event;
    if (!root)
        fail(path, error.text);
    json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
    size_t i, j;
    json_array_foreach(json_object_get(root, "profiles"), i, profile)
    {
        struct row call = {0};
        const char *name = json_string_value(json_object_get(profile, "name"));
        uint64_t last_ns = 0;
        sscanf(strchr(name, '('), "(%" SCNu32, &call.pid);
        sscanf(strrchr(name, '('), "(%" SCNu32, &call.tid);
        json_array_foreach(json_object_get(profile, "events"), j, event)
        {
            json_t *frame = json_array_get(frames, (size_t)json_integer_value(json_object_get(event, "frame")));
            const char *of = json_string_value(json_object_get(frame, "name"));
            call.start_ns = (uint64_t)json_integer_value(json_object_get(event, "at"));
            if (call.start_ns < last_ns)
                fail(name, "time goes back");
            last_ns = call.start_ns;
            if (*json_string_value(json_object_get(event, "type")) == 'C') {
                if (strcmp(close_call(&stack, &rows, call.start_ns)->name, of) != 0)
                    fail(of, "closes another");
                continue;
            }
            call.name = strdup(of);
            open_call(&stack, &rows, &call);
        }
        if (stack.n)
            fail(name, "has calls that do not close");
    }
    json_decref(root);
    free(stack.open);
    return rows;
}

/* ---- perfetto, as text ---- */

enum { MAX_SEQUENCES = 4096 };

struct sequence {
    uint32_t pid, tid;
    uint64_t now_ns;
    char **names; /* by iid */
    size_t n_names;
    struct stack stack;
};

struct packet {
    uint64_t timestamp, clock_id, incremental_ns, name_iid, iid, sequence, last_clock_id;
    uint32_t pid, tid;
    char type[32], *name;
    bool has_timestamp, is_orphan;
};

static char *unescaped(const char *quoted)
{
    char *text = strdup(quoted + 1), *to = text;
    for (const char *from = quoted + 1; *from && *from != '"';) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] >= '0' && from[1] <= '7') {
            *to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to++ = from[1] == 'n' ? '\n' : from[1] == 't' ? '\t' : from[1] == 'r' ? '\r' : from[1];
            from += 2;
        }
    }
    *to = 0;
    return text;
}

static void remember_name(struct sequence *sequence, uint64_t iid, char *name)
{
    if (iid >= sequence->n_names) {
        sequence->names = realloc(sequence->names, (iid + 1) * sizeof *sequence->names);
        while (sequence->n_names <= iid)
            sequence->names[sequence->n_names++] = NULL;
    }
    sequence->names[iid] = name;
}

static void take_packet(struct sequence *sequences, struct rows *rows, const struct packet *packet)
{
    if (packet->sequence >= MAX_SEQUENCES)
        fail("perfetto", "too many sequences");
    struct sequence *sequence = &sequences[packet->sequence];
    if (packet->incremental_ns)
        sequence->now_ns = packet->incremental_ns;
    if (packet->tid) {
        sequence->pid = packet->pid;
        sequence->tid = packet->tid;
    }
    if (packet->name)
        remember_name(sequence, packet->iid, packet->name);
    if (!packet->has_timestamp || packet->clock_id)
        return;
    sequence->now_ns += packet->timestamp;
    if (strcmp(packet->type, "TYPE_SLICE_END") == 0) {
        (void)close_call(&sequence->stack, rows, sequence->now_ns);
        return;
    }
    struct row call = {
        .pid = sequence->pid, .tid = sequence->tid, .start_ns = sequence->now_ns, .is_orphan = packet->is_orphan};
    if (strcmp(packet->type, "TYPE_SLICE_BEGIN") != 0 || packet->name_iid >= sequence->n_names ||
        !sequence->names[packet->name_iid])
        fail("perfetto", "an event without its type or name");
    call.name = strdup(sequence->names[packet->name_iid]);
    open_call(&sequence->stack, rows, &call);
}

static void take_field(struct packet *packet, const char *path, char *value)
{
    uint64_t number = strtoull(value, NULL, 10);
    if (strcmp(path, ".packet.timestamp") == 0) {
        packet->timestamp = number;
        packet->has_timestamp = true;
    } else if (strcmp(path, ".packet.timestamp_clock_id") == 0) {
        packet->clock_id = number;
    } else if (strcmp(path, ".packet.trusted_packet_sequence_id") == 0) {
        packet->sequence = number;
    } else if (strcmp(path, ".packet.clock_snapshot.clocks.clock_id") == 0) {
        packet->last_clock_id = number;
    } else if (strcmp(path, ".packet.clock_snapshot.clocks.timestamp") == 0 && packet->last_clock_id == 64) {
        packet->incremental_ns = number;
    } else if (strcmp(path, ".packet.track_descriptor.thread.pid") == 0) {
        packet->pid = (uint32_t)number;
    } else if (strcmp(path, ".packet.track_descriptor.thread.tid") == 0) {
        packet->tid = (uint32_t)number;
    } else if (strcmp(path, ".packet.interned_data.event_names.iid") == 0) {
        packet->iid = number;
    } else if (strcmp(path, ".packet.interned_data.event_names.name") == 0) {
        packet->name = unescaped(value);
    } else if (strcmp(path, ".packet.track_event.type") == 0) {
        snprintf(packet->type, sizeof packet->type, "%s", value);
    } else if (strcmp(path, ".packet.track_event.name_iid") == 0) {
        packet->name_iid = number;
    } else if (strcmp(path, ".packet.track_event.debug_annotations.string_value") == 0) {
        packet->is_orphan = strstr(value, "orphan") != NULL;
    }
}

static struct rows read_perfetto(const char *path)
{
    static struct sequence sequences[MAX_SEQUENCES];
    struct rows rows = {0};
    struct packet packet = {0};
    char *line = NULL, at[256] = "";
    size_t room = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot read");
    while (getline(&line, &room, file) > 0) {
        char *first = line + strspn(line, " ");
        first[strcspn(first, "\n")] = 0;
        size_t n_name = strcspn(first, " :}");
        size_t n_at = strlen(at);
        if (*first == '}') {
            *strrchr(at, '.') = 0;
            if (!*at) {
                take_packet(sequences, &rows, &packet);
                packet = (struct packet){0};
            }
            continue;
        }
        snprintf(at + n_at, sizeof at - n_at, ".%.*s", (int)n_name, first);
        if (first[n_name] == ' ')
            continue;
        take_field(&packet, at, first + n_name + 2);
        at[n_at] = 0;
    }
    for (size_t i = 0; i < MAX_SEQUENCES; i++)
        if (sequences[i].stack.n)
            fail("perfetto", "calls that do not close");
    fclose(file);
    free(line);
    return rows;
}

/* ---- comparison ---- */

static bool has_depth;

static int by_content(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->is_orphan != y->is_orphan)
        return x->is_orphan ? 1 : -1; /* last */
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->tid != y->tid)
        return x->tid < y->tid ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    if (has_depth && x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void shift(struct rows *rows, const struct rows *like)
{
    uint64_t first_ns = UINT64_MAX, wanted_ns = UINT64_MAX;
    for (size_t i = 0; i < rows->n; i++)
        first_ns = rows->rows[i].start_ns < first_ns ? rows->rows[i].start_ns : first_ns;
    for (size_t i = 0; i < like->n; i++)
        wanted_ns = like->rows[i].start_ns < wanted_ns ? like->rows[i].start_ns : wanted_ns;
    for (size_t i = 0; i < rows->n; i++)
        rows->rows[i].start_ns += wanted_ns - first_ns;
}

static void compare(struct rows *wanted, struct rows *got)
{
    size_t n_compared = 0;
    qsort(wanted->rows, wanted->n, sizeof *wanted->rows, by_content);
    qsort(got->rows, got->n, sizeof *got->rows, by_content);
    if (wanted->n != got->n) {
        fprintf(stderr, "%zu calls, expected %zu\n", got->n, wanted->n);
        exit(1);
    }
    for (size_t i = 0; i < wanted->n && !wanted->rows[i].is_orphan; i++, n_compared++)
        if (by_content(&wanted->rows[i], &got->rows[i]) != 0) {
            const struct row *pair[] = {&wanted->rows[i], &got->rows[i]};
            for (int j = 0; j < 2; j++)
                fprintf(stderr, "%s %u %u depth %u at %" PRIu64 " for %" PRIu64 " %s\n", j ? "got     " : "expected",
                        pair[j]->pid, pair[j]->tid, pair[j]->depth, pair[j]->start_ns, pair[j]->duration_ns,
                        pair[j]->name);
            exit(1);
        }
    if (n_compared == 0)
        fail("spans", "nothing to compare");
}

/* ---- folded ---- */

struct sum {
    char *name;
    int64_t self_ns;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sum *)a)->name, ((const struct sum *)b)->name);
}

/* Add up sums with equal names. Returns their number. */
static size_t merge_sums(struct sum *sums, size_t n)
{
    size_t n_merged = 0;
    qsort(sums, n, sizeof *sums, by_name);
    for (size_t i = 0; i < n; i++)
        if (n_merged && strcmp(sums[n_merged - 1].name, sums[i].name) == 0)
            sums[n_merged - 1].self_ns += sums[i].self_ns;
        else
            sums[n_merged++] = sums[i];
    return n_merged;
}

/* Own time of each name: its calls' durations, minus those of their callees. */
static size_t sum_spans(struct rows *spans, struct sum *sums)
{
    size_t n = 0, callers[4096];
    has_depth = true;
    qsort(spans->rows, spans->n, sizeof *spans->rows, by_content);
    for (size_t i = 0; i < spans->n; i++) {
        const struct row *row = &spans->rows[i];
        if (row->depth >= 4096)
            fail(row->name, "deeper than this test can follow");
        sums[n++] = (struct sum){row->name, (int64_t)row->duration_ns};
        callers[row->depth] = i;
        if (row->depth)
            sums[n++] = (struct sum){spans->rows[callers[row->depth - 1]].name, -(int64_t)row->duration_ns};
    }
    return merge_sums(sums, n);
}

static void check_folded(struct rows *spans, const char *path)
{
    struct sum *wanted = malloc(2 * spans->n * sizeof *wanted), *got = malloc(spans->n * sizeof *got);
    size_t n_wanted = sum_spans(spans, wanted), n_got = 0, room = 0;
    char *line = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot read");
    while (getline(&line, &room, file) > 0) {
        char *space = strrchr(line, ' ');
        *space = 0;
        char *leaf = strrchr(line, ';');
        if (!leaf || n_got == spans->n)
            fail(line, "no stack, or too many of them");
        got[n_got++] = (struct sum){strdup(leaf + 1), strtoll(space + 1, NULL, 10)};
    }
    fclose(file);
    n_got = merge_sums(got, n_got);
    size_t j = 0;
    for (size_t i = 0; i < n_wanted; i++) {
        if (wanted[i].self_ns == 0)
            continue;
        if (j == n_got || strcmp(wanted[i].name, got[j].name) != 0 || wanted[i].self_ns != got[j].self_ns) {
            fprintf(stderr, "%s: %" PRId64 " ns expected; got %s: %" PRId64 "\n", wanted[i].name, wanted[i].self_ns,
                    j < n_got ? got[j].name : "nothing", j < n_got ? got[j].self_ns : 0);
            exit(1);
        }
        j++;
    }
    if (j != n_got || j == 0)
        fail(path, "more names than there are calls, or none");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct rows spans = read_spans(argv[1], strcmp(argv[2], "chrome") == 0), got = {0};
    if (strcmp(argv[2], "folded") == 0) {
        check_folded(&spans, argv[3]);
        return 0;
    }
    has_depth = strcmp(argv[2], "chrome") != 0;
    if (strcmp(argv[2], "chrome") == 0)
        got = read_chrome(argv[3]);
    else if (strcmp(argv[2], "speedscope") == 0)
        got = read_speedscope(argv[3]);
    else
        got = read_perfetto(argv[3]);
    if (strcmp(argv[2], "speedscope") == 0)
        shift(&got, &spans);
    compare(&spans, &got);
    return 0;
}
