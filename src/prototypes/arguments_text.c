/*
 * Walks the types in the order of capture.c, and takes what each operation has copied from the bytes. Operations beyond
 * the most that there are have copied nothing, so both count.
 */
#include "prototypes/arguments_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "prototypes/layout.h"

#define MOST_ERRNO 4095
#define MOST_TEXT (1u << 16) /* of all arguments together */

struct part { /* bytes of a value; fewer than it has where they are not known */
    const uint8_t *bytes;
    size_t n;
};

struct chunk {
    struct part part;
    bool is_cut, is_unreadable;
};

struct formatter {
    const struct rv_prototype *prototype;
    struct rv_arguments_text *out;
    struct part left;                                  /* captured bytes that are still to be read */
    uint32_t n_operations;                             /* operations read so far */
    unsigned n_silent;                                 /* not 0: values are read, but not shown */
    struct part arguments[RV_CAPTURE_MOST_OPERATIONS]; /* values of the arguments */
    uint32_t n_arguments;
    struct part result;
    struct chunk format;
};

/* Where a value is. */
struct context {
    enum rv_lens lens;           /* of the value that it is a part of */
    const struct rv_type *whole; /* the struct that it is a field of, */
    struct part whole_part;
    unsigned n_pointers; /* pointers followed up to here */
    bool is_in_memory;
};

static void format_value(struct formatter *formatter, const struct rv_type *type, struct part part,
                         const struct context *context);

/* ---- text ---- */

__attribute__((format(printf, 2, 3))) static void add(struct formatter *formatter, const char *format, ...)
{
    char text[512];
    va_list arguments;
    struct rv_arguments_text *out = formatter->out;
    if (formatter->n_silent || out->n > MOST_TEXT)
        return;
    va_start(arguments, format);
    const int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t n_text = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    out->bytes = rv_vec_reserve(out->bytes, &out->capacity, out->n + n_text + 1, 1);
    memcpy(out->bytes + out->n, text, n_text + 1);
    out->n += n_text;
}

/* next: the character behind it, or 0. */
static void add_character(struct formatter *formatter, uint8_t c, uint8_t next)
{
    static const char ESCAPED[] = "\a\b\t\n\v\f\r\\", AS[] = "abtnvfr\\";
    const char *found = c ? strchr(ESCAPED, c) : NULL;
    if (!c)
        add(formatter, next >= '0' && next <= '9' ? "\\000" : "\\0");
    else if (found)
        add(formatter, "\\%c", AS[found - ESCAPED]);
    else if (c >= ' ' && c < 0x7f)
        add(formatter, "%c", c);
    else
        add(formatter, "\\%03o", c);
}

static void add_text(struct formatter *formatter, struct part part, bool is_cut)
{
    add(formatter, "\"");
    for (size_t i = 0; i < part.n; i++)
        add_character(formatter, part.bytes[i], i + 1 < part.n ? part.bytes[i + 1] : 0);
    add(formatter, is_cut ? "\"..." : "\"");
}

/* ---- what was captured ---- */

static struct part take(struct formatter *formatter, size_t n)
{
    struct part part = {formatter->left.bytes, n < formatter->left.n ? n : formatter->left.n};
    formatter->left.bytes += part.n;
    formatter->left.n -= part.n;
    return part;
}

static bool has_operation(struct formatter *formatter)
{
    return formatter->n_operations < RV_CAPTURE_MOST_OPERATIONS && ++formatter->n_operations;
}

static struct part take_values(struct formatter *formatter, size_t n)
{
    struct part values = {formatter->left.bytes, 0};
    for (size_t i = 0; i < n && has_operation(formatter); i++)
        values.n += take(formatter, 8).n;
    return values;
}

static struct chunk take_chunk(struct formatter *formatter)
{
    uint16_t n = RV_CAPTURE_UNREADABLE;
    struct part head = has_operation(formatter) ? take(formatter, sizeof n) : (struct part){0};
    if (head.n == sizeof n)
        memcpy(&n, head.bytes, sizeof n);
    if (n == RV_CAPTURE_UNREADABLE)
        return (struct chunk){.is_unreadable = true};
    return (struct chunk){.part = take(formatter, n & ~RV_CAPTURE_CUT), .is_cut = n & RV_CAPTURE_CUT};
}

static struct part slice(struct part part, size_t at, size_t n)
{
    if (at >= part.n)
        return (struct part){0};
    return (struct part){part.bytes + at, n < part.n - at ? n : part.n - at};
}

