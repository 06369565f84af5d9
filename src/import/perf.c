/*
 * The text of `perf script`, with any subset of fields (-F). A sample is a line with the command, thread, time and
 * event, then its stack, innermost first, then an empty line. Without stacks (no -g), a sample is one line with the
 * command in a column on the left and one frame after the event. A sample's stack is open until the thread's next
 * sample, except through a pause in which the thread was not sampled: perf samples running threads. Without times, a
 * sample is a microsecond of its thread. Events without a frame are marks. Branches that are calls and returns, as of
 * Intel PT, are calls and returns ("branches:uH:   call   ADDRESS SYMBOL =>   ADDRESS SYMBOL"). With -F +srcline, each
 * frame has a line of text behind it, "  main.c:12", and its subroutine that file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "import/formats.h"
#include "symbols/demangle.h"

enum { LINES_PER_STEP = 2000, STACK_FRAMES = 4096, MOST_NAME_BYTES = 4096 };
/* A gap this many times as long as the thread's usual sampling interval is a pause. */
enum { PAUSE_INTERVALS = 10, KNOWN_INTERVALS = 4 };
static const int64_t SAMPLE_NS = 1000; /* of samples without a time */

struct pace { /* of one thread's samples */
    int64_t last_ns, sum_ns;
    uint32_t n, n_timeless;
    bool has_last;
};

struct perf {
    struct rv_import import; /* first */
    struct pace *paces;      /* by the event builder's thread */
    size_t n_paces;
    bool has_times; /* a header had one, so all have */
    /* the current sample */
    bool is_open, is_timed;
    uint32_t thread;
    int64_t ns;
    uint32_t event;
    uint32_t ids[STACK_FRAMES], lines[STACK_FRAMES]; /* the innermost of these, as text; "": there was no room for it */
    size_t n;
    char frame[MOST_NAME_BYTES]; /* the last of these, as text; "": there was no room for it */
};

