/*
 * What seldom happens to a shadow stack.
 *
 * Its frames are divided by boundaries: above each lie the frames of another machine stack (a signal's, a fiber's), at
 * the bottom the thread's own. A stack pointer belongs to a stack when it lies beneath that stack's end and not far
 * beneath its top frame; what belongs to none begins a new one. So frames are only ever taken for left when a function
 * above them on the same stack calls or returns. A handler that interrupts a push has a boundary with an unused slot
 * below it: a link.
 *
 * Calls by the API live as long as the hooked function around them: their frames have its stack pointer.
 *
 * A thread may be on thousands of other stacks, most of which it has left for good: a region without an open call is given
 * back, and one whose calls' stack is not mapped any more. What such a stack has next begins a new region.
 *
 * Deeper than a region is long, calls are only counted: what is left without a return there is found out when the stack
 * is back within the region.
 */
#include "producers/native/shadow_stack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "producers/native/pages.h"
#include "producers/native/thread_memory.h"

#define N_OWN_FRAMES (1u << 18)
#define N_OTHER_FRAMES (1u << 14)
#define N_EARLIER 4096u /* frames below depth 0, which returns of calls that were never seen uncover */
#define ALIGN_BYTES (65536ull << RV_SHADOW_TAG_SHIFT)
#define N_KEPT_FRAMES 2048u /* frames whose pages a thread leaves to the next one */
#define FRAMES_A_PAGE (RV_THREAD_MEMORY_PAGE / sizeof(struct rv_shadow_frame))
#define N_BUCKETS 256u
#define FEW_STACKS 1024u /* other stacks of a thread, all of which are kept */
#define MAX_SEARCH 4096u /* frames that may be open still, passed in search of a return's call */

#define NO_STACK 0u /* the lowest: nothing nests on it, nothing returns from it */

/* Words of entries that are no frames. */
#define BOUNDARY UINT64_MAX   /* no stack or its end, call_site: the end of its stack, site: next boundary | IS_LINK */
#define FULL (UINT64_MAX - 1) /* in the last slot or above: no stack, call_site: how many calls are counted only */
#define IS_LINK 1u

#define RETURNED UINT64_MAX /* call_site of a function that has returned below frames of a runtime; its site is 0 */

/* Where a thread has been on other stacks than its own: all of them. */
struct stacks {
    size_t n, n_most; /* others; more of them are looked through */
    struct rv_shadow_region *buckets[N_BUCKETS];
};

struct rv_shadow_region {
    uint32_t stack_id;
    bool has_runtime;                     /* a runtime's frames were on it: they may have ended functions above */
    struct rv_shadow_region *next;        /* in its bucket */
    struct stacks *stacks;                /* the thread's; NULL while it has been on its own stack only */
    struct rv_shadow_frame *base;         /* the lowest boundary */
    struct rv_shadow_frame *first, *last; /* slots */
    struct rv_shadow saved;               /* while the thread is on another stack */
};

#define FRAME_BYTES(n_frames) ((n_frames) * sizeof(struct rv_shadow_frame))
#define OTHER_BYTES                                                                                                    \
    (sizeof(struct rv_shadow_region) + ALIGN_BYTES + FRAME_BYTES(N_EARLIER + N_OTHER_FRAMES + RV_SHADOW_RESERVE))

/* Frames of threads' own stacks, by the address of the frame with tag 0. */
static struct rv_thread_memory own_frames =
    RV_THREAD_MEMORY_AROUND(FRAME_BYTES(N_EARLIER), FRAME_BYTES(N_OWN_FRAMES + RV_SHADOW_RESERVE), ALIGN_BYTES);
static RV_THREAD_LOCAL struct rv_shadow_region native_region;
static struct rv_thread_memory other_regions =
    RV_THREAD_MEMORY(sizeof(struct rv_shadow_region)); /* of threads that change native ones */

struct rv_shadow_frame rv_shadow_no_frame[2] = {{.stack = NO_STACK, .word = BOUNDARY}};

