/* What the console says: answers of threads, and what went wrong. */
#ifndef RV_DEBUGGER_CONSOLE_REPLY_H
#define RV_DEBUGGER_CONSOLE_REPLY_H

#include "debugger/console.h"

#define RV_CONSOLE_REPLY_NS 5000000000u /* a thread has so long to answer */

/* "error: ...": the console has failed. */
__attribute__((format(printf, 2, 3))) void rv_console_reply_fail(struct rv_console *console, const char *format, ...);
void rv_console_reply_fail_at(struct rv_console *console, uint32_t ring, int error);

/* Its text, or "ok" where there is none; false when it is an error, said. */
bool rv_console_reply_show(struct rv_console *console, const struct rv_answer *answer);

/* Ask, and show the answer; tell: without a word where it succeeds. */
bool rv_console_reply_ask(struct rv_console *console, uint32_t ring, const char *code, const char *argument);
bool rv_console_reply_tell(struct rv_console *console, uint32_t ring, const char *code);

#endif
