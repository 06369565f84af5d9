#include "patch/pattern_words.h"

#include <string.h>

/* What readable names have that mangled ones have not: types, operators, the standard library's abbreviations, and what
 * stands for functions without a name. */
static const char ADDED[] =
    "std allocator basic_string string char_traits basic_istream basic_ostream basic_iostream istream ostream iostream "
    "void wchar_t bool char signed unsigned short int long __int128 float double __float128 _Float16 _Float32x _Float64x "
    "bfloat16 half char8_t char16_t char32_t decimal32 decimal64 decimal128 auto decltype nullptr nullptr_t complex "
    "_Complex imaginary _Imaginary __vector const volatile restrict __restrict noexcept throw transaction_safe operator "
    "new delete co_await sizeof alignof typeid static_cast dynamic_cast reinterpret_cast const_cast this true false ul ull "
    "ll anonymous namespace lambda unnamed type parm string literal default arg vtable VTT construction for in typeinfo "
    "name fn guard variable reference temporary hidden alias non virtual thunk to covariant return TLS init function "
    "wrapper clone initializer global constructors destructors keyed template parameter object requires typename enum union "
    "struct class friend abi constprop isra part cold lto_priv localalias "
    "str i8 u8 isize usize i16 u16 i32 u32 i64 u64 i128 u128 f16 f32 f64 f128 closure shim dyn mut impl as extern unsafe "
    "crate ref raw panic";

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Numbers may be computed. */
static bool is_certain(const struct rv_pattern_word *word)
{
    return word->n && !(*word->at >= '0' && *word->at <= '9');
}

/* Can the character in front of it be missing in a match? */
static bool makes_optional(char c)
{
    return c == '*' || c == '?' || c == '{';
}

/* Its end is at next: keep the longest. */
static void end_word(struct rv_pattern_word *longest, const char *begin, const char *next)
{
    const struct rv_pattern_word word = {begin, (size_t)(next - begin) - (next > begin && makes_optional(*next))};
    if (is_certain(&word) && word.n > longest->n)
        *longest = word;
}

/* One of the alternatives. False: no word is required, or it is not known. */
static bool find_longest(const char *at, const char *end, struct rv_pattern_word *longest)
{
    *longest = (struct rv_pattern_word){NULL, 0};
    while (at < end) {
        const char *begin = at;
        while (at < end && is_of_word(*at))
            at++;
        end_word(longest, begin, at);
        if (*at == '{')
            at += strcspn(at, "}|");
        at += at < end;
    }
    return longest->n != 0;
}

static bool has(const char *text, size_t n, const struct rv_pattern_word *word)
{
    return memmem(text, n, word->at, word->n) != NULL;
}

/* All alternatives', or none. */
static size_t find_words(struct rv_pattern_word words[RV_PATTERN_WORDS_MOST], const char *pattern)
{
    size_t n = 0;
    if (strpbrk(pattern, "()[]\\"))
        return 0;
    for (const char *at = pattern, *end;; at = end + 1) {
        end = at + strcspn(at, "|");
        if (n == RV_PATTERN_WORDS_MOST || !find_longest(at, end, &words[n]))
            return 0;
        n++;
        if (!*end)
            return n;
    }
}

void rv_pattern_words_find(struct rv_pattern_words *words, const char *pattern, const char *module, size_t n_module)
{
    words->n = find_words(words->words, pattern);
    for (size_t i = 0; i < words->n; i++)
        if (has(module, n_module, &words->words[i]) || has(ADDED, sizeof ADDED - 1, &words->words[i]))
            words->n = 0;
}

bool rv_pattern_words_may_match(const struct rv_pattern_words *words, const char *mangled)
{
    bool may_match = words->n == 0;
    for (size_t i = 0; i < words->n && !may_match; i++)
        may_match = has(mangled, strlen(mangled), &words->words[i]);
    return may_match;
}
