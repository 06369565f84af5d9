/* The formats that can be imported. */
#ifndef RV_IMPORT_FORMATS_H
#define RV_IMPORT_FORMATS_H

#include "import/import.h"

/* Bytes of a decompressed file that are used to recognize its format. */
#define RV_IMPORT_HEAD_BYTES 65536u

/* The format with this --import name, or NULL. */
const struct rv_import_format *rv_import_format_named(const char *name);

/* Write the formats' names, joined by a separator. */
void rv_import_format_names(char *out, size_t out_bytes, const char *separator);

/* The format of a file or folder, or NULL. Prints nothing. */
const struct rv_import_format *rv_import_format_of(const char *path);

extern const struct rv_import_format rv_import_chrome, rv_import_cpuprofile, rv_import_firefox, rv_import_folded,
    rv_import_perf, rv_import_perl, rv_import_ringbuffer, rv_import_rrtrace, rv_import_speedscope, rv_import_stackprof,
    rv_import_strace, rv_import_uftrace;

#endif
