#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/action.h"
#include "app/values.h"
#include "base/err.h"
#include "base/units.h"

enum option_id {
    OPTION_HEADLESS = 256,
    OPTION_REPORT,
    OPTION_SPANS,
    OPTION_EXPORT,
    OPTION_FORCE,
    OPTION_DIFF,
    OPTION_MERGE,
    OPTION_INFO,
    OPTION_CHECK,
    OPTION_REPAIR,
    OPTION_OUTPUT,
    OPTION_RECORD,
    OPTION_SCREENSHOT,
    OPTION_FRAMES,
    OPTION_VIDEO,
    OPTION_FPS,
    OPTION_SPEED,
    OPTION_VIEW,
    OPTION_COLOR,
    OPTION_SIZE,
    OPTION_AT,
    OPTION_WINDOW,
    OPTION_FIND,
    OPTION_FILTER,
    OPTION_FROM,
    OPTION_TO,
    OPTION_POLICY,
    OPTION_DRAIN_INTERVAL,
    OPTION_RING_EVENTS,
    OPTION_RINGS,
    OPTION_SLOTS,
    OPTION_SLOT_SIZE,
    OPTION_MESSAGE_SIZE,
    OPTION_GLOBAL_SIZE,
    OPTION_TRACE_FILE,
    OPTION_INCLUDE,
    OPTION_EXCLUDE,
    OPTION_MAX_DEPTH,
    OPTION_DURATION,
    OPTION_IMPORT,
    OPTION_RRTRACE,
    OPTION_CLOCK,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_BENCH,
    OPTION_JSON,
    OPTION_VERBOSE,
    OPTION_VERSION,
    OPTION_HELP
};

struct option_entry {
    enum option_id id;
    const char *name;
    const char *argument; /* NULL = none; "[=X]" = optional */
    const char *help;     /* lines separated by \n */
};

