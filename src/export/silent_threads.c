#include "export/silent_threads.h"

#include <inttypes.h>

#include "base/units.h"
#include "export/losses.h"

void rv_silent_threads_add_text(struct rv_text_buffer *text, const struct rv_silent_threads *silent)
{
    char running[32], runnable[32], blocked[32];
    if (!silent->n_threads)
        return;
    rv_units_format_ns(running, sizeof running, silent->running_ns);
    rv_units_format_ns(runnable, sizeof runnable, silent->runnable_ns);
    rv_units_format_ns(blocked, sizeof blocked, silent->blocked_ns);
    rv_text_buffer_format(text,
                          "%" PRIu64 " thread%s made no traced call and %s in no row: running %s, runnable %s, blocked "
                          "%s, %" PRIu64 " switches\n",
                          silent->n_threads, rv_units_word(silent->n_threads, "", "s"),
                          rv_units_word(silent->n_threads, "is", "are"), running, runnable, blocked,
                          silent->n_switches);
}

void rv_silent_threads_add_csv(struct rv_text_buffer *text, const struct rv_silent_threads *silent, unsigned n_columns)
{
    if (!silent->n_threads)
        return;
    rv_add_csv_count(text, "silent", "threads", silent->n_threads, n_columns);
    rv_add_csv_count(text, "silent", "running_ns", silent->running_ns, n_columns);
    rv_add_csv_count(text, "silent", "runnable_ns", silent->runnable_ns, n_columns);
    rv_add_csv_count(text, "silent", "blocked_ns", silent->blocked_ns, n_columns);
    rv_add_csv_count(text, "silent", "switches", silent->n_switches, n_columns);
}

void rv_silent_threads_add_json(struct rv_text_buffer *text, const struct rv_silent_threads *silent)
{
    if (!silent->n_threads)
        return;
    rv_text_buffer_format(text,
                          ",\"silent\":{\"threads\":%" PRIu64 ",\"running_ns\":%" PRIu64 ",\"runnable_ns\":%" PRIu64
                          ",\"blocked_ns\":%" PRIu64 ",\"switches\":%" PRIu64 "}",
                          silent->n_threads, silent->running_ns, silent->runnable_ns, silent->blocked_ns,
                          silent->n_switches);
}
