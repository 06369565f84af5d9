/* Demangles rustc's symbols, of version 0 (RFC 2603) and of the legacy scheme. Pure. */
#ifndef RV_SYMBOLS_DEMANGLE_RUST_H
#define RV_SYMBOLS_DEMANGLE_RUST_H

#include <stddef.h>

/*
 * "_RNvCs4_3app4main" as "app::main": without hashes, lifetimes and the "::" in front of generic arguments.
 *   returns  for free(); NULL if not such a symbol, or nested too deep or too long
 */
char *rv_demangle_rust(const char *symbol);

/*
 * The legacy scheme is C++ mangling with a hash at the end and words for special characters: turn
 * "_$LT$app..T$u20$as$u20$app..U$GT$::go::h0123456789abcdef" into "<app::T as app::U>::go", in place. A name without a
 * hash is unchanged.
 */
void rv_demangle_rust_legacy(char *demangled);

#endif
