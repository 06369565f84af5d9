#include "pipeline/stream_table.h"

static void add(struct rv_stream_account *sum, const struct rv_stream_account *account)
{
    sum->n_produced += account->n_produced;
    sum->n_consumed += account->n_consumed;
    sum->n_dropped += account->n_dropped;
}

void rv_stream_table_init(struct rv_stream_table *stream_table, size_t n_jobs)
{
    *stream_table = (struct rv_stream_table){.n_jobs = n_jobs};
    pthread_mutex_init(&stream_table->lock, NULL);
}

static void destroy_all(struct rv_stream *first)
{
    for (struct rv_stream *stream = first, *next; stream; stream = next) {
        next = stream->next;
        rv_stream_destroy(stream);
    }
}

void rv_stream_table_fini(struct rv_stream_table *stream_table)
{
    destroy_all(stream_table->running);
    destroy_all(stream_table->ended);
    destroy_all(stream_table->summed);
    pthread_mutex_destroy(&stream_table->lock);
}

struct rv_stream *rv_stream_table_take(struct rv_stream_table *stream_table)
{
    pthread_mutex_lock(&stream_table->lock);
    struct rv_stream *stream = stream_table->ended;
    if (stream)
        stream_table->ended = stream->next;
    pthread_mutex_unlock(&stream_table->lock);
    return stream ? stream : rv_stream_create(stream_table->n_jobs);
}

void rv_stream_table_list(struct rv_stream_table *stream_table, struct rv_stream *stream)
{
    pthread_mutex_lock(&stream_table->lock);
    stream->previous = NULL;
    stream->next = stream_table->running;
    if (stream->next)
        stream->next->previous = stream;
    stream_table->running = stream;
    pthread_mutex_unlock(&stream_table->lock);
}

void rv_stream_table_unlist(struct rv_stream_table *stream_table, struct rv_stream *stream)
{
    pthread_mutex_lock(&stream_table->lock);
    add(&stream_table->accounts, &stream->account);
    *(stream->previous ? &stream->previous->next : &stream_table->running) = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    pthread_mutex_unlock(&stream_table->lock);
}

void rv_stream_table_put(struct rv_stream_table *stream_table, struct rv_stream *stream)
{
    struct rv_stream **list = stream->is_summed ? &stream_table->summed : &stream_table->ended;
    if (list == &stream_table->ended)
        rv_stream_end(stream);
    pthread_mutex_lock(&stream_table->lock);
    stream->next = *list;
    *list = stream;
    pthread_mutex_unlock(&stream_table->lock);
}

struct rv_stream_account rv_stream_table_account(struct rv_stream_table *stream_table)
{
    pthread_mutex_lock(&stream_table->lock);
    struct rv_stream_account sum = stream_table->accounts;
    for (struct rv_stream *stream = stream_table->running; stream; stream = stream->next) {
        pthread_mutex_lock(&stream->lock);
        add(&sum, &stream->account);
        pthread_mutex_unlock(&stream->lock);
    }
    pthread_mutex_unlock(&stream_table->lock);
    return sum;
}
