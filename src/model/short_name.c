#include "model/short_name.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define ELLIPSIS "…"
#define CHARACTERS_MIN 2
#define CUTS_MAX 512
#define FOLDED "<...>"
#define NESTING_MAX 32
#define FOLDED_NAME_BYTES 1024u
#define FOLDED_DEPTHS 3u

/* The parenthesis that closes the one at name; NULL when there is none. */
static const char *closing_parenthesis(const char *name)
{
    int nesting = 0;
    for (; *name; name++) {
        nesting += (*name == '(') - (*name == ')');
        if (nesting == 0)
            return name;
    }
    return NULL;
}

/* Bytes before the argument list: "f(int)" -> 1. A component in parentheses is none, and neither are the arguments of a
 * function that the name is inside of. */
static size_t length_without_arguments(const char *name)
{
    int angle = 0;
    for (size_t i = 0; name[i]; i++) {
        angle += (name[i] == '<') - (name[i] == '>' && angle > 0);
        if (name[i] != '(' || i == 0 || angle || strchr(":.", name[i - 1]))
            continue;
        const char *closing = closing_parenthesis(name + i);
        if (!closing || !strstr(closing, "::"))
            return i;
        i = (size_t)(closing - name);
    }
    return strlen(name);
}

/* The same without what each lambda ends in: "f()::{lambda(int)#1}::operator()(int) const" -> 20. */
static size_t length_of_components(const char *name)
{
    static const char call[] = "::operator";
    const size_t n = length_without_arguments(name), n_call = sizeof call - 1;
    const bool is_lambda = n > n_call && name[n - n_call - 1] == '}' && !strncmp(name + n - n_call, call, n_call);
    return is_lambda ? n - n_call : n;
}

/* Start of the next component, past "::", ".", "#" or "/"; NULL when this is the last. */
static const char *next_component(const char *name, const char *end)
{
    int nesting = 0;
    for (const char *at = name; at < end; at++) {
        if (strchr("<([{", *at))
            nesting++;
        else if (strchr(">)]}", *at) && nesting)
            nesting--;
        if (nesting || at == name)
            continue;
        if (at + 2 < end && at[0] == ':' && at[1] == ':')
            return at + 2;
        if (at + 1 < end && strchr("/.#", *at) && at[1] != *at && !(*at == '#' && at[-1] == ')'))
            return at + 1;
    }
    return NULL;
}

static const char *after_character(const char *text, const char *end)
{
    do
        text++;
    while (text < end && ((unsigned char)*text & 0xC0) == 0x80);
    return text;
}

static float width_of(const struct rv_short_name_room *room, const char *text, const char *end)
{
    return room->width_of(room->context, text, (size_t)(end - text));
}

static bool put(const char *text, const char *end, char *out)
{
    *(char *)mempcpy(out, text, (size_t)(end - text)) = '\0';
    return true;
}

/* The longest part of whole characters that fits into room and bytes: found by halving, as its width may take long. */
static bool put_cut(const char *text, const char *end, const struct rv_short_name_room *room, char *out,
                    size_t out_bytes)
{
    const float left = room->width - room->width_of(room->context, ELLIPSIS, sizeof ELLIPSIS - 1);
    const char *cuts[CUTS_MAX];
    size_t n_cuts = 0, n_fit = 0;
    for (const char *at = text; at < end && n_cuts < CUTS_MAX; cuts[n_cuts++] = at) {
        at = room->next ? room->next(at, end) : after_character(at, end);
        if ((size_t)(at - text) + sizeof ELLIPSIS > out_bytes)
            break;
    }
    for (size_t n_wide = n_cuts + 1; n_wide - n_fit > 1;) {
        const size_t middle = n_fit + (n_wide - n_fit) / 2;
        if (width_of(room, text, cuts[middle - 1]) <= left)
            n_fit = middle;
        else
            n_wide = middle;
    }
    if (n_fit < CHARACTERS_MIN)
        return false;
    (void)put(text, cuts[n_fit - 1], out);
    strcat(out, ELLIPSIS);
    return true;
}

/* Does a name fit as it is? */
static bool fits(const char *name, const char *end, const struct rv_short_name_room *room)
{
    return width_of(room, name, end) <= room->width;
}

bool rv_short_name_fit(const char *full_name, const struct rv_short_name_room *room, char *out, size_t out_bytes)
{
    const char *name = full_name, *end = full_name + strlen(full_name);
    if (!fits(name, end, room)) {
        end = full_name + length_of_components(full_name);
        while (!fits(name, end, room)) {
            const char *next = next_component(name, end);
            if (!next)
                return put_cut(name, end, room, out, out_bytes);
            name = next;
        }
    }
    return (size_t)(end - name) < out_bytes ? put(name, end, out) : put_cut(name, end, room, out, out_bytes);
}

