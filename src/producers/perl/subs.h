/*
 * Subroutines to name ids. A Perl sub is known by the root of its ops, which all closures of one `sub` share, an XS sub
 * by its CV; since both may be freed and their addresses used again, what else tells them apart is compared, too.
 * The cache is the thread's own.
 */
#ifndef RV_PRODUCERS_PERL_SUBS_H
#define RV_PRODUCERS_PERL_SUBS_H

#include "producers/perl/perl_api.h"

/* The id of a sub that is called now. errno is kept; may allocate. */
uint32_t rv_subs_id(pTHX_ CV *cv);

struct rv_sub_keys { /* NULL: it has none */
    const HEK *package, *name;
};
struct rv_sub_keys rv_subs_keys(const CV *cv);

/* "Package::name", an anonymous one with its file and line; a new SV in UTF-8. */
SV *rv_subs_name(pTHX_ const CV *cv);

/*
 * Once, before any thread asks.
 *   tells_autoload  AUTOLOAD is "AUTOLOAD for Package::name": another id for each sub that it stands for
 */
void rv_subs_start(bool tells_autoload);

#endif
