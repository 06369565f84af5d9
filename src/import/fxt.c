/*
 * Fuchsia trace format, binary: words of 64 bits, in records whose header says their length. A record with a time
 * becomes the event that Fuchsia's trace2json writes of it, so that both forms of a trace show the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"
#include "import/chrome_emitter.h"
#include "import/formats.h"

enum {
    WORD_BYTES = 8,
    BUFFER_WORDS = 8192, /* records have at most 4,095, but large ones, which are skipped */
    RECORDS_PER_STEP = 1024,
    INLINE_STRING = 0x8000, /* of a reference to a string; the rest is its length */
    TICKS_PER_S = 1000000000
};
static const uint64_t MAGIC = 0x0016547846040010;

enum record_kind { METADATA, INITIALIZATION, STRING, THREAD, EVENT, BLOB, USER_OBJECT, KERNEL_OBJECT, SCHEDULING, LOG };
enum { LARGE_RECORD = 15 };
enum metadata_kind { PROVIDER_INFO = 1, PROVIDER_SECTION, PROVIDER_EVENT };
enum object_kind { OBJECT_PROCESS = 1, OBJECT_THREAD };
enum scheduling_kind { OLD_SWITCH, SWITCH, WAKEUP };

enum event_kind {
    INSTANT,
    COUNTER,
    DURATION_BEGIN,
    DURATION_END,
    DURATION_COMPLETE,
    ASYNC_BEGIN,
    ASYNC_INSTANT,
    ASYNC_END,
    FLOW_BEGIN,
    FLOW_STEP,
    FLOW_END,
    EVENT_KIND_COUNT
};
static const char PHASES[EVENT_KIND_COUNT] = "iCBEXbnestf";

enum argument_kind { NOTHING, INT32, UINT32, INT64, UINT64, DOUBLE, TEXT, POINTER, KOID };

/* What records refer to by number: of one provider, and replaced at any time. */
struct registered {
    char *text; /* of a string */
    size_t n;
    uint64_t pid, tid; /* of a thread */
};

struct fxt {
    struct rv_import import; /* first */
    struct rv_chrome_emitter emitter;
    uint64_t *ticks_per_s; /* of each provider */
    size_t n_providers, providers_capacity;
    struct rv_hash_index provider_index; /* providers, from 1, by id */
    size_t provider_idx;                 /* whose records follow */
    struct registered *registered;
    size_t n_registered, registered_capacity;
    struct rv_hash_index index; /* registered, from 1, by key_of() */
    uint64_t n_skipped;         /* words of a large record that are still to be read */
    size_t first, n;            /* words read and not yet taken */
    struct rv_chrome_event event;
    uint64_t words[BUFFER_WORDS];
};

/* A record, or an argument of one, while it is read. */
struct cursor {
    const uint64_t *words;
    size_t n, at;
    bool is_wrong; /* more was asked for than it has, or what is not registered */
};

static uint64_t bits(uint64_t word, unsigned first, unsigned n)
{
    return word >> first & ((1ull << n) - 1);
}

/* ---- atoms ---- */

static uint64_t take_word(struct cursor *cursor)
{
    if (cursor->at < cursor->n)
        return cursor->words[cursor->at++];
    cursor->is_wrong = true;
    return 0;
}

/* Bytes, padded to words. */
static struct rv_event_builder_text take_bytes(struct cursor *cursor, size_t n)
{
    const size_t n_words = (n + WORD_BYTES - 1) / WORD_BYTES;
    if (n_words > cursor->n - cursor->at) {
        cursor->is_wrong = true;
        return (struct rv_event_builder_text){0};
    }
    const char *bytes = (const char *)&cursor->words[cursor->at];
    cursor->at += n_words;
    return rv_import_text(bytes, n);
}

static uint64_t key_of(const struct fxt *fxt, enum record_kind kind, uint64_t number)
{
    return (uint64_t)fxt->provider_idx << 32 | (uint64_t)kind << 16 | number;
}

static struct registered *find(struct fxt *fxt, enum record_kind kind, uint64_t number)
{
    const uint32_t found = rv_hash_index_get(&fxt->index, key_of(fxt, kind, number));
    return found ? &fxt->registered[found - 1] : NULL;
}

