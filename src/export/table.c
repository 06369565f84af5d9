#include "export/table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/err.h"

enum { LEAST_WIDTH = 40, LAST_COLUMN = 20 /* least width to wrap it in */ };

unsigned rv_table_width(FILE *out)
{
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int rv_table_leave_out(const struct rv_table_group *groups, int n, int others, unsigned width)
{
    int wanted = others, n_left_out = 0;
    for (int i = 0; i < n; i++)
        wanted += groups[i].width;
    while (width && wanted > (int)width && n_left_out < n)
        wanted -= groups[n_left_out++].width;
    return n_left_out;
}

void rv_table_add_left_out(struct rv_text_buffer *text, const struct rv_table_group *groups, int n_left_out)
{
    const char *separator = "";
    for (int i = 0; i < n_left_out; i++) {
        if (!groups[i].width)
            continue;
        rv_text_buffer_format(text, "%s%s", *separator ? separator : "left out for want of room: ", groups[i].name);
        separator = ", ";
    }
    if (*separator)
        rv_text_buffer_add(text, " (all columns: | less -S)\n");
}

/* ---- lines ---- */

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* The place behind n characters of a line, or its end. */
static size_t behind(const char *line, size_t n_bytes, size_t n)
{
    size_t at = 0;
    for (; at < n_bytes; at++)
        if (begins_character(line[at]) && n-- == 0)
            break;
    return at;
}

static size_t count_characters(const char *line, size_t n_bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; i++)
        n += begins_character(line[i]);
    return n;
}

/* Where the last column begins of those that leave room to wrap it. */
static size_t last_column(const char *line, size_t n_bytes, unsigned width)
{
    const size_t most = behind(line, n_bytes, width - LAST_COLUMN);
    size_t at = strspn(line, " ") < most ? strspn(line, " ") : 0;
    for (size_t i = 2; i <= most && i < n_bytes; i++)
        if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ')
            at = i;
    return at;
}

static void add_wrapped(struct rv_text_buffer *out, const char *line, size_t n_bytes, unsigned width)
{
    const size_t column = last_column(line, n_bytes, width), indent = count_characters(line, column) + 2;
    size_t room = width, least = column;
    while (count_characters(line, n_bytes) > room) {
        const size_t most = behind(line, n_bytes, room);
        size_t n = most;
        while (n > least && line[n] != ' ')
            n--;
        n = n > least ? n : most;
        rv_text_buffer_add_bytes(out, line, n);
        rv_text_buffer_format(out, "\n%*s", (int)indent, "");
        n += line[n] == ' ';
        line += n;
        n_bytes -= n;
        room = width - indent;
        least = 0;
    }
    rv_text_buffer_add_bytes(out, line, n_bytes);
}

void rv_table_wrap(struct rv_text_buffer *text, unsigned width)
{
    struct rv_text_buffer wrapped = {0};
    const char *line = text->bytes, *const end = line + text->n;
    while (line < end) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        const size_t n_bytes = (size_t)((line_end ? line_end : end) - line);
        add_wrapped(&wrapped, line, n_bytes, width < LEAST_WIDTH ? LEAST_WIDTH : width);
        rv_text_buffer_add_bytes(&wrapped, "\n", line_end != NULL);
        line += n_bytes + (line_end != NULL);
    }
    rv_text_buffer_fini(text);
    *text = wrapped;
}

static rv_table_add_fn *form_of(const struct rv_table_forms *forms, enum rv_report_format format)
{
    switch (format) {
    case RV_REPORT_TEXT:
        return forms->text;
    case RV_REPORT_CSV:
        return forms->csv;
    case RV_REPORT_JSON:
        return forms->json;
    }
    rv_unreachable();
}

int rv_table_write(const struct rv_table_forms *forms, const void *table, enum rv_report_format format, FILE *out,
                   int error)
{
    struct rv_text_buffer text = {0};
    if (!error)
        form_of(forms, format)(&text, table);
    const unsigned width = format == RV_REPORT_TEXT ? rv_table_width(out) : 0;
    if (width)
        rv_table_wrap(&text, width);
    return rv_text_buffer_finish(&text, out, error);
}
