/*
 * One function for each rule of the grammar, with its letters as in the RFC. Back references give the offset in the
 * symbol of the part to repeat; since they may nest, depth and length of the output are limited.
 */
#include "symbols/demangle_rust.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MOST_DEPTH 200u
#define MOST_BYTES 4096u
#define MOST_STEPS 20000u /* also counts skipped parts */

struct rust {
    const char *text; /* after "_R" */
    size_t n, at;
    char out[MOST_BYTES];
    size_t n_out;
    unsigned depth, n_steps;
    bool is_silent; /* parse without output */
    bool has_failed;
};

static void path(struct rust *rust);
static void type(struct rust *rust);
static void constant(struct rust *rust);

static void fail(struct rust *rust)
{
    rust->has_failed = true;
}

static char peek(const struct rust *rust)
{
    return rust->at < rust->n && !rust->has_failed ? rust->text[rust->at] : '\0';
}

static char next(struct rust *rust)
{
    char c = peek(rust);
    if (c)
        rust->at++;
    else
        fail(rust);
    return c;
}

static bool eat(struct rust *rust, char c)
{
    bool is_there = peek(rust) == c;
    rust->at += is_there;
    return is_there;
}

static void put_bytes(struct rust *rust, const char *bytes, size_t n)
{
    if (rust->is_silent || rust->has_failed)
        return;
    if (n >= MOST_BYTES - rust->n_out) {
        fail(rust);
        return;
    }
    memcpy(rust->out + rust->n_out, bytes, n);
    rust->n_out += n;
}

static void put(struct rust *rust, const char *text)
{
    put_bytes(rust, text, strlen(text));
}

static void put_number(struct rust *rust, uint64_t number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    put(rust, text);
}

/* False, which ends parsing, when a limit is exceeded. */
static bool enter(struct rust *rust)
{
    if (++rust->n_steps > MOST_STEPS || rust->depth >= MOST_DEPTH)
        fail(rust);
    rust->depth++;
    return !rust->has_failed;
}

static void leave(struct rust *rust)
{
    rust->depth--;
}

/* ---- numbers and identifiers ---- */

/* {0-9a-zA-Z} "_" */
static uint64_t base_62(struct rust *rust)
{
    uint64_t value = 0;
    if (eat(rust, '_'))
        return 0;
    for (;;) {
        char c = next(rust);
        if (c == '_')
            return value + 1;
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a') + 10
                                                : (uint64_t)(c - 'A') + 36;
        if (!isalnum((unsigned char)c) || value > UINT64_MAX / 62 - 1) {
            fail(rust);
            return 0;
        }
        value = value * 62 + digit;
    }
}

static uint64_t optional_base_62(struct rust *rust, char tag)
{
    return eat(rust, tag) ? base_62(rust) + 1 : 0;
}

static size_t decimal(struct rust *rust)
{
    size_t value = 0;
    if (!isdigit((unsigned char)peek(rust)))
        fail(rust);
    if (eat(rust, '0'))
        return 0;
    while (isdigit((unsigned char)peek(rust)) && value <= rust->n)
        value = value * 10 + (size_t)(next(rust) - '0');
    return value;
}

struct identifier {
    const char *text;
    size_t n;
    bool is_punycode;
};

static struct identifier undisambiguated(struct rust *rust)
{
    bool is_punycode = eat(rust, 'u');
    size_t n = decimal(rust);
    eat(rust, '_');
    if (rust->has_failed || n > rust->n - rust->at) {
        fail(rust);
        return (struct identifier){"", 0, false};
    }
    rust->at += n;
    return (struct identifier){rust->text + rust->at - n, n, is_punycode};
}

static void put_identifier(struct rust *rust, struct identifier identifier)
{
    if (identifier.is_punycode)
        put(rust, "punycode{");
    put_bytes(rust, identifier.text, identifier.n);
    if (identifier.is_punycode)
        put(rust, "}");
}

/* ---- paths ---- */

typedef void rule_fn(struct rust *rust);

static void back_reference(struct rust *rust, size_t tag_at, rule_fn *rule)
{
    uint64_t to = base_62(rust);
    size_t after = rust->at;
    if (to >= tag_at)
        fail(rust);
    if (rust->has_failed || rust->is_silent)
        return;
    rust->at = (size_t)to;
    rule(rust);
    rust->at = after;
}

/* The path of an impl is not part of the name. */
static void impl_path(struct rust *rust)
{
    bool was_silent = rust->is_silent;
    rust->is_silent = true;
    (void)optional_base_62(rust, 's');
    path(rust);
    rust->is_silent = was_silent;
}

static void special(struct rust *rust, char namespace, struct identifier identifier, uint64_t number)
{
    const char letter[2] = {namespace, '\0'};
    put(rust, namespace == 'C' ? "{closure" : namespace == 'S' ? "{shim" : "{");
    if (namespace != 'C' && namespace != 'S')
        put(rust, letter);
    if (identifier.n) {
        put(rust, ":");
        put_identifier(rust, identifier);
    }
    put(rust, "#");
    put_number(rust, number);
    put(rust, "}");
}

