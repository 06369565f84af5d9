#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/rrtrace_gem.h"
#include "cli/misspelled_option.h"
#include "cli/option_lookup.h"
#include "cli/option_values.h"
#include "pipeline/history_on_disk.h"
#include "base/err.h"
#include "base/os.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/lane_choices_text.h"
#include "model/regex.h"
#include "model/waited_calls.h"
#include "prototypes/syscall_prototypes.h"

/* ---- values ---- */

static int parse_size(const char *value, struct rv_options *options)
{
    char *end;
    long width = strtol(value, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < 64 || height < 64 || width > 16384 || height > 16384)
        return rv_option_value_bad("size", value, "WxH, each from 64 to 16384");
    options->width_px = (int)width;
    options->height_px = (int)height;
    return 0;
}

static int add_export(struct rv_options *options, enum rv_export_kind kind, const char *path)
{
    if (options->n_exports == RV_OPTIONS_MAX_EXPORTS)
        return rv_err(EINVAL, "--export: more than %d exports", RV_OPTIONS_MAX_EXPORTS);
    options->exports[options->n_exports++] = (struct rv_export_option){kind, path};
    return 0;
}

static int parse_export(const struct rv_option_entry *entry, const char *value, struct rv_options *options)
{
    const char *colon = strchr(value, ':');
    struct rv_option_word word;
    int kind = 0;
    while (rv_option_word(entry, kind, &word) && strncmp(value, word.text, (size_t)word.length) != 0)
        kind++;
    if (!rv_option_word(entry, kind, &word) || !colon[1]) {
        char expected[128];
        return rv_option_value_bad(entry->name, value,
                                   rv_option_text(entry, "FORMAT:OUT, FORMAT one of {}", expected, sizeof expected));
    }
    for (size_t i = 0; i < options->n_exports; i++)
        if (strcmp(options->exports[i].path, colon + 1) == 0)
            return rv_err(EINVAL, "--export=%s: another export writes there", value);
    return add_export(options, (enum rv_export_kind)kind, colon + 1);
}

static int add_trigger(const char *value, struct rv_options *options)
{
    char why[128];
    struct rv_trigger **trigger = &options->record_limit.trigger;
    if (!*trigger)
        *trigger = rv_trigger_create();
    return rv_trigger_add(*trigger, value, why, sizeof why) == 0
               ? 0
               : rv_err(EINVAL, "--trigger=%s: %s; see ringviz --help", value, why);
}

/* BEFORE[,AFTER]: without AFTER it is the same as BEFORE. */
static int parse_trigger_keep(const char *value, struct rv_options *options)
{
    static const uint64_t LEAST_BEFORE_NS = 10000000;
    struct rv_trigger_keep *keep = &options->trigger_keep;
    char before[64];
    const char *comma = strchr(value, ',');
    int n = comma ? (int)(comma - value) : (int)strlen(value);
    if ((size_t)n >= sizeof before)
        return rv_option_value_bad("trigger-keep", value, "a time such as 5s, or two such as 5s,1s");
    snprintf(before, sizeof before, "%.*s", n, value);
    int error = rv_units_parse_ns(before, &keep->before_ns);
    keep->after_ns = keep->before_ns;
    if (error || keep->before_ns < LEAST_BEFORE_NS || (comma && rv_units_parse_ns(comma + 1, &keep->after_ns) != 0))
        return rv_option_value_bad("trigger-keep", value,
                                   "a time such as 5s, or two such as 5s,1s, the first at least 10ms");
    return 0;
}

/* The formats of statistics, then those of lines, then a page. */
static int choose_report(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    enum { N_FORMATS = RV_REPORT_JSON + 1 };
    int index, error = rv_option_value_word(entry, value, &index);
    options->has_report = index / N_FORMATS == 0;
    options->has_lines = index / N_FORMATS == 1;
    options->has_page = index / N_FORMATS == 2;
    options->report_format = (enum rv_report_format)(index % N_FORMATS);
    return error;
}

/* The formats of waits by object, then those of arcs. */
static int choose_waits(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    int index, error = rv_option_value_word(entry, value, &index);
    options->has_arcs = index > RV_REPORT_JSON;
    options->report_format = (enum rv_report_format)(options->has_arcs ? index - RV_REPORT_JSON - 1 : index);
    return error;
}

