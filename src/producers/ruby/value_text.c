#include "producers/ruby/value_text.h"

#include <stdbool.h>

#define MOST_ITEMS 100
#define MOST_BYTES 65536u /* limit of one text, and of the whole output */

static bool is_full(const struct rv_text *out)
{
    return out->n_bytes > MOST_BYTES;
}

static VALUE as_utf8(VALUE string)
{
    return rb_str_conv_enc(string, rb_enc_get(string), rb_utf8_encoding());
}

void rv_value_text_plain(struct rv_text *out, VALUE string)
{
    if (!RB_TYPE_P(string, T_STRING))
        return;
    string = as_utf8(string);
    rv_text_add(out, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    RB_GC_GUARD(string);
}

static void show_byte(struct rv_text *out, unsigned char c)
{
    switch (c) {
    case '\n':
        rv_text_addf(out, "\\n");
        break;
    case '\t':
        rv_text_addf(out, "\\t");
        break;
    case '"':
    case '\\':
        rv_text_addf(out, "\\%c", c);
        break;
    default:
        if (c < ' ' || c >= 127)
            rv_text_addf(out, "\\x%02X", c);
        else
            rv_text_add(out, (const char *)&c, 1);
    }
}

/* Bytes that are not UTF-8 are escaped; truncated texts end with "..." after the quote. */
static void show_text(struct rv_text *out, VALUE string)
{
    string = as_utf8(string);
    const char *text = RSTRING_PTR(string), *end = text + RSTRING_LEN(string);
    rv_text_add(out, "\"", 1);
    while (text < end && !is_full(out)) {
        int n = rb_enc_precise_mbclen(text, end, rb_utf8_encoding());
        if (MBCLEN_CHARFOUND_P(n) && MBCLEN_CHARFOUND_LEN(n) > 1) {
            rv_text_add(out, text, (size_t)MBCLEN_CHARFOUND_LEN(n));
            text += MBCLEN_CHARFOUND_LEN(n);
        } else {
            show_byte(out, (unsigned char)*text++);
        }
    }
    rv_text_addf(out, text < end ? "\"..." : "\"");
    RB_GC_GUARD(string);
}

/* ---- what has items ---- */

struct items {
    struct rv_text *out;
    unsigned levels, n;
};

/* Put a separator before the next item; false when no more fit. */
static bool begin_item(struct items *items)
{
    bool is_cut = items->n == MOST_ITEMS || is_full(items->out);
    if (items->n++ > 0)
        rv_text_addf(items->out, ", ");
    if (is_cut)
        rv_text_addf(items->out, "...");
    return !is_cut;
}

static void show_array(struct rv_text *out, VALUE array, unsigned levels)
{
    struct items items = {out, levels, 0};
    rv_text_addf(out, "[");
    for (long i = 0; i < RARRAY_LEN(array) && begin_item(&items); i++)
        rv_value_text(out, RARRAY_AREF(array, i), levels);
    rv_text_addf(out, "]");
}

static int show_pair(VALUE key, VALUE value, VALUE context)
{
    struct items *items = (struct items *)context; /* NOLINT */
    if (!begin_item(items))
        return ST_STOP;
    rv_value_text(items->out, key, items->levels);
    rv_text_addf(items->out, "=>");
    rv_value_text(items->out, value, items->levels);
    return ST_CONTINUE;
}

static void show_hash(struct rv_text *out, VALUE hash, unsigned levels)
{
    struct items items = {out, levels, 0};
    rv_text_addf(out, "{");
    rb_hash_foreach(hash, show_pair, (VALUE)&items);
    rv_text_addf(out, "}");
}

static int show_variable(ID name, VALUE value, st_data_t context)
{
    struct items *items = (struct items *)context; /* NOLINT */
    const char *text = rb_id2name(name);
    if (!text || text[0] != '@') /* internal */
        return ST_CONTINUE;
    rv_text_addf(items->out, items->n ? "" : " ");
    if (!begin_item(items))
        return ST_STOP;
    rv_text_addf(items->out, "%s=", text);
    rv_value_text(items->out, value, items->levels);
    return ST_CONTINUE;
}

static void begin_object(struct rv_text *out, const char *kind, VALUE object)
{
    rv_text_addf(out, "#<%s", kind);
    rv_value_text_plain(out, rb_class_path(rb_obj_class(object)));
}

static void show_object(struct rv_text *out, VALUE object, unsigned levels)
{
    struct items items = {out, levels - 1, 0};
    begin_object(out, "", object);
    if (levels > 0)
        rb_ivar_foreach(object, show_variable, (st_data_t)&items);
    rv_text_addf(out, ">");
}

static void show_struct(struct rv_text *out, VALUE object, unsigned levels)
{
    struct items items = {out, levels - 1, 0};
    VALUE members = levels > 0 ? rb_struct_members(object) : Qnil;
    begin_object(out, "struct ", object);
    for (long i = 0; !NIL_P(members) && i < RARRAY_LEN(members); i++) {
        rv_text_addf(out, i ? "" : " ");
        if (!begin_item(&items))
            break;
        rv_value_text_plain(out, rb_sym2str(RARRAY_AREF(members, i)));
        rv_text_addf(out, "=");
        rv_value_text(out, rb_struct_aref(object, LONG2NUM(i)), items.levels);
    }
    rv_text_addf(out, ">");
}

static void show_exception(struct rv_text *out, VALUE exception)
{
    VALUE message = rb_attr_get(exception, rb_intern("mesg"));
    begin_object(out, "", exception);
    rv_text_addf(out, RB_TYPE_P(message, T_STRING) ? ": " : "");
    rv_value_text_plain(out, message);
    rv_text_addf(out, ">");
}

/* ---- values ---- */

static VALUE inspect(VALUE value)
{
    return rb_inspect(value);
}

/* Of a class of Ruby's, by its own inspect. */
static void show_inspected(struct rv_text *out, VALUE value)
{
    int error = 0;
    VALUE text = rb_protect(inspect, value, &error);
    if (error)
        rb_set_errinfo(Qnil);
    else
        rv_value_text_plain(out, text);
}

static void show_range(struct rv_text *out, VALUE range, unsigned levels)
{
    VALUE begin, end;
    int is_open = 0;
    if (!rb_range_values(range, &begin, &end, &is_open))
        return;
    if (!NIL_P(begin))
        rv_value_text(out, begin, levels);
    rv_text_addf(out, is_open ? "..." : "..");
    if (!NIL_P(end))
        rv_value_text(out, end, levels);
}

static void show_other(struct rv_text *out, VALUE value, unsigned levels)
{
    if (rb_obj_is_kind_of(value, rb_cRange))
        show_range(out, value, levels);
    else if (rb_obj_is_kind_of(value, rb_eException))
        show_exception(out, value);
    else if (RB_TYPE_P(value, T_STRUCT))
        show_struct(out, value, levels);
    else if (RB_TYPE_P(value, T_DATA) && RBASIC_CLASS(value) == rb_cTime)
        show_inspected(out, value);
    else
        show_object(out, value, levels);
}

void rv_value_text(struct rv_text *out, VALUE value, unsigned levels)
{
    switch (rb_type(value)) {
    case T_STRING:
        show_text(out, value);
        break;
    case T_ARRAY:
        if (levels > 0)
            show_array(out, value, levels - 1);
        else
            rv_text_addf(out, RARRAY_LEN(value) ? "[...]" : "[]");
        break;
    case T_HASH:
        if (levels > 0)
            show_hash(out, value, levels - 1);
        else
            rv_text_addf(out, RHASH_EMPTY_P(value) ? "{}" : "{...}");
        break;
    case T_CLASS:
    case T_MODULE:
        rv_value_text_plain(out, rb_class_path(value));
        break;
    case T_NIL:
    case T_TRUE:
    case T_FALSE:
    case T_FIXNUM:
    case T_BIGNUM:
    case T_FLOAT:
    case T_RATIONAL:
    case T_COMPLEX:
    case T_SYMBOL:
    case T_REGEXP:
        show_inspected(out, value);
        break;
    default:
        show_other(out, value, levels);
    }
}
