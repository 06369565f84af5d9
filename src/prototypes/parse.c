/* A recursive descent over the text. All that it makes lies in an arena, which ends with the prototypes. */
#include "prototypes/prototypes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_NESTING 32u
#define MAX_NAME 4096u
#define MAX_BYTES (1u << 20) /* of a type, and of a text */
#define MAX_FIELDS 1024u
#define MAX_NAMES 16384u /* of types, and of functions */

struct alias {
    const char *name;
    struct rv_type *type;
};

struct rv_prototypes {
    struct rv_prototype *all;
    size_t n, capacity;
    struct alias *aliases;
    size_t n_aliases, aliases_capacity;
    void **arena;
    size_t n_arena, arena_capacity;
};

struct parser {
    struct rv_prototypes *prototypes;
    const char *at, *end;
    unsigned line, nesting;
    const char *why; /* NULL: all is right so far */
};

static const struct rv_type *parse_type(struct parser *parser);

/* ---- arena ---- */

static void *keep(struct parser *parser, void *memory)
{
    struct rv_prototypes *prototypes = parser->prototypes;
    prototypes->arena = rv_vec_reserve(prototypes->arena, &prototypes->arena_capacity, prototypes->n_arena + 1,
                                       sizeof *prototypes->arena);
    prototypes->arena[prototypes->n_arena++] = memory;
    return memory;
}

static struct rv_type *new_type(struct parser *parser, const struct rv_type *from)
{
    struct rv_type *type = keep(parser, rv_realloc(NULL, sizeof *type));
    *type = *from;
    return type;
}

/* ---- words ---- */

static void *fail(struct parser *parser, const char *why)
{
    if (!parser->why)
        parser->why = why;
    return NULL;
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r'))
        parser->at++;
}

static bool is_next(struct parser *parser, char c)
{
    skip_space(parser);
    return parser->at < parser->end && *parser->at == c;
}

static bool accept(struct parser *parser, char c)
{
    bool is_there = is_next(parser, c);
    parser->at += is_there;
    return is_there;
}

