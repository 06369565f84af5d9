/*
 * One turn of an import is a few steps of its format. The end flushes, closes every stream and prints one line about
 * faults in the input.
 */
#include "import/import.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

enum { STEPS_PER_TURN = 16, PATH_BYTES = 1024 /* as displayed */ };
static const uint64_t PROGRESS_AFTER_NS = 500000000, PROGRESS_EVERY_NS = 100000000;
static const uint64_t LIVE_NAP_NS = 2000000;

/* ---- messages ---- */

static void clear_progress(struct rv_import *import)
{
    if (import->said_percent)
        fputs("\r\033[K", stderr);
    import->said_percent = 0;
}

static void print_progress(struct rv_import *import)
{
    uint64_t now_ns = rv_clock_mono_ns();
    if (!import->text || !import->shows_progress || now_ns - import->said_ns < PROGRESS_EVERY_NS)
        return;
    unsigned percent = (unsigned)(100 * rv_text_reader_share(import->text));
    if (percent == import->said_percent)
        return;
    char path[PATH_BYTES];
    (void)rv_text_escape(path, sizeof path, import->path, strlen(import->path));
    fprintf(stderr, "\rringviz: %s: %u %% read\033[K", path, percent);
    import->said_percent = percent;
    import->said_ns = now_ns;
}

/* Describe the faults; empty if there are none. */
static void describe_faults(const struct rv_import *import, char *line, size_t line_bytes)
{
    static const struct {
        const char *one, *many;
    } what[RV_FAULT_COUNT] = {
        [RV_FAULT_NOT_READ] = {"entry not understood", "entries not understood"},
        [RV_FAULT_END_ALONE] = {"end without a beginning left out", "ends without a beginning left out"},
        [RV_FAULT_END_MISPLACED] = {"end of a call in which others were open",
                                    "ends of calls in which others were open"},
        [RV_FAULT_END_MISSING] = {"call without an end, ended with its caller",
                                  "calls without an end, ended with their callers"},
        [RV_FAULT_OVERLAP] = {"call overlaps without nesting, on a row of its own",
                              "calls overlap without nesting, on rows of their own"},
        [RV_FAULT_NO_TIME] = {"event without a time left out", "events without a time left out"},
        [RV_FAULT_BEFORE_ZERO] = {"event before time 0 taken as at 0", "events before time 0 taken as at 0"},
        [RV_FAULT_NO_FRAME] = {"sample of a stack that the trace does not have",
                               "samples of stacks that the trace does not have"},
        [RV_FAULT_NO_ROOM] = {"asynchronous or overlapping call beyond the rows there are left out",
                              "asynchronous or overlapping calls beyond the rows there are left out"},
        [RV_FAULT_LOST] = {"loss that the trace itself reports", "losses that the trace itself reports"},
        [RV_FAULT_COPY] = {"forked copy of the program, in which the gem writes no more once its ring is full",
                           "forked copies of the program, in which the gem writes no more once its ring is full"},
        [RV_FAULT_WHOSE] = {"event while Ractors ran side by side, taken for the main one's",
                            "events while Ractors ran side by side, all taken for the main one's"},
        [RV_FAULT_CUT] = {"truncated: read as far as it goes", "truncated: read as far as it goes"},
    };
    *line = '\0';
    size_t used = 0;
    for (int i = 0; i < RV_FAULT_COUNT && used < line_bytes; i++) {
        const char *comma = used ? ", " : "";
        if (import->faults[i] && i == RV_FAULT_CUT)
            used += (size_t)snprintf(line + used, line_bytes - used, "%s%s", comma, what[i].one);
        else if (import->faults[i])
            used += (size_t)snprintf(line + used, line_bytes - used, "%s%llu %s", comma,
                                     (unsigned long long)import->faults[i],
                                     rv_units_word(import->faults[i], what[i].one, what[i].many));
    }
    uint64_t n_left_out = rv_event_builder_n_left_out(import->builder);
    if (n_left_out && used < line_bytes)
        snprintf(line + used, line_bytes - used, "%s%llu event%s beyond %u threads or %u calls deep left out",
                 used ? ", " : "", (unsigned long long)n_left_out, rv_units_word(n_left_out, "", "s"),
                 RV_EVENT_BUILDER_THREADS, RV_EVENT_BUILDER_DEPTH);
}

/* Report the faults, once, at the end. If a complete file gave no events, they are the reason of an error. */
static void print_faults(struct rv_import *import, bool is_stopped)
{
    char line[600];
    describe_faults(import, line, sizeof line);
    bool is_whole = !import->error && !is_stopped && !import->format->has_ended;
    if (is_whole && rv_event_builder_is_empty(import->builder))
        import->error = rv_err(EBADMSG, "%s: nothing to show%s%s", import->path, *line ? ": " : "", line);
    else if (*line)
        rv_warn("%s: %s", import->path, line);
}

