/*
 * A request for what is to be patched, line by line:
 *
 *     auto               the functions of the program but trivial ones, where it has no hooks of its own; and where few
 *                        of them have names, the calls that it makes of others' functions, too
 *     off                none of its own
 *     REGEX[@LIBRARY]    those with these names, of the program or of libraries whose path has LIBRARY in it; several,
 *                        each on a line; with @ and no LIBRARY those of all
 *     \tREGEX[@LIBRARY]  behind a tab: calls of functions with these names: those that the program makes of any; with
 *                        LIBRARY those that all objects make of libraries whose path has it; with @ alone, of any
 */
#ifndef RV_PRODUCERS_NATIVE_WANTED_LINES_H
#define RV_PRODUCERS_NATIVE_WANTED_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "producers/native/visibility.h"

#define RV_WANTED_LINES_BYTES 4096u /* of a request */

struct rv_wanted_line { /* borrows the request's text */
    const char *regex, *library;
    size_t n_regex, n_library; /* n_library: 0: any */
    bool has_library;          /* else it is about the program */
    bool is_of_calls;          /* else it is about functions that are patched */
};

/* The next line, from *request, which moves behind it. False: there is none. */
RV_HIDDEN bool rv_wanted_lines_next(const char **request, struct rv_wanted_line *line);

/* Is the line "auto", or "off"? */
RV_HIDDEN bool rv_wanted_line_is_word(const struct rv_wanted_line *line, const char *word);

/* Is it about the object with this name, as the loader has it: "" is the program? */
RV_HIDDEN bool rv_wanted_line_is_about(const struct rv_wanted_line *line, const char *object);

#endif
