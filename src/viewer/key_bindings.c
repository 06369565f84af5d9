#include "viewer/key_bindings.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

static const struct rv_key_binding TABLE[RV_ACTION_COUNT] = {
    [RV_ACTION_LOOK_3D] = {{{"1", 0}}, "tab", "3D: time to the right, calls stacked up, threads behind"},
    [RV_ACTION_LOOK_ALIGNED] = {{{"2", 0}}, "tab", "aligned: 3D where one instant is one vertical line"},
    [RV_ACTION_LOOK_FLAME] = {{{"3", 0}}, "tab", "flame: threads below each other, stacks as rows"},
    [RV_ACTION_LOOK_TOP] = {{{"4", 0}}, "tab", "top: what each thread was doing, one row each"},
    [RV_ACTION_LOOK_CALLS] =
        {{{"5", 0}},
         "tab",
         "calls: all calls of the pinned call's subroutine, or of the chosen row, behind each other"},
    [RV_ACTION_LOOK_TASKS] = {{{"6", 0}},
                              "tab",
                              "tasks: a lane for each task or flow, across threads; follows the pinned call's"},
    [RV_ACTION_ORDER_CALLS] = {{{"5", RV_MODIFIER_SHIFT}},
                               NULL,
                               "calls and tasks: in order of time, or the longest in front"},
    [RV_ACTION_ALIGN_TASKS] = {{{"6", RV_MODIFIER_SHIFT}}, NULL, "tasks: each from its begin; again: at its time"},
    [RV_ACTION_SCHEME] = {{{"C", 0}}, NULL, "next colour scheme: package, subroutine, thread, duration, contrast"},
    [RV_ACTION_ZOOM_IN] = {{{"W", 0}, {"Up", 0}}, NULL, "zoom in at the cursor"},
    [RV_ACTION_ZOOM_OUT] = {{{"S", 0}, {"Down", 0}}, NULL, "zoom out at the cursor"},
    [RV_ACTION_ZOOM] = {{{NULL, 0}}, "wheel", "zoom at the cursor; Ctrl finer, Shift faster"},
    [RV_ACTION_PAN_LEFT] = {{{"A", 0}, {"Left", 0}}, NULL, "pan to earlier times"},
    [RV_ACTION_PAN_RIGHT] = {{{"D", 0}, {"Right", 0}}, NULL, "pan to later times"},
    [RV_ACTION_PAN] = {{{NULL, 0}}, "right drag", "pan"},
    [RV_ACTION_GLIDE] = {{{NULL, 0}}, "release while panning", "keep panning for a while"},
    [RV_ACTION_SCROLL] = {{{NULL, 0}}, "right drag up or down", "scroll where lanes do not fit"},
    [RV_ACTION_PAGE_UP] = {{{"PageUp", 0}}, NULL, "scroll up by a page, in 3D and aligned to the front"},
    [RV_ACTION_PAGE_DOWN] = {{{"PageDown", 0}}, NULL, "scroll down by a page, or to the back"},
    [RV_ACTION_TALLER_ROWS] = {{{"=", 0}}, NULL, "taller rows in flame and top: of a lane of thousands of levels, too"},
    [RV_ACTION_LOWER_ROWS] = {{{"-", 0}}, NULL, "lower rows"},
    [RV_ACTION_DEEPEST] = {{{"PageUp", RV_MODIFIER_SHIFT}},
                           NULL,
                           "scroll flame to the deepest call of the thread in view"},
    [RV_ACTION_OUTERMOST] = {{{"PageDown", RV_MODIFIER_SHIFT}},
                             NULL,
                             "scroll flame to the outermost call of the thread"},
    [RV_ACTION_SHOW] = {{{NULL, 0}}, "drag in the minimap", "move the window there"},
    [RV_ACTION_GO_TO] = {{{"G", 0}}, NULL, "go to a time: 12ms, 1.5s, +3ms, -3ms, @start, @end"},
    [RV_ACTION_BACK] = {{{"Left", RV_MODIFIER_ALT}, {"Backspace", 0}}, NULL, "back to the previous window of time"},
    [RV_ACTION_FORWARD] = {{{"Right", RV_MODIFIER_ALT}}, NULL, "forward again"},
    [RV_ACTION_MARK] = {{{"M", 0}}, NULL, "mark the time at the cursor, or unmark it"},
    [RV_ACTION_NOTE] = {{{"M", RV_MODIFIER_CTRL}}, NULL, "write a note at the mark, or the time, at the cursor"},
    [RV_ACTION_NEXT_MARK] = {{{"M", RV_MODIFIER_SHIFT}}, NULL, "go to the next mark"},
    [RV_ACTION_PLAY] = {{{"Space", 0}},
                        "play button",
                        "play what was captured, or pause; live: freeze the picture, again: go on"},
    [RV_ACTION_FASTER] = {{{".", RV_MODIFIER_SHIFT}}, NULL, "play twice as fast"},
    [RV_ACTION_SLOWER] = {{{",", RV_MODIFIER_SHIFT}}, NULL, "play half as fast"},
    [RV_ACTION_STEP_FORWARD] = {{{".", 0}},
                                "step buttons",
                                "step to the next event, of the pinned call's thread or of all"},
    [RV_ACTION_STEP_BACK] = {{{",", 0}}, NULL, "step to the previous event"},
    [RV_ACTION_SEEK] = {{{NULL, 0}}, "drag in the time bar", "move the playhead: nothing later is shown"},
    [RV_ACTION_START] =
        {{{"Home", 0}},
         NULL,
         "to where calls begin, from before it to the first event; a playhead that has moved comes along"},
    [RV_ACTION_END] = {{{"End", 0}}, NULL, "to the end, or to now: no playhead, all is shown"},
    [RV_ACTION_RECORD] = {{{"R", RV_MODIFIER_CTRL}}, NULL, "record from now on, into COMMAND.PID.rvz; again: end it"},
    [RV_ACTION_FOLLOW] = {{{"L", 0}}, NULL, "follow now, or the playhead"},
    [RV_ACTION_PIN] = {{{NULL, 0}}, "click", "pin the call under the cursor; again or over nothing: unpin"},
    [RV_ACTION_PIN_CALLER] =
        {{{"Down", RV_MODIFIER_CTRL}},
         NULL,
         "pin the pinned call's caller; with none pinned, as the five that follow: a call in view"},
    [RV_ACTION_PIN_CALLEE] = {{{"Up", RV_MODIFIER_CTRL}}, NULL, "pin the longest call that the pinned call made"},
    [RV_ACTION_PIN_NEXT] = {{{"Right", RV_MODIFIER_CTRL}}, NULL, "pin the next call of the thread that is as deep"},
    [RV_ACTION_PIN_PREVIOUS] = {{{"Left", RV_MODIFIER_CTRL}}, NULL, "pin the previous one"},
    [RV_ACTION_PIN_IN_FRONT] = {{{"PageUp", RV_MODIFIER_CTRL}},
                                NULL,
                                "pin the call at that time of the thread in front, in flame and top the one above"},
    [RV_ACTION_PIN_BEHIND] = {{{"PageDown", RV_MODIFIER_CTRL}}, NULL, "pin that of the thread behind, or below"},
    [RV_ACTION_MENU] = {{{"F10", RV_MODIFIER_SHIFT}},
                        "right click",
                        "menu of what can be done with the call under the cursor, or with a row of the statistics"},
    [RV_ACTION_FOCUS_OR_FIT] = {{{"F", 0}}, NULL, "fill the window with the call; again or over nothing: all"},
    [RV_ACTION_FOCUS] = {{{NULL, 0}}, "double click", "fill the window with the call under the cursor"},
    [RV_ACTION_SHOW_WAKER] = {{{"W", RV_MODIFIER_SHIFT}},
                              RV_ACTION_TITLE_SHOW_WAKER,
                              "go to the call that ended the pinned call's longest wait"},
    [RV_ACTION_SHOW_FLOW] = {{{"L", RV_MODIFIER_SHIFT}},
                             RV_ACTION_TITLE_SHOW_FLOW,
                             "go to the call to which the pinned call's flow leads; from its last, to its first"},
    [RV_ACTION_CRITICAL_PATH] = {{{"R", 0}},
                                 RV_ACTION_TITLE_CRITICAL_PATH,
                                 "light the critical path of the pinned call, of the selected range, or of what is in "
                                 "view; again: put it out"},
    [RV_ACTION_UNTRACE] = {{{"Delete", 0}},
                           "Do not trace",
                           "stop tracing this call's subroutine: the program runs on without that cost"},
    [RV_ACTION_TRACE] = {{{"Delete", RV_MODIFIER_SHIFT}}, "Trace again", "trace calls of this subroutine again"},
    [RV_ACTION_HIDE_LANE] = {{{"H", 0}},
                             NULL,
                             "hide the thread under the cursor, else the pinned call's; so those that follow"},
    [RV_ACTION_COLLAPSE_LANE] = {{{"X", 0}},
                                 NULL,
                                 "show the thread under the cursor as one row; again: whole; expand a group of rows"},
    [RV_ACTION_COLLAPSE_PROCESS] = {{{"X", RV_MODIFIER_SHIFT}},
                                    NULL,
                                    "show the process under the cursor as one row; again: whole"},
    [RV_ACTION_COLLAPSE_GROUP] = {{{"X", RV_MODIFIER_CTRL}},
                                  "triangle before a name",
                                  "show a thread, else its family, else its process as one row; again: each"},
    [RV_ACTION_COLLAPSE_ALL] = {{{"X", RV_MODIFIER_ALT}}, NULL, "show each process as one row; again: whole"},
    [RV_ACTION_PIN_LANE] = {{{"P", 0}}, NULL, "keep the thread under the cursor in front; again: not"},
    [RV_ACTION_SHOW_LANE] = {{{NULL, 0}}, "click in the list of threads", "go to this thread; a hidden one comes back"},
    [RV_ACTION_LANE_FORWARD] = {{{"Up", RV_MODIFIER_SHIFT}}, NULL, "move the thread under the cursor forward"},
    [RV_ACTION_LANE_BACK] = {{{"Down", RV_MODIFIER_SHIFT}}, NULL, "move the thread under the cursor back"},
    [RV_ACTION_SORT_LANES] = {{{"T", RV_MODIFIER_SHIFT}},
                              "Sort",
                              "sort threads by name; again: by their events; again: as they came"},
    [RV_ACTION_SHOW_ALL_LANES] = {{{"H", RV_MODIFIER_SHIFT}}, NULL, "show all threads whole and all depths"},
    [RV_ACTION_CROP_LESS] = {{{"[", 0}}, NULL, "show one depth less of all threads"},
    [RV_ACTION_CROP_MORE] = {{{"]", 0}}, NULL, "show one depth more of all threads"},
    [RV_ACTION_DEBUGGER] = {{{"F8", 0}},
                            "click on a thread's name",
                            "show or hide the debugger of this thread of a running program"},
    [RV_ACTION_RUN_THREAD] = {{{"F5", 0}}, NULL, "let the stopped thread run"},
    [RV_ACTION_STOP_THREAD] = {{{"F6", 0}}, NULL, "stop the thread"},
    [RV_ACTION_NEXT_STATEMENT] = {{{"F10", 0}}, NULL, "run to the next statement, over calls"},
    [RV_ACTION_STEP_STATEMENT] = {{{"F11", 0}}, NULL, "run to the next statement, into calls"},
    [RV_ACTION_FINISH_CALL] = {{{"F11", RV_MODIFIER_SHIFT}}, NULL, "run until the call has returned"},
    [RV_ACTION_LOOK_AT_FRAME] = {{{NULL, 0}}, "click in the stack, Ctrl+P", "show the lines around this call"},
    [RV_ACTION_WATCH] = {{{NULL, 0}}, "watch field", "show the value of an expression whenever the thread stops"},
    [RV_ACTION_UNWATCH] = {{{NULL, 0}}, "x of a watch, Ctrl+P", "remove it"},
    [RV_ACTION_BREAK] = {{{NULL, 0}}, "stop field", "stop at a subroutine, FILE:LINE or LINE"},
    [RV_ACTION_UNBREAK] = {{{NULL, 0}}, "x of a stop, Ctrl+P", "remove it"},
    [RV_ACTION_EVALUATE] = {{{NULL, 0}}, "evaluate field", "evaluate an expression in the thread"},
    [RV_ACTION_UNPIN] = {{{"Escape", 0}},
                         NULL,
                         "close what is open, else unpin, deselect, end the search; never quits"},
    [RV_ACTION_SELECT] = {{{NULL, 0}}, "left drag", "select a range of time and measure it"},
    [RV_ACTION_SELECT_BETWEEN] = {{{"S", RV_MODIFIER_SHIFT}},
                                  NULL,
                                  "enter a range of time to select: 12ms..15ms, 1.5s..+3ms, @start..@end"},
    [RV_ACTION_ORBIT] = {{{NULL, 0}}, "middle drag", "turn the 3D view"},
    [RV_ACTION_TURN_LEFT] = {{{"Left", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT}},
                             NULL,
                             "turn the 3D view: look from further left"},
    [RV_ACTION_TURN_RIGHT] = {{{"Right", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT}},
                              NULL,
                              "turn the 3D view: look from further right"},
    [RV_ACTION_TURN_UP] = {{{"Up", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT}},
                           NULL,
                           "turn the 3D view: look from further up"},
    [RV_ACTION_TURN_DOWN] = {{{"Down", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT}},
                             NULL,
                             "turn the 3D view: look from further down"},
    [RV_ACTION_SEARCH] = {{{"/", 0}, {"F", RV_MODIFIER_CTRL}}, NULL, "search, and set filters"},
    [RV_ACTION_FIND] = {{{NULL, 0}}, "search field", "highlight calls whose full name matches a regular expression"},
    [RV_ACTION_NEXT_HIT] = {{{"N", 0}}, NULL, "go to the next hit"},
    [RV_ACTION_PREVIOUS_HIT] = {{{"N", RV_MODIFIER_SHIFT}}, NULL, "go to the previous hit"},
    [RV_ACTION_LET] = {{{"F", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT}},
                       "filter field",
                       "show only calls that pass a rule, such as depth:<8 or duration:1us..2ms"},
    [RV_ACTION_INVERT_RULE] = {{{NULL, 0}}, "click on a rule, Ctrl+P", "invert it"},
    [RV_ACTION_REMOVE_RULE] = {{{NULL, 0}},
                               "x of a rule, Ctrl+P, Up in the empty filter field",
                               "remove it; Up takes the last one back into the field, to be edited"},
    [RV_ACTION_HIDE] = {{{"H", RV_MODIFIER_CTRL}}, "dim or hide", "dim calls that do not pass, or hide them"},
    [RV_ACTION_RESET_FILTER] = {{{"F", RV_MODIFIER_SHIFT}}, NULL, "remove all rules: all calls are shown"},
    [RV_ACTION_STATISTICS] = {{{"I", 0}}, NULL, "statistics of the whole capture; again: close"},
    [RV_ACTION_STATISTICS_OF] = {{{"I", RV_MODIFIER_SHIFT}},
                                 "All, In view",
                                 "statistics of all, of what is in view, or of the selected range"},
    [RV_ACTION_STATISTICS_TAB] = {{{"O", 0}}, "tabs of the statistics", "next page of the statistics"},
    [RV_ACTION_STATISTICS_TIME] =
        {{{"I", RV_MODIFIER_CTRL}},
         "Wall, On CPU, Off CPU, ...",
         "statistics, durations and flame graph of wall time, of time on the CPU, off it, blocked, or runnable"},
    [RV_ACTION_SORT_ROWS] = {{{"Y", 0}}, "click on a title", "sort the statistics by the next column"},
    [RV_ACTION_CHOOSE_ROW] = {{{NULL, 0}}, "click on a row", "choose a subroutine: its calls stand out and are listed"},
    [RV_ACTION_NEXT_ROW] = {{{"J", 0}}, NULL, "choose the next row of the statistics"},
    [RV_ACTION_PREVIOUS_ROW] = {{{"K", 0}}, NULL, "choose the previous row"},
    [RV_ACTION_LONGEST_CALL] = {{{"Return", 0}},
                                "double click a row",
                                "go to the longest call of the chosen row; again: to the next longest"},
    [RV_ACTION_LONGER_CALL] = {{{"Return", RV_MODIFIER_SHIFT}}, NULL, "go to the next longer call of the chosen row"},
    [RV_ACTION_FIRST_CALL] = {{{"B", 0}}, NULL, "go to the first call of the chosen row"},
    [RV_ACTION_NEXT_CALL] = {{{"V", 0}}, NULL, "go to the next call of the chosen row"},
    [RV_ACTION_PREVIOUS_CALL] = {{{"V", RV_MODIFIER_SHIFT}}, NULL, "go to the previous call"},
    [RV_ACTION_SHOW_CALL] = {{{NULL, 0}}, "click on a call of the list", "go to it"},
    [RV_ACTION_SORT_CALLS] = {{{"Y", RV_MODIFIER_SHIFT}},
                              "click on a title",
                              "sort the list of calls by the next column"},
    [RV_ACTION_GROUP_CALLS] = {{{"O", RV_MODIFIER_SHIFT}},
                               "By caller, ...",
                               "group the calls by caller, thread, process or arguments"},
    [RV_ACTION_BRUSH] = {{{NULL, 0}}, "drag over the durations", "show only calls that last as long: adds a rule"},
    [RV_ACTION_FOCUS_NODE] = {{{NULL, 0}}, "click in the flame graph", "focus it on a path"},
    [RV_ACTION_FOCUS_CHOSEN] = {{{"Z", 0}}, NULL, "focus the flame graph on the chosen row's path with most time"},
    [RV_ACTION_UNFOCUS_NODE] = {{{"Z", RV_MODIFIER_SHIFT}}, NULL, "focus the flame graph on what it was on before"},
    [RV_ACTION_OPEN_NODE] = {{{NULL, 0}}, "arrow in a tree", "show what is in a row of the tree, or hide it"},
    [RV_ACTION_OPEN_LEVEL] = {{{"U", 0}}, NULL, "open one more level of the tree of calls"},
    [RV_ACTION_CLOSE_LEVEL] = {{{"U", RV_MODIFIER_SHIFT}}, NULL, "close the deepest level of the tree"},
    [RV_ACTION_EXPORT_ROWS] =
        {{{"E", 0}},
         "Save as CSV",
         "write the statistics to ringviz-range-N.csv, of their page of lines to ringviz-lines-N.csv"},
    [RV_ACTION_EXPORT_CALLS] = {{{"E", RV_MODIFIER_SHIFT}}, NULL, "write the list of calls to ringviz-calls-N.csv"},
    [RV_ACTION_COPY_COMMAND] = {{{"C", RV_MODIFIER_CTRL}},
                                "Copy command",
                                "copy the command line that shows this view of the file, without its pinned call, "
                                "open panels, moved threads and the turn of 3D"},
    [RV_ACTION_CLOSE_WARNING] = {{{NULL, 0}}, "Close, Ctrl+P", "close a warning; the next one follows"},
    [RV_ACTION_SCREENSHOT] = {{{"S", RV_MODIFIER_CTRL}}, NULL, "write what is shown to ringviz-picture-N.png"},
    [RV_ACTION_COMMANDS] = {{{"P", RV_MODIFIER_CTRL}}, NULL, "find an action by its words, and do it"},
    [RV_ACTION_FIELD] = {{{"Tab", 0}}, NULL, "type into the field of the help, of a list or of the debugger"},
    [RV_ACTION_HELP] = {{{"F1", 0}, {"/", RV_MODIFIER_SHIFT}}, NULL, "show or hide this list of keys"},
    [RV_ACTION_SETTINGS] = {{{"F2", 0}}, NULL, "settings"},
    [RV_ACTION_THREADS] = {{{"T", 0}}, NULL, "show or hide the list of threads"},
    [RV_ACTION_WAITS] = {{{"F9", 0}}, NULL, "show or hide the list of deadlocks and of what threads waited for"},
    [RV_ACTION_LIST_ARCS] = {{{"F9", RV_MODIFIER_CTRL}},
                             "Arcs, in the list of waits",
                             "list arcs, from who ended waits to who had them, or what was waited for"},
    [RV_ACTION_SHOW_WAIT] = {{{NULL, 0}},
                             "click in the list of waits, Ctrl+P",
                             "go to the call that waited longest for it"},
    [RV_ACTION_SHOW_HOLDER] = {{{NULL, 0}},
                               "click on who kept them waiting, Ctrl+P",
                               "go to the call that ended most of the waiting"},
    [RV_ACTION_ARCS] = {{{"R", RV_MODIFIER_SHIFT}}, NULL, "show or hide arcs from who ended waits to who waited"},
    [RV_ACTION_FLOW_ARCS] = {{{"A", RV_MODIFIER_SHIFT}},
                             NULL,
                             "show or hide arcs of flows and tasks; recordings opened by their index have none"},
    [RV_ACTION_ARC_KIND] = {{{NULL, 0}}, "in the settings, Ctrl+P", "show or hide arcs of one kind"},
    [RV_ACTION_LOCK_LANES] = {{{"F9", RV_MODIFIER_SHIFT}},
                              NULL,
                              "show or hide lanes of what was waited for most: who had it, and who waited"},
    [RV_ACTION_LEGEND] = {{{"F3", 0}}, NULL, "show or hide the legend"},
    [RV_ACTION_MINIMAP] = {{{"F4", 0}}, NULL, "show or hide the minimap"},
    [RV_ACTION_THEME] = {{{"T", RV_MODIFIER_CTRL}}, "in the settings", "dark or light"},
    [RV_ACTION_SCALE] = {{{"=", RV_MODIFIER_CTRL}}, "in the settings", "next size of text and panels, 75 to 300 %"},
    [RV_ACTION_QUIT] = {{{"Q", RV_MODIFIER_CTRL}}, NULL, "quit"},
};