/* Little-endian. False: it is not known. */
static bool read_bits(struct part part, size_t n_bytes, uint64_t *bits)
{
    *bits = 0;
    if (part.n < n_bytes || n_bytes > sizeof *bits)
        return false;
    if (n_bytes)
        memcpy(bits, part.bytes, n_bytes);
    return true;
}

static bool is_signed(const struct rv_type *type)
{
    return type->kind == RV_TYPE_SHORT || type->kind == RV_TYPE_INT || type->kind == RV_TYPE_LONG;
}

static int64_t extended(const struct rv_type *type, uint64_t bits)
{
    const unsigned n_unused = 64 - 8 * type->n_bytes;
    return is_signed(type) && type->n_bytes ? (int64_t)(bits << n_unused) >> n_unused : (int64_t)bits;
}

static int64_t number_of(const struct rv_type *type, struct part part)
{
    uint64_t bits;
    return type->n_bytes <= 8 && read_bits(part, type->n_bytes, &bits) ? extended(type, bits) : 0;
}

/* ---- lengths ---- */

static int64_t argument_number(const struct formatter *formatter, int64_t number)
{
    const struct rv_prototype *prototype = formatter->prototype;
    if (number == 0)
        return number_of(prototype->result, formatter->result);
    return number <= (int64_t)formatter->n_arguments
               ? number_of(prototype->parameters[number - 1].type, formatter->arguments[number - 1])
               : 0;
}

static int64_t element_number(const struct context *context, int64_t number)
{
    const struct rv_type *whole = context->whole;
    if (!whole || number < 1 || number > (int64_t)whole->n_fields)
        return 0;
    const uint32_t at = rv_layout_field_at(whole, (uint32_t)number - 1);
    const struct rv_type *field = whole->fields[number - 1];
    return number_of(field, slice(context->whole_part, at, field->n_bytes));
}

/* INT64_MAX: up to a zero. */
static int64_t length_of(const struct formatter *formatter, const struct rv_length *length,
                         const struct context *context)
{
    switch (length->kind) {
    case RV_LENGTH_NUMBER:
        return length->number;
    case RV_LENGTH_ARGUMENT:
        return argument_number(formatter, length->number);
    case RV_LENGTH_ELEMENT:
        return element_number(context, length->number);
    case RV_LENGTH_ZERO:
        return length->most ? length_of(formatter, length->most, context) : INT64_MAX;
    }
    return 0;
}

/* ---- numbers ---- */

static void format_bits(struct formatter *formatter, struct part part)
{
    const size_t n = part.n * 8;
    size_t n_set = 0;
    const char *separator = "";
    for (size_t i = 0; i < part.n; i++)
        n_set += (size_t)__builtin_popcount(part.bytes[i]);
    const bool is_inverse = n_set > n - n_set;
#define BIT(i) ((bool)(part.bytes[(i) / 8] >> (i) % 8 & 1) != is_inverse)
    add(formatter, is_inverse ? "~<" : "<");
    for (size_t first = 0; first < n; first++) {
        size_t last = first;
        if (!BIT(first))
            continue;
        while (last + 1 < n && BIT(last + 1))
            last++;
        add(formatter, "%s%zu", separator, first);
        if (last > first)
            add(formatter, "-%zu", last);
        separator = ",";
        first = last;
    }
#undef BIT
    add(formatter, ">");
}

static bool add_enum(struct formatter *formatter, const struct rv_type *type, int64_t number)
{
    for (uint32_t i = 0; i < type->n_values; i++)
        if (type->values[i].value == number) {
            add(formatter, "%s", type->values[i].name);
            return true;
        }
    return false;
}

/* Names of all values that are in it, in their order, and what is left as a number. */
static void add_flags(struct formatter *formatter, const struct rv_type *type, uint64_t bits)
{
    const char *separator = "";
    uint64_t left = bits;
    for (uint32_t i = 0; i < type->n_values; i++) {
        const uint64_t value = (uint64_t)type->values[i].value;
        if (!value || (left & value) != value)
            continue;
        add(formatter, "%s%s", separator, type->values[i].name);
        separator = "|";
        left &= ~value;
    }
    if (left)
        add(formatter, "%s%#" PRIx64, separator, left);
    else if (!bits && !add_enum(formatter, type, 0))
        add(formatter, "0");
}

