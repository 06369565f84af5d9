#include <criterion/criterion.h>
#include <SDL2/SDL.h>
#include <string.h>

#include "viewer/key_bindings.h"

Test(key_bindings, every_action_has_words_and_keys, .timeout = 60)
{
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        char keys[128];
        const struct rv_key_binding *info = rv_key_bindings_get((enum rv_action)action);
        cr_assert(info->words && info->words[0], "action %d", action);
        cr_assert(rv_key_bindings_text((enum rv_action)action, keys, sizeof keys)[0], "action %d", action);
    }
}

Test(key_bindings, no_key_has_two_actions, .timeout = 60)
{
    for (int action = 0; action < RV_ACTION_COUNT; action++)
        for (size_t i = 0; i < RV_ACTION_CHORDS; i++) {
            struct rv_chord chord = rv_key_bindings_get((enum rv_action)action)->chords[i];
            if (!chord.key)
                continue;
            cr_assert_eq((int)rv_key_bindings_action(chord.key, chord.modifiers), action, "action %d", action);
            cr_assert_str_eq(SDL_GetScancodeName(SDL_GetScancodeFromName(chord.key)), chord.key);
        }
}

Test(key_bindings, a_key_means_nothing_with_other_modifiers, .timeout = 60)
{
    cr_assert_eq(rv_key_bindings_action("Q", RV_MODIFIER_CTRL), RV_ACTION_QUIT);
    cr_assert_eq(rv_key_bindings_action("Q", 0), RV_ACTION_NONE);
    cr_assert_eq(rv_key_bindings_action("Q", RV_MODIFIER_CTRL | RV_MODIFIER_SHIFT), RV_ACTION_NONE);
    cr_assert_eq(rv_key_bindings_action("", 0), RV_ACTION_NONE);
}

Test(key_bindings, keys_have_readable_names, .timeout = 60)
{
    char keys[128];
    cr_assert_str_eq(rv_key_bindings_text(RV_ACTION_QUIT, keys, sizeof keys), "Ctrl+Q");
    cr_assert_str_eq(rv_key_bindings_text(RV_ACTION_ZOOM_IN, keys, sizeof keys), "W, Up");
    cr_assert_str_eq(rv_key_bindings_text(RV_ACTION_LOOK_3D, keys, sizeof keys), "1, tab");
    cr_assert_str_eq(rv_key_bindings_text(RV_ACTION_PAN, keys, sizeof keys), "right drag");
}

Test(key_bindings, no_key_alone_starts_a_recording, .timeout = 60)
{
    for (char letter = 'A'; letter <= 'Z'; letter++)
        for (unsigned modifiers = 0; modifiers <= RV_MODIFIER_SHIFT; modifiers += RV_MODIFIER_SHIFT)
            cr_assert_neq(rv_key_bindings_action((char[]){letter, '\0'}, modifiers), RV_ACTION_RECORD);
}

Test(key_bindings, every_section_of_the_help_stands_together, .timeout = 60)
{
    unsigned n_sections = 1;
    for (int action = RV_ACTION_NONE + 2; action < RV_ACTION_COUNT; action++) {
        const char *section = rv_key_bindings_section((enum rv_action)action);
        n_sections += strcmp(section, rv_key_bindings_section((enum rv_action)(action - 1))) != 0;
    }
    cr_assert_eq(n_sections, 11);
    cr_assert_str_eq(rv_key_bindings_section(RV_ACTION_ZOOM_IN), "Moving");
    cr_assert_str_eq(rv_key_bindings_section(RV_ACTION_CROP_MORE), "Threads");
    cr_assert_str_eq(rv_key_bindings_section(RV_ACTION_QUIT), "Window");
}