static struct rv_shadow_frame *limit_of(const struct rv_shadow_region *region)
{
    return region->last - 1;
}

static bool is_full(const struct rv_shadow *shadow)
{
    return shadow->top->word == FULL;
}

/* Slots that are no calls: the boundary's, and the one that a link leaves out. */
static size_t width(const struct rv_shadow_frame *boundary)
{
    return 1 + (boundary->site & IS_LINK);
}

static struct rv_shadow_frame *below(const struct rv_shadow_frame *boundary)
{
    return (struct rv_shadow_frame *)(uintptr_t)boundary - width(boundary);
}

static struct rv_shadow_frame *boundary_below(const struct rv_shadow_frame *boundary)
{
    return (struct rv_shadow_frame *)(uintptr_t)(boundary->site & RV_EVENT_ADDRESS_MASK & ~(uint64_t)IS_LINK);
}

/* Of the lowest boundary, on which calls nest. */
static void set_end(struct rv_shadow_frame *base, uint64_t end)
{
    base->stack = end;
    base->call_site = end;
}

static void end_stack(struct rv_shadow *shadow)
{
    struct rv_shadow_frame *top = below(shadow->boundary);
    shadow->boundary = boundary_below(shadow->boundary);
    rv_shadow_move_top(shadow, top);
}

/* link: 0 or IS_LINK */
static void begin_stack(struct rv_shadow *shadow, struct rv_shadow_frame *boundary, uint64_t stack, uint64_t link)
{
    *boundary = (struct rv_shadow_frame){.stack = NO_STACK,
                                         .word = BOUNDARY,
                                         .call_site = stack + RV_SHADOW_NEAR_BYTES / 2,
                                         .site = (uint64_t)(uintptr_t)shadow->boundary | link};
    rv_shadow_set_n_kept(boundary, rv_shadow_n_kept(below(boundary)));
    shadow->boundary = boundary;
}

/* top: the top frame above the boundary, or the boundary itself. */
static bool is_within(struct rv_shadow *shadow, const struct rv_shadow_frame *boundary,
                      const struct rv_shadow_frame *top, uint64_t stack)
{
    if (stack > boundary->call_site)
        return false;
    if (top == boundary)
        return boundary == shadow->region->base;
    return stack >= top->stack || top->stack - stack < RV_SHADOW_NEAR_BYTES;
}

/* Go down to the machine stack that this is on; false, and nothing is changed: it is on none of them. */
static bool find_stack(struct rv_shadow *shadow, uint64_t stack)
{
    struct rv_shadow_frame *boundary = shadow->boundary, *top = shadow->top;
    while (!is_within(shadow, boundary, top, stack)) {
        if (boundary == shadow->region->base)
            return false;
        top = below(boundary);
        boundary = boundary_below(boundary);
    }
    shadow->boundary = boundary;
    rv_shadow_move_top(shadow, top);
    return true;
}

/* Frames beneath a function that calls or returns are no more. */
static void drop_left(struct rv_shadow *shadow, uint64_t stack)
{
    struct rv_shadow_frame *top = shadow->top;
    while (top != shadow->boundary && top->stack < stack)
        top--;
    rv_shadow_move_top(shadow, top);
}

static bool has_site(const struct rv_shadow_frame *frame, uint64_t site)
{
    return (frame->site & RV_EVENT_ADDRESS_MASK) == site;
}

/*
 * A call at the stack pointer of open frames: of a function inlined into theirs, unless it comes from another caller
 * than theirs, or from a place in which one of them is: then those were left.
 */
static void drop_replaced(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *top = shadow->top;
    for (struct rv_shadow_frame *frame = top; frame != shadow->boundary && frame->stack == call->stack; frame--)
        if (!rv_shadow_is_api(frame) && (has_site(frame, call->site) || frame->call_site != call->call_site))
            top = frame - 1;
    rv_shadow_move_top(shadow, top);
}

/* frame: no boundary, and not full */
static bool is_runtime(const struct rv_shadow_frame *frame)
{
    return rv_shadow_is_api(frame) && frame->call_site && frame->call_site != RETURNED;
}

