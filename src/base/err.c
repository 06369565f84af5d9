/*
 * A message is one write(2) of one line, so that lines of several threads and of the tracee do not mix.
 * A message longer than the buffer is cut, never split. errno is kept.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define LINE_BYTES 1024u
#define PREFIX "ringviz: "

static atomic_bool is_verbose_on;

static struct kept { /* written once, by who has counted it */
    atomic_bool is_written;
    char text[LINE_BYTES];
} kept[RV_WARNINGS_KEPT];
static atomic_uint n_kept;

static void write_line(const char *line, size_t n_bytes)
{
    while (n_bytes > 0) {
        ssize_t written = write(STDERR_FILENO, line, n_bytes);
        if (written < 0 && errno != EINTR)
            return;
        if (written > 0) {
            line += written;
            n_bytes -= (size_t)written;
        }
    }
}

/* Names in a message are untrusted: escape everything that a terminal would interpret. */
static size_t escape(char *line, size_t line_bytes, const char *text)
{
    return rv_text_escape(line, line_bytes, text, strlen(text));
}

__attribute__((format(printf, 2, 0))) static void say(int errnum_shown, const char *format, va_list arguments)
{
    char line[LINE_BYTES] = PREFIX, text[LINE_BYTES];
    int saved = errno;
    size_t used = sizeof PREFIX - 1;

    if (vsnprintf(text, sizeof text, format, arguments) > 0)
        used += escape(line + used, LINE_BYTES - 1 - used, text);
    if (errnum_shown) {
        char reason[128];
        snprintf(text, sizeof text, ": %s", strerror_r(errnum_shown, reason, sizeof reason));
        used += escape(line + used, LINE_BYTES - 1 - used, text);
    }
    line[used++] = '\n';
    write_line(line, used);
    errno = saved;
}

int rv_err(int errnum, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(0, format, arguments);
    va_end(arguments);
    return -errnum;
}

int rv_err_sys(const char *format, ...)
{
    int errnum = errno;
    va_list arguments;
    va_start(arguments, format);
    say(errnum, format, arguments);
    va_end(arguments);
    return -errnum;
}

/* Without a lock: a child between fork and exec may warn, too. */
__attribute__((format(printf, 1, 0))) static void keep(const char *format, va_list arguments)
{
    char text[LINE_BYTES];
    unsigned idx = atomic_load_explicit(&n_kept, memory_order_relaxed);
    if (idx >= RV_WARNINGS_KEPT || vsnprintf(text, sizeof text, format, arguments) < 0)
        return;
    idx = atomic_fetch_add_explicit(&n_kept, 1, memory_order_relaxed);
    if (idx >= RV_WARNINGS_KEPT)
        return;
    (void)escape(kept[idx].text, sizeof kept[idx].text, text);
    atomic_store_explicit(&kept[idx].is_written, true, memory_order_release); /* Y1 -> Y2 */
}

const char *rv_warning_kept(unsigned idx)
{
    const bool is_there =
        idx < RV_WARNINGS_KEPT && atomic_load_explicit(&kept[idx].is_written, memory_order_acquire); /* Y2 <- Y1 */
    return is_there ? kept[idx].text : NULL;
}

void rv_warn(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    say(0, format, arguments);
    keep(format, again);
    va_end(again);
    va_end(arguments);
}

void rv_note(const char *format, ...)
{
    va_list arguments;
    if (!atomic_load_explicit(&is_verbose_on, memory_order_relaxed))
        return;
    va_start(arguments, format);
    say(0, format, arguments);
    va_end(arguments);
}

void rv_set_verbose(bool is_verbose)
{
    atomic_store_explicit(&is_verbose_on, is_verbose, memory_order_relaxed);
}

_Noreturn void rv_assert_failed(const char *what, const char *file, int line)
{
    (void)rv_err(0, "%s:%d: broken invariant: %s", file, line, what);
    abort();
}
