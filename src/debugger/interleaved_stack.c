/*
 * The ring's frames are visited innermost first. One that the thread tells, too, is where the stacks meet; calls that only
 * the ring has lie between the last and the next such frame. Frames that only the thread tells are of subs that are not traced,
 * as blocks of Ruby: what C functions call back. So a call lies as far out as it can, next to the sub that made it; as far in
 * where that sub is unknown, since older events were lost. Calls that lie in no call of the producer's are those that the
 * interpreter itself runs in.
 */
#include "debugger/interleaved_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MOST_AHEAD = 1000 }; /* frames that only the thread tells, one after the other */

struct text { /* NUL-terminated once something was added */
    char *bytes;
    size_t n, capacity;
};

struct interleaving {
    const char *told, *next;    /* its lines, and those not shown yet */
    struct text shown, between; /* between: calls since the stacks met */
    size_t n_inside;            /* bytes of these that lie in a call of the producer's */
    bool is_stopped, have_met, has_calls;
    bool is_later; /* the ring has a frame that the thread should have told */
};

static void add(struct text *text, const char *bytes, size_t n)
{
    text->bytes = rv_vec_reserve(text->bytes, &text->capacity, text->n + n + 1, 1);
    memcpy(text->bytes + text->n, bytes, n);
    text->n += n;
    text->bytes[text->n] = '\0';
}

static const char *line_end(const char *line)
{
    const char *end = line + strcspn(line, "\n");
    return end + (*end == '\n');
}

/* "#1 main::f(2) at ..." is of main::f. */
static bool is_of(const char *line, const char *call)
{
    const size_t n_number = strcspn(line, " \n"), n_call = strlen(call);
    const char *told = line + n_number + 1;
    return line[n_number] == ' ' && strncmp(told, call, n_call) == 0 &&
           (told[n_call] == '(' || strncmp(told + n_call, " at ", 4) == 0);
}

static const char *find_told(const struct interleaving *stack, const char *call)
{
    const char *line = stack->next;
    for (unsigned i = 0; i < MOST_AHEAD && *line; i++, line = line_end(line))
        if (is_of(line, call))
            return line;
    return NULL;
}

static void show_told(struct interleaving *stack, const char *end)
{
    add(&stack->shown, stack->next, (size_t)(end - stack->next));
    stack->next = end;
}

/* Until the stacks have met, only calls of a stopped thread are sure to be of this moment. */
static bool have_place(const struct interleaving *stack)
{
    return stack->have_met || stack->is_stopped;
}

static void show_between(struct interleaving *stack, size_t from, size_t to)
{
    if (to > from)
        add(&stack->shown, stack->between.bytes + from, to - from);
}

/* Calls within the innermost frame are those that serve the monitor. */
static void meet(struct interleaving *stack, const char *line)
{
    const bool are_shown = line != stack->told && have_place(stack);
    show_told(stack, line);
    show_between(stack, 0, are_shown ? stack->between.n : 0);
    show_told(stack, line_end(line));
    stack->between.n = stack->n_inside = 0;
    stack->have_met = true;
}

static void add_call(struct interleaving *stack, const struct rv_ring_stack_frame *frame)
{
    char line[24] = "";
    if (*frame->file && frame->line)
        (void)snprintf(line, sizeof line, " line %u", frame->line);
    add(&stack->between, RV_INTERLEAVED_STACK_INDENT, sizeof RV_INTERLEAVED_STACK_INDENT - 1);
    add(&stack->between, frame->call, strlen(frame->call));
    if (*line) {
        add(&stack->between, " at ", 4);
        add(&stack->between, frame->file, strlen(frame->file));
        add(&stack->between, line, strlen(line));
    }
    add(&stack->between, "\n", 1);
    stack->has_calls = true;
}

static void visit(void *context, const struct rv_ring_stack_frame *frame)
{
    struct interleaving *stack = context;
    const char *line = frame->kind == RV_RING_STACK_NATIVE ? NULL : find_told(stack, frame->call);
    if (line) {
        meet(stack, line);
        return;
    }
    if (frame->kind == RV_RING_STACK_SUB)
        stack->is_later = true;
    else
        add_call(stack, frame);
    if (frame->kind != RV_RING_STACK_NATIVE)
        stack->n_inside = stack->between.n;
}

/* Its outermost frame, the main program, of those not shown yet; their end, if there are none. */
static const char *outermost(const struct interleaving *stack)
{
    const char *line = stack->next;
    while (*line_end(line))
        line = line_end(line);
    return line;
}

/* The rest of both. */
static void end(struct interleaving *stack, bool is_whole)
{
    const size_t n = have_place(stack) ? stack->between.n : 0, n_inside = n && is_whole ? stack->n_inside : n;
    if (stack->next == stack->told)
        show_told(stack, line_end(stack->told));
    if (is_whole)
        show_told(stack, outermost(stack));
    show_between(stack, 0, n_inside);
    show_told(stack, stack->next + strlen(stack->next));
    show_between(stack, n_inside, n);
}

char *rv_interleaved_stack_show(struct rv_ring_stack *ring_stack, uint32_t ring, const char *told, bool is_stopped)
{
    struct interleaving stack = {.told = told, .next = told, .is_stopped = is_stopped};
    char unknown[96];
    const size_t n_known = rv_ring_stack_visit(ring_stack, ring, visit, &stack);
    if (stack.is_later && !is_stopped) {
        stack.shown.n = 0;
        add(&stack.shown, told, strlen(told));
        stack.has_calls = false;
    } else {
        end(&stack, n_known == 0);
    }
    if (n_known && stack.has_calls) {
        (void)snprintf(unknown, sizeof unknown, "(unnumbered calls before the last %zu events are unknown)\n", n_known);
        add(&stack.shown, unknown, strlen(unknown));
    }
    free(stack.between.bytes);
    return stack.shown.bytes;
}
