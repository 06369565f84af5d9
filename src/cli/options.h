/* The command line, parsed. Every option is in option_rows.h. */
#ifndef RV_CLI_OPTIONS_H
#define RV_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/option_lookup.h"
#include "model/color.h"
#include "model/filter.h"
#include "ring/map.h"
#include "render/view_mode.h"
#include "export/export.h"
#include "export/group_by.h"
#include "export/report.h"
#include "sink/record_limit.h"
#include "export/spans.h"
#include "import/formats.h"

enum { RV_OPTIONS_MAX_EXPORTS = 8, RV_OPTIONS_PROTOTYPES = 16, RV_OPTIONS_FUNCTIONS = 16 };
#define RV_OPTIONS_PATCH_BYTES 4096u /* as a patcher takes at most */

struct rv_export_option {
    enum rv_export_kind kind;
    const char *path;
};

enum rv_row_order { RV_ROWS_BY_TIME, RV_ROWS_LONGEST_FIRST };

enum rv_states { RV_STATES_ON, RV_STATES_OWN /* but not who else of the machine wakes the threads */, RV_STATES_OFF };

enum rv_follow { RV_FOLLOW_LATER /* processes that are started while it is traced */, RV_FOLLOW_NONE, RV_FOLLOW_ALL };

struct rv_options {
    enum rv_option_command command;
    bool is_given[RV_N_OPTIONS];                  /* by rv_options_has() */
    const char *help_topic;                       /* with RV_COMMAND_HELP; NULL = all */
    const char *file;                             /* a trace file to watch; NULL with argv */
    const struct rv_import_format *import_format; /* --import; NULL = recognized by content */
    const char *const *files;                     /* all files given; file is the first of them */
    size_t n_files;
    const char *const *argv; /* COMMAND ARG..., NULL-terminated; NULL with file */
    /* output */
    bool is_headless, has_report, has_lines, is_json, is_verbose;
    bool has_page; /* --report=html: the last export */
    bool has_arcs; /* of --waits */
    enum rv_report_format report_format;
    struct rv_group_by_key group_by; /* --group-by */
    bool has_diff_window;            /* --diff=window */
    enum rv_spans_format spans_format;
    const char *output; /* NULL = stdout */
    struct rv_export_option exports[RV_OPTIONS_MAX_EXPORTS];
    size_t n_exports;
    bool fails_on_loss;  /* status 1 if anything is known to be missing */
    bool is_forced;      /* existing files may be overwritten */
    const char *control; /* with RV_COMMAND_CONTROL: the trace file */
    const char *merge;   /* the recording that files are merged into */
    const char *screenshot;
    const char *frames, *video;          /* a folder of pictures, a video; NULL = none */
    uint32_t fps;                        /* of both */
    double speed;                        /* of time in films, and of a played capture; 0 = not given */
    const char *bench;                   /* "" = all */
    const char *repair;                  /* with RV_COMMAND_CHECK: path of the repaired copy; NULL = none */
    const char *record;                  /* NULL: none, or the default name */
    struct rv_record_limit record_limit; /* with a trigger only */
    struct rv_trigger_keep trigger_keep;
    int width_px, height_px;
    enum rv_view_mode look;      /* of the picture, and of the window at first */
    bool aligns_tasks;           /* --align-tasks */
    enum rv_row_order order;     /* --order */
    bool dims;                   /* --dim */
    const char *lanes;           /* --lanes, checked; NULL = none */
    uint32_t most_depth;         /* --crop; 0 = all */
    float turn[2];               /* --turn: radians to the right and up */
    bool has_lock_lanes;         /* --lock-lanes; of the picture, and of the window at first */
    const char *calls_of;        /* of the view of calls: its subroutine; NULL = a sensible one */
    enum rv_color_scheme scheme; /* the same */
    enum rv_color_theme theme;   /* the same */
    uint64_t at_ns;              /* where the picture's window begins, from the first event */
    uint64_t window_ns;          /* 0 = to the end */
    /* --find and --filter */
    const char *find;               /* a regular expression that compiles; NULL = nothing */
    const struct rv_filter *filter; /* --filter */
    uint64_t from_ns, to_ns;        /* from the first event; to_ns 0 = to the end */
    /* capture */
    struct rv_map_params map;
    const char *trace_file, *include, *exclude;
    char patches[RV_OPTIONS_PATCH_BYTES]; /* --patch, -x and --libcalls, as the patcher takes them */
    /* REGEX of each -x without a library: their arguments are captured by DWARF */
    const char *functions[RV_OPTIONS_FUNCTIONS];
    size_t n_functions;
    const char *prototypes[RV_OPTIONS_PROTOTYPES]; /* --prototypes, as often as it was given */
    size_t n_prototypes;                           /* 0: arguments are not captured */
    const char *syscalls;                          /* of --syscalls; NULL: none */
    uint32_t string_bytes;                         /* 0: the default */
    enum rv_states states;
    enum rv_time_kind flame;
    uint32_t pid; /* of a process to attach to; 0: none */
    uint64_t duration_ns, drain_interval_ns, memory_bytes;
    uint64_t history_bytes; /* 0: default */
    bool leaves_history;    /* --history=off */
    uint32_t max_depth;
    enum rv_follow follow;
    uint32_t max_overhead; /* percent; 0: not given */
    bool has_any_overhead; /* --max-overhead=off */
    bool fetches_debug_files;
    uint32_t n_threads;
};

/*
 * Parse. Strings are borrowed from argv.
 *   returns  0, or -EINVAL with one line printed
 */
int rv_options_parse(struct rv_options *options, int argc, char **argv);

/* Was it given? -x counts as --patch. */
static inline bool rv_options_has(const struct rv_options *options, enum rv_option_id id)
{
    return options->is_given[id - RV_OPTION_FIRST];
}

/* Is the order of calls or tasks another than the default of their view? */
bool rv_options_has_other_order(const struct rv_options *options);

/* --from or --to. */
static inline bool rv_options_has_part(const struct rv_options *options)
{
    return rv_options_has(options, RV_OPTION_FROM) || rv_options_has(options, RV_OPTION_TO);
}

/* How many of --report, --spans, --waits, --flows and --critical-path are asked for. */
unsigned rv_options_n_texts(const struct rv_options *options);

/* What tracing may cost patched programs, as a share of their own time: as given, else 0.5, of --pid 0.1, where ringviz
 * has chosen what is patched; 0: any. */
double rv_options_max_overhead(const struct rv_options *options);

void rv_options_fini(struct rv_options *options); /* also after a parse that failed */

#endif
