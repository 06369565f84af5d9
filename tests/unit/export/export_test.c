#include "export/export.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "ringviz/wire.h"

struct fixture {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    struct rv_spool *spool;
    struct rv_export export;
};

static struct rv_lane *add_lane(struct fixture *fixture, const struct rv_lane_identity *identity,
                                const struct rv_span *spans, size_t n)
{
    struct rv_lane *lane = rv_lanes_add(fixture->lanes, identity);
    struct rv_sink sink = rv_spool_sink(fixture->spool);
    if (n) {
        sink.spans(sink.context, lane, spans, n);
        rv_timeline_add(lane->timeline, spans, n);
    }
    lane->last_ns = n ? spans[n - 1].end : 0;
    return lane;
}

static void add_note(struct rv_lane *lane, struct rv_lane_note note)
{
    lane->notes = rv_vec_reserve(lane->notes, &lane->notes_capacity, lane->n_notes + 1, sizeof note);
    lane->notes[lane->n_notes++] = note;
}

/* main calls leaf twice, the second time cut; a thread of another process with names that need care; and a lane whose
 * thread number is taken. */
static void setup(struct fixture *fixture)
{
    *fixture = (struct fixture){
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
    fixture->export = (struct rv_export){
        .lanes = fixture->lanes, .subroutines = fixture->subroutines, .spool = fixture->spool, .title = "a \"title\""};
    const struct rv_span main_spans[] = {
        {.start = 1500, .end = 1600, .id = 2, .depth = 1},
        {.start = 1700, .end = 3000001, .id = 2, .depth = 1, .flags = RV_SPAN_CUT | RV_SPAN_DOUBTFUL},
        {.start = 1001, .end = 3000001, .id = 1, .depth = 0, .flags = RV_SPAN_OPEN}};
    const struct rv_span other_spans[] = {{.start = 2000, .end = 2000, .id = 3}, {.start = 2000, .end = 2010, .id = 3}};
    struct rv_lane *lane = add_lane(
        fixture, &(struct rv_lane_identity){.pid = 7, .tid = 7, .name = "main", .process_name = "one"}, main_spans, 3);
    add_lane(
        fixture,
        &(struct rv_lane_identity){.pid = 8, .tid = 9, .process_key = 5, .name = "a;b\xff", .process_name = "t\"wo\n"},
        other_spans, 2);
    add_lane(fixture,
             &(struct rv_lane_identity){.pid = 7, .tid = 7, .stack = 4, .name = "fiber", .process_name = "one"}, NULL,
             0);
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_GC, .start_ns = 1510, .end_ns = 1520});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_LOST, .start_ns = 1530, .end_ns = 1530, .id = 12});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_MARK, .start_ns = 1540, .end_ns = 1540, .id = 4});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_VALUE, .start_ns = 1550, .id = 4, .value = 0.5f});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_VALUE, .start_ns = 1551, .id = 4, .value = NAN});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_STATE, .start_ns = 1560, .id = RV_THREAD_SUSPENDED});
    rv_subroutines_define(fixture->subroutines, 1, "", "main", "m.c", 3);
    rv_subroutines_define(fixture->subroutines, 2, "P", "leaf", "", 0);
    rv_subroutines_define(fixture->subroutines, 3, "", "x;\"\\\x80\t", "", 0);
    rv_subroutines_define(fixture->subroutines, 4, "", "level", "", 0);
    cr_assert_eq(rv_spool_seal(fixture->spool), 0);
}

static void teardown(struct fixture *fixture)
{
    rv_spool_destroy(fixture->spool);
    rv_lanes_destroy(fixture->lanes);
    rv_subroutines_destroy(fixture->subroutines);
}

static char *written(const struct fixture *fixture, enum rv_export_kind kind)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    cr_assert_eq(rv_export_write(&fixture->export, kind, out), 0);
    fclose(out);
    return text;
}

static json_t *parsed(const struct fixture *fixture, enum rv_export_kind kind)
{
    char *text = written(fixture, kind);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s at %d: %s", error.text, error.position, text);
    free(text);
    return root;
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *string = json_string_value(json_object_get(object, key));
    return string ? string : "";
}

