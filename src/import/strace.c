/*
 * The text of `strace -f -tt -T` (or -ttt, or -r): one event per line, the thread number in front. A system call lasts
 * as long as -T says, or, if interrupted by another thread's line, from its unfinished to its resumed line; one that is
 * never resumed lasts to the end. Signals and exits are marks; stacks of -k are skipped. clone with CLONE_THREAD shows
 * which threads belong to a process.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/formats.h"

enum { LINES_PER_STEP = 2000, HEAD_LINES = 20, MAX_NAME = 64 };
static const int64_t SECOND_NS = 1000000000, DAY_NS = 86400 * 1000000000ll;

struct caller {       /* a thread, by the event builder's number */
    int64_t since_ns; /* of the unfinished call */
    bool is_unfinished, makes_thread;
    uint32_t command; /* an id with the name of the program that an unfinished execve begins; 0: none */
};

struct strace {
    struct rv_import import; /* first */
    struct caller *callers;
    size_t n_callers;
    int64_t day_ns, last_ns; /* -tt has no date, -r only the time since the previous line */
    int64_t end_ns;          /* the latest time in the file */
};

enum clock { CLOCK_EPOCH, CLOCK_DAY, CLOCK_RELATIVE };

struct line {
    uint64_t tid;
    int64_t ns;
    enum clock clock; /* origin of times: 1970, midnight, or the previous line */
    const char *rest; /* after the time */
};

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "12:34:56.789012 ", "1700000000.123456 " or "     0.000123 "; with both -tt and -r "(+     0.000123) " follows. */
static bool read_time(const char *at, struct line *line)
{
    const char *end;
    int64_t ns = 0;
    at += strspn(at, " ");
    size_t n_digits = strspn(at, "0123456789");
    bool is_of_day = n_digits == 2 && at[2] == ':' && is_digit(at[3]) && is_digit(at[4]) && at[5] == ':';
    if (is_of_day) {
        ns =
            ((at[0] - '0') * 10 + at[1] - '0') * 3600 * SECOND_NS + ((at[3] - '0') * 10 + at[4] - '0') * 60 * SECOND_NS;
        at += 6;
    } else if (n_digits < 9 && at[n_digits] != '.') {
        return false;
    }
    line->clock = is_of_day ? CLOCK_DAY : n_digits < 9 ? CLOCK_RELATIVE : CLOCK_EPOCH;
    if (!rv_import_decimal(at, strspn(at, "0123456789."), 9, &line->ns, &end) || *end != ' ' || line->ns < 0 ||
        line->ns > INT64_MAX - DAY_NS)
        return false;
    line->ns += ns;
    end += strspn(end, " ");
    if (strncmp(end, "(+", 2) == 0 && (end = strchr(end, ')')))
        end += 1 + strspn(end + 1, " ");
    line->rest = end;
    return end != NULL;
}

/* What follows "[pid   12] " or "12 ", or NULL: no thread is named. */
static const char *read_thread(const char *text, struct line *line)
{
    char *after;
    bool is_bracketed = strncmp(text, "[pid", 4) == 0;
    const char *number = is_bracketed ? text + 4 + strspn(text + 4, " ") : text;
    if (!is_digit(*number))
        return NULL;
    line->tid = strtoull(number, &after, 10);
    if (is_bracketed && *after++ != ']')
        return NULL;
    return *after == ' ' ? after + strspn(after, " ") : NULL;
}

static bool read_head(const char *text, struct line *line)
{
    line->tid = 0;
    if (read_time(text, line))
        return true;
    const char *rest = read_thread(text, line);
    return rest && read_time(rest, line);
}

/* ---- threads ---- */

static struct caller *caller_of(struct strace *strace, uint32_t thread)
{
    if (thread >= strace->n_callers)
        strace->callers =
            rv_vec_extend(strace->callers, &strace->n_callers, (size_t)thread + 1, sizeof *strace->callers);
    return &strace->callers[thread];
}

static uint32_t thread_of(struct strace *strace, uint64_t tid)
{
    struct rv_event_builder *builder = strace->import.builder;
    return rv_event_builder_thread(builder, rv_event_builder_process(builder, tid), tid, 0);
}

static uint32_t intern(struct rv_import *import, const char *name, size_t n)
{
    struct rv_event_builder_text none = {0};
    return rv_event_builder_intern(import->builder, none, rv_import_text(name, n), none, 0);
}

/* ---- what a call did ---- */

/* The text of ") = RESULT ...": or NULL. */
static const char *find_result(const char *text)
{
    const char *found = NULL;
    for (const char *at = strstr(text, "= "); at; at = strstr(at + 1, "= "))
        if (at > text && at[-1] == ' ')
            found = at + 2;
    return found;
}

/* "... <0.000123>" at the end, by -T. */
static bool read_duration(const char *text, int64_t *ns)
{
    const char *open = strrchr(text, '<'), *end;
    return open && rv_import_decimal(open + 1, strlen(open + 1), 9, ns, &end) && *end == '>' && *ns >= 0;
}

