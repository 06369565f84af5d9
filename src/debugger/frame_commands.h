/* Commands about a thread's frames: selection, source lines, values. */
#ifndef RV_DEBUGGER_FRAME_COMMANDS_H
#define RV_DEBUGGER_FRAME_COMMANDS_H

#include "debugger/console.h"
#include "debugger/session.h"

/* The selected frame: 0 (the innermost) until another is selected, and again after the thread has moved. */
uint32_t rv_frame_commands_selected(struct rv_console *console, uint32_t ring);

/* Place of that frame; false with an error printed if its file and line are unknown. */
bool rv_frame_commands_place(struct rv_console *console, uint32_t ring, struct rv_debug_session_frame *frame);

void rv_frame_commands_stack(struct rv_console *console, const char *argument);     /* [RING] */
void rv_frame_commands_up(struct rv_console *console, const char *argument);        /* [N] */
void rv_frame_commands_down(struct rv_console *console, const char *argument);      /* [N] */
void rv_frame_commands_choose(struct rv_console *console, const char *argument);    /* [N] */
void rv_frame_commands_list(struct rv_console *console, const char *argument);      /* [[FILE:]LINE] */
void rv_frame_commands_eval(struct rv_console *console, const char *argument);      /* EXPR */
void rv_frame_commands_set_depth(struct rv_console *console, const char *argument); /* [N] */

#endif
