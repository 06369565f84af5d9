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

/* The same, but before components template arguments are left out, the inner ones first:
 * "a::Map<b::Key, b::Value<...> >::find", "a::Map<...>::find". */
bool rv_short_name_fit_folded(const char *full_name, const struct rv_short_name_room *room, char *out,
                              size_t out_bytes);

struct rv_short_name_part { /* of a name */
    size_t from, least, to; /* bytes: it begins, it must be seen at least so far, it ends */
};

/*
 * As rv_short_name_fit(), but what is left has the front of this part, by which the name differs from others: "pop" of
 * "Queue<Request>::pop" becomes "Queue<Req…::pop". Where there is too little room for that: as rv_short_name_fit().
 */
bool rv_short_name_fit_part(const char *name, const struct rv_short_name_part *part,
                            const struct rv_short_name_room *room, char *out, size_t out_bytes);

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

/* Leave out scopes inside of so many brackets, or more: "a::Queue<b::Line>::pop" to "Queue<Line>::pop" at 0, to
 * "a::Queue<Line>::pop" at 1. out: as above. */
void rv_short_name_drop_scopes(const char *full_name, unsigned depth, char *out);

/*
 * Find the components, from the left.
 *   starts   room for most; of more, the last ones
 *   end      behind the last one, where arguments begin
 *   returns  their number, at most `most`
 */
size_t rv_short_name_split(const char *full_name, const char **starts, size_t most, const char **end);

#endif