static int set_output_option(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    int index, error = 0;
    switch (entry->id) {
    case RV_OPTION_REPORT:
        return choose_report(options, entry, value);
    case RV_OPTION_WAITS:
        return choose_waits(options, entry, value);
    case RV_OPTION_GROUP_BY:
        return rv_group_by_parse(value, &options->group_by)
                   ? 0
                   : rv_option_value_bad(entry->name, value, "arg1 to arg64 or ret, with :sql or without, or task");
    case RV_OPTION_DIFF:
        options->command = RV_COMMAND_DIFF;
        error = rv_option_value_word(entry, value, &index);
        options->has_diff_window = index > RV_REPORT_JSON;
        options->report_format = options->has_diff_window ? RV_REPORT_TEXT : (enum rv_report_format)index;
        return error;
    case RV_OPTION_EXPORT:
        return parse_export(entry, value, options);
    case RV_OPTION_CONTROL:
        options->command = RV_COMMAND_CONTROL;
        options->control = value;
        return 0;
    case RV_OPTION_MERGE:
        options->command = RV_COMMAND_MERGE;
        options->merge = value;
        return 0;
    case RV_OPTION_REPAIR:
        options->command = RV_COMMAND_CHECK;
        options->repair = value;
        return 0;
    case RV_OPTION_RECORD_LIMIT:
        return rv_option_value_limit(entry->name, value, &options->record_limit.n_bytes, &options->record_limit.ns);
    case RV_OPTION_TRIGGER:
        return add_trigger(value, options);
    case RV_OPTION_TRIGGER_KEEP:
        return parse_trigger_keep(value, options);
    case RV_OPTION_SPEED:
        return rv_option_value_speed(entry->name, value, &options->speed);
    case RV_OPTION_TURN:
        return rv_option_value_turn(entry->name, value, options->turn);
    case RV_OPTION_SIZE:
        return parse_size(value, options);
    case RV_OPTION_BENCH:
        options->command = RV_COMMAND_BENCH;
        options->bench = value ? value : "";
        return 0;
    case RV_OPTION_HELP:
        options->command = RV_COMMAND_HELP;
        options->help_topic = value;
        return 0;
    default:
        return -ENOENT;
    }
}

/* Check regular expressions and rules before anything runs. */
static int bad_pattern(const struct rv_option_entry *entry, const char *value, const char *why)
{
    return rv_err(EINVAL, "--%s=%s: %s; see ringviz --help", entry->name, value, why);
}

static int set_part_option(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    char why[160];
    struct rv_regex pattern;
    switch (entry->id) {
    case RV_OPTION_FIND:
        options->find = value;
        if (rv_filter_is_for_arguments(value))
            value += strlen("arg:");
        else if (rv_waited_calls_sought(value))
            value = rv_waited_calls_sought(value);
        if (rv_regex_init(&pattern, value, why, sizeof why) != 0)
            return bad_pattern(entry, value, why);
        rv_regex_fini(&pattern);
        return 0;
    case RV_OPTION_CALLS_OF:
        options->calls_of = value;
        if (rv_regex_init(&pattern, value, why, sizeof why) != 0)
            return bad_pattern(entry, value, why);
        rv_regex_fini(&pattern);
        return 0;
    case RV_OPTION_LANES:
        options->lanes = value;
        return rv_lane_choices_text_check(value) ? bad_pattern(entry, value, "not a list as hide:17,row:18") : 0;
    case RV_OPTION_FILTER:
        return rv_filter_add(&options->filter, value, why, sizeof why) ? bad_pattern(entry, value, why) : 0;
    default:
        return -ENOENT;
    }
}

/* A process or shared memory has a name in messages, as a file has. */
static void watch_live(struct rv_options *options, const struct rv_import_format *format, const char *name)
{
    options->import_format = format;
    options->file = name;
}

static int choose_syscalls(struct rv_options *options, const char *choice)
{
    const char *word;
    size_t n_word;
    char *text = rv_syscalls_take_prototypes(choice, &word, &n_word);
    options->syscalls = choice;
    if (!text)
        return rv_err(EINVAL, "--syscalls=%s: no system call or set of them is called %.*s; see ringviz --help", choice,
                      (int)n_word, word);
    free(text);
    return 0;
}

/* One more line of the patcher's text (producers/native/patcher.h): the value, with text around it. The regular expression is
 * checked here: the traced process could not report the error. */
