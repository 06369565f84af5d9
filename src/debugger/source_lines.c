#include "debugger/source_lines.h"

#include <string.h>

#include "debugger/source_text.h"

_Static_assert(RV_SOURCE_LINES_BYTES == RV_SOURCE_TEXT_LINE_BYTES, "the same lines");

void rv_source_lines_read_from(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t first)
{
    struct rv_source_text source = {.text = NULL};
    memset(listing, 0, sizeof *listing);
    if (first)
        rv_source_text_read(&source, pid, path);
    listing->first = source.text ? first : 0;
    while (listing->n < RV_SOURCE_LINES_LINES && listing->first + listing->n <= source.n_lines && source.text) {
        (void)rv_source_text_line(&source, first + listing->n, listing->lines[listing->n]);
        listing->n++;
    }
    rv_source_text_fini(&source);
}

void rv_source_lines_read(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t line)
{
    rv_source_lines_read_from(listing, pid, path,
                              line > RV_SOURCE_LINES_LINES / 2 ? line - RV_SOURCE_LINES_LINES / 2 : line > 0);
    if (listing->first + listing->n <= line)
        memset(listing, 0, sizeof *listing);
}
