// What a server is made of besides its pages and its store: passwords, sessions, templates, JSON, compression, images.
#ifndef DEMO_PARTS_H
#define DEMO_PARTS_H

#include <cstdint>
#include <string>
#include <vector>

#include "store.h"

namespace auth
{
void set_cost(int n_blocks); // of a password's hash, before any is checked
uint64_t hash_password(const std::string &password, uint64_t salt);
bool check_password(const std::string &password, uint64_t expected);
} // namespace auth

namespace session
{
struct Session {
    uint32_t user;
    std::vector<uint32_t> cart;
};
Session load(const std::string &cookie);
std::string save(const Session &session);
} // namespace session

namespace tmpl
{
std::string render(const std::string &title, const std::vector<const store::Row *> &rows);
}

namespace json
{
std::string encode(const std::vector<const store::Row *> &rows);
}

namespace compress
{
std::string deflate(const std::string &text);
}

namespace image
{
uint32_t thumbnail(uint32_t seed);
}

#endif
