/* Every option: its name, its argument and what --help says of it. What each does is in options.c. */
#ifndef RV_CLI_OPTION_TABLE_H
#define RV_CLI_OPTION_TABLE_H

enum rv_command {
    RV_COMMAND_WATCH, /* and all that comes of it */
    RV_COMMAND_INFO,
    RV_COMMAND_CHECK, /* and --repair */
    RV_COMMAND_DIFF,
    RV_COMMAND_MERGE,
    RV_COMMAND_CONTROL,
    RV_COMMAND_BENCH,
    RV_COMMAND_HELP,
    RV_COMMAND_VERSION
};

enum rv_option_id {
    RV_OPTION_HEADLESS = 256,
    RV_OPTION_REPORT,
    RV_OPTION_SPANS,
    RV_OPTION_EXPORT,
    RV_OPTION_FAIL_ON_LOSS,
    RV_OPTION_FORCE,
    RV_OPTION_DIFF,
    RV_OPTION_MERGE,
    RV_OPTION_INFO,
    RV_OPTION_CHECK,
    RV_OPTION_REPAIR,
    RV_OPTION_OUTPUT,
    RV_OPTION_RECORD,
    RV_OPTION_RECORD_LIMIT,
    RV_OPTION_TRIGGER,
    RV_OPTION_TRIGGER_KEEP,
    RV_OPTION_SCREENSHOT,
    RV_OPTION_FRAMES,
    RV_OPTION_VIDEO,
    RV_OPTION_FPS,
    RV_OPTION_SPEED,
    RV_OPTION_VIEW,
    RV_OPTION_COLOR,
    RV_OPTION_THEME,
    RV_OPTION_SIZE,
    RV_OPTION_AT,
    RV_OPTION_WINDOW,
    RV_OPTION_FIND,
    RV_OPTION_FILTER,
    RV_OPTION_FROM,
    RV_OPTION_TO,
    RV_OPTION_POLICY,
    RV_OPTION_DRAIN_INTERVAL,
    RV_OPTION_RING_EVENTS,
    RV_OPTION_RINGS,
    RV_OPTION_SLOTS,
    RV_OPTION_SLOT_SIZE,
    RV_OPTION_MESSAGE_SIZE,
    RV_OPTION_GLOBAL_SIZE,
    RV_OPTION_TRACE_FILE,
    RV_OPTION_INCLUDE,
    RV_OPTION_EXCLUDE,
    RV_OPTION_MAX_DEPTH,
    RV_OPTION_DURATION,
    RV_OPTION_IMPORT,
    RV_OPTION_RRTRACE,
    RV_OPTION_PERL_PID,
    RV_OPTION_CONTROL,
    RV_OPTION_CLOCK,
    RV_OPTION_THREADS,
    RV_OPTION_MEMORY,
    RV_OPTION_BENCH,
    RV_OPTION_JSON,
    RV_OPTION_VERBOSE,
    RV_OPTION_VERSION,
    RV_OPTION_HELP,
    RV_OPTION_END
};

struct rv_option_entry {
    enum rv_option_id id;
    unsigned commands; /* that it goes with: bits, by enum rv_command */
    const char *name;
    const char *argument; /* NULL = none; "[=X]" = optional */
    const char *help;     /* lines separated by \n */
};

enum { RV_N_OPTIONS = RV_OPTION_END - RV_OPTION_HEADLESS };

/* In the order of --help. */
extern const struct rv_option_entry RV_OPTION_TABLE[RV_N_OPTIONS];

#endif
