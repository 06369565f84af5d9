#include "patch/prepared_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/hash.h"
#include "base/private_cache.h"

#define PAGE 4096u
#define MOST_SITES (1u << 20)
#define MOST_STUB_BYTES (1u << 28)
#define FUNCTION_BEFORE_STUB 16u
#define RESUMES_BEFORE_STUB 8u
#define HIGH_AT 4u /* of a pushed address, from the end of its low half: the opcode between */

struct header { /* in a page of its own, in front of stubs and sites */
    struct rv_patch_plan_key key;
    uint64_t choice; /* hash of what else the request says */
    char boot_id[RV_PRIVATE_CACHE_BOOT_ID_BYTES];
    uint64_t jumps;                 /* of the copy */
    uint64_t bias, stubs;           /* of the process that wrote it: of its image; where its stubs were */
    uint64_t n_stub_bytes, n_sites; /* n_stub_bytes: whole pages */
    struct rv_wire_instrumentation counts;
};
_Static_assert(sizeof(struct header) <= PAGE, "");

/* Functions that are chosen by name, or whose arguments are captured, differ from session to session. */
static bool may_be_kept(const struct rv_patch_request *request)
{
    return request->plans && request->has_functions && request->takes_copy && !request->pattern &&
           !request->n_captured && (!request->wants_import || request->is_for_nameless);
}

static uint64_t hash_of_text(const char *text)
{
    return text ? rv_hash_bytes(text, strlen(text)) : 0;
}

/* And of what stubs look like, which a library of another build may have made. */
static uint64_t hash_of_choice(const struct rv_patch_request *request)
{
    const unsigned flags = request->has_trivial | (request->wants_import != NULL) << 1;
    const uint64_t layout = rv_hash_combine(RV_PATCH_FUNCTION_BEFORE_RESUME, sizeof(struct rv_patch_link));
    const uint64_t hash = rv_hash_combine(rv_hash_combine(layout, flags), hash_of_text(request->kept));
    return rv_hash_combine(rv_hash_combine(hash, hash_of_text(request->filter.include)),
                           hash_of_text(request->filter.exclude));
}

static uint64_t number_of(const struct header *header)
{
    return rv_hash_bytes(header, offsetof(struct header, boot_id));
}

/* Of what the file's number and the start of the machine are. */
static int begin(struct header *header, const struct rv_patch_request *request)
{
    header->choice = hash_of_choice(request);
    return may_be_kept(request) ? rv_private_cache_boot_id(header->boot_id) : -ENOENT;
}

/* ---- reading ---- */

static int read_header(int fd, uint64_t n_file, const struct header *wanted, struct header *header)
{
    if (rv_file_read_at(fd, header, sizeof *header, 0) != (ssize_t)sizeof *header ||
        memcmp(header, wanted, offsetof(struct header, jumps)) != 0 || header->n_stub_bytes % PAGE ||
        header->n_stub_bytes > MOST_STUB_BYTES || !header->n_sites || header->n_sites > MOST_SITES ||
        header->counts.n_imports * sizeof(struct rv_patch_link) + RV_PATCH_LINKS_AT > header->n_stub_bytes)
        return -EBADMSG;
    return n_file == PAGE + header->n_stub_bytes + header->n_sites * sizeof(struct rv_patch_site) ? 0 : -EBADMSG;
}

static int protect(const struct rv_patch_prepared *prepared, int protection)
{
    return mprotect(prepared->stubs, prepared->n_stub_bytes, protection) == 0 ? 0 : -errno;
}

/* Where nothing can be run from that file system, this fails. */
static int map_stubs(int fd, const struct header *header, uint64_t moved_by, struct rv_patch_prepared *prepared)
{
    void *const at = (void *)(uintptr_t)(header->stubs + moved_by);
    void *const mapped =
        mmap(at, header->n_stub_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, PAGE);
    if (mapped == MAP_FAILED)
        return -errno;
    prepared->stubs = mapped;
    prepared->n_stub_bytes = header->n_stub_bytes;
    return mapped == at ? protect(prepared, PROT_READ | PROT_WRITE) : -EEXIST;
}