/* The same. */
static bool has_returned(const struct rv_shadow_frame *frame)
{
    return rv_shadow_is_api(frame) && frame->call_site == RETURNED;
}

/* The line of a runtime's call is of the call's event only. */
static void copy_call(struct rv_shadow_frame *frame, const struct rv_shadow_frame *call)
{
    *frame = *call;
    frame->word = rv_event_word_at(is_runtime(call) ? (uint32_t)call->word : call->word, rv_shadow_tag(frame));
}

/* The stack pointer that a frame of the API above this one has. */
static uint64_t stack_above(const struct rv_shadow_frame *frame)
{
    return frame->stack == NO_STACK ? frame->call_site : frame->stack;
}

static uint16_t put_frame(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *top = shadow->top, *frame = top + 1;
    if (frame >= shadow->region->last) {
        *frame = (struct rv_shadow_frame){.stack = NO_STACK, .word = FULL, .call_site = 1};
    } else {
        copy_call(frame, call);
        if (rv_shadow_is_api(call))
            frame->stack = stack_above(top);
    }
    rv_shadow_move_top(shadow, frame);
    return rv_shadow_tag(frame);
}

/* From a boundary down to the frame below it, past others. False: there is none. */
static bool pass_boundaries(const struct rv_shadow *shadow, struct rv_shadow_frame **frame,
                            struct rv_shadow_frame **boundary)
{
    while (*frame == *boundary) {
        if (*frame == shadow->region->base)
            return false;
        *frame = below(*boundary);
        *boundary = boundary_below(*boundary);
    }
    return true;
}

/*
 * Ends the runtime's frames that are as deep as its next call or deeper, with all above them.
 *   returns  how many of its frames are open then, as the deepest says
 */
static uint64_t drop_runtime(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *boundary = shadow->boundary, *frame = shadow->top;
    for (size_t n_searched = 0; n_searched < MAX_SEARCH; n_searched++, frame--) {
        if (!pass_boundaries(shadow, &frame, &boundary))
            return 0;
        if (!is_runtime(frame))
            continue;
        if (frame->call_site < call->call_site)
            return frame->call_site;
        n_searched = 0;
        while (frame - 1 != boundary && has_returned(frame - 1))
            frame--;
        shadow->boundary = boundary;
        rv_shadow_move_top(shadow, frame - 1);
    }
    return call->call_site - 1;
}

/* Frames of the runtime that were opened before this stack knew of them; they do not count for the limit of depth. */
static void put_unknown(struct rv_shadow *shadow, uint64_t n_open, const struct rv_shadow_frame *call)
{
    while (++n_open < call->call_site && shadow->top + 1 < shadow->region->last) {
        const struct rv_shadow_frame unknown = {.stack = call->stack, .call_site = n_open};
        put_frame(shadow, &unknown);
        rv_shadow_set_n_kept(shadow->top, rv_shadow_n_kept(shadow->top - 1));
    }
}

static void enter_runtime(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    shadow->region->has_runtime = true;
    put_unknown(shadow, drop_runtime(shadow, call), call);
}

/* No push is under way but the caller's own. */
static void clear_if_asked(struct rv_shadow *shadow)
{
    if (!shadow->limit)
        rv_shadow_clear(shadow);
}

/* While the stack is deeper than the region. */
static bool count_call(struct rv_shadow *shadow, const struct rv_shadow_frame *call, uint16_t *tag)
{
    struct rv_shadow_frame *full = shadow->top;
    if (call->stack > (full - 1)->stack) {
        rv_shadow_move_top(shadow, full - 1);
        return false;
    }
    *tag = (uint16_t)(rv_shadow_tag(full) + full->call_site++);
    return true;
}

static bool count_return(struct rv_shadow *shadow, const struct rv_shadow_frame *call, uint16_t *tag)
{
    struct rv_shadow_frame *full = shadow->top;
    bool is_counted = call->stack <= (full - 1)->stack;
    if (is_counted)
        *tag = (uint16_t)(rv_shadow_tag(full) + --full->call_site);
    if (!is_counted || full->call_site == 0)
        rv_shadow_move_top(shadow, full - 1);
    return is_counted;
}

