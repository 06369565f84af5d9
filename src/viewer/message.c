#include "viewer/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define SHOWN_NS UINT64_C(5000000000)

__attribute__((format(printf, 3, 0))) static void set(struct rv_message *message, bool is_warning, const char *format,
                                                      va_list arguments)
{
    (void)vsnprintf(message->text, sizeof message->text, format, arguments);
    message->is_warning = is_warning;
    message->until_ns = rv_clock_mono_ns() + SHOWN_NS;
}

void rv_message_show(struct rv_message *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(message, false, format, arguments);
    va_end(arguments);
}

void rv_message_warn(struct rv_message *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(message, true, format, arguments);
    va_end(arguments);
}

void rv_message_written(struct rv_message *message, const char *path, int error)
{
    if (error)
        rv_message_warn(message, "%s: %s", path, strerror(-error));
    else
        rv_message_show(message, "%s written", path);
}

bool rv_message_expire(struct rv_message *message, uint64_t now_ns)
{
    if (!message->text[0] || now_ns < message->until_ns)
        return false;
    *message = (struct rv_message){.until_ns = 0};
    return true;
}
