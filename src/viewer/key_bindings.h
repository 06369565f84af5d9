/*
 * The keys and gestures of actions: one table that dispatch, the help overlay and
 * --help read. A key is named by what a US keyboard has in its place, so that it stays there on every keyboard. Pure.
 */
#ifndef RV_VIEWER_KEY_BINDINGS_H
#define RV_VIEWER_KEY_BINDINGS_H

#include <stddef.h>

#include "ui/action.h"

enum rv_modifier { RV_MODIFIER_CTRL = 1, RV_MODIFIER_SHIFT = 2, RV_MODIFIER_ALT = 4 };

struct rv_chord {
    const char *key; /* as SDL_GetScancodeName says it; NULL = none */
    unsigned modifiers;
};

#define RV_ACTION_CHORDS 3u

struct rv_key_binding {
    struct rv_chord chords[RV_ACTION_CHORDS];
    const char *gesture; /* of the mouse; NULL = none */
    const char *words;   /* what it does; NULL for RV_ACTION_NONE alone */
};

/* Static; RV_ACTION_NONE has no keys. */
const struct rv_key_binding *rv_key_bindings_get(enum rv_action action);

/* Title of the section of the help that an action stands in; actions of a section follow one another. Static. */
const char *rv_key_bindings_section(enum rv_action action);

/* The action of a key pressed with exactly these modifiers; RV_ACTION_NONE where there is none. */
enum rv_action rv_key_bindings_action(const char *key, unsigned modifiers);

/* "W, Up": its keys. Returns out. */
char *rv_key_bindings_keys(enum rv_action action, char *out, size_t out_bytes);

/* "W, Up, wheel": its keys and its gesture. Returns out. */
char *rv_key_bindings_text(enum rv_action action, char *out, size_t out_bytes);

#endif
