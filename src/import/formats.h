/* The formats that can be imported. */
#ifndef RV_IMPORT_FORMATS_H
#define RV_IMPORT_FORMATS_H

#include "import/import.h"

/* Bytes of a decompressed file that are used to recognize its format. */
#define RV_IMPORT_HEAD_BYTES 65536u

#define IMPORT_FORMAT(name) RV_IMPORT_FORMAT_##name,
enum {
#include "import/format_rows.h"
    RV_N_IMPORT_FORMATS
};
#undef IMPORT_FORMAT

/* In the order of the words of --import, which is that in which they are tried. */
extern const struct rv_import_format *const RV_IMPORT_FORMATS[RV_N_IMPORT_FORMATS];

/* The format of a file or folder, or NULL. Prints nothing. */
const struct rv_import_format *rv_import_format_of(const char *path);

#define IMPORT_FORMAT(name) extern const struct rv_import_format rv_import_##name;
#include "import/format_rows.h"
#undef IMPORT_FORMAT

#endif
