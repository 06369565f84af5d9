/* Values as text for a monitor, by looking only: no code of the program runs, and no value changes. */
#ifndef RV_PRODUCERS_PERL_DISPLAY_H
#define RV_PRODUCERS_PERL_DISPLAY_H

#include "producers/perl/perl_api.h"

/*
 * Append it to `out`, which is UTF-8: 42, "text", undef, [1, 2], {"a" => 1}, Class={...}, qr/a+/i. What is cut, texts
 * and all that is shown at once at 64 KiB, arrays and hashes at 100 items, has "..." there.
 *   value    NULL: undef
 *   levels   how many references to follow
 */
void rv_display(pTHX_ SV *out, SV *value, unsigned levels);

#endif
