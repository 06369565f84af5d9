#include "producers/perl/display.h"

#include <stdbool.h>

#define MOST_ITEMS 100
#define MOST_BYTES 65536u /* of one text, and of all that is shown at once */

static bool is_full(const SV *out)
{
    return SvCUR(out) > MOST_BYTES;
}

static void show_character(pTHX_ SV *out, char c)
{
    switch (c) {
    case '\n':
        sv_catpvs(out, "\\n");
        break;
    case '\t':
        sv_catpvs(out, "\\t");
        break;
    case '"':
    case '\\':
        sv_catpvf(out, "\\%c", c);
        break;
    default:
        if ((unsigned char)c < ' ' || c == 127)
            sv_catpvf(out, "\\x%02x", (unsigned)(unsigned char)c);
        else
            sv_catpvn(out, &c, 1);
    }
}

/* copy: ours, and plain. */
static void show_text(pTHX_ SV *out, SV *copy)
{
    STRLEN n_bytes;
    const char *text = SvPVutf8(copy, n_bytes);
    sv_catpvs(out, "\"");
    for (STRLEN i = 0; i < n_bytes && !is_full(out); i++)
        show_character(aTHX_ out, text[i]);
    sv_catpvs(out, "\"");
}

static void show_items(pTHX_ SV *out, AV *array, unsigned levels)
{
    sv_catpvs(out, "[");
    for (SSize_t i = 0; i <= AvFILLp(array) && !is_full(out); i++) {
        if (i > 0)
            sv_catpvs(out, ", ");
        if (i == MOST_ITEMS) {
            sv_catpvs(out, "...");
            break;
        }
        rv_display(aTHX_ out, AvARRAY(array)[i], levels);
    }
    sv_catpvs(out, "]");
}

static void show_entry(pTHX_ SV *out, const HE *entry, unsigned levels)
{
    SV *key = newSVpvn(HeKEY(entry), (STRLEN)HeKLEN(entry));
    if (HeKUTF8(entry))
        SvUTF8_on(key);
    show_text(aTHX_ out, key);
    SvREFCNT_dec_NN(key);
    sv_catpvs(out, " => ");
    rv_display(aTHX_ out, HeVAL(entry), levels);
}

/* Without the iterator, which is the program's. */
static void show_entries(pTHX_ SV *out, HV *hash, unsigned levels)
{
    HE **buckets = HvARRAY(hash);
    unsigned n = 0;
    sv_catpvs(out, "{");
    for (STRLEN i = 0; buckets && i <= HvMAX(hash); i++) {
        for (const HE *entry = buckets[i]; entry && !is_full(out) && n <= MOST_ITEMS; entry = HeNEXT(entry)) {
            if (HeVAL(entry) == &PL_sv_placeholder || HeKLEN(entry) == HEf_SVKEY)
                continue;
            if (n > 0)
                sv_catpvs(out, ", ");
            if (n++ == MOST_ITEMS)
                sv_catpvs(out, "...");
            else
                show_entry(aTHX_ out, entry, levels);
        }
    }
    sv_catpvs(out, "}");
}

static void show_referent(pTHX_ SV *out, SV *referent, unsigned levels)
{
    bool is_plain = levels > 0 && !SvRMAGICAL(referent) && !SvGMAGICAL(referent);
    if (SvOBJECT(referent)) {
        const char *name = HvNAME(SvSTASH(referent));
        sv_catpvf(out, "%s=", name ? name : "__ANON__");
    }
    if (is_plain && SvTYPE(referent) == SVt_PVAV)
        show_items(aTHX_ out, (AV *)referent, levels - 1);
    else if (is_plain && SvTYPE(referent) == SVt_PVHV)
        show_entries(aTHX_ out, (HV *)referent, levels - 1);
    else
        sv_catpvf(out, "%s(0x%" UVxf ")", sv_reftype(referent, 0), PTR2UV(referent));
}

void rv_display(pTHX_ SV *out, SV *value, unsigned levels)
{
    if (!value || (!SvIS_FREED(value) && !SvOK(value) && !SvGMAGICAL(value) && SvTYPE(value) < SVt_PVGV)) {
        sv_catpvs(out, "undef");
    } else if (SvIS_FREED(value)) {
        sv_catpvs(out, "(freed)");
    } else if (SvGMAGICAL(value)) {
        sv_catpvs(out, "(magical)");
    } else if (SvROK(value)) {
        show_referent(aTHX_ out, SvRV(value), levels);
    } else if (isGV_with_GP(value)) {
        SV *name = newSV(0);
        gv_efullname4(name, (GV *)value, "*", TRUE);
        sv_catsv(out, name);
        SvREFCNT_dec_NN(name);
    } else if (SvTYPE(value) < SVt_PVGV || SvTYPE(value) == SVt_PVLV) {
        SV *copy = newSVsv_nomg(value);
        if (SvPOK(copy))
            show_text(aTHX_ out, copy);
        else
            sv_catsv(out, copy);
        SvREFCNT_dec_NN(copy);
    } else {
        sv_catpvs(out, "(internal)");
    }
}
