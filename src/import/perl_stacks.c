#include "import/perl_stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/os.h"
#include "base/vec.h"
#include "import/process_memory.h"
#include "symbols/elf_symbols.h"

enum { MOST_STACKINFOS = 64, TRIES = 3 };

static uint64_t u64_at(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static int32_t i32_at(const uint8_t *bytes)
{
    int32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* 0 if it cannot be read. */
static uint64_t get_u64(const struct rv_perl_process *perl, uint64_t address)
{
    uint64_t value;
    return address && rv_process_memory_get(perl->pid, address, &value, sizeof value) ? value : 0;
}

static uint32_t get_u32(const struct rv_perl_process *perl, uint64_t address)
{
    uint32_t value;
    return address && rv_process_memory_get(perl->pid, address, &value, sizeof value) ? value : 0;
}

/* ---- which perl ---- */

struct image {
    struct rv_elf *elf;
    char path[4096];
    uint64_t bias; /* run-time minus link-time addresses */
};

/* The module with the interpreter: perl itself, or libperl in another program. */
static bool find_image(pid_t pid, struct image *image)
{
    static const char *const prefixes[] = {NULL, "libperl.so"};
    const struct rv_elf_identity any = {0};
    uint64_t address;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        uint64_t start = rv_process_memory_module(pid, prefixes[i], image->path, sizeof image->path);
        image->elf = start ? rv_elf_open(image->path, &any) : NULL;
        if (image->elf && rv_elf_variable(image->elf, "PL_curinterp", &address)) {
            struct rv_elf_image mapped = rv_elf_image(image->elf);
            image->bias = mapped.is_relocatable ? start - mapped.first_address : 0;
            return true;
        }
        rv_elf_close(image->elf);
    }
    return false;
}

static uint64_t find_variable(const struct image *image, const char *name)
{
    uint64_t address;
    return rv_elf_variable(image->elf, name, &address) ? address + image->bias : 0;
}

/* The value of the first hash entry whose key has this prefix; 0 if none. */
static uint64_t find_entry(const struct rv_perl_process *perl, uint64_t hash, const char *prefix)
{
    enum { MOST_SLOTS = 256, MOST_ENTRIES = 16 };
    const struct rv_perl_layout *layout = &perl->layout;
    uint64_t slots = get_u64(perl, hash + layout->sv.value);
    uint64_t last = get_u64(perl, get_u64(perl, hash + layout->sv.any) + layout->hv.last_slot);
    for (uint64_t i = 0; slots && i <= last && i < MOST_SLOTS; i++) {
        uint64_t entry = get_u64(perl, slots + i * sizeof entry);
        for (int k = 0; entry && k < MOST_ENTRIES; k++, entry = get_u64(perl, entry + layout->he.next)) {
            char key[32];
            uint64_t hek = get_u64(perl, entry + layout->he.key);
            if (rv_process_memory_get_string(perl->pid, hek + layout->hek.key, key, sizeof key) &&
                strncmp(key, prefix, strlen(prefix)) == 0)
                return get_u64(perl, entry + layout->he.value);
        }
    }
    return 0;
}

/* A variable of an interpreter; without threads, of the program. */
static uint64_t address_of(uint64_t variable, uint64_t interpreter, uint32_t offset)
{
    return variable ? variable : interpreter + offset;
}

/* Does the layout fit? Then $^V, or the object's source, is a text at its place. */
static bool is_version(struct rv_perl_process *perl, unsigned oldest, unsigned newest)
{
    char text[64];
    unsigned revision, version;
    const struct rv_perl_layout *layout = &perl->layout;
    uint64_t interpreter = get_u64(perl, perl->curinterp);
    uint64_t sv = get_u64(perl, address_of(perl->variables.patchlevel, interpreter, layout->interpreter.patchlevel));
    if (get_u32(perl, sv + layout->sv.flags) & layout->sv.is_reference)
        sv = find_entry(perl, get_u64(perl, sv + layout->sv.value), "original");
    if (!rv_process_memory_get_string(perl->pid, get_u64(perl, sv + layout->sv.value), text, sizeof text) ||
        sscanf(text, "v%u.%u.", &revision, &version) != 2)
        return false;
    perl->layout.revision = revision;
    perl->layout.version = version;
    return revision == RV_PERL_REVISION && version >= oldest && version <= newest;
}

static bool is_learned(struct rv_perl_process *perl, uint16_t interpreter_bytes)
{
    return perl->layout.interpreter_bytes == interpreter_bytes && is_version(perl, RV_PERL_OLDEST, RV_PERL_NEWEST);
}

static bool try_headers(struct rv_perl_process *perl, const char *folder, uint16_t interpreter_bytes)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/root%s/CORE", perl->pid, folder);
    if (stat(path, &status) != 0)
        return false;
    for (int is_debugging = 0; is_debugging < 2; is_debugging++)
        if (rv_perl_layout_from_headers(&perl->layout, path, is_debugging) == 0 && is_learned(perl, interpreter_bytes))
            return true;
    return false;
}

