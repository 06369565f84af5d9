/*
 * Where perl keeps what a stack is read from, by the version of perl: none of it is an interface. A version is known
 * when its offsets are in the table; the unit test holds them against the headers of the perl that is installed.
 */
#ifndef RV_SOURCE_PERL_LAYOUT_H
#define RV_SOURCE_PERL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct rv_perl_layout {         /* offsets and sizes in bytes */
    const char *version;        /* how PL_patchlevel begins */
    uint16_t interpreter_bytes; /* PL_interp_size, which tells builds of one version apart */
    struct {
        uint16_t curcop, curstackinfo, patchlevel;
    } interpreter;
    struct {
        uint16_t contexts, previous, last; /* si_cxstack, si_prev, si_cxix */
    } stackinfo;
    struct {
        uint16_t bytes, sub;                            /* of one; its CV */
        uint8_t type_mask, type_sub, type_format, fake; /* of the first byte */
    } context;
    struct {
        uint16_t line, file;
    } cop;
    struct {
        uint16_t type, type_mask, nextstate, dbstate;
    } op;
    struct {
        uint16_t any, flags, value; /* value: text, reference or array, by its type */
        uint32_t is_reference;
    } sv;
    struct { /* XPVCV */
        uint16_t stash, start, gv, file, flags;
        uint32_t is_named, is_xsub;
    } cv;
    struct { /* XPVGV */
        uint16_t name, stash;
    } gv;
    struct { /* XPVHV with what stashes have */
        uint16_t last_slot, name, n_names;
    } hv;
    struct { /* an entry of a hash */
        uint16_t next, key, value;
    } he;
    struct {
        uint16_t length, key;
        uint8_t is_utf8; /* of the byte behind the key's NUL */
    } hek;
};

extern const struct rv_perl_layout RV_PERL_LAYOUTS[];
extern const size_t RV_PERL_N_LAYOUTS;

#endif
