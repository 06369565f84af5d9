#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

static void expect_piece(struct rv_demangle_piece piece, const char *expected, const char *of)
{
    cr_expect(piece.n_bytes == strlen(expected) && memcmp(piece.text, expected, piece.n_bytes) == 0,
              "%s: '%.*s', expected '%s'", of, (int)piece.n_bytes, piece.text, expected);
}

Test(demangle, text_is_split_at_the_right_colons, .timeout = 60)
{
    static const struct {
        const char *text, *package, *name;
    } cases[] = {
        {"a::b<int>::c(int)", "a::b<int>", "c"},
        {"f()", "", "f"},
        {"void (*ns::f<int>(int))(double)", "ns", "f<int>"},
        {"std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", "std",
         "operator<< <std::char_traits<char> >"},
        {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}", "operator()"},
        {"main::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const",
         "main::{lambda()#1}::operator()() const::{lambda()#2}", "operator()"},
        {"a::B::f() const::{lambda(int)#1}::operator()(int) const", "a::B::f() const::{lambda(int)#1}", "operator()"},
        {"void a::B::f<int>(int) const &::Local::g()", "a::B::f<int>(int) const &::Local", "g"},
        {"A::operator std::string() const::Local::g()", "A::operator std::string() const::Local", "g"},
        {"A::operator (anonymous namespace)::T()", "A", "operator (anonymous namespace)::T"},
        {"A::operator unsigned long()", "A", "operator unsigned long"},
        {"(anonymous namespace)::f(int)", "(anonymous namespace)", "f"},
        {"int (anonymous namespace)::tm<int (*)(char)>(int (*)(char))", "(anonymous namespace)", "tm<int (*)(char)>"},
        {"A::operator std::vector<int, std::allocator<int> >() const &&", "A",
         "operator std::vector<int, std::allocator<int> >"},
        {"f(int)::Local::g() const volatile", "f(int)::Local", "g"},
        {"unsigned long ns::t<unsigned long>(unsigned long) [clone .part.0] [clone .cold]", "ns", "t<unsigned long>"},
        {"virtual thunk to A::B::f()", "A::B", "f"},
        {"decltype (x->y) q::r<S>(S&)", "q", "r<S>"},
        {"A::operator()(int)", "A", "operator()"},
        {"A::operator->() const", "A", "operator->"},
        {"bool ns::operator< <int>(A<int>, A<int>)", "ns", "operator< <int>"},
        {"operator new(unsigned long)", "", "operator new"},
        {"ns::x<&A::operator<>::y(int)", "ns::x<&A::operator<>", "y"},
        {"a::operatorx(int)", "a", "operatorx"},
        {"X::~X()", "X", "~X"},
        {"a::b[abi:cxx11](int)", "a", "b[abi:cxx11]"},
        {"ns::A::f() const &", "ns::A", "f"},
        {"", "", ""},
        {")", "", ")"},
        {"(", "", "("},
        {"a<b::c", "", "a<b::c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_demangled out;
        rv_demangle_split(cases[i].text, &out);
        expect_piece(out.package, cases[i].package, cases[i].text);
        expect_piece(out.name, cases[i].name, cases[i].text);
    }
}

Test(demangle, symbols_are_demangled_or_kept, .timeout = 60)
{
    static const struct {
        const char *symbol, *package, *name;
    } cases[] = {
        {"main", "", "main"},
        {"_ZN1a1bIiE1cEi", "a::b<int>", "c"},
        {"_ZN1aC2Ev", "a", "a"},
        {"_RNvCs4iP_3app4main", "app", "main"},
        {"_RINvCs_3app7genericlE", "app", "generic<i32>"},
        {"_RNCNCNvC3app5outer00B5_", "app::outer::{closure#0}", "{closure#0}"},
        {"_RNCNvC3app4mains_0.llvm.123", "app::main", "{closure#1}"},
        {"_RNvMNtC3app5innerINtB2_3FoolKj3_E3get", "<app::inner::Foo<i32, 3>>", "get"},
        {"_RNvXs0_NtC3app5innerRShNtB5_2Tr2go", "<&[u8] as app::inner::Tr>", "go"},
        {"_RNvXNtC3app5innerTlReENtB2_2Tr2go", "<(i32, &str) as app::inner::Tr>", "go"},
        {"_RNvXNtC3app5innerFlEbNtB2_2Tr2go", "<fn(i32) -> bool as app::inner::Tr>", "go"},
        {"_RINvC3app4flagKb1_Kan5_E", "app", "flag<true, -5>"},
        {"_RINvC3app4dropDINtC4core2FnTlEEp6OutputuNtBg_4SendEL_E", "app",
         "drop<dyn core::Fn<(i32,), Output = ()> + core::Send>"},
        {"_RNvC3appu9gre_yra7d", "app", "punycode{gre_yra7d}"},
        {"_RNvC3app4main3", "", "_RNvC3app4main3"},
        {"_RNvB_3app", "", "_RNvB_3app"},
        {"_RNvC99app", "", "_RNvC99app"},
        {"_R", "", "_R"},
        {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter", "pad"},
        {"_ZN47_$LT$app..T$u20$as$u20$app..U$LT$$RF$u8$GT$$GT$2go17h0123456789abcdefE", "<app::T as app::U<&u8>>",
         "go"},
        {"_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "app::main", "{{closure}}"},
        {"_Z3foov.cold", "", "foo"},
        {"helper.constprop.0", "", "helper"},
        {"helper.isra.0.cold", "", "helper"},
        {"main.main", "", "main.main"},
        {".L1", "", ".L1"},
        {"_Zgarbage", "", "_Zgarbage"},
        {"_Z", "", "_Z"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_demangled out;
        rv_demangle(cases[i].symbol, &out);
        expect_piece(out.package, cases[i].package, cases[i].symbol);
        expect_piece(out.name, cases[i].name, cases[i].symbol);
        free(out.owned);
    }
}

/* A damaged symbol, such as one with a back reference to anywhere, gives a name or none, and never a crash. */
Test(demangle, any_damage_to_a_symbol_of_rust_is_survived, .timeout = 60)
{
    static const char good[] = "_RINvNtC3app5innerDINtC4core2FnTlRShEEp6OutputuNtB4_4SendEL_FKCmEuB3_Kj3_E";
    static const char alphabet[] = "BECIKLMNXYSTRDFGAPu019_sp";
    char symbol[sizeof good];
    for (size_t at = 2; at < sizeof good - 1; at++) {
        for (const char *c = alphabet; *c; c++) {
            for (size_t other = at; other < sizeof good - 1; other += 7) {
                struct rv_demangled out;
                memcpy(symbol, good, sizeof good);
                symbol[at] = *c;
                symbol[other] = alphabet[(at + other) % (sizeof alphabet - 1)];
                rv_demangle(symbol, &out);
                cr_assert_leq(out.name.n_bytes, 4096);
                free(out.owned);
            }
        }
    }
}

/* Every string over the characters that matter, to some length: pieces lie inside the text, package before name. */
Test(demangle, any_text_is_split_inside_its_bounds, .timeout = 60)
{
    static const char alphabet[] = "a:(<>) &";
    enum { MAX_BYTES = 6, N = sizeof alphabet - 1 };
    char text[MAX_BYTES + 1] = "";
    for (unsigned n_bytes = 1, n = N; n_bytes <= MAX_BYTES; n_bytes++, n *= N) {
        for (unsigned number = 0; number < n; number++) {
            unsigned rest = number;
            for (unsigned i = 0; i < n_bytes; i++, rest /= N)
                text[i] = alphabet[rest % N];
            text[n_bytes] = '\0';
            struct rv_demangled out;
            rv_demangle_split(text, &out);
            const char *end = text + n_bytes;
            cr_assert(out.package.text >= text && out.package.text + out.package.n_bytes <= end &&
                          out.name.text >= text && out.name.text + out.name.n_bytes <= end,
                      "%s", text);
        }
    }
}

Test(demangle, a_module_loses_lib_and_so, .timeout = 60)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        {"/usr/lib/x86_64-linux-gnu/libc.so.6", "c"},
        {"/a/libfoo-2.1.so", "foo-2.1"},
        {"libm.so", "m"},
        {"/bin/ls", "ls"},
        {"/bin/libtool", "libtool"},
        {"/x/plugin.so.1.2.3", "plugin"},
        {"/x/lib.so", "lib"},
        {"/x/name.sofa", "name.sofa"},
        {"/x/.so", ".so"},
        {"", ""},
        {"/", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_piece(rv_demangle_module(cases[i].path), cases[i].name, cases[i].path);
}
