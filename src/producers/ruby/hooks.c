/*
 * One hook for all events of the program, for each hook costs every event. A return is that of the call in its frame.
 */
#include "producers/ruby/hooks.h"

#include <stdbool.h>
#include <string.h>

#include "producers/ruby/collections.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/stacks.h"

#define MOST_FRAMES 100

uint32_t rv_n_collections = 1;
static rb_event_flag_t events;

/* A method that is made of a block is one call in one frame, though both are reported. */
static void open_block(const struct rv_control_frame *current)
{
    const char *frame = (const char *)current;
    struct rv_open_call *top = rv_stacks_top();
    if (top && top->frame == frame && top->method.is_of_block && !top->is_in_block)
        top->is_in_block = true;
    else
        rv_stacks_open(rv_methods_find_block(current), frame, false);
}

static void close_block(const char *frame)
{
    struct rv_open_call *top;
    rv_stacks_close_below(frame);
    top = rv_stacks_top();
    if (top && top->frame == frame && top->is_in_block)
        top->is_in_block = false;
    else
        rv_stacks_close(frame);
}

/* Ruby executes the caller's frame when a function is called and has returned, its own when it is unwound. */
static void close_function(const char *frame)
{
    const struct rv_open_call *top;
    rv_stacks_close_below(frame - 1);
    top = rv_stacks_top();
    if (top && top->is_function)
        rv_stacks_close_top();
}

static void on_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    const struct rv_control_frame *current = ruby_current_ec->frame;
    const char *frame = (const char *)current;
    (void)data;
    (void)self;
    switch (event) {
    case RUBY_EVENT_CALL:
        rv_stacks_open(rv_methods_find(current), frame, false);
        break;
    case RUBY_EVENT_RETURN:
        rv_stacks_close(frame);
        break;
    case RUBY_EVENT_C_CALL:
        rv_stacks_open(rv_methods_find_function(owner, id), frame - 1, true);
        break;
    case RUBY_EVENT_C_RETURN:
        close_function(frame);
        break;
    case RUBY_EVENT_B_CALL:
        open_block(current);
        break;
    case RUBY_EVENT_B_RETURN:
        close_block(frame);
        break;
    case RUBY_EVENT_FIBER_SWITCH:
        rv_stacks_switch(ruby_current_ec);
        break;
    case RUBY_EVENT_THREAD_BEGIN:
        rv_stacks_begin_thread();
        break;
    default:
        break;
    }
}

/* Nothing may be allocated here. */
static void on_collection(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
    if (event == RUBY_INTERNAL_EVENT_GC_ENTER)
        ringviz_gc_begin();
    else if (event == RUBY_INTERNAL_EVENT_GC_EXIT)
        ringviz_gc_end();
    else
        rv_collections_expire();
}

static void begin(void)
{
    rb_add_event_hook(on_event, events, Qnil);
    rb_add_event_hook(on_collection,
                      RUBY_INTERNAL_EVENT_GC_ENTER | RUBY_INTERNAL_EVENT_GC_EXIT | RUBY_INTERNAL_EVENT_GC_END_MARK,
                      Qnil);
}

/* ---- until the main script begins ---- */

/* Ruby calls the file it was started with, and what -e gives, <main>; below all frames lies one of no file. */
static bool is_of_main(VALUE frame)
{
    VALUE label = rb_profile_frame_base_label(frame), path = rb_profile_frame_path(frame);
    return RB_TYPE_P(label, T_STRING) && strcmp(RSTRING_PTR(label), "<main>") == 0 && RB_TYPE_P(path, T_STRING) &&
           strcmp(RSTRING_PTR(path), "<main>") != 0;
}

static bool has_main_begun(void)
{
    VALUE frames[MOST_FRAMES];
    int n, first = 0;
    if (rb_thread_current() != rb_thread_main())
        return true;
    while ((n = rb_profile_frames(first, MOST_FRAMES, frames, NULL)) > 0) {
        for (int i = 0; i < n; i++)
            if (is_of_main(frames[i]))
                return true;
        first += n;
    }
    return false;
}

static void on_early_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    if (!has_main_begun())
        return;
    rb_remove_event_hook(on_early_event);
    begin();
    on_event(event, data, self, id, owner);
}

void rv_hooks_start(enum rv_hooks_level level, bool at_once)
{
    events = RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_FIBER_SWITCH | RUBY_EVENT_THREAD_BEGIN;
    if (level >= RV_HOOKS_BLOCKS)
        events |= RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN;
    if (level >= RV_HOOKS_ALL)
        events |= RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN;
    if (at_once)
        begin();
    else
        rb_add_event_hook(on_early_event, events, Qnil);
}
