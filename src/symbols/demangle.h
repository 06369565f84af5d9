/* Readable symbol names: C++ and Rust demangled and split into package and name. Pure. */
#ifndef RV_SYMBOLS_DEMANGLE_H
#define RV_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* A piece of another string. */
struct rv_demangle_piece {
    const char *text;
    size_t n_bytes;
};

struct rv_demangled {
    struct rv_demangle_piece package; /* namespaces and classes, "a::b<int>"; may be empty */
    struct rv_demangle_piece name;    /* without return type, parameters and qualifiers */
    char *owned;                      /* memory of both when the symbol was mangled; release with free() */
};

/* Demangle and split a symbol. If that fails it is a name without package. The pieces point into `owned` or `symbol`.
 */
void rv_demangle(const char *symbol, struct rv_demangled *out);

/* The second half of rv_demangle(): split an already demangled name. Pieces point into text. */
void rv_demangle_split(const char *text, struct rv_demangled *out);

/* The package of a C function: its module's name (base/module_name.h). */
struct rv_demangle_piece rv_demangle_module(const char *path);

#endif
