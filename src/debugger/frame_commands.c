#include "debugger/frame_commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "debugger/console_arguments.h"
#include "debugger/source_lines.h"
#include "debugger/answer_parser.h"
#include "debugger/console_reply.h"

#define MOST_LEVELS 100u

/* ---- the stack ---- */

static void show_stack(struct rv_console *console, uint32_t ring, const struct rv_answer *answer)
{
    if (answer->is_fine && answer->n_bytes == 0)
        printf("ring %u: no call is open\n", ring);
    else
        rv_console_reply_show(console, answer);
}

void rv_frame_commands_stack(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_answer answer;
    if (!rv_console_arguments_parse_any(console, argument, &ring))
        return;
    int error = rv_target_stack(console->target, ring, RV_CONSOLE_REPLY_NS, &answer);
    if (error == -ETIMEDOUT) {
        printf("ring %u does not answer; its open calls, with the lines on which they begin:\n", ring);
        rv_target_open_calls(console->target, ring, &answer);
        error = 0;
    }
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else
        show_stack(console, ring, &answer);
    rv_answer_fini(&answer);
}

/* The line of one frame, for free(); NULL with an error printed if there is none. Only lines with a number count. */
static char *frame_line(struct rv_console *console, uint32_t ring, uint32_t number)
{
    struct rv_answer answer;
    char *found = NULL;
    int error = rv_target_stack(console->target, ring, RV_CONSOLE_REPLY_NS, &answer);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return NULL;
    }
    const char *line = answer.is_fine && answer.text ? answer.text : "";
    for (uint32_t i = 0; *line && !found;) {
        size_t n_bytes = strcspn(line, "\n");
        if (*line == '#' && i++ == number)
            found = rv_strndup(line, n_bytes);
        line += n_bytes + (line[n_bytes] == '\n');
    }
    rv_answer_fini(&answer);
    if (!found)
        rv_console_reply_fail(console, "no frame %u", number);
    return found;
}

/* ---- the selected frame ---- */

static bool is_of(const struct rv_console_frame *frame, const struct rv_target_thread *thread)
{
    return frame->ring == thread->ring && frame->generation == thread->generation &&
           frame->n_stops == thread->run.n_stops && thread->run.state == RV_RUN_STOPPED;
}

uint32_t rv_frame_commands_selected(struct rv_console *console, uint32_t ring)
{
    struct rv_target_thread thread;
    bool is_known = rv_target_thread(console->target, ring, &thread) == 0;
    return is_known && is_of(&console->frame, &thread) ? console->frame.number : 0;
}

bool rv_frame_commands_place(struct rv_console *console, uint32_t ring, struct rv_debug_session_frame *frame)
{
    char *line = frame_line(console, ring, rv_frame_commands_selected(console, ring));
    if (!line)
        return false;
    rv_answer_parser_read_frame(frame, line, strlen(line));
    free(line);
    bool is_known = frame->file[0] && frame->line;
    if (!is_known)
        rv_console_reply_fail(console, "no file: give FILE:LINE");
    return is_known;
}

static void look_at(struct rv_console *console, uint32_t ring, uint32_t number)
{
    struct rv_target_thread thread;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    if (thread.run.state != RV_RUN_STOPPED) {
        rv_console_reply_fail(console, "not stopped");
        return;
    }
    char *line = frame_line(console, ring, number);
    if (line) {
        console->frame = (struct rv_console_frame){ring, thread.generation, thread.run.n_stops, number};
        puts(line);
    }
    free(line);
}

static bool parse_count(struct rv_console *console, const char *argument, uint32_t *count)
{
    bool is_count = !*argument || rv_console_arguments_number(argument, count);
    if (!is_count)
        rv_console_reply_fail(console, "'%s' is not a number of frames", argument);
    return is_count;
}

void rv_frame_commands_up(struct rv_console *console, const char *argument)
{
    uint32_t ring, count = 1;
    if (!parse_count(console, argument, &count) || !rv_console_arguments_find(console, &ring))
        return;
    uint32_t now = rv_frame_commands_selected(console, ring);
    look_at(console, ring, count < UINT32_MAX - now ? now + count : UINT32_MAX);
}

void rv_frame_commands_down(struct rv_console *console, const char *argument)
{
    uint32_t ring, count = 1;
    if (!parse_count(console, argument, &count) || !rv_console_arguments_find(console, &ring))
        return;
    uint32_t now = rv_frame_commands_selected(console, ring);
    if (now == 0 && count > 0)
        rv_console_reply_fail(console, "it is the innermost frame");
    else
        look_at(console, ring, count < now ? now - count : 0);
}

