/* Which thread a command of the console is about. */
#ifndef RV_CONTROL_CHOICE_H
#define RV_CONTROL_CHOICE_H

#include "control/console.h"

bool rv_choice_is_steered(struct rv_console *console, uint32_t ring);

/*
 * That of the argument, or where it is empty the chosen one, else the first; false where there is none, said. A program
 * that was just started may need a while.
 *   any  threads of all producers will do; those that can be steered come first
 */
bool rv_choice_parse(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_choice_parse_any(struct rv_console *console, const char *argument, uint32_t *ring);
bool rv_choice_find(struct rv_console *console, uint32_t *ring);
bool rv_choice_find_any(struct rv_console *console, uint32_t *ring);

/* A decimal number, and nothing else. */
bool rv_choice_number(const char *text, uint32_t *number);

#endif