uint16_t rv_shadow_enter_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *top = shadow->top, *link = top + 2;
    if (link + 1 >= shadow->region->last)
        return rv_shadow_tag(top + 1);
    rv_shadow_move_top(shadow, link + 1);
    begin_stack(shadow, link, call->stack, IS_LINK);
    copy_call(&link[1], call);
    return rv_shadow_tag(link + 1);
}

uint16_t rv_shadow_enter(struct rv_shadow *shadow, const struct rv_shadow_frame *call, size_t *n_fallen)
{
    clear_if_asked(shadow);
    const struct rv_shadow_frame *before = shadow->top;
    uint16_t tag;
    *n_fallen = 0;
    if (is_full(shadow) && count_call(shadow, call, &tag))
        return tag;
    if (shadow->top == shadow->region->base && !shadow->top->call_site)
        set_end(shadow->top, call->stack + RV_SHADOW_NEAR_BYTES / 2);
    while (shadow->top == shadow->boundary && shadow->top != shadow->region->base)
        end_stack(shadow);
    if (find_stack(shadow, call->stack)) {
        drop_left(shadow, call->stack);
        if (!rv_shadow_is_api(call))
            drop_replaced(shadow, call);
        else if (is_runtime(call))
            enter_runtime(shadow, call);
    } else if (shadow->top + 1 < shadow->region->last) {
        begin_stack(shadow, shadow->top + 1, call->stack, 0);
        rv_shadow_move_top(shadow, shadow->top + 1);
    }
    *n_fallen = before > shadow->top ? (size_t)(before - shadow->top) : 0;
    return put_frame(shadow, call);
}

/* A function built without -fno-optimize-sibling-calls has left its frame and jumped to its exit hook, which then
 * returns to the function's caller. */
static bool has_jumped(const struct rv_shadow_frame *call)
{
    return call->site == call->call_site;
}

static bool is_call_of(const struct rv_shadow_frame *frame, const struct rv_shadow_frame *call)
{
    if (frame->call_site != call->call_site || rv_shadow_is_api(frame) != rv_shadow_is_api(call))
        return false;
    if (is_runtime(call))
        return true;
    if ((frame->word ^ call->word) & RV_EVENT_ADDRESS_MASK)
        return false;
    if (rv_shadow_is_api(call))
        return true;
    return has_jumped(call) ? frame->stack < call->stack : frame->stack >= call->stack;
}

/* The call that returns, and the boundary below it. */
static struct rv_shadow_frame *find_call(struct rv_shadow *shadow, const struct rv_shadow_frame *call,
                                         struct rv_shadow_frame **boundary)
{
    size_t n_searched = 0;
    *boundary = shadow->boundary;
    for (struct rv_shadow_frame *frame = shadow->top; n_searched < MAX_SEARCH; frame--) {
        if (!pass_boundaries(shadow, &frame, boundary))
            return NULL;
        if (is_call_of(frame, call))
            return frame;
        n_searched += frame->stack >= call->stack || *boundary != shadow->boundary;
    }
    return NULL;
}

const struct rv_shadow_frame *rv_shadow_find(const struct rv_shadow *shadow, uint64_t stack, uint64_t call_site)
{
    const struct rv_shadow_frame *boundary = shadow->boundary, *frame = shadow->top;
    for (size_t n_searched = 0; shadow->region && n_searched < MAX_SEARCH; n_searched++, frame--) {
        while (frame == boundary) {
            if (frame == shadow->region->base)
                return NULL;
            frame = below(boundary);
            boundary = boundary_below(boundary);
        }
        if (frame->stack == stack && frame->call_site == call_site)
            return frame;
    }
    return NULL;
}

/*
 * Keeps a function's frame below those of the runtime that were opened in it, where there are any; what lies between was
 * left. Their stack is that of its caller.
 */
