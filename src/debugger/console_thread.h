/* What a command of the console is about: its words, and its threads. */
#ifndef RV_DEBUGGER_CONSOLE_THREAD_H
#define RV_DEBUGGER_CONSOLE_THREAD_H

#include "debugger/console.h"

/*
 * That of the argument, or where it is empty the chosen one, else the first; false where there is none, said. A program
 * that was just started may need a while.
 *   any  threads of all producers will do; those that can be steered come first
 */
bool rv_console_thread_parse(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_console_thread_parse_any(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_console_thread_find(struct rv_console *console, uint32_t *ring);
bool rv_console_thread_find_any(struct rv_console *console, uint32_t *ring);

/* A decimal number, and nothing else. */
bool rv_console_thread_number(const char *text, uint32_t *number);

/* The length of the first word of text, its rest in *rest; and is a word of n bytes this one? */
size_t rv_console_thread_split(const char *text, const char **rest);
bool rv_console_thread_is_word(const char *text, size_t n, const char *word);

/* Each ring whose thread can be steered; that there is none is said. */
typedef void rv_console_thread_each_fn(struct rv_console *console, uint32_t ring, const void *context);
void rv_console_thread_each(struct rv_console *console, rv_console_thread_each_fn *each, const void *context);

/* Is there any thread that lives? */
bool rv_console_thread_has_live(struct rv_console *console);

#endif
