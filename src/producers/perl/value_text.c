#include "producers/perl/value_text.h"

#include <stdbool.h>

#define MOST_ITEMS 100
#define MOST_BYTES 65536u /* limit of one text, and of the whole output */

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

/* copy: our own plain copy. Truncated texts end with "..." after the quote, not inside a character. */
static void show_text(pTHX_ SV *out, SV *copy)
{
    STRLEN n_bytes, i = 0;
    const char *text = SvPVutf8(copy, n_bytes);
    sv_catpvs(out, "\"");
    while (i < n_bytes && (!is_full(out) || UTF8_IS_CONTINUATION(text[i])))
        show_character(aTHX_ out, text[i++]);
    sv_catpvs(out, "\"");
    if (i < n_bytes)
        sv_catpvs(out, "...");
}

static void show_items(pTHX_ SV *out, AV *array, unsigned levels)
{
    sv_catpvs(out, "[");
    for (SSize_t i = 0; i <= AvFILLp(array); i++) {
        bool is_cut = i == MOST_ITEMS || is_full(out);
        if (i > 0)
            sv_catpvs(out, ", ");
        if (is_cut) {
            sv_catpvs(out, "...");
            break;
        }
        rv_value_text(aTHX_ out, AvARRAY(array)[i], levels);
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
    rv_value_text(aTHX_ out, HeVAL(entry), levels);
}

/* Without the hash's iterator, which belongs to the program. */
static void show_entries(pTHX_ SV *out, HV *hash, unsigned levels)
{
    HE **buckets = HvARRAY(hash);
    unsigned n = 0;
    bool is_cut = false;
    sv_catpvs(out, "{");
    for (STRLEN i = 0; buckets && i <= HvMAX(hash); i++) {
        for (const HE *entry = buckets[i]; entry && !is_cut; entry = HeNEXT(entry)) {
            if (HeVAL(entry) == &PL_sv_placeholder || HeKLEN(entry) == HEf_SVKEY)
                continue;
            is_cut = n == MOST_ITEMS || is_full(out);
            if (n++ > 0)
                sv_catpvs(out, ", ");
            if (is_cut)
                sv_catpvs(out, "...");
            else
                show_entry(aTHX_ out, entry, levels);
        }
    }
    sv_catpvs(out, "}");
}

/* In Perl's syntax: qr/PATTERN/FLAGS. */
static void show_pattern(pTHX_ SV *out, REGEXP *pattern)
{
    static const char flags[] = STD_PAT_MODS;
    SV *text = newSVpvn_flags(RX_PRECOMP(pattern), (STRLEN)RX_PRELEN(pattern), RX_UTF8(pattern) ? SVf_UTF8 : 0);
    STRLEN n_bytes;
    const char *bytes = SvPVutf8(text, n_bytes);
    sv_catpvs(out, "qr/");
    sv_catpvn(out, bytes, n_bytes);
    sv_catpvs(out, "/");
    SvREFCNT_dec_NN(text);
    for (unsigned set = (RX_EXTFLAGS(pattern) & RXf_PMf_STD_PMMOD) >> RXf_PMf_STD_PMMOD_SHIFT, i = 0; set;
         set >>= 1, i++)
        if (set & 1)
            sv_catpvn(out, &flags[i], 1);
}

static void show_referent(pTHX_ SV *out, SV *referent, unsigned levels)
{
    bool is_plain = levels > 0 && !SvRMAGICAL(referent) && !SvGMAGICAL(referent);
    bool is_pattern = SvTYPE(referent) == SVt_REGEXP;
    const HEK *class = SvOBJECT(referent) ? HvNAME_HEK(SvSTASH(referent)) : NULL;
    if (class && !(is_pattern && strcmp(HEK_KEY(class), "Regexp") == 0))
        sv_catpvf(out, "%" HEKf "=", HEKfARG(class));
    else if (SvOBJECT(referent) && !class)
        sv_catpvs(out, "__ANON__=");
    if (is_pattern)
        show_pattern(aTHX_ out, (REGEXP *)referent);
    else if (is_plain && SvTYPE(referent) == SVt_PVAV)
        show_items(aTHX_ out, (AV *)referent, levels - 1);
    else if (is_plain && SvTYPE(referent) == SVt_PVHV)
        show_entries(aTHX_ out, (HV *)referent, levels - 1);
    else
        sv_catpvf(out, "%s(0x%" UVxf ")", sv_reftype(referent, 0), PTR2UV(referent));
}

void rv_value_text(pTHX_ SV *out, SV *value, unsigned levels)
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