static const struct option_entry TABLE[] = {
    {OPTION_HEADLESS, "headless", NULL, "no window; ends with the program"},
    {OPTION_REPORT, "report", "[=text|csv|json]", "statistics of every subroutine, threads, loss;\nimplies --headless"},
    {OPTION_SPANS, "spans", "[=csv|json]", "every call with its times; implies --headless"},
    {OPTION_EXPORT, "export", "=FORMAT:OUT",
     "every call in the format of another tool: chrome,\nperfetto, folded, speedscope; OUT.gz is packed;\nimplies "
     "--headless"},
    {OPTION_FORCE, "force", NULL, "write over a file that is there already"},
    {OPTION_DIFF, "diff", "[=text|csv|json]",
     "two FILEs against each other: calls and times of\nevery subroutine before and after, and which differ"},
    {OPTION_MERGE, "merge", "=OUT.rvz", "one recording of all FILEs, aligned by their wall clocks"},
    {OPTION_INFO, "info", NULL,
     "header, processes, rings, counters and names of FILE,\nwithout draining it; a recording's streams and "
     "chunks;\nthe format of another tool's trace"},
    {OPTION_CHECK, "check", NULL, "read a recording wholly; say what it holds and what is\ndamaged"},
    {OPTION_REPAIR, "repair", "=OUT.rvz", "the same, and write what is whole as a clean recording"},
    {OPTION_OUTPUT, "output", "=FILE",
     "where --report, --spans, --info and --bench go\n(default: stdout, after the program has ended)"},
    {OPTION_RECORD, "record", "[=OUT.rvz]", "record everything while watching\n(default: COMMAND.PID.rvz)"},
    {OPTION_SCREENSHOT, "screenshot", "=OUT.png", "draw one picture into a file; implies --headless"},
    {OPTION_FRAMES, "frames", "=DIR", "film the run into a folder of numbered pictures;\nimplies --headless"},
    {OPTION_VIDEO, "video", "=OUT.y4m", "film the run into a video; implies --headless"},
    {OPTION_FPS, "fps", "=N", "pictures a second in a film (default: 30)"},
    {OPTION_SPEED, "speed", "=X", "how fast time passes in a film (default: 1)"},
    {OPTION_VIEW, "view", "=3d|aligned|flame|top", "the view of the picture, and of the window at first"},
    {OPTION_COLOR, "color", "=SCHEME",
     "what colours stand for: package, subroutine, thread,\nduration, high-contrast (default: package)"},
    {OPTION_SIZE, "size", "=WxH", "its size in pixels (default: 1600x900)"},
    {OPTION_AT, "at", "=TIME", "where its window begins, from the first event"},
    {OPTION_WINDOW, "window", "=DURATION", "how long its window is (default: all there is)"},
    {OPTION_FIND, "find", "=REGEX",
     "calls whose full name matches: pointed out in pictures,\nwhere the window moves to the first one, and the "
     "only\nones in "
     "--report and --spans"},
    {OPTION_FILTER, "filter", "=RULE",
     "let through only what passes: name:REGEX package:REGEX\nthread:REGEX depth:<8 duration:>2ms; ! in front "
     "inverts;\nmay "
     "be given again"},
    {OPTION_FROM, "from", "=TIME", "only calls that last into what comes after, from the\nfirst event on"},
    {OPTION_TO, "to", "=TIME", "only calls that begin before"},
    {OPTION_POLICY, "policy", "=block|switch|fill|ring",
     "what a full ring means: wait, drop the newest,\nstop tracing, overwrite the oldest (default: block)"},
    {OPTION_DRAIN_INTERVAL, "drain-interval", "=TIME", "between two drains of a ring (default: 2ms)"},
    {OPTION_RING_EVENTS, "ring-events", "=N", "events in a ring, rounded up to a power of two\n(default: 131072)"},
    {OPTION_RINGS, "rings", "=N", "threads that can be traced at once (default: 256)"},
    {OPTION_SLOTS, "slots", "=N", "frames of a live stack (default: 64)"},
    {OPTION_SLOT_SIZE, "slot-size", "=SIZE", "bytes of text in each of them (default: 200)"},
    {OPTION_MESSAGE_SIZE, "message-size", "=SIZE", "longest command or response of a ring (default: 256)"},
    {OPTION_GLOBAL_SIZE, "global-size", "=SIZE", "the global message area (default: 16K)"},
    {OPTION_TRACE_FILE, "trace-file", "=PATH", "keep the shared file at PATH\n(default: private, removed at the end)"},
    {OPTION_INCLUDE, "include", "=REGEX", "capture only subroutines whose full name matches"},
    {OPTION_EXCLUDE, "exclude", "=REGEX", "leave out those whose full name matches"},
    {OPTION_MAX_DEPTH, "max-depth", "=N", "leave out calls nested deeper than N"},
    {OPTION_DURATION, "duration", "=TIME", "capture for this long only"},
    {OPTION_IMPORT, "import", "=FORMAT",
     "what FILE is, where its content does not tell: chrome,\nstrace, perf, folded, uftrace, ringbuffer, rrtrace"},
    {OPTION_RRTRACE, "rrtrace", "=SHM", "watch the ring of Ruby's rrtrace gem, as its visualizer"},
    {OPTION_CLOCK, "clock", "=tsc|tick|monotonic",
     "tsc: cycle counter; tick: cheaper, right to about 0.1 ms;\nmonotonic: the kernel's (default: tsc where "
     "invariant)"},
    {OPTION_THREADS, "threads", "=N", "worker threads of ringviz (default: CPUs - 1)"},
    {OPTION_MEMORY, "memory", "=SIZE", "for exact calls; older ones keep their density\n(default: a quarter of RAM)"},
    {OPTION_BENCH, "bench", "[=NAME,..]",
     "measure: ring, drain, scan, lod, codec, render, export,\noverhead; codec on FILE.rvz, overhead on -- COMMAND\nif "
     "given (default: all)"},
    {OPTION_JSON, "json", NULL, "--bench prints one JSON object a line"},
    {OPTION_VERBOSE, "verbose", NULL, "say what is being done, and what it cost"},
    {OPTION_VERSION, "version", NULL, "print the version"},
    {OPTION_HELP, "help", NULL, "print this"},
};
enum { N_OPTIONS = sizeof TABLE / sizeof *TABLE, HELP_COLUMN = 32 };

static const char HELP_HEAD[] =
    "Usage: ringviz [OPTION]... -- COMMAND [ARG]...   run COMMAND and watch its calls\n"
    "       ringviz [OPTION]... FILE                  watch a live trace file, replay a recording,\n"
    "                                                 open another tool's trace\n"
    "       ringviz --diff BEFORE AFTER               compare two captures\n"
    "       ringviz --merge=OUT.rvz A.rvz B.rvz..     join recordings of several processes or hosts\n"
    "       ringviz --bench[=NAME,..] [--json]        measure ringviz on this machine\n"
    "\n"
    "Every call and return of a program, live: time x thread x depth as 3D bars coloured by subroutine.\n"
    "\n";

