/* Names that would be shortened to the same text keep what they differ in. The room counts characters. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "characters.h"
#include "model/alike_names.h"

static const char *fit(const struct rv_alike_names *names, const char *name, float width)
{
    static char out[512];
    const struct rv_short_name_room room = {width, n_characters, NULL, NULL};
    out[0] = '\0';
    (void)rv_alike_names_fit(names, name, &room, out, sizeof out);
    cr_assert_leq(n_characters(NULL, out, strlen(out)), width, "\"%s\" in %g", out, (double)width);
    return out;
}

Test(alike_names, what_names_differ_in_stays, .timeout = 60)
{
    static const char *const names[] = {"channel::Queue<http::Request>::pop",
                                        "channel::Queue<unsigned int>::pop",
                                        "channel::Queue<std::basic_string<char, std::char_traits<char> > >::pop",
                                        "Shop::Order::search",
                                        "Shop::User::search",
                                        "Shop::User::find(int)",
                                        "Shop::User::find(char const*)",
                                        "std::_Function_handler<void (), app::Pool::start()::{lambda()#1}>",
                                        "std::_Function_handler<void (), app::Pool::start()::{lambda()#2}>",
                                        "Web::Queue::drain"};
    static const struct {
        size_t name;
        float width;
        const char *expected;
    } rows[] = {
        {0, 40, "channel::Queue<http::Request>::pop"},
        {0, 21, "Queue<Request>::pop"},
        {0, 18, "…Request>::pop"},
        {0, 13, "…Reques…::pop"},
        {1, 15, "…unsigned…::pop"},
        {2, 15, "…basic_st…::pop"},
        {2, 20, "Queue<basic_st…::pop"},
        {0, 4, "pop"},
        {3, 13, "Order::search"},
        {4, 13, "User::search"},
        {5, 10, "find(int)"},
        {6, 12, "find(char c…"},
        {7, 20, "_Function_handle…1}>"},
        {9, 5, "drain"},
    };
    struct rv_alike_names alike = {.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rv_alike_names_add(&alike, names[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(fit(&alike, names[rows[i].name], rows[i].width), rows[i].expected, "%s in %g: \"%s\"",
                         rows[i].expected, (double)rows[i].width, fit(&alike, names[rows[i].name], rows[i].width));
    for (float width = 16; width < 60; width++) { /* no two of those with the same end */
        static const size_t pairs[][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {5, 6}, {7, 8}};
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            char first[512];
            snprintf(first, sizeof first, "%s", fit(&alike, names[pairs[i][0]], width));
            cr_expect_str_neq(first, fit(&alike, names[pairs[i][1]], width), "in %g", (double)width);
        }
    }
    rv_alike_names_clear(&alike);
}

/* Names that differ in separators only, and one that is not of the list: "Queue" of the others is longer than all before "pop". */
Test(alike_names, any_name_is_shortened_to_its_end, .timeout = 60)
{
    static const char *const names[] = {"A:.pop", "A::pop", "QueueA::put", "QueueB::put"};
    struct rv_alike_names alike = {.n = 0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rv_alike_names_add(&alike, names[i]);
    for (float width = 3; width < 6; width++) {
        const char *text = fit(&alike, names[1], width);
        cr_expect_str_eq(text + strlen(text) - 3, "pop", "\"%s\" in %g", text, (double)width);
        text = fit(&alike, "X::put", width);
        cr_expect_str_eq(text + strlen(text) - 3, "put", "\"%s\" in %g", text, (double)width);
    }
    rv_alike_names_clear(&alike);
}