static bool keep_returned(struct rv_shadow *shadow, struct rv_shadow_frame *frame)
{
    struct rv_shadow_frame *top = shadow->top, *above = frame + 1;
    const uint64_t stack = stack_above(frame - 1);
    while (above <= top && !is_runtime(above))
        above++;
    if (above > top)
        return false;
    for (; frame <= top; frame++) {
        frame->stack = stack;
        if (rv_shadow_is_api(frame))
            continue;
        frame->site &= ~(uint64_t)RV_EVENT_ADDRESS_MASK;
        frame->call_site = RETURNED;
    }
    return true;
}

bool rv_shadow_has_returned(const struct rv_shadow *shadow)
{
    return shadow->top != shadow->boundary && !is_full(shadow) && has_returned(shadow->top);
}

const struct rv_shadow_frame *rv_shadow_pop_returned(struct rv_shadow *shadow)
{
    struct rv_shadow_frame *top = shadow->top;
    if (!rv_shadow_has_returned(shadow))
        return NULL;
    rv_shadow_move_top(shadow, top - 1);
    return top;
}

/* The return of a call that was never seen: its frame lies above the top one, or below all. */
static uint16_t leave_unseen(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_region *region = shadow->region;
    if (is_runtime(call)) {
        const uint64_t n_open = drop_runtime(shadow, call);
        return (uint16_t)(rv_shadow_tag(shadow->top) + call->call_site - n_open);
    }
    if (!rv_shadow_is_api(call) && find_stack(shadow, call->stack))
        drop_left(shadow, call->stack);
    struct rv_shadow_frame *top = shadow->top;
    if (top != region->base)
        return rv_shadow_tag(top + 1);
    if (top > region->first) {
        top[-1] = *top;
        region->base = shadow->boundary = top - 1;
        rv_shadow_move_top(shadow, top - 1);
    }
    return rv_shadow_tag(top);
}

uint16_t rv_shadow_leave(struct rv_shadow *shadow, const struct rv_shadow_frame *call, size_t *n_fallen)
{
    clear_if_asked(shadow);
    struct rv_shadow_frame *before = shadow->top, *boundary;
    uint16_t tag;
    *n_fallen = 0;
    if (is_full(shadow) && count_return(shadow, call, &tag))
        return tag;
    struct rv_shadow_frame *frame = find_call(shadow, call, &boundary);
    const bool is_functions = !rv_shadow_is_api(call);
    if (is_functions &&
        (frame ? boundary == shadow->boundary && keep_returned(shadow, frame) : shadow->region->has_runtime)) {
        *n_fallen = RV_SHADOW_UNWRITTEN;
        return 0;
    }
    if (frame) {
        tag = rv_shadow_tag(frame);
        shadow->boundary = boundary;
        rv_shadow_move_top(shadow, frame - 1);
    } else {
        tag = leave_unseen(shadow, call);
    }
    *n_fallen = before > shadow->top + 1 ? (size_t)(before - shadow->top - 1) : 0;
    return tag;
}

uint16_t rv_shadow_begin_leave_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *boundary, *frame = find_call(shadow, call, &boundary);
    return rv_shadow_tag(frame ? frame : shadow->top + 1);
}

void rv_shadow_end_leave_nested(struct rv_shadow *shadow, const struct rv_shadow_frame *call)
{
    struct rv_shadow_frame *boundary, *frame = find_call(shadow, call, &boundary);
    if (!frame)
        return;
    shadow->boundary = boundary;
    rv_shadow_move_top(shadow, frame - 1);
    if (shadow->top == boundary && boundary->site & IS_LINK)
        end_stack(shadow);
}

/* The slot that a link leaves out. */
static bool is_gap(const struct rv_shadow_frame *slot)
{
    return slot[1].word == BOUNDARY && slot[1].site & IS_LINK;
}