static void nested(struct rust *rust)
{
    char namespace = next(rust);
    if (!isalpha((unsigned char)namespace))
        fail(rust);
    path(rust);
    uint64_t number = optional_base_62(rust, 's');
    struct identifier identifier = undisambiguated(rust);
    bool is_special = isupper((unsigned char)namespace);
    if (is_special || identifier.n)
        put(rust, "::");
    if (is_special)
        special(rust, namespace, identifier, number);
    else
        put_identifier(rust, identifier);
}

static void generic_argument(struct rust *rust)
{
    if (eat(rust, 'K'))
        constant(rust);
    else
        type(rust);
}

/* A list up to "E", separated by commas, without lifetimes. Returns the number of items. */
static unsigned list(struct rust *rust, rule_fn *rule)
{
    unsigned n = 0;
    while (!rust->has_failed && !eat(rust, 'E')) {
        if (eat(rust, 'L')) {
            (void)base_62(rust);
            continue;
        }
        if (n++)
            put(rust, ", ");
        rule(rust);
    }
    return n;
}

static void generic(struct rust *rust)
{
    path(rust);
    size_t begin = rust->n_out;
    put(rust, "<");
    if (list(rust, generic_argument))
        put(rust, ">");
    else
        rust->n_out = begin;
}

static void qualified(struct rust *rust, bool has_impl, bool has_trait)
{
    if (has_impl)
        impl_path(rust);
    put(rust, "<");
    type(rust);
    if (has_trait) {
        put(rust, " as ");
        path(rust);
    }
    put(rust, ">");
}

static void path(struct rust *rust)
{
    size_t tag_at = rust->at;
    if (enter(rust)) {
        switch (next(rust)) {
        case 'C':
            (void)optional_base_62(rust, 's');
            put_identifier(rust, undisambiguated(rust));
            break;
        case 'M':
            qualified(rust, true, false);
            break;
        case 'X':
            qualified(rust, true, true);
            break;
        case 'Y':
            qualified(rust, false, true);
            break;
        case 'N':
            nested(rust);
            break;
        case 'I':
            generic(rust);
            break;
        case 'B':
            back_reference(rust, tag_at, path);
            break;
        default:
            fail(rust);
        }
    }
    leave(rust);
}

/* ---- types ---- */

static const char *basic_type(char tag)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "i8",  ['b' - 'a'] = "bool", ['c' - 'a'] = "char",  ['d' - 'a'] = "f64",   ['e' - 'a'] = "str",
        ['f' - 'a'] = "f32", ['h' - 'a'] = "u8",   ['i' - 'a'] = "isize", ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",
        ['m' - 'a'] = "u32", ['n' - 'a'] = "i128", ['o' - 'a'] = "u128",  ['p' - 'a'] = "_",     ['s' - 'a'] = "i16",
        ['t' - 'a'] = "u16", ['u' - 'a'] = "()",   ['v' - 'a'] = "...",   ['x' - 'a'] = "i64",   ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!",
    };
    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void reference(struct rust *rust, const char *sign)
{
    (void)optional_base_62(rust, 'L');
    put(rust, sign);
    type(rust);
}

static void array(struct rust *rust, bool has_length)
{
    put(rust, "[");
    type(rust);
    if (has_length) {
        put(rust, "; ");
        constant(rust);
    }
    put(rust, "]");
}

static void tuple(struct rust *rust)
{
    put(rust, "(");
    put(rust, list(rust, type) == 1 ? ",)" : ")");
}

static void function(struct rust *rust)
{
    (void)optional_base_62(rust, 'G');
    if (eat(rust, 'U'))
        put(rust, "unsafe ");
    if (eat(rust, 'K')) {
        put(rust, "extern \"");
        if (eat(rust, 'C'))
            put(rust, "C");
        else
            put_identifier(rust, undisambiguated(rust));
        put(rust, "\" ");
    }
    put(rust, "fn(");
    (void)list(rust, type);
    put(rust, ")");
    if (eat(rust, 'u'))
        return;
    put(rust, " -> ");
    type(rust);
}

/* A trait, with associated types among its generic arguments: Iterator<Item = u8>. */
static void dyn_trait(struct rust *rust)
{
    path(rust);
    bool is_open = false;
    while (eat(rust, 'p')) {
        bool has_arguments = !is_open && rust->n_out && rust->out[rust->n_out - 1] == '>';
        if (has_arguments && !rust->is_silent)
            rust->n_out--;
        put(rust, is_open || has_arguments ? ", " : "<");
        is_open = true;
        put_identifier(rust, undisambiguated(rust));
        put(rust, " = ");
        type(rust);
    }
    if (is_open)
        put(rust, ">");
}

static void dyn(struct rust *rust)
{
    bool is_first = true;
    (void)optional_base_62(rust, 'G');
    put(rust, "dyn ");
    for (; !rust->has_failed && !eat(rust, 'E'); is_first = false) {
        put(rust, is_first ? "" : " + ");
        dyn_trait(rust);
    }
    if (!eat(rust, 'L'))
        fail(rust);
    (void)base_62(rust);
}

