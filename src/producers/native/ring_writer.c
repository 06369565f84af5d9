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
    struct rv_pusher_state state; /* large, and rarely touched */
};

struct rv_ring_writer *rv_ring_writer_create(void)
{
    return calloc(1, sizeof(struct rv_ring_writer));
}

void rv_ring_writer_destroy(struct rv_ring_writer *scribe)
{
    free(scribe);
}

/* A forked child finds its parent's writers, possibly in the middle of another thread's push. */
void rv_ring_writer_attach(struct rv_ring_writer *scribe, struct rv_map *map, uint32_t ring_idx)
{
    struct rv_ring ring;
    rv_ring_view(&ring, map, ring_idx);
    scribe->map = map;
    rv_live_stack_view(&scribe->slots, map, ring_idx);
    scribe->pusher = (struct rv_pusher){0};
    rv_pusher_attach(&scribe->pusher, &scribe->state, &ring, ring_idx);
}

void rv_ring_writer_detach(struct rv_ring_writer *scribe)
{
    rv_pusher_flush(&scribe->pusher);
    rv_pusher_detach(&scribe->pusher);
}

static uint64_t report(struct rv_ring_writer *scribe, enum rv_event_kind kind, uint32_t id, int32_t depth)
{
    return rv_push(&scribe->pusher, kind, rv_event_word(id, (uint16_t)depth, 0),
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

int32_t rv_ring_writer_push(struct rv_ring_writer *scribe, const char *name, const char *shown)
{
    uint32_t id = intern(scribe->map, name);
    uint64_t ticks = report(scribe, RV_EVENT_CALL, id, rv_live_stack_depth(&scribe->slots));
    return rv_live_stack_push(&scribe->slots, shown, id, ticks);
}

int32_t rv_ring_writer_pop(struct rv_ring_writer *scribe)
{
    int32_t depth = rv_live_stack_depth(&scribe->slots);
    if (depth > 0)
        report(scribe, RV_EVENT_RETURN, 0, depth - 1);
    return rv_live_stack_pop(&scribe->slots);
}

bool rv_ring_writer_update(struct rv_ring_writer *scribe, uint32_t line)
{
    return rv_live_stack_depth(&scribe->slots) > 0 &&
           rv_live_stack_update(&scribe->slots, line, report(scribe, RV_EVENT_LINE, line, 0));
}