/* A perl's file contains its installation path. */
static bool find_headers(struct rv_perl_process *perl, const struct image *image, uint16_t interpreter_bytes)
{
    enum { MOST_BYTES = 256 };
    FILE *file = fopen(image->path, "re");
    char *text = NULL, last[MOST_BYTES] = "";
    size_t capacity = 0;
    bool is_found = false;
    while (file && !is_found && getdelim(&text, &capacity, '\0', file) > 0) {
        if (*text != '/' || !strstr(text, "perl") || strlen(text) >= sizeof last || strcmp(text, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", text);
        is_found = try_headers(perl, text, interpreter_bytes);
    }
    free(text);
    if (file)
        fclose(file);
    return is_found;
}

static bool find_layout(struct rv_perl_process *perl, const struct image *image, uint16_t interpreter_bytes)
{
    perl->layout = RV_PERL_LAYOUT_5_36;
    if (interpreter_bytes == RV_PERL_LAYOUT_5_36.interpreter_bytes &&
        is_version(perl, RV_PERL_LAYOUT_5_36.version, RV_PERL_LAYOUT_5_36.version))
        return true;
    return (rv_perl_layout_from_dwarf(&perl->layout, image->path) == 0 && is_learned(perl, interpreter_bytes)) ||
           find_headers(perl, image, interpreter_bytes);
}

static int open_image(struct rv_perl_process *perl, const struct image *image, char *why, size_t why_bytes)
{
    uint64_t interpreter;
    uint16_t bytes = 1; /* as of perls without threads, which do not store it */
    perl->curinterp = find_variable(image, "PL_curinterp");
    perl->variables.curcop = find_variable(image, "PL_curcop");
    perl->variables.curstackinfo = find_variable(image, "PL_curstackinfo");
    perl->variables.patchlevel = find_variable(image, "PL_patchlevel");
    const struct rv_process_memory_piece pieces[] = {{perl->curinterp, &interpreter, sizeof interpreter},
                                                     {find_variable(image, "PL_interp_size"), &bytes, sizeof bytes}};
    int error = rv_process_memory_read(perl->pid, pieces, pieces[1].address ? 2 : 1);
    if (error)
        snprintf(why, why_bytes, "%d: cannot read its memory: %s", perl->pid, strerror(-error));
    if (!error && !interpreter) {
        snprintf(why, why_bytes, "%d: its perl interpreter has not started or has ended", perl->pid);
        error = -EAGAIN;
    }
    if (!error && !find_layout(perl, image, bytes)) {
        snprintf(why, why_bytes,
                 "%d: unknown perl version (interpreter of %u bytes); supported are 5.%u to 5.%u, with "
                 "their debug information (Debian: perl-debug) or with their headers and a C compiler (libperl-dev)",
                 perl->pid, bytes, RV_PERL_OLDEST, RV_PERL_NEWEST);
        error = -EPROTONOSUPPORT;
    }
    return error;
}

int rv_perl_stacks_open(struct rv_perl_process *perl, pid_t pid, char *why, size_t why_bytes)
{
    *perl = (struct rv_perl_process){.pid = pid, .start = rv_os_process_start(pid)};
    struct image image;
    if (!perl->start) {
        snprintf(why, why_bytes, "%d: no such process", pid);
        return -ESRCH;
    }
    if (!find_image(pid, &image)) {
        snprintf(why, why_bytes, "%d: not a perl that can be sampled: it must be your process and have symbols", pid);
        return -ENOENT;
    }
    int error = open_image(perl, &image, why, why_bytes);
    rv_elf_close(image.elf);
    return error;
}

/* ---- threads ---- */

/*
 * threads.pm keeps its threads in a ring, which starts in the first thread's record at the front of its pool; the
 * pool's address is in PL_modglobal. Perl's headers do not declare the record; its first fields have been the same
 * since 5.8, and they are used only if they form a ring.
 */
struct record {
    uint64_t next, previous, interpreter, number;
};

static bool read_record(const struct rv_perl_process *perl, uint64_t address, struct record *record)
{
    return address && rv_process_memory_get(perl->pid, address, record, sizeof *record);
}

static size_t read_ring(const struct rv_perl_process *perl, uint64_t pool, struct rv_perl_thread *threads, size_t max)
{
    struct record record;
    uint64_t before = 0, at = pool;
    size_t n = 1;
    if (!read_record(perl, pool, &record) || record.interpreter != threads[0].interpreter || record.number != 0)
        return 1;
    before = record.previous;
    while (n < max) {
        if (!read_record(perl, at, &record) || (at != pool && record.previous != before))
            return 1;
        if (at != pool && record.interpreter)
            threads[n++] = (struct rv_perl_thread){record.interpreter, record.number};
        before = at;
        at = record.next;
        if (at == pool)
            return n;
    }
    return n;
}

size_t rv_perl_stacks_threads(const struct rv_perl_process *perl, struct rv_perl_thread *threads, size_t max)
{
    const struct rv_perl_layout *layout = &perl->layout;
    threads[0] = (struct rv_perl_thread){.interpreter = get_u64(perl, perl->curinterp)};
    if (!threads[0].interpreter)
        return 0;
    uint64_t globals =
        layout->interpreter.modglobal ? get_u64(perl, threads[0].interpreter + layout->interpreter.modglobal) : 0;
    uint64_t sv = globals ? find_entry(perl, globals, "threads::_pool") : 0;
    uint64_t pool = sv ? get_u64(perl, get_u64(perl, sv + layout->sv.any) + layout->sv.integer) : 0;
    return pool ? read_ring(perl, pool, threads, max) : 1;
}

/* The interpreters of a perl with threads begin with PL_stack_sp and PL_op. */
uint64_t rv_perl_stacks_progress(const struct rv_perl_process *perl, uint64_t interpreter)
{
    uint64_t words[2];
    return rv_process_memory_get(perl->pid, interpreter, words, sizeof words) ? rv_hash_bytes(words, sizeof words) : 0;
}

/* ---- stacks ---- */

/* The context stacks, innermost first: each sort block, tie or signal handler has its own. */
static int read_stackinfos(const struct rv_perl_process *perl, uint64_t address, uint64_t *contexts, size_t *n_contexts)
{
    const struct rv_perl_layout *layout = &perl->layout;
    uint8_t info[64];
    int n = 0;
    for (; address && n < MOST_STACKINFOS; n++) {
        if (!rv_process_memory_get(perl->pid, address, info, sizeof info))
            return -EFAULT;
        int32_t last = i32_at(info + layout->stackinfo.last);
        contexts[n] = u64_at(info + layout->stackinfo.contexts);
        n_contexts[n] = last < 0 ? 0 : (size_t)last + 1;
        address = u64_at(info + layout->stackinfo.previous);
    }
    return n;
}

static bool is_call(const struct rv_perl_layout *layout, uint8_t type)
{
    uint8_t kind = type & layout->context.type_mask;
    return (kind == layout->context.type_sub || kind == layout->context.type_format) && !(type & layout->context.fake);
}

static int read_contexts(struct rv_perl_stack *stack, const struct rv_perl_process *perl, uint64_t address, size_t n)
{
    const struct rv_perl_layout *layout = &perl->layout;
    if (n > RV_PERL_FRAMES)
        n = RV_PERL_FRAMES;
    size_t n_bytes = n * layout->context.bytes;
    stack->contexts = rv_vec_reserve(stack->contexts, &stack->contexts_capacity, n_bytes, 1);
    if (n && !rv_process_memory_get(perl->pid, address, stack->contexts, n_bytes))
        return -EFAULT;
    for (size_t i = 0; i < n && stack->n_cvs < RV_PERL_FRAMES; i++) {
        const uint8_t *context = stack->contexts + i * layout->context.bytes;
        if (!is_call(layout, *context))
            continue;
        stack->cvs = rv_vec_reserve(stack->cvs, &stack->cvs_capacity, stack->n_cvs + 1, sizeof *stack->cvs);
        stack->cvs[stack->n_cvs++] = u64_at(context + layout->context.sub);
    }
    return 0;
}

/* Read once the CVs of all open calls, outermost first, and the statement. */
static int look(struct rv_perl_stack *stack, const struct rv_perl_process *perl, uint64_t interpreter)
{
    uint64_t contexts[MOST_STACKINFOS], stackinfo;
    size_t n_contexts[MOST_STACKINFOS];
    const struct rv_process_memory_piece pieces[] = {
        {address_of(perl->variables.curcop, interpreter, perl->layout.interpreter.curcop), &stack->statement.cop,
         sizeof stack->statement.cop},
        {address_of(perl->variables.curstackinfo, interpreter, perl->layout.interpreter.curstackinfo), &stackinfo,
         sizeof stackinfo}};
    int error = rv_process_memory_read(perl->pid, pieces, 2);
    int n = error ? error : read_stackinfos(perl, stackinfo, contexts, n_contexts);
    stack->n_cvs = 0;
    error = n < 0 ? n : 0;
    while (!error && n-- > 0)
        error = read_contexts(stack, perl, contexts[n], n_contexts[n]);
    return error;
}

static void keep_look(struct rv_perl_stack *stack)
{
    uint64_t *cvs = stack->again;
    size_t capacity = stack->again_capacity;
    stack->again = stack->cvs;
    stack->again_capacity = stack->cvs_capacity;
    stack->n_again = stack->n_cvs;
    stack->cvs = cvs;
    stack->cvs_capacity = capacity;
}

static bool is_same_look(const struct rv_perl_stack *stack)
{
    return stack->n_cvs == stack->n_again &&
           (stack->n_cvs == 0 || memcmp(stack->cvs, stack->again, stack->n_cvs * sizeof *stack->cvs) == 0);
}

/* Read the bodies of all CVs, which identify their subroutines, in two system calls. */
static int read_subs(struct rv_perl_stack *stack, const struct rv_perl_process *perl)
{
    enum { BODY_BYTES = 96 };
    const struct rv_perl_layout *layout = &perl->layout;
    const size_t n = stack->n_cvs;
    stack->subs = rv_vec_reserve(stack->subs, &stack->capacity, n, sizeof *stack->subs);
    stack->pieces = rv_vec_reserve(stack->pieces, &stack->pieces_capacity, n, sizeof *stack->pieces);
    stack->bodies = rv_vec_reserve(stack->bodies, &stack->bodies_capacity, n * BODY_BYTES, 1);
    for (size_t i = 0; i < n; i++)
        stack->pieces[i] =
            (struct rv_process_memory_piece){stack->cvs[i] + layout->sv.any, stack->bodies + i * BODY_BYTES, 8};
    int error = rv_process_memory_read(perl->pid, stack->pieces, n);
    for (size_t i = 0; i < n && !error; i++)
        stack->pieces[i] =
            (struct rv_process_memory_piece){u64_at(stack->pieces[i].out), stack->pieces[i].out, BODY_BYTES};
    if (!error)
        error = rv_process_memory_read(perl->pid, stack->pieces, n);
    for (size_t i = 0; i < n && !error; i++) {
        const uint8_t *body = stack->bodies + i * BODY_BYTES;
        stack->subs[i] = (struct rv_perl_sub){.cv = stack->cvs[i],
                                              .stash = u64_at(body + layout->cv.stash),
                                              .start = u64_at(body + layout->cv.start),
                                              .gv = u64_at(body + layout->cv.gv),
                                              .file = u64_at(body + layout->cv.file),
                                              .flags = (uint32_t)i32_at(body + layout->cv.flags)};
    }
    stack->n = error ? 0 : n;
    return error;
}

/* Address of a statement's file name. */
static uint64_t file_name(const struct rv_perl_process *perl, uint64_t file)
{
    enum { MARK_BYTES = 2 }; /* "_<" */
    if (!perl->layout.cop.is_glob || !file)
        return file;
    uint64_t body = get_u64(perl, file + perl->layout.sv.any);
    uint64_t hek = body ? get_u64(perl, body + perl->layout.gv.name) : 0;
    return hek ? hek + perl->layout.hek.key + MARK_BYTES : 0;
}

static int read_statement(struct rv_perl_statement *statement, const struct rv_perl_process *perl)
{
    statement->file = statement->line = 0;
    if (!statement->cop)
        return 0;
    const struct rv_process_memory_piece pieces[] = {
        {statement->cop + perl->layout.cop.line, &statement->line, sizeof statement->line},
        {statement->cop + perl->layout.cop.file, &statement->file, sizeof statement->file}};
    int error = rv_process_memory_read(perl->pid, pieces, 2);
    statement->file = error ? 0 : file_name(perl, statement->file);
    return error;
}

int rv_perl_stack_read(struct rv_perl_stack *stack, const struct rv_perl_process *perl, uint64_t interpreter)
{
    int error = -EFAULT;
    bool has_one = false; /* previous read to compare with */
    for (int i = 0; i < TRIES; i++) {
        error = look(stack, perl, interpreter);
        if (error == -EPERM || error == -ESRCH)
            return error;
        if (!error && has_one && is_same_look(stack)) {
            error = read_statement(&stack->statement, perl);
            return !error && read_subs(stack, perl) == 0 ? 1 : 0;
        }
        has_one = !error;
        keep_look(stack);
    }
    return error;
}

void rv_perl_stack_fini(struct rv_perl_stack *stack)
{
    free(stack->subs);
    free(stack->cvs);
    free(stack->again);
    free(stack->contexts);
    free(stack->bodies);
    free(stack->pieces);
    *stack = (struct rv_perl_stack){0};
}

/* ---- names ---- */

/* Convert Latin-1 to UTF-8 unless perl marks it as UTF-8. */
static void take_key(char *out, const uint8_t *key, size_t n, bool is_utf8)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used + 2 < RV_PERL_NAME_BYTES; i++) {
        if (key[i] >= 0x80 && !is_utf8) {
            out[used++] = (char)(0xc0 | key[i] >> 6);
            out[used++] = (char)(0x80 | (key[i] & 0x3f));
        } else {
            out[used++] = (char)key[i];
        }
    }
    out[used] = '\0';
}