static struct registered *enter(struct fxt *fxt, enum record_kind kind, uint64_t number)
{
    struct registered *found = find(fxt, kind, number);
    if (found)
        return found;
    fxt->registered =
        rv_vec_reserve(fxt->registered, &fxt->registered_capacity, fxt->n_registered + 1, sizeof *fxt->registered);
    fxt->registered[fxt->n_registered] = (struct registered){0};
    rv_hash_index_add(&fxt->index, key_of(fxt, kind, number), (uint32_t)fxt->n_registered + 1);
    return &fxt->registered[fxt->n_registered++];
}

static struct rv_event_builder_text take_string(struct fxt *fxt, struct cursor *cursor, uint64_t reference)
{
    if (reference & INLINE_STRING)
        return take_bytes(cursor, reference & (INLINE_STRING - 1));
    const struct registered *found = reference ? find(fxt, STRING, reference) : NULL;
    cursor->is_wrong |= reference && !found;
    return found ? rv_import_text(found->text, found->n) : (struct rv_event_builder_text){0};
}

/* ---- into the event ---- */

static void set_text(struct rv_chrome_text *to, struct rv_event_builder_text text)
{
    to->n = text.n < sizeof to->bytes ? text.n : sizeof to->bytes;
    memcpy(to->bytes, text.bytes ? text.bytes : "", to->n);
}

static void set_number(struct rv_chrome_text *to, uint64_t number)
{
    to->n = (size_t)snprintf(to->bytes, sizeof to->bytes, "%" PRIu64, number);
}

/* Of a thread, its process and its own number. */
struct thread_ids {
    uint64_t pid, tid;
};

static struct thread_ids take_thread(struct fxt *fxt, struct cursor *cursor, uint64_t reference)
{
    const struct registered *found = reference ? find(fxt, THREAD, reference) : NULL;
    cursor->is_wrong |= reference && !found;
    const uint64_t pid = found ? found->pid : reference ? 0 : take_word(cursor);
    const uint64_t tid = found ? found->tid : reference ? 0 : take_word(cursor);
    return (struct thread_ids){pid, tid};
}

static void set_thread(struct fxt *fxt, struct cursor *cursor, uint64_t reference)
{
    const struct thread_ids ids = take_thread(fxt, cursor, reference);
    set_number(&fxt->event.pid, ids.pid);
    set_number(&fxt->event.tid, ids.tid);
}

static int64_t take_ns(struct fxt *fxt, struct cursor *cursor)
{
    const uint64_t per_s = fxt->ticks_per_s[fxt->provider_idx];
    const rv_wide_uint ns = (rv_wide_uint)take_word(cursor) * TICKS_PER_S / per_s;
    cursor->is_wrong |= ns > INT64_MAX;
    return ns > INT64_MAX ? 0 : (int64_t)ns;
}

static void set_time(struct fxt *fxt, struct cursor *cursor)
{
    fxt->event.ns = take_ns(fxt, cursor);
    fxt->event.has_time = true;
}

/* ---- arguments ---- */

struct argument {
    enum argument_kind kind;
    struct rv_event_builder_text name;
    uint64_t koid;
    double value; /* of a number */
};

static struct argument take_argument(struct fxt *fxt, struct cursor *cursor)
{
    struct cursor own = {&cursor->words[cursor->at], cursor->n - cursor->at, 0, false};
    const uint64_t head = take_word(&own);
    const size_t n_words = bits(head, 4, 12);
    struct argument argument = {.kind = bits(head, 0, 4)};
    if (n_words == 0 || n_words > own.n) {
        cursor->is_wrong = true;
        return argument;
    }
    own.n = n_words;
    argument.name = take_string(fxt, &own, bits(head, 16, 16));
    uint64_t word = 0;
    if (argument.kind == INT64 || argument.kind == UINT64 || argument.kind == DOUBLE || argument.kind == KOID)
        word = take_word(&own);
    switch (argument.kind) {
    case INT32:
        argument.value = (int32_t)bits(head, 32, 32);
        break;
    case UINT32:
        argument.value = (double)bits(head, 32, 32);
        break;
    case INT64:
        argument.value = (double)(int64_t)word;
        break;
    case UINT64:
        argument.value = (double)word;
        break;
    case DOUBLE:
        memcpy(&argument.value, &word, sizeof word);
        break;
    case KOID:
        argument.koid = word;
        break;
    case NOTHING:
    case TEXT:
    case POINTER:
        break;
    }
    cursor->at += n_words;
    cursor->is_wrong |= own.is_wrong;
    return argument;
}

