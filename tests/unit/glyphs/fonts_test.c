#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "glyphs/fonts.h"

/* On a machine that has but the embedded fonts. */
Test(fonts, a_script_without_a_font_is_named_once, .timeout = 60, .init = cr_redirect_stderr)
{
    static const uint32_t seen[] = {0xbd84, 'a', 0xc11d, 0x653f, 0x924};
    char path[] = "/tmp/ringviz-fonts-XXXXXX";
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(dprintf(file, "<fontconfig></fontconfig>\n"), 26);
    close(file);
    setenv("FONTCONFIG_FILE", path, 1);
    rv_set_verbose(true);
    struct rv_fonts *fonts = rv_fonts_create();
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct rv_face *face;
        cr_assert_eq(rv_fonts_find(fonts, RV_TYPEFACE_TEXT, &seen[i], 1, true, &face),
                     seen[i] == 'a' ? RV_FONTS_FOUND : RV_FONTS_NONE);
    }
    fflush(stderr);
    cr_assert_stderr_eq_str(
        "ringviz: no font on this machine has an outline of U+BD84 (script Hang): such characters are boxes with their "
        "numbers\n"
        "ringviz: no font on this machine has an outline of U+653F (script Hani): such characters are boxes with their "
        "numbers\n"
        "ringviz: no font on this machine has an outline of U+0924 (script Deva): such characters are boxes with their "
        "numbers\n");
    rv_fonts_destroy(fonts);
    unlink(path);
}
