/* Perl's headers, which must come first and together. */
#ifndef RV_PRODUCERS_PERL_API_H
#define RV_PRODUCERS_PERL_API_H

#ifdef __clang__ /* what perl's macros are made of, in whatever file they are used */
#pragma clang diagnostic ignored "-Wgnu-statement-expression"
#endif

#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>

#include <XSUB.h>

#endif
