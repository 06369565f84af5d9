#include "attach/threads_in_jumps.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mappings.h"
#include "patch/site.h"

#define N_STEPS 64
#define STACK_BYTES (1u << 20) /* searched of each thread */
#define N_WORDS 4096u

/* ---- what the process says ---- */

static int read_object(struct rv_jump_sites_object *object, const struct rv_ptrace *tracee)
{
    object->sites = calloc(object->n ? object->n : 1, sizeof *object->sites);
    return object->sites ? rv_ptrace_read(tracee, object->address, object->sites, object->n * sizeof *object->sites)
                         : -EFAULT;
}

static void look_at(struct rv_jump_sites *sites, const struct rv_jump_sites_object *object)
{
    for (size_t i = 0; i < object->n; i++)
        sites->has_islands |= object->sites[i].n_bytes == RV_PATCH_HOST_BYTES;
    const struct rv_patch_site *first = object->sites, *last = object->sites + object->n - 1;
    if (object->n && first->address < sites->first)
        sites->first = first->address;
    if (object->n && last->address > sites->last)
        sites->last = last->address;
}

int rv_jump_sites_begin(struct rv_jump_sites *sites, const struct rv_ptrace *tracee,
                        const struct rv_attachment *attachment)
{
    *sites = (struct rv_jump_sites){.n_changes = attachment->n_changes, .first = UINT64_MAX};
    for (size_t i = 0; i < attachment->n_objects && i < RV_ATTACHMENT_OBJECTS; i++) {
        struct rv_jump_sites_object *object = &sites->objects[sites->n_objects++];
        object->address = attachment->objects[i].sites;
        object->n = attachment->objects[i].n_sites;
        if (object->n > RV_ATTACHMENT_SITES || read_object(object, tracee) != 0)
            return -EFAULT;
        look_at(sites, object);
    }
    return 0;
}

void rv_jump_sites_end(struct rv_jump_sites *sites)
{
    for (size_t i = 0; i < sites->n_objects; i++)
        free(sites->objects[i].sites);
    *sites = (struct rv_jump_sites){0};
}

/* ---- who is there ---- */

/* The site between whose bytes an address is; NULL: a thread may go on there. *object: whose it is. */
static struct rv_patch_site *find_in(const struct rv_jump_sites_object *object, uint64_t address)
{
    const size_t n = rv_bisect_below(object->sites, object->n, sizeof *object->sites,
                                     offsetof(struct rv_patch_site, address), address);
    struct rv_patch_site *site = n ? &object->sites[n - 1] : NULL;
    return site && address - site->address < site->n_bytes ? site : NULL;
}

static struct rv_patch_site *find(const struct rv_jump_sites *sites, uint64_t address,
                                  const struct rv_jump_sites_object **object)
{
    struct rv_patch_site *site = NULL;
    if (address <= sites->first || address >= sites->last + RV_PATCH_HOST_BYTES)
        return NULL;
    for (size_t i = 0; i < sites->n_objects && !site; i++) {
        *object = &sites->objects[i];
        site = find_in(*object, address);
    }
    return site;
}

static int step_out(const struct rv_jump_sites *sites, struct rv_ptrace_thread *thread)
{
    const struct rv_jump_sites_object *object;
    int error = 0;
    for (unsigned i = 0; i < N_STEPS && !error && find(sites, thread->registers.rip, &object); i++)
        error = rv_ptrace_step(thread);
    return !error && find(sites, thread->registers.rip, &object) ? -EAGAIN : error;
}

static void leave_out(const struct rv_ptrace *tracee, const struct rv_jump_sites_object *object,
                      struct rv_patch_site *site, bool is_left_out)
{
    site->is_left_out = is_left_out;
    const uint64_t idx = (uint64_t)(site - object->sites);
    (void)rv_ptrace_write(tracee, object->address + idx * sizeof *site + offsetof(struct rv_patch_site, is_left_out),
                          &is_left_out, sizeof is_left_out);
}

/* A signal frame holds the address at which its thread resumes; any word that could be one counts. */
static void search_stack(const struct rv_jump_sites *sites, const struct rv_ptrace *tracee, uint64_t stack,
                         uint64_t end)
{
    uint64_t words[N_WORDS];
    for (size_t n; stack < end; stack += n * sizeof *words) {
        n = end - stack < sizeof words ? (size_t)(end - stack) / sizeof *words : N_WORDS;
        if (rv_ptrace_read(tracee, stack, words, n * sizeof *words) != 0)
            return;
        for (size_t i = 0; i < n; i++) {
            const struct rv_jump_sites_object *object;
            struct rv_patch_site *site = find(sites, words[i], &object);
            if (site)
                leave_out(tracee, object, site, true);
        }
    }
}

/* Up to the end of the mapping: what follows is another thread's stack, say. */
static int search_stacks(const struct rv_jump_sites *sites, const struct rv_ptrace *tracee)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    if (rv_mappings_open(&mappings, tracee->pid) != 0)
        return -ESRCH;
    while (rv_mappings_next(&mappings, &mapping))
        for (size_t i = 0; i < tracee->n_threads; i++) {
            const uint64_t stack = tracee->threads[i].registers.rsp & ~7ull;
            if (stack >= mapping.start && stack < mapping.end)
                search_stack(sites, tracee, stack,
                             mapping.end - stack < STACK_BYTES ? mapping.end : stack + STACK_BYTES);
        }
    rv_mappings_close(&mappings);
    return 0;
}

/* Those of an earlier time. */
static void leave_none_out(struct rv_jump_sites *sites, const struct rv_ptrace *tracee)
{
    for (size_t i = 0; i < sites->n_objects; i++)
        for (size_t k = 0; k < sites->objects[i].n; k++)
            if (sites->objects[i].sites[k].is_left_out)
                leave_out(tracee, &sites->objects[i], &sites->objects[i].sites[k], false);
}

int rv_jump_sites_clear(struct rv_jump_sites *sites, struct rv_ptrace *tracee)
{
    int error = 0;
    leave_none_out(sites, tracee);
    for (size_t i = 0; i < tracee->n_threads && !error; i++)
        error = step_out(sites, &tracee->threads[i]);
    return error ? error : search_stacks(sites, tracee);
}
