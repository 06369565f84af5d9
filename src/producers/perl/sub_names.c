#include "producers/perl/sub_names.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringviz/producer.h"

#define N_FIRST 1024u
#define MOST_OPS_TO_LINE 8 /* the first statement is among a sub's first ops */

struct entry {
    const void *key;
    uint64_t check;
    uint32_t id;
};

struct cache { /* open addressing, at most half full; all zero: none yet */
    struct entry *entries;
    uint32_t n, mask;
};

static _Thread_local __attribute__((tls_model("initial-exec"))) struct cache cache;
static pthread_key_t end_key;
static bool is_telling_autoload;

static void end_thread(void *entries)
{
    cache = (struct cache){0};
    free(entries);
}

static const void *name_of(const CV *cv)
{
    return ((const XPVCV *)SvANY(cv))->xcv_gv_u.xcv_gv; /* or a HEK instead: CvGV() would create a GV */
}

/*
 * String evals use the same addresses again and again, under rising sequence numbers. Closures share all but a GV,
 * which Sub::Util::set_subname() replaces; one that was freed may be followed by another at its address.
 */
static uint64_t check_of(const CV *cv)
{
    uint64_t check = (uint64_t)(uintptr_t)name_of(cv) ^ (uint64_t)CvOUTSIDE_SEQ(cv) << 32;
    if ((CvCLONED(cv) || CvISXSUB(cv)) && !CvNAMED(cv) && name_of(cv) && isGV_with_GP((const SV *)name_of(cv))) {
        const GV *gv = name_of(cv);
        check ^= (uint64_t)HEK_HASH(GvNAME_HEK(gv)) << 8 ^ (uint64_t)(uintptr_t)GvSTASH(gv) << 16;
    }
    return check;
}

/* Make a new SV, in UTF-8. */
static SV *text_of(pTHX_ const HEK *hek)
{
    SV *text = newSVpvn(hek ? HEK_KEY(hek) : "", hek ? (STRLEN)HEK_LEN(hek) : 0);
    if (hek && HEK_UTF8(hek))
        SvUTF8_on(text);
    sv_utf8_upgrade(text);
    return text;
}

struct place {
    const char *file;
    uint32_t line;
};

/* Place of its first statement; for an XS sub its C file. */
static struct place place_of(pTHX_ const CV *cv)
{
    struct place place = {CvFILE(cv), 0};
    const OP *op = CvISXSUB(cv) ? NULL : CvSTART(cv);
    for (int i = 0; op && i < MOST_OPS_TO_LINE; i++, op = op->op_next) {
        if (op->op_type != OP_NEXTSTATE && op->op_type != OP_DBSTATE)
            continue;
        const COP *statement = (const COP *)op;
        return (struct place){CopFILE(statement) ? CopFILE(statement) : place.file, CopLINE(statement)};
    }
    return place;
}

static HV *stash_of(const CV *cv)
{
    const GV *gv = CvNAMED(cv) ? NULL : name_of(cv);
    return CvNAMED(cv) ? CvSTASH(cv) : gv && isGV_with_GP(gv) ? GvSTASH(gv) : NULL;
}

static const HEK *hek_of(const CV *cv)
{
    const GV *gv = CvNAMED(cv) ? NULL : name_of(cv);
    return CvNAMED(cv) ? name_of(cv) : gv && isGV_with_GP(gv) ? GvNAME_HEK(gv) : NULL;
}

static bool is_autoload(const CV *cv)
{
    const HEK *name = hek_of(cv);
    return name && HEK_LEN(name) == 8 && memcmp(HEK_KEY(name), "AUTOLOAD", 8) == 0;
}

/* Its package's $AUTOLOAD, or NULL. */
static SV *autoloaded(pTHX_ const CV *cv)
{
    HV *stash = stash_of(cv);
    SV **entry = stash ? hv_fetchs(stash, "AUTOLOAD", 0) : NULL;
    return entry && isGV_with_GP((const GV *)*entry) && GvSV((GV *)*entry) && SvPOK(GvSV((GV *)*entry))
               ? GvSV((GV *)*entry)
               : NULL;
}

