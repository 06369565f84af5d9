#include "pages.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "parts.h"
#include "store.h"

namespace shop
{
http::Response front(const http::Request &request)
{
    return {200, tmpl::render("Welcome", store::select(request.path + request.cookie))};
}

http::Response search(const http::Request &request)
{
    return {200, json::encode(store::select(request.path + std::to_string(request.number)))};
}

http::Response article(const http::Request &request)
{
    const store::Row *row = store::find(request.number * 97);
    return {200, tmpl::render(row->name, {row})};
}
} // namespace shop

namespace cart
{
std::vector<const store::Row *> items(const session::Session &session)
{
    std::vector<const store::Row *> rows;
    for (uint32_t id : session.cart)
        rows.push_back(store::find(id));
    return rows;
}

http::Response show(const http::Request &request)
{
    return {200, tmpl::render("Cart", items(session::load(request.cookie)))};
}

http::Response order(const http::Request &request)
{
    session::Session session = session::load(request.cookie);
    for (uint32_t id : session.cart)
        store::sell(id);
    session.cart.clear();
    return {303, session::save(session)};
}
} // namespace cart

namespace account
{
http::Response login(const http::Request &request)
{
    if (!auth::check_password("secret" + request.cookie, request.number))
        throw std::runtime_error("wrong password");
    return {303, session::save(session::load(request.cookie))};
}
} // namespace account

namespace router
{
using Handler = http::Response (*)(const http::Request &);

struct Route {
    const char *prefix;
    Handler handler;
};

const Route routes[] = {
    {"/login", account::login}, {"/cart/order", cart::order}, {"/cart", cart::show},
    {"/search", shop::search},  {"/article", shop::article},  {"/", shop::front},
};

bool matches(const Route &route, const std::string &path)
{
    return path.compare(0, std::strlen(route.prefix), route.prefix) == 0;
}

Handler match(const std::string &path)
{
    for (const Route &route : routes)
        if (matches(route, path))
            return route.handler;
    return nullptr;
}

http::Response dispatch(const http::Request &request)
{
    return match(request.path)(request);
}
} // namespace router

namespace middleware
{
http::Response with_errors(const http::Request &request)
{
    try {
        return router::dispatch(request);
    } catch (const std::runtime_error &error) {
        return {403, error.what()};
    }
}

http::Response with_compression(const http::Request &request)
{
    http::Response response = with_errors(request);
    if (response.body.size() > 200)
        response.body = compress::deflate(response.body);
    return response;
}

http::Response with_session(const http::Request &request)
{
    session::load(request.cookie);
    return with_compression(request);
}
} // namespace middleware

namespace http
{
Request parse(uint32_t number)
{
    static const char *const paths[] = {"/",          "/search?q=lamp", "/article/17",   "/cart", "/search?q=oak",
                                        "/article/4", "/login",         "/search?q=red", "/",     "/cart/order"};
    uint32_t hash = number * 2654435761u;
    return {number, paths[(hash >> 16) % 10], "user" + std::to_string(hash % 9000)};
}

Response answer(const Request &request)
{
    return middleware::with_session(request);
}
} // namespace http