static const char HELP_TAIL[] =
    "\n"
    "Times: 12ns 3us 4ms 5s, a plain number is seconds, 500Hz a period. Sizes: 64K 2M 1G.\n"
    "\n"
    "C and C++ programs are traced when built with (calls inside the standard library stay out)\n"
    "  gcc    -g -finstrument-functions -fno-optimize-sibling-calls\n"
    "         -finstrument-functions-exclude-file-list=/usr/include,/usr/lib\n"
    "  clang  -g -finstrument-functions-after-inlining -fno-optimize-sibling-calls\n"
    "or, with CMake: find_package(ringviz) and ringviz_instrument(target).\n"
    "\n"
    "Exit status: the command's (128 + signal; 127 not found, 126 not executable); 1 failed, 2 usage.\n";

static void print_entry(const struct option_entry *entry)
{
    int n = printf("  --%s%s", entry->name, entry->argument ? entry->argument : "");
    if (n >= HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    for (const char *line = entry->help; line; n = 0) {
        const char *end = strchrnul(line, '\n');
        printf("%*s%.*s\n", HELP_COLUMN - n, "", (int)(end - line), line);
        line = *end ? end + 1 : NULL;
    }
}

static void print_keys(void)
{
    puts("\nIn the window:");
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        char keys[128];
        printf("  %-*s%s\n", HELP_COLUMN - 2, rv_action_keys((enum rv_action)action, keys, sizeof keys),
               rv_action_get((enum rv_action)action)->words);
    }
}

void rv_options_print_help(void)
{
    fputs(HELP_HEAD, stdout);
    for (int i = 0; i < N_OPTIONS; i++)
        print_entry(&TABLE[i]);
    print_keys();
    fputs(HELP_TAIL, stdout);
}

/* ---- values ---- */

static const char *const POLICIES[] = {"block", "switch", "fill", "ring", NULL};
static const char *const CLOCKS[] = {"tsc", "monotonic", "tick", NULL};
static const char *const REPORTS[] = {"text", "csv", "json", NULL};
static const char *const SPANS[] = {"csv", "json", NULL};
static const char *const EXPORTS[] = {[RV_EXPORT_CHROME] = "chrome",
                                      [RV_EXPORT_PERFETTO] = "perfetto",
                                      [RV_EXPORT_FOLDED] = "folded",
                                      [RV_EXPORT_SPEEDSCOPE] = "speedscope",
                                      NULL};
static const char *const VIEWS[] = {
    [RV_LOOK_3D] = "3d", [RV_LOOK_ALIGNED] = "aligned", [RV_LOOK_FLAME] = "flame", [RV_LOOK_TOP] = "top", NULL};

static int parse_size(const char *value, struct rv_options *options)
{
    int end = 0;
    int *w = &options->width_px, *h = &options->height_px;
    if (sscanf(value, "%dx%d%n", w, h, &end) != 2 || value[end] || *w < 64 || *h < 64 || *w > 16384 || *h > 16384)
        return rv_value_bad("size", value, "WxH, each from 64 to 16384");
    return 0;
}

static int parse_scheme(const char *name, const char *value, enum rv_color_scheme *scheme)
{
    const char *words[RV_COLOR_SCHEME_COUNT + 1] = {NULL};
    int index, error;
    for (int i = 0; i < RV_COLOR_SCHEME_COUNT; i++)
        words[i] = rv_color_scheme_name((enum rv_color_scheme)i);
    error = rv_value_word(name, value, words, &index);
    *scheme = (enum rv_color_scheme)index;
    return error;
}

static int parse_export(const char *value, struct rv_options *options)
{
    const char *colon = strchr(value, ':');
    int kind = 0;
    while (EXPORTS[kind] && (!colon || strlen(EXPORTS[kind]) != (size_t)(colon - value) ||
                             strncmp(value, EXPORTS[kind], (size_t)(colon - value)) != 0))
        kind++;
    if (!EXPORTS[kind] || !colon[1])
        return rv_value_bad("export", value, "FORMAT:OUT, FORMAT one of chrome, perfetto, folded, speedscope");
    if (options->n_exports == RV_OPTIONS_MAX_EXPORTS)
        return rv_err(EINVAL, "--export=%s: more than %d exports", value, RV_OPTIONS_MAX_EXPORTS);
    for (size_t i = 0; i < options->n_exports; i++)
        if (strcmp(options->exports[i].path, colon + 1) == 0)
            return rv_err(EINVAL, "--export=%s: another export goes there", value);
    options->exports[options->n_exports++] = (struct rv_export_option){(enum rv_export_kind)kind, colon + 1};
    options->is_headless = true;
    return 0;
}