static bool expect(struct parser *parser, char c, const char *why)
{
    if (accept(parser, c))
        return true;
    fail(parser, why);
    return false;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* "" where there is none. */
static const char *take_name(struct parser *parser)
{
    skip_space(parser);
    const char *begin = parser->at;
    while (parser->at < parser->end && is_of_name(*parser->at))
        parser->at++;
    return keep(parser, rv_strndup(begin, (size_t)(parser->at - begin)));
}

/* ---- expressions ---- */

static bool take_number(struct parser *parser, int64_t *number)
{
    char digits[32];
    size_t n = 0;
    skip_space(parser);
    while (parser->at + n < parser->end && n < sizeof digits - 1 &&
           (isalnum((unsigned char)parser->at[n]) || (n == 0 && parser->at[n] == '-'))) {
        digits[n] = parser->at[n];
        n++;
    }
    digits[n] = '\0';
    char *stop;
    *number = (int64_t)strtoull(digits, &stop, 0);
    if (stop == digits || *stop)
        return fail(parser, "not a number");
    parser->at += n;
    return true;
}

/* "arg3": 3; -1: not such a word. */
static int64_t number_behind(const char *word, const char *front)
{
    size_t n = strlen(front);
    if (strncmp(word, front, n) != 0 || !isdigit((unsigned char)word[n]) ||
        strspn(word + n, "0123456789") != strlen(word + n) || strlen(word + n) > 4)
        return -1;
    return strtol(word + n, NULL, 10);
}

static struct rv_length parse_length(struct parser *parser);

static struct rv_length parse_zero(struct parser *parser)
{
    struct rv_length length = {.kind = RV_LENGTH_ZERO};
    if (!accept(parser, '('))
        return length;
    if (++parser->nesting > MAX_NESTING) {
        fail(parser, "nested too deep");
        return length;
    }
    struct rv_length *most = keep(parser, rv_realloc(NULL, sizeof *most));
    *most = parse_length(parser);
    length.most = most;
    parser->nesting--;
    expect(parser, ')', "a ) is missing");
    return length;
}

static struct rv_length parse_length(struct parser *parser)
{
    struct rv_length length = {.kind = RV_LENGTH_NUMBER};
    skip_space(parser);
    if (parser->at < parser->end && !isalpha((unsigned char)*parser->at)) {
        if (take_number(parser, &length.number) && length.number < 0)
            fail(parser, "a length below 0");
        return length;
    }
    const char *word = take_name(parser);
    if (strcmp(word, "zero") == 0)
        return parse_zero(parser);
    if (strcmp(word, "retval") == 0)
        return (struct rv_length){.kind = RV_LENGTH_ARGUMENT};
    if ((length.number = number_behind(word, "arg")) >= 0) {
        length.kind = RV_LENGTH_ARGUMENT;
    } else if ((length.number = number_behind(word, "elt")) >= 0) {
        length.kind = RV_LENGTH_ELEMENT;
    } else {
        length.number = 0;
        fail(parser, "not a length: NUM, argN, retval, eltN or zero");
    }
    return length;
}

/* ---- types ---- */

static const struct {
    const char *name;
    struct rv_type type;
} SIMPLE[] = {
    {"void", {.kind = RV_TYPE_VOID}},
    {"char", {.kind = RV_TYPE_CHAR, .n_bytes = 1, .alignment = 1}},
    {"short", {.kind = RV_TYPE_SHORT, .n_bytes = 2, .alignment = 2}},
    {"ushort", {.kind = RV_TYPE_USHORT, .n_bytes = 2, .alignment = 2}},
    {"int", {.kind = RV_TYPE_INT, .n_bytes = 4, .alignment = 4}},
    {"uint", {.kind = RV_TYPE_UINT, .n_bytes = 4, .alignment = 4}},
    {"long", {.kind = RV_TYPE_LONG, .n_bytes = 8, .alignment = 8}},
    {"ulong", {.kind = RV_TYPE_ULONG, .n_bytes = 8, .alignment = 8}},
    {"float", {.kind = RV_TYPE_FLOAT, .n_bytes = 4, .alignment = 4}},
    {"double", {.kind = RV_TYPE_DOUBLE, .n_bytes = 8, .alignment = 8}},
    {"addr", {.kind = RV_TYPE_ULONG, .lens = RV_LENS_HEX, .n_bytes = 8, .alignment = 8}},
    {"file", {.kind = RV_TYPE_ULONG, .lens = RV_LENS_HEX, .n_bytes = 8, .alignment = 8}},
};
#define N_SIMPLE (sizeof SIMPLE / sizeof *SIMPLE)

static const struct {
    const char *name;
    enum rv_lens lens;
} LENSES[] = {{"oct", RV_LENS_OCT},   {"octal", RV_LENS_OCT},     {"hex", RV_LENS_HEX},    {"hide", RV_LENS_HIDE},
              {"bool", RV_LENS_BOOL}, {"bitvec", RV_LENS_BITVEC}, {"errno", RV_LENS_ERRNO}};
#define N_LENSES (sizeof LENSES / sizeof *LENSES)

static const struct rv_type CHARACTER = {.kind = RV_TYPE_CHAR, .n_bytes = 1, .alignment = 1};
static const struct rv_type INTEGER = {.kind = RV_TYPE_INT, .n_bytes = 4, .alignment = 4};

static struct rv_type *new_pointer(struct parser *parser, const struct rv_type *target)
{
    return new_type(parser, &(struct rv_type){.kind = RV_TYPE_POINTER, .n_bytes = 8, .alignment = 8, .inner = target});
}

static struct rv_type *new_array(struct parser *parser, const struct rv_type *element, struct rv_length length)
{
    struct rv_type array = {.kind = RV_TYPE_ARRAY,
                            .alignment = element->alignment,
                            .inner = element,
                            .length = length,
                            .depth = element->depth + 1};
    if (array.depth > MAX_NESTING)
        return fail(parser, "nested too deep");
    if (element->kind == RV_TYPE_VOID || element->is_declared_only || !element->n_bytes)
        return fail(parser, "an array of what has no size");
    if (length.kind == RV_LENGTH_NUMBER) {
        if ((uint64_t)length.number > MAX_BYTES / element->n_bytes)
            return fail(parser, "an array that is too long");
        array.n_bytes = element->n_bytes * (uint32_t)length.number;
    }
    return new_type(parser, &array);
}

/* A pointer to characters up to a NUL, of which there are at most as many as length says; NULL: any number. */
static struct rv_type *new_string(struct parser *parser, const struct rv_length *length)
{
    struct rv_length *most = length ? keep(parser, rv_realloc(NULL, sizeof *most)) : NULL;
    if (most)
        *most = *length;
    struct rv_type *array = new_array(parser, &CHARACTER, (struct rv_length){.kind = RV_LENGTH_ZERO, .most = most});
    struct rv_type *string = array ? new_pointer(parser, array) : NULL;
    if (string)
        string->lens = RV_LENS_STRING;
    return string;
}

static struct rv_type *parse_array(struct parser *parser)
{
    if (!expect(parser, '(', "a ( is missing"))
        return NULL;
    const struct rv_type *element = parse_type(parser);
    if (!element || !expect(parser, ',', "array(TYPE, LENGTH)"))
        return NULL;
    struct rv_length length = parse_length(parser);
    return expect(parser, ')', "a ) is missing") ? new_array(parser, element, length) : NULL;
}

static uint32_t aligned(uint32_t n_bytes, uint32_t alignment)
{
    return alignment ? (n_bytes + alignment - 1) / alignment * alignment : n_bytes;
}

static bool add_field(struct parser *parser, struct rv_type *type, size_t *capacity, const struct rv_type *field)
{
    if (field->kind != RV_TYPE_ARRAY && !field->n_bytes)
        return fail(parser, "a field without a size");
    const uint32_t at = aligned(type->n_bytes, field->alignment);
    if (at + field->n_bytes > MAX_BYTES || type->n_fields == MAX_FIELDS)
        return fail(parser, "a struct that is too large");
    if (field->depth >= MAX_NESTING)
        return fail(parser, "nested too deep");
    type->fields = rv_vec_reserve(type->fields, capacity, type->n_fields + 1u, sizeof *type->fields);
    type->fields[type->n_fields++] = field;
    type->n_bytes = at + field->n_bytes;
    type->depth = type->depth > field->depth ? type->depth : field->depth + 1;
    type->alignment = type->alignment > field->alignment ? type->alignment : field->alignment;
    return true;
}

static void parse_fields(struct parser *parser, struct rv_type *type)
{
    size_t capacity = 0;
    const struct rv_type *field;
    if (accept(parser, ')'))
        return;
    do
        field = parse_type(parser);
    while (field && add_field(parser, type, &capacity, field) && accept(parser, ','));
    if (type->fields)
        keep(parser, type->fields);
    expect(parser, ')', "a ) is missing");
    type->n_bytes = aligned(type->n_bytes, type->alignment);
}

static struct rv_type *parse_struct(struct parser *parser)
{
    struct rv_type type = {.kind = RV_TYPE_STRUCT, .alignment = 1};
    if (accept(parser, '('))
        parse_fields(parser, &type);
    else
        type.is_declared_only = true;
    return parser->why ? NULL : new_type(parser, &type);
}

static void parse_values(struct parser *parser, struct rv_type *type)
{
    size_t capacity = 0;
    int64_t next = 0;
    struct rv_enum_value *values = NULL;
    do {
        const char *name = take_name(parser);
        if (!*name)
            fail(parser, "a name is missing");
        else if (accept(parser, '='))
            take_number(parser, &next);
        values = rv_vec_reserve(values, &capacity, type->n_values + 1u, sizeof *values);
        values[type->n_values++] = (struct rv_enum_value){name, next};
        next = (int64_t)((uint64_t)next + 1);
    } while (!parser->why && accept(parser, ','));
    type->values = keep(parser, values);
}

static bool is_integer(const struct rv_type *type)
{
    return type->kind >= RV_TYPE_CHAR && type->kind <= RV_TYPE_ULONG;
}

static struct rv_type *parse_enum(struct parser *parser, enum rv_lens lens)
{
    const struct rv_type *under = &INTEGER;
    if (accept(parser, '[')) {
        under = parse_type(parser);
        if (!under || !expect(parser, ']', "a ] is missing"))
            return NULL;
        if (!is_integer(under))
            return fail(parser, "an enum of what is not an integer");
    }
    struct rv_type *type = new_type(parser, under);
    type->lens = lens;
    if (expect(parser, '(', "a ( is missing"))
        parse_values(parser, type);
    return expect(parser, ')', "a ) is missing") ? type : NULL;
}

static bool is_text(const struct rv_type *type)
{
    return type->kind == RV_TYPE_ARRAY && type->inner->kind == RV_TYPE_CHAR;
}

/* What is behind the word: (TYPE), [LENGTH] or nothing. */
static struct rv_type *parse_string(struct parser *parser)
{
    if (accept(parser, '[')) {
        struct rv_length length = parse_length(parser);
        return expect(parser, ']', "a ] is missing") ? new_string(parser, &length) : NULL;
    }
    if (!accept(parser, '('))
        return new_string(parser, NULL);
    const struct rv_type *of = parse_type(parser);
    if (!of || !expect(parser, ')', "a ) is missing"))
        return NULL;
    if (of->kind == RV_TYPE_POINTER && of->inner->kind == RV_TYPE_CHAR)
        return new_string(parser, NULL);
    if (!is_text(of) && !(of->kind == RV_TYPE_POINTER && is_text(of->inner)))
        return fail(parser, "a string of what is neither char* nor an array of char");
    struct rv_type *type = new_type(parser, of);
    type->lens = RV_LENS_STRING;
    return type;
}

static struct rv_type *parse_lens(struct parser *parser, enum rv_lens lens)
{
    const struct rv_type *of = &INTEGER;
    if (accept(parser, '(')) {
        of = parse_type(parser);
        if (!of || !expect(parser, ')', "a ) is missing"))
            return NULL;
    }
    struct rv_type *type = new_type(parser, of);
    type->lens = lens;
    return type;
}

static const struct alias *find_alias(const struct rv_prototypes *prototypes, const char *name)
{
    for (size_t i = prototypes->n_aliases; i-- > 0;)
        if (strcmp(prototypes->aliases[i].name, name) == 0)
            return &prototypes->aliases[i];
    return NULL;
}

static const struct rv_type *named_type(struct parser *parser, const char *name)
{
    const struct alias *alias = find_alias(parser->prototypes, name);
    if (alias)
        return alias->type;
    for (size_t i = 0; i < N_SIMPLE; i++)
        if (strcmp(name, SIMPLE[i].name) == 0)
            return &SIMPLE[i].type;
    for (size_t i = 0; i < N_LENSES; i++)
        if (strcmp(name, LENSES[i].name) == 0)
            return parse_lens(parser, LENSES[i].lens);
    if (strcmp(name, "array") == 0)
        return parse_array(parser);
    if (strcmp(name, "struct") == 0)
        return parse_struct(parser);
    if (strcmp(name, "enum") == 0)
        return parse_enum(parser, RV_LENS_ENUM);
    if (strcmp(name, "flags") == 0)
        return parse_enum(parser, RV_LENS_FLAGS);
    if (strcmp(name, "string") == 0 || strcmp(name, "format") == 0)
        return parse_string(parser);
    const int64_t argument = number_behind(name, "string"); /* of older files */
    if (argument >= 0)
        return new_string(parser, &(struct rv_length){.kind = RV_LENGTH_ARGUMENT, .number = argument});
    return fail(parser, *name ? "an unknown type" : "a type is missing");
}

static const struct rv_type *parse_type(struct parser *parser)
{
    if (++parser->nesting > MAX_NESTING)
        return fail(parser, "nested too deep");
    const struct rv_type *type = named_type(parser, take_name(parser));
    while (type && accept(parser, '*'))
        type = new_pointer(parser, type);
    parser->nesting--;
    return parser->why ? NULL : type;
}

/* ---- lines ---- */

static void add_alias(struct parser *parser, const char *name, const struct rv_type *type)
{
    struct rv_prototypes *prototypes = parser->prototypes;
    const struct alias *declared = find_alias(prototypes, name);
    if (declared && declared->type->is_declared_only && type->kind == RV_TYPE_STRUCT) {
        *declared->type = *type; /* pointers lead to it */
        return;
    }
    if (prototypes->n_aliases == MAX_NAMES) {
        fail(parser, "too many types");
        return;
    }
    prototypes->aliases = rv_vec_reserve(prototypes->aliases, &prototypes->aliases_capacity, prototypes->n_aliases + 1,
                                         sizeof *prototypes->aliases);
    prototypes->aliases[prototypes->n_aliases++] = (struct alias){name, new_type(parser, type)};
}

static void parse_typedef(struct parser *parser)
{
    const char *name = take_name(parser);
    if (!*name)
        fail(parser, "a name is missing");
    else if (expect(parser, '=', "typedef NAME = TYPE;")) {
        const struct rv_type *type = parse_type(parser);
        if (type)
            add_alias(parser, name, type);
    }
}

static bool accept_dots(struct parser *parser)
{
    skip_space(parser);
    bool is_there = parser->end - parser->at >= 3 && memcmp(parser->at, "...", 3) == 0;
    parser->at += is_there ? 3 : 0;
    return is_there;
}

/* An array is given by its address. */
static const struct rv_type *decayed(struct parser *parser, const struct rv_type *array)
{
    struct rv_type *pointer = new_pointer(parser, array);
    pointer->lens = array->lens;
    return pointer;
}

static struct rv_parameter parse_parameter(struct parser *parser)
{
    struct rv_parameter parameter = {.is_out = accept(parser, '+')};
    skip_space(parser);
    static const char FORMAT[] = "format";
    const char *begin = parser->at;
    parameter.type = parse_type(parser);
    const size_t n_bytes = (size_t)(parser->at - begin);
    parameter.is_format = n_bytes >= sizeof FORMAT - 1 && memcmp(begin, FORMAT, sizeof FORMAT - 1) == 0 &&
                          (n_bytes == sizeof FORMAT - 1 || !is_of_name(begin[sizeof FORMAT - 1]));
    if (parameter.type && parameter.type->is_declared_only)
        fail(parser, "a struct whose fields are not known");
    if (parameter.type && parameter.type->kind == RV_TYPE_ARRAY)
        parameter.type = decayed(parser, parameter.type);
    return parameter;
}

static void parse_parameters(struct parser *parser, struct rv_prototype *prototype)
{
    struct rv_parameter *parameters = NULL;
    size_t capacity = 0;
    if (accept(parser, ')'))
        return;
    do {
        if (accept_dots(parser))
            break;
        parameters = rv_vec_reserve(parameters, &capacity, prototype->n_parameters + 1u, sizeof *parameters);
        parameters[prototype->n_parameters] = parse_parameter(parser);
        if (parser->why)
            break;
        if (parameters[prototype->n_parameters].type->kind != RV_TYPE_VOID)
            prototype->n_parameters++;
    } while (accept(parser, ','));
    if (parameters)
        prototype->parameters = keep(parser, parameters);
    expect(parser, ')', "a ) is missing");
}

static void add_prototype(struct parser *parser, const struct rv_prototype *prototype)
{
    struct rv_prototypes *prototypes = parser->prototypes;
    for (size_t i = 0; i < prototypes->n; i++)
        if (strcmp(prototypes->all[i].name, prototype->name) == 0) {
            prototypes->all[i] = *prototype;
            return;
        }
    if (prototypes->n == MAX_NAMES) {
        fail(parser, "too many functions");
        return;
    }
    prototypes->all =
        rv_vec_reserve(prototypes->all, &prototypes->capacity, prototypes->n + 1, sizeof *prototypes->all);
    prototypes->all[prototypes->n++] = *prototype;
}

static void parse_prototype(struct parser *parser)
{
    struct rv_prototype prototype = {.result = parse_type(parser)};
    if (parser->why)
        return;
    prototype.name = take_name(parser);
    if (!*prototype.name)
        fail(parser, "the name of a function is missing");
    else if (strlen(prototype.name) > MAX_NAME)
        fail(parser, "a name that is too long");
    else if (expect(parser, '(', "a ( is missing"))
        parse_parameters(parser, &prototype);
    if (prototype.result->is_declared_only)
        fail(parser, "a struct whose fields are not known");
    if (!parser->why)
        add_prototype(parser, &prototype);
}

static bool accept_word(struct parser *parser, const char *word)
{
    const size_t n = strlen(word);
    skip_space(parser);
    bool is_there =
        (size_t)(parser->end - parser->at) > n && memcmp(parser->at, word, n) == 0 && !is_of_name(parser->at[n]);
    parser->at += is_there ? n : 0;
    return is_there;
}

/* Behind the ; that ends an item is a comment, as is a line that begins with one. */
static void parse_line(struct parser *parser)
{
    if (is_next(parser, ';') || is_next(parser, '#') || parser->at == parser->end)
        return;
    if (accept_word(parser, "typedef"))
        parse_typedef(parser);
    else
        parse_prototype(parser);
    skip_space(parser);
    if (parser->at < parser->end && *parser->at != ';')
        fail(parser, "a ; is missing");
}

struct rv_prototypes *rv_prototypes_parse(const char *text, size_t n_bytes, unsigned *line, const char **why)
{
    struct parser parser = {.prototypes = rv_alloc(1, sizeof *parser.prototypes)};
    const char *end = text + n_bytes, *at = text;
    if (n_bytes > MAX_BYTES)
        fail(&parser, "a file that is too large");
    for (; at < end && !parser.why; at = parser.end + 1) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        parser.at = at;
        parser.end = newline ? newline : end;
        parser.nesting = 0;
        parser.line++;
        parse_line(&parser);
    }
    *line = parser.line;
    *why = parser.why;
    if (!parser.why)
        return parser.prototypes;
    rv_prototypes_destroy(parser.prototypes);
    return NULL;
}

void rv_prototypes_destroy(struct rv_prototypes *prototypes)
{
    if (!prototypes)
        return;
    for (size_t i = 0; i < prototypes->n_arena; i++)
        free(prototypes->arena[i]);
    free(prototypes->arena);
    free(prototypes->aliases);
    free(prototypes->all);
    free(prototypes);
}

size_t rv_prototypes_n(const struct rv_prototypes *prototypes)
{
    return prototypes->n;
}

const struct rv_prototype *rv_prototypes_at(const struct rv_prototypes *prototypes, size_t idx)
{
    return &prototypes->all[idx];
}
