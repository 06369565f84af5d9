/*
 * A program, in Perl or with "ruby" in Ruby, debugged in the window by a synthetic user: a thread is chosen by its
 * name, stopped, stepped, queried and resumed; its watch and its stop are removed by the palette. The panel's contents
 * are checked, neither pixels nor times.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/map.h"
#include "ring/run_state.h"
#include "source/live_drain.h"
#include "window_steps.h"

#define WIDTH 1280
#define HEIGHT 720
/* Of the fields, from the right and the lower edge. */
#define FIELD_RIGHT 200
#define WATCH_BOTTOM 249
#define BREAK_BOTTOM 223
#define EVAL_BOTTOM 157 /* below a watch and a breakpoint */
#define NAME_LEFT 25    /* from where calls begin: on the thread's name */

/* The third line assigns the variable, the fourth changes what it was assigned. */
static const struct language {
    const char *command[3], *program;
    const char *where, *call; /* the breakpoint; how the call's text begins */
    const char *statement, *variable, *difference;
} languages[] = {
    {{"perl", "-d:RingViz"},
     "our $n = 0;\n"
     "sub inner {\n"
     "    my $x = $n;\n"
     "    $n++;\n"
     "    return $x;\n"
     "}\n"
     "sub outer { inner() }\n"
     "outer() while 1;\n",
     "main::inner",
     "main::inner(",
     "my $x = $n",
     "$x",
     "$x - $n"},
    {{"ruby"},
     "$n = 0\n"
     "def inner\n"
     "    x = $n\n"
     "    $n += 1\n"
     "    return x\n"
     "end\n"
     "def outer\n"
     "    inner\n"
     "    $m = 1\n"
     "end\n"
     "outer while true\n",
     "Object#inner",
     "Object#inner(",
     "x = $n",
     "x",
     "x - $n"},
};
static const struct language *language = languages;

static uint32_t n_stops;

static void press_in_panel(int bottom)
{
    window_steps_click((int[2]){WIDTH - FIELD_RIGHT, HEIGHT - bottom}, 1);
}

/* Has the thread stopped once more since the last true result, and answered all that is asked at a stop? */
static bool has_stopped(const struct rv_debug_session_report *report)
{
    if (report->state != RV_DEBUG_SESSION_STOPPED || report->n_stops == n_stops || report->is_asked ||
        report->is_stale || !report->n_frames)
        return false;
    n_stops = report->n_stops;
    return true;
}

static bool is_in_inner(const struct rv_debug_session_report *report)
{
    return strncmp(report->frames[0].call, language->call, strlen(language->call)) == 0;
}

static bool is_in_view(const struct rv_window_state *state)
{
    return state->view->n_lanes == 1 && state->view->n_boxes > 0;
}

/* By the palette, which is open. True when it has been. */
static bool choose(const struct rv_window_state *state, const char *words)
{
    if (!state->viewer->panels.has_commands)
        return false;
    user_enter(words);
    return true;
}

static bool open_palette(const struct rv_window_state *state)
{
    if (state->viewer->panels.has_commands)
        return false;
    user_press(SDL_SCANCODE_P, KMOD_LCTRL);
    return true;
}

