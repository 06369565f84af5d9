/*
 * Splitting works on demangled text, since the mangled form cannot be split without parsing it. First everything after
 * the name is dropped (clone suffix, qualifiers, parameters), then one pass finds, outside of all brackets, the last
 * space (the end of the return type) and the last "::".
 */
#include "symbols/demangle.h"

#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "base/module_name.h"
#include "symbols/demangle_rust.h"

/* libstdc++ exports it with C linkage; its header is for C++ only. */
typedef char *cxa_demangle_fn(const char *mangled, char *buffer, size_t *n_bytes, int *status);

static pthread_once_t is_looked_for = PTHREAD_ONCE_INIT;
static cxa_demangle_fn *cxa_demangle; /* NULL without libstdc++: C++ names stay as they are */

static void find_cxa_demangle(void)
{
    const struct rv_late_function function = {"__cxa_demangle", &cxa_demangle};
    if (!rv_late_library_load("libstdc++.so.6", &function, 1))
        rv_warn("libstdc++.so.6 is not installed: C++ names stay mangled");
}

#define MAX_MANGLED_BYTES 4096u

static const char OPERATOR[] = "operator";
#define OPERATOR_BYTES (sizeof OPERATOR - 1)

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool is_operator_at(const char *text, size_t at, size_t end)
{
    return end - at >= OPERATOR_BYTES && memcmp(text + at, OPERATOR, OPERATOR_BYTES) == 0 &&
           (at == 0 || !is_word(text[at - 1])) && (at + OPERATOR_BYTES == end || !is_word(text[at + OPERATOR_BYTES]));
}

static bool ends_with(const char *text, size_t end, const char *suffix)
{
    size_t n = strlen(suffix);
    return end >= n && memcmp(text + end - n, suffix, n) == 0;
}

/* " [clone .cold]", one or several. */
static size_t drop_clones(const char *text, size_t end)
{
    while (end && text[end - 1] == ']') {
        size_t at = end;
        while (at && text[at - 1] != '[')
            at--;
        if (at < 2 || text[at - 2] != ' ' || strncmp(text + at, "clone", 5) != 0)
            break;
        end = at - 2;
    }
    return end;
}

static size_t drop_qualifiers(const char *text, size_t end)
{
    static const char *const qualifiers[] = {" const", " volatile", " &", " &&", " noexcept", "&&", "&"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        size_t n = strlen(qualifiers[i]);
        size_t before = end - n;
        if (ends_with(text, end, qualifiers[i]) && before &&
            (text[before - 1] == ')' || text[before - 1] == 't' || text[before - 1] == 'e' ||
             text[before - 1] == ' ')) {
            end = before;
            i = (size_t)-1;
        }
    }
    return end;
}

/* Index of the '(' that belongs to the ')' at end - 1, or SIZE_MAX. */
static size_t matching_open(const char *text, size_t end)
{
    size_t depth = 0;
    for (size_t at = end; at-- > 0;) {
        if (text[at] == ')')
            depth++;
        else if (text[at] == '(' && --depth == 0)
            return at;
    }
    return SIZE_MAX;
}

static bool is_after_operator(const char *text, size_t at)
{
    return at >= OPERATOR_BYTES && is_operator_at(text, at - OPERATOR_BYTES, at);
}

/* Narrow [begin, end) to the qualified name with its return type: without parameters, and without the declarator around
 * a function that returns a function pointer. */
static void drop_parameters(const char *text, size_t *begin, size_t *end)
{
    while (*end > *begin && text[*end - 1] == ')') {
        size_t open = matching_open(text, *end);
        if (open == SIZE_MAX || open <= *begin || is_after_operator(text, open))
            return;
        size_t close = open;
        if (text[close - 1] != ')') {
            *end = open;
            return;
        }
        size_t declarator = matching_open(text, close);
        if (declarator == SIZE_MAX || declarator < *begin || is_after_operator(text, declarator) ||
            (text[declarator + 1] != '*' && text[declarator + 1] != '&')) {
            *end = open;
            return;
        }
        *begin = declarator + 1;
        while (*begin < close - 1 && (text[*begin] == '*' || text[*begin] == '&' || text[*begin] == ' '))
            ++*begin;
        *end = drop_qualifiers(text, close - 1);
    }
}

/* Skip the symbol of an operator whose characters look like brackets. */
static size_t skip_operator(const char *text, size_t at, size_t end)
{
    static const char *const symbols[] = {
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"};
    at += OPERATOR_BYTES;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (end - at >= strlen(symbols[i]) && memcmp(text + at, symbols[i], strlen(symbols[i])) == 0)
            return at + strlen(symbols[i]);
    return at;
}

/* Skip the qualifiers of an enclosing function, "f() const::Local": up to its "::", or `at`. */
static size_t skip_scope_qualifiers(const char *text, size_t at, size_t end)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    size_t after = at;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        size_t n = strlen(qualifiers[i]);
        if (end - after >= n && memcmp(text + after, qualifiers[i], n) == 0)
            after += n;
    }
    return end - after >= 2 && memcmp(text + after, "::", 2) == 0 ? after : at;
}

