/* A sortable event of a Chrome trace: ordered by time; at equal times as written, complete calls last. */
#ifndef RV_IMPORT_CHROME_RECORD_H
#define RV_IMPORT_CHROME_RECORD_H

#include <stdint.h>

enum rv_chrome_phase {
    RV_CHROME_BEGIN,
    RV_CHROME_END, /* id 0: ends the innermost call */
    RV_CHROME_COMPLETE,
    RV_CHROME_ASYNC_BEGIN, /* thread is a group of rows; key identifies the asynchronous call */
    RV_CHROME_ASYNC_END,
    RV_CHROME_ASYNC_MARK,
    RV_CHROME_FLOW_BEGIN, /* key: the flow's id */
    RV_CHROME_FLOW_STEP,
    RV_CHROME_FLOW_END,
    RV_CHROME_FLOW_END_AT_NEXT, /* in the thread's next call */
    RV_CHROME_MARK,
    RV_CHROME_VALUE,
    RV_CHROME_GC_START,
    RV_CHROME_GC_END,
    RV_CHROME_SAMPLE, /* key: hash of the stack frame's number */
    RV_CHROME_STATE   /* key: the thread's number; thread: enum rv_thread_state; id: CPU */
};

struct rv_chrome_record {
    int64_t ns;
    uint64_t order;
    union {
        int64_t end_ns; /* COMPLETE: RV_CALL_NESTING_NO_END if unknown */
        uint64_t key;
        double value;
    };
    uint32_t thread, id;
    uint32_t phase;   /* enum rv_chrome_phase */
    uint32_t is_open; /* COMPLETE: the trace says that it had not ended */
};
_Static_assert(sizeof(struct rv_chrome_record) == 40, "records are sorted by the million");

#endif