static int add_patch(struct rv_options *options, const char *name, const char *value, const char *front,
                     const char *back)
{
    char pattern[RV_OPTIONS_PATCH_BYTES];
    regex_t compiled;
    const char *at = strrchr(value, '@');
    const size_t n = at ? (size_t)(at - value) : strlen(value), n_used = strlen(options->patches);
    if (n == 0 || *value == '\t' || strchr(value, '\n') ||
        n_used + strlen(value) + 4 + sizeof "auto\n" >= sizeof options->patches)
        return rv_option_value_bad(name, value, "REGEX[@LIBRARY], 4,000 characters in all");
    memcpy(pattern, value, n);
    pattern[n] = '\0';
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return rv_option_value_bad(name, value, "a regular expression");
    regfree(&compiled);
    snprintf(options->patches + n_used, sizeof options->patches - n_used, "%s%s%s%s", n_used ? "\n" : "", front, value,
             back);
    return 0;
}

/* Functions, by --patch. */
static int add_functions(struct rv_options *options, const char *name, const char *value, const char *back)
{
    return add_patch(options, name, value, "", back);
}

/* By -x: where no library is given, of all objects. */
static int add_functions_everywhere(struct rv_options *options, const char *value)
{
    if (strchr(value, '@'))
        return add_functions(options, "x", value, "");
    if (options->n_functions == RV_OPTIONS_FUNCTIONS)
        return rv_option_value_bad("x", value, "REGEX, at most 16 times");
    options->functions[options->n_functions++] = value;
    return add_functions(options, "x", value, "@");
}

/* Where nobody has said which functions of the program. */
static void choose_functions(struct rv_options *options)
{
    static const char AUTO[] = "auto\n";
    const size_t n = strlen(options->patches);
    if (rv_options_has(options, RV_OPTION_PATCH))
        return;
    memmove(options->patches + strlen(AUTO), options->patches, n);
    memcpy(options->patches, AUTO, strlen(AUTO));
    options->patches[strlen(AUTO) + n - (n ? 0 : 1)] = '\0'; /* without the end of a line that is the last */
}

static int set_capture_option(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    int word = 0, error;
    switch (entry->id) {
    case RV_OPTION_IMPORT:
        error = rv_option_value_word(entry, value, &word);
        options->import_format = error ? NULL : RV_IMPORT_FORMATS[word];
        return error;
    case RV_OPTION_RRTRACE:
        watch_live(options, &rv_import_rrtrace, value);
        return 0;
    case RV_OPTION_PERL_PID:
        watch_live(options, &rv_import_perl, value);
        return 0;
    case RV_OPTION_MAX_OVERHEAD:
        options->max_overhead = 0;
        options->has_any_overhead = strcmp(value, "off") == 0;
        return options->has_any_overhead ? 0 : rv_option_value_count(entry->name, value, 10000, &options->max_overhead);
    case RV_OPTION_FOLLOW:
        error = rv_option_value_word(entry, value, &word);
        options->follow = RV_FOLLOW_NONE + (enum rv_follow)word;
        return error;
    case RV_OPTION_PATCH:
        return add_functions(options, entry->name, value, "");
    case RV_OPTION_LIBCALLS:
        return add_patch(options, entry->name, value ? value : ".", "\t", "");
    case RV_OPTION_PROTOTYPES:
        if (options->n_prototypes == RV_OPTIONS_PROTOTYPES)
            return rv_option_value_bad(entry->name, value, "a FILE, at most 16 times");
        options->prototypes[options->n_prototypes++] = value;
        return 0;
    case RV_OPTION_SYSCALLS:
        return choose_syscalls(options, value ? value : "all");
    case RV_OPTION_MEMORY:
        if (rv_units_parse_bytes(value, &options->memory_bytes) != 0 || options->memory_bytes < 1u << 20)
            return rv_option_value_bad(entry->name, value, "a size of at least 1M");
        return 0;
    case RV_OPTION_HISTORY:
        options->leaves_history = strcmp(value, "off") == 0;
        if (!options->leaves_history && (rv_units_parse_bytes(value, &options->history_bytes) != 0 ||
                                         options->history_bytes < RV_HISTORY_LEAST_BYTES))
            return rv_option_value_bad(entry->name, value, "off or a size of at least 1M");
        return 0;
    default:
        return -ENOENT;
    }
}

/* ---- what each option sets ---- */

enum setter_kind { BY_CODE, BY_FLAG, BY_TEXT, BY_WORD, BY_COUNT, BY_BYTES, BY_TIME, BY_COMMAND };

struct setter {
    enum setter_kind kind;
    size_t at;      /* of the field, in struct rv_options */
    uint64_t limit; /* the most, of times the least; an enum rv_option_command */
};