static bool is_after_parameters(const char *text, size_t at)
{
    static const char anonymous[] = "(anonymous namespace)";
    return at && text[at - 1] == ')' && !ends_with(text, at, anonymous);
}

struct cut {
    size_t package; /* begin of the qualified name */
    size_t colons;  /* of the last "::" outside of brackets, or SIZE_MAX */
    bool is_whole;  /* brackets were balanced */
};

/* An operator's name may be a type, with spaces and colons: only colons after parameters separate scopes. */
static struct cut find_cut(const char *text, size_t begin, size_t end)
{
    struct cut cut = {.package = begin, .colons = SIZE_MAX};
    size_t depth = 0;
    bool is_in_operator = false;
    for (size_t at = begin; at < end; at++) {
        char c = text[at];
        if (c == 'o' && is_operator_at(text, at, end)) {
            is_in_operator |= depth == 0;
            at = skip_operator(text, at, end) - 1;
        } else if (c == '-' && at + 1 < end && text[at + 1] == '>') {
            at++;
        } else if (strchr("<({[", c)) {
            depth++;
        } else if (strchr(">)}]", c)) {
            if (depth-- == 0)
                return cut;
        } else if (depth == 0 && (c == ' ' || c == ':')) {
            bool is_scope = is_after_parameters(text, at);
            size_t colons = is_scope ? skip_scope_qualifiers(text, at, end) : at;
            if (text[colons] == ':' && colons + 1 < end && text[colons + 1] == ':') {
                at = colons + 1;
                cut.colons = is_scope || !is_in_operator ? colons : cut.colons;
                is_in_operator &= !is_scope;
            } else if (c == ' ' && !is_in_operator) {
                cut.package = at + 1;
                cut.colons = SIZE_MAX;
            }
        }
    }
    cut.is_whole = depth == 0;
    return cut;
}

void rv_demangle_split(const char *text, struct rv_demangled *out)
{
    size_t begin = 0;
    size_t end = drop_qualifiers(text, drop_clones(text, strlen(text)));
    drop_parameters(text, &begin, &end);
    struct cut cut = find_cut(text, begin, end);
    out->package = (struct rv_demangle_piece){text, 0};
    if (!cut.is_whole || cut.package >= end) {
        out->name = (struct rv_demangle_piece){text, strlen(text)};
    } else if (cut.colons == SIZE_MAX) {
        out->name = (struct rv_demangle_piece){text + cut.package, end - cut.package};
    } else {
        out->package = (struct rv_demangle_piece){text + cut.package, cut.colons - cut.package};
        out->name = (struct rv_demangle_piece){text + cut.colons + 2, end - cut.colons - 2};
    }
}

/* Strip the suffix of a compiler's copy of a function: the copy gets the source's name. */
static size_t plain_bytes(const char *symbol)
{
    static const char *const suffixes[] = {".constprop.", ".part.", ".isra.",  ".cold",
                                           ".lto_priv.",  ".llvm.", ".clone.", ".localalias"};
    const char *dot = strchr(symbol + (*symbol != '\0'), '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strncmp(dot, suffixes[i], strlen(suffixes[i])) == 0)
            return (size_t)(dot - symbol);
    return strlen(symbol);
}

static char *demangle_cxx(const char *symbol)
{
    enum { REFUSED = -1 };
    int status;
    pthread_once(&is_looked_for, find_cxa_demangle);
    if (!cxa_demangle)
        return NULL;
    char *name = cxa_demangle(symbol, NULL, NULL, &status);
    if (name || status != REFUSED)
        return name;
    rv_memory_refused(0, 0);
    return cxa_demangle(symbol, NULL, NULL, &status); /* of some the name is larger than any memory */
}

void rv_demangle(const char *symbol, struct rv_demangled *out)
{
    *out = (struct rv_demangled){.package = {symbol, 0}, .name = {symbol, plain_bytes(symbol)}};
    if (symbol[0] != '_' || strnlen(symbol, MAX_MANGLED_BYTES) >= MAX_MANGLED_BYTES)
        return;
    if (symbol[1] == 'Z')
        out->owned = demangle_cxx(symbol);
    else if (symbol[1] == 'R')
        out->owned = rv_demangle_rust(symbol);
    if (out->owned && symbol[1] == 'Z')
        rv_demangle_rust_legacy(out->owned);
    if (out->owned)
        rv_demangle_split(out->owned, out);
}

struct rv_demangle_piece rv_demangle_module(const char *path)
{
    size_t n_bytes;
    const char *name = rv_module_name(path, &n_bytes);
    return (struct rv_demangle_piece){name, n_bytes};
}
