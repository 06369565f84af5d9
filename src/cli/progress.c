#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

enum { WHAT_BYTES = 1024 }; /* as displayed */
static const uint64_t PERIOD_NS = 200000000;

void rv_progress_begin(struct rv_progress *progress, const char *what)
{
    *progress = (struct rv_progress){.what = isatty(STDERR_FILENO) ? what : NULL, .said_ns = rv_clock_mono_ns()};
}

void rv_progress_tell(void *context, double done)
{
    struct rv_progress *progress = context;
    char what[WHAT_BYTES];
    if (!progress->what)
        return;
    const uint64_t now_ns = rv_clock_mono_ns();
    if (now_ns - progress->said_ns < PERIOD_NS)
        return;
    progress->said_ns = now_ns;
    progress->has_said = true;
    (void)rv_text_escape(what, sizeof what, progress->what, strlen(progress->what));
    fprintf(stderr, "\rringviz: %s: %3.0f %%", what, 100.0 * done);
}

void rv_progress_end(struct rv_progress *progress)
{
    if (progress->has_said)
        fputs("\r\033[K", stderr);
    *progress = (struct rv_progress){0};
}