/* The offset of a field of this type: else the comparison does not compile. */
#define AT(type, field) (offsetof(struct rv_options, field) + 0 * sizeof((type *)0 == &((struct rv_options *)0)->field))
#define CODE                                                                                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define FLAG(field)                                                                                                    \
    {                                                                                                                  \
        BY_FLAG, AT(bool, field), 0                                                                                    \
    }
#define TEXT(field)                                                                                                    \
    {                                                                                                                  \
        BY_TEXT, AT(const char *, field), 0                                                                            \
    }
#define WORD(field)                                                                                                    \
    {                                                                                                                  \
        BY_WORD, offsetof(struct rv_options, field), 0                                                                 \
    }
#define COUNT(field, most)                                                                                             \
    {                                                                                                                  \
        BY_COUNT, AT(uint32_t, field), most                                                                            \
    }
#define BYTES(field, most)                                                                                             \
    {                                                                                                                  \
        BY_BYTES, AT(uint32_t, field), most                                                                            \
    }
#define TIME(field, least)                                                                                             \
    {                                                                                                                  \
        BY_TIME, AT(uint64_t, field), least                                                                            \
    }
#define COMMAND(command)                                                                                               \
    {                                                                                                                  \
        BY_COMMAND, 0, command                                                                                         \
    }
#define OPTION(id, commands, name, argument, values, set, ...) set,
static const struct setter SETTERS[RV_N_OPTIONS] = {
#include "cli/option_rows.h"
};
#undef OPTION

static int set_by_code(struct rv_options *options, const struct rv_option_entry *entry, const char *value)
{
    int error = set_output_option(options, entry, value);
    if (error == -ENOENT)
        error = set_part_option(options, entry, value);
    return error == -ENOENT ? set_capture_option(options, entry, value) : error;
}

static int set_option(struct rv_options *options, enum rv_option_id id, const char *value)
{
    const struct rv_option_entry *entry = &RV_OPTION_TABLE[id - RV_OPTION_FIRST];
    const struct setter *setter = &SETTERS[id - RV_OPTION_FIRST];
    void *field = (char *)options + setter->at;
    switch (setter->kind) {
    case BY_CODE:
        return set_by_code(options, entry, value);
    case BY_FLAG:
        *(bool *)field = true;
        return 0;
    case BY_TEXT:
        *(const char **)field = value;
        return 0;
    case BY_WORD:
        return rv_option_value_word(entry, value, field);
    case BY_COUNT:
        return rv_option_value_count(entry->name, value, setter->limit, field);
    case BY_BYTES:
        return rv_option_value_bytes(entry->name, value, setter->limit, field);
    case BY_TIME:
        return rv_option_value_time(entry->name, value, setter->limit, field);
    case BY_COMMAND:
        options->command = (enum rv_option_command)setter->limit;
        return 0;
    }
    return 0;
}

/* ---- the whole command line ---- */

static void fill_getopt(struct option *out)
{
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const char *argument = RV_OPTION_TABLE[i].argument;
        int has = !argument ? no_argument : *argument == '[' ? optional_argument : required_argument;
        out[i] = (struct option){RV_OPTION_TABLE[i].name, has, NULL, RV_OPTION_TABLE[i].id};
    }
    out[RV_N_OPTIONS] = (struct option){0};
}

/* An option that does not apply to the command is an error, not ignored. */
static int check_company(const struct rv_options *options)
{
    static const char *const COMMANDS[] = {[RV_COMMAND_WATCH] = "what is watched",
                                           [RV_COMMAND_INFO] = "--info",
                                           [RV_COMMAND_CHECK] = "--check and --repair",
                                           [RV_COMMAND_DIFF] = "--diff",
                                           [RV_COMMAND_MERGE] = "--merge",
                                           [RV_COMMAND_CONTROL] = "--control",
                                           [RV_COMMAND_BENCH] = "--bench",
                                           [RV_COMMAND_DETACH] = "--detach"};
    const enum rv_option_command command = options->command;
    if (command == RV_COMMAND_HELP || command == RV_COMMAND_VERSION)
        return 0;
    for (int i = 0; i < RV_N_OPTIONS; i++) {
        const struct rv_option_entry *entry = &RV_OPTION_TABLE[i];
        if (rv_options_has(options, entry->id) && !(entry->commands >> command & 1))
            return rv_err(EINVAL, "--%s does not go with %s; see ringviz --help", entry->name, COMMANDS[command]);
    }
    return 0;
}

