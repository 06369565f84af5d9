/* A file's format is recognized by its first bytes; the strictest formats are tried first. */
#include "import/formats.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/vec.h"

#define IMPORT_FORMAT(name) &rv_import_##name,
const struct rv_import_format *const RV_IMPORT_FORMATS[RV_N_IMPORT_FORMATS] = {
#include "import/format_rows.h"
};
#undef IMPORT_FORMAT

const struct rv_import_format *rv_import_format_of(const char *path)
{
    const struct rv_import_format *found = NULL;
    struct stat status;
    if (stat(path, &status) != 0)
        return NULL;
    for (int i = 0; i < RV_N_IMPORT_FORMATS && !found; i++)
        if (RV_IMPORT_FORMATS[i]->matches_path && RV_IMPORT_FORMATS[i]->matches_path(path))
            found = RV_IMPORT_FORMATS[i];
    if (found || !S_ISREG(status.st_mode))
        return found;
    char *head = rv_alloc(RV_IMPORT_HEAD_BYTES, 1);
    size_t n = rv_text_reader_head(path, head, RV_IMPORT_HEAD_BYTES);
    for (int i = 0; i < RV_N_IMPORT_FORMATS && n && !found; i++)
        if (RV_IMPORT_FORMATS[i]->matches && RV_IMPORT_FORMATS[i]->matches(head, n))
            found = RV_IMPORT_FORMATS[i];
    free(head);
    return found;
}
