/* A file's format is recognized by its first bytes; the strictest formats are tried first. */
#include "import/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"

static const struct rv_import_format *const FORMATS[] = {
    &rv_import_cpuprofile, &rv_import_firefox,    &rv_import_stackprof, &rv_import_speedscope,
    &rv_import_chrome,     &rv_import_strace,     &rv_import_perf,      &rv_import_folded,
    &rv_import_uftrace,    &rv_import_ringbuffer, &rv_import_rrtrace,   &rv_import_perl};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

const struct rv_import_format *rv_import_format_named(const char *name)
{
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(FORMATS[i]->name, name) == 0)
            return FORMATS[i];
    return NULL;
}

void rv_import_format_names(char *out, size_t out_bytes, const char *separator)
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < N_FORMATS && used < out_bytes; i++)
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i ? separator : "", FORMATS[i]->name);
}

const struct rv_import_format *rv_import_format_of(const char *path)
{
    const struct rv_import_format *found = NULL;
    struct stat status;
    if (stat(path, &status) != 0)
        return NULL;
    for (int i = 0; i < N_FORMATS && !found; i++)
        if (FORMATS[i]->matches_path && FORMATS[i]->matches_path(path))
            found = FORMATS[i];
    if (found || !S_ISREG(status.st_mode))
        return found;
    char *head = rv_alloc(RV_IMPORT_HEAD_BYTES, 1);
    size_t n = rv_text_reader_head(path, head, RV_IMPORT_HEAD_BYTES);
    for (int i = 0; i < N_FORMATS && n && !found; i++)
        if (FORMATS[i]->matches && FORMATS[i]->matches(head, n))
            found = FORMATS[i];
    free(head);
    return found;
}
