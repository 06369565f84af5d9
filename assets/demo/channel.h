// A queue between two threads that waits when it is empty.
#ifndef DEMO_CHANNEL_H
#define DEMO_CHANNEL_H

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace channel
{
template <typename Item> class Queue
{
  public:
    void push(Item item)
    {
        std::lock_guard<std::mutex> hold(lock_);
        items_.push_back(std::move(item));
        ready_.notify_one();
    }

    bool pop(Item &item)
    {
        std::unique_lock<std::mutex> hold(lock_);
        while (items_.empty() && !is_closed_)
            ready_.wait(hold);
        if (items_.empty())
            return false;
        item = std::move(items_.front());
        items_.pop_front();
        return true;
    }

    void close()
    {
        std::lock_guard<std::mutex> hold(lock_);
        is_closed_ = true;
        ready_.notify_all();
    }

    size_t size()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return items_.size();
    }

  private:
    std::mutex lock_;
    std::condition_variable ready_;
    std::deque<Item> items_;
    bool is_closed_ = false;
};
} // namespace channel

#endif
