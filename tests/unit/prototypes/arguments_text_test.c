/* Captured arguments as text, as ltrace shows them. The test runs the operations as a producer does. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "prototypes/capture.h"
#include "prototypes/arguments_text.h"

#define STRING_BYTES 16u

struct captured {
    uint8_t bytes[4096];
    size_t n;
};

static void append(struct captured *captured, const void *bytes, size_t n)
{
    memcpy(captured->bytes + captured->n, bytes, n);
    captured->n += n;
}

/* Addresses below a page cannot be read. */
static void append_chunk(struct captured *captured, uint64_t address, size_t n, bool is_string)
{
    const char *from = (const char *)(uintptr_t)address;
    uint16_t number = RV_CAPTURE_UNREADABLE;
    const bool is_readable = address >= 4096;
    if (is_readable && is_string)
        number = (uint16_t)(strlen(from) > n ? n | RV_CAPTURE_CUT : strlen(from));
    else if (is_readable)
        number = (uint16_t)n;
    append(captured, &number, sizeof number);
    if (is_readable)
        append(captured, from, number & ~RV_CAPTURE_CUT);
}

static void capture(const struct rv_wire_capture_operation *operations, uint32_t n, uint64_t *values,
                    struct captured *captured)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct rv_wire_capture_operation *operation = &operations[i];
        const uint64_t value = values[operation->source];
        switch ((enum rv_capture_kind)operation->kind) {
        case RV_CAPTURE_VALUE:
            append(captured, &value, sizeof value);
            break;
        case RV_CAPTURE_STRING:
        case RV_CAPTURE_BYTES:
            append_chunk(captured, value, operation->n, operation->kind == RV_CAPTURE_STRING);
            break;
        case RV_CAPTURE_LOAD:
            values[operation->target] = 0;
            if (value >= 4096)
                memcpy(&values[operation->target], (const char *)(uintptr_t)value + operation->n, 8);
            break;
        case RV_CAPTURE_KIND_COUNT:
            cr_assert(false);
        }
    }
}

struct list {
    int n;
    struct list *next;
};

static const struct list LISTS[] = {{1, (struct list *)(uintptr_t)(LISTS + 1)},
                                    {2, (struct list *)(uintptr_t)(LISTS + 2)},
                                    {3, (struct list *)(uintptr_t)(LISTS + 3)},
                                    {4, (struct list *)(uintptr_t)(LISTS + 4)},
                                    {5, NULL}};
static const char *const STRINGS[8] = {"one", "two", NULL};
static const char PADDED[24] = "ab\0c"; /* of which as much as of a string is copied */
static const int NUMBERS[16] = {1, 2, 3, 4, 5, 6};
#define AT(object) (uint64_t)(uintptr_t)(object)

static const struct {
    const char *prototype;
    uint64_t integers[RV_CAPTURE_INTEGERS], result;
    const char *arguments, *returned; /* with | for the separator */
} CASES[] = {
    {"int f(int,uint,long,short,char);",
     {UINT32_MAX, UINT32_MAX, UINT64_MAX, 0xffff, 'x'},
     0xffffffff,
     "-1|4294967295|-1|-1|'x'",
     "-1"},
    {"void f();", {0}, 7, "", ""},
    {"string f(string,string);", {AT("a\"b\n\\\x01\xff"), 0}, AT("x"), "\"a\"b\\n\\\\\\001\\377\"|nil", "\"x\""},
    {"int f(string,string,string);",
     {AT("0123456789abcdef"), AT("0123456789abcdefg"), 8},
     0,
     "\"0123456789abcdef\"|\"0123456789abcdef\"...|<0x8>",
     "0"},
    {"int f(string[arg2],int,string(array(char,3)*));", {AT("abcdef"), 2, AT(PADDED)}, 0, "\"ab\"|2|\"ab\\0\"", "0"},
    {"bool(int) f(oct(int),hex(int),bool(int),bitvec(uint),hide(int),bitvec(ushort));",
     {8, 255, 1, 0x102, 5, 0xfff0},
     2,
     "010|0xff|true|<1,8>|~<0-3>",
     "true"},
    {"enum(A,B=5) f(enum(X,Y=3,Z),enum(X,Y=3,Z),enum(X));", {4, 3, 9}, 5, "Z|Y|9", "B"},
    {"errno(long) f(flags(O=0,A=1,B=2),flags(AB=3,A=1),flags(O=0,A=1));",
     {0, 3, 9},
     (uint64_t)-2,
     "O|AB|A|0x8",
     "-1 ENOENT"},
    {"errno(ulong) f(errno(long),errno(long),errno(ulong));",
     {5, (uint64_t)-4096, 16},
     (uint64_t)-12,
     "5|-4096|0x10",
     "-1 ENOMEM"},
    {"int f(addr,void*,int*,char*);", {0, 0, 0, AT("q")}, 0, "0|0|nil|'q'", "0"},
    {"int f(array(int,arg2)*,int);", {AT(NUMBERS), 3}, 0, "[ 1, 2, 3 ]|3", "0"},
    {"int f(array(int,arg2),int);", {AT(NUMBERS), 6}, 0, "[ 1, 2, 3, 4... ]|6", "0"},
    {"int f(array(string,zero)*);", {AT(STRINGS)}, 0, "[ \"one\", \"two\" ]", "0"},
    {"typedef l = struct;\ntypedef l = struct(int, l*);\nint f(l*);", {AT(LISTS)}, 0, "{ 1, { 2, { 3, ... } } }", "0"},
    {"typedef l = struct;\ntypedef l = struct(int, l*);\nint f(l*);", {AT(LISTS + 3)}, 0, "{ 4, { 5, nil } }", "0"},
    {"int f(+int*,+string,int);", {AT(NUMBERS), AT("out"), 3}, 9, NULL, "9|1=1|2=\"out\""},
    {"string[arg1] f(int);", {2}, AT("abcdef"), "2", "\"ab\""},
    {"int f(string,format);",
     {AT("x"), AT("%d %s %% %lx %c %u"), 3, AT("str"), 0x1ff, 'c'},
     0,
     "\"x\"|\"%d %s %% %lx %c \"...|3|\"str\"|0x1ff|'c'",
     "0"},
    {"int f(struct(short,short,int));", {0x0000000900020001}, 0, "{ 1, 2, 9 }", "0"},
};