static json_int_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static uint64_t ns_of(const json_t *object, const char *key)
{
    return (uint64_t)llround(json_number_value(json_object_get(object, key)) * 1000.0);
}

/* Two threads of one process, each with a second stack; lanes are added in the order of the identities. */
static char *written_as_they_come(const struct rv_lane_identity *identities, enum rv_export_kind kind)
{
    struct fixture fixture = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
    fixture.export = (struct rv_export){
        .lanes = fixture.lanes, .subroutines = fixture.subroutines, .spool = fixture.spool, .title = "t"};
    for (size_t i = 0; i < 4; i++) {
        uint32_t id = 2 * identities[i].thread + (identities[i].stack > 0);
        add_note(add_lane(&fixture, &identities[i], &(struct rv_span){.start = 10, .end = 20 + id, .id = id}, 1),
                 (struct rv_lane_note){.kind = RV_NOTE_GC, .start_ns = 12, .end_ns = 13});
    }
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    char *text = written(&fixture, kind);
    teardown(&fixture);
    return text;
}

Test(export, output_does_not_depend_on_the_order_of_stacks, .timeout = 60)
{
#define OF(number, of_stack)                                                                                           \
    {                                                                                                                  \
        .pid = 7, .tid = 7 + (number), .thread = (number), .stack = (of_stack), .name = "t", .process_name = "p"       \
    }
    static const struct rv_lane_identity come[2][4] = {{OF(0, 0), OF(1, 0), OF(0, 3), OF(1, 5)},
                                                       {OF(0, 0), OF(1, 0), OF(1, 5), OF(0, 3)}};
#undef OF
    for (unsigned kind = 0; kind < RV_EXPORT_KIND_COUNT; kind++) {
        char *first = written_as_they_come(come[0], kind), *second = written_as_they_come(come[1], kind);
        cr_assert_str_eq(first, second, "kind %u", kind);
        free(first);
        free(second);
    }
}

Test(export, chrome_has_every_call_with_its_nanoseconds, .timeout = 60)
{
    static const struct {
        int pid, tid;
        uint64_t start_ns, duration_ns;
        const char *name, *flags;
    } calls[] = {{7, 7, 1001, 2999000, "main (m.c:3)", "open"},
                 {7, 7, 1500, 100, "P::leaf", ""},
                 {7, 7, 1700, 2998301, "P::leaf", "cut,doubtful"},
                 {8, 9, 2000, 0, "x;\"\\\xef\xbf\xbd\t", ""},
                 {8, 9, 2000, 10, "x;\"\\\xef\xbf\xbd\t", ""}};
    struct fixture fixture;
    setup(&fixture);
    json_t *root = parsed(&fixture, RV_EXPORT_CHROME), *event;
    size_t i, n = 0;
    cr_assert_str_eq(string_of(json_object_get(root, "otherData"), "title"), "a \"title\"");
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (strcmp(string_of(event, "ph"), "X") != 0 || strcmp(string_of(event, "cat"), "gc") == 0)
            continue;
        cr_assert_lt(n, sizeof calls / sizeof *calls);
        cr_assert_eq(number_of(event, "pid"), calls[n].pid);
        cr_assert_eq(number_of(event, "tid"), calls[n].tid);
        cr_assert_eq(ns_of(event, "ts"), calls[n].start_ns, "%zu: %lu", n, ns_of(event, "ts"));
        cr_assert_eq(ns_of(event, "dur"), calls[n].duration_ns);
        cr_assert_str_eq(string_of(event, "name"), calls[n].name);
        cr_assert_str_eq(string_of(event, "cat"), calls[n].flags);
        cr_assert_null(json_object_get(event, "args"));
        n++;
    }
    cr_assert_eq(n, sizeof calls / sizeof *calls);
    json_decref(root);
    teardown(&fixture);
}

/* The first event of this phase and name (or any), NULL when there is none. */
static json_t *find(json_t *root, const char *phase, const char *name, json_int_t tid)
{
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(root, "traceEvents"), i,
                       event) if (strcmp(string_of(event, "ph"), phase) == 0 &&
                                  strcmp(string_of(event, "name"), name) == 0 &&
                                  number_of(event, "tid") == tid) return event;
    return NULL;
}

