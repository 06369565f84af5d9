#include "debugger/stop_messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "debugger/displays.h"
#include "debugger/console_reply.h"

static bool was_shown(const struct rv_console *console, const struct rv_target_thread *thread)
{
    const struct rv_console_stop *stop = thread->ring < console->n_shown ? &console->shown[thread->ring] : NULL;
    return stop && stop->generation == thread->generation && stop->n_stops == thread->run.n_stops;
}

static void keep_shown(struct rv_console *console, const struct rv_target_thread *thread)
{
    if (thread->ring >= console->n_shown)
        console->shown =
            rv_vec_extend(console->shown, &console->n_shown, thread->ring + (size_t)1, sizeof *console->shown);
    console->shown[thread->ring] = (struct rv_console_stop){thread->generation, thread->run.n_stops};
}

static void show_why(struct rv_console *console, uint32_t ring)
{
    struct rv_answer answer;
    int error = rv_target_ask(console->target, ring, "why", "", RV_CONSOLE_REPLY_NS, &answer);
    if (!error && answer.is_fine && answer.n_bytes)
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

bool rv_stop_messages_show(struct rv_console *console, uint32_t ring)
{
    struct rv_answer answer;
    struct rv_target_thread thread;
    if (rv_target_thread(console->target, ring, &thread) == 0)
        keep_shown(console, &thread);
    int error = rv_target_ask(console->target, ring, "stck", "", RV_CONSOLE_REPLY_NS, &answer);
    bool is_fine = !error && answer.is_fine && answer.text;
    const bool has_gone_on =
        is_fine && (rv_target_thread(console->target, ring, &thread) != 0 || thread.run.state != RV_RUN_STOPPED);
    if (has_gone_on) {
        is_fine = false;
    } else if (is_fine) {
        const char *frame = strchr(answer.text, ' ');
        frame = frame ? frame + 1 : answer.text;
        printf("ring %u stopped: %.*s\n", ring, (int)strcspn(frame, "\n"), frame);
    } else {
        rv_console_reply_fail_at(console, ring, error ? error : -ENOENT);
    }
    rv_answer_fini(&answer);
    if (is_fine) {
        show_why(console, ring);
        rv_displays_show(console, ring);
    }
    return !has_gone_on;
}

bool rv_stop_messages_find_new(struct rv_console *console, uint32_t *ring)
{
    struct rv_target_thread thread;
    for (uint32_t i = 0; i < rv_target_n_rings(console->target); i++) {
        if (rv_target_thread(console->target, i, &thread) != 0 || thread.run.state != RV_RUN_STOPPED ||
            was_shown(console, &thread))
            continue;
        *ring = i;
        return true;
    }
    return false;
}