/* The id of the program's name in `execve("/usr/bin/ls", ...`; 0: none. */
static uint32_t command_of(struct strace *strace, const char *text)
{
    const char *path = strchr(text, '"'), *end = path ? strchr(path + 1, '"') : NULL;
    if (!end)
        return 0;
    const char *slash = memrchr(path, '/', (size_t)(end - path)), *name = slash ? slash + 1 : path + 1;
    return intern(&strace->import, name, (size_t)(end - name));
}

static void follow_exec(struct strace *strace, const struct line *line, uint32_t command, const char *result)
{
    struct rv_event_builder *builder = strace->import.builder;
    if (command && *result == '0')
        rv_event_builder_name_process(builder, rv_event_builder_process(builder, line->tid),
                                      rv_event_builder_name(builder, command));
}

/* A child goes on with its parent's program. It may be seen to begin another one before its parent returns. */
static void begin_process(struct rv_event_builder *builder, uint32_t child, uint32_t parent, uint64_t parent_pid)
{
    rv_event_builder_set_parent(builder, child, (uint32_t)parent_pid);
    if (!*rv_event_builder_process_name(builder, child))
        rv_event_builder_name_process(builder, child, rv_import_string(rv_event_builder_process_name(builder, parent)));
}

static void follow_clone(struct strace *strace, const struct line *line, const char *result, bool makes_thread)
{
    struct rv_event_builder *builder = strace->import.builder;
    uint64_t child = is_digit(*result) ? strtoull(result, NULL, 10) : 0;
    if (child == 0)
        return;
    uint32_t parent_process = rv_event_builder_thread_process(builder, thread_of(strace, line->tid));
    if (makes_thread)
        rv_event_builder_move_thread(builder, thread_of(strace, child), parent_process);
    else
        begin_process(builder, rv_event_builder_process(builder, child), parent_process, line->tid);
}

static bool is_name(const char *name, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(name, word, n) == 0;
}

static void follow(struct strace *strace, const struct line *line, const char *name, size_t n,
                   const struct caller *caller)
{
    const char *result = find_result(line->rest);
    if (!result)
        return;
    if (is_name(name, n, "execve"))
        follow_exec(strace, line, caller->command, result);
    else if (is_name(name, n, "clone") || is_name(name, n, "clone3") || is_name(name, n, "fork") ||
             is_name(name, n, "vfork"))
        follow_clone(strace, line, result, caller->makes_thread);
}

/* ---- lines ---- */

static void read_call(struct strace *strace, const struct line *line, uint32_t thread)
{
    struct rv_import *import = &strace->import;
    size_t n_name = strcspn(line->rest, "("), n_rest = strlen(line->rest);
    if (n_name == 0 || n_name > MAX_NAME || line->rest[n_name] != '(') {
        rv_import_fault(import, RV_FAULT_NOT_READ);
        return;
    }
    struct caller *caller = caller_of(strace, thread);
    static const char unfinished[] = "<unfinished ...>";
    size_t n_unfinished = sizeof unfinished - 1;
    caller->makes_thread = strstr(line->rest, "CLONE_THREAD") != NULL;
    caller->is_unfinished = n_rest > n_unfinished && strcmp(line->rest + n_rest - n_unfinished, unfinished) == 0;
    caller->command = is_name(line->rest, n_name, "execve") ? command_of(strace, line->rest) : 0;
    caller->since_ns = line->ns;
    rv_event_builder_sample(import->builder, thread, line->ns, NULL, 0); /* end a call that was never resumed */
    rv_event_builder_call(import->builder, thread, line->ns, intern(import, line->rest, n_name));
    if (caller->is_unfinished)
        return;
    int64_t duration_ns = 0;
    read_duration(line->rest, &duration_ns);
    rv_event_builder_return(import->builder, thread, line->ns + duration_ns);
    follow(strace, line, line->rest, n_name, caller);
}

/* "<... read resumed>"abc", 3) = 3 <0.000012>" */
static void read_resumed(struct strace *strace, const struct line *line, uint32_t thread)
{
    struct rv_import *import = &strace->import;
    const char *name = line->rest + 5;
    size_t n_name = strcspn(name, " ");
    struct caller *caller = caller_of(strace, thread);
    if (!caller->is_unfinished) {
        rv_import_fault(import, RV_FAULT_END_ALONE);
        return;
    }
    int64_t duration_ns;
    caller->is_unfinished = false;
    bool is_timed = read_duration(line->rest, &duration_ns);
    rv_event_builder_return(import->builder, thread, is_timed ? caller->since_ns + duration_ns : line->ns);
    follow(strace, line, name, n_name, caller);
}

