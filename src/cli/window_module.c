#include "cli/window_module.h"

#include <string.h>

#include "bench/bench.h"
#include "cli/open_window.h"

static int run_bench(const char *name, struct rv_bench_out *out)
{
    return strcmp(name, "render") == 0 ? rv_bench_render(out) : rv_bench_replay(out);
}

const struct rv_window_module rv_window_module = {
    .version = RINGVIZ_VERSION,
    .show = rv_open_window,
    .take_screenshot = rv_offscreen_screenshot,
    .take_film = rv_film_take,
    .bench = run_bench,
};