static bool act(struct window_steps *steps, const struct rv_window_state *state)
{
    const struct rv_viewer_debugger *debugger = &state->viewer->debugger;
    const struct rv_debug_session_report *report = &debugger->report;
    float at[2] = {0};
    switch (steps->step) {
    case 0:
        if (!is_in_view(state) ||
            !rv_scene_project(state->scene, &(struct rv_scene_place){state->view->from_ns, 0, 0}, at))
            return false;
        window_steps_click((int[2]){(int)at[0] - NAME_LEFT, (int)at[1] - 4}, 1);
        return true;
    case 1:
        if (!state->viewer->panels.has_debugger_panel || report->state != RV_DEBUG_SESSION_RUNNING || !report->n_frames)
            return false;
        window_steps_check(steps, report->n_stopped == 0, "a thread is stopped that nobody has stopped");
        user_press(SDL_SCANCODE_F6, KMOD_NONE);
        return true;
    case 2:
        if (!has_stopped(report) || debugger->n_stopped != 1)
            return false;
        window_steps_check(steps, debugger->stopped[0] == debugger->lane_idx, "another lane is marked");
        window_steps_check(steps, report->n_stopped == 1, "not one thread is stopped");
        user_press(SDL_SCANCODE_F11, KMOD_NONE);
        user_press(SDL_SCANCODE_F10, KMOD_NONE);
        return true;
    case 3: /* two stops later */
        if (report->n_orders != 3 || !has_stopped(report))
            return false;
        press_in_panel(BREAK_BOTTOM);
        user_enter("inner");
        return true;
    case 4:
        if (report->n_breaks != 1)
            return false;
        window_steps_check(steps, strcmp(report->breaks[0].where, language->where) == 0, report->breaks[0].where);
        user_press(SDL_SCANCODE_F5, KMOD_NONE);
        return true;
    case 5: /* at the first statement of the subroutine, which the panel lists */
        if (!has_stopped(report) || report->listing.n == 0)
            return false;
        window_steps_check(steps, is_in_inner(report), report->frames[0].call);
        window_steps_check(steps, report->frames[0].line == 3, "not on the first statement");
        window_steps_check(steps, report->n_frames == 3, "not in two calls");
        window_steps_check(steps, strstr(report->listing.lines[3 - report->listing.first], language->statement),
                           report->listing.lines[3 - report->listing.first]);
        press_in_panel(WATCH_BOTTOM);
        user_enter(language->variable);
        return true;
    case 6:
        if (!report->watches[0].has_value)
            return false;
        window_steps_check(steps, strcmp(report->watches[0].expression, language->variable) == 0,
                           report->watches[0].expression);
        user_press(SDL_SCANCODE_F10, KMOD_NONE);
        return true;
    case 7: /* now it has a value, that of $main::n */
        if (!has_stopped(report) || !report->watches[0].has_value)
            return false;
        window_steps_check(steps, report->frames[0].line == 4, "not on the second statement");
        window_steps_check(steps, report->watches[0].value[0] >= '0' && report->watches[0].value[0] <= '9',
                           report->watches[0].value);
        press_in_panel(EVAL_BOTTOM);
        user_enter(language->difference);
        return true;
    case 8:
        if (!report->expression[0])
            return false;
        window_steps_check(steps, strcmp(report->value, "0") == 0 && !report->is_value_error, report->value);
        return open_palette(state);
    case 9: /* what has no key is found by its words */
        return choose(state, "lines outer");
    case 10:
        return report->frame == 1 && open_palette(state);
    case 11:
        return choose(state, "remove watch");
    case 12:
        return !report->watches[0].is_used && open_palette(state);
    case 13:
        return choose(state, "remove stop");
    case 14:
        if (report->n_breaks != 0)
            return false;
        user_press(SDL_SCANCODE_F11, KMOD_SHIFT);
        return true;
    case 15:
        if (!has_stopped(report))
            return false;
        window_steps_check(steps, !is_in_inner(report), "still in the call");
        user_press(SDL_SCANCODE_ESCAPE, KMOD_NONE);
        return true;
    case 16: /* a thread whose panel is closed stays stopped */
        if (state->viewer->panels.has_debugger_panel)
            return false;
        window_steps_check(steps, report->state == RV_DEBUG_SESSION_STOPPED, "it went on");
        rv_session_stop(steps->session);
        return true;
    case 17: /* a thread that is no longer traced is dropped */
        if (debugger->debug_session)
            return false;
        window_steps_check(steps, debugger->n_stopped == 0, "a thread that nobody can steer is marked");
        user_press(SDL_SCANCODE_Q, KMOD_CTRL);
        return true;
    }
    return false;
}

static const char *write_program(void)
{
    static char path[] = "/tmp/ringviz-steer-XXXXXX";
    int fd = mkstemp(path);
    bool is_written =
        fd >= 0 && write(fd, language->program, strlen(language->program)) == (ssize_t)strlen(language->program);
    if (!is_written || close(fd) != 0) {
        perror(path);
        exit(1);
    }
    return path;
}

/* Once the window is closed the program runs, without a monitor: it calls again. */
static int check_that_it_runs(const struct rv_map *map)
{
    const struct rv_wire_control *control = rv_map_control(map, 0);
    uint64_t begin_ns = rv_clock_mono_ns();
    while (rv_run_state_read(control).state != RV_RUN_RUNNING)
        if (rv_clock_mono_ns() - begin_ns > 60000 * MS) {
            fputs("it is still stopped after the window was closed\n", stderr);
            return 1;
        }
    return 0;
}

static pid_t start_program(const char *script, const char *trace)
{
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setenv("RINGVIZ_FILE", trace, 1);
        const char *option = language->command[1];
        execlp(language->command[0], language->command[0], option ? option : script, option ? script : NULL,
               (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* The folder of Devel::RingViz is in PERL5LIB, that of ringviz.rb in RUBYOPT. */
int main(int argc, char **argv)
{
    (void)argv;
    language = &languages[argc > 1];
    char path[4096];
    struct rv_map map;
    struct window_steps steps = {.act = act};
    const char *script = write_program();
    if (rv_map_default_path(path, sizeof path, 1 << 20) != 0 ||
        rv_map_create(&map, path, &(struct rv_map_params){.ring_events = 1 << 14}) != 0)
        return 1;
    steps.source = rv_live_drain_open(&map, &(struct rv_live_drain_params){.interval_ns = 0});
    steps.window = (struct rv_window_params){.title = language->command[0], .map = &map};
    pid_t pid = start_program(script, path);
    int status = window_steps_run(&steps, WIDTH, HEIGHT, 18);
    status |= check_that_it_runs(&map);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    unlink(script);
    unlink(path);
    rv_map_close(&map);
    return status;
}
