#include "export/silent_threads.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "export/losses.h"

enum { MOST_IN_TEXT = 10 };

struct words {
    char running[32], runnable[32], blocked[32];
};

static struct words words_of(const struct rv_silent_times *times)
{
    struct words words;
    rv_units_format_ns(words.running, sizeof words.running, times->running_ns);
    rv_units_format_ns(words.runnable, sizeof words.runnable, times->runnable_ns);
    rv_units_format_ns(words.blocked, sizeof words.blocked, times->blocked_ns);
    return words;
}

static void add_times(struct rv_text_buffer *text, const struct rv_silent_times *times)
{
    const struct words words = words_of(times);
    rv_text_buffer_format(text, "running %s, runnable %s, blocked %s, %" PRIu64 " switch%s\n", words.running,
                          words.runnable, words.blocked, times->n_switches, rv_units_word(times->n_switches, "", "es"));
}

/* What ran longest first. */
static int by_running(const void *a, const void *b)
{
    const struct rv_silent_thread *x = *(const struct rv_silent_thread *const *)a;
    const struct rv_silent_thread *y = *(const struct rv_silent_thread *const *)b;
    if (x->times.running_ns != y->times.running_ns)
        return x->times.running_ns > y->times.running_ns ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void add_threads(struct rv_text_buffer *text, const struct rv_silent_threads *silent)
{
    const struct rv_silent_thread **threads = rv_alloc_scratch(silent->n + 1, sizeof *threads);
    const size_t n_shown = silent->n < MOST_IN_TEXT ? silent->n : MOST_IN_TEXT;
    for (size_t i = 0; i < silent->n; i++)
        threads[i] = &silent->threads[i];
    qsort(threads, silent->n, sizeof *threads, by_running);
    for (size_t i = 0; i < n_shown; i++) {
        rv_text_buffer_format(text, "    %s%s%u%s ", threads[i]->name, *threads[i]->name ? " (" : "thread ",
                              threads[i]->tid, *threads[i]->name ? ")" : "");
        add_times(text, &threads[i]->times);
    }
    if (silent->n_threads > n_shown)
        rv_text_buffer_format(text, "    and %" PRIu64 " that ran for less\n", silent->n_threads - n_shown);
    free(threads);
}

void rv_silent_threads_add_text(struct rv_text_buffer *text, const struct rv_silent_threads *silent)
{
    if (!silent->n_threads)
        return;
    rv_text_buffer_format(text, "%" PRIu64 " thread%s made no traced call: ", silent->n_threads,
                          rv_units_word(silent->n_threads, "", "s"));
    add_times(text, &silent->times);
    add_threads(text, silent);
}

void rv_silent_threads_add_csv(struct rv_text_buffer *text, const struct rv_silent_threads *silent, unsigned n_columns)
{
    if (!silent->n_threads)
        return;
    rv_add_csv_count(text, "silent", "threads", silent->n_threads, n_columns);
    rv_add_csv_count(text, "silent", "running_ns", silent->times.running_ns, n_columns);
    rv_add_csv_count(text, "silent", "runnable_ns", silent->times.runnable_ns, n_columns);
    rv_add_csv_count(text, "silent", "blocked_ns", silent->times.blocked_ns, n_columns);
    rv_add_csv_count(text, "silent", "switches", silent->times.n_switches, n_columns);
}

static void add_json_times(struct rv_text_buffer *text, const struct rv_silent_times *times)
{
    rv_text_buffer_format(
        text, "\"running_ns\":%" PRIu64 ",\"runnable_ns\":%" PRIu64 ",\"blocked_ns\":%" PRIu64 ",\"switches\":%" PRIu64,
        times->running_ns, times->runnable_ns, times->blocked_ns, times->n_switches);
}

void rv_silent_threads_add_json(struct rv_text_buffer *text, const struct rv_silent_threads *silent)
{
    if (!silent->n_threads)
        return;
    rv_text_buffer_format(text, ",\"silent\":{\"threads\":%" PRIu64 ",", silent->n_threads);
    add_json_times(text, &silent->times);
    rv_text_buffer_add(text, ",\"list\":[");
    for (size_t i = 0; i < silent->n; i++) {
        const struct rv_silent_thread *thread = &silent->threads[i];
        rv_text_buffer_format(text, "%s{\"process\":%u,\"thread\":%u,\"name\":", i ? "," : "", thread->pid,
                              thread->tid);
        rv_text_buffer_add_json(text, thread->name);
        rv_text_buffer_add(text, ",");
        add_json_times(text, &thread->times);
        rv_text_buffer_add(text, "}");
    }
    rv_text_buffer_add(text, "]}");
}