Test(export, chrome_names_processes_and_threads_and_gives_a_taken_number_only_once, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    json_t *root = parsed(&fixture, RV_EXPORT_CHROME);
    cr_assert_str_eq(string_of(json_object_get(find(root, "M", "process_name", 7), "args"), "name"), "one");
    cr_assert_str_eq(string_of(json_object_get(find(root, "M", "process_name", 9), "args"), "name"), "t\"wo\n");
    cr_assert_str_eq(string_of(json_object_get(find(root, "M", "thread_name", 7), "args"), "name"), "main");
    cr_assert_str_eq(string_of(json_object_get(find(root, "M", "thread_name", 9), "args"), "name"), "a;b\xef\xbf\xbd");
    json_t *fiber = find(root, "M", "thread_name", 4194304 + 2);
    cr_assert_str_eq(string_of(json_object_get(fiber, "args"), "name"), "fiber/4");
    cr_assert_eq(number_of(fiber, "pid"), 7);
    cr_assert_eq(number_of(json_object_get(find(root, "M", "thread_sort_index", 9), "args"), "sort_index"), 1);
    json_decref(root);
    teardown(&fixture);
}

Test(export, chrome_has_marks_values_states_and_losses, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    json_t *root = parsed(&fixture, RV_EXPORT_CHROME);
    json_t *gc = find(root, "X", "GC", 7), *lost = find(root, "i", "lost events", 7),
           *mark = find(root, "i", "level", 7);
    json_t *value = find(root, "C", "level", 7), *state = find(root, "i", "thread suspended", 7);
    cr_assert_eq(ns_of(gc, "ts"), 1510);
    cr_assert_eq(ns_of(gc, "dur"), 10);
    cr_assert_eq(ns_of(lost, "ts"), 1530);
    cr_assert_eq(number_of(json_object_get(lost, "args"), "count"), 12);
    cr_assert_eq(ns_of(mark, "ts"), 1540);
    cr_assert_str_eq(string_of(mark, "s"), "t");
    cr_assert_eq(ns_of(value, "ts"), 1550);
    cr_assert_float_eq(json_number_value(json_object_get(json_object_get(value, "args"), "value")), 0.5, 1e-9);
    cr_assert_eq(ns_of(state, "ts"), 1560);
    json_decref(root);
    teardown(&fixture);
}

/* An event of a lock's holders, by number; NULL when there is none. */
static const json_t *find_of_holders(const json_t *root, const char *phase, size_t number)
{
    size_t i;
    const json_t *event;
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        if (strcmp(string_of(event, "cat"), "lock holders") == 0 && strcmp(string_of(event, "ph"), phase) == 0 &&
            number-- == 0)
            return event;
    }
    return NULL;
}

static void expect_hold(const json_t *root, size_t number, const uint64_t time_ns[2], const char *name, json_int_t tid)
{
    const json_t *hold = find_of_holders(root, "X", number);
    cr_assert_not_null(hold);
    cr_expect_eq(ns_of(hold, "ts"), time_ns[0]);
    cr_expect_eq(ns_of(hold, "dur"), time_ns[1] - time_ns[0]);
    cr_expect_str_eq(string_of(hold, "name"), name);
    cr_expect_eq(number_of(json_object_get(hold, "args"), "tid"), tid);
    cr_expect_eq(json_is_true(json_object_get(json_object_get(hold, "args"), "is_cut")), number == 0);
}

static void expect_waiting(const json_t *root, size_t number, uint64_t at_ns, json_int_t n)
{
    const json_t *waiting = find_of_holders(root, "C", number);
    cr_assert_not_null(waiting);
    cr_expect_eq(ns_of(waiting, "ts"), at_ns);
    cr_expect_eq(number_of(json_object_get(waiting, "args"), "waiting"), n);
}

