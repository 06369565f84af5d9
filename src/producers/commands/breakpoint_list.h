/*
 * Breakpoints of the calling thread: subroutines by name, statements by file and line, exceptions, each optionally with
 * a condition; and watched expressions whose value changes. A forked child inherits them. The language says what a name
 * is, and when a breakpoint is met.
 */
#ifndef RV_PRODUCERS_COMMANDS_BREAKPOINT_LIST_H
#define RV_PRODUCERS_COMMANDS_BREAKPOINT_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/commands/text.h"

enum rv_breakpoint_kind { RV_BREAKPOINT_SUB, RV_BREAKPOINT_LINE, RV_BREAKPOINT_WATCH, RV_BREAKPOINT_RAISE };

struct rv_breakpoint {
    unsigned number;
    enum rv_breakpoint_kind kind;
    char *text;            /* WHERE, with an optional " if EXPR"; or the watched expression */
    const char *condition; /* in `text`: EXPR; NULL: none */
    const char *prefix;    /* what a parser wants to be put before the text; NULL: nothing */
    size_t sub_at;         /* SUB: where its name begins in `text`, after its package; RAISE: the exception's class */
    size_t package_bytes, sub_bytes;
    size_t file_bytes; /* LINE: length of FILE in `text` */
    unsigned long line;
    bool is_entered;   /* the language's, of a SUB */
    unsigned depth;    /* WATCH: depth of its frame; 0 is the main program */
    const void *owner; /* WATCH: the language's, of that frame */
    bool is_variable;  /* WATCH: the language's, to read it runs no code */
    uintptr_t last;    /* WATCH: the language's, the last value of a variable */
    char *value;       /* WATCH: the last value as text */
};

#define RV_BREAKPOINTS 64u /* at most, of a thread */

struct rv_breakpoint_list {
    struct rv_breakpoint *points; /* RV_BREAKPOINTS, allocated with the first */
    unsigned n, last_number;
};

extern _Thread_local struct rv_breakpoint_list rv_breakpoint_list __attribute__((tls_model("initial-exec")));

/* A language's name of n bytes: sets kind, sub_at, package_bytes, sub_bytes and prefix. False if it is none. */
typedef bool rv_breakpoint_list_name_fn(struct rv_breakpoint *point, const char *text, size_t n);

/* Parse "NAME" or "FILE:LINE", optionally with " if EXPR". False if it is neither; else free it or keep it. */
bool rv_breakpoint_list_parse(struct rv_breakpoint *point, const char *text, rv_breakpoint_list_name_fn *parse_name);

/* Is this the breakpoint's file: the same path, or one that ends with it? */
bool rv_breakpoint_list_is_file(const struct rv_breakpoint *point, const char *file);

/* Is there room for another one? Else appends why not. */
bool rv_breakpoint_list_has_room(struct rv_text *out);

/* Give it a number, which is appended with its text, and add it. */
void rv_breakpoint_list_keep(struct rv_breakpoint *point, struct rv_text *out);

/* Append its number and text. */
void rv_breakpoint_list_show(const struct rv_breakpoint *point, struct rv_text *out);

/* Free what a breakpoint that is in no list holds. */
void rv_breakpoint_list_free(struct rv_breakpoint *point);

/* Remove by number; "" for all. False, with the error appended, if there is no such number. */
bool rv_breakpoint_list_remove(const char *number, struct rv_text *out);

/* Remove all. */
void rv_breakpoint_list_forget(void);

/* Append a line for each. */
void rv_breakpoint_list_list(struct rv_text *out);

/* Evaluate its condition, if it has one, in the innermost frame. One that dies holds, and `why` gets the error. */
bool rv_breakpoint_list_holds(const struct rv_breakpoint *point, struct rv_text *why);

/* Watch an expression in a frame: add it with its value, which is appended, or only append the error. Give kind, depth
 * and owner. */
bool rv_breakpoint_list_watch(struct rv_breakpoint *point, const char *text, unsigned frame, struct rv_text *out);

/* Has its value in that frame changed since the last evaluation? `why` gets "2 watch $n: 5 => 6". */
bool rv_breakpoint_list_has_changed(struct rv_breakpoint *point, unsigned frame, struct rv_text *why);

/* Before a breakpoint is removed, or after it was added: `is_removed`. Once; NULL: nothing is to be done. */
void rv_breakpoint_list_start(void (*on_change)(struct rv_breakpoint *point, bool is_removed));

#endif
