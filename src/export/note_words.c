#include "export/note_words.h"

#include "ringviz/wire.h"
#include "scan/span.h"

const char *rv_span_flag_words(uint32_t flags)
{
    static const char *const words[] = {
        "",
        "cut",
        "orphan",
        "cut|orphan",
        "open",
        "cut|open",
        "orphan|open",
        "cut|orphan|open",
        "doubtful",
        "cut|doubtful",
        "orphan|doubtful",
        "cut|orphan|doubtful",
        "open|doubtful",
        "cut|open|doubtful",
        "orphan|open|doubtful",
        "cut|orphan|open|doubtful",
    };
    return words[flags & (RV_SPAN_CUT | RV_SPAN_ORPHAN | RV_SPAN_OPEN | RV_SPAN_DOUBTFUL)];
}

const char *rv_note_words(const struct rv_lane_note *note)
{
    if (!rv_note_is(note, RV_NOTE_FORM_STATE))
        return rv_note_facts[note->kind].words;
    switch ((enum rv_thread_state)note->id) {
    case RV_THREAD_STARTED:
        return "thread started";
    case RV_THREAD_READY:
        return "thread ready";
    case RV_THREAD_SUSPENDED:
        return "thread suspended";
    case RV_THREAD_RESUMED:
        return "thread resumed";
    case RV_THREAD_EXITED:
        return "thread exited";
    case RV_THREAD_RUNNING: /* notes of their own */
    case RV_THREAD_PREEMPTED:
    case RV_THREAD_BLOCKED:
    case RV_THREAD_UNKNOWN:
    case RV_THREAD_MADE: /* none */
    case RV_THREAD_STATE_COUNT:
        break;
    }
    return "thread";
}

const char *rv_wake_word(enum rv_wake wake)
{
    static const char *const words[RV_WAKE_COUNT] = {[RV_WAKE_UNKNOWN] = "unknown",
                                                     [RV_WAKE_EXACT] = "exact",
                                                     [RV_WAKE_OWNER] = "owner",
                                                     [RV_WAKE_LIKELY] = "likely",
                                                     [RV_WAKE_TIMEOUT] = "timeout"};
    return words[wake];
}
