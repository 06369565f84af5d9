#include "viewer/bookmarks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/key_value_file.h"
#include "viewer/navigation.h"
#include "viewer/playback.h"
#include "viewer/viewer.h"
#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

_Static_assert(RV_BOOKMARK_NOTE_BYTES <= RV_KEY_VALUE_BYTES, "a note is a value of the file");

#define MARK_NEAR 0.005 /* share of the window: a bookmark this near is meant */

static const char HEADING[] = "# Bookmarks of ringviz: time after the first event = note\n";

/* ---- the file ---- */

/* The time of a line's key: "@..." by the clock of the capture, else after its first event, which it is not before. */
static bool parse_time(const char *key, uint64_t origin_ns, uint64_t *ns)
{
    const bool is_clock = key[0] == '@';
    uint64_t key_ns;
    if (rv_units_parse_ns(key + is_clock, &key_ns) != 0)
        return false;
    *ns = is_clock ? key_ns : origin_ns + key_ns;
    return *ns >= origin_ns;
}

/* Is the line the bookmark of a time, in whatever unit? */
static bool is_of(const struct rv_key_value_line *line, uint64_t origin_ns, uint64_t ns)
{
    struct rv_key_value entry;
    uint64_t line_ns;
    return rv_key_value_read(line, &entry) && parse_time(entry.key, origin_ns, &line_ns) && line_ns == ns;
}

/* Replace the lines of a time by one with this note, or by none if it is NULL. */
static void change(const struct rv_bookmarks *marks, struct rv_key_value_file *file, uint64_t ns, const char *note)
{
    char key[32];
    for (size_t i = file->n_lines; i-- > 0;)
        if (is_of(&file->lines[i], marks->origin_ns, ns))
            rv_key_value_file_remove(file, i);
    (void)snprintf(key, sizeof key, "%s%" PRIu64 "ns", marks->is_by_clock ? "@" : "", ns - marks->origin_ns);
    if (note)
        rv_key_value_file_set(file, key, note);
}

const char *rv_bookmarks_path(const char *capture, char *path, size_t path_bytes)
{
    const int n = capture ? snprintf(path, path_bytes, "%s" RV_BOOKMARKS_SUFFIX, capture) : 0;
    return n > 0 && (size_t)n < path_bytes ? path : NULL;
}

/* After a failure nothing is tried again: it is said once. */
static void save(struct rv_bookmarks *marks, uint64_t ns, const char *note)
{
    struct rv_key_value_file file;
    if (!marks->path || ns < marks->origin_ns)
        return;
    int error = rv_key_value_file_open(&file, marks->path, false);
    if (!error && file.n_lines == 0)
        rv_key_value_file_parse(&file, HEADING, strlen(HEADING));
    if (!error) {
        change(marks, &file, ns, note);
        error = rv_key_value_file_save(&file);
    }
    rv_key_value_file_close(&file);
    if (!error)
        return;
    rv_warn("%s: bookmarks are not saved", marks->path);
    rv_bookmarks_fini(marks);
}

/* ---- the bookmarks ---- */