static void add_error(struct formatter *formatter, int64_t number)
{
    const char *name = strerrorname_np((int)-number);
    if (name)
        add(formatter, "-1 %s", name);
    else
        add(formatter, "-1 %" PRId64, -number);
}

static void format_number(struct formatter *formatter, const struct rv_type *type, struct part part, enum rv_lens lens)
{
    uint64_t bits;
    if (!read_bits(part, type->n_bytes, &bits)) {
        add(formatter, "?");
        return;
    }
    const int64_t number = extended(type, bits);
    if (lens == RV_LENS_ENUM && add_enum(formatter, type, number))
        return;
    if (lens == RV_LENS_FLAGS)
        add_flags(formatter, type, bits);
    else if (lens == RV_LENS_ERRNO && number < 0 && number >= -MOST_ERRNO)
        add_error(formatter, number);
    else if (lens == RV_LENS_HEX || (lens == RV_LENS_ERRNO && !is_signed(type)))
        add(formatter, "%#" PRIx64, bits);
    else if (lens == RV_LENS_OCT)
        add(formatter, "0%" PRIo64, bits);
    else if (lens == RV_LENS_BOOL)
        add(formatter, bits ? "true" : "false");
    else if (lens == RV_LENS_BITVEC)
        format_bits(formatter, slice(part, 0, type->n_bytes));
    else if (type->kind == RV_TYPE_CHAR) {
        add(formatter, "'");
        add_character(formatter, (uint8_t)bits, 0);
        add(formatter, "'");
    } else if (is_signed(type))
        add(formatter, "%" PRId64, number);
    else
        add(formatter, "%" PRIu64, bits);
}

static void format_float(struct formatter *formatter, const struct rv_type *type, struct part part, enum rv_lens lens)
{
    float single;
    double number;
    if (part.n < type->n_bytes) {
        add(formatter, "?");
        return;
    }
    if (type->kind == RV_TYPE_FLOAT) {
        memcpy(&single, part.bytes, sizeof single);
        number = (double)single;
    } else {
        memcpy(&number, part.bytes, sizeof number);
    }
    if (lens == RV_LENS_HEX)
        add(formatter, "%a", number);
    else
        add(formatter, "%f", number);
}

/* ---- what has parts ---- */

static size_t up_to_zero(struct part part, size_t element_bytes)
{
    size_t n = 0;
    for (; (n + 1) * element_bytes <= part.n; n++) {
        uint8_t any = 0;
        for (size_t i = 0; i < element_bytes; i++)
            any |= part.bytes[n * element_bytes + i];
        if (!any)
            break;
    }
    return n;
}

/* As long as its type says. is_cut: more of it was there than could be copied. */
static void format_text(struct formatter *formatter, const struct rv_type *array, struct part part, bool is_cut,
                        const struct context *context)
{
    const bool ends_at_zero = array->length.kind == RV_LENGTH_ZERO;
    const size_t n = ends_at_zero ? up_to_zero(part, 1) : part.n;
    int64_t length = length_of(formatter, &array->length, context);
    length = length < 0 ? 0 : length;
    is_cut = (is_cut || !ends_at_zero) && length > (int64_t)n;
    add_text(formatter, slice(part, 0, length < (int64_t)n ? (size_t)length : n), is_cut);
}

static void format_array(struct formatter *formatter, const struct rv_type *array, struct part part,
                         const struct context *context)
{
    const struct rv_type *element = array->inner;
    const int64_t length = length_of(formatter, &array->length, context);
    const size_t n_zero = array->length.kind == RV_LENGTH_ZERO ? up_to_zero(part, element->n_bytes) : SIZE_MAX;
    const uint64_t n = length < 0 ? 0 : (uint64_t)length < n_zero ? (uint64_t)length : n_zero;
    const bool has_pointers = rv_layout_has_pointers(element, context->n_pointers);
    add(formatter, "[ ");
    for (uint32_t i = 0; i < rv_layout_elements(array); i++) {
        const bool is_silent = i >= n;
        if (is_silent && !has_pointers)
            break;
        add(formatter, i && !is_silent ? ", " : "");
        formatter->n_silent += is_silent;
        format_value(formatter, element, slice(part, (size_t)i * element->n_bytes, element->n_bytes), context);
        formatter->n_silent -= is_silent;
    }
    add(formatter, n > RV_LAYOUT_ELEMENTS ? "... ]" : " ]");
}

