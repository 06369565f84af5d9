/* Looks up this program's own functions. */
#include "patch/functions_by_name.h"

#include <criterion/criterion.h>

#define PROGRAM "/proc/self/exe"

Test(functions_by_name, a_file_has_fewer_names_than_its_number_and_one, .timeout = 30)
{
    const struct rv_patch_image image = {.n_segments = 0};
    struct rv_patch_names all;
    cr_assert_eq(rv_patch_names_read(&all, PROGRAM, "", &image), 0);
    cr_assert_gt(all.n, 10);
    cr_expect(rv_patch_names_are_fewer(PROGRAM, &image, all.n + 1));
    cr_expect_not(rv_patch_names_are_fewer(PROGRAM, &image, all.n));
    cr_expect_not(rv_patch_names_are_fewer(PROGRAM, &image, 1));
    cr_expect_not(rv_patch_names_are_fewer(PROGRAM, &image, 0));
    cr_expect(rv_patch_names_are_fewer("/nowhere", &image, 1), "it cannot be read");
    rv_patch_names_end(&all);
}