/* ---- as a source ---- */

static void finish(struct rv_import *import, bool is_stopped)
{
    if (import->text && rv_text_reader_is_cut(import->text))
        import->faults[RV_FAULT_CUT] = 1;
    rv_event_builder_close(import->builder);
    clear_progress(import);
    print_faults(import, is_stopped);
}

static enum rv_source_status run_turn(struct rv_import *import, bool is_stopping)
{
    bool is_live = import->format->has_ended != NULL;
    bool is_last = is_live && (is_stopping || import->format->has_ended(import)); /* checked before the last read */
    if (is_stopping && import->format->stop)
        import->format->stop(import);
    int status = 1;
    for (int i = 0; i < STEPS_PER_TURN && status > 0 && !import->has_ended && (is_live || !is_stopping); i++)
        status = import->format->step(import);
    if (status < 0)
        import->error = status;
    if (status < 0 || is_stopping || import->has_ended || (status == 0 && (is_last || !is_live)))
        return RV_SOURCE_ENDED;
    return status == 0 ? RV_SOURCE_IDLE : RV_SOURCE_MOVED;
}

static enum rv_source_status poll_import(struct rv_source *source, const struct rv_intake *intake)
{
    struct rv_import *import = (struct rv_import *)source;
    rv_event_builder_begin(import->builder, intake);
    bool is_stopping = intake->is_stopping(intake->context);
    enum rv_source_status status = run_turn(import, is_stopping);
    if (status == RV_SOURCE_ENDED)
        finish(import, is_stopping);
    else if (import->format->has_ended)
        rv_event_builder_flush(import->builder);
    else
        print_progress(import);
    rv_event_builder_end(import->builder);
    return status;
}

static void nap_import(struct rv_source *source)
{
    if (((struct rv_import *)source)->format->has_ended)
        rv_os_sleep_ns(LIVE_NAP_NS);
}

/* The event builder defines names together with the events that use them. */
static void resolve_import(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source, (void)intake, (void)is_final;
}

static void losses_of_import(const struct rv_source *source, struct rv_losses *losses)
{
    const struct rv_import *import = (const struct rv_import *)source;
    static const int lossy[] = {RV_FAULT_NOT_READ, RV_FAULT_END_ALONE, RV_FAULT_END_MISPLACED,
                                RV_FAULT_NO_TIME,  RV_FAULT_NO_FRAME,  RV_FAULT_NO_ROOM,
                                RV_FAULT_LOST,     RV_FAULT_COPY,      RV_FAULT_CUT};
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; i++)
        losses->n[RV_LOSS_RECORDS_LEFT_OUT] += import->faults[lossy[i]];
    losses->n[RV_LOSS_RECORDS_LEFT_OUT] += rv_event_builder_n_left_out(import->builder);
}

static int error_of_import(const struct rv_source *source)
{
    return ((const struct rv_import *)source)->error;
}

static bool heeds_import(const struct rv_source *source, pid_t sender)
{
    const struct rv_import *import = (const struct rv_import *)source;
    return !import->format->heeds || import->format->heeds(import, sender);
}

static void close_import(struct rv_source *source)
{
    struct rv_import *import = (struct rv_import *)source;
    if (import->format->fini)
        import->format->fini(import);
    rv_text_reader_close(import->text);
    rv_event_builder_destroy(import->builder);
    free(import->path);
    free(import);
}

/* Read up to the first event, whose time determines the origin. */
static int read_first(struct rv_import *import)
{
    int status = 1;
    while (status > 0 && !rv_event_builder_has_time(import->builder))
        status = import->format->step(import);
    import->has_ended = status == 0 && !import->format->has_ended;
    if (import->has_ended && import->text && rv_text_reader_is_empty(import->text))
        return rv_err(EBADMSG, "%s: empty", import->path);
    if (import->has_ended && import->faults[RV_FAULT_NOT_READ] && !rv_event_builder_has_time(import->builder))
        return rv_err(EBADMSG, "%s: not %s", import->path, import->format->describe);
    if (import->has_ended && !rv_event_builder_has_time(import->builder))
        return rv_err(EBADMSG, "%s: nothing to show", import->path);
    rv_event_builder_date(import->builder, &import->source);
    return status < 0 ? status : 0;
}