void rv_bookmarks_fini(struct rv_bookmarks *marks)
{
    free(marks->path);
    marks->path = NULL;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

size_t rv_bookmarks_near(const struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns)
{
    for (size_t i = 0; i < marks->n; i++)
        if (distance(marks->ns[i], ns) <= near_ns)
            return i;
    return SIZE_MAX;
}

static void move(struct rv_bookmarks *marks, size_t to, size_t from)
{
    memmove(&marks->ns[to], &marks->ns[from], (marks->n - from) * sizeof *marks->ns);
    memmove(&marks->notes[to], &marks->notes[from], (marks->n - from) * sizeof *marks->notes);
}

/* A file is edited by hand, and a note pasted from anywhere: without line ends and other control characters. */
static void set_note(struct rv_bookmarks *marks, size_t i, const char *note)
{
    char *out = marks->notes[i];
    size_t n = rv_text_whole(note, strlen(note), sizeof marks->notes[i] - 1);
    snprintf(out, sizeof marks->notes[i], "%.*s", (int)n, note);
    for (; *out; out++)
        if ((unsigned char)*out < 0x20 || *out == 0x7f)
            *out = ' ';
}

/* The new one's index; SIZE_MAX: there is no room. */
static size_t add(struct rv_bookmarks *marks, uint64_t ns, const char *note)
{
    size_t at = 0;
    if (marks->n == RV_BOOKMARKS_MAX)
        return SIZE_MAX;
    while (at < marks->n && marks->ns[at] < ns)
        at++;
    move(marks, at + 1, at);
    marks->ns[at] = ns;
    marks->n++;
    set_note(marks, at, note);
    return at;
}

static size_t add_or_say(struct rv_bookmarks *marks, uint64_t ns, const char *note)
{
    const size_t i = add(marks, ns, note);
    if (i == SIZE_MAX)
        rv_warn("there is room for %u bookmarks: remove one before another is set", RV_BOOKMARKS_MAX);
    return i;
}

static void drop(struct rv_bookmarks *marks, size_t i)
{
    move(marks, i, i + 1);
    marks->n--;
}

void rv_bookmarks_toggle(struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns)
{
    size_t i = rv_bookmarks_near(marks, ns, near_ns);
    if (i != SIZE_MAX) {
        uint64_t gone_ns = marks->ns[i];
        drop(marks, i);
        save(marks, gone_ns, NULL);
    } else if (add_or_say(marks, ns, "") != SIZE_MAX) {
        save(marks, ns, "");
    }
}

void rv_bookmarks_write(struct rv_bookmarks *marks, uint64_t ns, const char *note)
{
    size_t i = rv_bookmarks_near(marks, ns, 0);
    if (i != SIZE_MAX)
        set_note(marks, i, note);
    else
        i = add_or_say(marks, ns, note);
    if (i != SIZE_MAX)
        save(marks, ns, marks->notes[i]);
}

bool rv_bookmarks_next(const struct rv_bookmarks *marks, uint64_t ns, uint64_t *next_ns)
{
    for (size_t i = 0; i < marks->n; i++) {
        if (marks->ns[i] <= ns)
            continue;
        *next_ns = marks->ns[i];
        return true;
    }
    if (marks->n)
        *next_ns = marks->ns[0];
    return marks->n > 0;
}

/* Lines that are no bookmarks, or more than there is room for, stay in the file. */
static void load(struct rv_bookmarks *marks, const struct rv_key_value_file *file)
{
    struct rv_key_value entry;
    uint64_t ns;
    size_t n_left_out = 0;
    for (size_t i = 0; i < file->n_lines; i++) {
        if (rv_key_value_is_comment(&file->lines[i]))
            continue;
        bool is_one = rv_key_value_read(&file->lines[i], &entry) && parse_time(entry.key, marks->origin_ns, &ns);
        if (is_one && rv_bookmarks_near(marks, ns, 0) == SIZE_MAX)
            is_one = add(marks, ns, entry.value) != SIZE_MAX;
        n_left_out += !is_one;
    }
    if (n_left_out)
        rv_warn("%s: %zu %s, or more than %u; kept unchanged", file->path, n_left_out,
                rv_units_word(n_left_out, "line is no bookmark", "lines are not bookmarks"), RV_BOOKMARKS_MAX);
}

void rv_bookmarks_open(struct rv_bookmarks *marks, const char *path, uint64_t origin_ns)
{
    struct rv_key_value_file file;
    struct rv_bookmarks before = *marks;
    if (rv_key_value_file_open(&file, path, false) == 0) {
        marks->path = rv_strdup(path);
        marks->origin_ns = origin_ns;
        load(marks, &file);
    }
    rv_key_value_file_close(&file);
    for (size_t i = 0; i < before.n; i++)
        save(marks, before.ns[i], before.notes[i]);
}

void rv_bookmarks_copy(const struct rv_bookmarks *marks, const char *path, uint64_t from_ns)
{
    struct rv_bookmarks copy = {.is_by_clock = true};
    for (size_t i = 0; i < marks->n; i++)
        if (marks->ns[i] >= from_ns)
            (void)add(&copy, marks->ns[i], marks->notes[i]);
    if (copy.n)
        rv_bookmarks_open(&copy, path, 0);
    rv_bookmarks_fini(&copy);
}

/* ---- what the user does ---- */

static uint64_t near_of(const struct rv_viewer *viewer)
{
    return (uint64_t)(MARK_NEAR * viewer->time_window.window_ns);
}

/* Nothing is marked before the capture begins. */
static uint64_t cursor_ns(const struct rv_viewer *viewer)
{
    uint64_t ns = rv_navigation_time_at(viewer, rv_navigation_cursor_share(viewer));
    return ns > viewer->live_edge.first_ns ? ns : viewer->live_edge.first_ns;
}

/* At the bookmark that is meant, or at the cursor. */
static void ask_for_note(struct rv_viewer *viewer)
{
    const struct rv_bookmarks *marks = &viewer->marks;
    uint64_t ns = cursor_ns(viewer);
    size_t i = rv_bookmarks_near(marks, ns, near_of(viewer));
    viewer->panels.note_ns = i == SIZE_MAX ? ns : marks->ns[i];
    viewer->panels.has_note = true;
}

/* After one was set. */
static void say_if_not_saved(struct rv_viewer *viewer)
{
    if (viewer->is_from_pipe)
        rv_message_show(&viewer->message, "Bookmarks are not saved: the capture came out of a pipe");
}

static void take_note(struct rv_viewer *viewer, const char *note)
{
    rv_bookmarks_write(&viewer->marks, viewer->panels.note_ns, note);
    viewer->panels.has_note = false;
    say_if_not_saved(viewer);
}

static void go_to_next(struct rv_viewer *viewer)
{
    uint64_t ns;
    if (!rv_bookmarks_next(&viewer->marks, rv_navigation_time_at(viewer, 0.5), &ns))
        return;
    rv_navigation_center(viewer, ns);
    rv_playback_go(viewer, ns);
}

bool rv_viewer_bookmarks_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    switch ((int)act->action) {
    case RV_ACTION_MARK:
        rv_bookmarks_toggle(&viewer->marks, cursor_ns(viewer), near_of(viewer));
        say_if_not_saved(viewer);
        break;
    case RV_ACTION_NOTE:
        if (act->text)
            take_note(viewer, act->text);
        else
            ask_for_note(viewer);
        break;
    case RV_ACTION_NEXT_MARK:
        go_to_next(viewer);
        break;
    default:
        return false;
    }
    rv_viewer_point(viewer);
    return true;
}
