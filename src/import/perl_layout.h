/*
 * Offsets inside perl's data structures that are needed to read a stack. They are no interface, and differ between
 * versions and builds. One build is known by a table, which a test compares with its headers; for others the offsets
 * come from DWARF or from compiling the perl's own headers.
 */
#ifndef RV_IMPORT_PERL_LAYOUT_H
#define RV_IMPORT_PERL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_perl_layout {         /* offsets and sizes in bytes */
    uint32_t revision, version; /* 5, 36 */
    uint32_t interpreter_bytes; /* PL_interp_size, which differs between builds of a version */
    struct {                    /* all 0: without threads they are variables of the program */
        uint32_t curcop, curstackinfo, patchlevel, modglobal;
    } interpreter;
    struct {
        uint32_t contexts, previous, last; /* si_cxstack, si_prev, si_cxix */
    } stackinfo;
    struct {
        uint32_t bytes, sub;                             /* of one context; its CV */
        uint32_t type_mask, type_sub, type_format, fake; /* of the first byte */
    } context;
    struct {
        uint32_t line, file;
        uint32_t is_glob; /* the file is a glob's name, after "_<" */
    } cop;
    struct {
        uint32_t type, type_mask, nextstate, dbstate;
    } op;
    struct {
        uint32_t any, flags, value; /* value: text, reference or array, by its type */
        uint32_t is_reference;
        uint32_t integer; /* XPVIV */
    } sv;
    struct { /* XPVCV */
        uint32_t stash, start, gv, file, flags;
        uint32_t is_named, is_xsub;
    } cv;
    struct { /* XPVGV */
        uint32_t name, stash;
    } gv;
    struct { /* XPVHV with what stashes have */
        uint32_t last_slot, name, n_names;
        uint32_t is_apart; /* name, n_names: offsets in the struct after the slots */
    } hv;
    struct { /* an entry of a hash */
        uint32_t next, key, value;
    } he;
    struct {
        uint32_t length, key;
        uint32_t is_utf8; /* flag in the byte after the key's NUL */
    } hek;
};

/* With threads, as Debian 12 builds it. */
extern const struct rv_perl_layout RV_PERL_LAYOUT_5_36;

/*
 * From the DWARF of a file: perl's or libperl's. Values of macros, which DWARF lacks, are the same from 5.30 to 5.40.
 * `revision` and `version` are not changed.
 *   returns  0, or -ENOENT without DWARF, or if it lacks a type
 */
int rv_perl_layout_from_dwarf(struct rv_perl_layout *layout, const char *path);

/*
 * From the headers in a folder, compiled by cc for their DWARF. is_debugging: for perls built with -DDEBUGGING.
 *   returns  0; -EPERM if the headers belong to another user who is not root; -ENOENT without headers or a compiler
 */
int rv_perl_layout_from_headers(struct rv_perl_layout *layout, const char *folder, bool is_debugging);

/* Known versions. */
#define RV_PERL_REVISION 5u
#define RV_PERL_OLDEST 30u
#define RV_PERL_NEWEST 40u

#endif
