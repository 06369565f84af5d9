/*
 * Names of methods by their numbers, for the rrtrace gem, whose ring has numbers only: a text file with a line "NUMBER
 * NAME" for each; other lines are ignored. producers/ruby/lib/ringviz/rrtrace.rb writes it, and goes on as code is
 * loaded.
 */
#ifndef RV_IMPORT_RRTRACE_NAMES_H
#define RV_IMPORT_RRTRACE_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rv_rrtrace_names { /* zeroed: none */
    FILE *file;
    struct rv_method_name {
        uint64_t number;
        char *name;
    } * names; /* by number */
    size_t n, capacity;
};

/* Takes the file. -1: no memory; then it is closed. */
int rv_rrtrace_names_open(struct rv_rrtrace_names *names, int fd);

/* Reads on where it is not known yet. NULL: it has none. Valid until fini. */
const char *rv_rrtrace_names_find(struct rv_rrtrace_names *names, uint64_t number);

void rv_rrtrace_names_fini(struct rv_rrtrace_names *names);

#endif
