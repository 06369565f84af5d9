/*
 * Another tool's trace as a source: common code of all importers. An importer is one file that reads its format step by
 * step and passes events to the event builder; opening, ending, progress, faults and names are here.
 */
#ifndef RV_IMPORT_IMPORT_H
#define RV_IMPORT_IMPORT_H

#include <sys/types.h>

#include "import/event_builder.h"
#include "import/json_parser.h"
#include "import/text_reader.h"
#include "source/source.h"

/*
 * Faults in the input that are tolerated. An importer counts them; each kind is reported once at the end. The format's
 * policy for each is in ringviz-formats(7).
 */
enum rv_fault {
    RV_FAULT_NOT_READ,      /* an entry of an unknown kind or form */
    RV_FAULT_END_ALONE,     /* an end without its beginning: left out */
    RV_FAULT_END_MISPLACED, /* an end of a call in which others are still open */
    RV_FAULT_END_MISSING,   /* a call without an end, whose caller has one: it ends with its caller */
    RV_FAULT_OVERLAP,       /* calls that overlap without nesting: on rows of their own */
    RV_FAULT_NO_TIME,       /* an event without a time: left out */
    RV_FAULT_BEFORE_ZERO,   /* a negative time: taken as 0 */
    RV_FAULT_NO_FRAME,      /* a sample whose frame, or one of its callers, is not in the trace */
    RV_FAULT_NO_ROOM,       /* more calls at once, asynchronous or overlapping, than there are rows */
    RV_FAULT_LOST,          /* events lost according to the tool itself */
    RV_FAULT_COPY,          /* a copy of the program, of which events may be missing */
    RV_FAULT_WHOSE,         /* an event without its thread while several ran */
    RV_FAULT_CUT,           /* the file is truncated */
    RV_FAULT_COUNT
};

struct rv_import;

struct rv_import_params {
    const char *path;                 /* of a file, folder or shared memory object; copied */
    struct rv_capture_filter *filter; /* borrowed until close, or NULL */
};

/* A format. Listed in import/format_rows.h. */
struct rv_import_format {
    const char *name;     /* name for --import */
    const char *describe; /* name in messages */
    size_t bytes;         /* of the importer's struct, whose first member is a struct rv_import */
    bool is_text;         /* read through import->text */
    /* Does a file with these first bytes look like one? n <= RV_IMPORT_HEAD_BYTES, decompressed. NULL = not
     * recognized so. */
    bool (*matches)(const char *head, size_t n);
    /* The same for a folder, or by a file's size. NULL = not recognized so. */
    bool (*matches_path)(const char *path);
    /* Begin; NULL = nothing to do. 0, or a negative errno with one line printed. */
    int (*begin)(struct rv_import *import);
    /* Read more: about a millisecond's work. 1: there is more; 0: the end, or, if is_live, nothing now; a negative
     * errno with one line printed: events so far are kept. */
    int (*step)(struct rv_import *import);
    /* Live formats only: has the writer ended? */
    bool (*has_ended)(struct rv_import *import);
    /* The user has requested the end; NULL = nothing to do. */
    void (*stop)(struct rv_import *import);
    /* As rv_source.heeds; NULL = every signal. */
    bool (*heeds)(const struct rv_import *import, pid_t sender);
    void (*fini)(struct rv_import *import); /* of a begun or half-begun one; NULL = nothing to free */
};

struct rv_import {
    struct rv_source source; /* first: an import is its source */
    const struct rv_import_format *format;
    char *path;
    struct rv_event_builder *builder;
    struct rv_text_reader *text; /* is_text */
    uint64_t faults[RV_FAULT_COUNT];
    bool has_ended, shows_progress;
    int error; /* error that ended it, already printed */
    uint64_t said_ns;
    unsigned said_percent;
};

/*
 * Open and read up to the first event, so that files that are no trace fail here. NULL with one line printed. The
 * caller owns the source and closes it.
 */
struct rv_source *rv_import_open(const struct rv_import_format *format, const struct rv_import_params *params);

/* Count a fault. */
static inline void rv_import_fault(struct rv_import *import, enum rv_fault fault)
{
    import->faults[fault]++;
}

/* ---- what text importers share ---- */

/* n bytes as a text; not copied. */
static inline struct rv_event_builder_text rv_import_text(const char *bytes, size_t n)
{
    return (struct rv_event_builder_text){bytes, n};
}

/* A terminated string, or NULL for none. */
struct rv_event_builder_text rv_import_string(const char *string);

/*
 * A decimal number with a fraction and perhaps an exponent, times 10^scale, rounded to a whole number: "12.345" at
 * scale 9 is 12,345,000,000. Reads up to n bytes; *end, where not NULL, is where it stopped. False when there is no
 * number or it does not fit.
 */
bool rv_import_decimal(const char *text, size_t n, int scale, int64_t *value, const char **end);

/* The same for the n bytes of a JSON value; -1 when there is no number. */
int64_t rv_import_number(const char *bytes, size_t n, int scale);

/* Replace an allocated string, or NULL, by n bytes. */
void rv_import_replace(char **string, const char *bytes, size_t n);

/* ns + delta_ns; ns when that does not fit. */
int64_t rv_import_later_ns(int64_t ns, int64_t delta_ns);

/* The one thread of a profile that names none; its process has the file's name. Returns its number. */
uint32_t rv_import_only_thread(struct rv_import *import, const char *name);

/*
 * Parse the next piece of the text as JSON. At its end, a missing bracket is a fault.
 *   returns  1: there is more; 0: the end; a negative errno with one line printed
 */
int rv_import_read_json(struct rv_import *import, struct rv_json *json);

#endif
