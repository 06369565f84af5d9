#include "cli/misspelled_option.h"

#include <string.h>

#include "cli/option_lookup.h"

#define MOST_LETTERS 32u

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Rows of faults[i][k]: between the first i letters of left and the first k of right. */
static unsigned count_faults(const char *left, size_t n_left, const char *right, size_t n_right)
{
    unsigned faults[MOST_LETTERS + 1][MOST_LETTERS + 1];
    for (unsigned i = 0; i <= n_left; i++)
        for (unsigned k = 0; k <= n_right; k++) {
            if (!i || !k) {
                faults[i][k] = i + k;
                continue;
            }
            faults[i][k] = least(least(faults[i - 1][k], faults[i][k - 1]) + 1,
                                 faults[i - 1][k - 1] + (left[i - 1] != right[k - 1]));
            if (i > 1 && k > 1 && left[i - 1] == right[k - 2] && left[i - 2] == right[k - 1])
                faults[i][k] = least(faults[i][k], faults[i - 2][k - 2] + 1);
        }
    return faults[n_left][n_right];
}

size_t rv_misspelled_option_begun(const char *given, const char **names, size_t most)
{
    const bool has_dashes = strncmp(given, "--", 2) == 0;
    const char *name = given + (has_dashes ? 2 : 0);
    const size_t n = strcspn(name, "=");
    size_t n_begun = 0;
    for (size_t i = 0; i < RV_N_OPTIONS && has_dashes && n; i++) {
        if (strncmp(RV_OPTION_TABLE[i].name, name, n) != 0)
            continue;
        if (n_begun < most)
            names[n_begun] = RV_OPTION_TABLE[i].name;
        n_begun++;
    }
    return n_begun;
}

const char *rv_misspelled_option_nearest(const char *given)
{
    const char *name = given + strspn(given, "-"), *found = NULL;
    const size_t n = strcspn(name, "=");
    unsigned fewest = (unsigned)n / 3 + 1;
    for (size_t i = 0; i < RV_N_OPTIONS && n <= MOST_LETTERS; i++) {
        const size_t n_option = strlen(RV_OPTION_TABLE[i].name);
        const unsigned faults =
            n_option > MOST_LETTERS ? fewest : count_faults(name, n, RV_OPTION_TABLE[i].name, n_option);
        if (faults < fewest) {
            fewest = faults;
            found = RV_OPTION_TABLE[i].name;
        }
    }
    return found;
}