const struct rv_key_binding *rv_key_bindings_get(enum rv_action action)
{
    rv_assert(action < RV_ACTION_COUNT);
    return &TABLE[action];
}

const char *rv_key_bindings_section(enum rv_action action)
{
    static const struct {
        enum rv_action first;
        const char *title;
    } sections[] = {{RV_ACTION_LOOK_3D, "Views"},     {RV_ACTION_ZOOM_IN, "Moving"},
                    {RV_ACTION_MARK, "Bookmarks"},    {RV_ACTION_PLAY, "Playing and recording"},
                    {RV_ACTION_PIN, "Calls"},         {RV_ACTION_HIDE_LANE, "Threads"},
                    {RV_ACTION_DEBUGGER, "Debugger"}, {RV_ACTION_UNPIN, "Selecting"},
                    {RV_ACTION_SEARCH, "Search"},     {RV_ACTION_STATISTICS, "Statistics"},
                    {RV_ACTION_COMMANDS, "Window"}};
    const char *title = sections[0].title;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && sections[i].first <= action; i++)
        title = sections[i].title;
    return title;
}

static bool is_chord(const struct rv_chord *chord, const char *key, unsigned modifiers)
{
    return chord->key && strcmp(chord->key, key) == 0 && chord->modifiers == modifiers;
}