struct rv_source *rv_import_open(const struct rv_import_format *format, const struct rv_import_params *params)
{
    struct rv_import *import = rv_alloc(1, format->bytes);
    import->source = (struct rv_source){.poll = poll_import,
                                        .nap = nap_import,
                                        .resolve = resolve_import,
                                        .error = error_of_import,
                                        .heeds = heeds_import,
                                        .losses = losses_of_import,
                                        .close = close_import};
    import->format = format;
    import->path = rv_strdup(params->path);
    import->builder = rv_event_builder_create(params->filter);
    import->shows_progress = isatty(STDERR_FILENO);
    import->said_ns = rv_clock_mono_ns() + PROGRESS_AFTER_NS - PROGRESS_EVERY_NS;
    int error = 0;
    if (format->is_text && !(import->text = rv_text_reader_open(params->path)))
        error = -EINVAL;
    if (!error && format->begin)
        error = format->begin(import);
    if (!error)
        error = read_first(import);
    if (!error)
        return &import->source;
    close_import(&import->source);
    return NULL;
}

/* ---- text ---- */

struct rv_event_builder_text rv_import_string(const char *string)
{
    return (struct rv_event_builder_text){string, string ? strlen(string) : 0};
}

/* Fallback for long numbers or exponents: inexact. */
static bool decimal_by_double(const char *text, size_t n, int scale, int64_t *value)
{
    char copy[64];
    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    double number = strtod(copy, NULL) * pow(10, scale);
    if (!(fabs(number) < 9e18))
        return false;
    *value = (int64_t)llrint(number);
    return true;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Parse digits and a point to a multiple of 10^-scale. Returns the bytes used, 0 if not a number. */
static size_t read_digits(const char *text, size_t n, int scale, int64_t *value)
{
    size_t i = 0, n_digits = 0;
    int n_fraction = 0;
    bool has_point = false, has_overflow = false;
    for (*value = 0; i < n && (is_digit(text[i]) || (text[i] == '.' && !has_point)); i++) {
        if (text[i] == '.') {
            has_point = true;
            continue;
        }
        n_digits++;
        if (n_fraction < scale || !has_point)
            has_overflow |=
                __builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, text[i] - '0', value);
        else if (n_fraction == scale && text[i] >= '5') /* round at the first dropped digit */
            has_overflow |= __builtin_add_overflow(*value, 1, value);
        n_fraction += has_point;
    }
    for (; n_fraction < scale; n_fraction++)
        has_overflow |= __builtin_mul_overflow(*value, 10, value);
    return n_digits && !has_overflow ? i : 0;
}

bool rv_import_decimal(const char *text, size_t n, int scale, int64_t *value, const char **end)
{
    size_t n_sign = n && (text[0] == '-' || text[0] == '+');
    size_t n_number = read_digits(text + n_sign, n - n_sign, scale, value);
    size_t at = n_sign + n_number;
    if (end)
        *end = text + at;
    if (at + 1 < n && (text[at] | 32) == 'e') {
        size_t n_all = at + 1;
        while (n_all < n && (is_digit(text[n_all]) || text[n_all] == '-' || text[n_all] == '+'))
            n_all++;
        if (end)
            *end = text + n_all;
        return n_number && decimal_by_double(text, n_all, scale, value);
    }
    if (n_number && n_sign && text[0] == '-')
        *value = -*value;
    return n_number > 0;
}

int64_t rv_import_number(const char *bytes, size_t n, int scale)
{
    int64_t value;
    return rv_import_decimal(bytes, n, scale, &value, NULL) ? value : -1;
}

void rv_import_replace(char **string, const char *bytes, size_t n)
{
    free(*string);
    *string = rv_strndup(bytes, n);
}

int64_t rv_import_later_ns(int64_t ns, int64_t delta_ns)
{
    int64_t sum_ns;
    return __builtin_add_overflow(ns, delta_ns, &sum_ns) ? ns : sum_ns;
}

uint32_t rv_import_only_thread(struct rv_import *import, const char *name)
{
    char *path = rv_strdup(import->path);
    uint32_t process = rv_event_builder_process(import->builder, 0);
    uint32_t thread = rv_event_builder_thread(import->builder, process, 0, 0);
    rv_event_builder_name_process(import->builder, process, rv_import_string(basename(path)));
    rv_event_builder_name_thread(import->builder, thread, rv_import_string(name));
    free(path);
    return thread;
}

int rv_import_read_json(struct rv_import *import, struct rv_json *json)
{
    char bytes[1 << 16], why[160] = "";
    size_t n;
    int error = rv_text_reader_read(import->text, bytes, sizeof bytes, &n);
    if (!error && n)
        error = rv_json_feed(json, bytes, n, why, sizeof why);
    if (error && *why)
        rv_err(EBADMSG, "%s: %s", import->path, why);
    if (!error && n == 0 && !rv_json_has_ended(json))
        rv_import_fault(import, RV_FAULT_CUT);
    return error ? error : n > 0;
}