static bool is_number(const struct argument *argument)
{
    return argument->kind >= INT32 && argument->kind <= DOUBLE;
}

/* The arguments of an event: those that are numbers are the series of a counter. */
static void take_arguments(struct fxt *fxt, struct cursor *cursor, uint64_t n)
{
    struct rv_chrome_event *event = &fxt->event;
    for (uint64_t i = 0; i < n && !cursor->is_wrong; i++) {
        const struct argument argument = take_argument(fxt, cursor);
        if (!is_number(&argument) || event->n_series == RV_CHROME_SERIES)
            continue;
        struct rv_chrome_series *series = &event->series[event->n_series++];
        series->n_name = argument.name.n < sizeof series->name ? argument.name.n : sizeof series->name;
        memcpy(series->name, argument.name.bytes ? argument.name.bytes : "", series->n_name);
        series->value = argument.value;
    }
}

/* ---- records ---- */

static size_t provider_of(struct fxt *fxt, uint32_t id)
{
    const uint32_t found = rv_hash_index_get(&fxt->provider_index, id);
    if (found)
        return found - 1;
    fxt->ticks_per_s =
        rv_vec_reserve(fxt->ticks_per_s, &fxt->providers_capacity, fxt->n_providers + 1, sizeof *fxt->ticks_per_s);
    fxt->ticks_per_s[fxt->n_providers++] = TICKS_PER_S;
    rv_hash_index_add(&fxt->provider_index, id, (uint32_t)fxt->n_providers);
    return fxt->n_providers - 1;
}

static void read_metadata(struct fxt *fxt, uint64_t head)
{
    const enum metadata_kind kind = bits(head, 16, 4);
    if (kind == PROVIDER_INFO || kind == PROVIDER_SECTION)
        fxt->provider_idx = provider_of(fxt, (uint32_t)bits(head, 20, 32));
    else if (kind == PROVIDER_EVENT && bits(head, 52, 4) == 0)
        rv_import_fault(&fxt->import, RV_FAULT_LOST);
}

static void read_string(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    const struct rv_event_builder_text text = take_bytes(cursor, bits(head, 32, 15));
    if (cursor->is_wrong || bits(head, 16, 15) == 0)
        return;
    struct registered *string = enter(fxt, STRING, bits(head, 16, 15));
    free(string->text);
    string->text = rv_alloc_scratch(text.n, 1);
    memcpy(string->text, text.bytes, text.n);
    string->n = text.n;
}

static void read_thread(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    const uint64_t pid = take_word(cursor), tid = take_word(cursor);
    if (cursor->is_wrong || bits(head, 16, 8) == 0)
        return;
    struct registered *thread = enter(fxt, THREAD, bits(head, 16, 8));
    thread->pid = pid;
    thread->tid = tid;
}

static int tell(struct fxt *fxt, const struct cursor *cursor)
{
    return cursor->is_wrong ? 0 : rv_chrome_reader_event(&fxt->emitter.reader, &fxt->event);
}

static int read_event(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    struct rv_chrome_event *event = &fxt->event;
    const enum event_kind kind = bits(head, 16, 4);
    event->kind = RV_CHROME_EVENT;
    event->phase = kind < EVENT_KIND_COUNT ? PHASES[kind] : '?';
    set_time(fxt, cursor);
    set_thread(fxt, cursor, bits(head, 24, 8));
    set_text(&event->category, take_string(fxt, cursor, bits(head, 32, 16)));
    set_text(&event->name, take_string(fxt, cursor, bits(head, 48, 16)));
    take_arguments(fxt, cursor, bits(head, 20, 4));
    if (kind == DURATION_END) /* of the innermost call, whatever its name */
        event->name.n = 0;
    if (kind == DURATION_COMPLETE) {
        const int64_t end_ns = take_ns(fxt, cursor);
        cursor->is_wrong |= end_ns < event->ns;
        event->has_duration = true;
        event->duration_ns = end_ns - event->ns;
    }
    if (kind >= ASYNC_BEGIN && kind <= FLOW_END)
        set_number(&event->id, take_word(cursor));
    event->binds_enclosing = kind == FLOW_END;
    return tell(fxt, cursor);
}