enum rv_action rv_key_bindings_action(const char *key, unsigned modifiers)
{
    for (int action = 0; action < RV_ACTION_COUNT; action++)
        for (size_t i = 0; i < RV_ACTION_CHORDS; i++)
            if (is_chord(&TABLE[action].chords[i], key, modifiers))
                return (enum rv_action)action;
    return RV_ACTION_NONE;
}

static void append_chord(char *out, size_t out_bytes, const struct rv_chord *chord)
{
    rv_text_append(out, out_bytes, chord->modifiers & RV_MODIFIER_CTRL ? "Ctrl+" : "", SIZE_MAX);
    rv_text_append(out, out_bytes, chord->modifiers & RV_MODIFIER_SHIFT ? "Shift+" : "", SIZE_MAX);
    rv_text_append(out, out_bytes, chord->modifiers & RV_MODIFIER_ALT ? "Alt+" : "", SIZE_MAX);
    rv_text_append(out, out_bytes, chord->key, SIZE_MAX);
}

char *rv_key_bindings_keys(enum rv_action action, char *out, size_t out_bytes)
{
    const struct rv_key_binding *info = rv_key_bindings_get(action);
    out[0] = '\0';
    for (size_t i = 0; i < RV_ACTION_CHORDS && info->chords[i].key; i++) {
        rv_text_append(out, out_bytes, i ? ", " : "", SIZE_MAX);
        append_chord(out, out_bytes, &info->chords[i]);
    }
    return out;
}

char *rv_key_bindings_text(enum rv_action action, char *out, size_t out_bytes)
{
    const struct rv_key_binding *info = rv_key_bindings_get(action);
    rv_key_bindings_keys(action, out, out_bytes);
    if (info->gesture) {
        rv_text_append(out, out_bytes, out[0] ? ", " : "", SIZE_MAX);
        rv_text_append(out, out_bytes, info->gesture, SIZE_MAX);
    }
    return out;
}