bool rv_short_name_cut(const char *text, const struct rv_short_name_room *room, char *out, size_t out_bytes)
{
    const char *end = text + strlen(text);
    return fits(text, end, room) && (size_t)(end - text) < out_bytes ? put(text, end, out)
                                                                     : put_cut(text, end, room, out, out_bytes);
}

/* "operator<<" and its like: what follows the word belongs to it. Returns bytes of the whole, 0 for another word. */
static size_t operator_length(const char *at, const char *name)
{
    static const char word[] = "operator";
    size_t n = sizeof word - 1;
    bool begins = at == name || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (!begins || strncmp(at, word, n) != 0 || !strchr("<>-", at[n]) || !at[n])
        return 0;
    return n + strspn(at + n, "<>-=");
}

/* Are these the arguments of what is in front, and no part of the name, as in "<T as Trait>::call", "block in <main>"? */
static bool begins_arguments(const char *at, const char *name)
{
    if (*at != '<' || at == name)
        return false;
    const bool is_apart = at[-1] == ' ' && at - name > 1; /* "operator< <int>" */
    return isalnum((unsigned char)at[-1]) || at[-1] == '_' || (is_apart && !isalpha((unsigned char)at[-2]));
}

/* The bracket that closes this one; NULL when there is none. */
static const char *closing_bracket(const char *at, const char *end)
{
    unsigned nesting = 0;
    for (; at < end; at++) {
        nesting += *at == '<';
        if (*at == '>' && at[-1] != '-' && --nesting == 0)
            return at;
    }
    return NULL;
}

static char *fold(const char *name, const char *end, unsigned depth, unsigned nesting, char *out)
{
    const char *at = name, *close = NULL;
    for (; at < end; at = close + 1) {
        while (at < end && *at != '<') {
            size_t n = operator_length(at, name), n_left = (size_t)(end - at);
            n = n > n_left ? n_left : n ? n : 1;
            out = mempcpy(out, at, n);
            at += n;
        }
        close = at < end && nesting < NESTING_MAX ? closing_bracket(at, end) : NULL;
        if (!close)
            break;
        bool are_arguments = begins_arguments(at, name);
        if (are_arguments && depth == 0 && close - at > (ptrdiff_t)(sizeof FOLDED - 2)) {
            out = mempcpy(out, FOLDED, sizeof FOLDED - 1);
            continue;
        }
        *out++ = '<';
        out = fold(at + 1, close, depth - (are_arguments && depth), nesting + 1, out);
        *out++ = '>';
    }
    return at < end ? mempcpy(out, at, (size_t)(end - at)) : out;
}

