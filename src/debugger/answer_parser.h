/* Parses threads' answers for a session's report. Accepts any text. */
#ifndef RV_DEBUGGER_ANSWER_PARSER_H
#define RV_DEBUGGER_ANSWER_PARSER_H

#include "debugger/session.h"

/* "#0 main::f(2) at x.pl line 3", of n bytes; or without a number, as debugger/interleaved_stack.h has it. */
void rv_answer_parser_read_frame(struct rv_debug_session_frame *frame, const char *text, size_t n_bytes);

/* The frames of a stack, a line each; other lines are ignored. NULL = none. */
void rv_answer_parser_read_stack(struct rv_debug_session_report *report, const char *text);

/* The list of breakpoints: "1 main::f", a line each; other lines are ignored. NULL = none. */
void rv_answer_parser_read_breaks(struct rv_debug_session_report *report, const char *text);

/* Copy a text without the newlines at its end; truncated between characters, with "..." at the end. */
void rv_answer_parser_copy(char *out, size_t out_bytes, const char *text);

#endif
