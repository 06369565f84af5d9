#include "store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace
{
constexpr uint32_t ROWS_PER_PAGE = 32;
constexpr uint32_t CACHE_PAGES = 48;

std::vector<store::Row> rows;
std::vector<uint32_t> cached(CACHE_PAGES, UINT32_MAX);
std::vector<uint32_t> n_sold;
std::mutex cache_lock, sold_lock;
std::atomic<uint32_t> n_reads;
} // namespace

namespace disk
{
// A page comes after 0.2 to 2.7 ms, as from a disk that others use too.
void read_page(uint32_t page)
{
    uint32_t turn = n_reads.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::microseconds(200 + (page * 37 + turn * 211) % 2500));
}

void sync_page()
{
    std::this_thread::sleep_for(std::chrono::microseconds(900));
}
} // namespace disk

namespace cache
{
bool has(uint32_t page)
{
    std::lock_guard<std::mutex> hold(cache_lock);
    return cached[page % CACHE_PAGES] == page;
}

void keep(uint32_t page)
{
    std::lock_guard<std::mutex> hold(cache_lock);
    cached[page % CACHE_PAGES] = page;
}

void fetch(uint32_t page)
{
    if (has(page))
        return;
    disk::read_page(page);
    keep(page);
}
} // namespace cache

namespace tree
{
int compare(const store::Row &row, uint32_t id)
{
    return row.id < id ? -1 : row.id > id;
}

// Recursive on purpose: each level of a tree is a call.
uint32_t descend(uint32_t low, uint32_t high, uint32_t id)
{
    if (high - low <= 1)
        return low;
    uint32_t middle = low + (high - low) / 2;
    return compare(rows[middle], id) <= 0 ? descend(middle, high, id) : descend(low, middle, id);
}

uint32_t search(uint32_t id)
{
    uint32_t n = static_cast<uint32_t>(rows.size());
    uint32_t quarter = std::min(id * 4 / n, 3u);
    return descend(n / 4 * quarter, quarter == 3 ? n : n / 4 * (quarter + 1), id);
}
} // namespace tree

namespace query
{
uint32_t tokenize(const std::string &text)
{
    uint32_t hash = 2166136261u;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
}

store::Plan plan(const std::string &text)
{
    uint32_t hash = tokenize(text), n = static_cast<uint32_t>(rows.size());
    uint32_t first = hash % (n - 80);
    return {first, first + 20 + hash % 60, 10.0 + hash % 90, hash % 3 == 0};
}

bool matches(const store::Row &row, const store::Plan &plan)
{
    return row.price <= plan.max_price && row.in_stock > 0;
}

void scan(const store::Plan &plan, std::vector<const store::Row *> &found)
{
    for (uint32_t i = plan.first; i < plan.last; i++) {
        if (i % ROWS_PER_PAGE == 0 || i == plan.first)
            cache::fetch(i / ROWS_PER_PAGE);
        if (matches(rows[i], plan))
            found.push_back(&rows[i]);
    }
}

bool is_cheaper(const store::Row *left, const store::Row *right)
{
    return left->price < right->price;
}

void sort(std::vector<const store::Row *> &found)
{
    for (size_t i = 1; i < found.size(); i++)
        for (size_t j = i; j > 0 && is_cheaper(found[j], found[j - 1]); j--)
            std::swap(found[j], found[j - 1]);
}

std::vector<const store::Row *> execute(const store::Plan &plan)
{
    std::vector<const store::Row *> found;
    scan(plan, found);
    if (plan.is_sorted)
        sort(found);
    return found;
}
} // namespace query

namespace store
{
std::string describe(uint32_t id)
{
    static const char *const words[] = {"oak", "<b>bright</b>", "lamp", "hand-made", "& light", "table", "of", "wool"};
    std::string text;
    for (uint32_t i = 0; i < 50; i++) {
        text += words[(id * 2654435761u >> (i % 24)) % 8];
        text += ' ';
    }
    return text;
}

void load(uint32_t n_rows)
{
    rows.reserve(n_rows);
    n_sold.resize(n_rows);
    for (uint32_t id = 0; id < n_rows; id++) {
        std::string name = "Article <" + std::to_string(id * 7919 % 10007) + ">";
        rows.push_back({id, name, describe(id), 1.0 + id * 31 % 997 / 10.0, 5});
    }
}

const Row *find(uint32_t id)
{
    uint32_t at = tree::search(id % static_cast<uint32_t>(rows.size()));
    cache::fetch(at / ROWS_PER_PAGE);
    return &rows[at];
}

std::vector<const Row *> select(const std::string &text)
{
    return query::execute(query::plan(text));
}

void sell(uint32_t id)
{
    const Row *row = find(id);
    {
        std::lock_guard<std::mutex> hold(sold_lock);
        n_sold[row->id]++;
    }
    disk::sync_page();
}
} // namespace store
