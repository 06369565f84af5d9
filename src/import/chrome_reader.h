/* State of a Chrome trace while it is read, sorted and emitted. */
#ifndef RV_IMPORT_CHROME_READER_H
#define RV_IMPORT_CHROME_READER_H

#include "import/chrome_json_parser.h"
#include "import/chrome_samples.h"
#include "import/external_sort.h"
#include "import/import.h"

/* A thread's rows: samples and calls that do not nest have rows of their own. */
enum { RV_CHROME_ROW_CALLS, RV_CHROME_ROW_SAMPLES, RV_CHROME_ROW_OVERLAPS };

struct rv_chrome_group { /* asynchronous calls of one category in one process */
    uint32_t process, category;
};

struct rv_chrome_reader {
    struct rv_import *import;
    struct rv_external_sort *sorter; /* of struct rv_chrome_record */
    uint64_t n_records;
    int64_t end_ns; /* the latest time in the trace */
    struct rv_chrome_group *groups;
    size_t n_groups, groups_capacity;
    struct rv_hash_index group_index;
    struct rv_chrome_samples samples;
    struct rv_hash_index by_number; /* threads of events, + 1, by their number */
    uint32_t last_numbered; /* the thread of the latest event that has a number, + 1; most follow one of the same */
};

/* Fits rv_chrome_event_fn; context is the reader. */
int rv_chrome_reader_event(void *context, const struct rv_chrome_event *event);

/* The kernel's scheduler has changed the state of a thread, whose process may not be known yet. It is shown if the
 * thread has events. */
int rv_chrome_reader_state(struct rv_chrome_reader *reader, uint64_t tid, int64_t ns, enum rv_thread_state state,
                           uint16_t cpu);

/* A CPU goes from one thread to another: left is what has become of the first, as Fuchsia's kernel numbers states. */
int rv_chrome_reader_switch(struct rv_chrome_reader *reader, const uint64_t tids[2], int64_t ns, unsigned left,
                            uint16_t cpu);

/* The thread of events with this number, when all is read; RV_EVENT_BUILDER_NONE if it has none. */
uint32_t rv_chrome_reader_thread(const struct rv_chrome_reader *reader, uint64_t tid);
void rv_chrome_reader_fini(struct rv_chrome_reader *reader);

#endif
