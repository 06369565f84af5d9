#include <criterion/criterion.h>

#include "export/table_names.h"

struct row {
    int number;
    const char *name;
};

Test(table_names, template_arguments_stay_where_names_would_read_alike, .timeout = 60)
{
    static const struct {
        struct row row;
        const char *expected;
    } cases[] = {
        {{0, "std::vector<Item, std::allocator<Item> >::push_back"}, "std::vector<...>::push_back"},
        {{0, "std::map<int, A<long> >::find"}, "std::map<int, A<...> >::find"},
        {{0, "std::map<char, A<long> >::find"}, "std::map<char, A<...> >::find"},
        {{0, "f<B<long, int> >"}, "f<B<long, int> >"},
        {{0, "f<B<long, char> >"}, "f<B<long, char> >"},
        {{0, "g<B<long, int> >"}, "g<...>"},
        {{0, "g<B<long, int> >"}, "g<...>"}, /* from two places */
        {{0, "main"}, "main"},
    };
    enum { N = sizeof cases / sizeof *cases };
    struct row rows[N];
    for (int i = 0; i < N; i++)
        rows[i] = cases[i].row;
    char **texts = rv_table_names_create(rows, sizeof *rows, offsetof(struct row, name), N);
    for (int i = 0; i < N; i++)
        cr_assert_str_eq(texts[i], cases[i].expected, "\"%s\" became \"%s\"", rows[i].name, texts[i]);
    rv_table_names_destroy(texts, N);
    rv_table_names_destroy(rv_table_names_create(NULL, sizeof *rows, 0, 0), 0);
}
