#include "synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "ringviz/wire.h"

#define STACK_MAX 64
#define SEED 7u

struct player { /* one thread playing its part */
    struct synthetic *synthetic;
    struct synthetic_lane *lane;
    uint64_t now_ns, random;
    struct {
        uint64_t start_ns;
        uint32_t id;
    } stack[STACK_MAX];
    uint32_t depth;
};

static double uniform(struct player *player)
{
    player->random = rv_hash_u64(player->random + 0x9e3779b97f4a7c15u);
    return (double)(player->random >> 11) / 9007199254740992.0;
}

/* Log-normal around the median. */
static double about(struct player *player, double median)
{
    double radius = sqrt(-2.0 * log(uniform(player) + 1e-12));
    return median * exp(0.45 * radius * cos(6.283185307 * uniform(player)));
}

static unsigned between(struct player *player, unsigned low, unsigned high)
{
    return low + (unsigned)(uniform(player) * (double)(high - low + 1));
}

/* "Package::name" -> id, defining it at first sight. */
static uint32_t subroutine(struct player *player, const char *full)
{
    struct rv_subroutines *subroutines = player->synthetic->subroutines;
    const char *split = strstr(full, "|");
    char package[64];
    size_t length = (size_t)(split - full);
    memcpy(package, full, length);
    package[length] = '\0';
    uint32_t n = rv_subroutines_count(subroutines);
    for (uint32_t id = 1; id < n; id++) {
        struct rv_subroutine known = rv_subroutines_get(subroutines, id);
        if (!strcmp(known.name, split + 1) && !strcmp(known.package, package))
            return id;
    }
    uint32_t id = n ? n : 1;
    rv_subroutines_define(subroutines, id, package, split + 1, "app.pm",
                          rv_name_line_form(id, package[0] == '(' ? RV_NAME_STATE : 0));
    return id;
}

static void enter(struct player *player, const char *full)
{
    player->stack[player->depth].start_ns = player->now_ns;
    player->stack[player->depth++].id = subroutine(player, full);
}

static void work(struct player *player, double us)
{
    player->now_ns += (uint64_t)(about(player, us) * 1000.0) + 60;
}

static void leave(struct player *player)
{
    struct synthetic_lane *lane = player->lane;
    lane->spans = rv_vec_reserve(lane->spans, &lane->capacity, lane->n_spans + 1, sizeof *lane->spans);
    player->depth--;
    lane->spans[lane->n_spans++] = (struct rv_span){.start = player->stack[player->depth].start_ns,
                                                    .end = player->now_ns,
                                                    .id = player->stack[player->depth].id,
                                                    .depth = player->depth};
}

static void leaf(struct player *player, const char *full, double us)
{
    enter(player, full);
    work(player, us);
    leave(player);
}

static void query(struct player *player, const char *model, double us, unsigned n_rows)
{
    enter(player, model);
    work(player, 25);
    enter(player, "DBIx::Class|ResultSet::all");
    enter(player, "DBIx::Class|SQLMaker::select");
    work(player, 120);
    leaf(player, "SQL::Abstract|where", 90);
    leave(player);
    enter(player, "DBIx::Class|Storage::DBI::_select");
    enter(player, "DBI|st::execute");
    work(player, 18);
    leaf(player, "(wait)|pg socket", us);
    leave(player);
    for (unsigned row = 0; row < n_rows; row++) {
        leaf(player, "DBI|st::fetch", 4);
        enter(player, "DBIx::Class|Row::inflate_result");
        work(player, 9);
        leaf(player, "DBIx::Class|ResultSource::columns_info", 8);
        leave(player);
    }
    leave(player);
    leave(player);
    work(player, 30);
    leave(player);
}

static void page(struct player *player, unsigned n_blocks, unsigned nesting)
{
    enter(player, nesting ? "Template|Context::include" : "Template|process");
    work(player, 60);
    for (unsigned block = 0; block < n_blocks; block++) {
        enter(player, "Template|Document::_block");
        work(player, 12);
        for (unsigned i = between(player, 1, 4); i; i--) {
            enter(player, "Template|Stash::get");
            work(player, 6);
            if (uniform(player) < 0.5)
                leaf(player, "HTML::Escape|escape_html", 7);
            leave(player);
        }
        if (nesting < 2 && uniform(player) < 0.22)
            page(player, between(player, 2, 5), nesting + 1);
        leave(player);
    }
    leave(player);
}

static void list_orders(struct player *player)
{
    enter(player, "MyApp::Web|Orders::list");
    query(player, "MyApp::Model|Order::search", 2600, between(player, 10, 31));
    query(player, "MyApp::Model|User::prefetch", 900, between(player, 3, 8));
    page(player, between(player, 8, 21), 0);
    leave(player);
}

static void serve_orders(struct player *player)
{
    enter(player, "MyApp::Web|Api::orders");
    query(player, "MyApp::Model|Order::search", 3800, between(player, 26, 55));
    enter(player, "MyApp::Web|Api::serialize");
    for (unsigned i = between(player, 20, 39); i; i--)
        leaf(player, "MyApp::Web|Api::row", 22);
    leaf(player, "JSON::XS|encode_json", 1300);
    leave(player);
    leave(player);
}

