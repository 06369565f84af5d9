#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "viewer/settings.h"
#include "viewer/viewer.h"

static char folder[64], path[160];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/ringviz-config-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deep/ringviz/config", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(settings, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void write_file(const char *bytes, size_t n_bytes)
{
    char command[256];
    snprintf(command, sizeof command, "mkdir -p '%s/deep/ringviz'", folder);
    cr_assert_eq(system(command), 0);
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(bytes, 1, n_bytes, file) == n_bytes && fclose(file) == 0);
}

static size_t read_file(char *bytes, size_t max)
{
    FILE *file = fopen(path, "r");
    cr_assert(file, "there is no file");
    size_t n = fread(bytes, 1, max - 1, file);
    bytes[n] = '\0';
    fclose(file);
    return n;
}

/* Change the settings in the file to the wanted ones, as a window does. */
static void change(const struct rv_settings *wanted)
{
    struct rv_key_value_file config;
    struct rv_settings before;
    rv_settings_init(&before);
    (void)rv_key_value_file_open(&config, path, true);
    rv_settings_load(&before, &config);
    if (rv_settings_store(wanted, &before, &config))
        cr_assert_eq(rv_key_value_file_save(&config), 0);
    rv_key_value_file_close(&config);
}

static struct rv_settings load(void)
{
    struct rv_key_value_file config;
    struct rv_settings settings;
    rv_settings_init(&settings);
    (void)rv_key_value_file_open(&config, path, true);
    rv_settings_load(&settings, &config);
    rv_key_value_file_close(&config);
    return settings;
}

Test(settings, chosen_settings_are_restored)
{
    struct rv_settings settings = {RV_COLOR_LIGHT, 150, RV_VIEW_MODE_TOP, RV_COLOR_DURATION, false, true};
    change(&settings);
    struct rv_settings again = load();
    struct rv_key_value_file config = {.path = NULL};
    cr_assert_not(rv_settings_store(&again, &settings, &config), "something is not as it was chosen");
}

Test(settings, the_next_theme_and_size_are_chosen_without_a_mouse)
{
    static const unsigned percents[] = {125, 150, 200, 300, 75, 100};
    struct rv_viewer_params params = {
        .window_ns = 1000, .lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    struct rv_viewer viewer;
    rv_settings_init(&params.settings);
    rv_viewer_init(&viewer, &params);
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_SCALE});
        cr_assert_eq(viewer.settings.scale_percent, percents[i]);
    }
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_THEME});
    cr_assert_eq(viewer.settings.theme, RV_COLOR_LIGHT);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_THEME});
    cr_assert_eq(viewer.settings.theme, RV_COLOR_DARK);
    rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_THEME, .idx = RV_COLOR_LIGHT + 1});
    cr_assert_eq(viewer.settings.theme, RV_COLOR_LIGHT);
    rv_viewer_fini(&viewer);
    rv_lanes_destroy(params.lanes);
    rv_subroutines_destroy(params.subroutines);
}

Test(settings, unchanged_settings_make_no_file)
{
    struct rv_settings settings;
    rv_settings_init(&settings);
    change(&settings);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(settings, unknown_lines_stay_byte_for_byte)
{
    static const char before[] =
        "# mine\n\ntheme = light\nfuture = 7\nno equals here\n = 3\nscale = huge\n\x01\xff\0\x02 = x\n"
        "color = package\ncolor=thread  \n\tview = flame\r\n";
    static const char after[] =
        "# mine\n\ntheme = dark\nfuture = 7\nno equals here\n = 3\nscale = huge\n\x01\xff\0\x02 = x\n"
        "color = package\ncolor=thread  \n\tview = flame\r\nminimap = off\n";
    char bytes[1024];
    cr_redirect_stderr();
    write_file(before, sizeof before - 1);
    struct rv_settings settings = load();
    cr_assert_eq(settings.theme, RV_COLOR_LIGHT);
    cr_assert_eq(settings.scheme, RV_COLOR_THREAD, "the last one counts");
    cr_assert_eq(settings.look, RV_VIEW_MODE_FLAME);
    cr_assert_eq(settings.scale_percent, 100);
    settings.theme = RV_COLOR_DARK;
    settings.has_minimap = false;
    change(&settings);
    cr_assert_eq(read_file(bytes, sizeof bytes), sizeof after - 1);
    cr_assert_eq(memcmp(bytes, after, sizeof after - 1), 0);
}

Test(settings, unknown_lines_give_one_warning)
{
    char said[4096];
    cr_redirect_stderr();
    write_file("theme = light\nwhat = 1\nwho = 2\n", 31);
    (void)load();
    fflush(stderr);
    FILE *redirected = cr_get_redirected_stderr();
    size_t n = fread(said, 1, sizeof said - 1, redirected);
    said[n] = '\0';
    cr_assert(strstr(said, "line 2"), "%s", said);
    cr_assert(strchr(said, '\n') == said + n - 1, "more than one line: %s", said);
}

Test(settings, another_kind_of_file_is_not_used_as_settings)
{
    static char large[70000];
    struct rv_settings settings = {.theme = RV_COLOR_LIGHT, .scale_percent = 100};
    struct stat status;
    cr_redirect_stderr();
    memset(large, 'x', sizeof large);
    write_file(large, sizeof large);
    change(&settings);
    cr_assert(stat(path, &status) == 0 && status.st_size == sizeof large);
    cr_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    change(&settings);
    cr_assert(stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
}

Test(settings, a_link_stays_a_link)
{
    char real[128];
    struct stat status;
    struct rv_settings settings = load();
    write_file("", 0);
    snprintf(real, sizeof real, "%s/real", folder);
    cr_assert(rename(path, real) == 0 && symlink(real, path) == 0);
    settings.theme = RV_COLOR_LIGHT;
    change(&settings);
    cr_assert(lstat(path, &status) == 0 && S_ISLNK(status.st_mode));
    cr_assert_eq(load().theme, RV_COLOR_LIGHT);
}