struct rv_sub_keys rv_subs_keys(const CV *cv)
{
    const HV *stash = stash_of(cv);
    return (struct rv_sub_keys){.package = stash ? HvNAME_HEK(stash) : NULL, .name = hek_of(cv)};
}

/* Package and name: new SVs. */
static void name_parts(pTHX_ const CV *cv, const struct place *place, SV **package, SV **name)
{
    struct rv_sub_keys keys = rv_subs_keys(cv);
    *package = text_of(aTHX_ keys.package);
    *name = text_of(aTHX_ keys.name);
    if (!keys.name || strcmp(SvPVX(*name), "__ANON__") == 0)
        sv_setpvf(*name, "__ANON__[%s:%lu]", place->file ? place->file : "", (unsigned long)place->line);
}

static uint32_t intern(pTHX_ CV *cv)
{
    int saved = errno;
    SV *package, *name;
    struct place place = place_of(aTHX_ cv);
    name_parts(aTHX_ cv, &place, &package, &name);
    SV *stands_for = is_telling_autoload && is_autoload(cv) ? autoloaded(aTHX_ cv) : NULL;
    if (stands_for) {
        sv_catpvs(name, " for ");
        sv_catsv(name, stands_for);
    }
    uint32_t id = ringviz_intern(SvPVX(package), SvPVX(name), place.file, place.line);
    SvREFCNT_dec_NN(package);
    SvREFCNT_dec_NN(name);
    errno = saved;
    return id;
}

SV *rv_subs_name(pTHX_ const CV *cv)
{
    SV *package, *name;
    struct place place = place_of(aTHX_ cv);
    name_parts(aTHX_ cv, &place, &package, &name);
    sv_catpvs(package, "::");
    sv_catsv(package, name);
    SvREFCNT_dec_NN(name);
    return package;
}

static struct entry *find(const struct cache *in, const void *key)
{
    uint32_t i = (uint32_t)((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u >> 32) & in->mask;
    while (in->entries[i].key && in->entries[i].key != key)
        i = (i + 1) & in->mask;
    return &in->entries[i];
}

static bool grow(void)
{
    struct cache grown = {.n = cache.n, .mask = cache.entries ? 2 * cache.mask + 1 : N_FIRST - 1};
    grown.entries = calloc((size_t)grown.mask + 1, sizeof *grown.entries);
    if (!grown.entries)
        return false;
    for (uint32_t i = 0; cache.entries && i <= cache.mask; i++)
        if (cache.entries[i].key)
            *find(&grown, cache.entries[i].key) = cache.entries[i];
    free(cache.entries);
    cache = grown;
    pthread_setspecific(end_key, cache.entries);
    return true;
}

static __attribute__((noinline)) uint32_t learn(pTHX_ CV *cv, const void *key, uint64_t check)
{
    uint32_t id = intern(aTHX_ cv);
    if (2 * cache.n >= cache.mask && !grow())
        return id;
    struct entry *entry = find(&cache, key);
    cache.n += !entry->key;
    *entry = (struct entry){key, check, id};
    return id;
}

uint32_t rv_subs_id(pTHX_ CV *cv)
{
    if (__builtin_expect(is_telling_autoload, 0) && is_autoload(cv))
        return intern(aTHX_ cv);
    const void *key = CvISXSUB(cv) ? (const void *)cv : (const void *)CvROOT(cv);
    uint64_t check = check_of(cv);
    if (cache.entries) {
        const struct entry *entry = find(&cache, key);
        if (entry->key && entry->check == check)
            return entry->id;
    }
    return learn(aTHX_ cv, key, check);
}

void rv_subs_start(bool tells_autoload)
{
    is_telling_autoload = tells_autoload;
    pthread_key_create(&end_key, end_thread);
}
