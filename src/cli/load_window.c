#include "cli/window_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "launch/launch.h"

static int find(char path[static PATH_MAX])
{
    return rv_launch_find_file("ringviz-window.so", path, PATH_MAX);
}

int rv_window_module_check(void)
{
    char path[PATH_MAX];
    if (find(path) != 0)
        return rv_err(ENOTSUP,
                      "no window, pictures and films without ringviz-window.so, which the package ringviz has; "
                      "--headless, --record, --report, --export and the like need none");
    return 0;
}

int rv_window_module_check_display(void)
{
    if (!getenv("SDL_VIDEODRIVER") && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return rv_err(ENODEV, "no display for a window (DISPLAY and WAYLAND_DISPLAY are not set); --headless and "
                              "--screenshot need none");
    return 0;
}

const struct rv_window_module *rv_window_module_load(void)
{
    static const struct rv_window_module *loaded;
    char path[PATH_MAX];
    if (loaded || rv_window_module_check() != 0 || find(path) != 0)
        return loaded;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct rv_window_module *module = library ? dlsym(library, "rv_window_module") : NULL;
    if (!module)
        rv_err(ENOTSUP, "no window: %s", dlerror());
    else if (strcmp(module->version, RINGVIZ_VERSION) != 0)
        rv_err(ENOTSUP, "%s: is of ringviz %s, this is " RINGVIZ_VERSION, path, module->version);
    else
        loaded = module;
    return loaded;
}
