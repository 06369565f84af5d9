/*
 * Every option: its name, its argument and its help. getopt's table, the values that are accepted, --help,
 * the man page's OPTIONS and the completions of bash and zsh are made from this.
 */
#ifndef RV_CLI_OPTION_LOOKUP_H
#define RV_CLI_OPTION_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

enum rv_option_command {
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

enum { RV_OPTION_FIRST = 256 /* behind the characters of short options */ };

#define OPTION(id, ...) RV_OPTION_##id,
enum rv_option_id {
    RV_OPTION_BEFORE = RV_OPTION_FIRST - 1,
#include "cli/option_rows.h"
    RV_OPTION_END
};
#undef OPTION

enum { RV_N_OPTIONS = RV_OPTION_END - RV_OPTION_FIRST, RV_OPTION_TEXT_BYTES = 8192 /* for the text of any option */ };

/*
 * A text is one paragraph; lines are broken where it is printed. `x` is x as the user types it; a word in capitals that
 * is in the argument is a placeholder; {} becomes the words of the value, with commas.
 */
struct rv_option_entry {
    enum rv_option_id id;
    unsigned commands; /* that accept it: bits, by enum rv_option_command */
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
