/* Names of flags and notes in outputs. */
#ifndef RV_EXPORT_NOTE_WORDS_H
#define RV_EXPORT_NOTE_WORDS_H

#include <stdint.h>

#include "model/lanes.h"
#include "ringviz/wire.h"

/* "cut", "orphan", "open", "doubtful", joined by '|'; "" for none. */
const char *rv_span_flag_words(uint32_t flags);

/* "GC", "lost events", "thread started"...; "" of MARK and VALUE, which have their own names. */
const char *rv_note_words(const struct rv_lane_note *note);

/* Instead of the name of a note that stands for several. */
#define RV_NOTE_SEVERAL_WORDS "several names"

/* How certain it is who ended a wait. */
const char *rv_wake_word(enum rv_wake wake);

#endif