void rv_short_name_fold(const char *full_name, unsigned depth, char *out)
{
    *fold(full_name, full_name + strlen(full_name), depth, 0, out) = '\0';
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Does a word end here, or a number whose unit does not follow? */
static bool ends_well(const char *text, size_t n)
{
    return is_of_word(text[n - 1]) && !is_of_word(text[n]) && !(isdigit((unsigned char)text[n - 1]) && text[n] == ' ');
}

void rv_short_name_cut_words(const char *text, size_t most, char *out)
{
    const size_t n_bytes = strlen(text), n_whole = rv_text_whole(text, n_bytes, most);
    size_t n = n_whole;
    while (n < n_bytes && n > most / 2 && !ends_well(text, n))
        n--;
    n = n > most / 2 ? n : n_whole;
    memcpy(out, text, n);
    strcpy(out + n, n < n_bytes ? ELLIPSIS : "");
}

bool rv_short_name_fit_folded(const char *full_name, const struct rv_short_name_room *room, char *out, size_t out_bytes)
{
    char folded[FOLDED_NAME_BYTES];
    const char *name = full_name;
    for (unsigned depth = FOLDED_DEPTHS; strlen(full_name) < sizeof folded && depth-- > 0;) {
        if (fits(name, name + strlen(name), room))
            break;
        rv_short_name_fold(full_name, depth, folded);
        name = folded;
    }
    return rv_short_name_fit(name, room, out, out_bytes);
}

void rv_short_name_drop_scopes(const char *full_name, unsigned depth, char *out)
{
    char *identifier = out;
    unsigned nesting = 0;
    for (const char *at = full_name; *at; at++) {
        const size_t n_operator = operator_length(at, full_name);
        if (n_operator) {
            out = mempcpy(out, at, n_operator);
            at += n_operator - 1;
            continue;
        }
        if (at[0] == ':' && at[1] == ':' && nesting >= depth && !(at > full_name && strchr(">)}", at[-1]))) {
            out = identifier;
            at++;
            continue;
        }
        nesting += strchr("<({", *at) != NULL;
        nesting -= strchr(">)}", *at) && nesting > 0;
        *out++ = *at;
        if (strchr("<>(), *&:", *at))
            identifier = out;
    }
    *out = '\0';
}

size_t rv_short_name_split(const char *full_name, const char **starts, size_t most, const char **end)
{
    size_t n = 0;
    *end = full_name + length_of_components(full_name);
    for (const char *next = full_name; next; next = next_component(next, *end)) {
        if (n == most)
            memmove(starts, starts + 1, --n * sizeof *starts);
        starts[n++] = next;
    }
    return n;
}

/* ---- with the part by which names differ ---- */

#define PART_NAME_BYTES 1024u
#define PART_LEAST 6 /* characters, besides those in which it differs, before the front of the name gets room */

struct pieces { /* of a name, in order; between them it is cut */
    const char *begin, *front_end, *part, *part_end, *tail, *end;
};

static char *put_gap(const char *from, const char *to, char *out)
{
    if (to <= from)
        return out;
    if (to - from == 1)
        return mempcpy(out, from, 1);
    return mempcpy(out, ELLIPSIS, sizeof ELLIPSIS - 1);
}

static bool join(const struct pieces *pieces, const struct rv_short_name_room *room, char text[PART_NAME_BYTES])
{
    char *out = mempcpy(text, pieces->begin, (size_t)(pieces->front_end - pieces->begin));
    out = put_gap(pieces->front_end, pieces->part, out);
    out = mempcpy(out, pieces->part, (size_t)(pieces->part_end - pieces->part));
    out = put_gap(pieces->part_end, pieces->tail, out);
    out = mempcpy(out, pieces->tail, (size_t)(pieces->end - pieces->tail));
    *out = '\0';
    return width_of(room, text, out) <= room->width;
}

/* Move an end of a piece on, as far as there is room, by no more than so many characters. */
static void grow(struct pieces *pieces, const char **piece_end, const char *limit, unsigned most,
                 const struct rv_short_name_room *room)
{
    char text[PART_NAME_BYTES];
    for (; *piece_end < limit && most; most--) {
        const char *before = *piece_end;
        *piece_end = room->next ? room->next(before, limit) : after_character(before, limit);
        if (join(pieces, room, text))
            continue;
        *piece_end = before;
        return;
    }
}

/* A front alone says what is called; where there is a tail, that does, and only a whole front says more. */
static void grow_front(struct pieces *pieces, const char *part_to, const struct rv_short_name_room *room)
{
    char text[PART_NAME_BYTES];
    if (pieces->tail == pieces->end) {
        grow(pieces, &pieces->front_end, pieces->part, UINT_MAX, room);
        return;
    }
    grow(pieces, &pieces->part_end, part_to, PART_LEAST, room);
    pieces->front_end = pieces->part;
    if (!join(pieces, room, text))
        pieces->front_end = pieces->begin;
}

/* Behind the part: the last component, if the part is before it. */
static const char *tail_of(const char *name, const char *part_end, const char *end)
{
    const char *last, *components_end;
    (void)rv_short_name_split(name, &last, 1, &components_end);
    last -= last - name >= 2 && last[-1] == ':' ? 2 : last > name;
    return last >= part_end ? last : end;
}

bool rv_short_name_fit_part(const char *name, const struct rv_short_name_part *part,
                            const struct rv_short_name_room *room, char *out, size_t out_bytes)
{
    const size_t n_bytes = strlen(name), n_components = length_of_components(name);
    struct pieces pieces = {.begin = name, .end = name + (part->to > n_components ? n_bytes : n_components)};
    char text[PART_NAME_BYTES];
    if (n_bytes + 2 * sizeof ELLIPSIS >= sizeof text)
        return rv_short_name_fit(name, room, out, out_bytes);
    for (const char *next = name; next && next <= name + part->from; next = next_component(next, pieces.end)) {
        pieces.begin = next;
        if (fits(next, pieces.end, room) && (size_t)(pieces.end - next) < out_bytes)
            return put(next, pieces.end, out);
    }
    pieces.front_end = pieces.begin;
    pieces.part = name + part->from;
    pieces.part_end = name + part->least;
    pieces.tail = tail_of(name, name + part->to, pieces.end);
    if (!join(&pieces, room, text))
        return rv_short_name_fit(name, room, out, out_bytes);
    grow_front(&pieces, name + part->to, room);
    grow(&pieces, &pieces.part_end, name + part->to, UINT_MAX, room);
    (void)join(&pieces, room, text);
    return strlen(text) < out_bytes ? put(text, text + strlen(text), out)
                                    : rv_short_name_fit(name, room, out, out_bytes);
}
