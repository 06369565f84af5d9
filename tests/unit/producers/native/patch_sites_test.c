/* Calls of imports: traced by way of the hook, or not. */
#include "producers/native/patch_sites.h"

#include <criterion/criterion.h>
#include <sys/mman.h>

#define PAGE 4096u

static uint64_t call_of(const struct rv_patch_link *link)
{
    return (uint64_t)(uintptr_t)link->call;
}

static uint64_t jump_of(const struct rv_patch_link *link)
{
    return (uint64_t)(uintptr_t)link->jump;
}

Test(patch_sites, an_import_that_is_off_leads_past_the_hook_until_it_is_on_again, .timeout = 60)
{
    uint8_t *stubs = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stubs, MAP_FAILED);
    struct rv_patch_link *links = (struct rv_patch_link *)(void *)(stubs + RV_PATCH_LINKS_AT);
    for (size_t i = 0; i < 2; i++)
        links[i] = (struct rv_patch_link){.leads_to = call_of(&links[i]), .import = 0x2000 - i};
    cr_assert_eq(mprotect(stubs, PAGE, PROT_READ | PROT_EXEC), 0);
    const struct rv_patcher_object object = {.prepared = {.stubs = stubs, .counts = {.n_imports = 2}}};

    cr_assert(rv_patch_sites_turn_import(&object, 0x1fff, false));
    cr_assert_eq(links[1].leads_to, jump_of(&links[1]));
    cr_assert_eq(links[0].leads_to, call_of(&links[0]), "the other one stays");
    cr_assert_not(rv_patch_sites_turn_import(&object, 0x3000, false), "there is none");
    cr_assert(rv_patch_sites_turn_import(&object, 0x1fff, true));
    cr_assert_eq(links[1].leads_to, call_of(&links[1]));

    cr_assert(rv_patch_sites_turn_import(&object, 0x2000, false));
    rv_patch_sites_judge_by_names(&object);
    cr_assert_eq(links[0].leads_to, call_of(&links[0]), "whatever was decided before");
    munmap(stubs, PAGE);
}
