/*
 * Maps subroutines to name ids. A Perl sub is identified by the root of its ops, which all closures of one `sub` share,
 * an XS sub by its CV. Since both addresses may be reused, further properties are compared too. The cache is per
 * thread.
 */
#ifndef RV_PRODUCERS_PERL_SUB_NAMES_H
#define RV_PRODUCERS_PERL_SUB_NAMES_H

#include "producers/perl/perl_api.h"

/* The id of a sub that is called now. Keeps errno; may allocate. */
uint32_t rv_subs_id(pTHX_ CV *cv);

struct rv_sub_keys { /* NULL: none */
    const HEK *package, *name;
};
/* The names of its package and of the sub; borrowed. */
struct rv_sub_keys rv_subs_keys(const CV *cv);

/* "Package::name", an anonymous one with its file and line; a new SV in UTF-8. */
SV *rv_subs_name(pTHX_ const CV *cv);

/*
 * Call once, before any other function.
 *   tells_autoload  name AUTOLOAD "AUTOLOAD for Package::name", with an id for each sub that it replaces
 */
void rv_subs_start(bool tells_autoload);

#endif