static int set_output_option(struct rv_options *options, const struct option_entry *entry, const char *value)
{
    int index, error = 0;
    switch (entry->id) {
    case OPTION_REPORT:
        options->has_report = options->is_headless = true;
        error = rv_value_word(entry->name, value, REPORTS, &index);
        options->report_format = (enum rv_report_format)index;
        return error;
    case OPTION_DIFF:
        options->command = RV_COMMAND_DIFF;
        error = rv_value_word(entry->name, value, REPORTS, &index);
        options->report_format = (enum rv_report_format)index;
        return error;
    case OPTION_SPANS:
        options->has_spans = options->is_headless = true;
        error = rv_value_word(entry->name, value, SPANS, &index);
        options->spans_format = (enum rv_spans_format)index;
        return error;
    case OPTION_EXPORT:
        return parse_export(value, options);
    case OPTION_MERGE:
        options->command = RV_COMMAND_MERGE;
        options->merge = value;
        return 0;
    case OPTION_OUTPUT:
        options->output = value;
        return 0;
    case OPTION_REPAIR:
        options->command = RV_COMMAND_CHECK;
        options->repair = value;
        return 0;
    case OPTION_RECORD:
        options->has_record = true;
        options->record = value;
        return 0;
    case OPTION_SCREENSHOT:
        options->screenshot = value;
        options->is_headless = true;
        return 0;
    case OPTION_FRAMES:
        options->frames = value;
        options->is_headless = true;
        return 0;
    case OPTION_VIDEO:
        options->video = value;
        options->is_headless = true;
        return 0;
    case OPTION_FPS:
        return rv_value_count(entry->name, value, 240, &options->fps);
    case OPTION_SPEED:
        return rv_value_speed(entry->name, value, &options->speed);
    case OPTION_VIEW:
        error = rv_value_word(entry->name, value, VIEWS, &index);
        options->look = (enum rv_look)index;
        options->has_look = true;
        return error;
    case OPTION_COLOR:
        options->has_scheme = true;
        return parse_scheme(entry->name, value, &options->scheme);
    case OPTION_SIZE:
        return parse_size(value, options);
    case OPTION_AT:
        return rv_value_time(entry->name, value, 0, &options->at_ns);
    case OPTION_WINDOW:
        return rv_value_time(entry->name, value, 1, &options->window_ns);
    case OPTION_BENCH:
        options->command = RV_COMMAND_BENCH;
        options->bench = value ? value : "";
        return 0;
    default:
        return -ENOENT;
    }
}

/* A regular expression, or a rule, that is no good is said to be so before anything runs. */
static int bad_pattern(const struct option_entry *entry, const char *value, const char *why)
{
    return rv_err(EINVAL, "--%s=%s: %s; see ringviz --help", entry->name, value, why);
}

static int set_part_option(struct rv_options *options, const struct option_entry *entry, const char *value)
{
    char why[160];
    struct rv_pattern pattern;
    switch (entry->id) {
    case OPTION_FIND:
        options->find = value;
        if (rv_pattern_init(&pattern, value, why, sizeof why) != 0)
            return bad_pattern(entry, value, why);
        rv_pattern_fini(&pattern);
        return 0;
    case OPTION_FILTER:
        return rv_lens_add(&options->lens, value, why, sizeof why) ? bad_pattern(entry, value, why) : 0;
    case OPTION_FROM:
        options->has_part = true;
        return rv_value_time(entry->name, value, 0, &options->from_ns);
    case OPTION_TO:
        options->has_part = true;
        return rv_value_time(entry->name, value, 1, &options->to_ns);
    default:
        return -ENOENT;
    }
}

