/* A ringviz without a window: in place of all that draws. What is asked of it is refused before anything starts. */
#include <errno.h>

#include "cli/diff_window.h"
#include "cli/film.h"
#include "window/offscreen.h"
#include "cli/show.h"
#include "window/window.h"
#include "base/err.h"
#include "bench/bench.h"

static int refuse(void)
{
    return rv_err(ENOTSUP,
                  "this ringviz was built without a window, pictures and films: --headless, --record, --report, "
                  "--export and the like are there; the package ringviz has the rest");
}

int rv_window_check(void)
{
    return refuse();
}

int rv_show(struct rv_session *session, const struct rv_options *options, const struct rv_window_params *params)
{
    (void)session;
    (void)options;
    (void)params;
    return refuse();
}

struct rv_screenshot_params rv_show_picture(struct rv_session *session, const struct rv_options *options)
{
    (void)session;
    (void)options;
    return (struct rv_screenshot_params){0};
}

int rv_offscreen_check(const char *path)
{
    return path ? refuse() : 0;
}

int rv_offscreen_screenshot(const struct rv_screenshot_params *params)
{
    (void)params;
    return refuse();
}

int rv_film_open(struct rv_film *film, const struct rv_options *options)
{
    (void)film;
    return options->frames || options->video ? refuse() : 0;
}

int rv_film_write(struct rv_film *film, const struct rv_film_params *params)
{
    (void)film;
    (void)params;
    return refuse();
}

void rv_film_close(struct rv_film *film)
{
    (void)film;
}

int rv_cli_diff_window(const struct rv_options *options, const struct rv_compare *compare,
                       const uint64_t starts_ns[RV_COMPARE_SIDES])
{
    (void)options;
    (void)compare;
    (void)starts_ns;
    return refuse();
}

int rv_bench_render(struct rv_bench_out *out)
{
    (void)out;
    return refuse();
}

int rv_bench_replay(struct rv_bench_out *out)
{
    (void)out;
    return refuse();
}
