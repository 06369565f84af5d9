#include "export/words.h"

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
    switch ((enum rv_note_kind)note->kind) {
    case RV_NOTE_GC:
        return "GC";
    case RV_NOTE_LOST:
        return "lost events";
    case RV_NOTE_STATE:
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
        case RV_THREAD_STATE_COUNT:
            break;
        }
        return "thread";
    case RV_NOTE_PREEMPTED:
        return "runnable";
    case RV_NOTE_BLOCKED:
        return "blocked";
    case RV_NOTE_UNKNOWN:
        return "not known";
    case RV_NOTE_MARK:
    case RV_NOTE_VALUE:
    case RV_NOTE_KIND_COUNT:
        break;
    }
    return "";
}
