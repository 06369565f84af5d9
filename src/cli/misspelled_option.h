/* What the user may have meant by an option that does not exist. */
#ifndef RV_CLI_MISSPELLED_OPTION_H
#define RV_CLI_MISSPELLED_OPTION_H

#include <stddef.h>

/* How many options begin with an argument ("--rec=x"); the names of the first ones, at most `most`. Borrowed from the
 * table of options. */
size_t rv_misspelled_option_begun(const char *given, const char **names, size_t most);

/*
 * The nearest name of an option, by letters that are missing, superfluous or others; two that changed places are one
 * fault.
 *   given    an argument: "--repotr=csv"
 *   returns  "report"; NULL: more than every third letter is wrong. Borrowed, too
 */
const char *rv_misspelled_option_nearest(const char *given);

#endif