/* Notes that were merged have no name that could be looked up. */
Test(export, a_mark_that_stands_for_several_says_so, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    struct rv_lane *lane = rv_lanes_get(fixture.lanes, 0);
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_MARK, .start_ns = 1570, .end_ns = 1570, .id = RV_NOTE_SEVERAL});
    add_note(lane, (struct rv_lane_note){.kind = RV_NOTE_VALUE, .start_ns = 1571, .id = RV_NOTE_SEVERAL, .n_more = 1});
    json_decref(parsed(&fixture, RV_EXPORT_CHROME));
    char *text = written(&fixture, RV_EXPORT_CHROME);
    cr_expect_not_null(strstr(text, "several names"));
    free(text);
    free(written(&fixture, RV_EXPORT_PERFETTO));
    teardown(&fixture);
}

/* The second thread waits for the lock that the first one has, and gets it; a third one waits meanwhile. */
Test(export, chrome_has_who_had_a_lock_and_how_many_waited, .timeout = 60)
{
    enum { LOCK = 4, LEAF = 2 };
    struct fixture fixture;
    setup(&fixture);
    fixture.export.waits = rv_waits_create(fixture.lanes, 0);
    for (uint32_t lane = 1; lane < 3; lane++)
        rv_waits_add(
            fixture.export.waits,
            &(struct rv_wait){
                .start_ns = 1500, .end_ns = 1500 + 100 * lane, .lane = lane, .object = LOCK, .kind = RV_WAIT_MUTEX});
    for (uint32_t lane = 0; lane < 2; lane++)
        rv_waits_add_release(
            fixture.export.waits,
            &(struct rv_release){.at_ns = 1590 + 100 * lane, .lane = lane, .object = LOCK, .call = LEAF});
    json_t *root = parsed(&fixture, RV_EXPORT_CHROME);
    expect_hold(root, 0, (const uint64_t[]){1500, 1590}, "P::leaf", 7);
    expect_hold(root, 1, (const uint64_t[]){1600, 1690}, "P::leaf", 9);
    cr_expect_null(find_of_holders(root, "X", 2));
    expect_waiting(root, 0, 1500, 2);
    expect_waiting(root, 1, 1600, 1);
    expect_waiting(root, 2, 1700, 0);
    cr_expect_null(find_of_holders(root, "C", 3));
    json_decref(root);
    fixture.export.part = (struct rv_slice){.from_ns = 1600, .to_ns = 3000};
    root = parsed(&fixture, RV_EXPORT_CHROME);
    cr_expect_eq(ns_of(find_of_holders(root, "X", 0), "ts"), 1600);
    json_decref(root);
    rv_waits_destroy(fixture.export.waits);
    teardown(&fixture);
}

Test(export, speedscope_opens_and_closes_every_call_in_order, .timeout = 60)
{
    static const struct {
        const char *type, *name;
        uint64_t at_ns;
    } events[] = {{"O", "main", 0},      {"O", "P::leaf", 499},     {"C", "P::leaf", 599},
                  {"O", "P::leaf", 699}, {"C", "P::leaf", 2999000}, {"C", "main", 2999000}};
    struct fixture fixture;
    setup(&fixture);
    json_t *root = parsed(&fixture, RV_EXPORT_SPEEDSCOPE), *event;
    json_t *profiles = json_object_get(root, "profiles");
    json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
    size_t i;
    cr_assert_str_eq(string_of(root, "$schema"), "https://www.speedscope.app/file-format-schema.json");
    cr_assert_eq(json_array_size(profiles), 2); /* the lane without calls has none */
    json_t *profile = json_array_get(profiles, 0);
    cr_assert_str_eq(string_of(profile, "type"), "evented");
    cr_assert_str_eq(string_of(profile, "unit"), "nanoseconds");
    cr_assert_str_eq(string_of(profile, "name"), "one (7) main (7)");
    cr_assert_eq(number_of(profile, "startValue"), 0);
    cr_assert_eq(number_of(profile, "endValue"), 2999000);
    cr_assert_eq(json_array_size(json_object_get(profile, "events")), 6);
    json_array_foreach(json_object_get(profile, "events"), i, event)
    {
        cr_assert_str_eq(string_of(event, "type"), events[i].type);
        cr_assert_eq(number_of(event, "at"), events[i].at_ns);
        json_t *frame = json_array_get(frames, (size_t)number_of(event, "frame"));
        cr_assert_str_eq(string_of(frame, "name"), events[i].name);
    }
    cr_assert_str_eq(string_of(json_array_get(frames, 0), "file"), "m.c");
    cr_assert_eq(number_of(json_array_get(frames, 0), "line"), 3);
    cr_assert_eq(json_array_size(json_object_get(json_array_get(profiles, 1), "events")), 4);
    json_decref(root);
    teardown(&fixture);
}

