/* The language of ltrace.conf(5), and the errors of lines that are not in it. */
#include <criterion/criterion.h>
#include <string.h>

#include "prototypes/capture.h"
#include "prototypes/prototypes.h"

static struct rv_prototypes *parse(const char *text, unsigned *line, const char **why)
{
    return rv_prototypes_parse(text, strlen(text), line, why);
}

static const char *const RIGHT[] = {
    "",
    "\n\n; a comment\n   \t\n# another\n",
    "int open(string,int,octal);\t\t; WARNING: 3rd argument may not be there",
    "int f (int , int) ;",
    "void f(void);",
    "int f();",
    "addr f(addr, file, char, short, ushort, int, uint, long, ulong, float, double);",
    "int f(string, string[arg2], string(char*), string(array(char, 6)*), string2, +string0, string[retval]);",
    "int f(oct(int), hex(uint), hide(int), bool(int), bitvec(ulong), octal);",
    "int f(enum(A, B=0x10, C=-1, D), enum[short](X=1));",
    "int f(struct(int, array(char, 3), struct(float)), struct(ulong, array(int, elt1))*);",
    "int f(int*, +int**, void*, array(int, arg2)*, array(int, 4), array(string, zero), array(int, zero(arg2)));",
    "typedef in_addr = struct(hex(uint));\nint inet_aton(string, +in_addr*);\nin_addr f(in_addr);",
    "typedef list = struct;\ntypedef list = struct(int, list*, list*);\nvoid f(list*);",
    "int printf(format);\nint f(int, format, ...);",
    "int _ZN3foo3barEi(int);",
};

Test(parse, what_is_right_is_taken, .timeout = 60)
{
    for (size_t i = 0; i < sizeof RIGHT / sizeof *RIGHT; i++) {
        unsigned line;
        const char *why;
        struct rv_prototypes *prototypes = parse(RIGHT[i], &line, &why);
        cr_assert_not_null(prototypes, "'%s': line %u: %s", RIGHT[i], line, why);
        rv_prototypes_destroy(prototypes);
    }
}

static const struct {
    const char *text;
    unsigned line;
    const char *why;
} WRONG[] = {
    {"int f(", 1, "a type is missing"},
    {"int f(int", 1, "a ) is missing"},
    {"int f(int)\n", 1, NULL},
    {"int f(int) x;", 1, "a ; is missing"},
    {"\n\nint (int);", 3, "the name of a function is missing"},
    {"integer f(int);", 1, "an unknown type"},
    {"int f(struct(void));", 1, "a field without a size"},
    {"int f(struct(struct()));", 1, "a field without a size"},
    {"int f(array(int));", 1, "array(TYPE, LENGTH)"},
    {"int f(array(void, 3));", 1, "an array of what has no size"},
    {"int f(array(int, many));", 1, "not a length: NUM, argN, retval, eltN or zero"},
    {"int f(array(int, 99999999));", 1, "an array that is too long"},
    {"int f(array(int, -1));", 1, "a length below 0"},
    {"int f(enum[float](A));", 1, "an enum of what is not an integer"},
    {"int f(enum(A=x));", 1, "not a number"},
    {"int f(string(int));", 1, "a string of what is neither char* nor an array of char"},
    {"typedef a = struct;\nint f(a);", 2, "a struct whose fields are not known"},
    {"typedef a = struct;\ntypedef a = struct(a);", 2, "a field without a size"},
    {"typedef = int;", 1, "a name is missing"},
    {"typedef a int;", 1, "typedef NAME = TYPE;"},
    {"int "
     "f(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex(hex("
     "hex(hex(hex(hex(hex(hex(int))))))))))))))))))))))))))))))))));",
     1, "nested too deep"},
};

Test(parse, an_error_has_its_line, .timeout = 60)
{
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        unsigned line;
        const char *why;
        struct rv_prototypes *prototypes = parse(WRONG[i].text, &line, &why);
        if (!WRONG[i].why) {
            cr_assert_not_null(prototypes, "'%s': %s", WRONG[i].text, why);
            rv_prototypes_destroy(prototypes);
            continue;
        }
        cr_assert_null(prototypes, "'%s'", WRONG[i].text);
        cr_assert_str_eq(why, WRONG[i].why, "'%s': %s", WRONG[i].text, why);
        cr_assert_eq(line, WRONG[i].line, "'%s': line %u", WRONG[i].text, line);
    }
}

Test(parse, the_last_prototype_of_a_name_counts, .timeout = 60)
{
    unsigned line;
    const char *why;
    struct rv_prototypes *prototypes = parse("int f(int);\nint g();\nint f(int, int);", &line, &why);
    cr_assert_eq(rv_prototypes_n(prototypes), 2);
    cr_assert_eq(rv_prototypes_at(prototypes, 0)->n_parameters, 2);
    rv_prototypes_destroy(prototypes);
}

Test(parse, a_section_gives_its_text_back, .timeout = 60)
{
    static const char TEXT[] = "int f(string, int);\nint g(double);";
    unsigned line;
    const char *why;
    size_t n_bytes;
    struct rv_capture_section read;
    struct rv_prototypes *prototypes = parse(TEXT, &line, &why);
    void *section = rv_capture_take_section(prototypes, TEXT, strlen(TEXT), 64, &n_bytes);
    cr_assert(rv_capture_read_section(section, n_bytes, &read));
    cr_assert_eq(read.n_captures, 2);
    cr_assert_eq(read.n_text_bytes, strlen(TEXT));
    cr_assert_eq(memcmp(read.text, TEXT, strlen(TEXT)), 0);
    for (size_t n = 0; n < sizeof(struct rv_wire_captures) + strlen(TEXT); n++)
        cr_assert_not(rv_capture_read_section(section, n, &read));
    free(section);
    rv_prototypes_destroy(prototypes);
}

Test(parse, types_that_nest_by_their_names_are_limited, .timeout = 60)
{
    char text[4096] = "typedef s = struct(int);\n";
    unsigned line;
    const char *why;
    for (unsigned i = 0; i < 40; i++)
        strcat(text, "typedef s = struct(s);\n");
    cr_assert_null(parse(text, &line, &why));
    cr_assert_str_eq(why, "nested too deep");
}

Test(parse, a_text_that_ends_with_a_format_is_read_to_its_end, .timeout = 60)
{
    static const char WHOLE[] = "int f(format";
    unsigned line;
    const char *why;
    char *text = malloc(sizeof WHOLE - 1); /* not terminated */
    memcpy(text, WHOLE, sizeof WHOLE - 1);
    cr_assert_null(rv_prototypes_parse(text, sizeof WHOLE - 1, &line, &why));
    free(text);
}

Test(parse, pointers_behind_a_value_that_is_not_captured_are_no_value, .timeout = 60)
{
    unsigned line;
    const char *why;
    struct rv_capture plan;
    struct rv_prototypes *prototypes =
        parse("int f(struct(long,long,long,long,long,long,long,long,long,long,long,long,long,long,long,long,"
              "array(char*,zero)));",
              &line, &why);
    cr_assert_not_null(prototypes, "%s", why);
    rv_capture_plan(rv_prototypes_at(prototypes, 0), 64, &plan);
    for (uint32_t i = 0; i < plan.n_calls; i++)
        cr_assert_lt(plan.calls[i].source, RV_CAPTURE_VALUES);
    rv_prototypes_destroy(prototypes);
}
