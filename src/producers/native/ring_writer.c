#include "producers/native/ring_writer.h"

#include <stdlib.h>
#include <string.h>

#include "ring/names.h"
#include "ring/push.h"
#include "ring/live_stack.h"

#define MOST_NAME 4096u

struct rv_ring_writer {
    struct rv_map *map;
    struct rv_live_stack slots;
    struct rv_pusher pusher;
    struct rv_pusher_state state;
    struct rv_event stash[RV_PUSH_STASH]; /* rarely touched */
};

struct rv_ring_writer *rv_ring_writer_create(void)
{
    struct rv_ring_writer *writer = calloc(1, sizeof *writer);
    if (writer)
        writer->state.stash = writer->stash;
    return writer;
}

void rv_ring_writer_destroy(struct rv_ring_writer *writer)
{
    free(writer);
}

/* A forked child finds its parent's writers, possibly in the middle of another thread's push. */
void rv_ring_writer_attach(struct rv_ring_writer *writer, struct rv_map *map, uint32_t ring_idx)
{
    struct rv_ring ring;
    rv_ring_view(&ring, map, ring_idx);
    writer->map = map;
    rv_live_stack_view(&writer->slots, map, ring_idx);
    writer->pusher = (struct rv_pusher){0};
    rv_pusher_attach(&writer->pusher, &writer->state, &ring, ring_idx);
}

void rv_ring_writer_detach(struct rv_ring_writer *writer)
{
    rv_pusher_flush(&writer->pusher);
    rv_pusher_detach(&writer->pusher);
}

static uint64_t report(struct rv_ring_writer *writer, enum rv_event_kind kind, uint32_t id, int32_t depth)
{
    return rv_push(&writer->pusher, kind, rv_event_word(id, (uint16_t)depth, 0),
                   (uint64_t)(uintptr_t)__builtin_frame_address(0), rv_push_slow);
}

/* The package ends at the last :: of the first word; "Shape::AUTOLOAD for Shape::area" is of Shape. */
static uint32_t intern(struct rv_map *map, const char *text)
{
    char package[MOST_NAME];
    size_t n_word = strcspn(text, " "), n_package = 0;
    for (size_t i = 0; i + 1 < n_word && i < sizeof package; i++)
        if (text[i] == ':' && text[i + 1] == ':')
            n_package = i;
    memcpy(package, text, n_package);
    package[n_package] = '\0';
    const struct rv_name name = {RV_NAME_SUBROUTINE, package, text + (n_package ? n_package + 2 : 0), "", 0};
    return rv_names_intern(map, &name);
}

int32_t rv_ring_writer_push(struct rv_ring_writer *writer, const char *name, const char *shown)
{
    uint32_t id = intern(writer->map, name);
    uint64_t ticks = report(writer, RV_EVENT_CALL, id, rv_live_stack_depth(&writer->slots));
    return rv_live_stack_push(&writer->slots, shown, id, ticks);
}

int32_t rv_ring_writer_pop(struct rv_ring_writer *writer)
{
    int32_t depth = rv_live_stack_depth(&writer->slots);
    if (depth > 0)
        report(writer, RV_EVENT_RETURN, 0, depth - 1);
    return rv_live_stack_pop(&writer->slots);
}

bool rv_ring_writer_update(struct rv_ring_writer *writer, uint32_t line)
{
    return rv_live_stack_depth(&writer->slots) > 0 &&
           rv_live_stack_update(&writer->slots, line, report(writer, RV_EVENT_LINE, line, 0));
}
