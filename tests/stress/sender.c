#include "sender.h"

#include "../unit/scan/streams.h"

static void open_stream(struct sender *sender, uint32_t idx, const struct rv_intake *intake)
{
    const struct rv_stream_info info = {
        .pid = 1, .tid = idx + 1, .process_name = "sender", .thread_name = "", .ring = idx};
    sender->streams[idx].stream = intake->open_stream(intake->context, &info);
}

static void close_stream(const struct sent *sent, const struct rv_intake *intake)
{
    intake->account_stream(intake->context, sent->stream, &(struct rv_stream_account){sent->n, sent->n, 0});
    intake->close_stream(intake->context, sent->stream, sent->last_ns + sent->rest_ns);
}

static bool send_some(struct sender *sender, struct sent *sent, const struct rv_intake *intake)
{
    uint32_t n_left = sent->n - sent->n_sent;
    uint32_t n = 1 + random_below(&sender->random, random_below(&sender->random, 4) ? sender->few : sender->most);
    if (n_left == 0)
        return false;
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    if (!batch)
        return true;
    batch->stream = sent->stream;
    sent->n_sent += rv_batch_fill(batch, sent->events + sent->n_sent, n < n_left ? n : n_left, &sent->last_ns);
    intake->submit_batch(intake->context, batch);
    if (sent->n_sent == sent->n)
        close_stream(sent, intake);
    return true;
}

static enum rv_source_status poll_sender(struct rv_source *source, const struct rv_intake *intake)
{
    struct sender *sender = (struct sender *)source;
    bool has_sent = false;
    for (uint32_t i = 0; i < sender->n_streams; i++) {
        if (!sender->streams[i].stream)
            open_stream(sender, i, intake);
        has_sent |= send_some(sender, &sender->streams[i], intake);
    }
    return has_sent ? RV_SOURCE_MOVED : RV_SOURCE_ENDED;
}

static void do_nothing(struct rv_source *source)
{
    (void)source;
}

static void define_nothing(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source, (void)intake, (void)is_final;
}

void sender_init(struct sender *sender, uint64_t random)
{
    *sender = (struct sender){
        .source = {.poll = poll_sender, .nap = do_nothing, .resolve = define_nothing, .close = do_nothing},
        .random = random};
}
