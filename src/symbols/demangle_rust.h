/* Symbols of Rust, as rustc writes them: in version 0 (RFC 2603), and before. Pure. */
#ifndef RV_SYMBOLS_DEMANGLE_RUST_H
#define RV_SYMBOLS_DEMANGLE_RUST_H

#include <stddef.h>

/*
 * "_RNvCs4_3app4main" as "app::main": without hashes, lifetimes and the "::" in front of generic arguments.
 *   returns  for free(); NULL where it is no such symbol, or one that is nested deeper or longer than any is
 */
char *rv_demangle_rust(const char *symbol);

/*
 * What rustc wrote before version 0 is C++'s way with a hash at the end and signs in words: make
 * "_$LT$app..T$u20$as$u20$app..U$GT$::go::h0123456789abcdef" "<app::T as app::U>::go", in place. Without a hash nothing
 * changes.
 */
void rv_demangle_rust_legacy(char *demangled);

#endif