static void format_struct(struct formatter *formatter, const struct rv_type *type, struct part part,
                          const struct context *context)
{
    struct context inner = *context;
    const char *separator = "";
    inner.whole = type;
    inner.whole_part = part;
    add(formatter, "{ ");
    for (uint32_t i = 0; i < type->n_fields && formatter->out->n <= MOST_TEXT; i++) {
        const struct rv_type *field = type->fields[i];
        const uint32_t at = rv_layout_field_at(type, i);
        if (field->lens == RV_LENS_HIDE)
            continue;
        add(formatter, "%s", separator);
        format_value(formatter, field, slice(part, at, field->n_bytes ? field->n_bytes : SIZE_MAX), &inner);
        separator = ", ";
    }
    add(formatter, " }");
}

static void format_pointee(struct formatter *formatter, const struct rv_type *pointer, struct part part,
                           const struct context *context)
{
    struct context inner = *context;
    inner.n_pointers++;
    inner.is_in_memory = true;
    if (pointer->lens == RV_LENS_BITVEC) {
        format_bits(formatter, part);
        formatter->n_silent++;
        format_value(formatter, pointer->inner, part, &inner);
        formatter->n_silent--;
    } else {
        format_value(formatter, pointer->inner, part, &inner);
    }
}

static void add_address(struct formatter *formatter, uint64_t address)
{
    if (address)
        add(formatter, "<%#" PRIx64 ">", address);
    else
        add(formatter, "nil");
}

/* An address that is not followed. */
static void format_address(struct formatter *formatter, const struct rv_type *pointer, uint64_t address)
{
    if (pointer->inner->kind == RV_TYPE_VOID || pointer->inner->is_declared_only)
        add(formatter, "%#" PRIx64, address);
    else if (!address)
        add(formatter, "nil");
    else
        add(formatter, "...");
}

static void format_pointer(struct formatter *formatter, const struct rv_type *pointer, struct part part,
                           const struct context *context)
{
    uint64_t address;
    bool is_known = read_bits(part, sizeof address, &address);
    if (!rv_layout_is_followed(pointer, context->n_pointers)) {
        format_address(formatter, pointer, address);
        return;
    }
    if (context->is_in_memory)
        (void)has_operation(formatter);
    const bool is_text = rv_layout_is_text(pointer);
    const struct chunk chunk = take_chunk(formatter);
    const bool is_silent = !is_known || !address || chunk.is_unreadable;
    if (is_silent)
        add_address(formatter, address);
    formatter->n_silent += is_silent;
    if (is_text)
        format_text(formatter, pointer->inner, chunk.part, chunk.is_cut, context);
    else
        format_pointee(formatter, pointer, chunk.part, context);
    formatter->n_silent -= is_silent;
}

static bool is_inherited(enum rv_lens lens)
{
    return lens == RV_LENS_OCT || lens == RV_LENS_HEX || lens == RV_LENS_BOOL;
}

static void format_value(struct formatter *formatter, const struct rv_type *type, struct part part,
                         const struct context *context)
{
    struct context inner = *context;
    if (formatter->n_silent && (!formatter->left.n || formatter->n_operations == RV_CAPTURE_MOST_OPERATIONS))
        return;
    if (type->lens != RV_LENS_NONE)
        inner.lens = is_inherited(type->lens) ? type->lens : RV_LENS_NONE;
    const enum rv_lens lens = type->lens != RV_LENS_NONE ? type->lens : context->lens;
    switch (type->kind) {
    case RV_TYPE_VOID:
        break;
    case RV_TYPE_CHAR:
    case RV_TYPE_SHORT:
    case RV_TYPE_USHORT:
    case RV_TYPE_INT:
    case RV_TYPE_UINT:
    case RV_TYPE_LONG:
    case RV_TYPE_ULONG:
        format_number(formatter, type, part, lens);
        break;
    case RV_TYPE_FLOAT:
    case RV_TYPE_DOUBLE:
        format_float(formatter, type, part, lens);
        break;
    case RV_TYPE_STRUCT:
        if (lens == RV_LENS_BITVEC)
            format_bits(formatter, slice(part, 0, type->n_bytes));
        formatter->n_silent += lens == RV_LENS_BITVEC;
        format_struct(formatter, type, part, &inner);
        formatter->n_silent -= lens == RV_LENS_BITVEC;
        break;
    case RV_TYPE_ARRAY:
        if (lens == RV_LENS_STRING && type->inner->kind == RV_TYPE_CHAR)
            format_text(formatter, type, part, false, context);
        else if (lens == RV_LENS_BITVEC)
            format_bits(formatter, slice(part, 0, type->n_bytes));
        else
            format_array(formatter, type, part, &inner);
        break;
    case RV_TYPE_POINTER:
        format_pointer(formatter, type, part, &inner);
        break;
    }
}