Test(export, folded_has_each_stack_once_with_its_own_time, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    char *text = written(&fixture, RV_EXPORT_FOLDED);
    cr_assert_str_eq(text, "one;main;main 599\n"
                           "one;main;main;P::leaf 2998401\n"
                           "t\"wo ;a:b\xef\xbf\xbd;x:\"\\\xef\xbf\xbd  10\n");
    free(text);
    teardown(&fixture);
}

Test(export, folded_counts_calls_below_a_thousand_frames_as_one_frame, .timeout = 60)
{
    enum { N = 1500 };
    struct fixture fixture = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
    fixture.export = (struct rv_export){
        .lanes = fixture.lanes, .subroutines = fixture.subroutines, .spool = fixture.spool, .title = ""};
    struct rv_span spans[N];
    for (uint32_t i = 0; i < N; i++)
        spans[i] = (struct rv_span){.start = N - i, .end = N + i + 1, .id = 1, .depth = N - 1 - i};
    add_lane(&fixture, &(struct rv_lane_identity){.pid = 1, .tid = 1, .name = "t", .process_name = "p"}, spans, N);
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    char *text = written(&fixture, RV_EXPORT_FOLDED), *next = NULL, *last = NULL;
    uint64_t sum_ns = 0, n_lines = 0;
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next), n_lines++) {
        sum_ns += strtoull(strrchr(line, ' ') + 1, NULL, 10);
        last = line;
    }
    cr_assert_eq(n_lines, 1001);
    cr_assert_eq(sum_ns, 2 * N - 1);
    cr_assert_not_null(strstr(last, ";#1;(deeper) 999"));
    free(text);
    teardown(&fixture);
}

/* A node lists its first callees and indexes further ones: there are more than are listed. */
Test(export, folded_joins_calls_of_each_of_many_callees, .timeout = 60)
{
    enum { N_CALLEES = 40, N_ROUNDS = 3, N = N_CALLEES * N_ROUNDS };
    struct fixture fixture = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
    fixture.export = (struct rv_export){
        .lanes = fixture.lanes, .subroutines = fixture.subroutines, .spool = fixture.spool, .title = ""};
    struct rv_span spans[N + 1];
    for (uint32_t i = 0; i < N; i++) /* callee k lasts k */
        spans[i] =
            (struct rv_span){.start = 100 * i, .end = 100 * i + i % N_CALLEES + 1, .id = i % N_CALLEES + 1, .depth = 1};
    spans[N] = (struct rv_span){.end = 100 * N, .id = N_CALLEES + 1};
    add_lane(&fixture, &(struct rv_lane_identity){.pid = 1, .tid = 1, .name = "t", .process_name = "p"}, spans, N + 1);
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    char *text = written(&fixture, RV_EXPORT_FOLDED), line[64];
    for (unsigned k = 1; k <= N_CALLEES; k++) {
        (void)snprintf(line, sizeof line, "p;t;#%u;#%u %u\n", N_CALLEES + 1, k, k * N_ROUNDS);
        cr_assert_not_null(strstr(text, line), "%s in\n%s", line, text);
    }
    unsigned n_lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n_lines++;
    cr_assert_eq(n_lines, N_CALLEES + 1);
    free(text);
    teardown(&fixture);
}

/* One field of a protobuf message; nested messages are not entered. */
struct field {
    unsigned number, wire;
    uint64_t value; /* of a varint; of bytes: how many */
    const unsigned char *bytes;
};