static int read_log(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    fxt->event.kind = RV_CHROME_EVENT;
    fxt->event.phase = PHASES[INSTANT];
    set_time(fxt, cursor);
    set_thread(fxt, cursor, bits(head, 32, 8));
    set_text(&fxt->event.name, take_bytes(cursor, bits(head, 16, 15)));
    return tell(fxt, cursor);
}

/* Names of processes and threads. */
static int read_object(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    struct rv_chrome_event *event = &fxt->event;
    const enum object_kind kind = bits(head, 16, 8);
    if (kind != OBJECT_PROCESS && kind != OBJECT_THREAD)
        return 0;
    event->kind = RV_CHROME_SYSTEM;
    event->phase = kind == OBJECT_PROCESS ? 'p' : 't';
    const uint64_t koid = take_word(cursor);
    set_text(&event->name, take_string(fxt, cursor, bits(head, 24, 16)));
    uint64_t pid = kind == OBJECT_PROCESS ? koid : 0;
    for (uint64_t i = bits(head, 40, 4); i && !cursor->is_wrong; i--) {
        const struct argument argument = take_argument(fxt, cursor);
        if (kind == OBJECT_THREAD && argument.kind == KOID && argument.name.n == 7 &&
            memcmp(argument.name.bytes, "process", 7) == 0)
            pid = argument.koid;
    }
    set_number(&event->pid, pid);
    set_number(&event->tid, koid);
    return tell(fxt, cursor);
}

/* ---- scheduling ---- */

static int read_scheduling(struct fxt *fxt, struct cursor *cursor, uint64_t head)
{
    struct rv_chrome_reader *reader = &fxt->emitter.reader;
    const int64_t ns = take_ns(fxt, cursor);
    uint64_t tids[2];
    switch ((enum scheduling_kind)bits(head, 60, 4)) {
    case OLD_SWITCH:
        tids[0] = take_thread(fxt, cursor, bits(head, 28, 8)).tid;
        tids[1] = take_thread(fxt, cursor, bits(head, 36, 8)).tid;
        return cursor->is_wrong ? 0
                                : rv_chrome_reader_switch(reader, tids, ns, (unsigned)bits(head, 24, 4),
                                                          (uint16_t)bits(head, 16, 8));
    case SWITCH:
        tids[0] = take_word(cursor);
        tids[1] = take_word(cursor);
        return cursor->is_wrong ? 0
                                : rv_chrome_reader_switch(reader, tids, ns, (unsigned)bits(head, 36, 4),
                                                          (uint16_t)bits(head, 20, 16));
    case WAKEUP:
        tids[0] = take_word(cursor);
        return cursor->is_wrong
                   ? 0
                   : rv_chrome_reader_state(reader, tids[0], ns, RV_THREAD_PREEMPTED, (uint16_t)bits(head, 20, 16));
    }
    return 0; /* a kind that came later */
}

static int read_record(struct fxt *fxt, const uint64_t *words, size_t n)
{
    struct cursor cursor = {words, n, 0, false};
    const uint64_t head = take_word(&cursor);
    struct rv_chrome_event *event = &fxt->event;
    event->name.n = event->category.n = event->id.n = 0;
    event->n_series = 0;
    event->has_time = event->has_duration = event->binds_enclosing = false;
    int error = 0;
    switch (bits(head, 0, 4)) {
    case METADATA:
        read_metadata(fxt, head);
        break;
    case INITIALIZATION: {
        const uint64_t per_s = take_word(&cursor);
        cursor.is_wrong |= per_s == 0;
        if (per_s)
            fxt->ticks_per_s[fxt->provider_idx] = per_s;
        break;
    }
    case STRING:
        read_string(fxt, &cursor, head);
        break;
    case THREAD:
        read_thread(fxt, &cursor, head);
        break;
    case EVENT:
        error = read_event(fxt, &cursor, head);
        break;
    case KERNEL_OBJECT:
        error = read_object(fxt, &cursor, head);
        break;
    case LOG:
        error = read_log(fxt, &cursor, head);
        break;
    case SCHEDULING:
        error = read_scheduling(fxt, &cursor, head);
        break;
    case BLOB:
    case USER_OBJECT:
        break;
    default:
        rv_import_fault(&fxt->import, RV_FAULT_NOT_READ);
    }
    if (cursor.is_wrong)
        rv_import_fault(&fxt->import, RV_FAULT_NOT_READ);
    return error;
}

