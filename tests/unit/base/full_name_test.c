#include "base/full_name.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "ringviz/wire.h"

TestSuite(full_name, .timeout = 60);

Test(full_name, the_package_stands_where_the_name_is_joined_to_it)
{
    static const struct {
        const char *package, *name, *full;
        uint32_t form;
    } cases[] = {
        {"", "main", "main"},
        {"Shape", "area", "Shape::area"},
        {"Set", "size", "Set#size", RV_NAME_HASH},
        {"File", "open", "File.open", RV_NAME_DOT},
        {"Foo::Bar", "block in baz?", "block in Foo::Bar#baz?", RV_NAME_HASH | RV_NAME_BLOCK},
        {"Foo", "block in make", "block in Foo.make", RV_NAME_DOT | RV_NAME_BLOCK},
        {"", "size", "size", RV_NAME_HASH},
        {"#<Foo>", "#", "#<Foo>##", RV_NAME_HASH},
        {"P", "#size", "P::#size"},
        {"P", ".a in .b", "P::.a in .b"},
        {"P", "a in .b", "P.a in .b", RV_NAME_DOT},
        {"P", "block in a in .b", "block in P#a in .b", RV_NAME_HASH | RV_NAME_BLOCK},
        {"P", "<lambda>", "P.<lambda>", RV_NAME_DOT | RV_NAME_BLOCK},
        {"(anonymous namespace)", "f()", "(anonymous namespace)::f()"},
        {"", "block in <main>", "block in <main>", RV_NAME_BLOCK},
        {"ns", "f() [clone .isra.0]", "ns::f() [clone .isra.0]"},
        {"main", "AUTOLOAD for Shape::area", "main::AUTOLOAD for Shape::area"},
        {"main", "__ANON__[/a in b/c.pl:1]", "main::__ANON__[/a in b/c.pl:1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char full[64];
        int n = rv_full_name(full, sizeof full, cases[i].package, cases[i].name, rv_name_line_form(7, cases[i].form));
        cr_expect(eq(str, full, (char *)cases[i].full));
        cr_expect(eq(int, n, (int)strlen(cases[i].full)));
    }
}

Test(full_name, what_does_not_fit_is_counted)
{
    char full[8];
    cr_expect(eq(int, rv_full_name(full, sizeof full, "Package", "name", rv_name_line_form(0, RV_NAME_HASH)), 12));
    cr_expect(eq(str, full, "Package"));
}
