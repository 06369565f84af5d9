/* By the kernel's own calls, as file_kind.c. Few files are waited for: one that finds no free entry has no name. */
#include "producers/native/file_text.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/hash.h"
#include "base/own_syscalls.h"
#include "producers/native/file_kind.h"
#include "ringviz/producer.h"

#define N_ENTRIES 4096u
#define MOST_PROBES 8u
#define TEXT_BYTES 512u
#define RANGE_BYTES 64u /* of the text of one */

static uint64_t entries[N_ENTRIES]; /* [atomic] upper half of the text's hash, then the id */

struct text {
    char bytes[TEXT_BYTES];
    size_t n;
};

static void add(struct text *text, const char *more)
{
    const size_t n = strlen(more);
    if (n >= sizeof text->bytes - text->n)
        return;
    memcpy(text->bytes + text->n, more, n + 1);
    text->n += n;
}

static void add_number(struct text *text, uint64_t number)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    add(text, digits + at);
}

/* What has no path is pipe:[NUMBER] and the like. */
static void add_path(struct text *text, int fd)
{
    char link[RV_FILE_PATH_BYTES];
    rv_file_path(link, "fd/", (unsigned)fd);
    const long n = rv_os_call(SYS_readlinkat, AT_FDCWD, RV_OS_POINTER(link), RV_OS_POINTER(text->bytes),
                              (long)(sizeof text->bytes - RANGE_BYTES), 0, 0);
    text->n = n > 0 && text->bytes[0] == '/' ? (size_t)n : 0;
    text->bytes[text->n] = '\0';
}

union address {
    struct sockaddr_storage any;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
};

/* call: getsockname or getpeername. Zeroed: there is none. */
static union address address_of(int fd, long call)
{
    union address address = {0};
    socklen_t n = sizeof address;
    if (rv_os_call(call, fd, RV_OS_POINTER(&address), RV_OS_POINTER(&n), 0, 0, 0) != 0)
        address = (union address){0};
    return address;
}

/* The port is at the same place in both families. */
static void add_internet(struct text *text, const union address *address)
{
    char host[INET6_ADDRSTRLEN];
    const bool is_v6 = address->any.ss_family == AF_INET6;
    const void *from = is_v6 ? (const void *)&address->in6.sin6_addr : (const void *)&address->in.sin_addr;
    if (!inet_ntop(address->any.ss_family, from, host, sizeof host))
        return;
    add(text, is_v6 ? "[" : "");
    add(text, host);
    add(text, is_v6 ? "]:" : ":");
    add_number(text, ntohs(address->in.sin_port));
}

static void add_internet_socket(struct text *text, int fd)
{
    const union address own = address_of(fd, SYS_getsockname), peer = address_of(fd, SYS_getpeername);
    const bool is_client = peer.any.ss_family && ntohs(peer.in.sin_port) < ntohs(own.in.sin_port);
    add_internet(text, is_client ? &peer : &own);
}

static void add_unix_socket(struct text *text, int fd)
{
    const union address own = address_of(fd, SYS_getsockname), peer = address_of(fd, SYS_getpeername);
    add(text, *peer.un.sun_path ? peer.un.sun_path : own.un.sun_path);
}

static void add_file(struct text *text, int fd, enum rv_wait_on on)
{
    switch (on) {
    case RV_WAIT_ON_FILE:
    case RV_WAIT_ON_PIPE:
    case RV_WAIT_ON_TERMINAL:
    case RV_WAIT_ON_DEVICE:
        add_path(text, fd);
        break;
    case RV_WAIT_ON_UNIX_SOCKET:
        add_unix_socket(text, fd);
        break;
    case RV_WAIT_ON_INTERNET_SOCKET:
        add_internet_socket(text, fd);
        break;
    case RV_WAIT_ON_NOTHING:
    case RV_WAIT_ON_SOCKET:
    case RV_WAIT_ON_EVENTFD:
    case RV_WAIT_ON_TIMERFD:
    case RV_WAIT_ON_OTHER:
    case RV_WAIT_ON_COUNT:
        break;
    }
}

/* From the file's beginning. */
static void add_range(struct text *text, const struct flock *range)
{
    if (range->l_whence != SEEK_SET || range->l_start < 0 || range->l_len < 0)
        return;
    add(text, range->l_len == 1 ? " byte " : " bytes ");
    add_number(text, (uint64_t)range->l_start);
    add(text, range->l_len == 1 ? "" : "-");
    if (range->l_len > 1)
        add_number(text, (uint64_t)range->l_start + (uint64_t)range->l_len - 1);
}

static uint32_t id_of(const char *text)
{
    const uint64_t hash = rv_hash_bytes(text, strlen(text));
    for (uint64_t i = 0; i < MOST_PROBES; i++) {
        uint64_t *entry = &entries[(hash + i) % N_ENTRIES];
        const uint64_t known = __atomic_load_n(entry, __ATOMIC_RELAXED);
        if (known && known >> 32 == hash >> 32)
            return (uint32_t)known;
        if (known)
            continue;
        const uint32_t id = ringviz_intern("", text, NULL, 0);
        __atomic_store_n(entry, hash >> 32 << 32 | id, __ATOMIC_RELAXED);
        return id;
    }
    return 0;
}

uint32_t rv_file_text_id(int fd, enum rv_wait_on on, const struct flock *range)
{
    struct text text = {.n = 0};
    add_file(&text, fd, on);
    if (text.n && range)
        add_range(&text, range);
    return text.n ? id_of(text.bytes) : 0;
}

/* What has no path any more, such as memory without a file, has its number instead. */
static void add_mapped(struct text *text, const char *path, ino_t inode)
{
    static const char GONE[] = " (deleted)";
    const size_t n = strlen(path), n_gone = sizeof GONE - 1;
    const bool is_gone = n >= n_gone && strcmp(path + n - n_gone, GONE) == 0;
    const size_t n_kept = is_gone ? n - n_gone : n;
    if (n_kept >= sizeof text->bytes - 2 * RANGE_BYTES)
        return;
    memcpy(text->bytes, path, n_kept);
    text->bytes[text->n = n_kept] = '\0';
    add(text, is_gone ? ":" : "");
    if (is_gone)
        add_number(text, inode);
}

uint32_t rv_file_text_id_in(const char *path, ino_t inode, uint64_t at)
{
    struct text text = {.n = 0};
    add_mapped(&text, path, inode);
    if (text.n)
        add_range(&text, &(struct flock){.l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1});
    return text.n ? id_of(text.bytes) : 0;
}