/* ---- the file ---- */

/* Read on, behind what is not yet taken. 1, 0 at the end, or a negative errno with one line printed. */
static int fill(struct fxt *fxt)
{
    memmove(fxt->words, &fxt->words[fxt->first], fxt->n * WORD_BYTES);
    fxt->first = 0;
    size_t n_bytes;
    int error = rv_text_reader_read(fxt->import.text, (char *)&fxt->words[fxt->n], (BUFFER_WORDS - fxt->n) * WORD_BYTES,
                                    &n_bytes);
    fxt->n += n_bytes / WORD_BYTES;
    if (!error && n_bytes % WORD_BYTES)
        fxt->import.faults[RV_FAULT_CUT] = 1;
    return error ? error : n_bytes >= WORD_BYTES;
}

/* Take the next record, if all of it is there. 1, 0: read on, or a negative errno with one line printed. */
static int take_record(struct fxt *fxt)
{
    const size_t n_now = fxt->n_skipped < fxt->n ? fxt->n_skipped : fxt->n;
    fxt->n_skipped -= n_now;
    fxt->first += n_now;
    fxt->n -= n_now;
    if (fxt->n == 0)
        return 0;
    const uint64_t *words = &fxt->words[fxt->first];
    const bool is_large = bits(words[0], 0, 4) == LARGE_RECORD;
    const uint64_t n_words = bits(words[0], 4, is_large ? 32 : 12);
    if (n_words == 0)
        return rv_err(EBADMSG, "%s: a record without a length", fxt->import.path);
    if (is_large) {
        fxt->n_skipped = n_words;
        return 1;
    }
    if (n_words > fxt->n)
        return 0;
    fxt->first += n_words;
    fxt->n -= n_words;
    int error = read_record(fxt, words, n_words);
    return error ? error : 1;
}

static bool matches(const char *head, size_t n)
{
    return n >= sizeof MAGIC && memcmp(head, &MAGIC, sizeof MAGIC) == 0;
}

static int begin(struct rv_import *import)
{
    struct fxt *fxt = (struct fxt *)import;
    rv_chrome_emitter_begin(&fxt->emitter, import);
    fxt->provider_idx = provider_of(fxt, 0);
    return 0;
}

static int step(struct rv_import *import)
{
    struct fxt *fxt = (struct fxt *)import;
    if (fxt->emitter.is_sorted)
        return rv_chrome_emitter_step(&fxt->emitter);
    int status = 1;
    for (int i = 0; i < RECORDS_PER_STEP && status > 0; i++)
        status = take_record(fxt);
    if (status == 0)
        status = fill(fxt);
    if (status > 0)
        return 1;
    if (status < 0 && !rv_event_builder_has_time(import->builder))
        return status;
    import->error = status;
    if (fxt->n || fxt->n_skipped)
        import->faults[RV_FAULT_CUT] = 1;
    return rv_chrome_emitter_sort(&fxt->emitter);
}

static void fini(struct rv_import *import)
{
    struct fxt *fxt = (struct fxt *)import;
    for (size_t i = 0; i < fxt->n_registered; i++)
        free(fxt->registered[i].text);
    free(fxt->registered);
    free(fxt->ticks_per_s);
    rv_hash_index_fini(&fxt->provider_index);
    rv_hash_index_fini(&fxt->index);
    rv_chrome_emitter_fini(&fxt->emitter);
}

const struct rv_import_format rv_import_fxt = {.name = "fxt",
                                               .describe = "a trace of Fuchsia",
                                               .bytes = sizeof(struct fxt),
                                               .is_text = true,
                                               .matches = matches,
                                               .begin = begin,
                                               .step = step,
                                               .fini = fini};
