#include "import/call_nesting.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Number of frames searched for an end's call. */
enum { SEARCH_FRAMES = 1024 };

static void pop(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns)
{
    rv_event_builder_return(import->builder, nest->thread, ns);
    nest->n--;
}

static void drop_waiting(struct rv_import *import, struct rv_call_nesting *nest)
{
    for (; nest->n_waiting > 0; nest->n_waiting--)
        rv_import_fault(import, RV_FAULT_END_ALONE);
}

/* Within an open call that ends now another may begin, at the end of their trace. */
static bool is_over(const struct rv_call_nesting_frame *frame, int64_t ns)
{
    return frame->end_ns < ns || (frame->end_ns == ns && !frame->is_open);
}

void rv_call_nesting_advance(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns)
{
    if (nest->n_waiting && nest->waiting_ns != ns)
        drop_waiting(import, nest);
    while (nest->n && is_over(&nest->frames[nest->n - 1], ns))
        pop(import, nest, nest->frames[nest->n - 1].end_ns);
}

/* A call without an end ends with its caller. */
static void heal(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns)
{
    while (nest->n && nest->frames[nest->n - 1].floor_ns <= ns) {
        size_t caller = nest->n - 1;
        while (nest->frames[caller].end_ns > ns)
            caller--;
        int64_t end_ns = nest->frames[caller].end_ns;
        for (; nest->n > caller + 1; rv_import_fault(import, RV_FAULT_END_MISSING))
            pop(import, nest, end_ns);
        pop(import, nest, end_ns);
    }
}

static bool take_waiting(struct rv_call_nesting *nest, int64_t ns, uint32_t id)
{
    if (nest->waiting_ns != ns)
        return false;
    for (uint32_t i = 0; i < nest->n_waiting; i++)
        if (nest->waiting[i] == id) {
            nest->waiting[i] = nest->waiting[--nest->n_waiting];
            return true;
        }
    return false;
}

static void push(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns, struct rv_call_nesting_frame frame)
{
    rv_event_builder_call(import->builder, nest->thread, ns, frame.id);
    nest->frames = rv_vec_reserve(nest->frames, &nest->capacity, nest->n + 1, sizeof *nest->frames);
    const struct rv_call_nesting_frame *caller = nest->n ? &nest->frames[nest->n - 1] : NULL;
    frame.floor_ns = caller && caller->floor_ns < frame.end_ns ? caller->floor_ns : frame.end_ns;
    frame.limit_ns = caller && caller->limit_ns < frame.end_ns ? caller->limit_ns : frame.end_ns;
    nest->frames[nest->n++] = frame;
}

void rv_call_nesting_begin(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns, uint32_t id)
{
    rv_call_nesting_advance(import, nest, ns);
    heal(import, nest, ns);
    bool has_ended = nest->n_waiting && take_waiting(nest, ns, id);
    push(import, nest, ns,
         (struct rv_call_nesting_frame){
             .end_ns = has_ended ? ns : RV_CALL_NESTING_NO_END, .id = id, .awaits_end = !has_ended});
}

bool rv_call_nesting_complete(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns,
                              struct rv_call_nesting_frame call)
{
    rv_call_nesting_advance(import, nest, ns);
    if (!call.is_open || call.end_ns != ns)
        heal(import, nest, ns);
    size_t n = nest->n;
    if (n && call.end_ns != RV_CALL_NESTING_NO_END && call.end_ns > nest->frames[n - 1].end_ns &&
        nest->frames[n - 1].end_ns - ns == 1)
        n--; /* adjacent calls, up to rounding */
    int64_t floor_ns = n ? nest->frames[n - 1].floor_ns : RV_CALL_NESTING_NO_END;
    if (call.end_ns > ns && floor_ns == call.end_ns - 1)
        call.end_ns--;
    if (call.end_ns > floor_ns && call.end_ns != RV_CALL_NESTING_NO_END)
        return false;
    if (n < nest->n)
        pop(import, nest, ns);
    push(import, nest, ns, call);
    return true;
}

/* The innermost frame without an end and with this name (0: any), or n. */
static size_t find_open(const struct rv_call_nesting *nest, uint32_t id)
{
    for (size_t i = nest->n; i > 0 && nest->n - i < SEARCH_FRAMES; i--) {
        const struct rv_call_nesting_frame *frame = &nest->frames[i - 1];
        if (frame->awaits_end && frame->end_ns == RV_CALL_NESTING_NO_END && (id == 0 || frame->id == id))
            return i - 1;
    }
    return nest->n;
}

void rv_call_nesting_end(struct rv_import *import, struct rv_call_nesting *nest, int64_t ns, uint32_t id)
{
    rv_call_nesting_advance(import, nest, ns);
    if (nest->n && nest->frames[nest->n - 1].limit_ns < ns)
        heal(import, nest, nest->frames[nest->n - 1].limit_ns);
    size_t found = find_open(nest, id);
    if (found == nest->n) {
        if (nest->n_waiting == sizeof nest->waiting / sizeof *nest->waiting)
            drop_waiting(import, nest);
        nest->waiting_ns = ns;
        nest->waiting[nest->n_waiting++] = id;
        return;
    }
    if (found == nest->n - 1) {
        pop(import, nest, ns);
        rv_call_nesting_advance(import, nest, ns);
        return;
    }
    int64_t end_ns = ns;
    for (size_t i = found + 1; i < nest->n; i++)
        if (nest->frames[i].end_ns != RV_CALL_NESTING_NO_END && nest->frames[i].end_ns > end_ns)
            end_ns = nest->frames[i].end_ns;
    nest->frames[found].end_ns = end_ns;
    for (size_t i = found; i < nest->n; i++)
        if (nest->frames[i].floor_ns > end_ns)
            nest->frames[i].floor_ns = end_ns;
    rv_import_fault(import, RV_FAULT_END_MISPLACED);
}

/* Ends the calls behind which nothing follows, but those that are open, with all their callers. */
static void finish_open(struct rv_import *import, struct rv_call_nesting *nest)
{
    size_t n_open = 0;
    while (n_open < nest->n && nest->frames[n_open].is_open && nest->frames[n_open].end_ns == nest->frames[0].end_ns)
        n_open++;
    while (nest->n > n_open && nest->frames[nest->n - 1].end_ns != RV_CALL_NESTING_NO_END)
        pop(import, nest, nest->frames[nest->n - 1].end_ns);
    if (n_open && nest->n == n_open) {
        rv_event_builder_end_thread(import->builder, nest->thread, nest->frames[0].end_ns);
        nest->n = 0;
    }
}

void rv_call_nesting_finish(struct rv_import *import, struct rv_call_nesting *nest, int64_t trace_end_ns)
{
    finish_open(import, nest);
    rv_call_nesting_advance(import, nest, RV_CALL_NESTING_NO_END - 1);
    heal(import, nest, RV_CALL_NESTING_NO_END - 1);
    drop_waiting(import, nest);
    if (nest->n)
        rv_event_builder_end_thread(import->builder, nest->thread, trace_end_ns);
    free(nest->frames);
    nest->frames = NULL;
    nest->n = nest->capacity = 0;
}