/* ---- formats ---- */

struct further { /* arguments behind a format */
    struct part integers, floats, stack;
    struct chunk strings[RV_CAPTURE_INTEGERS + RV_LAYOUT_STACK_STRINGS]; /* that integers and the first words lead to */
    uint32_t n_taken, n_strings;
};

static void take_further(struct formatter *formatter, const struct rv_layout *layout, struct further *further)
{
    further->integers = take_values(formatter, RV_CAPTURE_INTEGERS - layout->n_integers);
    further->floats = take_values(formatter, RV_CAPTURE_FLOATS - layout->n_floats);
    further->stack = take_values(formatter, RV_CAPTURE_STACK_WORDS - layout->n_stack);
    for (unsigned i = layout->n_integers; i < RV_CAPTURE_INTEGERS; i++)
        further->strings[further->n_strings++] = take_chunk(formatter);
    for (unsigned i = layout->n_stack; i < RV_CAPTURE_STACK_WORDS && i < layout->n_stack + RV_LAYOUT_STACK_STRINGS; i++)
        further->strings[further->n_strings++] = take_chunk(formatter);
}

static struct part next_word(struct part *from)
{
    struct part word = slice(*from, 0, 8);
    *from = slice(*from, word.n, SIZE_MAX);
    return word;
}

static struct part next_integer(struct further *further)
{
    further->n_taken++;
    return next_word(further->integers.n ? &further->integers : &further->stack);
}

static struct part next_float(struct further *further)
{
    if (further->floats.n)
        return next_word(&further->floats);
    further->n_taken += !further->integers.n; /* a word that an integer could have been in */
    return next_word(&further->stack);
}

static void format_further_string(struct formatter *formatter, struct further *further)
{
    const struct chunk *chunk = further->n_taken < further->n_strings ? &further->strings[further->n_taken] : NULL;
    uint64_t address;
    (void)read_bits(next_integer(further), sizeof address, &address);
    if (chunk && !chunk->is_unreadable)
        add_text(formatter, chunk->part, chunk->is_cut);
    else
        add_address(formatter, address);
}

static void format_further_number(struct formatter *formatter, struct further *further, char conversion, bool is_long)
{
    struct rv_type type = {.kind = is_long ? RV_TYPE_LONG : RV_TYPE_INT, .n_bytes = is_long ? 8 : 4};
    if (strchr("uxXop", conversion))
        type.kind = is_long ? RV_TYPE_ULONG : RV_TYPE_UINT;
    if (conversion == 'c')
        type = (struct rv_type){.kind = RV_TYPE_CHAR, .n_bytes = 1};
    const enum rv_lens lens = strchr("xXp", conversion) ? RV_LENS_HEX : conversion == 'o' ? RV_LENS_OCT : RV_LENS_NONE;
    format_number(formatter, &type, next_integer(further), lens);
}

/* What follows a %. Returns its length. */
static size_t format_conversion(struct formatter *formatter, struct part text, struct further *further)
{
    static const struct rv_type DOUBLE = {.kind = RV_TYPE_DOUBLE, .n_bytes = 8};
    bool is_long = false;
    size_t i = 0;
    for (; i < text.n && strchr("0123456789.-+ #'hlLqjzt*", text.bytes[i]) && text.bytes[i]; i++) {
        is_long |= strchr("lqjzt", text.bytes[i]) != NULL;
        if (text.bytes[i] == '*') {
            add(formatter, RV_ARGUMENTS_SEPARATOR);
            format_further_number(formatter, further, 'd', false);
        }
    }
    const char conversion = i < text.n ? (char)text.bytes[i] : '%';
    if (!conversion || !strchr("diuxXopcsfFeEgGaAn", conversion))
        return i;
    add(formatter, RV_ARGUMENTS_SEPARATOR);
    if (conversion == 's')
        format_further_string(formatter, further);
    else if (strchr("fFeEgGaA", conversion))
        format_float(formatter, &DOUBLE, next_float(further), RV_LENS_NONE);
    else
        format_further_number(formatter, further, conversion == 'n' ? 'p' : conversion,
                              is_long || conversion == 'p' || conversion == 'n');
    return i;
}

