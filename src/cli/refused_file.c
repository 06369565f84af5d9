#include "cli/refused_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/piped_input.h"
#include "base/err.h"
#include "base/exec.h"
#include "import/text_reader.h"
#include "recording/chunk_reader.h"
#include "ringviz/wire.h"

enum { HEAD_BYTES = 4096, FEW_PACKETS = 3 };

static const struct {
    const char *begin; /* of the file */
    const char *what;
} KNOWN[] = {
    {"\xfd"
     "7zXZ",
     "packed by xz, which ringviz does not unpack: xz -d"},
    {"BZh", "packed by bzip2, which ringviz does not unpack: bzip2 -d"},
    {"\x04\x22\x4d\x18", "packed by lz4, which ringviz does not unpack: lz4 -d"},
    {"PK\x03\x04", "a zip archive, which ringviz does not unpack: unzip"},
    {"PERFILE2", "what perf record wrote: ringviz opens it as text, perf script -i FILE | ringviz -"},
    {"<!DOCTYPE html", "a page for a browser, as of --export=html: ringviz opens the recording that it was made of"},
};

/* A field 1 of bytes, as of protobuf. Its size, 0: it is none. */
static uint64_t packet_bytes(const uint8_t *at, size_t n)
{
    uint64_t n_content = 0;
    for (size_t i = 1; i < n && i <= 5 && at[0] == 0x0a; i++) {
        n_content |= (uint64_t)(at[i] & 0x7f) << 7 * (i - 1);
        if (!(at[i] & 0x80))
            return 1 + i + n_content;
    }
    return 0;
}

/* Packets of Perfetto's Trace, up to the file's end or some of them. */
static bool is_perfetto(const char *head, size_t n)
{
    size_t at = 0;
    for (int i = 0; i < FEW_PACKETS && at < n; i++) {
        const uint64_t n_packet = packet_bytes((const uint8_t *)head + at, n - at);
        if (n_packet == 0)
            return false;
        at += n_packet;
    }
    return n > 0 && (at <= n || n == HEAD_BYTES);
}

/* What a trace file begins with, if there is a beginning. */
static uint64_t magic_of(const char *head, size_t n)
{
    uint64_t magic = 0;
    if (n >= sizeof magic)
        memcpy(&magic, head, sizeof magic);
    return magic;
}

/* In either byte order. */
static bool is_trace_file(uint64_t magic)
{
    return magic == RV_WIRE_MAGIC || magic == __builtin_bswap64(RV_WIRE_MAGIC);
}

static const char *what_is(const char *head, size_t n)
{
    if (is_trace_file(magic_of(head, n)))
        return "a trace file, which programs write to: ringviz opens it by its path only";
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (n >= strlen(KNOWN[i].begin) && memcmp(head, KNOWN[i].begin, strlen(KNOWN[i].begin)) == 0)
            return KNOWN[i].what;
    if (rv_rec_is_recording(head, n)) /* plain ones are opened */
        return "a recording that was packed again: unpack it first";
    if (is_perfetto(head, n))
        return "a Perfetto trace, as of --export=perfetto: ringviz opens the recording that it was made of, or what "
               "Perfetto's traceconv makes of it: traceconv json";
    return "not a trace file, a recording or a known trace of another tool";
}

/* A command is often given without the "--" before it. */
static int explain_absent(const char *path)
{
    char program[PATH_MAX];
    return *path && rv_exec_find(path, program, sizeof program)
               ? rv_err(ENOENT, "%s: No such file; to trace the command: ringviz -- %s", path, path)
               : 0;
}

int rv_refused_file_explain(const char *path)
{
    struct stat file;
    char head[HEAD_BYTES];
    if (stat(path, &file) != 0)
        return explain_absent(path);
    const size_t n = S_ISREG(file.st_mode) ? rv_text_reader_head(path, head, sizeof head) : 0;
    const uint64_t magic = magic_of(head, n);
    const bool may_be_trace_file = !magic || is_trace_file(magic);
    if (may_be_trace_file && !rv_piped_input_is(path))
        return 0;
    if (access(path, X_OK) == 0)
        return rv_err(EBADMSG, "%s: a program, not a trace; to trace it: ringviz -- %s%s", path,
                      strchr(path, '/') ? "" : "./", path);
    return rv_err(EBADMSG, "%s: %s", path, file.st_size ? what_is(head, n) : "empty");
}
