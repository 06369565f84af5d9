/*
 * Wraps the ops that begin statements: all of them if lines are reported, else only while a thread wants to stop at
 * statements, and then only in the code that it runs. Otherwise statements cost nothing extra.
 */
#ifndef RV_PRODUCERS_PERL_STATEMENTS_H
#define RV_PRODUCERS_PERL_STATEMENTS_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

/* Call once per process. */
void rv_statements_install(pTHX_ bool has_lines);

/* The calling thread wants statements, of code compiled later and of code given to the two functions below. */
void rv_statements_begin(void);
void rv_statements_end(void);

/* Wrap all code on its stack. */
void rv_statements_on_stack(pTHX);

/* Wrap a sub that is entered. */
void rv_statements_enter(const CV *cv);

struct rv_statements_line {
    bool has_file, is_statement; /* the file has statements; the line has one */
    unsigned long next;          /* the next line with a statement; 0: none */
};

typedef bool rv_statements_is_file_fn(const void *context, const char *file);

/* Search all compiled code for a file's line. Visits every sub: slow. */
struct rv_statements_line rv_statements_find(pTHX_ rv_statements_is_file_fn *is_file, const void *context,
                                             unsigned long line);

/* Is a file being compiled and thus incomplete? */
bool rv_statements_are_compiled_now(pTHX);

#endif
