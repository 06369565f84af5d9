/* Arguments of console commands: words, numbers and threads. */
#ifndef RV_DEBUGGER_CONSOLE_ARGUMENTS_H
#define RV_DEBUGGER_CONSOLE_ARGUMENTS_H

#include "debugger/console.h"

/*
 * The ring given by the argument, or if it is empty the chosen one, else the first; false if there is none, with an
 * error printed. Waits a while for a program that was just started.
 *   any  accept threads of all producers; debuggable ones come first
 */
bool rv_console_arguments_parse(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_console_arguments_parse_any(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_console_arguments_find(struct rv_console *console, uint32_t *ring);
bool rv_console_arguments_find_any(struct rv_console *console, uint32_t *ring);

/* Parse a decimal number. */
bool rv_console_arguments_number(const char *text, uint32_t *number);

/* The length of the first word of text, its rest in *rest; and is a word of n bytes this one? */
size_t rv_console_arguments_split(const char *text, const char **rest);
bool rv_console_arguments_is_word(const char *text, size_t n, const char *word);

/* Call for each ring with a debuggable thread; prints an error if there is none. */
typedef void rv_console_arguments_each_fn(struct rv_console *console, uint32_t ring, const void *context);
void rv_console_arguments_each(struct rv_console *console, rv_console_arguments_each_fn *each, const void *context);

/* Is there any live thread? */
bool rv_console_arguments_has_live(struct rv_console *console);

#endif
