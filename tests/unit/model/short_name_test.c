#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "model/short_name.h"
#include "render/font.h"

static float measure(const void *context, const char *text, size_t n_bytes)
{
    float width;
    (void)rv_font_measure(*(const enum rv_font *)context, text, n_bytes, &width);
    return width;
}

static float width(const char *text)
{
    return measure(&(enum rv_font){RV_FONT_LABEL}, text, strlen(text));
}

static bool fit(const char *name, float room, char *out, size_t out_bytes)
{
    static const enum rv_font font = RV_FONT_LABEL;
    return rv_short_name_fit(name, &(struct rv_short_name_room){room, measure, NULL, &font}, out, out_bytes);
}

Test(short_name, names_lose_components_from_the_left, .timeout = 60)
{
    static const struct {
        const char *full, *room, *expected; /* room: the text that just fits */
    } rows[] = {
        {"A::B::c", "A::B::c", "A::B::c"},
        {"MyApp::Model::Order::search", "Model::Order::search", "Model::Order::search"},
        {"MyApp::Model::Order::search", "Order::search.", "Order::search"},
        {"MyApp::Model::Order::search", "search", "search"},
        {"MyApp::Model::Order::search", "sea…", "sea…"},
        {"pkg.module.function", "module.function", "module.function"},
        {"std::vector<std::string>::push_back(std::string const&)", "push_back", "push_back"},
        {"draw(Scene const&, int)", "draw(Sc", "draw"},
        {"(anonymous namespace)::run()", "run", "run"},
        {"net/http.(*Server).Serve", "Serve", "Serve"},
        {"Shop::Order#total", "Order#total.", "Order#total"},
        {"Shop::Order#total", "total", "total"},
        {"main", "main", "main"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[128];
        cr_assert(fit(rows[i].full, width(rows[i].room), out, sizeof out));
        cr_assert_str_eq(out, rows[i].expected, "\"%s\" became \"%s\", not \"%s\"", rows[i].full, out,
                         rows[i].expected);
    }
}

Test(short_name, texts_that_are_no_names_keep_their_front, .timeout = 60)
{
    static const enum rv_font font = RV_FONT_LABEL;
    static const struct {
        const char *text, *room, *expected;
    } rows[] = {
        {"go to a time: 1.5s", "go to a time: 1.5s", "go to a time: 1.5s"},
        {"go to a time: 1.5s", "go to a ti…", "go to a ti…"},
        {"deadlock: a (1) -> b (2)", "deadlock: a (1) -…", "deadlock: a (1) -…"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        const struct rv_short_name_room room = {width(rows[i].room), measure, NULL, &font};
        cr_assert(rv_short_name_cut(rows[i].text, &room, out, sizeof out));
        cr_assert_str_eq(out, rows[i].expected);
    }
}

/* Regression: a lambda had the name of the function that it is in. */
Test(short_name, a_lambda_is_not_its_function, .timeout = 60)
{
    static const struct {
        const char *full, *room;
    } rows[] = {{"app::work()::{lambda(int)#2}::operator()(int) const", "work()::{lambda(int)#2}"},
                {"app::work()::{lambda(int)#2}::operator()", "{lambda(int)#2}"},
                {"a::B::f() const::{lambda()#1}::operator()", "f() const::{lambda()#1}"},
                {"app::find(std::string const&) const", "find"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[128];
        cr_assert(fit(rows[i].full, width(rows[i].room), out, sizeof out));
        cr_assert_str_eq(out, rows[i].room);
    }
}

Test(short_name, nothing_is_written_where_two_letters_do_not_fit, .timeout = 60)
{
    char out[32];
    cr_assert_not(fit("search", width("s…"), out, sizeof out));
    cr_assert_not(fit("search", 0.0f, out, sizeof out));
}

Test(short_name, a_name_is_never_wider_than_its_room, .timeout = 60)
{
    static const char *const names[] = {"MyApp::Model::Order::search",
                                        "f",
                                        "ä::ö::überlänge",
                                        "a.b.c.d",
                                        "operator()",
                                        "::x",
                                        "<lambda>::operator()(int) const",
                                        "....",
                                        "x::"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (float room = 0.0f; room < 700.0f; room += 3.0f) {
            char out[128];
            if (fit(names[i], room, out, sizeof out))
                cr_assert_leq(width(out), room, "\"%s\" in %g px", out, (double)room);
        }
}

Test(short_name, long_names_fit_their_buffer, .timeout = 60)
{
    char name[2000], out[24];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr_assert(fit(name, 1e9f, out, sizeof out));
    cr_assert_lt(strlen(out), sizeof out);
    cr_assert(fit(name, 5000.0f, out, sizeof out));
    cr_assert_lt(strlen(out), sizeof out);
}

Test(font, utf8_is_decoded_and_malformed_bytes_are_stepped_over, .timeout = 60)
{
    const char *text = "aµ…\xF0\x9F\x98\x80\xC3(\xFF";
    static const uint32_t expected[] = {'a', 0xB5, 0x2026, 0x1F600, 0xFFFD, '(', 0xFFFD, 0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_assert_eq(rv_font_next(&text), expected[i], "character %zu", i);
}

Test(font, ascii_latin1_and_signs_have_glyphs_and_others_are_boxes, .timeout = 60)
{
    const struct rv_glyph *box = rv_font_glyph(RV_FONT_TEXT, 0x4E2D);
    cr_assert_gt(box->width, 0);
    for (uint32_t codepoint = 0x21; codepoint < 0x7F; codepoint++)
        cr_assert(rv_font_glyph(RV_FONT_TEXT, codepoint) != box && rv_font_glyph(RV_FONT_TEXT, codepoint)->width > 0);
    static const uint32_t signs[] = {0xB5, 0xD7, 0xE4, 0xFF, 0x2026, 0x25CF};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        cr_assert(rv_font_glyph(RV_FONT_LABEL, signs[i]) != rv_font_glyph(RV_FONT_LABEL, 0x4E2D));
    cr_assert_eq(rv_font_glyph(RV_FONT_TEXT, ' ')->width, 0);
}

Test(short_name, template_arguments_are_left_out_at_a_depth, .timeout = 60)
{
    static const struct {
        unsigned depth;
        const char *full, *expected;
    } rows[] = {
        {0, "std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<...>::push_back(int const&)"},
        {0, "std::map<int, std::vector<long> >::find", "std::map<...>::find"},
        {1, "std::map<int, std::vector<long> >::find", "std::map<int, std::vector<...> >::find"},
        {2, "std::map<int, std::vector<long> >::find", "std::map<int, std::vector<long> >::find"},
        {0, "f<int>", "f<int>"},
        {0, "f<long>", "f<...>"},
        {0, "A<B<int>, C<int> >::operator<< <char>(D<E, F>)", "A<...>::operator<< <...>(D<...>)"},
        {0, "A::operator<", "A::operator<"},
        {0, "A::operator<=>(B<C, D>)", "A::operator<=>(B<...>)"},
        {0, "A::operator->()::B<C, D>", "A::operator->()::B<...>"},
        {0, "call<decltype(x->y)>", "call<...>"},
        {1, "a<operator>>b", "a<operator>>b"},
        {1, "a<b<operator->>>>::c", "a<b<...>>>::c"},
        {0, "<alloc::vec::Vec<T, A> as core::ops::Drop>::drop", "<alloc::vec::Vec<...> as core::ops::Drop>::drop"},
        {0, "Array.<anonymous>", "Array.<anonymous>"},
        {0, "block in <main>", "block in <main>"},
        {0, "block in <class:Foo>", "block in <class:Foo>"},
        {0, "less < than", "less < than"},
        {0, "a<bcdef", "a<bcdef"},
        {0, "a<bcdef>>", "a<...>>"},
        {0, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = malloc(strlen(rows[i].full) + 1);
        rv_short_name_fold(rows[i].full, rows[i].depth, out);
        cr_assert_str_eq(out, rows[i].expected, "\"%s\" became \"%s\"", rows[i].full, out);
        free(out);
    }
}

Test(short_name, deeply_nested_names_end, .timeout = 60)
{
    enum { N = 1 << 20 };
    char *name = malloc(2 * N + 1), *out = malloc(2 * N + 1);
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        memset(name, '<', N);
        memset(name + N, is_closed ? '>' : 'n', N);
        name[0] = 'a';
        name[2 * N] = '\0';
        rv_short_name_fold(name, 1, out);
        cr_assert_leq(strlen(out), 2 * N);
    }
    free(name);
    free(out);
}

Test(short_name, words_and_numbers_are_not_cut, .timeout = 60)
{
    static const struct {
        const char *text;
        size_t most;
        const char *cut;
    } rows[] = {
        {"not traced from here: python3.11::0x4fee40, 9 k calls/s", 46, "not traced from here: python3.11::0x4fee40…"},
        {"not traced from here: python3.11::0x4fee40, 9 k calls/s", 40, "not traced from here: python3.11…"},
        {"not traced from here: git::0x2aab70, 702 k calls/s", 40, "not traced from here: git::0x2aab70…"},
        {"one_word_that_is_longer", 10, "one_word_t…"},
        {"short", 5, "short"},
        {"", 5, ""},
        {"abc \xc3\xa4\xc3\xa4", 5, "abc…"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[80];
        rv_short_name_cut_words(rows[i].text, rows[i].most, out);
        cr_expect_str_eq(out, rows[i].cut);
    }
}

Test(short_name, template_arguments_are_left_out_before_components, .timeout = 60)
{
    static const char pop[] = "a::Queue<std::basic_string<char, std::char_traits<char> > >::pop";
    static const char *const rows[] = {pop, "a::Queue<std::basic_string<char, std::char_traits<...> > >::pop",
                                       "a::Queue<std::basic_string<...> >::pop", "a::Queue<...>::pop", "pop"};
    static const enum rv_font font = RV_FONT_LABEL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[128];
        const struct rv_short_name_room room = {width(rows[i]), measure, NULL, &font};
        cr_assert(rv_short_name_fit_folded(pop, &room, out, sizeof out));
        cr_assert_str_eq(out, rows[i], "\"%s\", not \"%s\"", out, rows[i]);
    }
}

Test(short_name, scopes_are_dropped_in_template_arguments_too, .timeout = 60)
{
    static const char *const rows[][2] = {
        {"a::Queue<b::Line>", "Queue<Line>"},
        {"a::Queue<b::Line>::pop", "Queue<Line>::pop"},
        {"a::b::Map<c::Key, d::e::Value *>", "Map<Key, Value *>"},
        {"Queue<int>", "Queue<int>"},
        {"::Root", "Root"},
        {"a::", ""},
        {"a:b", "a:b"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[64];
        rv_short_name_drop_scopes(rows[i][0], 0, out);
        cr_assert_str_eq(out, rows[i][1]);
    }
}