static int set_file_option(struct rv_options *options, const struct option_entry *entry, const char *value)
{
    int index, error;
    switch (entry->id) {
    case OPTION_POLICY:
        error = rv_value_word(entry->name, value, POLICIES, &index);
        options->map.policy = (enum rv_policy)index;
        return error;
    case OPTION_CLOCK:
        error = rv_value_word(entry->name, value, CLOCKS, &index);
        options->map.clock_kind = (enum rv_clock_kind)index;
        return error;
    case OPTION_RING_EVENTS:
        return rv_value_count(entry->name, value, 1u << 20, &options->map.ring_events);
    case OPTION_RINGS:
        return rv_value_count(entry->name, value, 4096, &options->map.n_rings);
    case OPTION_SLOTS:
        return rv_value_count(entry->name, value, 4096, &options->map.n_slots);
    case OPTION_SLOT_SIZE:
        return rv_value_bytes(entry->name, value, 4096, &options->map.slot_bytes);
    case OPTION_MESSAGE_SIZE:
        return rv_value_bytes(entry->name, value, 1u << 20, &options->map.message_bytes);
    case OPTION_GLOBAL_SIZE:
        return rv_value_bytes(entry->name, value, 1u << 24, &options->map.global_bytes);
    case OPTION_TRACE_FILE:
        options->trace_file = value;
        return 0;
    default:
        return -ENOENT;
    }
}

static int parse_format(const char *name, const char *value, const struct rv_import_format **format)
{
    *format = rv_import_format_named(value);
    char expected[128];
    rv_import_format_names(expected, sizeof expected, ", ");
    return *format ? 0 : rv_value_bad(name, value, expected);
}

static void watch_rrtrace(struct rv_options *options, const char *memory)
{
    options->import_format = &rv_import_rrtrace;
    options->file = memory;
}

static int set_capture_option(struct rv_options *options, const struct option_entry *entry, const char *value)
{
    switch (entry->id) {
    case OPTION_DRAIN_INTERVAL:
        return rv_value_time(entry->name, value, 10000, &options->drain_interval_ns);
    case OPTION_IMPORT:
        return parse_format(entry->name, value, &options->import_format);
    case OPTION_RRTRACE:
        watch_rrtrace(options, value);
        return 0;
    case OPTION_INCLUDE:
        options->include = value;
        return 0;
    case OPTION_EXCLUDE:
        options->exclude = value;
        return 0;
    case OPTION_MAX_DEPTH:
        return rv_value_count(entry->name, value, 1u << 24, &options->max_depth);
    case OPTION_DURATION:
        return rv_value_time(entry->name, value, 1, &options->duration_ns);
    case OPTION_THREADS:
        return rv_value_count(entry->name, value, 64, &options->n_threads);
    case OPTION_MEMORY:
        if (rv_units_parse_bytes(value, &options->memory_bytes) != 0 || options->memory_bytes < 1u << 20)
            return rv_value_bad(entry->name, value, "a size of at least 1M");
        return 0;
    default:
        return -ENOENT;
    }
}

/* Options that only set a flag or name what to do. */
static bool set_switch(struct rv_options *options, enum option_id id)
{
    switch (id) {
    case OPTION_HEADLESS:
        options->is_headless = true;
        return true;
    case OPTION_JSON:
        options->is_json = true;
        return true;
    case OPTION_VERBOSE:
        options->is_verbose = true;
        return true;
    case OPTION_FORCE:
        options->is_forced = true;
        return true;
    case OPTION_CHECK:
        options->command = RV_COMMAND_CHECK;
        return true;
    case OPTION_INFO:
        options->command = RV_COMMAND_INFO;
        return true;
    case OPTION_VERSION:
        options->command = RV_COMMAND_VERSION;
        return true;
    case OPTION_HELP:
        options->command = RV_COMMAND_HELP;
        return true;
    default:
        return false;
    }
}

static int set_option(struct rv_options *options, enum option_id id, const char *value)
{
    if (set_switch(options, id))
        return 0;
    const struct option_entry *entry = TABLE;
    while (entry->id != id)
        entry++;
    int error = set_output_option(options, entry, value);
    if (error == -ENOENT)
        error = set_part_option(options, entry, value);
    if (error == -ENOENT)
        error = set_file_option(options, entry, value);
    return error == -ENOENT ? set_capture_option(options, entry, value) : error;
}

/* ---- the whole ---- */

static void fill_getopt(struct option *out)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        const char *argument = TABLE[i].argument;
        int has = !argument ? no_argument : *argument == '[' ? optional_argument : required_argument;
        out[i] = (struct option){TABLE[i].name, has, NULL, TABLE[i].id};
    }
    out[N_OPTIONS] = (struct option){0};
}

/* Commands that take several files and write one thing. */
static int check_files(const struct rv_options *options)
{
    const bool is_diff = options->command == RV_COMMAND_DIFF;
    const char *name = is_diff ? "--diff" : "--merge";
    if (options->argv || options->n_files < 2 || (is_diff && options->n_files > 2))
        return rv_err(EINVAL, "%s takes %s; see ringviz --help", name,
                      is_diff ? "two FILEs, before and after" : "two or more recordings");
    if (options->has_report || options->has_spans || options->n_exports || options->screenshot || options->has_record)
        return rv_err(EINVAL, "%s is an output of its own; see ringviz --help", name);
    return 0;
}