static void get_key(const struct rv_perl_process *perl, uint64_t hek, char *out)
{
    uint8_t key[RV_PERL_NAME_BYTES];
    uint32_t n = hek ? get_u32(perl, hek + perl->layout.hek.length) : 0;
    *out = '\0';
    if (n == 0 || n > sizeof key - 2 || !rv_process_memory_get(perl->pid, hek + perl->layout.hek.key, key, n + 2))
        return;
    take_key(out, key, n, key[n + 1] & perl->layout.hek.is_utf8);
}

/* A stash may have several names, stored as a list. */
static void get_package(const struct rv_perl_process *perl, uint64_t stash, char *out)
{
    const struct rv_perl_layout *layout = &perl->layout;
    uint64_t body = stash ? get_u64(perl, stash + layout->sv.any) : 0;
    if (body && layout->hv.is_apart)
        body = get_u64(perl, stash + layout->sv.value) +
               (get_u64(perl, body + layout->hv.last_slot) + 1) * sizeof(uint64_t);
    uint64_t hek = body ? get_u64(perl, body + layout->hv.name) : 0;
    if (hek && get_u32(perl, body + layout->hv.n_names))
        hek = get_u64(perl, hek);
    get_key(perl, hek, out);
}

/* The place of its first statement, as Devel::RingViz reports it. */
static void get_place(const struct rv_perl_process *perl, const struct rv_perl_sub *sub, struct rv_perl_names *names)
{
    const struct rv_perl_layout *layout = &perl->layout;
    uint16_t type = 0;
    uint64_t file = sub->file;
    names->line = 0;
    if (!(sub->flags & layout->cv.is_xsub) && sub->start &&
        rv_process_memory_get(perl->pid, sub->start + layout->op.type, &type, sizeof type)) {
        type &= layout->op.type_mask;
        if (type == layout->op.nextstate || type == layout->op.dbstate) {
            file = file_name(perl, get_u64(perl, sub->start + layout->cop.file));
            names->line = get_u32(perl, sub->start + layout->cop.line);
        }
    }
    if (!file || !rv_process_memory_get_string(perl->pid, file, names->file, sizeof names->file))
        *names->file = '\0';
}

void rv_perl_stacks_name(const struct rv_perl_process *perl, const struct rv_perl_sub *sub, struct rv_perl_names *names)
{
    const struct rv_perl_layout *layout = &perl->layout;
    uint64_t hek = sub->gv, stash = sub->stash;
    if (!(sub->flags & layout->cv.is_named)) { /* then the name is the glob's */
        uint64_t glob = sub->gv ? get_u64(perl, sub->gv + layout->sv.any) : 0;
        hek = glob ? get_u64(perl, glob + layout->gv.name) : 0;
        stash = glob ? get_u64(perl, glob + layout->gv.stash) : 0;
    }
    get_key(perl, hek, names->name);
    get_package(perl, stash, names->package);
    get_place(perl, sub, names);
    if (!*names->name || strcmp(names->name, "__ANON__") == 0)
        snprintf(names->name, sizeof names->name, "__ANON__[%.*s:%u]", (int)sizeof names->name - 32, names->file,
                 names->line);
}
