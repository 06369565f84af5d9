#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "source/name_definitions.h"

enum { N_IDS = 3 };
static unsigned n_defined[N_IDS + 1]; /* by id */

static void hear(void *context, const struct rv_definition *definitions, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n; i++)
        n_defined[definitions[i].id]++;
}

static void expect(unsigned first, unsigned second, unsigned third)
{
    const unsigned expected[] = {0, first, second, third};
    for (uint32_t id = 1; id <= N_IDS; id++)
        cr_expect(eq(uint, n_defined[id], expected[id]), "id %u", id);
}

/* An address without a module waits for it, through turns that bring none, and to the end at most. */
Test(name_definitions, wait_for_modules, .timeout = 60)
{
    const struct rv_intake intake = {.define = hear};
    struct rv_name_definitions definitions = {.symbolizer = rv_symbolizer_create()};
    struct rv_symbolizer_process *process = rv_symbolizer_process(definitions.symbolizer, 7);
    rv_symbolizer_look_up(process, 0x500000, 5);
    rv_symbolizer_look_up(process, 0x600000, 5);
    for (unsigned turn = 0; turn < 3; turn++)
        rv_name_definitions_give(&definitions, &intake, false);
    expect(0, 0, 0);
    rv_symbolizer_put_module(definitions.symbolizer,
                             &(struct rv_symbolizer_module){
                                 .process = 7, .start = 0x500000, .end = 0x510000, .loaded_ns = 1, .path = "/none"});
    rv_symbolizer_look_up(process, 0x500010, 5);
    for (unsigned turn = 0; turn < 3; turn++)
        rv_name_definitions_give(&definitions, &intake, false);
    expect(1, 0, 1);
    rv_name_definitions_give(&definitions, &intake, true);
    expect(1, 1, 1);
    rv_name_definitions_fini(&definitions);
    rv_symbolizer_destroy(definitions.symbolizer);
}