static int check_bench(const struct rv_options *options)
{
    if (options->argv && strcmp(options->bench, "overhead") != 0)
        return rv_err(EINVAL, "--bench takes no COMMAND, but --bench=overhead");
    if (options->n_files > 1 || (options->file && strcmp(options->bench, "codec") != 0))
        return rv_err(EINVAL, "--bench takes no FILE, but --bench=codec a recording");
    return 0;
}

static int check(const struct rv_options *options)
{
    if (options->command == RV_COMMAND_HELP || options->command == RV_COMMAND_VERSION)
        return 0;
    if (options->command == RV_COMMAND_BENCH)
        return check_bench(options);
    if (options->is_json)
        return rv_err(EINVAL, "--json goes with --bench; see ringviz --help");
    if (options->command == RV_COMMAND_DIFF || options->command == RV_COMMAND_MERGE)
        return check_files(options);
    if (options->n_files > 1)
        return rv_err(EINVAL, "%s: one FILE only; a command goes after --; see ringviz --help", options->files[1]);
    if (!options->file && !options->argv)
        return rv_err(EINVAL, "nothing to watch: give a FILE, or -- COMMAND; see ringviz --help");
    if (options->command == RV_COMMAND_CHECK && !options->file)
        return rv_err(EINVAL, "--check and --repair want a recording; see ringviz --help");
    if (options->command == RV_COMMAND_INFO && !options->file)
        return rv_err(EINVAL, "--info wants a FILE; see ringviz --help");
    if (options->has_report && options->has_spans)
        return rv_err(EINVAL, "--report and --spans are two outputs: give one of them");
    if (options->import_format && !options->file)
        return rv_err(EINVAL, "--import wants a FILE; see ringviz --help");
    if (options->to_ns && options->to_ns <= options->from_ns)
        return rv_err(EINVAL, "--to must come after --from; see ringviz --help");
    if (options->file && options->trace_file)
        return rv_err(EINVAL, "--trace-file goes with -- COMMAND: %s is a trace file already", options->file);
    return 0;
}

static void take_files(struct rv_options *options, int n, char *const *files)
{
    options->file = files[0];
    options->files = (const char *const *)files;
    options->n_files = (size_t)n;
}

/* FILE, or what stands after "--". */
static int take_operands(struct rv_options *options, int argc, char **argv, bool is_after_dashes)
{
    if (options->file && optind < argc)
        return rv_err(EINVAL, "%s: --rrtrace takes no FILE and no COMMAND; see ringviz --help", argv[optind]);
    if (is_after_dashes && optind < argc)
        options->argv = (const char *const *)&argv[optind];
    else if (optind < argc)
        take_files(options, argc - optind, argv + optind);
    return check(options);
}

/* The gem runs its visualizer with the name of the shared memory and nothing else. */
static bool is_run_as_rrtrace(int argc, char **argv)
{
    const char *slash = argc == 2 ? strrchr(argv[0], '/') : NULL;
    return argc == 2 && strcmp(slash ? slash + 1 : argv[0], "rrtrace") == 0 && argv[1][0] != '-';
}

int rv_options_parse(struct rv_options *options, int argc, char **argv)
{
    *options = (struct rv_options){.width_px = 1600, .height_px = 900, .lens.mode = RV_LENS_HIDE};
    if (is_run_as_rrtrace(argc, argv)) {
        watch_rrtrace(options, argv[1]);
        return check(options);
    }
    struct option getopt_table[N_OPTIONS + 1];
    fill_getopt(getopt_table);
    opterr = 0;
    int id, n_read;
    while (n_read = optind, (id = getopt_long(argc, argv, "+:", getopt_table, NULL)) != -1) {
        if (id == '?')
            return rv_err(EINVAL, "%s: unknown option or needless value; see ringviz --help", argv[optind - 1]);
        if (id == ':')
            return rv_err(EINVAL, "%s: wants a value; see ringviz --help", argv[optind - 1]);
        int error = set_option(options, (enum option_id)id, optarg);
        if (error)
            return error;
    }
    return take_operands(options, argc, argv, optind > n_read); /* the last call passed over "--" */
}

void rv_options_fini(struct rv_options *options)
{
    rv_lens_fini(&options->lens);
}