static void format_further(struct formatter *formatter, const struct rv_layout *layout)
{
    struct further further = {.n_strings = 0};
    const struct part text = formatter->format.part;
    take_further(formatter, layout, &further);
    for (size_t i = 0; i < text.n && formatter->out->n <= MOST_TEXT; i++)
        if (text.bytes[i] == '%')
            i += 1 + format_conversion(formatter, slice(text, i + 1, SIZE_MAX), &further);
}

/* ---- calls and returns ---- */

static struct rv_layout take_arguments(struct formatter *formatter)
{
    const struct rv_prototype *prototype = formatter->prototype;
    struct rv_layout layout;
    rv_layout_begin(&layout, prototype);
    for (uint32_t i = 0; i < prototype->n_parameters; i++) {
        const struct rv_layout_place place = rv_layout_next(&layout, prototype->parameters[i].type);
        const struct part values = take_values(formatter, place.n);
        if (i < RV_CAPTURE_MOST_OPERATIONS)
            formatter->arguments[formatter->n_arguments++] = values;
    }
    return layout;
}

static struct part argument(const struct formatter *formatter, uint32_t idx)
{
    return idx < formatter->n_arguments ? formatter->arguments[idx] : (struct part){0};
}

/* The text of a format is needed again. */
static void format_parameter(struct formatter *formatter, uint32_t idx)
{
    const struct rv_parameter *parameter = &formatter->prototype->parameters[idx];
    const struct context context = {.lens = RV_LENS_NONE};
    struct formatter ahead = *formatter;
    if (parameter->is_format)
        formatter->format = take_chunk(&ahead);
    format_value(formatter, parameter->type, argument(formatter, idx), &context);
}

/* Shown as the function returns: until then its address. */
static void add_out_address(struct formatter *formatter, uint32_t idx)
{
    uint64_t address;
    if (read_bits(argument(formatter, idx), sizeof address, &address) && address)
        add(formatter, "%#" PRIx64, address);
    else
        add(formatter, "nil");
}

static void begin_text(struct formatter *formatter)
{
    formatter->out->n = 0;
    add(formatter, "%s", "");
}

void rv_arguments_text_of_call(const struct rv_prototype *prototype, const uint8_t *bytes, size_t n_bytes,
                               struct rv_arguments_text *out)
{
    struct formatter formatter = {.prototype = prototype, .out = out, .left = {bytes, n_bytes}};
    const char *separator = "";
    begin_text(&formatter);
    const struct rv_layout layout = take_arguments(&formatter);
    for (uint32_t i = 0; i < prototype->n_parameters; i++) {
        const struct rv_parameter *parameter = &prototype->parameters[i];
        if (parameter->type->lens == RV_LENS_HIDE)
            continue;
        add(&formatter, "%s", separator);
        separator = RV_ARGUMENTS_SEPARATOR;
        if (parameter->is_out)
            add_out_address(&formatter, i);
        else
            format_parameter(&formatter, i);
    }
    if (rv_layout_has_format(prototype))
        format_further(&formatter, &layout);
}

static void format_result(struct formatter *formatter)
{
    const struct rv_type *type = formatter->prototype->result;
    const bool is_in_memory = rv_layout_is_in_memory(type);
    const struct context context = {.is_in_memory = is_in_memory};
    const struct rv_layout_place place = rv_layout_result(type);
    formatter->result = is_in_memory ? take_chunk(formatter).part : take_values(formatter, place.n);
    format_value(formatter, type, formatter->result, &context);
}

void rv_arguments_text_of_return(const struct rv_prototype *prototype, const uint8_t *bytes, size_t n_bytes,
                                 struct rv_arguments_text *out)
{
    struct formatter formatter = {.prototype = prototype, .out = out, .left = {bytes, n_bytes}};
    uint32_t n_shown = 0;
    begin_text(&formatter);
    const bool needs_call = rv_layout_needs_call(prototype);
    if (needs_call)
        (void)take_arguments(&formatter);
    format_result(&formatter);
    for (uint32_t i = 0; needs_call && i < prototype->n_parameters; i++) {
        n_shown += prototype->parameters[i].type->lens != RV_LENS_HIDE;
        if (!prototype->parameters[i].is_out || prototype->parameters[i].type->lens == RV_LENS_HIDE)
            continue;
        add(&formatter, RV_ARGUMENTS_SEPARATOR "%" PRIu32 "=", n_shown);
        format_parameter(&formatter, i);
    }
}