static bool next_field(const unsigned char **at, const unsigned char *end, struct field *field)
{
    uint64_t numbers[2] = {0};
    if (*at == end)
        return false;
    for (int i = 0; i < 2; i++) {
        for (unsigned shift = 0;; shift += 7) {
            cr_assert(*at < end && shift < 64);
            numbers[i] |= (uint64_t)(**at & 0x7f) << shift;
            if (!(*(*at)++ & 0x80))
                break;
        }
        if (i == 0 && (numbers[0] & 7) == 1) {
            *at += 8;
            break;
        }
    }
    *field = (struct field){(unsigned)(numbers[0] >> 3), numbers[0] & 7, numbers[1], *at};
    cr_assert(field->wire <= 2);
    if (field->wire == 2)
        *at += field->value;
    cr_assert_leq(*at, end);
    return true;
}

static uint64_t varint_in(const struct field *message, unsigned number)
{
    const unsigned char *at = message->bytes;
    struct field field;
    while (next_field(&at, message->bytes + message->value, &field))
        if (field.number == number)
            return field.value;
    return 0;
}

Test(export, perfetto_slices_begin_and_end_in_order, .timeout = 60)
{
    static const struct {
        uint64_t sequence, delta_ns, type;
    } events[] = {{1, 0, 1}, {1, 499, 1}, {1, 100, 2}, {1, 100, 1}, {1, 2998301, 2},
                  {1, 0, 2}, {2, 999, 1}, {2, 0, 2},   {2, 0, 1},   {2, 10, 2}};
    struct fixture fixture;
    setup(&fixture);
    char *bytes = NULL;
    size_t n_bytes, n = 0, n_tracks = 0;
    FILE *out = open_memstream(&bytes, &n_bytes);
    cr_assert_eq(rv_export_write(&fixture.export, RV_EXPORT_PERFETTO, out), 0);
    fclose(out);
    const unsigned char *at = (unsigned char *)bytes, *end = at + n_bytes;
    struct field packet, field;
    while (next_field(&at, end, &packet)) {
        cr_assert(packet.number == 1 && packet.wire == 2);
        const unsigned char *in = packet.bytes;
        while (next_field(&in, packet.bytes + packet.value, &field)) {
            n_tracks += field.number == 60;
            if (field.number != 11 || varint_in(&packet, 58)) /* events of the sequence's own clock only */
                continue;
            cr_assert_lt(n, sizeof events / sizeof *events);
            cr_assert_eq(varint_in(&packet, 10), events[n].sequence, "%zu", n);
            cr_assert_eq(varint_in(&packet, 8), events[n].delta_ns, "%zu: %lu", n, varint_in(&packet, 8));
            cr_assert_eq(varint_in(&field, 9), events[n].type, "%zu", n);
            n++;
        }
    }
    cr_assert_eq(n, sizeof events / sizeof *events);
    cr_assert_eq(n_tracks, 2 + 3 + 1 + 1); /* processes, threads, GC, a counter */
    free(bytes);
    teardown(&fixture);
}

Test(export, nothing_captured_is_a_valid_file_of_every_kind, .timeout = 60)
{
    struct fixture fixture = {
        .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create(), .spool = rv_spool_create()};
    fixture.export = (struct rv_export){
        .lanes = fixture.lanes, .subroutines = fixture.subroutines, .spool = fixture.spool, .title = ""};
    cr_assert_eq(rv_spool_seal(fixture.spool), 0);
    json_decref(parsed(&fixture, RV_EXPORT_CHROME));
    json_decref(parsed(&fixture, RV_EXPORT_SPEEDSCOPE));
    char *folded = written(&fixture, RV_EXPORT_FOLDED);
    cr_assert_str_empty(folded);
    free(folded);
    teardown(&fixture);
}

Test(export, a_full_disk_is_an_error, .timeout = 60)
{
    struct fixture fixture;
    setup(&fixture);
    for (enum rv_export_kind kind = 0; kind < RV_EXPORT_KIND_COUNT; kind++) {
        FILE *full = fopen("/dev/full", "w");
        cr_assert_eq(rv_export_write(&fixture.export, kind, full), -ENOSPC);
        fclose(full);
    }
    teardown(&fixture);
}
