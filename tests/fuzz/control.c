/*
 * Control words, watches, commands, live stacks and messages of arbitrary bytes, read and answered by a monitor and by
 * the module in the traced program. Neither may block, or write anything else: the mapping is between inaccessible
 * pages, and other sections must not change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debugger/target.h"
#include "ringviz/monitor.h"
#include "scribble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rv_map map; /* the monitor's */
static struct rv_target *target;
static struct ringviz_file *module;
static uint32_t ring;
static uint8_t *before; /* the file as it was made */
static const char long_name[] = "main::a_name_that_is_longer_than_a_slot";

static bool is_given_up(void *context)
{
    (void)context;
    return true;
}

/* The mapping, with nothing before and behind it. */
static void fence(void)
{
    uint8_t *room = mmap(NULL, map.n_bytes + 2 * (size_t)RV_WIRE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED ||
        mmap(room + RV_WIRE_PAGE, map.n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, map.fd, 0) == MAP_FAILED)
        abort();
    munmap(map.base, map.n_bytes);
    map.base = room + RV_WIRE_PAGE;
    map.header = (struct rv_wire_header *)(void *)map.base;
}

static void begin(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/ringviz-fuzz-control-%d", (int)getpid());
    unlink(path);
    if (rv_map_create(&map, path, &scribble_params) != 0 || ringviz_file_open(&module, path) != 0)
        abort();
    int claimed = ringviz_ring_claim(module, 1);
    if (claimed < 0 || unlink(path) != 0)
        abort();
    if (ringviz_slot_push(module, (uint32_t)claimed, long_name) != 1 || /* now it has its name id */
        ringviz_slot_pop(module, (uint32_t)claimed) != 0)
        abort();
    ring = (uint32_t)claimed;
    fence();
    target = rv_target_over(&map);
    rv_target_limit(target, &(struct rv_target_limits){.answer_bytes = 4096, .is_given_up = is_given_up});
    before = malloc(map.n_bytes);
    if (!before || rv_target_attach(target) != 0)
        abort();
    memcpy(before, map.base, map.n_bytes);
}

/* What may be written: controls, the words of page 0 from the ring's policies on, message and events. */
static void fill(const uint8_t *data, size_t size)
{
    const struct rv_wire_area sections[] = {
        map.geometry.controls,
        {.offset = 0x280, .n_bytes = RV_WIRE_PAGE - 0x280},
        map.geometry.global_message,
        map.geometry.rings,
    };
    scribble(map.base, sections, sizeof sections / sizeof *sections, data, size);
}

static void use_as_module(void)
{
    char text[RINGVIZ_WATCH_EXPRESSION_BYTES + 1], message[16], name[64];
    struct ringviz_command command = {.message = message, .capacity = sizeof message};
    struct ringviz_ring position;
    struct ringviz_slot slot;
    enum ringviz_state state;
    uint32_t n_stops;
    int watch = -1;
    size_t n_bytes;
    ringviz_attention_take(module, ring);
    if (ringviz_command_wait(module, ring, &command, 0) == 0)
        ringviz_response_post(module, ring, "ok", command.message, command.n_bytes);
    while ((watch = ringviz_watch_take(module, ring, (unsigned)(watch + 1), text)) >= 0)
        ringviz_watch_set_result(module, ring, (unsigned)watch, text, strlen(text), watch & 1);
    ringviz_state_get(module, ring, &state, &n_stops);
    ringviz_state_set(module, ring, RINGVIZ_STOPPED);
    ringviz_attention_wait(module, ring, 1000);
    ringviz_has_monitor(module);
    ringviz_ring_read(module, ring, &position);
    for (int32_t i = -1; i <= 3; i++)
        ringviz_slot_read(module, ring, i, &slot, name, sizeof name);
    ringviz_slot_push(module, ring, long_name);
    ringviz_slot_update(module, ring, 12);
    ringviz_slot_pop(module, ring);
    ringviz_message_receive(module, message, sizeof message, &n_bytes, 0);
    ringviz_message_post(module, "x", 1, 0);
}

static void use_as_monitor(void)
{
    static struct rv_target_value value;
    struct rv_answer answer;
    struct rv_target_thread thread;
    rv_target_n_rings(target);
    for (uint32_t i = 0; i < 2; i++) {
        if (rv_target_thread(target, i, &thread) != 0)
            continue;
        rv_target_wait_stop(target, &thread, 0, 0);
        rv_target_ask(target, i, "eval", "1", 0, &answer);
        rv_answer_fini(&answer);
        rv_target_stack(target, i, 0, &answer);
        rv_answer_fini(&answer);
        rv_target_watch(target, i, "$n");
        for (unsigned watch = 0; watch <= RV_WIRE_WATCHES; watch++) {
            rv_target_value(target, i, watch, 0, &value);
            rv_target_unwatch(target, i, watch & 2);
        }
        rv_target_set_signal(target, i, ~rv_target_signal(target, i));
    }
    rv_target_take_message(target, 0, &answer);
    rv_answer_fini(&answer);
    rv_target_send_message(target, "a message of more than one chunk, whatever there was before it in the file", 0);
}

/* Nothing else was written. */
static void check(void)
{
    const struct rv_wire_area *const others[] = {&map.geometry.processes, &map.geometry.modules,
                                                 &map.geometry.name_index, &map.geometry.name_ids,
                                                 &map.geometry.name_heap};
    if (memcmp(map.base, before, 0x200) != 0)
        abort();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (memcmp(map.base + others[i]->offset, before + others[i]->offset, others[i]->n_bytes) != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!target)
        begin();
    memcpy(map.base, before, map.n_bytes);
    fill(data, size);
    use_as_module();
    use_as_monitor();
    use_as_module();
    check();
    return 0;
}