/* Pages of them that are only read stay the file's. Where all are moved, a page each time would take longer. */
static int map_sites(int fd, const struct header *header, struct rv_patch_prepared *prepared)
{
    const size_t n_bytes = header->n_sites * sizeof *prepared->sites;
    void *const mapped =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)(PAGE + header->n_stub_bytes));
    if (mapped == MAP_FAILED)
        return -errno;
    prepared->sites = mapped;
    prepared->n_mapped = n_bytes;
    return 0;
}

static int copy_sites(int fd, const struct header *header, struct rv_patch_prepared *prepared)
{
    const size_t n_bytes = header->n_sites * sizeof *prepared->sites;
    prepared->sites = malloc(n_bytes + sizeof *prepared->sites);
    if (!prepared->sites)
        return -ENOMEM;
    return rv_file_read_at(fd, prepared->sites, n_bytes, PAGE + header->n_stub_bytes) == (ssize_t)n_bytes ? 0
                                                                                                          : -EBADMSG;
}

static bool is_sound(const struct rv_patch_image *image, const struct rv_patch_site *site)
{
    return site->n_bytes <= RV_PATCH_HOST_BYTES && rv_patch_image_has_code(image, site->address, site->n_bytes);
}

static void move_word(uint8_t *at, uint64_t moved_by)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word += moved_by;
    memcpy(at, &word, sizeof word);
}

/* Two halves, with an opcode between them. */
static void move_pushed(uint8_t *at, uint64_t moved_by)
{
    uint32_t low, high;
    uint8_t *const high_at = at + sizeof low + HIGH_AT;
    memcpy(&low, at, sizeof low);
    memcpy(&high, high_at, sizeof high);
    const uint64_t address = ((uint64_t)high << 32 | low) + moved_by;
    low = (uint32_t)address;
    high = (uint32_t)(address >> 32);
    memcpy(at, &low, sizeof low);
    memcpy(high_at, &high, sizeof high);
}

/* The words of a function's stub that depend on where the program is. False: the stub is elsewhere. */
static bool move_stub(const struct rv_patch_prepared *prepared, const struct rv_patch_site *site, uint64_t moved_by)
{
    const uint64_t at = rv_patch_site_stub(site) - (uint64_t)(uintptr_t)prepared->stubs;
    if (at < FUNCTION_BEFORE_STUB || at >= prepared->n_stub_bytes || prepared->n_stub_bytes - at < RV_PATCH_STUB_BYTES)
        return false;
    uint8_t *const stub = prepared->stubs + at;
    move_word(stub - FUNCTION_BEFORE_STUB, moved_by);
    move_word(stub - RESUMES_BEFORE_STUB, moved_by);
    if (site->pushes_at)
        move_pushed(stub + site->pushes_at, moved_by);
    return true;
}

static int move_sites(const struct rv_patch_image *image, const struct rv_patch_prepared *prepared, uint64_t moved_by)
{
    for (size_t i = 0; i < prepared->n_sites; i++) {
        struct rv_patch_site *site = &prepared->sites[i];
        if (moved_by) {
            site->address += moved_by;
            site->function += moved_by;
        }
        if (!is_sound(image, site) || (i && site->address <= site[-1].address) ||
            (moved_by && !site->is_use && !move_stub(prepared, site, moved_by)))
            return -EBADMSG;
    }
    return 0;
}

static void move_links(const struct rv_patch_prepared *prepared, uint64_t moved_by)
{
    for (size_t i = 0; i < prepared->counts.n_imports && moved_by; i++) {
        uint8_t *const link = prepared->stubs + RV_PATCH_LINKS_AT + i * sizeof(struct rv_patch_link);
        move_word(link + offsetof(struct rv_patch_link, leads_to), moved_by);
        move_word(link + offsetof(struct rv_patch_link, import), moved_by);
        move_word(link + offsetof(struct rv_patch_link, resumes), moved_by);
    }
}

static int take(int fd, const struct header *header, const struct rv_patch_request *request,
                struct rv_patch_prepared *prepared)
{
    const uint64_t moved_by = request->image.bias - header->bias, hooks[] = {request->hook, request->capture_hook};
    int error = map_stubs(fd, header, moved_by, prepared);
    if (!error)
        error = (moved_by ? copy_sites : map_sites)(fd, header, prepared);
    prepared->n_sites = header->n_sites;
    if (!error)
        error = move_sites(&request->image, prepared, moved_by);
    if (error)
        return error;
    prepared->counts = header->counts;
    move_links(prepared, moved_by);
    memcpy(prepared->stubs, hooks, sizeof hooks);
    return protect(prepared, PROT_READ | PROT_EXEC);
}