void rv_shadow_count_kept(struct rv_shadow *shadow, uint32_t limit,
                          bool (*is_kept)(const struct rv_shadow_frame *frame))
{
    uint32_t n_below = 0;
    for (struct rv_shadow_frame *frame = shadow->region->base; frame <= shadow->top; frame++) {
        if (frame < shadow->top && is_gap(frame))
            continue;
        const bool is_call = frame->word != BOUNDARY && frame->word != FULL;
        const uint32_t n = n_below + (n_below < limit && is_call && is_kept(frame)), before = rv_shadow_n_kept(frame);
        n_below = n > before ? n : before;
        rv_shadow_set_n_kept(frame, n_below);
    }
}

/* NULL: the thread was never on it. */
static struct rv_shadow_region *find_region(const struct rv_shadow *shadow, uint32_t stack_id)
{
    const struct stacks *stacks = shadow->region->stacks;
    struct rv_shadow_region *region = stacks ? stacks->buckets[stack_id % N_BUCKETS] : shadow->region;
    while (region && region->stack_id != stack_id)
        region = region->next;
    return region;
}

uint16_t rv_shadow_runtime_tag(const struct rv_shadow *shadow, uint32_t stack_id, uint32_t depth)
{
    const struct rv_shadow_region *region = shadow->region ? find_region(shadow, stack_id) : NULL;
    if (!region)
        return (uint16_t)depth;
    const struct rv_shadow_frame *top = region == shadow->region ? shadow->top : region->saved.top;
    for (const struct rv_shadow_frame *frame = region->base + 1 + depth; frame <= top; frame++) {
        const bool is_call = frame->word != BOUNDARY && frame->word != FULL && (frame == top || !is_gap(frame));
        if (is_call && is_runtime(frame) && frame->call_site == (uint64_t)depth + 1)
            return rv_shadow_tag(frame);
    }
    return (uint16_t)depth;
}

static void lay_out(struct rv_shadow_region *region, struct rv_shadow_frame *zero, uint32_t stack_id, size_t n_frames)
{
    *region = (struct rv_shadow_region){
        .stack_id = stack_id, .base = zero - 1, .first = zero - N_EARLIER, .last = zero + n_frames - 1};
    *region->base = (struct rv_shadow_frame){.stack = NO_STACK, .word = BOUNDARY};
    region->saved = (struct rv_shadow){region->base, limit_of(region), region->base, region};
}

static void *map_pages(size_t n_bytes)
{
    void *pages = rv_pages_map(n_bytes);
    if (!pages)
        return NULL;
    (void)madvise(pages, n_bytes, MADV_NOHUGEPAGE);
    return pages;
}

static struct rv_shadow_region *create_region(uint32_t stack_id)
{
    struct rv_shadow_region *region = map_pages(OTHER_BYTES);
    if (!region)
        return NULL;
    const uintptr_t first = (uintptr_t)(region + 1) + FRAME_BYTES(N_EARLIER);
    lay_out(region, (struct rv_shadow_frame *)((first + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1)), stack_id,
            N_OTHER_FRAMES);
    return region;
}

/* What a deep stack has used is given back: as it was new, a frame above the lowest of that is zero. Where the first page
 * was not filled no other is read. */
static void shrink(struct rv_shadow_frame *frames)
{
    uint8_t *begin = (uint8_t *)(frames + N_KEPT_FRAMES), *end = (uint8_t *)(frames + N_OWN_FRAMES + RV_SHADOW_RESERVE);
    if (frames[FRAMES_A_PAGE - 1].word && frames[N_KEPT_FRAMES].word)
        (void)madvise(begin, (size_t)(end - begin), MADV_DONTNEED);
}

int rv_shadow_create(struct rv_shadow *shadow, uint64_t end, bool is_native, uint16_t first_tag)
{
    struct rv_shadow_region *own = is_native ? &native_region : rv_thread_memory_take(&other_regions);
    struct rv_shadow_frame *frames = own ? rv_thread_memory_take(&own_frames) : NULL;
    if (!frames && own && !is_native)
        rv_thread_memory_give(&other_regions, own);
    if (!frames)
        return -ENOMEM;
    lay_out(own, frames + first_tag, 0, N_OWN_FRAMES - first_tag);
    set_end(own->base, end);
    *shadow = own->saved;
    return 0;
}

