/* Names may be known only at the end. The parts that rows share (the thread's numbers, the subroutine's names) are
 * formatted once; a row is put together in the buffer, without a call for each of its fields. */
#include "export/spans.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "export/name_form.h"
#include "export/losses.h"
#include "model/stats.h"
#include "export/text_cache.h"
#include "export/note_words.h"

#define FLUSH_BYTES (1u << 20)
#define MOST_ROW_BYTES 512u /* of the numbers, flags and their words of a row */

/* Of a call's time, the thread ran and did not: with callees, then own. */
enum part { CPU, BLOCKED, RUNNABLE, N_PARTS };
static const char *const TIME_NAMES[2 * N_PARTS] = {"cpu_ns",      "blocked_ns",      "runnable_ns",
                                                    "self_cpu_ns", "self_blocked_ns", "self_runnable_ns"};

struct writer {
    const struct rv_spans_params *params;
    struct rv_text_cache names;
    struct rv_text_buffer thread; /* start of the lane's rows */
    struct rv_text_buffer text;
    bool has_arguments, has_times;
    struct rv_stats_lane *own[N_PARTS]; /* of the lane */
};

static void set_thread(struct writer *writer, const struct rv_lane *lane)
{
    writer->thread.n = 0;
    rv_text_buffer_format(
        &writer->thread,
        writer->params->format == RV_SPANS_CSV ? "%u,%u," : "{\"process\":%u,\"thread\":%u,\"depth\":", lane->pid,
        lane->tid);
}

static void add_field(struct writer *writer, struct rv_text_buffer *text, const char *string)
{
    if (writer->params->format == RV_SPANS_CSV)
        rv_text_buffer_add_csv(text, string);
    else
        rv_text_buffer_add_json(text, string);
}

static const struct rv_text_buffer *names_piece(struct writer *writer, uint32_t id)
{
    struct rv_text_buffer *text = rv_text_cache_at(&writer->names, id);
    if (text->n)
        return text;
    bool is_csv = writer->params->format == RV_SPANS_CSV;
    struct rv_subroutine subroutine = rv_subroutines_get(writer->params->subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    rv_text_buffer_add(text, is_csv ? "," : ",\"name\":");
    add_field(writer, text, full);
    rv_text_buffer_add(text, is_csv ? "," : ",\"file\":");
    add_field(writer, text, subroutine.file);
    rv_text_buffer_add(text, is_csv ? "," : ",\"line\":");
    rv_text_buffer_add_u64(text, subroutine.line);
    if (!is_csv)
        rv_add_json_form(text, subroutine.line_form);
    else if (!writer->has_times)
        rv_text_buffer_add(text, ",,,,,,");
    free(full);
    return text;
}

static void add_csv_arguments(struct rv_text_buffer *text, const struct rv_call_arguments *arguments)
{
    struct rv_text_buffer joined = {0};
    for (size_t i = 0; i < arguments->n; i++) {
        rv_text_buffer_add(&joined, i ? ", " : "");
        rv_text_buffer_add(&joined, arguments->arguments[i]);
    }
    rv_text_buffer_add_bytes(&joined, "", 1);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, joined.bytes);
    rv_text_buffer_add(text, ",");
    rv_text_buffer_add_csv(text, arguments->result ? arguments->result : "");
    rv_text_buffer_fini(&joined);
}

static void add_json_arguments(struct rv_text_buffer *text, const struct rv_call_arguments *arguments)
{
    rv_text_buffer_add(text, ",\"args\":[");
    for (size_t i = 0; i < arguments->n; i++) {
        rv_text_buffer_add(text, i ? "," : "");
        rv_text_buffer_add_json(text, arguments->arguments[i]);
    }
    rv_text_buffer_add(text, "]");
    if (!arguments->result)
        return;
    rv_text_buffer_add(text, ",\"result\":");
    rv_text_buffer_add_json(text, arguments->result);
}

/* A call without captured arguments has empty fields as CSV, and none as JSON, where the flags' quotes are closed. */
static void add_arguments(struct writer *writer, const struct rv_lane *lane, const struct rv_span *span)
{
    struct rv_call_arguments arguments;
    const bool is_known = rv_call_arguments_read(&arguments, &lane->texts, writer->params->subroutines, span);
    if (writer->params->format == RV_SPANS_CSV) {
        add_csv_arguments(&writer->text, &arguments);
    } else {
        rv_text_buffer_add(&writer->text, "\"");
        if (is_known)
            add_json_arguments(&writer->text, &arguments);
    }
    rv_call_arguments_fini(&arguments);
}

/* The rest of a part is its callees'. Each span of a lane, in closing order. */
static void find_times(struct writer *writer, const struct rv_lane *lane, const struct rv_span *span,
                       uint64_t times[2][N_PARTS])
{
    const uint64_t all_ns = span->end - span->start;
    const struct rv_state_times off = rv_state_times_sums_between(&lane->stretches, span->start, span->end);
    times[0][CPU] = rv_state_times_cpu_ns(&off, all_ns);
    times[0][BLOCKED] = off.blocked_ns;
    times[0][RUNNABLE] = off.runnable_ns;
    for (int i = 0; i < N_PARTS; i++) {
        struct rv_span part = *span;
        part.start = 0;
        part.end = times[0][i];
        (void)rv_stats_lane_own(writer->own[i], &part, &times[1][i]);
    }
}

/* The words that separate two fields; inline, so that their copies are moves. */
static inline char *put_words(char *at, bool is_csv, const char *csv, const char *json)
{
    return is_csv ? stpcpy(at, csv) : stpcpy(at, json);
}