/* Commands that take several files and write one output. */
static int check_files(const struct rv_options *options)
{
    const bool is_diff = options->command == RV_COMMAND_DIFF;
    const char *name = is_diff ? "--diff" : "--merge";
    if (options->argv || options->n_files < 2 || (is_diff && options->n_files > 2))
        return rv_err(EINVAL, "%s takes %s; see ringviz --help", name,
                      is_diff ? "two FILEs, before and after" : "two or more recordings");
    if ((options->find || rv_filter_n_rules(options->filter) || rv_options_has_part(options)) &&
        !options->has_diff_window && !options->screenshot)
        return rv_err(EINVAL, "--find, --filter, --from and --to go with the picture of --diff only: --diff=window or "
                              "--screenshot; see ringviz --help");
    return 0;
}

static bool is_dash(const char *path)
{
    return strcmp(path, "-") == 0;
}

unsigned rv_options_n_texts(const struct rv_options *options)
{
    return options->has_report + options->has_lines + rv_options_has(options, RV_OPTION_SPANS) +
           rv_options_has(options, RV_OPTION_WAITS) + rv_options_has(options, RV_OPTION_HOLDERS) +
           rv_options_has(options, RV_OPTION_FLOWS) + rv_options_has(options, RV_OPTION_CRITICAL_PATH);
}

static bool has_export(const struct rv_options *options, enum rv_export_kind kind)
{
    bool has = false;
    for (size_t i = 0; i < options->n_exports; i++)
        has |= options->exports[i].kind == kind;
    return has;
}

/* Two outputs in one stream could not be told apart. */
static int check_stdout(const struct rv_options *options)
{
    const bool has_text = options->command == RV_COMMAND_WATCH && rv_options_n_texts(options) > 0;
    size_t n = has_text && (!options->output || is_dash(options->output));
    n += options->video && is_dash(options->video);
    for (size_t i = 0; i < options->n_exports; i++)
        n += is_dash(options->exports[i].path);
    return n > 1 ? rv_err(EINVAL, "standard output takes only one output; see --output") : 0;
}

/* PNG under the name of another format would be opened as that. */
static bool is_named_otherwise(const char *picture)
{
    static const char *const ENDINGS[] = {".jpg",  ".jpeg", ".gif", ".webp", ".bmp", ".tif",
                                          ".tiff", ".svg",  ".pdf", ".ppm",  ".avif"};
    const char *ending = strrchr(picture, '.');
    for (size_t i = 0; ending && i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (strcasecmp(ending, ENDINGS[i]) == 0)
            return true;
    return false;
}

static int check_output(const struct rv_options *options, const char *const *outputs, size_t n)
{
    const char *output = outputs[n];
    for (size_t i = 0; i < n && !is_dash(output); i++)
        if (outputs[i] && strcmp(outputs[i], output) == 0)
            return rv_err(EINVAL, "%s: takes only one output", output);
    for (size_t i = 0; i < options->n_files; i++)
        if (output != options->record && rv_os_is_same_file(output, options->files[i]))
            return rv_err(EINVAL, "%s: is an input, and cannot be overwritten", output);
    return 0;
}

/* Inputs are never overwritten, even with --force: they are read until all is written. A recording may get an input's
 * name: the old file exists until it has been read. */
static int check_outputs(const struct rv_options *options)
{
    const char *outputs[4 + RV_OPTIONS_MAX_EXPORTS] = {options->record, options->output, options->screenshot,
                                                       options->video};
    int error = 0;
    if (options->screenshot && is_named_otherwise(options->screenshot))
        return rv_err(EINVAL, "--screenshot=%s: pictures are PNG; name it .png", options->screenshot);
    for (size_t i = 0; i < options->n_exports; i++)
        outputs[4 + i] = options->exports[i].path;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && !error; i++)
        if (outputs[i])
            error = check_output(options, outputs, i);
    return error;
}

static int check_bench(const struct rv_options *options)
{
    const bool takes_command = strcmp(options->bench, "overhead") == 0 || strcmp(options->bench, "patch") == 0 ||
                               strcmp(options->bench, "max_overhead") == 0;
    if (options->argv && !takes_command)
        return rv_err(EINVAL, "--bench takes no COMMAND, but --bench=overhead, --bench=patch and --bench=max_overhead");
    bool takes_file = strcmp(options->bench, "codec") == 0 || strcmp(options->bench, "replay") == 0;
    if (options->n_files > 1 || (options->file && !takes_file))
        return rv_err(EINVAL, "--bench takes no FILE, but --bench=codec and --bench=replay a recording");
    return 0;
}

