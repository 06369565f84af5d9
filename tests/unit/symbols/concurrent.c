/*
 * The drain side adds, looks up and unloads while the naming side names everything given out so far. Both sides check
 * what they get; ThreadSanitizer checks the rest.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapped.h"
#include "symbols/symbolizer.h"

#define N_ROUNDS 300u
#define N_EVENTS 1024u
#define FIRST_FUNCTION 10000u

static struct rv_symbolizer *symbolizer;
static _Atomic bool is_drain_over;
static unsigned n_wrong;

static uint64_t address_of(void *library, unsigned number)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "many_%u", FIRST_FUNCTION + number);
    return mapped_address(library, symbol);
}

static void *name_all(void *context)
{
    uint32_t n_named = 0;
    bool is_over = false;
    (void)context;
    while (!is_over) {
        is_over = atomic_load_explicit(&is_drain_over, memory_order_acquire); /* C1 <- P1 */
        for (uint32_t n = rv_symbolizer_count(symbolizer); n_named < n; n_named++) {
            struct rv_symbolizer_name name;
            int error = rv_symbolizer_name(symbolizer, n_named + 1, &name);
            bool is_right = error ? error == -EAGAIN && strncmp(name.name, "0x", 2) == 0
                                  : strncmp(name.name, "many_", 5) == 0 || strcmp(name.name, "interned") == 0 ||
                                        strncmp(name.name, "0x", 2) == 0;
            if (!is_right && n_wrong++ < 5)
                fprintf(stderr, "id %u: %d '%s'\n", n_named + 1, error, name.name);
        }
    }
    return NULL;
}

static void drain(const struct rv_symbolizer_module *module, const uint64_t *addresses)
{
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        struct rv_symbolizer_module other = {
            .process = 1 + round % 5, .start = 0x1000, .end = 0x9000, .loaded_ns = 100 + round, .path = "/nonexistent"};
        rv_symbolizer_put_module(symbolizer, &other);
        if (round == N_ROUNDS / 4)
            rv_symbolizer_put_module(symbolizer, module);
        for (unsigned i = 0; i < N_EVENTS; i++) {
            uint64_t address = i % 8 ? addresses[(round * 7 + i) % N_EVENTS] : 0x1000 + i * 4;
            const uint32_t id = rv_symbolizer_look_up(process, address, 100 + round);
            n_wrong += id == 0 || id > rv_symbolizer_count(symbolizer);
        }
        rv_symbolizer_intern(symbolizer, "package", "interned", "file", round);
        other.unloaded_ns = 100 + round + 1;
        rv_symbolizer_put_module(symbolizer, &other);
    }
}

int main(void)
{
    static uint64_t addresses[N_EVENTS];
    struct rv_symbolizer_module module;
    pthread_t namer;
    void *library = mapped_open(FIXTURE_MANY, &module);
    if (!library)
        return 1;
    for (unsigned i = 0; i < N_EVENTS; i++)
        addresses[i] = address_of(library, i);
    symbolizer = rv_symbolizer_create();
    if (pthread_create(&namer, NULL, name_all, NULL) != 0)
        return 1;
    drain(&module, addresses);
    atomic_store_explicit(&is_drain_over, true, memory_order_release); /* P1 -> C1 */
    pthread_join(namer, NULL);
    printf("%u ids, %u wrong\n", rv_symbolizer_count(symbolizer), n_wrong);
    rv_symbolizer_destroy(symbolizer);
    return n_wrong ? 1 : 0;
}
