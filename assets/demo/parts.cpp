#include "parts.h"

#include <array>
#include <cstdio>
#include <regex>

namespace auth
{
uint64_t mix_block(uint64_t state, const std::string &password)
{
    for (int round = 0; round < 120; round++) {
        for (char c : password)
            state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
        state ^= state >> 29;
    }
    return state;
}

uint64_t stretch(uint64_t state, const std::string &password, int n_blocks)
{
    for (int i = 0; i < n_blocks; i++)
        state = mix_block(state, password);
    return state;
}

static int cost = 600;

void set_cost(int n_blocks)
{
    cost = n_blocks;
}

uint64_t hash_password(const std::string &password, uint64_t salt)
{
    uint64_t state = salt;
    for (int pass = 0; pass < 8; pass++)
        state = stretch(state, password, cost);
    return state;
}

bool is_equal(uint64_t left, uint64_t right)
{
    uint64_t difference = left ^ right;
    return ((difference | -difference) >> 63) == 0;
}

bool check_password(const std::string &password, uint64_t expected)
{
    return is_equal(hash_password(password, 0x9e3779b97f4a7c15ull), expected);
}
} // namespace auth

namespace session
{
uint32_t verify(const std::string &cookie)
{
    uint32_t sum = 1;
    for (int round = 0; round < 40; round++)
        for (char c : cookie)
            sum = sum * 31 + static_cast<unsigned char>(c);
    return sum;
}

Session decode(uint32_t key)
{
    Session session{key % 5000, {}};
    for (uint32_t i = 0; i < key % 7 + 1; i++)
        session.cart.push_back((key >> i) % 4000);
    return session;
}

Session load(const std::string &cookie)
{
    return decode(verify(cookie));
}

std::string save(const Session &session)
{
    std::string cookie = "user=" + std::to_string(session.user);
    for (uint32_t id : session.cart)
        cookie += "," + std::to_string(id);
    verify(cookie);
    return cookie;
}
} // namespace session

namespace tmpl
{
void escape(std::string &out, const std::string &text)
{
    for (char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else
            out += c;
    }
}

void money(std::string &out, double price)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", price);
    out += text;
}

size_t line_end(const std::string &text, size_t begin, size_t width)
{
    if (begin + width >= text.size())
        return text.size();
    size_t end = text.rfind(' ', begin + width);
    return end == std::string::npos || end <= begin ? begin + width : end + 1;
}

std::string autolink(const std::string &text)
{
    static const std::regex pattern("([a-z]+)-made|[A-Z][a-z]*|<b>([a-z ]+)</b>|&.*;");
    return std::regex_replace(text, pattern, "<a href='/search?q=$&'>$&</a>");
}

void paragraph(std::string &out, const std::string &source)
{
    std::string text = autolink(source);
    for (size_t begin = 0; begin < text.size();) {
        size_t end = line_end(text, begin, 72);
        escape(out, text.substr(begin, end - begin));
        out += "<br>";
        begin = end;
    }
}

void row(std::string &out, const store::Row &row)
{
    out += "<tr><td>";
    escape(out, row.name);
    out += "</td><td>";
    paragraph(out, row.text);
    out += "</td><td>";
    money(out, row.price);
    out += "</td></tr>\n";
}

void table(std::string &out, const std::vector<const store::Row *> &rows)
{
    out += "<table>\n";
    for (const store::Row *each : rows)
        row(out, *each);
    out += "</table>\n";
}

// A template includes its parent, as real ones do.
void layout(std::string &out, const std::string &title, int level, const std::vector<const store::Row *> &rows)
{
    out += "<div class=\"level-" + std::to_string(level) + "\">\n";
    if (level > 0) {
        layout(out, title, level - 1, rows);
    } else {
        escape(out, title);
        table(out, rows);
    }
    out += "</div>\n";
}

std::string render(const std::string &title, const std::vector<const store::Row *> &rows)
{
    std::string out;
    layout(out, title, 3, rows);
    return out;
}
} // namespace tmpl

