/*
 * The ops that begin statements, with ours in front of perl's own: all of them where lines are told, else only while a
 * thread wants to stop at statements, and then in what it runs. Without that a statement costs what it costs without
 * us.
 */
#ifndef RV_PRODUCERS_PERL_STATEMENTS_H
#define RV_PRODUCERS_PERL_STATEMENTS_H

#include <stdbool.h>

#include "producers/perl/perl_api.h"

/* For the whole process, once. */
void rv_statements_install(pTHX_ bool has_lines);

/* The calling thread wants statements: those of what is compiled from now on, and of what the two below name. */
void rv_statements_begin(void);
void rv_statements_end(void);

/* Of all that is on its stack. */
void rv_statements_on_stack(pTHX);

/* Of a sub that is entered. */
void rv_statements_enter(const CV *cv);

struct rv_statements_line {
    bool has_file, is_statement; /* statements of the file are there; one is at the line */
    unsigned long next;          /* the first line behind it that has one; 0: none */
};

typedef bool rv_statements_is_file_fn(const void *context, const char *file);

/* What there is of a file in all that is compiled; looks at every sub: for a user, not for a program's turn. */
struct rv_statements_line rv_statements_find(pTHX_ rv_statements_is_file_fn *is_file, const void *context,
                                             unsigned long line);

/* Is a file being compiled, of which not all is there, therefore? */
bool rv_statements_are_compiled_now(pTHX);

#endif
