#include "ended_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"

uint64_t ended_program_origin(void)
{
    static uint64_t origin_ns;
    if (origin_ns == 0)
        origin_ns = rv_clock_mono_ns() - 1000 * MS;
    return origin_ns;
}

uint64_t ended_program_inner_start(unsigned i)
{
    return ended_program_origin() + (10 + 30 * i) * MS;
}

static void push(struct rv_batch *batch, unsigned kind, uint64_t ns, uint32_t id)
{
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns, .id = id, .frame = (uint16_t)(id - 1)};
}

static enum rv_source_status poll_past(struct rv_source *source, const struct rv_intake *intake)
{
    (void)source;
    struct rv_stream_info info = {.pid = 1,
                                  .tid = 1,
                                  .process_key = 1,
                                  .process_name = "past",
                                  .thread_name = "main",
                                  .born_ns = ended_program_origin()};
    void *stream = intake->open_stream(intake->context, &info);
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    if (!batch)
        exit(1);
    batch->stream = stream;
    batch->n = batch->n_specials = 0;
    batch->base_ns = ended_program_origin();
    push(batch, RV_EVENT_CALL, ended_program_origin(), 1);
    for (unsigned i = 0; i < N_INNER; i++) {
        push(batch, RV_EVENT_CALL, ended_program_inner_start(i), 2);
        push(batch, RV_EVENT_RETURN, ended_program_inner_start(i) + 20 * MS, 2);
    }
    push(batch, RV_EVENT_RETURN, ended_program_origin() + 100 * MS, 1);
    intake->submit_batch(intake->context, batch);
    intake->close_stream(intake->context, stream, ended_program_origin() + 100 * MS);
    return RV_SOURCE_ENDED;
}

static void nap(struct rv_source *source)
{
    (void)source;
}

static void resolve(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    static const struct rv_definition definitions[] = {{1, "Outer", "loop", "past.c", 1},
                                                       {2, "Inner", "step", "past.c", 2}};
    (void)source;
    if (is_final)
        intake->define(intake->context, definitions, 2);
}

static void close_past(struct rv_source *source)
{
    free(source);
}

struct rv_source *ended_program_create(void)
{
    struct rv_source *source = rv_alloc(1, sizeof *source);
    source->poll = poll_past;
    source->nap = nap;
    source->resolve = resolve;
    source->close = close_past;
    return source;
}

void user_press(SDL_Scancode scancode, Uint16 mod)
{
    SDL_Event event = {
        .key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED, .keysym = {.scancode = scancode, .mod = mod}}};
    SDL_PushEvent(&event);
    event.key.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
}

void user_move(const int at[2])
{
    SDL_Event event = {.motion = {.type = SDL_MOUSEMOTION, .x = at[0], .y = at[1]}};
    SDL_PushEvent(&event);
}

void user_button(unsigned which, const int at[2], bool is_down, unsigned n_clicks)
{
    SDL_Event event = {.button = {.type = is_down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP,
                                  .button = (Uint8)which,
                                  .state = is_down ? SDL_PRESSED : SDL_RELEASED,
                                  .clicks = (Uint8)n_clicks,
                                  .x = at[0],
                                  .y = at[1]}};
    SDL_PushEvent(&event);
}

void user_type(const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    user_press(SDL_SCANCODE_UNKNOWN, 0); /* text comes of keys */
    (void)snprintf(event.text.text, sizeof event.text.text, "%s", text);
    SDL_PushEvent(&event);
}

void user_enter(const char *text)
{
    user_type(text);
    user_press(SDL_SCANCODE_RETURN, 0);
}