/* Which of the outputs that are made of waits is asked for; NULL: none. */
static const char *text_of_waits(const struct rv_options *options)
{
    return rv_options_has(options, RV_OPTION_WAITS)           ? "waits"
           : rv_options_has(options, RV_OPTION_HOLDERS)       ? "holders"
           : rv_options_has(options, RV_OPTION_CRITICAL_PATH) ? "critical-path"
                                                              : NULL;
}

/* Likewise, of those that are of no part of the capture. */
static const char *text_of_whole(const struct rv_options *options)
{
    return rv_options_has(options, RV_OPTION_WAITS)     ? "waits"
           : rv_options_has(options, RV_OPTION_HOLDERS) ? "holders"
           : rv_options_has(options, RV_OPTION_FLOWS)   ? "flows"
                                                        : NULL;
}

static int check(const struct rv_options *options)
{
    if (options->command == RV_COMMAND_HELP || options->command == RV_COMMAND_VERSION)
        return 0;
    const bool has_window = options->command == RV_COMMAND_WATCH &&
                            !options->is_headless; /* with a window, in which R begins a recording */
    if (rv_record_limit_is_set(&options->record_limit) && !rv_options_has(options, RV_OPTION_RECORD) && !has_window)
        return rv_err(EINVAL, "--%s goes with --record; see ringviz --help",
                      options->record_limit.trigger ? "trigger" : "record-limit");
    if (options->to_ns && options->to_ns <= options->from_ns)
        return rv_err(EINVAL, "--to must come after --from; see ringviz --help");
    int error = check_outputs(options);
    if (!error)
        error = check_stdout(options);
    if (error)
        return error;
    if (options->command == RV_COMMAND_BENCH)
        return check_bench(options);
    if (options->command == RV_COMMAND_CONTROL)
        return options->file || options->argv
                   ? rv_err(EINVAL, "--control=%s takes no other FILE and no COMMAND; see ringviz --help",
                            options->control)
                   : 0;
    if (options->calls_of && options->look != RV_VIEW_MODE_CALLS)
        return rv_err(EINVAL, "--calls-of goes with --view=calls; see ringviz --help");
    const bool has_rows = options->look == RV_VIEW_MODE_CALLS || options->look == RV_VIEW_MODE_TASKS;
    if (rv_options_has(options, RV_OPTION_ORDER) && !has_rows)
        return rv_err(EINVAL, "--order goes with --view=calls and --view=tasks; see ringviz --help");
    if (options->dims && !rv_filter_n_rules(options->filter))
        return rv_err(EINVAL, "--dim goes with --filter; see ringviz --help");
    if (options->aligns_tasks && options->look != RV_VIEW_MODE_TASKS)
        return rv_err(EINVAL, "--align-tasks goes with --view=tasks; see ringviz --help");
    if (options->aligns_tasks && (options->frames || options->video))
        return rv_err(EINVAL, "--align-tasks makes no film: aligned tasks have no common time; see ringviz --help");
    if (options->look == RV_VIEW_MODE_CALLS && (options->frames || options->video))
        return rv_err(EINVAL, "--view=calls makes no film: its calls have no common time; see ringviz --help");
    if (options->command == RV_COMMAND_DIFF || options->command == RV_COMMAND_MERGE)
        return check_files(options);
    if (options->n_files > 1 && options->files[1][0] == '-' && options->files[1][1])
        return rv_err(EINVAL, "%s: options go before FILE; see ringviz --help", options->files[1]);
    if (options->n_files > 1)
        return rv_err(EINVAL, "%s: one FILE only; a command goes after --; see ringviz --help", options->files[1]);
    if (options->pid && (options->file || options->argv))
        return rv_err(EINVAL, "--pid takes no FILE and no COMMAND; see ringviz --help");
    if (options->follow == RV_FOLLOW_NONE && !options->argv)
        return rv_err(EINVAL, "--follow=no goes with a COMMAND; see ringviz --help");
    if (options->follow == RV_FOLLOW_ALL && !options->pid)
        return rv_err(EINVAL, "--follow=all goes with --pid; see ringviz --help");
    const char *of_waits = text_of_waits(options), *of_whole = text_of_whole(options);
    if (options->pid && of_waits)
        return rv_err(EINVAL, "--%s: not with --pid, since the waits of a process that runs already are not known",
                      of_waits);
    if (options->command == RV_COMMAND_DETACH)
        return options->pid ? 0 : rv_err(EINVAL, "--detach goes with --pid; see ringviz --help");
    if (!options->file && !options->argv && !options->pid)
        return rv_err(EINVAL, "nothing to watch: give a FILE, -p PID, or -- COMMAND; see ringviz --help");
    if (options->command == RV_COMMAND_CHECK && !options->file)
        return rv_err(EINVAL, "--check and --repair need a recording; see ringviz --help");
    if (options->command == RV_COMMAND_INFO && !options->file)
        return rv_err(EINVAL, "--info needs a FILE; see ringviz --help");
    if (rv_options_n_texts(options) + options->has_page > 1)
        return rv_err(
            EINVAL,
            "--report, --spans, --waits, --holders, --flows and --critical-path are different outputs: give one "
            "of them");
    if (of_whole && (rv_options_has_part(options) || options->find || rv_filter_n_rules(options->filter)))
        return rv_err(EINVAL, "--%s is of the whole capture: it takes no --from, --to, --find and --filter", of_whole);
    if (options->find && rv_waited_calls_sought(options->find) && (rv_options_n_texts(options) || options->n_exports))
        return rv_err(EINVAL, "--find=wait: is for pictures and the window: --waits and --holders list what waited");
    if (options->has_lines &&
        (rv_filter_has_arguments(options->filter) || (options->find && rv_filter_is_for_arguments(options->find))))
        return rv_err(EINVAL, "--report=lines takes no rules over arguments; see ringviz --help");
    if (options->group_by.is_on && !options->has_report)
        return rv_err(EINVAL, "--group-by goes with --report as text, CSV or JSON; see ringviz --help");
    if (options->group_by.is_on &&
        (rv_options_has_part(options) || options->find || rv_filter_n_rules(options->filter)))
        return rv_err(EINVAL, "--group-by is of the whole capture: it takes no --from, --to, --find and --filter");
    if (options->flame != RV_TIME_WALL && !has_export(options, RV_EXPORT_FOLDED))
        return rv_err(EINVAL, "--flame goes with --export=folded; see ringviz --help");
    const char *capture = options->n_prototypes ? "prototypes" : options->syscalls ? "syscalls" : NULL;
    if (capture && options->file)
        return rv_err(EINVAL, "--%s goes with -p PID or -- COMMAND; see ringviz --help", capture);
    if (capture && options->map.clock_kind == RV_CLOCK_TICK)
        return rv_err(EINVAL, "--%s does not go with --clock=tick: its calls have no times of their own", capture);
    if (options->import_format && !options->file)
        return rv_err(EINVAL, "--import needs a FILE; see ringviz --help");
    if (rv_options_has(options, RV_OPTION_TRIGGER_KEEP) && !options->record_limit.trigger)
        return rv_err(EINVAL, "--trigger-keep goes with --trigger; see ringviz --help");
    if (options->speed > 0.0 && options->argv && !options->frames && !options->video)
        return rv_err(EINVAL, "--speed is for a FILE that is played and for films; see ringviz --help");
    if (options->file && options->trace_file)
        return rv_err(EINVAL, "--trace-file goes with -- COMMAND: %s is a trace file already", options->file);
    return 0;
}