/* The thread is about to leave its own stack for the first time. */
static bool has_stacks(struct rv_shadow_region *region)
{
    if (!region->stacks && (region->stacks = map_pages(sizeof *region->stacks))) {
        region->stacks->n_most = FEW_STACKS;
        region->stacks->buckets[0] = region;
    }
    return region->stacks != NULL;
}

/* Where the kernel does not say (a filter may refuse the call), it is taken to be. */
static bool is_mapped(uint64_t address)
{
    unsigned char is_resident;
    return mincore((void *)(uintptr_t)(address & ~(uint64_t)(RV_THREAD_MEMORY_PAGE - 1)), 1, &is_resident) == 0 ||
           errno != ENOMEM;
}

/* Of a stack that the thread is not on: a new region would do as well. A runtime's frames may have ended functions whose
 * returns come later. */
static bool is_over(const struct rv_shadow_region *region)
{
    const struct rv_shadow_frame *base = region->base, *lowest = base + 1;
    if (region->has_runtime || base != region->first + N_EARLIER - 1)
        return false;
    return region->saved.top == base || (lowest->word != BOUNDARY && lowest->stack && !is_mapped(lowest->stack));
}

static void remove_over(struct stacks *stacks, const struct rv_shadow_region *current)
{
    const int saved = errno;
    for (size_t i = 0; i < N_BUCKETS; i++)
        for (struct rv_shadow_region **at = &stacks->buckets[i], *region; (region = *at);) {
            if (region->stack_id == 0 || region == current || !is_over(region)) {
                at = &region->next;
                continue;
            }
            *at = region->next;
            rv_pages_unmap(region, OTHER_BYTES);
            stacks->n--;
        }
    stacks->n_most = 2 * stacks->n < FEW_STACKS ? FEW_STACKS : 2 * stacks->n;
    errno = saved;
}

static struct rv_shadow_region *add_region(struct rv_shadow_region *current, uint32_t stack_id)
{
    struct stacks *stacks = current->stacks;
    if (stacks->n >= stacks->n_most)
        remove_over(stacks, current);
    struct rv_shadow_region **bucket = &stacks->buckets[stack_id % N_BUCKETS], *region = create_region(stack_id);
    if (!region)
        return NULL;
    stacks->n++;
    region->stacks = stacks;
    region->next = *bucket;
    return *bucket = region;
}

int rv_shadow_switch(struct rv_shadow *shadow, uint32_t stack_id)
{
    struct rv_shadow_region *region = find_region(shadow, stack_id);
    if (!region && has_stacks(shadow->region))
        region = add_region(shadow->region, stack_id);
    if (!region)
        return -ENOMEM;
    shadow->region->saved = *shadow;
    *shadow = region->saved;
    return 0;
}

static void destroy_others(struct stacks *stacks)
{
    for (size_t i = 0; i < N_BUCKETS; i++)
        for (struct rv_shadow_region *region = stacks->buckets[i], *next; region; region = next) {
            next = region->next;
            if (region->stack_id)
                rv_pages_unmap(region, OTHER_BYTES);
        }
    rv_pages_unmap(stacks, sizeof *stacks);
}

void rv_shadow_destroy(struct rv_shadow *shadow)
{
    if (!shadow->region)
        return;
    struct rv_shadow_region *own = find_region(shadow, 0);
    struct rv_shadow_frame *frames = own->last + 1 - N_OWN_FRAMES;
    *shadow = (struct rv_shadow){0};
    if (own->stacks)
        destroy_others(own->stacks);
    shrink(frames);
    rv_thread_memory_give(&own_frames, frames);
    if (own != &native_region)
        rv_thread_memory_give(&other_regions, own);
}

void rv_shadow_clear(struct rv_shadow *shadow)
{
    if (!shadow->region)
        return;
    shadow->top = shadow->boundary = shadow->region->base;
    shadow->limit = limit_of(shadow->region);
}

void rv_shadow_clear_later(struct rv_shadow *shadow)
{
    shadow->limit = NULL;
}
