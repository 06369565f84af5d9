#include "debugger/console_reply.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rv_console_reply_fail(struct rv_console *console, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    console->has_failed = true;
}

void rv_console_reply_fail_at(struct rv_console *console, uint32_t ring, int error)
{
    rv_console_reply_fail(console, "ring %u: %s", ring, rv_target_error(error));
}

bool rv_console_reply_show(struct rv_console *console, const struct rv_answer *answer)
{
    size_t n_bytes = answer->n_bytes;
    while (n_bytes && answer->text[n_bytes - 1] == '\n')
        n_bytes--;
    if (answer->is_fine)
        printf("%.*s\n", n_bytes ? (int)n_bytes : 2, n_bytes ? answer->text : "ok");
    else
        rv_console_reply_fail(console, "%.*s", (int)n_bytes, n_bytes ? answer->text : "");
    return answer->is_fine;
}

bool rv_console_reply_ask(struct rv_console *console, uint32_t ring, const char *code, const char *argument)
{
    struct rv_answer answer;
    int error = rv_target_ask(console->target, ring, code, argument, RV_CONSOLE_REPLY_NS, &answer);
    bool is_fine = !error && answer.is_fine;
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
    return is_fine;
}

bool rv_console_reply_tell(struct rv_console *console, uint32_t ring, const char *code)
{
    struct rv_answer answer;
    int error = rv_target_ask(console->target, ring, code, "", RV_CONSOLE_REPLY_NS, &answer);
    bool is_fine = !error && answer.is_fine;
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else if (!is_fine)
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
    return is_fine;
}
