/* Arbitrary commands of the console, to a thread that answers as a debugger does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/debugger/tracee.h"
#include "base/clock.h"
#include "debugger/console.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_LINES = 32, MOST_BYTES = 4000 };
#define LINE_NS 20000000u

static struct rv_console console;
static uint64_t line_end_ns;

static bool is_late(void *context)
{
    (void)context;
    return rv_clock_mono_ns() > line_end_ns;
}

static void begin(void)
{
    char path[64];
    static struct rv_map map;
    const struct rv_map_params params = {.n_rings = 2, .ring_events = 1024, .message_bytes = 64, .global_bytes = 8192};
    snprintf(path, sizeof path, "/tmp/ringviz-fuzz-console-%d", (int)getpid());
    unlink(path);
    if (rv_map_create(&map, path, &params) != 0)
        abort();
    tracee_start(path, &(struct tracee_params){.is_deaf = false});
    console = (struct rv_console){.target = rv_target_over(&map), .ring = RV_CONSOLE_NO_RING};
    rv_target_limit(console.target, &(struct rv_target_limits){.answer_bytes = 4096, .is_given_up = is_late});
    if (rv_target_attach(console.target) != 0 || unlink(path) != 0 || !freopen("/dev/null", "w", stdout))
        abort();
}

/* The console would wait until a message is taken. */
static void take_message(void)
{
    struct rv_answer answer;
    rv_target_take_message(console.target, 0, &answer);
    rv_answer_fini(&answer);
}

static void run_line(const char *line)
{
    line_end_ns = rv_clock_mono_ns() + LINE_NS;
    rv_console_run(&console, line);
    if (console.ring != RV_CONSOLE_NO_RING && console.ring >= 2)
        abort();
    take_message();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!console.target)
        begin();
    size = size < MOST_BYTES ? size : MOST_BYTES;
    char *text = malloc(size + 1), *at = text;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    console.ring = RV_CONSOLE_NO_RING;
    console.has_quit = false;
    for (unsigned i = 0; i < MOST_LINES && at && !console.has_quit; i++)
        run_line(strsep(&at, "\n"));
    free(text);
    return 0;
}
