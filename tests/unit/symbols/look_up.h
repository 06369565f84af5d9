/* The id of one address at a time, as a drain gets it: by translating an event. */
#ifndef TESTS_SYMBOLS_LOOK_UP_H
#define TESTS_SYMBOLS_LOOK_UP_H

#include <string.h>

#include "symbols/symbolizer.h"

static inline uint32_t look_up(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns)
{
    struct rv_event event;
    const uint64_t words[2] = {(uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT | at_ns, rv_event_word_at(address, 0)};
    memcpy(&event, words, sizeof event);
    rv_symbolizer_translate(process, &event, 1);
    return event.id;
}

#endif
