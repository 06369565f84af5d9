/* By the kernel's own calls: the wrappers of the C library's are what asks. */
#include "producers/native/file_queue.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/hash.h"
#include "base/own_syscalls.h"
#include "producers/native/file_kind.h"
#include "producers/native/own_files.h"

#define MOST_PAIRS 256u /* a new pair takes the place of the oldest */

static struct pair {
    uint64_t a, b; /* [atomic] inode numbers of both ends */
} pairs[MOST_PAIRS];
static uint32_t n_pairs; /* [atomic] pairs so far */
static bool knows_peers; /* [atomic] the kernel has told one */

static struct stat status_of(int fd)
{
    struct stat status = {.st_ino = 0};
    return rv_os_call(SYS_fstat, fd, RV_OS_POINTER(&status), 0, 0, 0, 0) == 0 ? status : (struct stat){.st_ino = 0};
}

static uint64_t number_of(enum rv_wait_on on, uint64_t id)
{
    return id ? rv_hash_combine(on, id) : 0;
}

/* ---- the other end of a Unix socket ---- */

static void note_pair(uint64_t a, uint64_t b)
{
    struct pair *pair = &pairs[__atomic_fetch_add(&n_pairs, 1, __ATOMIC_RELAXED) % MOST_PAIRS];
    __atomic_store_n(&pair->a, a, __ATOMIC_RELAXED);
    __atomic_store_n(&pair->b, b, __ATOMIC_RELAXED);
}

void rv_file_queue_pair(int a, int b)
{
    note_pair(status_of(a).st_ino, status_of(b).st_ino);
}

static uint64_t paired_with(uint64_t inode)
{
    for (unsigned i = 0; i < MOST_PAIRS && inode; i++) {
        const uint64_t a = __atomic_load_n(&pairs[i].a, __ATOMIC_RELAXED),
                       b = __atomic_load_n(&pairs[i].b, __ATOMIC_RELAXED);
        if (a == inode || b == inode)
            return a == inode ? b : a;
    }
    return 0;
}

struct answer {
    struct nlmsghdr head;
    struct unix_diag_msg socket;
    struct rtattr attribute;
    uint32_t peer;
};

struct question {
    struct {
        struct nlmsghdr head;
        struct unix_diag_req socket;
    } sent;
    struct answer answer;
    long n_bytes; /* of the answer */
};

static void ask(void *context)
{
    struct question *question = context;
    const long fd = rv_os_call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG, 0, 0, 0);
    if (fd < 0)
        return;
    if (rv_os_call(SYS_sendto, fd, RV_OS_POINTER(&question->sent), sizeof question->sent, MSG_DONTWAIT, 0, 0) > 0)
        question->n_bytes =
            rv_os_call(SYS_recvfrom, fd, RV_OS_POINTER(&question->answer), sizeof question->answer, MSG_DONTWAIT, 0, 0);
    (void)rv_os_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static bool is_peer(const struct answer *answer, long n_bytes)
{
    return n_bytes >= (long)sizeof *answer && answer->head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
           answer->attribute.rta_type == UNIX_DIAG_PEER;
}

/* The kernel knows (sock_diag(7)). 0: it is not connected, or the kernel does not answer. */
static uint64_t ask_for_peer(uint64_t inode)
{
    struct question question = {.sent = {.head = {sizeof question.sent, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0},
                                         .socket = {.sdiag_family = AF_UNIX,
                                                    .udiag_states = UINT32_MAX,
                                                    .udiag_ino = (uint32_t)inode,
                                                    .udiag_show = UDIAG_SHOW_PEER,
                                                    .udiag_cookie = {UINT32_MAX, UINT32_MAX}}},
                                .n_bytes = 0};
    rv_own_files_run(ask, &question);
    if (!is_peer(&question.answer, question.n_bytes))
        return 0;
    __atomic_store_n(&knows_peers, true, __ATOMIC_RELAXED);
    return question.answer.peer;
}

/* stays: the socket is connected once. To ask takes long. */
static uint64_t peer_of(uint64_t inode, bool stays)
{
    const uint64_t paired = paired_with(inode);
    const uint64_t peer = paired ? paired : ask_for_peer(inode);
    if (peer && !paired && stays)
        note_pair(inode, peer);
    return peer;
}

