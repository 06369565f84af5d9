/* Names, modules, live slots, watches and commands of a trace file with arbitrary contents after page 0. */
#include <stdlib.h>
#include <string.h>

#include "ring/commands.h"
#include "ring/ownership.h"
#include "ring/layout.h"
#include "ring/modules.h"
#include "ring/names.h"
#include "ring/live_stack.h"
#include "ring/watches.h"
#include "scribble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rv_map make_map(void)
{
    struct rv_map map = {.fd = -1, .mode = RV_MAP_CONSUMER};
    const char *why;
    if (rv_layout_plan(&map.geometry, &scribble_params, &why))
        abort();
    map.n_bytes = map.geometry.file_bytes;
    if (posix_memalign((void **)&map.base, RV_WIRE_PAGE, map.n_bytes))
        abort();
    memset(map.base, 0, map.n_bytes);
    map.header = (struct rv_wire_header *)(void *)map.base;
    map.header->name_heap_used = 8;
    map.header->name_heap_ready = map.geometry.name_heap.n_bytes;
    memset(map.header->name_index_ready, 0xff, sizeof map.header->name_index_ready);
    map.header->next_name_id = 1;
    return map;
}

/* The sections that are read as tables, page 0 among them. */
static void fill(const struct rv_map *map, const uint8_t *data, size_t size)
{
    const struct rv_wire_area sections[] = {
        {0, RV_WIRE_PAGE},      map->geometry.modules,   map->geometry.controls,  map->geometry.name_index,
        map->geometry.name_ids, map->geometry.name_heap, map->geometry.processes, map->geometry.global_message,
    };
    scribble(map->base, sections, sizeof sections / sizeof *sections, data, size);
}

static void read_names(struct rv_map *map)
{
    char buffer[300];
    struct rv_name name;
    for (uint32_t id = 0; id <= map->geometry.n_name_ids; id++) {
        for (size_t n = 3; n <= sizeof buffer; n += 99) {
            char *exact = malloc(n); /* so that one byte too many is seen */
            if (rv_names_read(map, id, &name, exact, n) == 0 && name.file + strlen(name.file) >= exact + n)
                abort();
            rv_names_read_text(map, id, exact, n);
            free(exact);
        }
    }
    rv_names_count(map);
    rv_names_intern(map, &(struct rv_name){RV_NAME_SUBROUTINE, "p", "name", "f", 3});
    rv_names_intern(map, &(struct rv_name){RV_NAME_TEXT, "", "another", "", 0});
}

static void read_tables(struct rv_map *map)
{
    char text[600], thread_name[64];
    struct rv_module module;
    struct rv_live_stack slots;
    struct rv_slot slot;
    int32_t current, depth, n_bytes;
    for (uint32_t i = 0; i < map->geometry.n_modules; i++)
        rv_modules_read(map, i, &module, text, 40);
    rv_ownership_thread_name(map, 0, thread_name);
    rv_live_stack_view(&slots, map, 0);
    rv_live_stack_position(&slots, &current, &depth);
    for (int32_t i = -1; i <= (int32_t)map->geometry.n_slots; i++)
        rv_live_stack_read(&slots, i, &slot, text, sizeof text);
    rv_live_stack_update(&slots, 1, 1);
    rv_live_stack_push(&slots, "a subroutine", 1, 2);
    rv_live_stack_pop(&slots);
    struct rv_wire_control *control = rv_map_control(map, 0);
    for (unsigned i = 0; i < RV_WIRE_WATCHES; i++) {
        rv_watches_take(control, i, text);
        rv_watches_expression(control, i, text);
        rv_watches_get_result(control, i, text, &n_bytes);
    }
    char message[20];
    struct rv_command command = {.message = message, .capacity = sizeof message};
    rv_commands_wait(map, 0, &command, 0);
    rv_commands_wait_response(map, 0, &command, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rv_map map = make_map();
    fill(&map, data, size);
    read_names(&map);
    read_tables(&map);
    free(map.base);
    return 0;
}
