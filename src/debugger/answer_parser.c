#include "debugger/answer_parser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "debugger/interleaved_stack.h"

enum { INDENT_BYTES = sizeof RV_INTERLEAVED_STACK_INDENT - 1 };

/* A truncated text ends with "...". */
static void copy(char *out, size_t out_bytes, const char *text, size_t n_bytes)
{
    static const char mark[] = "...";
    bool is_cut = n_bytes > out_bytes - 1;
    size_t n = is_cut ? rv_text_whole(text, n_bytes, out_bytes - sizeof mark) : n_bytes;
    memcpy(out, text, n);
    memcpy(out + n, mark + (is_cut ? 0 : sizeof mark - 1), is_cut ? sizeof mark : 1);
}

static const char *find_last(const char *text, size_t n_bytes, const char *what)
{
    size_t n = strlen(what);
    for (size_t i = n_bytes; i >= n; i--)
        if (memcmp(text + i - n, what, n) == 0)
            return text + i - n;
    return NULL;
}

/* Arguments may contain anything, so parse from the end. */
void rv_answer_parser_read_frame(struct rv_debug_session_frame *frame, const char *text, size_t n_bytes)
{
    static const char at_text[] = " at ", line_text[] = " line ";
    const bool is_numbered = *text == '#';
    const char *call = memchr(text, ' ', n_bytes), *line = find_last(text, n_bytes, line_text);
    const char *at = line ? find_last(text, (size_t)(line - text), at_text) : NULL;
    const char *begin = !is_numbered ? text + INDENT_BYTES : call ? call + 1 : text, *end = at ? at : text + n_bytes;
    *frame = (struct rv_debug_session_frame){.number = is_numbered ? (uint32_t)strtoul(text + 1, NULL, 10)
                                                                   : RV_DEBUG_SESSION_UNNUMBERED};
    if (end > begin)
        copy(frame->call, sizeof frame->call, begin, (size_t)(end - begin));
    if (!at)
        return;
    const char *file = at + sizeof at_text - 1;
    copy(frame->file, sizeof frame->file, file, (size_t)(line - file));
    frame->line = (uint32_t)strtoul(line + sizeof line_text - 1, NULL, 10);
}

void rv_answer_parser_read_stack(struct rv_debug_session_report *report, const char *text)
{
    report->n_frames = 0;
    report->has_more_frames = false;
    memset(report->frames, 0, sizeof report->frames);
    while (text && *text) {
        size_t n_bytes = strcspn(text, "\n");
        report->has_more_frames = report->n_frames == RV_DEBUG_SESSION_FRAMES;
        if (report->has_more_frames)
            return;
        if (*text == '#' || strncmp(text, RV_INTERLEAVED_STACK_INDENT, INDENT_BYTES) == 0)
            rv_answer_parser_read_frame(&report->frames[report->n_frames++], text, n_bytes);
        text += n_bytes + (text[n_bytes] == '\n');
    }
}

void rv_answer_parser_read_breaks(struct rv_debug_session_report *report, const char *text)
{
    report->n_breaks = 0;
    memset(report->breaks, 0, sizeof report->breaks);
    while (text && *text && report->n_breaks < RV_DEBUG_SESSION_BREAKS) {
        size_t n_bytes = strcspn(text, "\n");
        char *end;
        uint32_t number = (uint32_t)strtoul(text, &end, 10);
        if (isdigit((unsigned char)*text) && *end == ' ') {
            struct rv_debug_session_break *point = &report->breaks[report->n_breaks++];
            point->number = number;
            copy(point->where, sizeof point->where, end + 1, n_bytes - (size_t)(end + 1 - text));
        }
        text += n_bytes + (text[n_bytes] == '\n');
    }
}

void rv_answer_parser_copy(char *out, size_t out_bytes, const char *text)
{
    size_t n_bytes = strlen(text);
    while (n_bytes && text[n_bytes - 1] == '\n')
        n_bytes--;
    copy(out, out_bytes, text, n_bytes);
}
