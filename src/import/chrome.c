/* Chrome Trace Event JSON. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "import/chrome_emitter.h"
#include "import/formats.h"

enum { READ_BYTES = 1 << 16 };

struct chrome {
    struct rv_import import; /* first */
    struct rv_chrome_json *json;
    struct rv_chrome_emitter emitter;
    char bytes[READ_BYTES];
};

/* An array of objects, or an object. */
static bool matches(const char *head, size_t n)
{
    size_t i = n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    char seen[2] = "";
    for (unsigned n_seen = 0; i < n && n_seen < 2; i++)
        if (!strchr(" \t\r\n", head[i]))
            seen[n_seen++] = head[i];
    return (seen[0] == '[' && (seen[1] == '{' || seen[1] == ']' || !seen[1])) ||
           (seen[0] == '{' && (seen[1] == '"' || seen[1] == '}' || !seen[1]));
}

static int begin(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    rv_chrome_emitter_begin(&chrome->emitter, import);
    chrome->json = rv_chrome_json_create(rv_chrome_reader_event, &chrome->emitter.reader);
    return 0;
}

static int step(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    if (chrome->emitter.is_sorted)
        return rv_chrome_emitter_step(&chrome->emitter);
    size_t n;
    char why[160] = "";
    int error = rv_text_reader_read(import->text, chrome->bytes, sizeof chrome->bytes, &n);
    if (!error)
        error = rv_chrome_json_feed(chrome->json, chrome->bytes, n, why, sizeof why);
    if (error && *why)
        rv_err(EBADMSG, "%s: %s", import->path, why);
    if (error && !rv_event_builder_has_time(import->builder))
        return error;
    if (!error && n)
        return 1;
    import->error = error;
    if (!error && rv_chrome_json_is_cut(chrome->json))
        rv_import_fault(import, RV_FAULT_CUT);
    return rv_chrome_emitter_sort(&chrome->emitter);
}

static void fini(struct rv_import *import)
{
    struct chrome *chrome = (struct chrome *)import;
    rv_chrome_json_destroy(chrome->json);
    rv_chrome_emitter_fini(&chrome->emitter);
}

const struct rv_import_format rv_import_chrome = {.name = "chrome",
                                                  .describe = "Chrome Trace Event JSON",
                                                  .bytes = sizeof(struct chrome),
                                                  .is_text = true,
                                                  .matches = matches,
                                                  .begin = begin,
                                                  .step = step,
                                                  .fini = fini};