static void other_type(struct rust *rust, size_t tag_at)
{
    switch (next(rust)) {
    case 'A':
        array(rust, true);
        break;
    case 'S':
        array(rust, false);
        break;
    case 'T':
        tuple(rust);
        break;
    case 'R':
        reference(rust, "&");
        break;
    case 'Q':
        reference(rust, "&mut ");
        break;
    case 'P':
        reference(rust, "*const ");
        break;
    case 'O':
        reference(rust, "*mut ");
        break;
    case 'F':
        function(rust);
        break;
    case 'D':
        dyn(rust);
        break;
    case 'B':
        back_reference(rust, tag_at, type);
        break;
    default:
        rust->at = tag_at;
        path(rust);
    }
}

static void type(struct rust *rust)
{
    const char *name = basic_type(peek(rust));
    if (name) {
        rust->at++;
        put(rust, name);
        return;
    }
    if (enter(rust))
        other_type(rust, rust->at);
    leave(rust);
}

/* ---- constants ---- */

/* {hex-digit} "_", as a decimal number if it fits, else as it is. */
static void number(struct rust *rust, char tag)
{
    size_t begin = rust->at, n = 0;
    for (; isxdigit((unsigned char)peek(rust)); n++)
        rust->at++;
    if (!eat(rust, '_')) {
        fail(rust);
        return;
    }
    uint64_t value = n <= 16 ? strtoull(rust->text + begin, NULL, 16) : 0;
    if (n > 16) {
        put(rust, "0x");
        put_bytes(rust, rust->text + begin, n);
    } else if (tag == 'b') {
        put(rust, value ? "true" : "false");
    } else {
        put_number(rust, value);
    }
}

static void constant(struct rust *rust)
{
    size_t tag_at = rust->at;
    if (enter(rust)) {
        char tag = next(rust);
        if (tag == 'B') {
            back_reference(rust, tag_at, constant);
        } else if (tag == 'p') {
            put(rust, "_");
        } else if (basic_type(tag)) {
            put(rust, eat(rust, 'n') ? "-" : "");
            number(rust, tag);
        } else {
            fail(rust); /* strings and structures as parameters are not in stable Rust */
        }
    }
    leave(rust);
}

char *rv_demangle_rust(const char *symbol)
{
    size_t n = strncmp(symbol, "_R", 2) == 0 ? strcspn(symbol + 2, ".$") : 0; /* LLVM's suffix of copies */
    char *name = NULL;
    if (n == 0)
        return NULL;
    struct rust *rust = rv_alloc(1, sizeof *rust);
    rust->text = symbol + 2;
    rust->n = n;
    path(rust);
    rust->is_silent = true; /* the crate that made this copy of a generic function */
    if (!rust->has_failed && rust->at < rust->n)
        path(rust);
    if (!rust->has_failed && rust->at == rust->n)
        name = rv_strndup(rust->out, rust->n_out);
    free(rust);
    return name;
}

/* ---- before version 0 ---- */

#define HASH_BYTES 16u

/* Cut off the hash; false when there is none. */
static bool cut_hash(char *text)
{
    static const char front[] = "::h";
    size_t n = strlen(text), n_hash = sizeof front - 1 + HASH_BYTES;
    if (n <= n_hash || memcmp(text + n - n_hash, front, sizeof front - 1) != 0 ||
        strspn(text + n - HASH_BYTES, "0123456789abcdef") != HASH_BYTES)
        return false;
    text[n - n_hash] = '\0';
    return true;
}

/* The character for "$word$" at text, or 0; *n_bytes is its length with both dollars. */
static char sign_of(const char *text, size_t *n_bytes)
{
    static const char *const words[] = {"SP@", "BP*", "RF&", "LT<", "GT>", "LP(", "RP)", "C,"};
    const char *end = strchr(text + 1, '$');
    size_t n = end ? (size_t)(end - text) - 1 : 0;
    *n_bytes = n + 2;
    for (size_t i = 0; n && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n + 1 && memcmp(words[i], text + 1, n) == 0)
            return words[i][n];
    char *digits_end;
    unsigned long code = n > 1 && text[1] == 'u' ? strtoul(text + 2, &digits_end, 16) : 0;
    return code >= ' ' && code < 0x7f && digits_end == end ? (char)code : '\0';
}

void rv_demangle_rust_legacy(char *demangled)
{
    if (!cut_hash(demangled))
        return;
    char *out = demangled;
    for (const char *at = demangled; *at;) {
        size_t n_bytes = 0;
        bool is_first = at == demangled || at[-1] == ':';
        at += is_first && at[0] == '_' && at[1] == '$';
        char sign = *at == '$' ? sign_of(at, &n_bytes) : '\0';
        if (sign) {
            *out++ = sign;
            at += n_bytes;
        } else if (at[0] == '.' && at[1] == '.') {
            *out++ = ':';
            *out++ = ':';
            at += 2;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
}
