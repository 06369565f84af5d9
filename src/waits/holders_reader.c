#include "waits/holders_reader.h"

#include "waits/reader.h"

struct collecting {
    struct rv_wait_reader *reader;
    struct rv_holder_collector collector;
};

static bool add_wait(void *context, const struct rv_wait *wait, rv_wait_place place)
{
    struct collecting *collecting = context;
    const struct rv_wait_edge edge = rv_wait_reader_edge(collecting->reader, wait);
    (void)place;
    rv_holder_collector_add(&collecting->collector, &edge);
    return true;
}

static bool add_release(void *context, const struct rv_release *release)
{
    struct collecting *collecting = context;
    rv_holder_collector_add_release(&collecting->collector, release);
    return true;
}

const struct rv_holders *rv_holders_read(struct rv_waits *waits, bool *is_incomplete)
{
    struct collecting collecting = {.reader = rv_wait_reader_open(waits, NULL, NULL),
                                    .collector.most_held_rows = UINT32_MAX};
    rv_wait_reader_each(collecting.reader, 0, UINT64_MAX, add_wait, &collecting);
    rv_wait_reader_each_release(collecting.reader, 0, UINT64_MAX, add_release, &collecting);
    if (is_incomplete)
        *is_incomplete = rv_wait_reader_has_missed(collecting.reader) || rv_waits_state(waits).n_gone;
    rv_wait_reader_close(collecting.reader);
    return rv_holders_create(&collecting.collector);
}
