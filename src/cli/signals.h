/* The signals that end a watch: INT and QUIT, of which the command may get some, TERM and HUP. */
#ifndef RV_CLI_SIGNALS_H
#define RV_CLI_SIGNALS_H

#include <stdbool.h>

#include "source/source.h"

/* Count INT and QUIT from now on. flags: of sigaction(2), besides SA_RESTART. */
void rv_signals_catch_interrupts(int flags);

/* How many there were. Any thread. */
unsigned rv_signals_n_interrupts(void);

/* TERM and HUP wait until they are caught: only the source knows whether it heeds one. */
void rv_signals_hold_ends(void);

/* Ask the source about each TERM and HUP from now on. The source is borrowed until they are released. */
void rv_signals_catch_ends(const struct rv_source *source);

/* They end the process from now on. */
void rv_signals_release_ends(void);

/* What a TERM or HUP does that is heeded. In a signal's handler. */
void rv_signals_end(int signal_number);

/* Was there one? Warns of each that the source did not heed. Main thread. */
bool rv_signals_has_end(void);

#endif