void rv_frame_commands_choose(struct rv_console *console, const char *argument)
{
    uint32_t ring, number = 0;
    if (!parse_count(console, argument, &number) || !rv_console_arguments_find(console, &ring))
        return;
    look_at(console, ring, *argument ? number : rv_frame_commands_selected(console, ring));
}

/* ---- lines ---- */

/* "LINE" or "FILE:LINE", keeps the file if none is given. */
static bool parse_place(struct rv_console *console, const char *argument, struct rv_debug_session_frame *place)
{
    const char *colon = strrchr(argument, ':');
    size_t n_file = colon ? (size_t)(colon - argument) : 0;
    bool is_place = rv_console_arguments_number(colon ? colon + 1 : argument, &place->line) && place->line > 0 &&
                    n_file < sizeof place->file && (!colon || n_file > 0);
    if (!is_place)
        rv_console_reply_fail(console, "list LINE or FILE:LINE");
    else if (colon)
        (void)snprintf(place->file, sizeof place->file, "%.*s", (int)n_file, argument);
    return is_place;
}

static void show_lines(const struct rv_source_lines *listing, uint32_t marked)
{
    for (uint32_t i = 0; i < listing->n; i++)
        printf("%c%5u  %s\n", listing->first + i == marked ? '>' : ' ', listing->first + i, listing->lines[i]);
}

static bool is_listed(const struct rv_console_listed *listed, const struct rv_debug_session_frame *frame)
{
    return listed->next && listed->line == frame->line && strcmp(listed->file, frame->file) == 0;
}

/* List lines around the frame's line, then the following ones each time; or around a given line. */
void rv_frame_commands_list(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_target_thread thread;
    struct rv_debug_session_frame frame;
    struct rv_source_lines listing;
    if (!rv_console_arguments_find_any(console, &ring) || !rv_frame_commands_place(console, ring, &frame))
        return;
    int error = rv_target_thread(console->target, ring, &thread);
    if (error) {
        rv_console_reply_fail_at(console, ring, error);
        return;
    }
    struct rv_console_listed *listed = &console->listed;
    struct rv_debug_session_frame place = frame;
    bool goes_on = !*argument && is_listed(listed, &frame);
    if (*argument && !parse_place(console, argument, &place))
        return;
    if (goes_on)
        rv_source_lines_read_from(&listing, thread.pid, listed->shown, listed->next);
    else
        rv_source_lines_read(&listing, thread.pid, place.file, place.line);
    if (listing.n == 0) {
        rv_console_reply_fail(console, goes_on ? "%s ends here" : "%s: no such line, or it cannot be read",
                              goes_on ? listed->shown : place.file);
        return;
    }
    bool is_here = strcmp(goes_on ? listed->shown : place.file, frame.file) == 0;
    show_lines(&listing, is_here ? frame.line : 0);
    if (!goes_on)
        memcpy(listed->shown, place.file, sizeof listed->shown);
    memcpy(listed->file, frame.file, sizeof listed->file);
    listed->line = frame.line;
    listed->next = listing.first + listing.n;
}

/* ---- values ---- */

void rv_frame_commands_eval(struct rv_console *console, const char *argument)
{
    uint32_t ring;
    struct rv_answer answer;
    if (!*argument) {
        rv_console_reply_fail(console, "eval what?");
        return;
    }
    if (!rv_console_arguments_find(console, &ring))
        return;
    const struct rv_target_expression expression = {argument, rv_frame_commands_selected(console, ring),
                                                    console->has_levels ? console->levels : RV_TARGET_LEVELS};
    int error = rv_target_eval(console->target, ring, &expression, RV_CONSOLE_REPLY_NS, &answer);
    if (error)
        rv_console_reply_fail_at(console, ring, error);
    else
        rv_console_reply_show(console, &answer);
    rv_answer_fini(&answer);
}

void rv_frame_commands_set_depth(struct rv_console *console, const char *argument)
{
    uint32_t levels;
    if (*argument && (!rv_console_arguments_number(argument, &levels) || levels > MOST_LEVELS)) {
        rv_console_reply_fail(console, "'%s' is not a depth from 0 to %u", argument, MOST_LEVELS);
        return;
    }
    if (*argument) {
        console->levels = levels;
        console->has_levels = true;
    }
    printf("depth %u\n", console->has_levels ? console->levels : RV_TARGET_LEVELS);
}
