/* Values as text for a monitor, without side effects: runs no code of the program and changes no value. */
#ifndef RV_PRODUCERS_PERL_VALUE_TEXT_H
#define RV_PRODUCERS_PERL_VALUE_TEXT_H

#include "producers/perl/perl_api.h"

/*
 * Append it to `out`, which is UTF-8: 42, "text", undef, [1, 2], {"a" => 1}, Class={...}, qr/a+/i. "..." marks
 * truncated parts: texts and the whole output at 64 KiB, arrays and hashes at 100 items.
 *   value    NULL: undef
 *   levels   levels of references to follow
 */
void rv_value_text(pTHX_ SV *out, SV *value, unsigned levels);

#endif
