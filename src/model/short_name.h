/* Shortening of subroutine names to the available room. */
#ifndef RV_MODEL_SHORT_NAME_H
#define RV_MODEL_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Width of a text, in the room's unit. */
typedef float (*rv_short_name_width_fn)(const void *context, const char *text, size_t n_bytes);

/* The end of the character that begins at text, before end, with all that belongs to it. */
typedef const char *(*rv_short_name_next_fn)(const char *text, const char *end);

struct rv_short_name_room {
    float width;
    rv_short_name_width_fn width_of;
    rv_short_name_next_fn next; /* where it may be cut; NULL = after each character */
    const void *context;
};

/*
 * Shorten from the left until the text fits: "A::B::c", "B::c", "c", then "c" cut with an ellipsis. Arguments and
 * template parameters are not components and are removed first. What is wider, or longer than out, is cut.
 *   returns  false, with out unchanged, when not even two characters fit
 */
bool rv_short_name_fit(const char *full_name, const struct rv_short_name_room *room, char *out, size_t out_bytes);

/* Of a text that is no name, the front, with an ellipsis where it is cut. Returns as rv_short_name_fit(). */
bool rv_short_name_cut(const char *text, const struct rv_short_name_room *room, char *out, size_t out_bytes);

/*
 * Of a text of words and numbers, the front of at most `most` bytes, with an ellipsis behind it where it is cut: not
 * inside a word or number, nor before its unit, unless no other ends in the second half of that.
 *   out  room for most + 4 bytes
 */
void rv_short_name_cut_words(const char *text, size_t most, char *out);

/*
 * Leave out template arguments at this depth, where that is shorter: "std::vector<...>::push_back" at 0,
 * "std::map<int, std::vector<...>>::find" at 1. What is not balanced stays.
 *   out  room for the full name
 */
void rv_short_name_fold(const char *full_name, unsigned depth, char *out);

/* Leave out scopes, those of template arguments too: "a::Queue<b::Line>" to "Queue<Line>". out: as above. */
void rv_short_name_drop_scopes(const char *full_name, char *out);

#endif
