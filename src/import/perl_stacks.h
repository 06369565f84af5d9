/*
 * Reads a running perl from outside: its version, its interpreters, and their call stacks. Nothing is loaded into it or
 * changed in it.
 *
 * A stack is read twice while perl runs, and used when both reads agree; then at most a frame on its way in or out is
 * wrong. Everything read is untrusted: depths, counts and lengths are limited.
 */
#ifndef RV_IMPORT_PERL_STACKS_H
#define RV_IMPORT_PERL_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "import/perl_layout.h"
#include "import/process_memory.h"

#define RV_PERL_FRAMES 16384u /* deeper calls are dropped */
#define RV_PERL_NAME_BYTES 4096u

struct rv_perl_process {
    pid_t pid;
    uint64_t start; /* rv_os_process_start() */
    struct rv_perl_layout layout;
    uint64_t curinterp; /* address of PL_curinterp */
    struct {            /* addresses without threads; with threads, offsets from the interpreter */
        uint64_t curcop, curstackinfo, patchlevel;
    } variables;
};

/*
 * Find the perl in a process and its layout: by our table, its DWARF, or its headers.
 *   why      the error in one line
 *   returns  0, or a negative errno
 */
int rv_perl_stacks_open(struct rv_perl_process *perl, pid_t pid, char *why, size_t why_bytes);

struct rv_perl_thread {
    uint64_t interpreter;
    uint64_t number; /* threads->tid: 0 the first */
};

/* Write up to max interpreters, the main thread's first. Returns their number; 0: perl has not started or has ended. */
size_t rv_perl_stacks_threads(const struct rv_perl_process *perl, struct rv_perl_thread *threads, size_t max);

/* A value that changes while this interpreter runs. */
uint64_t rv_perl_stacks_progress(const struct rv_perl_process *perl, uint64_t interpreter);

struct rv_perl_sub { /* identity of a subroutine without its name */
    uint64_t cv, stash, start, gv, file;
    uint32_t flags;
};

struct rv_perl_statement {
    uint64_t cop, file; /* the file's name is at that address */
    uint32_t line;
};

/* A stack, with buffers for reading it. Zeroed = empty. */
struct rv_perl_stack {
    struct rv_perl_statement statement; /* the current one; cop 0 = none */
    struct rv_perl_sub *subs;           /* open calls, outermost first */
    size_t n, capacity;
    /* scratch */
    uint64_t *cvs, *again;
    size_t n_cvs, cvs_capacity, n_again, again_capacity;
    uint8_t *contexts;
    size_t contexts_capacity;
    uint8_t *bodies;
    size_t bodies_capacity;
    struct rv_process_memory_piece *pieces;
    size_t pieces_capacity;
};

/*
 * Read the call stack of the interpreter at this address.
 *   returns  1; 0 when it changed while it was read; a negative errno on failure
 */
int rv_perl_stack_read(struct rv_perl_stack *stack, const struct rv_perl_process *perl, uint64_t interpreter);
void rv_perl_stack_fini(struct rv_perl_stack *stack);

/* Names, each of RV_PERL_NAME_BYTES; UTF-8 if perl marks them so. */
struct rv_perl_names {
    char package[RV_PERL_NAME_BYTES], name[RV_PERL_NAME_BYTES], file[RV_PERL_NAME_BYTES];
    uint32_t line; /* of the first statement; 0 if unknown */
};
void rv_perl_stacks_name(const struct rv_perl_process *perl, const struct rv_perl_sub *sub,
                         struct rv_perl_names *names);

#endif
