// A small database: pages on a slow disk, a cache in front of them, a tree index, and queries over rows.
#ifndef DEMO_STORE_H
#define DEMO_STORE_H

#include <cstdint>
#include <string>
#include <vector>

namespace store
{
struct Row {
    uint32_t id;
    std::string name, text;
    double price;
    int in_stock;
};

struct Plan {
    uint32_t first, last;
    double max_price;
    bool is_sorted;
};

void load(uint32_t n_rows);
const Row *find(uint32_t id);
std::vector<const Row *> select(const std::string &text);
void sell(uint32_t id);
} // namespace store

#endif