static void expect(const char *what, const char *got, const char *wanted)
{
    char plain[1024] = "";
    for (const char *end; *got; got = *end ? end + sizeof RV_ARGUMENTS_SEPARATOR - 1 : end) {
        end = strstr(got, RV_ARGUMENTS_SEPARATOR);
        end = end ? end : got + strlen(got);
        strncat(plain, got, (size_t)(end - got));
        strcat(plain, *end ? "|" : "");
    }
    cr_assert_str_eq(plain, wanted, "%s: '%s', expected '%s'", what, plain, wanted);
}

Test(format, values_are_shown_as_ltrace_does, .timeout = 60)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        unsigned line;
        const char *why;
        uint64_t values[RV_CAPTURE_VALUES] = {0};
        struct rv_capture plan;
        struct captured call = {.n = 0}, end = {.n = 0};
        struct rv_arguments_text text = {0};
        struct rv_prototypes *prototypes =
            rv_prototypes_parse(CASES[i].prototype, strlen(CASES[i].prototype), &line, &why);
        cr_assert_not_null(prototypes, "%s: %s", CASES[i].prototype, why);
        const struct rv_prototype *prototype = rv_prototypes_at(prototypes, 0);
        memcpy(values, CASES[i].integers, sizeof CASES[i].integers);
        values[RV_CAPTURE_RESULT] = CASES[i].result;
        rv_capture_plan(prototype, STRING_BYTES, &plan);
        capture(plan.calls, plan.n_calls, values, &call);
        capture(plan.returns, plan.n_returns, values, &end);
        cr_assert(call.n <= plan.most_bytes && end.n <= plan.most_bytes);
        rv_arguments_text_of_call(prototype, call.bytes, call.n, &text);
        if (CASES[i].arguments)
            expect(CASES[i].prototype, text.bytes, CASES[i].arguments);
        rv_arguments_text_of_return(prototype, end.bytes, end.n, &text);
        expect(CASES[i].prototype, text.bytes, CASES[i].returned);
        free(text.bytes);
        rv_prototypes_destroy(prototypes);
    }
}

Test(format, nothing_but_the_bytes_is_read, .timeout = 60)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        unsigned line;
        const char *why;
        struct rv_arguments_text text = {0};
        struct rv_prototypes *prototypes =
            rv_prototypes_parse(CASES[i].prototype, strlen(CASES[i].prototype), &line, &why);
        for (size_t n = 0; n < 64; n++) {
            uint8_t *bytes = malloc(n + 1);
            memset(bytes, (int)(n * 37 + i), n);
            rv_arguments_text_of_call(rv_prototypes_at(prototypes, 0), bytes, n, &text);
            rv_arguments_text_of_return(rv_prototypes_at(prototypes, 0), bytes, n, &text);
            free(bytes);
        }
        free(text.bytes);
        rv_prototypes_destroy(prototypes);
    }
}