static char *put_times(char *at, bool is_csv, uint64_t times[2][N_PARTS])
{
    for (int i = 0; i < 2 * N_PARTS; i++) {
        *at++ = ',';
        if (!is_csv) {
            *at++ = '"';
            at = stpcpy(stpcpy(at, TIME_NAMES[i]), "\":");
        }
        at = rv_text_buffer_put_u64(at, times[i / N_PARTS][i % N_PARTS]);
    }
    return at;
}

/* times: NULL: not known */
static void add_row(struct writer *writer, const struct rv_lane *lane, const struct rv_span *span,
                    uint64_t times[2][N_PARTS])
{
    struct rv_text_buffer *text = &writer->text;
    const struct rv_text_buffer *thread = &writer->thread, *names = names_piece(writer, span->id);
    const bool is_csv = writer->params->format == RV_SPANS_CSV;
    char *at = rv_text_buffer_reserve(text, thread->n + names->n + MOST_ROW_BYTES);
    at = mempcpy(at, thread->bytes, thread->n);
    at = rv_text_buffer_put_u64(at, span->depth);
    at = put_words(at, is_csv, ",", ",\"start_ns\":");
    at = rv_text_buffer_put_u64(at, span->start);
    at = put_words(at, is_csv, ",", ",\"duration_ns\":");
    at = rv_text_buffer_put_u64(at, span->end - span->start);
    at = mempcpy(at, names->bytes, names->n);
    if (times)
        at = put_times(at, is_csv, times);
    at = put_words(at, is_csv, ",", ",\"flags\":\"");
    at = stpcpy(at, rv_span_flag_words(span->flags));
    text->n = (size_t)(at - text->bytes);
    if (writer->has_arguments)
        add_arguments(writer, lane, span);
    rv_text_buffer_add(text, is_csv ? "\n" : writer->has_arguments ? "}\n" : "\"}\n");
}

static int write_block(struct writer *writer, const struct rv_lane *lane, const struct rv_spool_block *block, FILE *out)
{
    int result = 0;
    uint64_t times[2][N_PARTS];
    for (uint32_t i = 0; i < block->n && result == 0; i++) {
        if (writer->has_times)
            find_times(writer, lane, &block->spans[i], times);
        if (rv_slice_has_span(&writer->params->part, lane, &block->spans[i]))
            add_row(writer, lane, &block->spans[i], writer->has_times ? times : NULL);
        if (writer->text.n >= FLUSH_BYTES)
            result = rv_text_buffer_flush(&writer->text, out);
    }
    return result;
}

/* block: scratch */
static int write_lane(struct writer *writer, const struct rv_lane *lane, struct rv_spool_block *block, FILE *out)
{
    const struct rv_spool *spool = writer->params->spool;
    uint64_t number = rv_spool_first_block(spool, lane->idx);
    int result = 0;
    set_thread(writer, lane);
    for (int i = 0; i < N_PARTS; i++)
        writer->own[i] = rv_stats_lane_create();
    for (; number && result == 0; number = rv_spool_next_block(spool, lane->idx, number, block)) {
        result = rv_spool_read(spool, number, block);
        if (result == 0)
            result = write_block(writer, lane, block, out);
        rv_lane_rest(lane);
    }
    for (int i = 0; i < N_PARTS; i++)
        rv_stats_lane_destroy(writer->own[i]);
    return result;
}

static int write_rows(struct writer *writer, FILE *out)
{
    struct rv_spool_block *block = rv_alloc(1, sizeof *block);
    size_t n;
    struct rv_lane **lanes = rv_lanes_take_by_thread(writer->params->lanes, &n);
    int result = 0;
    for (size_t i = 0; i < n && result == 0; i++)
        if (rv_slice_has_lane(&writer->params->part, lanes[i]))
            result = write_lane(writer, lanes[i], block, out);
    free(lanes);
    free(block);
    return result;
}

static bool has_arguments(const struct rv_lanes *lanes)
{
    bool has = false;
    for (size_t i = 0; i < rv_lanes_n(lanes) && !has; i++)
        has = rv_lanes_get(lanes, i)->texts.n != 0;
    return has;
}

static void add_losses(struct rv_text_buffer *text, const struct rv_spans_params *params)
{
    const struct rv_losses *losses = params->losses;
    if (params->format == RV_SPANS_JSON && rv_losses_any(losses)) {
        rv_text_buffer_add(text, "{\"lost\":");
        rv_losses_add_json(text, losses);
        rv_text_buffer_add(text, "}\n");
        return;
    }
    for (enum rv_loss loss = 0; params->format == RV_SPANS_CSV && losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            rv_text_buffer_format(text, "0,0,0,0,0,(lost: %s),,%llu,,,,,,,lost%s\n", rv_loss_words(loss),
                                  (unsigned long long)losses->n[loss], has_arguments(params->lanes) ? ",," : "");
}

static void add_heading(struct writer *writer)
{
    rv_text_buffer_add(&writer->text, "process,thread,depth,start_ns,duration_ns,name,file,line");
    for (int i = 0; i < 2 * N_PARTS; i++)
        rv_text_buffer_format(&writer->text, ",%s", TIME_NAMES[i]);
    rv_text_buffer_add(&writer->text, writer->has_arguments ? ",flags,args,result\n" : ",flags\n");
}

int rv_spans_write(const struct rv_spans_params *params, FILE *out)
{
    struct writer writer = {.params = params,
                            .has_arguments = has_arguments(params->lanes),
                            .has_times = rv_lanes_have_stretches(params->lanes)};
    if (params->format == RV_SPANS_CSV)
        add_heading(&writer);
    int result = write_rows(&writer, out);
    add_losses(&writer.text, params);
    result = rv_text_buffer_finish(&writer.text, out, result);
    rv_text_cache_fini(&writer.names);
    rv_text_buffer_fini(&writer.thread);
    return result;
}