namespace json
{
void string(std::string &out, const std::string &text)
{
    out += '"';
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

void number(std::string &out, double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    out += text;
}

void object(std::string &out, const store::Row &row)
{
    out += "{\"name\":";
    string(out, row.name);
    out += ",\"text\":";
    string(out, row.text);
    out += ",\"price\":";
    number(out, row.price);
    out += ",\"stock\":";
    number(out, row.in_stock);
    out += '}';
}

void array(std::string &out, const std::vector<const store::Row *> &rows)
{
    out += '[';
    for (const store::Row *row : rows) {
        object(out, *row);
        out += ',';
    }
    out += ']';
}

std::string encode(const std::vector<const store::Row *> &rows)
{
    std::string out;
    array(out, rows);
    return out;
}
} // namespace json

namespace compress
{
constexpr size_t N_SLOTS = 1024, N_TRIES = 8, BLOCK = 4096;

// The last places where three bytes with this hash began, newest first.
struct Chain {
    std::array<int, N_TRIES> places;
};

size_t slot(const char *at)
{
    return (static_cast<unsigned char>(at[0]) * 33u + static_cast<unsigned char>(at[1]) * 7u +
            static_cast<unsigned char>(at[2])) %
           N_SLOTS;
}

size_t match_length(const std::string &text, size_t from, size_t at)
{
    size_t n = 0;
    while (at + n < text.size() && text[from + n] == text[at + n] && n < 32)
        n++;
    return n;
}

size_t longest_match(const std::string &text, const Chain &chain, size_t at)
{
    size_t longest = 0;
    for (int place : chain.places) {
        size_t length = place >= 0 ? match_length(text, static_cast<size_t>(place), at) : 0;
        longest = length > longest ? length : longest;
    }
    return longest;
}

size_t next_token(const std::string &text, size_t at, std::vector<Chain> &chains, std::string &out)
{
    Chain &chain = chains[slot(&text[at])];
    size_t length = longest_match(text, chain, at);
    for (size_t i = N_TRIES - 1; i > 0; i--)
        chain.places[i] = chain.places[i - 1];
    chain.places[0] = static_cast<int>(at);
    if (length < 4) {
        out += text[at];
        return at + 1;
    }
    out += static_cast<char>(length);
    return at + length;
}

void block(const std::string &text, size_t begin, size_t end, std::string &out)
{
    std::vector<Chain> chains(N_SLOTS, Chain{{-1, -1, -1, -1, -1, -1, -1, -1}});
    for (size_t at = begin; at < end;)
        at = next_token(text, at, chains, out);
}

std::string deflate(const std::string &text)
{
    std::string out;
    size_t end = text.size() > 3 ? text.size() - 3 : 0;
    for (size_t begin = 0; begin < end; begin += BLOCK)
        block(text, begin, begin + BLOCK < end ? begin + BLOCK : end, out);
    return out;
}
} // namespace compress

namespace image
{
constexpr size_t WIDTH = 640, HEIGHT = 96;

void blur_row(uint8_t *row)
{
    for (int pass = 0; pass < 12; pass++)
        for (size_t x = 1; x + 1 < WIDTH; x++)
            row[x] = static_cast<uint8_t>((row[x - 1] + 2 * row[x] + row[x + 1]) / 4);
}

void decode(std::vector<uint8_t> &pixels, uint32_t seed)
{
    for (uint8_t &pixel : pixels) {
        seed = seed * 1664525u + 1013904223u;
        pixel = static_cast<uint8_t>(seed >> 24);
    }
}

uint32_t scale(const std::vector<uint8_t> &pixels)
{
    uint32_t sum = 0;
    for (size_t at = 0; at < pixels.size(); at += 4)
        sum += pixels[at];
    return sum;
}

uint32_t thumbnail(uint32_t seed)
{
    std::vector<uint8_t> pixels(WIDTH * HEIGHT);
    decode(pixels, seed);
    for (size_t y = 0; y < HEIGHT; y++)
        blur_row(&pixels[y * WIDTH]);
    return scale(pixels);
}
} // namespace image
