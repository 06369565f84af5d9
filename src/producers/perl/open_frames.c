#include "producers/perl/open_frames.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define N_FIRST 256u
#define N_MOST (1u << 31)
#define N_BUCKETS 1024u

_Thread_local struct rv_open_frames rv_open_frames;

/*
 * One of perl's stacks; `frames` are those at the time when the thread left it. A stack left without open frames is
 * reused with its number, so there are only as many numbers as coroutines that were inside of calls at the same time.
 */
struct stack {
    struct rv_open_frames frames;
    uint32_t number; /* ringviz's stack number; 0: the thread's first */
    struct stack *next;
};

static _Thread_local struct stacks { /* all zero: the thread has had one stack only */
    const void *const *mainstack;    /* of the thread's interpreter */
    struct stack **buckets;          /* hash table by address of perl's stack */
    struct stack *current, *free;
    uint32_t n;
} stacks;

static pthread_key_t end_key;
static void (*begin_thread)(void);

static void free_stacks(struct stack *stack)
{
    while (stack) {
        struct stack *next = stack->next;
        if (stack != stacks.current)
            free(stack->frames.frames);
        free(stack);
        stack = next;
    }
}

static void end_thread(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; stacks.buckets && i < N_BUCKETS; i++)
        free_stacks(stacks.buckets[i]);
    free_stacks(stacks.free);
    free(stacks.buckets);
    free(rv_open_frames.frames);
    stacks = (struct stacks){0};
    rv_open_frames = (struct rv_open_frames){0};
}

bool rv_open_frames_grow(void)
{
    struct rv_open_frames *open = &rv_open_frames;
    uint32_t capacity = open->capacity ? 2 * open->capacity : N_FIRST;
    struct rv_frame *grown = capacity < N_MOST ? realloc(open->frames, capacity * sizeof *grown) : NULL;
    if (!grown)
        return false;
    bool is_first = !pthread_getspecific(end_key);
    open->frames = grown;
    open->capacity = capacity;
    pthread_setspecific(end_key, &rv_open_frames);
    if (is_first && begin_thread)
        begin_thread();
    return true;
}

/* ---- coroutines ---- */

/* The bucket entry of perl's stack, or the place for it. */
static struct stack **find(const void *stack)
{
    struct stack **place = &stacks.buckets[((uintptr_t)stack >> 4) * 0x9e3779b97f4a7c15u >> 32 & (N_BUCKETS - 1)];
    while (*place && (*place)->frames.stack != stack)
        place = &(*place)->next;
    return place;
}

/* NULL without memory. */
static struct stack *find_or_make(const void *perls)
{
    if (!stacks.buckets && !(stacks.buckets = calloc(N_BUCKETS, sizeof(struct stack *))))
        return NULL;
    struct stack **place = find(perls), *stack = *place;
    if (stack)
        return stack;
    stack = stacks.free;
    if (stack) {
        stacks.free = stack->next;
        stack->next = NULL;
    } else {
        stack = calloc(1, sizeof *stack);
        if (!stack)
            return NULL;
        stack->number = stacks.n++;
    }
    stack->frames.stack = perls;
    return *place = stack;
}

/* The first is never freed: it is the thread's own. */
static void leave(struct stack *stack)
{
    stack->frames = rv_open_frames;
    if (rv_open_frames.n > 0 || stack->number == 0)
        return;
    *find(stack->frames.stack) = stack->next;
    stack->next = stacks.free;
    stacks.free = stack;
}

/*
 * Without memory, its calls nest on those of the stack being left. So do those of another interpreter that this thread
 * creates for another thread: they run inside the creating call.
 */
void rv_open_frames_switch(const void *const *mainstack)
{
    if (!stacks.current && rv_open_frames.n == 0) {
        stacks.mainstack = mainstack;
        rv_open_frames.stack = *mainstack;
        return;
    }
    if (stacks.mainstack != mainstack)
        return;
    if (!stacks.current)
        stacks.current = find_or_make(rv_open_frames.stack);
    struct stack *next = stacks.current ? find_or_make(*mainstack) : NULL;
    if (!next)
        return;
    leave(stacks.current);
    stacks.current = next;
    rv_open_frames = next->frames;
    ringviz_stack_switch(next->number);
}

/* ---- reporting ---- */

void rv_open_frames_pop_to(uint32_t depth)
{
    struct rv_open_frames *open = &rv_open_frames;
    while (open->n > depth) {
        ringviz_return(open->frames[open->n - 1].id, open->n - 1);
        open->n--;
    }
}

static void replay(const struct rv_open_frames *open)
{
    for (uint32_t i = 0; i < open->n; i++)
        ringviz_replay(open->frames[i].id, i, open->frames[i].called);
}

void rv_open_frames_replay(void)
{
    for (uint32_t i = 0; stacks.current && i < N_BUCKETS; i++)
        for (const struct stack *stack = stacks.buckets[i]; stack; stack = stack->next)
            if (stack != stacks.current && stack->frames.n > 0) {
                ringviz_stack_switch(stack->number);
                replay(&stack->frames);
            }
    if (stacks.current)
        ringviz_stack_switch(stacks.current->number);
    replay(&rv_open_frames);
}

void rv_open_frames_start(void (*on_thread)(void))
{
    begin_thread = on_thread;
    pthread_key_create(&end_key, end_thread);
}
