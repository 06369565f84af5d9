/* Perl's headers, which must come first and together. */
#ifndef RV_PRODUCERS_PERL_API_H
#define RV_PRODUCERS_PERL_API_H

#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

#include <XSUB.h>

#endif
