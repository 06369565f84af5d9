/* A source of streams whose events are in memory: it sends the next few events of each stream in turn. */
#ifndef RV_TEST_SENDER_H
#define RV_TEST_SENDER_H

#include "source/source.h"

enum { SENDER_MOST_STREAMS = 5 };

struct sender {
    struct rv_source source; /* first */
    uint64_t random;
    uint32_t n_streams;
    uint32_t few, most; /* events of a batch: up to few three times of four, else up to most */
    struct sent {
        const struct rv_event *events; /* the caller's; NULL: nothing of the stream is sent, not even its end */
        uint32_t n, n_sent;
        uint64_t last_ns, rest_ns; /* from its last event to its end */
        void *stream;
    } streams[SENDER_MOST_STREAMS];
};

/* Nothing to send yet; draws its batches from this seed. Give it its streams, few and most. */
void sender_init(struct sender *sender, uint64_t random);

#endif
