/* Output of the console: threads' answers and errors. */
#ifndef RV_DEBUGGER_CONSOLE_REPLY_H
#define RV_DEBUGGER_CONSOLE_REPLY_H

#include "debugger/console.h"

#define RV_CONSOLE_REPLY_NS 5000000000u /* timeout of a thread's answer */

/* Print "error: ..." and record the failure. */
__attribute__((format(printf, 2, 3))) void rv_console_reply_fail(struct rv_console *console, const char *format, ...);
void rv_console_reply_fail_at(struct rv_console *console, uint32_t ring, int error);

/* Print its text or "ok"; false when it is an error, which is printed. */
bool rv_console_reply_show(struct rv_console *console, const struct rv_answer *answer);

/* Send a command and show the answer; tell: print nothing on success. */
bool rv_console_reply_ask(struct rv_console *console, uint32_t ring, const char *code, const char *argument);
bool rv_console_reply_tell(struct rv_console *console, uint32_t ring, const char *code);

#endif