/* "--- SIGCHLD {...} ---", "+++ exited with 0 +++" */
static void read_mark(struct strace *strace, const struct line *line, uint32_t thread)
{
    const char *text = line->rest + 4;
    size_t n = strcspn(text, "{");
    const char *end = strstr(text, line->rest[0] == '+' ? " +++" : " ---");
    if (end && (size_t)(end - text) < n)
        n = (size_t)(end - text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    rv_event_builder_mark(strace->import.builder, thread, line->ns, intern(&strace->import, text, n));
    if (line->rest[0] == '+')
        rv_event_builder_end_thread(strace->import.builder, thread, line->ns);
}

/* -tt has no date: a time that falls is after midnight. */
static void place_in_time(struct strace *strace, struct line *line)
{
    if (line->clock == CLOCK_RELATIVE && __builtin_add_overflow(line->ns, strace->last_ns, &line->ns))
        line->ns = strace->last_ns;
    if (line->clock == CLOCK_DAY && line->ns + strace->day_ns < strace->last_ns - DAY_NS / 2 &&
        strace->day_ns < INT64_MAX / 2)
        strace->day_ns += DAY_NS;
    if (line->clock == CLOCK_DAY)
        line->ns += strace->day_ns;
    strace->last_ns = line->ns;
    if (line->ns > strace->end_ns)
        strace->end_ns = line->ns;
}

/* Lines that are no events: empty ones, strace's own messages, stacks of -k. */
static bool is_passed_over(const char *text)
{
    return !*text || strncmp(text, "strace: ", 8) == 0 || strncmp(text, " > ", 3) == 0;
}

static void read_line(struct strace *strace, const char *text)
{
    struct line line;
    if (is_passed_over(text))
        return;
    if (!read_head(text, &line)) {
        rv_import_fault(&strace->import, RV_FAULT_NOT_READ);
        return;
    }
    place_in_time(strace, &line);
    uint32_t thread = thread_of(strace, line.tid);
    rv_event_builder_see_time(strace->import.builder, line.ns);
    if (thread == RV_EVENT_BUILDER_NONE) {
        rv_event_builder_leave_out(strace->import.builder);
        return;
    }
    if (strncmp(line.rest, "<... ", 5) == 0)
        read_resumed(strace, &line, thread);
    else if (strncmp(line.rest, "--- ", 4) == 0 || strncmp(line.rest, "+++ ", 4) == 0)
        read_mark(strace, &line, thread);
    else
        read_call(strace, &line, thread);
}

/* ---- as a format ---- */

static bool is_call(const char *rest)
{
    size_t n = strspn(rest, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return (n && rest[n] == '(') || strncmp(rest, "<... ", 5) == 0 || strncmp(rest, "--- SIG", 7) == 0 ||
           strncmp(rest, "+++ ", 4) == 0;
}

/* A line of a trace made without -r, -t or their like. */
static bool is_without_time(const char *text)
{
    struct line line;
    const char *after = read_thread(text, &line), *rest = after ? after : text;
    return is_call(rest) && (strchr("<-+", *rest) || find_result(rest) || strstr(rest, "<unfinished ...>"));
}

static bool matches(const char *head, size_t n)
{
    char text[1024];
    unsigned n_lines = 0;
    for (const char *at = head, *end; n_lines < HEAD_LINES && (end = memchr(at, '\n', n - (size_t)(at - head)));
         at = end + 1) {
        size_t n_text = (size_t)(end - at) < sizeof text ? (size_t)(end - at) : sizeof text - 1;
        memcpy(text, at, n_text);
        text[n_text] = '\0';
        struct line line;
        if (is_passed_over(text))
            continue;
        if (read_head(text, &line) ? !is_call(line.rest) : !is_without_time(text))
            return false;
        n_lines++;
    }
    return n_lines > 0;
}

static void end_unfinished(struct strace *strace)
{
    for (size_t i = 0; i < strace->n_callers; i++)
        if (strace->callers[i].is_unfinished)
            rv_event_builder_end_thread(strace->import.builder, (uint32_t)i, strace->end_ns);
}

static int step(struct rv_import *import)
{
    for (int i = 0; i < LINES_PER_STEP; i++) {
        char *line;
        size_t n;
        int status = rv_text_reader_line(import->text, &line, &n);
        if (status == 0)
            end_unfinished((struct strace *)import);
        if (status <= 0)
            return status;
        if (!rv_event_builder_has_time(import->builder) && is_without_time(line))
            return rv_err(EBADMSG, "%s: strace text without times: run strace with -r, -tt or -ttt", import->path);
        read_line((struct strace *)import, line);
    }
    return 1;
}

static void fini(struct rv_import *import)
{
    free(((struct strace *)import)->callers);
}

const struct rv_import_format rv_import_strace = {.name = "strace",
                                                  .describe = "strace text",
                                                  .bytes = sizeof(struct strace),
                                                  .is_text = true,
                                                  .matches = matches,
                                                  .step = step,
                                                  .fini = fini};
