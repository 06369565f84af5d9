#include "producers/perl/frames.h"

#include <pthread.h>
#include <stdlib.h>

#define N_FIRST 256u
#define N_MOST (1u << 31)

_Thread_local struct rv_frames rv_frames;

static pthread_key_t end_key;
static void (*begin_thread)(void);

static void end_thread(void *frames)
{
    rv_frames = (struct rv_frames){0};
    free(frames);
}

bool rv_frames_grow(void)
{
    struct rv_frames *open = &rv_frames;
    uint32_t capacity = open->capacity ? 2 * open->capacity : N_FIRST;
    struct rv_frame *grown = capacity < N_MOST ? realloc(open->frames, capacity * sizeof *grown) : NULL;
    if (!grown)
        return false;
    bool is_first = open->capacity == 0;
    open->frames = grown;
    open->capacity = capacity;
    pthread_setspecific(end_key, grown);
    if (is_first && begin_thread)
        begin_thread();
    return true;
}

/* The frame is let go of after its return is told: a ring that comes with this event is told of it as open. */
void rv_frames_pop_to(uint32_t depth)
{
    struct rv_frames *open = &rv_frames;
    while (open->n > depth) {
        ringviz_return(open->frames[open->n - 1].id, open->n - 1);
        open->n--;
    }
}

void rv_frames_replay(void)
{
    for (uint32_t i = 0; i < rv_frames.n; i++)
        ringviz_replay(rv_frames.frames[i].id, i, rv_frames.frames[i].called);
}

void rv_frames_start(void (*on_thread)(void))
{
    begin_thread = on_thread;
    pthread_key_create(&end_key, end_thread);
}
