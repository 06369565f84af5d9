/* Symbol names as people read them: C++ and Rust demangled and split into package and name. Pure, but for the string pool. */
#ifndef RV_SYMBOLS_DEMANGLE_H
#define RV_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* A piece of a string that is not its own. */
struct rv_demangle_piece {
    const char *text;
    size_t n_bytes;
};

struct rv_demangled {
    struct rv_demangle_piece package; /* namespaces and classes, "a::b<int>"; empty for what has none */
    struct rv_demangle_piece name;    /* without return type, parameters and qualifiers */
    char *owned;                      /* holds both when the symbol was mangled; release with free() */
};

/* Take a symbol apart. What cannot be demangled is a name without package. The pieces point into `owned` or `symbol`.
 */
void rv_demangle(const char *symbol, struct rv_demangled *out);

/* The second half of rv_demangle(): split what is demangled already. Pieces point into text. */
void rv_demangle_split(const char *text, struct rv_demangled *out);

/* Base name of a module's path without "lib" in front and ".so..." behind: a plain function's package. */
struct rv_demangle_piece rv_demangle_module(const char *path);

#endif
