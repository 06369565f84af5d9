#include "attach/sites.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "patch/stubs.h"

#define N_STEPS 64
#define STACK_WORDS 131072u /* of each thread that are looked at */
#define N(array) (sizeof(array) / sizeof *(array))

struct sites {
    struct rv_patch_site *sites; /* of one object, by rising address */
    uint64_t address;            /* in the process */
    size_t n;
};

static struct rv_patch_site *find_site(const struct sites *sites, uint64_t address)
{
    size_t low = 0, high = sites->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sites->sites[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    struct rv_patch_site *site = low ? &sites->sites[low - 1] : NULL;
    return site && address - site->address < RV_PATCH_JUMP_BYTES ? site : NULL;
}

static bool read_sites(const struct rv_tracee *tracee, const struct rv_attachment_object *object, struct sites *sites)
{
    *sites = (struct sites){.address = object->sites, .n = object->n_sites};
    if (sites->n > RV_ATTACHMENT_SITES)
        return false;
    sites->sites = calloc(sites->n ? sites->n : 1, sizeof *sites->sites);
    return sites->sites && rv_tracee_read(tracee, sites->address, sites->sites, sites->n * sizeof *sites->sites) == 0;
}

static int step_out(const struct sites *sites, struct rv_tracee_thread *thread, bool *has_moved)
{
    int error = 0;
    for (unsigned i = 0; i < N_STEPS && !error && find_site(sites, thread->registers.rip); i++) {
        error = rv_tracee_step(thread);
        *has_moved = true;
    }
    return !error && find_site(sites, thread->registers.rip) ? -EAGAIN : error;
}

static void leave_out(const struct rv_tracee *tracee, const struct sites *sites, const struct rv_patch_site *site)
{
    const bool is_left_out = true;
    const uint64_t idx = (uint64_t)(site - sites->sites);
    (void)rv_tracee_write(tracee, sites->address + idx * sizeof *site + offsetof(struct rv_patch_site, is_left_out),
                          &is_left_out, sizeof is_left_out);
}

/* A signal's frame has the address where its thread goes on; any word that looks like one counts. */
static void look_at_stack(const struct rv_tracee *tracee, const struct sites *sites, uint64_t stack)
{
    uint64_t words[512];
    for (size_t n = 0; n < STACK_WORDS && rv_tracee_read(tracee, stack, words, sizeof words) == 0;
         n += N(words), stack += sizeof words)
        for (size_t i = 0; i < N(words); i++) {
            const struct rv_patch_site *site = find_site(sites, words[i]);
            if (site)
                leave_out(tracee, sites, site);
        }
}

static int clear_object(struct rv_tracee *tracee, const struct rv_attachment_object *object, bool *has_moved)
{
    struct sites sites;
    int error = read_sites(tracee, object, &sites) ? 0 : -EFAULT;
    for (size_t i = 0; i < tracee->n_threads && !error; i++)
        error = step_out(&sites, &tracee->threads[i], has_moved);
    for (size_t i = 0; i < tracee->n_threads && !error; i++)
        look_at_stack(tracee, &sites, tracee->threads[i].registers.rsp & ~7ull);
    free(sites.sites);
    return error;
}

/* Stepping out of one object's may be a step into another's: looked at until no thread moves. */
int rv_sites_clear(struct rv_tracee *tracee, const struct rv_attachment *attachment)
{
    int error = 0;
    bool has_moved;
    do {
        has_moved = false;
        for (size_t i = 0; i < attachment->n_objects && i < RV_ATTACHMENT_OBJECTS && !error; i++)
            error = clear_object(tracee, &attachment->objects[i], &has_moved);
    } while (has_moved && !error);
    return error;
}
