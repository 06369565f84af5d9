#include "pipeline/stream_table.h"

static void add(struct rv_stream_account *sum, const struct rv_stream_account *account)
{
    sum->n_produced += account->n_produced;
    sum->n_consumed += account->n_consumed;
    sum->n_dropped += account->n_dropped;
}

void rv_roster_init(struct rv_roster *roster, size_t n_jobs)
{
    *roster = (struct rv_roster){.n_jobs = n_jobs};
    pthread_mutex_init(&roster->lock, NULL);
}

static void destroy_all(struct rv_stream *first)
{
    for (struct rv_stream *stream = first, *next; stream; stream = next) {
        next = stream->next;
        rv_stream_destroy(stream);
    }
}

void rv_roster_fini(struct rv_roster *roster)
{
    destroy_all(roster->running);
    destroy_all(roster->ended);
    destroy_all(roster->summed);
    pthread_mutex_destroy(&roster->lock);
}

struct rv_stream *rv_roster_take(struct rv_roster *roster)
{
    pthread_mutex_lock(&roster->lock);
    struct rv_stream *stream = roster->ended;
    if (stream)
        roster->ended = stream->next;
    pthread_mutex_unlock(&roster->lock);
    return stream ? stream : rv_stream_create(roster->n_jobs);
}

void rv_roster_list(struct rv_roster *roster, struct rv_stream *stream)
{
    pthread_mutex_lock(&roster->lock);
    stream->previous = NULL;
    stream->next = roster->running;
    if (stream->next)
        stream->next->previous = stream;
    roster->running = stream;
    pthread_mutex_unlock(&roster->lock);
}

void rv_roster_unlist(struct rv_roster *roster, struct rv_stream *stream)
{
    pthread_mutex_lock(&roster->lock);
    add(&roster->accounts, &stream->account);
    *(stream->previous ? &stream->previous->next : &roster->running) = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    pthread_mutex_unlock(&roster->lock);
}

void rv_roster_put(struct rv_roster *roster, struct rv_stream *stream)
{
    struct rv_stream **list = stream->n_blocks ? &roster->summed : &roster->ended;
    if (list == &roster->ended)
        rv_stream_end(stream);
    pthread_mutex_lock(&roster->lock);
    stream->next = *list;
    *list = stream;
    pthread_mutex_unlock(&roster->lock);
}

struct rv_stream_account rv_roster_account(struct rv_roster *roster)
{
    pthread_mutex_lock(&roster->lock);
    struct rv_stream_account sum = roster->accounts;
    for (struct rv_stream *stream = roster->running; stream; stream = stream->next) {
        pthread_mutex_lock(&stream->lock);
        add(&sum, &stream->account);
        pthread_mutex_unlock(&stream->lock);
    }
    pthread_mutex_unlock(&roster->lock);
    return sum;
}