/* ---- sockets by their addresses ---- */

struct name {     /* address of one end of a connection */
    uint8_t port; /* bytes that identify a listening socket, which may have any address of its host: the port; 0: all */
    uint8_t n;
    uint8_t bytes[sizeof(struct sockaddr_un)];
};

static void add(struct name *name, const void *bytes, size_t n)
{
    memcpy(name->bytes + name->n, bytes, n);
    name->n += (uint8_t)n;
}

static void add_internet(struct name *name, const void *port, const void *host, size_t n)
{
    add(name, port, sizeof(in_port_t));
    name->port = name->n;
    add(name, host, n);
}

/* n: 0 for an address without a name. */
static struct name name_of_address(const void *address, socklen_t n_bytes)
{
    struct name name = {.n = 0};
    sa_family_t family = AF_UNSPEC;
    if (n_bytes >= sizeof family)
        memcpy(&family, address, sizeof family);
    const struct sockaddr_in *in = address;
    const struct sockaddr_in6 *in6 = address;
    if (family == AF_INET && n_bytes >= sizeof *in)
        add_internet(&name, &in->sin_port, &in->sin_addr, sizeof in->sin_addr);
    else if (family == AF_INET6 && n_bytes >= sizeof *in6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
        add_internet(&name, &in6->sin6_port, &in6->sin6_addr.s6_addr[12], sizeof in->sin_addr);
    else if (family == AF_INET6 && n_bytes >= sizeof *in6)
        add_internet(&name, &in6->sin6_port, &in6->sin6_addr, sizeof in6->sin6_addr);
    else if (family == AF_UNIX && n_bytes <= sizeof name.bytes)
        add(&name, (const char *)address + sizeof family, n_bytes - sizeof family);
    if (family == AF_UNIX && name.n && *name.bytes) /* a path, whether its NUL is counted or not */
        name.n = (uint8_t)strnlen((const char *)name.bytes, name.n);
    return name;
}

/* call: getsockname or getpeername. */
static struct name name_of(int fd, long call)
{
    struct sockaddr_storage address;
    socklen_t n = sizeof address;
    return rv_os_call(call, fd, RV_OS_POINTER(&address), RV_OS_POINTER(&n), 0, 0, 0) == 0 ? name_of_address(&address, n)
                                                                                          : (struct name){.n = 0};
}

static int option_of(int fd, int option)
{
    int value = 0;
    socklen_t n = sizeof value;
    return rv_os_call(SYS_getsockopt, fd, SOL_SOCKET, option, RV_OS_POINTER(&value), RV_OS_POINTER(&n), 0) == 0 ? value
                                                                                                                : 0;
}

/* The queue of a socket that others send to without a connection, or connect to. */
static uint64_t queue_at(const struct name *name)
{
    const size_t n = name->port ? name->port : name->n;
    return n ? number_of(RV_WAIT_ON_SOCKET, rv_hash_bytes(name->bytes, n)) : 0;
}

static uint64_t queue_between(const struct name *from, const struct name *to)
{
    return from->n || to->n ? number_of(RV_WAIT_ON_INTERNET_SOCKET,
                                        rv_hash_bytes_seeded(to->bytes, to->n, rv_hash_bytes(from->bytes, from->n)))
                            : 0;
}

uint64_t rv_file_queue_of_address(const struct sockaddr *address, socklen_t n)
{
    const struct name name = name_of_address(address, n);
    return queue_at(&name);
}

/* One end of a Unix connection to an address: only the end that was accepted asks for the other, which has no name. */
static uint64_t queue_to_address(uint64_t inode, bool is_out, bool has_connected)
{
    const uint64_t connected = has_connected ? inode : peer_of(inode, true);
    return connected ? number_of(RV_WAIT_ON_UNIX_SOCKET, rv_hash_combine(connected, is_out == has_connected)) : 0;
}

/* Does the kernel tell the peers of Unix sockets, such as this one? */
static bool tells_peers(uint64_t inode)
{
    return __atomic_load_n(&knows_peers, __ATOMIC_RELAXED) || peer_of(inode, true);
}

/* A Unix socket that connects has no name: where the kernel does not tell its peer, of several that are connected to the
 * same, each will do. Of those that have two names or none, only who sends asks: the queue is that of who receives. */
static uint64_t queue_of_socket(int fd, bool is_out, bool is_unix)
{
    const bool listens = option_of(fd, SO_ACCEPTCONN), is_datagram = option_of(fd, SO_TYPE) == SOCK_DGRAM;
    const uint64_t inode = is_unix && !listens ? status_of(fd).st_ino : 0;
    const struct name own = name_of(fd, SYS_getsockname), peer = name_of(fd, SYS_getpeername);
    if (inode && !is_datagram && !own.n != !peer.n && tells_peers(inode))
        return queue_to_address(inode, is_out, peer.n);
    if (inode && !is_out && __atomic_load_n(&knows_peers, __ATOMIC_RELAXED))
        return number_of(RV_WAIT_ON_UNIX_SOCKET, inode);
    const uint64_t peer_inode = inode ? peer_of(inode, !is_datagram) : 0;
    if (is_unix && !listens && (peer_inode || is_datagram))
        return number_of(RV_WAIT_ON_UNIX_SOCKET, is_out ? peer_inode : inode);
    if (listens || is_datagram)
        return is_out ? queue_at(&peer) : queue_at(&own);
    return is_out ? queue_between(&own, &peer) : queue_between(&peer, &own);
}

/* ---- all files ---- */

struct lines { /* of a file, of /proc */
    unsigned fd;
    char text[512];
};

static void read_lines(void *context)
{
    struct lines *lines = context;
    char path[RV_FILE_PATH_BYTES];
    rv_file_path(path, "fdinfo/", lines->fd);
    const long file = rv_os_call(SYS_openat, AT_FDCWD, RV_OS_POINTER(path), O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (file < 0)
        return;
    const long n = rv_os_call(SYS_read, file, RV_OS_POINTER(lines->text), sizeof lines->text - 1, 0, 0, 0);
    (void)rv_os_call(SYS_close, file, 0, 0, 0, 0, 0);
    lines->text[n > 0 ? n : 0] = '\0';
}

/* "eventfd-id: N" among its lines. */
static uint64_t id_of_eventfd(int fd)
{
    static const char KEY[] = "eventfd-id:";
    struct lines lines = {.fd = (unsigned)fd, .text = ""};
    rv_own_files_run(read_lines, &lines);
    const char *at = strstr(lines.text, KEY);
    uint64_t id = 0;
    if (!at)
        return 0;
    for (at += sizeof KEY - 1 + strspn(at + sizeof KEY - 1, " \t"); *at >= '0' && *at <= '9'; at++)
        id = id * 10 + (uint64_t)(*at - '0');
    return id + 1;
}

static uint64_t queue_of(int fd, enum rv_wait_on on, bool is_out)
{
    struct stat status;
    switch (on) {
    case RV_WAIT_ON_PIPE:
        status = status_of(fd);
        return number_of(on, status.st_ino ? rv_hash_combine(status.st_dev, status.st_ino) : 0);
    case RV_WAIT_ON_EVENTFD:
        return number_of(on, id_of_eventfd(fd));
    case RV_WAIT_ON_UNIX_SOCKET:
    case RV_WAIT_ON_INTERNET_SOCKET:
        return queue_of_socket(fd, is_out, on == RV_WAIT_ON_UNIX_SOCKET);
    case RV_WAIT_ON_NOTHING:
    case RV_WAIT_ON_FILE:
    case RV_WAIT_ON_SOCKET:
    case RV_WAIT_ON_TERMINAL:
    case RV_WAIT_ON_DEVICE:
    case RV_WAIT_ON_TIMERFD:
    case RV_WAIT_ON_OTHER:
    case RV_WAIT_ON_COUNT:
        break;
    }
    return 0;
}

uint64_t rv_file_queue_in(int fd, enum rv_wait_on on)
{
    return queue_of(fd, on, false);
}

uint64_t rv_file_queue_out(int fd, enum rv_wait_on on)
{
    return queue_of(fd, on, true);
}
