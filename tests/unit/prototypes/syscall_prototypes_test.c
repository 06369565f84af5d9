/* Prototypes of system calls: right ones, of just those that are chosen. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_names.h"
#include "prototypes/prototypes.h"
#include "prototypes/syscall_prototypes.h"

#if defined(__x86_64__)

static const struct {
    const char *choice, *has, *has_not; /* names */
} CHOICES[] = {
    {"all", "read", NULL},
    {"read,write", "write", "close"},
    {"file", "openat", "read"},
    {"%file", "stat", "close"},
    {"desc", "openat", "stat"},
    {"desc", "socket", "mkdir"},
    {"network", "connect", "read"},
    {"process", "clone3", "read"},
    {"memory", "brk", "read"},
    {"signal", "rt_sigaction", "read"},
    {"ipc", "shmat", "read"},
    {"!file", "read", "openat"},
    {"!read,write", "close", "write"},
    {"/^open", "openat2", "read"},
    {"close,/at$|^x,", "newfstatat", "read"},
    {"!/r", "umask", "read"},
};

static bool has(const struct rv_prototypes *prototypes, const char *name)
{
    for (size_t i = 0; i < rv_prototypes_n(prototypes); i++)
        if (strcmp(rv_prototypes_at(prototypes, i)->name + strlen(RV_SYSCALL_FRONT), name) == 0)
            return true;
    return false;
}

Test(syscalls, a_choice_gives_prototypes_of_the_chosen, .timeout = 60)
{
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++) {
        const char *word, *why;
        size_t n_word;
        unsigned line;
        char *text = rv_syscalls_take_prototypes(CHOICES[i].choice, &word, &n_word);
        cr_assert_not_null(text, "%s: %.*s", CHOICES[i].choice, (int)n_word, word);
        struct rv_prototypes *prototypes = rv_prototypes_parse(text, strlen(text), &line, &why);
        cr_assert_not_null(prototypes, "%s: line %u: %s", CHOICES[i].choice, line, why);
        cr_assert(has(prototypes, CHOICES[i].has), "%s", CHOICES[i].choice);
        cr_assert(!CHOICES[i].has_not || !has(prototypes, CHOICES[i].has_not), "%s", CHOICES[i].choice);
        rv_prototypes_destroy(prototypes);
        free(text);
    }
}

Test(syscalls, an_unknown_choice_is_named_in_the_error, .timeout = 60)
{
    static const char *const WRONG[][2] = {{"", ""},  {"reed", "reed"},   {"read,,write", ""}, {"read,%ipcs", "%ipcs"},
                                           {"!", ""}, {"%read", "%read"}, {"read,/(", "/("}};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        const char *word;
        size_t n_word;
        cr_assert_null(rv_syscalls_take_prototypes(WRONG[i][0], &word, &n_word), "%s", WRONG[i][0]);
        cr_assert(n_word == strlen(WRONG[i][1]) && memcmp(word, WRONG[i][1], n_word) == 0, "%s", WRONG[i][0]);
    }
}

Test(syscalls, names_and_numbers_belong_together, .timeout = 60)
{
    for (unsigned i = 0; i < RV_SYSCALLS + 1; i++)
        if (rv_syscall_name(i))
            cr_assert_eq(rv_syscall_find(rv_syscall_name(i)), (int)i);
    cr_assert_eq(rv_syscall_find("reed"), -1);
    cr_assert_str_eq(rv_syscall_name(0), "read");
}

#endif
