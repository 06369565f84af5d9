/*
 * The text of `perf script`: samples, each a line with the thread and the time, then its stack, innermost first, then
 * an empty line. Recorded without stacks (no -g), samples are a line each, the command in a column on the left, the one
 * frame behind the event. A sample's stack is open until the thread's next sample, but not through a pause in which the
 * thread was not sampled: perf samples what runs. Events without a frame are marks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "source/import_formats.h"
#include "symbols/demangle.h"

enum { LINES_PER_STEP = 2000, STACK_FRAMES = 4096, MOST_NAME_BYTES = 4096 };
/* A gap this many times as long as the thread's samples are apart, as far as is known, is a pause. */
enum { PAUSE_INTERVALS = 10, KNOWN_INTERVALS = 4 };

struct pace { /* of one thread's samples */
    int64_t last_ns, sum_ns;
    uint32_t n;
    bool has_last;
};

struct perf {
    struct rv_import import; /* first */
    struct pace *paces;      /* by the emitter's thread */
    size_t n_paces;
    /* the sample that is being read */
    bool is_open;
    uint32_t thread;
    int64_t ns;
    uint32_t event;
    uint32_t ids[STACK_FRAMES]; /* from the end, innermost last */
    size_t n;
};

struct header {
    const char *command, *event, *rest; /* rest: after the event's colon */
    size_t n_command, n_event;
    uint64_t pid, tid;
    int64_t ns;
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The place of " 123.456789: ", or NULL. */
static const char *find_time(const char *line)
{
    for (const char *at = strchr(line, '.'); at; at = strchr(at + 1, '.')) {
        const char *first = at, *last = at + 1;
        while (first > line && is_digit(first[-1]))
            first--;
        while (is_digit(*last))
            last++;
        if (first < at && first > line && first[-1] == ' ' && last - at >= 4 && *last == ':')
            return first;
    }
    return NULL;
}

/* Backwards from *end over blanks and one word; returns where the word begins. */
static const char *word_before(const char *line, const char **end)
{
    while (*end > line && (*end)[-1] == ' ')
        --*end;
    const char *first = *end;
    while (first > line && first[-1] != ' ')
        first--;
    return first;
}

static bool read_ids(const char *word, const char *end, struct header *header)
{
    char *after;
    if (!is_digit(*word))
        return false;
    header->pid = header->tid = strtoull(word, &after, 10);
    if (*after == '/' && is_digit(after[1]))
        header->tid = strtoull(after + 1, &after, 10);
    return after == end;
}

/* Does a frame begin here: an address and a name? */
static bool is_frame(const char *at)
{
    size_t n = strspn(at, "0123456789abcdef");
    return n && at[n] == ' ';
}

/* How many bytes the event's name has, 0: there is none. */
static size_t event_bytes(const char *at)
{
    size_t n = strcspn(at, " ");
    return n && at[n - 1] == ':' ? n - 1 : 0;
}

/* A number is one only before something else: an address may have no letter in it. */
static const char *behind_period(const char *at)
{
    const char *digits_end = at + strspn(at, "0123456789"), *next = digits_end + strspn(digits_end, " ");
    return next > digits_end && (!*next || is_frame(next) || event_bytes(next)) ? next : at;
}

/* "command  pid/tid [cpu] time: period event: rest"; period and event may be left out. */
static bool read_header(const char *line, struct header *header)
{
    line += strspn(line, " ");
    const char *time = *line == '\t' ? NULL : find_time(line), *end = time;
    if (!time || !rv_import_decimal(time, strlen(time), 9, &header->ns, NULL))
        return false;
    const char *word = word_before(line, &end);
    if (*word == '[')
        end = word, word = word_before(line, &end);
    if (word == line || !read_ids(word, end, header))
        return false;
    for (end = word; end > line && end[-1] == ' ';)
        end--;
    header->command = line;
    header->n_command = (size_t)(end - line);
    const char *at = strchr(time, ':') + 1;
    at = behind_period(at + strspn(at, " "));
    header->event = at;
    header->n_event = event_bytes(at);
    at += header->n_event ? header->n_event + 1 : 0;
    header->rest = at + strspn(at, " ");
    return true;
}

/* ---- frames ---- */

static struct rv_emitter_text text_of(struct rv_demangle_piece piece)
{
    return rv_import_text(piece.text, piece.n_bytes);
}

/* Packages as those of programs that are traced: classes and namespaces, else the module. perf has demangled. */
static uint32_t intern_symbol(struct rv_emitter *emitter, struct rv_emitter_text name, struct rv_emitter_text module)
{
    char symbol[MOST_NAME_BYTES], path[MOST_NAME_BYTES];
    snprintf(symbol, sizeof symbol, "%.*s", (int)name.n, name.bytes);
    snprintf(path, sizeof path, "%.*s", (int)module.n, module.n ? module.bytes : "");
    struct rv_demangled parts;
    rv_demangle_split(symbol, &parts);
    struct rv_demangle_piece package = parts.package.n_bytes || !*path ? parts.package : rv_demangle_module(path);
    return rv_emitter_intern(emitter, text_of(package), text_of(parts.name), module, 0);
}

/* "7f12 name+0x1c (/lib/module.so)" */
static bool read_frame(struct rv_import *import, const char *line, uint32_t *id)
{
    line += strspn(line, " \t");
    if (!is_frame(line))
        return false;
    const char *name = strchr(line, ' ') + 1, *open = strrchr(name, '('), *end = name + strlen(name);
    struct rv_emitter_text module = {0};
    if (open && open > name && open[-1] == ' ' && end[-1] == ')') {
        module = rv_import_text(open + 1, (size_t)(end - 1 - (open + 1)));
        end = open - 1;
    }
    if (end > name + 2 && memcmp(end - 2, " (", 2) == 0)
        end -= 2;
    const char *plus = memrchr(name, '+', (size_t)(end - name));
    if (plus && plus > name && plus[1] == '0' && plus[2] == 'x')
        end = plus;
    *id = intern_symbol(import->emitter, rv_import_text(name, (size_t)(end - name)), module);
    return true;
}

/* ---- samples ---- */

static struct pace *pace_of(struct perf *perf, uint32_t thread)
{
    if (thread >= perf->n_paces)
        perf->paces = rv_vec_extend(perf->paces, &perf->n_paces, (size_t)thread + 1, sizeof *perf->paces);
    return &perf->paces[thread];
}

/* The thread was last sampled a while ago: what was open then ended one interval later. */
static void end_before_pause(struct perf *perf, uint32_t thread, int64_t ns)
{
    struct pace *pace = pace_of(perf, thread);
    int64_t gap_ns = ns - pace->last_ns;
    int64_t mean_ns = pace->n ? pace->sum_ns / pace->n : 0;
    if (pace->has_last && pace->n >= KNOWN_INTERVALS && gap_ns / PAUSE_INTERVALS > mean_ns) {
        rv_emitter_sample(perf->import.emitter, thread, pace->last_ns + mean_ns, NULL, 0);
    } else if (pace->has_last && gap_ns >= 0 && gap_ns < INT64_MAX / 2 - pace->sum_ns && pace->n < UINT32_MAX) {
        pace->sum_ns += gap_ns;
        pace->n++;
    }
    pace->last_ns = ns;
    pace->has_last = true;
}

static void end_sample(struct perf *perf)
{
    struct rv_emitter *emitter = perf->import.emitter;
    if (!perf->is_open)
        return;
    perf->is_open = false;
    if (perf->thread == RV_EMITTER_NONE) {
        rv_emitter_leave_out(emitter);
        return;
    }
    if (perf->n == 0) {
        rv_emitter_mark(emitter, perf->thread, perf->ns, perf->event);
        return;
    }
    end_before_pause(perf, perf->thread, perf->ns);
    rv_emitter_sample(emitter, perf->thread, perf->ns, perf->ids + STACK_FRAMES - perf->n, perf->n);
}

static void begin_sample(struct perf *perf, const struct header *header)
{
    struct rv_emitter *emitter = perf->import.emitter;
    struct rv_emitter_text command = rv_import_text(header->command, header->n_command), none = {0};
    end_sample(perf);
    uint32_t process = rv_emitter_process(emitter, header->pid);
    perf->thread = rv_emitter_thread(emitter, process, header->tid, 0);
    rv_emitter_name_process(emitter, process, command);
    rv_emitter_see_time(emitter, header->ns);
    perf->event = rv_emitter_intern(emitter, none, rv_import_text(header->event, header->n_event), none, 0);
    perf->ns = header->ns;
    perf->n = 0;
    perf->is_open = true;
    uint32_t id;
    if (*header->rest && read_frame(&perf->import, header->rest, &id)) /* without call graphs */
        perf->ids[STACK_FRAMES - ++perf->n] = id;
}

static void read_line(struct perf *perf, const char *line)
{
    struct header header;
    uint32_t id;
    if (*line == '#')
        return;
    if (line[strspn(line, " \t")] == '\0') {
        end_sample(perf);
    } else if (read_header(line, &header)) { /* before the frames: a command may be named as an address is */
        begin_sample(perf, &header);
    } else if (perf->is_open && (*line == ' ' || *line == '\t') && read_frame(&perf->import, line, &id)) {
        if (perf->n < STACK_FRAMES)
            perf->ids[STACK_FRAMES - ++perf->n] = id;
    } else {
        rv_import_fault(&perf->import, RV_FAULT_NOT_READ);
    }
}

/* ---- as a format ---- */

static bool matches(const char *head, size_t n)
{
    char line[1024];
    for (const char *at = head, *end; (end = memchr(at, '\n', n - (size_t)(at - head))); at = end + 1) {
        size_t n_line = (size_t)(end - at) < sizeof line ? (size_t)(end - at) : sizeof line - 1;
        memcpy(line, at, n_line);
        line[n_line] = '\0';
        struct header header;
        if (*line != '#' && *line)
            return read_header(line, &header) && (header.n_event > 0 || is_frame(header.rest));
    }
    return false;
}

static int step(struct rv_import *import)
{
    struct perf *perf = (struct perf *)import;
    for (int i = 0; i < LINES_PER_STEP; i++) {
        char *line;
        size_t n;
        int status = rv_textfile_line(import->text, &line, &n);
        if (status <= 0) {
            end_sample(perf);
            return status;
        }
        read_line(perf, line);
    }
    return 1;
}

static void fini(struct rv_import *import)
{
    free(((struct perf *)import)->paces);
}

const struct rv_import_format rv_import_perf = {.name = "perf",
                                                .describe = "perf script text",
                                                .bytes = sizeof(struct perf),
                                                .is_text = true,
                                                .matches = matches,
                                                .step = step,
                                                .fini = fini};