static void create_order(struct player *player)
{
    enter(player, "MyApp::Web|Orders::create");
    enter(player, "DBIx::Class|Storage::txn_do");
    query(player, "MyApp::Model|Stock::reserve", 1500, 3);
    query(player, "MyApp::Model|Order::insert", 2200, 1);
    leaf(player, "(wait)|pg socket", 1800);
    leave(player);
    leaf(player, "MyApp::Model|Job::enqueue", 260);
    page(player, between(player, 4, 8), 0);
    leave(player);
}

static void log_in(struct player *player)
{
    enter(player, "MyApp::Web|Login::post");
    query(player, "MyApp::Model|User::by_email", 800, 1);
    leaf(player, "Crypt::Argon2|verify", 9000);
    page(player, 4, 0);
    leave(player);
}

static void answer(struct player *player)
{
    static void (*const actions[])(struct player *) = {list_orders, list_orders, serve_orders, create_order, log_in};
    enter(player, "Plack|Handler::handle_connection");
    work(player, 40);
    leaf(player, "Plack|HTTPParser::parse", 80);
    enter(player, "Plack|Middleware::AccessLog::call");
    enter(player, "Plack|Middleware::Session::call");
    enter(player, "MyApp::Model|Session::load");
    leaf(player, "(wait)|redis socket", 420);
    leave(player);
    enter(player, "MyApp::Web|dispatch");
    leaf(player, "MyApp::Web|Router::match", 120);
    actions[between(player, 0, 4)](player);
    leave(player);
    leave(player);
    leaf(player, "Log::Any|info", 90);
    leave(player);
    leaf(player, "IO|Socket::syswrite", 110);
    leave(player);
}

static void play_reactor(struct player *player)
{
    enter(player, "Mojo::Reactor|one_tick");
    leaf(player, "(wait)|epoll", 2600);
    for (unsigned i = between(player, 1, 4); i; i--) {
        enter(player, "Mojo::Reactor|EV::_io");
        enter(player, "Mojo::Reactor|Server::_accept");
        work(player, 60);
        leaf(player, "IO|Socket::accept", 70);
        leaf(player, "Starman|hand_off", 120);
        leave(player);
        leave(player);
    }
    if (uniform(player) < 0.3)
        leaf(player, "Starman|reap_children", 700);
    leave(player);
}

static void play_worker(struct player *player)
{
    leaf(player, "(wait)|accept", 2300);
    answer(player);
}

static void play_jobs(struct player *player)
{
    leaf(player, "(wait)|queue pop", 5500);
    enter(player, "MyApp::Jobs|perform");
    if (uniform(player) < 0.5) {
        enter(player, "MyApp::Jobs|Invoice::render_pdf");
        query(player, "MyApp::Model|Invoice::load", 1900, 6);
        for (unsigned sheet = 0; sheet < 3; sheet++) {
            enter(player, "PDF::API2|page");
            for (unsigned i = between(player, 4, 10); i; i--) {
                enter(player, "PDF::API2|Content::text");
                leaf(player, "PDF::API2|Font::glyph_widths", 140);
                leave(player);
            }
            leaf(player, "Compress::Zlib|deflate", 1300);
            leave(player);
        }
    } else {
        enter(player, "MyApp::Jobs|Mail::send");
        page(player, 5, 0);
        leaf(player, "(wait)|smtp socket", 5200);
    }
    leave(player);
    leave(player);
}

static void play_log_writer(struct player *player)
{
    leaf(player, "(wait)|cond_wait", 3600);
    enter(player, "Log::Any|drain");
    for (unsigned i = between(player, 2, 8); i; i--) {
        leaf(player, "Log::Any|Adapter::format", 30);
        leaf(player, "IO|File::print", 80);
    }
    leaf(player, "IO|File::sync", 420);
    leave(player);
}

struct part {
    const char *name, *outermost;
    void (*round)(struct player *player);
};

static const struct part parts[SYNTHETIC_LANES] = {
    {"main / reactor", "Starman|master_loop", play_reactor},   {"worker 1", "Starman|worker_loop", play_worker},
    {"worker 2", "Starman|worker_loop", play_worker},          {"worker 3", "Starman|worker_loop", play_worker},
    {"worker 4", "Starman|worker_loop", play_worker},          {"job queue", "MyApp::Jobs|run", play_jobs},
    {"log writer", "Log::Any|writer_thread", play_log_writer},
};

void synthetic_init(struct synthetic *synthetic, uint64_t origin_ns, uint64_t duration_ns)
{
    *synthetic = (struct synthetic){.subroutines = rv_subroutines_create()};
    for (unsigned i = 0; i < SYNTHETIC_LANES; i++) {
        struct player player = {
            .synthetic = synthetic, .lane = &synthetic->lanes[i], .now_ns = origin_ns, .random = SEED + i * 977};
        synthetic->lanes[i].name = parts[i].name;
        enter(&player, parts[i].outermost);
        while (player.now_ns < origin_ns + duration_ns)
            parts[i].round(&player);
        leave(&player);
    }
    for (uint64_t at_ns = 62000000; at_ns < duration_ns && synthetic->n_collections < 64; at_ns += 290000000)
        synthetic->collections[synthetic->n_collections++] = (struct rv_lane_note){
            .start_ns = origin_ns + at_ns, .end_ns = origin_ns + at_ns + 9010000, .kind = RV_NOTE_GC};
}

void synthetic_fini(struct synthetic *synthetic)
{
    for (unsigned i = 0; i < SYNTHETIC_LANES; i++)
        free(synthetic->lanes[i].spans);
    rv_subroutines_destroy(synthetic->subroutines);
}
