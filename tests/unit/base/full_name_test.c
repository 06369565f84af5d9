#include "base/full_name.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(full_name, .timeout = 60);

Test(full_name, the_package_stands_where_the_name_is_joined_to_it)
{
    static const struct {
        const char *package, *name, *full;
    } cases[] = {
        {"", "main", "main"},
        {"Shape", "area", "Shape::area"},
        {"Set", "#size", "Set#size"},
        {"File", ".open", "File.open"},
        {"Foo::Bar", "block in #baz?", "block in Foo::Bar#baz?"},
        {"Foo", "block in .make", "block in Foo.make"},
        {"", "#size", "#size"},
        {"", "block in <main>", "block in <main>"},
        {"ns", "f() [clone .isra.0]", "ns::f() [clone .isra.0]"},
        {"main", "AUTOLOAD for Shape::area", "main::AUTOLOAD for Shape::area"},
        {"main", "__ANON__[/a in b/c.pl:1]", "main::__ANON__[/a in b/c.pl:1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char full[64];
        int n = rv_full_name(full, sizeof full, cases[i].package, cases[i].name);
        cr_expect(eq(str, full, (char *)cases[i].full));
        cr_expect(eq(int, n, (int)strlen(cases[i].full)));
    }
}

Test(full_name, what_does_not_fit_is_counted)
{
    char full[8];
    cr_expect(eq(int, rv_full_name(full, sizeof full, "Package", "#name"), 12));
    cr_expect(eq(str, full, "Package"));
}