struct header {
    const char *command, *event, *rest; /* rest: after the event's colon */
    size_t n_command, n_event;
    uint64_t pid, tid;
    bool has_time;
    int64_t ns;
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Find the word "123.456789:", or NULL. */
static const char *find_time(const char *line)
{
    for (const char *at = strchr(line, '.'); at; at = strchr(at + 1, '.')) {
        const char *first = at, *last = at + 1;
        while (first > line && is_digit(first[-1]))
            first--;
        while (is_digit(*last))
            last++;
        if (first < at && (first == line || first[-1] == ' ') && last - at >= 4 && *last == ':')
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

/* Does a frame begin here: an address, and mostly a name? */
static bool is_frame(const char *at)
{
    size_t n = strspn(at, "0123456789abcdef");
    return n && (at[n] == ' ' || !at[n]);
}

/* Length of the event's name, 0 if there is none. */
static size_t event_bytes(const char *at)
{
    size_t n = strcspn(at, " ");
    return n && at[n - 1] == ':' ? n - 1 : 0;
}

/* Skip the words for the kind of branch: "call", "tr end  return". */
static const char *behind_flags(const char *at)
{
    static const char *const words[] = {"call", "return", "jmp",  "jcc", "int",  "iret", "syscall", "sysret", "async",
                                        "hw",   "tx",     "abrt", "tr",  "strt", "end",  "vmentry", "vmexit"};
    for (size_t i = 0; i < sizeof words / sizeof *words;) {
        size_t n = strcspn(at, " ");
        if (n != strlen(words[i]) || memcmp(at, words[i], n) != 0) {
            i++;
            continue;
        }
        at += n + strspn(at + n, " ");
        i = 0;
    }
    return at;
}

static bool is_branch(const char *at)
{
    const char *source = behind_flags(at);
    return source > at && is_frame(source + (*source == '(' ? strcspn(source, " ") + 1 : 0)) && strstr(source, " => ");
}

/* Only before something else: an address may consist of decimal digits. */
static const char *behind_period(const char *at)
{
    const char *digits_end = at + strspn(at, "0123456789"), *next = digits_end + strspn(digits_end, " ");
    bool is_one = next > digits_end && (!*next || is_frame(next) || event_bytes(next) || is_branch(next));
    return is_one ? next : at;
}

/* "command  pid/tid [cpu]", each of which may be missing, up to end. */
static void read_task(const char *line, const char *end, struct header *header)
{
    const char *last = end, *word = word_before(line, &last);
    if (last > line && *word == '[')
        last = word, word = word_before(line, &last);
    if (last > line && read_ids(word, last, header))
        last = word;
    while (last > line && last[-1] == ' ')
        last--;
    header->command = line;
    header->n_command = (size_t)(last - line);
}

/* "period event: rest", both of which may be missing. */
static void read_event(const char *at, struct header *header)
{
    at += strspn(at, " ");
    at = behind_period(at);
    header->event = at;
    header->n_event = event_bytes(at);
    at += header->n_event ? header->n_event + 1 : 0;
    header->rest = at + strspn(at, " ");
}

/* Is this word an address and nothing else? */
static bool is_address(const char *at)
{
    size_t n = strspn(at, "0123456789abcdef");
    return n >= 4 && strcspn(at, "0123456789") < n && strspn(at, "0123456789") < n && at[n] == ' ';
}

/* The first word that ends in a colon, or is an address, or the end. */
static const char *find_event(const char *line)
{
    const char *at = line;
    while (*at && !event_bytes(at) && !is_address(at))
        at += strcspn(at, " "), at += strspn(at, " ");
    return at;
}

/* Where a line without a time has its period: the second of two numbers before the event, the first being the thread.
 */
static const char *before_period(const char *line, const char *event)
{
    struct header unused;
    const char *end = event, *period = word_before(line, &end), *before = period, *task = word_before(line, &before);
    return period > line && read_ids(period, end, &unused) && read_ids(task, before, &unused) ? period : event;
}

/* "command  pid/tid [cpu] time: period event: rest", of which some parts may be missing. */
static bool read_header(const char *line, struct header *header)
{
    *header = (struct header){.command = ""};
    if (*line == '\t')
        return false;
    line += strspn(line, " ");
    const char *time = find_time(line), *event = time ? strchr(time, ':') + 1 : before_period(line, find_event(line)),
               *end = time ? time : event;
    header->has_time = time && rv_import_decimal(time, strlen(time), 9, &header->ns, NULL);
    read_task(line, end, header);
    read_event(event, header);
    return *line && (header->has_time || !time);
}

/* Does the header have enough fields to be recognized by itself? */
static bool is_sure(const struct header *header)
{
    const char *rest = header->rest;
    if (header->has_time)
        return header->n_event > 0 || is_frame(rest) || is_branch(rest);
    if (header->n_event > 0)
        return is_address(rest) || is_branch(rest);
    return is_address(rest) && rest[strlen(rest) - 1] == ')';
}

/* ---- frames ---- */

static const struct rv_event_builder_text unknown_file;

static struct rv_event_builder_text text_of(struct rv_demangle_piece piece)
{
    return rv_import_text(piece.text, piece.n_bytes);
}

/* Packages as in traced programs: classes and namespaces, else the module, which stands for an unknown file. Names are
 * already demangled. */
static uint32_t intern_symbol(struct rv_event_builder *builder, struct rv_event_builder_text name,
                              struct rv_event_builder_text module, struct rv_event_builder_text file)
{
    char symbol[MOST_NAME_BYTES], path[MOST_NAME_BYTES];
    snprintf(symbol, sizeof symbol, "%.*s", (int)name.n, name.bytes);
    snprintf(path, sizeof path, "%.*s", (int)module.n, module.n ? module.bytes : "");
    struct rv_demangled parts;
    rv_demangle_split(symbol, &parts);
    struct rv_demangle_piece package = parts.package.n_bytes || !*path ? parts.package : rv_demangle_module(path);
    return rv_event_builder_intern(builder, text_of(package), text_of(parts.name), file.n ? file : module, 0);
}

/* "7f12 name+0x1c (/lib/module.so)", the address serves as missing name. file: that of the source; empty = unknown */
static bool read_frame(struct rv_import *import, const char *line, struct rv_event_builder_text file, uint32_t *id)
{
    line += strspn(line, " \t");
    if (!is_frame(line))
        return false;
    const char *name = line + strcspn(line, " ");
    name = *name && name[1] ? name + 1 : line;
    const char *open = strrchr(name, '('), *end = name + strlen(name);
    struct rv_event_builder_text module = {0};
    if (open && open > name && open[-1] == ' ' && end[-1] == ')') {
        module = rv_import_text(open + 1, (size_t)(end - 1 - (open + 1)));
        end = open - 1;
    }
    if (end > name + 2 && memcmp(end - 2, " (", 2) == 0)
        end -= 2;
    const char *plus = memrchr(name, '+', (size_t)(end - name));
    if (plus && plus > name && plus[1] == '0' && plus[2] == 'x')
        end = plus;
    *id = intern_symbol(import->builder, rv_import_text(name, (size_t)(end - name)), module, file);
    return true;
}

/* ---- times ---- */

static struct pace *pace_of(struct perf *perf, uint32_t thread)
{
    if (thread >= perf->n_paces)
        perf->paces = rv_vec_extend(perf->paces, &perf->n_paces, (size_t)thread + 1, sizeof *perf->paces);
    return &perf->paces[thread];
}

/* After a pause: calls open before it ended one interval after the last sample. */
static void end_before_pause(struct perf *perf, uint32_t thread, int64_t ns)
{
    struct pace *pace = pace_of(perf, thread);
    int64_t gap_ns = ns - pace->last_ns;
    int64_t mean_ns = pace->n ? pace->sum_ns / pace->n : 0;
    if (pace->has_last && pace->n >= KNOWN_INTERVALS && gap_ns / PAUSE_INTERVALS > mean_ns) {
        rv_event_builder_sample(perf->import.builder, thread, pace->last_ns + mean_ns, NULL, 0);
    } else if (pace->has_last && gap_ns >= 0 && gap_ns < INT64_MAX / 2 - pace->sum_ns && pace->n < UINT32_MAX) {
        pace->sum_ns += gap_ns;
        pace->n++;
    }
    pace->last_ns = ns;
    pace->has_last = true;
}

/* The time of a sample without one: the number of its thread's earlier samples. */
static int64_t count_sample(struct perf *perf)
{
    rv_event_builder_see_time(perf->import.builder, 0);
    return SAMPLE_NS * (int64_t)pace_of(perf, perf->thread)->n_timeless++;
}

/* ---- branches ---- */

/* Depth of the innermost open call of a subroutine; the stack's depth if there is none. */
static size_t depth_of(const struct perf *perf, uint32_t id)
{
    const uint32_t *open = rv_event_builder_stack(perf->import.builder, perf->thread);
    size_t n = rv_event_builder_depth(perf->import.builder, perf->thread);
    for (size_t i = n; i > 0; i--)
        if (open[i - 1] == id)
            return i - 1;
    return n;
}

/* The subroutine is running: end the calls inside it. If it is not open, it began before the trace. */
static void run(struct perf *perf, uint32_t id)
{
    struct rv_event_builder *builder = perf->import.builder;
    size_t n = rv_event_builder_depth(builder, perf->thread), found = depth_of(perf, id);
    if (found < n)
        for (; n > found + 1; n--)
            rv_event_builder_return(builder, perf->thread, perf->ns);
    else if (n == 0)
        rv_event_builder_call(builder, perf->thread, perf->ns, id);
}

static bool has_flag(const char *flags, const char *end, const char *word)
{
    const char *found = strstr(flags, word);
    return found && found < end;
}

/*
 * "call  ADDRESS SYMBOL =>  ADDRESS SYMBOL". A jump to the start of another subroutine is a tail call: it replaces the
 * call. At the begin of tracing, one side has address 0.
 */
static void read_branch(struct perf *perf, const char *text)
{
    struct rv_import *import = &perf->import;
    struct rv_event_builder *builder = import->builder;
    const char *source = behind_flags(text), *arrow = strstr(source, " => "), *target = arrow + 4;
    char from_text[MOST_NAME_BYTES];
    snprintf(from_text, sizeof from_text, "%.*s", (int)(arrow - source), source);
    uint32_t from = 0, to = 0;
    perf->is_open = false;
    if (!perf->is_timed)
        perf->ns = count_sample(perf);
    target += strspn(target, " ");
    bool has_from = strncmp(source, "0 ", 2) != 0 && read_frame(import, from_text, unknown_file, &from);
    bool has_to = strncmp(target, "0 ", 2) != 0 && read_frame(import, target, unknown_file, &to);
    if (has_from)
        run(perf, from);
    if (!has_to)
        return;
    bool is_call = has_flag(text, source, "call") && !has_flag(text, source, "syscall");
    bool is_jump = has_flag(text, source, "jmp") && to != from && strstr(target, "+0x0 ");
    if (is_jump)
        rv_event_builder_return(builder, perf->thread, perf->ns);
    else if (has_flag(text, source, "return") && depth_of(perf, from) < rv_event_builder_depth(builder, perf->thread))
        rv_event_builder_return(builder, perf->thread, perf->ns);
    if (is_call || is_jump)
        rv_event_builder_call(builder, perf->thread, perf->ns, to);
    else
        run(perf, to);
}

/* ---- samples ---- */

static void end_sample(struct perf *perf)
{
    struct rv_event_builder *builder = perf->import.builder;
    if (!perf->is_open)
        return;
    perf->is_open = false;
    if (perf->thread == RV_EVENT_BUILDER_NONE) {
        rv_event_builder_leave_out(builder);
        return;
    }
    if (!perf->is_timed && perf->n == 0) {
        rv_import_fault(&perf->import, RV_FAULT_NOT_READ);
        return;
    }
    if (perf->n == 0) {
        rv_event_builder_mark(builder, perf->thread, perf->ns, perf->event);
        return;
    }
    if (perf->is_timed)
        end_before_pause(perf, perf->thread, perf->ns);
    else
        perf->ns = count_sample(perf);
    rv_event_builder_sample_lines(builder, perf->thread, perf->ns, perf->ids + STACK_FRAMES - perf->n,
                                  perf->lines + STACK_FRAMES - perf->n, perf->n);
}

static bool add_frame(struct perf *perf, const char *line)
{
    uint32_t id;
    if (!read_frame(&perf->import, line, unknown_file, &id))
        return false;
    const bool has_room = perf->n < STACK_FRAMES;
    snprintf(perf->frame, sizeof perf->frame, "%s", has_room ? line : "");
    if (has_room) {
        perf->ids[STACK_FRAMES - ++perf->n] = id;
        perf->lines[STACK_FRAMES - perf->n] = 0;
    }
    return true;
}

/* Of the frame before it: "  main.c:12"; where it is not known, "  libc.so.6[1f0]". False if it is another text. */
static bool read_source_line(struct perf *perf, const char *text)
{
    if (!perf->is_open || !perf->n || strncmp(text, "  ", 2) != 0 || text[2] == ' ' || !text[2])
        return false;
    const char *file = text + 2, *colon = strrchr(file, ':');
    int64_t line = colon ? rv_import_number(colon + 1, strlen(colon + 1), 0) : -1;
    if (line > 0 && line <= UINT32_MAX && *perf->frame) {
        const size_t last = STACK_FRAMES - perf->n;
        read_frame(&perf->import, perf->frame, rv_import_text(file, (size_t)(colon - file)), &perf->ids[last]);
        perf->lines[last] = (uint32_t)line;
    }
    return line >= 0 || file[strlen(file) - 1] == ']';
}

static void begin_sample(struct perf *perf, const struct header *header)
{
    struct rv_event_builder *builder = perf->import.builder;
    struct rv_event_builder_text command = rv_import_text(header->command, header->n_command), none = {0};
    end_sample(perf);
    uint32_t process = rv_event_builder_process(builder, header->pid);
    perf->thread = rv_event_builder_thread(builder, process, header->tid, 0);
    rv_event_builder_name_process(builder, process, command);
    perf->event = rv_event_builder_intern(builder, none, rv_import_text(header->event, header->n_event), none, 0);
    perf->is_timed = header->has_time;
    perf->ns = header->ns;
    if (perf->is_timed)
        rv_event_builder_see_time(builder, perf->ns);
    perf->n = 0;
    perf->is_open = true;
    if (is_branch(header->rest) && perf->thread != RV_EVENT_BUILDER_NONE)
        read_branch(perf, header->rest);
    else if (*header->rest) /* without call graphs */
        (void)add_frame(perf, header->rest);
}

/* After a header with a time, a line without one is not a header. */
static bool is_header(struct perf *perf, const char *line, struct header *header)
{
    if (!read_header(line, header) || (perf->has_times && !header->has_time))
        return false;
    perf->has_times |= header->has_time;
    return true;
}

static void read_line(struct perf *perf, const char *line)
{
    static const struct header nothing = {.command = "", .event = "", .rest = ""};
    struct header header;
    if (*line == '#')
        return;
    if (*line == '\t' && !perf->is_open && !perf->has_times)
        begin_sample(perf, &nothing); /* only the frames have fields */
    if (line[strspn(line, " \t")] == '\0') {
        end_sample(perf);
    } else if (strncmp(line, " instruction trace error", 24) == 0) {
        rv_import_fault(&perf->import, RV_FAULT_LOST);
    } else if (!perf->has_times && read_source_line(perf, line)) { /* without times, any line may be a header */
        return;
    } else if (is_header(perf, line, &header)) { /* checked before frames: a command's name may look like an address */
        begin_sample(perf, &header);
    } else if (!(perf->is_open && (*line == ' ' || *line == '\t') && add_frame(perf, line)) &&
               !read_source_line(perf, line)) {
        rv_import_fault(&perf->import, RV_FAULT_NOT_READ);
    }
}

/* ---- as a format ---- */

/* Lines of a stack begin with a tab; an ambiguous header is recognized by such a line after it. */
static bool matches(const char *head, size_t n)
{
    char line[1024];
    bool has_header = false;
    for (const char *at = head, *end; (end = memchr(at, '\n', n - (size_t)(at - head))); at = end + 1) {
        size_t n_line = (size_t)(end - at) < sizeof line ? (size_t)(end - at) : sizeof line - 1;
        memcpy(line, at, n_line);
        line[n_line] = '\0';
        struct header header;
        if (*line == '#' || !*line)
            continue;
        if (*line == '\t' || has_header)
            return *line == '\t' && is_frame(line + strspn(line, " \t"));
        if (!read_header(line, &header))
            return false;
        if (is_sure(&header))
            return true;
        has_header = true;
    }
    return false;
}

/* The last samples without times get the common length, too. */
static void end_timeless(struct perf *perf)
{
    for (size_t i = 0; i < perf->n_paces; i++)
        if (perf->paces[i].n_timeless)
            rv_event_builder_sample(perf->import.builder, (uint32_t)i, SAMPLE_NS * (int64_t)perf->paces[i].n_timeless,
                                    NULL, 0);
}

static int step(struct rv_import *import)
{
    struct perf *perf = (struct perf *)import;
    for (int i = 0; i < LINES_PER_STEP; i++) {
        char *line;
        size_t n;
        int status = rv_text_reader_line(import->text, &line, &n);
        if (status <= 0) {
            end_sample(perf);
            end_timeless(perf);
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