void rv_patch_prepared_free_sites(struct rv_patch_prepared *prepared)
{
    if (prepared->n_mapped)
        munmap(prepared->sites, prepared->n_mapped);
    else
        free(prepared->sites);
    prepared->sites = NULL;
    prepared->n_sites = prepared->n_mapped = 0;
}

static void drop(struct rv_patch_prepared *prepared)
{
    rv_patch_prepared_free_sites(prepared);
    if (prepared->stubs)
        munmap(prepared->stubs, prepared->n_stub_bytes);
    if (prepared->has_copy)
        close(prepared->copy);
    *prepared = (struct rv_patch_prepared){0};
}

static int find_copy(const struct header *header, const struct rv_patch_request *request,
                     struct rv_patch_prepared *prepared)
{
    const struct rv_patch_copy copy = {.folder = request->plans,
                                       .path = request->path,
                                       .file = request->file,
                                       .key = &header->key,
                                       .image = &request->image};
    prepared->copy = rv_patch_copy_find(&copy, header->jumps);
    prepared->has_copy = prepared->copy >= 0;
    return prepared->has_copy ? 0 : prepared->copy;
}

static int read_file(int fd, uint64_t n_file, const struct rv_patch_request *request, const struct header *wanted,
                     struct rv_patch_prepared *prepared)
{
    struct header header;
    int error = read_header(fd, n_file, wanted, &header);
    if (!error)
        error = find_copy(&header, request, prepared);
    if (!error)
        error = take(fd, &header, request, prepared);
    if (error)
        drop(prepared);
    prepared->is_by_plan = !error;
    return error;
}

int rv_patch_prepared_file_read(const struct rv_patch_request *request, struct rv_patch_prepared *prepared)
{
    struct header wanted = {0};
    uint64_t n_file;
    *prepared = (struct rv_patch_prepared){0};
    int error = begin(&wanted, request);
    if (error)
        return error;
    rv_patch_plan_key(&wanted.key, request->planner, request->file, &request->image);
    const int fd = rv_private_cache_open(request->plans, number_of(&wanted), &n_file);
    if (fd < 0)
        return fd;
    error = read_file(fd, n_file, request, &wanted, prepared);
    close(fd);
    return error;
}

/* ---- writing ---- */

/* Whole pages, as they were mapped. */
static size_t count_used(const struct rv_patch_prepared *prepared)
{
    size_t n = prepared->n_stub_bytes;
    while (n && !prepared->stubs[n - 1])
        n--;
    n = n + RV_PATCH_STUB_BYTES < prepared->n_stub_bytes ? n + RV_PATCH_STUB_BYTES : prepared->n_stub_bytes;
    return (n + PAGE - 1) / PAGE * PAGE;
}

int rv_patch_prepared_file_write(const struct rv_patch_request *request, const struct rv_patch_plan_key *key,
                                 const struct rv_patch_prepared *prepared)
{
    static const uint8_t ZEROES[PAGE];
    const struct rv_patch_copy copy = {
        .image = &request->image, .sites = prepared->sites, .n_sites = prepared->n_sites};
    struct header header = {.key = *key,
                            .jumps = rv_patch_copy_jumps(&copy),
                            .bias = request->image.bias,
                            .stubs = (uint64_t)(uintptr_t)prepared->stubs,
                            .n_stub_bytes = count_used(prepared),
                            .n_sites = prepared->n_sites,
                            .counts = prepared->counts};
    const int error = begin(&header, request);
    const struct iovec parts[] = {{&header, sizeof header},
                                  {(void *)(uintptr_t)ZEROES, PAGE - sizeof header},
                                  {prepared->stubs, header.n_stub_bytes},
                                  {prepared->sites, header.n_sites * sizeof *prepared->sites}};
    return error ? error : rv_private_cache_write(request->plans, number_of(&header), parts, 4);
}
