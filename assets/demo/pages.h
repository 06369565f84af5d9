// Requests, and the pages that answer them.
#ifndef DEMO_PAGES_H
#define DEMO_PAGES_H

#include <cstdint>
#include <string>

namespace http
{
struct Request {
    uint32_t number;
    std::string path, cookie;
};

struct Response {
    int status;
    std::string body;
};

Request parse(uint32_t number);
Response answer(const Request &request);
} // namespace http

#endif
