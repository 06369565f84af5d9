/* Arbitrary bytes as a line of text: it is shaped and drawn, cut at any width, and what is cut is whole. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "glyphs/clusters.h"
#include "glyphs/text_lines.h"
#include "model/short_name.h"

static struct rv_text_lines *lines;
static const struct rv_text_line_style style = {RV_TYPEFACE_TEXT, 13.0f};

/* The leak checker does not see what fontconfig still refers to. */
static void end(void)
{
    rv_text_lines_destroy(lines);
}

static float measure(const void *context, const char *text, size_t n_bytes)
{
    (void)context;
    return rv_text_lines_width(lines, &style, text, n_bytes);
}

static void check_cut(const char *name, float width)
{
    char out[96];
    const struct rv_short_name_room room = {width, measure, rv_cluster_next, NULL};
    if (rv_short_name_fit(name, &room, out, sizeof out) && strlen(out) >= sizeof out)
        abort();
}

static void check_clusters(const char *text, const char *end)
{
    while (text < end) {
        const char *next = rv_cluster_next(text, end);
        if (next <= text || next > end)
            abort();
        text = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!lines) {
        lines = rv_text_lines_create(NULL);
        (void)atexit(end);
    }
    rv_text_lines_begin(lines, 0);
    const struct rv_text_line line = rv_text_lines_get(lines, &style, text, size);
    for (size_t i = 0; i < line.n; i++)
        if (line.glyphs[i].x + line.glyphs[i].width > RV_GLYPH_ATLAS_WIDTH ||
            line.glyphs[i].y + line.glyphs[i].height > RV_GLYPH_ATLAS_HEIGHT)
            abort();
    check_clusters(text, text + size);
    for (float width = 5.0f; width < 200.0f; width *= 2.0f)
        check_cut(text, width);
    free(text);
    return 0;
}
