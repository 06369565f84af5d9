/*
 * Every option: its name, its argument and its help. getopt's table, the values that are accepted, --help,
 * the man page's OPTIONS and the completions of bash and zsh are made from this. What each does is in options.c.
 */
#ifndef RV_CLI_OPTION_TABLE_H
#define RV_CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum rv_command {
    RV_COMMAND_WATCH, /* capture, show, record, export */
    RV_COMMAND_INFO,
    RV_COMMAND_CHECK, /* and --repair */
    RV_COMMAND_DIFF,
    RV_COMMAND_MERGE,
    RV_COMMAND_CONTROL,
    RV_COMMAND_BENCH,
    RV_COMMAND_DETACH,
    RV_COMMAND_HELP,
    RV_COMMAND_VERSION
};

enum rv_option_id {
    RV_OPTION_HEADLESS = 256,
    RV_OPTION_REPORT,
    RV_OPTION_GROUP_BY,
    RV_OPTION_SPANS,
    RV_OPTION_WAITS,
    RV_OPTION_FLOWS,
    RV_OPTION_CRITICAL_PATH,
    RV_OPTION_EXPORT,
    RV_OPTION_OUTPUT,
    RV_OPTION_FORCE,
    RV_OPTION_FAIL_ON_LOSS,
    RV_OPTION_RECORD,
    RV_OPTION_RECORD_LIMIT,
    RV_OPTION_TRIGGER,
    RV_OPTION_TRIGGER_KEEP,
    RV_OPTION_INFO,
    RV_OPTION_CHECK,
    RV_OPTION_REPAIR,
    RV_OPTION_DIFF,
    RV_OPTION_MERGE,
    RV_OPTION_FIND,
    RV_OPTION_FILTER,
    RV_OPTION_FROM,
    RV_OPTION_TO,
    RV_OPTION_VIEW,
    RV_OPTION_CALLS_OF,
    RV_OPTION_COLOR,
    RV_OPTION_THEME,
    RV_OPTION_SCREENSHOT,
    RV_OPTION_SIZE,
    RV_OPTION_AT,
    RV_OPTION_WINDOW,
    RV_OPTION_FRAMES,
    RV_OPTION_VIDEO,
    RV_OPTION_FPS,
    RV_OPTION_SPEED,
    RV_OPTION_INCLUDE,
    RV_OPTION_EXCLUDE,
    RV_OPTION_MAX_DEPTH,
    RV_OPTION_MAX_OVERHEAD,
    RV_OPTION_PATCH,
    RV_OPTION_LIBCALLS,
    RV_OPTION_PROTOTYPES,
    RV_OPTION_SYSCALLS,
    RV_OPTION_STRING_SIZE,
    RV_OPTION_STATES,
    RV_OPTION_FLAME,
    RV_OPTION_DURATION,
    RV_OPTION_IMPORT,
    RV_OPTION_RRTRACE,
    RV_OPTION_PID,
    RV_OPTION_DETACH,
    RV_OPTION_PERL_PID,
    RV_OPTION_CONTROL,
    RV_OPTION_POLICY,
    RV_OPTION_DRAIN_INTERVAL,
    RV_OPTION_RING_EVENTS,
    RV_OPTION_RINGS,
    RV_OPTION_SLOTS,
    RV_OPTION_SLOT_SIZE,
    RV_OPTION_MESSAGE_SIZE,
    RV_OPTION_GLOBAL_SIZE,
    RV_OPTION_TRACE_FILE,
    RV_OPTION_CLOCK,
    RV_OPTION_THREADS,
    RV_OPTION_MEMORY,
    RV_OPTION_HISTORY,
    RV_OPTION_BENCH,
    RV_OPTION_JSON,
    RV_OPTION_VERBOSE,
    RV_OPTION_VERSION,
    RV_OPTION_HELP,
    RV_OPTION_END
};

enum { RV_N_OPTIONS = RV_OPTION_END - RV_OPTION_HEADLESS };

/*
 * A text is one paragraph; lines are broken where it is printed. `x` is x as the user types it; a word in capitals that
 * is in the argument is a placeholder; {} becomes the words of the value, with commas.
 */
struct rv_option_entry {
    enum rv_option_id id;
    unsigned commands; /* that accept it: bits, by enum rv_command */
    const char *name;
    const char *argument; /* "=SIZE", "=dark|light"; "[=X]" = optional; NULL = none */
    const char *values;   /* words of a value that the argument does not name, with spaces between; "x:" = something
                             follows; NULL = none */
    const char *help;     /* the first sentence, without its period */
    const char *details;  /* the other sentences, for the man page and --help=NAME; NULL = none */
};

/* In the order of --help. */
extern const struct rv_option_entry RV_OPTION_TABLE[RV_N_OPTIONS];

/* The heading above the entry; NULL when the entry belongs to the heading before it. */
const char *rv_option_heading(const struct rv_option_entry *entry);

/* The entry of this name, without dashes; NULL if there is none. */
const struct rv_option_entry *rv_option_named(const char *name);

/* A word that is a valid value of the option; text is not terminated. */
struct rv_option_word {
    const char *text;
    int length;
};

/* The i-th word, in the order of the enum that it stands for; false after the last. */
bool rv_option_word(const struct rv_option_entry *entry, int i, struct rv_option_word *word);

/* Text with {} replaced by the words of the value. Returns out, cut if it does not fit. */
char *rv_option_text(const struct rv_option_entry *entry, const char *text, char *out, size_t out_bytes);

/* The whole help of an option, as sentences. Returns out, cut if it does not fit. */
char *rv_option_paragraph(const struct rv_option_entry *entry, char *out, size_t out_bytes);

#endif