/* --report=html: the export that a page is goes where a report would go. */
static int export_page(struct rv_options *options)
{
    const char *path = options->output ? options->output : "-";
    options->output = NULL;
    return add_export(options, RV_EXPORT_HTML, path);
}

/* What options that were given mean for others. */
static int imply(struct rv_options *options)
{
    static const enum rv_option_id WITHOUT_WINDOW[] = {
        RV_OPTION_REPORT,        RV_OPTION_SPANS,  RV_OPTION_WAITS,      RV_OPTION_HOLDERS, RV_OPTION_FLOWS,
        RV_OPTION_CRITICAL_PATH, RV_OPTION_EXPORT, RV_OPTION_SCREENSHOT, RV_OPTION_FRAMES,  RV_OPTION_VIDEO};
    for (size_t i = 0; i < sizeof WITHOUT_WINDOW / sizeof *WITHOUT_WINDOW; i++)
        options->is_headless |= rv_options_has(options, WITHOUT_WINDOW[i]);
    return options->has_page ? export_page(options) : 0;
}

static void take_files(struct rv_options *options, int n, char **files)
{
    static char standard_input[] = "/dev/stdin";
    for (int i = 0; i < n; i++)
        if (is_dash(files[i]))
            files[i] = standard_input;
    options->file = files[0];
    options->files = (const char *const *)files;
    options->n_files = (size_t)n;
}

