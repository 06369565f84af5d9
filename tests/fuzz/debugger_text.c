/* Arbitrary text as a thread's answer, stack and breakpoints: the report's fields are cut and terminated. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/answer_parser.h"

static void check(const char *text, size_t capacity)
{
    if (strnlen(text, capacity) == capacity)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static struct rv_debug_session_report report;
    char *text = malloc(n_bytes + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, n_bytes);
    text[n_bytes] = '\0';
    rv_answer_parser_read_stack(&report, text);
    rv_answer_parser_read_breaks(&report, text);
    rv_answer_parser_copy(report.why, sizeof report.why, text);
    check(report.why, sizeof report.why);
    if (report.n_frames > RV_DEBUG_SESSION_FRAMES || report.n_breaks > RV_DEBUG_SESSION_BREAKS)
        abort();
    for (uint32_t i = 0; i < report.n_frames; i++) {
        check(report.frames[i].call, sizeof report.frames[i].call);
        check(report.frames[i].file, sizeof report.frames[i].file);
    }
    for (uint32_t i = 0; i < report.n_breaks; i++)
        check(report.breaks[i].where, sizeof report.breaks[i].where);
    free(text);
    return 0;
}
