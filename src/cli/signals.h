/* The signals that end ringviz: INT and QUIT, which the command may get too, TERM and HUP. */
#ifndef RV_CLI_SIGNALS_H
#define RV_CLI_SIGNALS_H

#include <stdbool.h>

#include "source/source.h"

/* Count INT and QUIT from now on. flags: of sigaction(2), besides SA_RESTART. */
void rv_signals_catch_interrupts(int flags);

/* Number of these so far. Any thread. */
unsigned rv_signals_n_interrupts(void);

/* Block TERM and HUP until they are caught: the source decides whether to heed one. */
void rv_signals_hold_ends(void);

/* Ask the source about each TERM and HUP from now on. The source is borrowed until they are released. */
void rv_signals_catch_ends(const struct rv_source *source);

/* Restore the default: they end the process. */
void rv_signals_release_ends(void);

/* The effect of a heeded TERM or HUP. In a signal handler. */
void rv_signals_end(int signal_number);

/* Was there one? Warns about one that the source ignored. Main thread. */
bool rv_signals_has_end(void);

#endif