/* FILE, or the command after "--". */
static int take_operands(struct rv_options *options, int argc, char **argv, bool is_after_dashes)
{
    if (options->file && optind < argc)
        return rv_err(EINVAL, "%s: --rrtrace and --perl-pid take no FILE and no COMMAND; see ringviz --help",
                      argv[optind]);
    if (is_after_dashes && optind < argc)
        options->argv = (const char *const *)&argv[optind];
    else if (optind < argc)
        take_files(options, argc - optind, argv + optind);
    return check(options);
}

/* Of getopt's refusals, those where it knows the option (optopt) are of a value that this does not take. */
static int refuse_option(const char *given)
{
    const char *meant = optopt < RV_OPTION_FIRST ? rv_misspelled_option_nearest(given) : NULL, *begun[2];
    const size_t n_begun = rv_misspelled_option_begun(given, begun, 2);
    if (optopt >= RV_OPTION_FIRST)
        return rv_err(EINVAL, "%s: takes no value; see ringviz --help", given);
    if (n_begun > 1)
        return rv_err(EINVAL, "%s: may be --%s%s --%s%s; see ringviz --help", given, begun[0],
                      n_begun > 2 ? "," : " or", begun[1], n_begun > 2 ? " or others" : "");
    if (meant)
        return rv_err(EINVAL, "%s: unknown option; --%s is one; see ringviz --help", given, meant);
    return rv_err(EINVAL, "%s: unknown option; see ringviz --help", given);
}

bool rv_options_has_other_order(const struct rv_options *options)
{
    const enum rv_row_order usual = options->look == RV_VIEW_MODE_CALLS ? RV_ROWS_LONGEST_FIRST : RV_ROWS_BY_TIME;
    return rv_options_has(options, RV_OPTION_ORDER) && options->order != usual;
}

int rv_options_parse(struct rv_options *options, int argc, char **argv)
{
    static const uint64_t KEEP_NS = 5000000000;
    *options = (struct rv_options){.width_px = 1600, .height_px = 900, .fps = 30, .trigger_keep = {KEEP_NS, KEEP_NS}};
    rv_filter_set_mode(&options->filter, RV_FILTER_HIDE);
    int error = rv_gem_command_line(&argc, &argv);
    if (error)
        return error;
    struct option getopt_table[RV_N_OPTIONS + 1];
    fill_getopt(getopt_table);
    opterr = 0;
    int id, n_read;
    while (n_read = optind, (id = getopt_long(argc, argv, "+:hp:x:F:", getopt_table, NULL)) != -1) {
        if (id == 'p')
            id = RV_OPTION_PID;
        if (id == 'F')
            id = RV_OPTION_PROTOTYPES;
        if (id == 'h')
            id = RV_OPTION_HELP;
        if (id == '?')
            return refuse_option(argv[n_read]);
        if (id == ':')
            return rv_err(EINVAL, "%s: needs a value; see ringviz --help", argv[n_read]);
        error =
            id == 'x' ? add_functions_everywhere(options, optarg) : set_option(options, (enum rv_option_id)id, optarg);
        if (error)
            return error;
        options->is_given[(id == 'x' ? RV_OPTION_PATCH : id) - RV_OPTION_FIRST] = true;
    }
    error = check_company(options);
    if (error)
        return error;
    choose_functions(options);
    error = imply(options);
    if (error)
        return error;
    if (options->dims)
        rv_filter_set_mode(&options->filter, RV_FILTER_DIM);
    if (options->record_limit.trigger)
        rv_trigger_set_keep(options->record_limit.trigger, options->trigger_keep);
    return take_operands(options, argc, argv, optind > n_read); /* getopt has skipped "--" */
}

double rv_options_max_overhead(const struct rv_options *options)
{
    if (options->max_overhead)
        return options->max_overhead / 100.0;
    if (options->has_any_overhead || rv_options_has(options, RV_OPTION_PATCH) ||
        rv_options_has(options, RV_OPTION_LIBCALLS) || options->include || options->file)
        return 0;
    return options->pid ? 0.1 : 0.5;
}

void rv_options_fini(struct rv_options *options)
{
    rv_filter_release(options->filter);
    rv_trigger_destroy(options->record_limit.trigger);
}
