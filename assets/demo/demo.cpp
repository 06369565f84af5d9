// A simulated application server for ringviz to look at: a reactor accepts requests, four workers answer them, and two
// more threads send mail and write the log. Ends by itself after the given number of seconds (default 3).
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

#include "channel.h"
#include "pages.h"
#include "parts.h"
#include "store.h"

namespace
{
constexpr int N_WORKERS = 4;
constexpr size_t BACKLOG = 16;

channel::Queue<http::Request> requests;
channel::Queue<uint32_t> errands;
channel::Queue<std::string> lines;
std::atomic<uint32_t> n_answered;
} // namespace

namespace logbook
{
void append(const http::Request &request, const http::Response &response)
{
    lines.push(request.path + " " + std::to_string(response.status) + " " + std::to_string(response.body.size()));
}

void format(std::string &page, const std::string &line)
{
    page += "[demo] ";
    page += line;
    page += '\n';
}

void flush(std::string &page)
{
    std::this_thread::sleep_for(std::chrono::microseconds(300 + page.size() / 4));
    page.clear();
}

void write_all()
{
    pthread_setname_np(pthread_self(), "log-writer");
    std::string page, line;
    while (lines.pop(line)) {
        format(page, line);
        if (page.size() > 600)
            flush(page);
    }
    flush(page);
}
} // namespace logbook

namespace mail
{
void deliver(uint32_t number)
{
    std::this_thread::sleep_for(std::chrono::microseconds(1500 + number % 7 * 900));
}

void send(uint32_t number)
{
    store::find(number);
    deliver(number);
}
} // namespace mail

namespace jobs
{
void perform(uint32_t number)
{
    if (number % 3 == 0)
        image::thumbnail(number);
    else
        mail::send(number);
}

void run()
{
    pthread_setname_np(pthread_self(), "jobs");
    for (uint32_t number; errands.pop(number);)
        perform(number);
}
} // namespace jobs

namespace worker
{
void serve(const http::Request &request)
{
    http::Response response = http::answer(request);
    logbook::append(request, response);
    n_answered.fetch_add(1, std::memory_order_relaxed);
    if (request.number % 8 == 0 && errands.size() < BACKLOG)
        errands.push(request.number);
}

void run(int number)
{
    std::string name = "worker-" + std::to_string(number);
    pthread_setname_np(pthread_self(), name.c_str());
    for (http::Request request; requests.pop(request);)
        serve(request);
}
} // namespace worker

namespace reactor
{
// The next connection comes after 0.5 to 2.9 ms.
void poll(uint32_t number)
{
    std::this_thread::sleep_for(std::chrono::microseconds(500 + number * 1237 % 2400));
}

void accept(uint32_t number)
{
    if (requests.size() < BACKLOG)
        requests.push(http::parse(number));
}

void run(double seconds)
{
    pthread_setname_np(pthread_self(), "reactor");
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (uint32_t number = 0; std::chrono::steady_clock::now() < end; number++) {
        poll(number);
        accept(number);
    }
    requests.close();
}
} // namespace reactor

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 3.0;
    int password_cost = argc > 2 ? std::atoi(argv[2]) : 600;
    if (!(seconds > 0) || password_cost <= 0) {
        std::fprintf(stderr, "usage: ringviz-demo [SECONDS [PASSWORD_COST]]\n");
        return 2;
    }
    auth::set_cost(password_cost);
    store::load(4096);

    std::vector<std::thread> workers;
    for (int i = 1; i <= N_WORKERS; i++)
        workers.emplace_back(worker::run, i);
    std::thread reactor_thread(reactor::run, seconds), jobs_thread(jobs::run), log_thread(logbook::write_all);

    reactor_thread.join();
    for (std::thread &thread : workers)
        thread.join();
    errands.close();
    jobs_thread.join();
    lines.close();
    log_thread.join();
    std::printf("answered %u requests\n", n_answered.load(std::memory_order_relaxed));
    return 0;
}
