#include "import/perl_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/dwarf_types.h"

/* From offsetof() over perl's headers; LP64, as on x86-64 and aarch64. */
const struct rv_perl_layout RV_PERL_LAYOUT_5_36 = {
    .revision = 5,
    .version = 36,
    .interpreter_bytes = 3768,
    .interpreter = {.curcop = 208, .curstackinfo = 224, .patchlevel = 1504, .modglobal = 1920},
    .stackinfo = {.contexts = 8, .previous = 16, .last = 32},
    .context = {.bytes = 104, .sub = 72, .type_mask = 0x0f, .type_sub = 9, .type_format = 10, .fake = 0x80},
    .cop = {.line = 36, .file = 48},
    .op = {.type = 32, .type_mask = 0x1ff, .nextstate = 195, .dbstate = 196},
    .sv = {.any = 0, .flags = 12, .value = 16, .is_reference = 0x800, .integer = 32},
    .cv = {.stash = 32, .start = 40, .gv = 56, .file = 64, .flags = 92, .is_named = 0x8000, .is_xsub = 0x8},
    .gv = {.name = 32, .stash = 40},
    .hv = {.last_slot = 24, .name = 32, .n_names = 60},
    .he = {.next = 0, .key = 8, .value = 16},
    .hek = {.length = 4, .key = 8, .is_utf8 = 1},
};

/* ---- of any perl ---- */

/* Source of a layout number in DWARF; of several rows for a number, the first one found counts. */
static const struct source {
    size_t at;
    const char *type, *member;
} SOURCES[] = {
#define OF(number, type, member)                                                                                       \
    {                                                                                                                  \
        offsetof(struct rv_perl_layout, number), type, member                                                          \
    }
    OF(stackinfo.contexts, "stackinfo", "si_cxstack"),
    OF(stackinfo.previous, "stackinfo", "si_prev"),
    OF(stackinfo.last, "stackinfo", "si_cxix"),
    OF(context.bytes, "context", NULL),
    OF(context.sub, "context", "cx_u.cx_blk.blk_u.blku_sub.cv"),
    OF(cop.line, "cop", "cop_line"),
    OF(cop.file, "cop", "cop_file"),
    OF(cop.file, "cop", "cop_filegv"),
    OF(op.type, "op", "op_targ"),
    OF(sv.any, "sv", "sv_any"),
    OF(sv.flags, "sv", "sv_flags"),
    OF(sv.value, "sv", "sv_u"),
    OF(sv.integer, "xpviv", "xiv_u"),
    OF(cv.stash, "xpvcv", "xcv_stash"),
    OF(cv.start, "xpvcv", "xcv_start_u"),
    OF(cv.gv, "xpvcv", "xcv_gv_u"),
    OF(cv.file, "xpvcv", "xcv_file"),
    OF(cv.flags, "xpvcv", "xcv_flags"),
    OF(gv.name, "xpvgv", "xiv_u"),
    OF(gv.stash, "xpvgv", "xnv_u"),
    OF(hv.last_slot, "xpvhv", "xhv_max"),
    OF(hv.name, "xpvhv_with_aux", "xhv_aux.xhv_name_u"),
    OF(hv.name, "xpvhv_aux", "xhv_name_u"),
    OF(hv.n_names, "xpvhv_with_aux", "xhv_aux.xhv_name_count"),
    OF(hv.n_names, "xpvhv_aux", "xhv_name_count"),
    OF(he.next, "he", "hent_next"),
    OF(he.key, "he", "hent_hek"),
    OF(he.value, "he", "he_valu"),
    OF(hek.length, "hek", "hek_len"),
    OF(hek.key, "hek", "hek_key"),
};
static const struct source THREADED[] = {
    OF(interpreter.curcop, "interpreter", "Icurcop"),
    OF(interpreter.curstackinfo, "interpreter", "Icurstackinfo"),
    OF(interpreter.patchlevel, "interpreter", "Ipatchlevel"),
    OF(interpreter.modglobal, "interpreter", "Imodglobal"),
#undef OF
};
enum { TARG_BYTES = 8, OP_TYPE_BITS = 9 };

static bool ask(struct rv_perl_layout *layout, struct rv_dwarf_types *types, const struct source *source)
{
    uint64_t value;
    bool is_known = source->member ? rv_dwarf_types_offset(types, source->type, source->member, &value)
                                   : rv_dwarf_types_bytes(types, source->type, &value);
    if (is_known)
        *(uint32_t *)((char *)layout + source->at) = (uint32_t)value;
    return is_known;
}

static bool ask_all(struct rv_perl_layout *layout, struct rv_dwarf_types *types, const struct source *sources, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_known = ask(layout, types, &sources[i]);
        bool has_other = i + 1 < n && sources[i + 1].at == sources[i].at;
        if (!is_known && !has_other)
            return false;
        i += is_known && has_other;
    }
    return true;
}

static bool ask_opcode(struct rv_dwarf_types *types, const char *name, uint32_t *number)
{
    uint64_t value = 0;
    bool is_known = rv_dwarf_types_enumerator(types, name, &value);
    *number = (uint32_t)value;
    return is_known;
}

int rv_perl_layout_from_dwarf(struct rv_perl_layout *layout, const char *path)
{
    uint64_t n_bytes = 0, unused;
    struct rv_dwarf_types *types = rv_dwarf_types_open(path);
    if (!types)
        return -ENOENT;
    bool is_known = rv_dwarf_types_bytes(types, "interpreter", &n_bytes) &&
                    ask_all(layout, types, SOURCES, sizeof SOURCES / sizeof *SOURCES) &&
                    ask_opcode(types, "OP_NEXTSTATE", &layout->op.nextstate) &&
                    ask_opcode(types, "OP_DBSTATE", &layout->op.dbstate);
    /* Without threads it is a struct of one byte. */
    if (is_known && n_bytes > 1)
        is_known = ask_all(layout, types, THREADED, sizeof THREADED / sizeof *THREADED);
    layout->interpreter_bytes = (uint32_t)n_bytes;
    layout->cop.is_glob = !rv_dwarf_types_offset(types, "cop", "cop_file", &unused);
    layout->hv.is_apart = !rv_dwarf_types_bytes(types, "xpvhv_with_aux", &unused);
    rv_dwarf_types_close(types);
    const struct rv_perl_layout *macros = &RV_PERL_LAYOUT_5_36;
    layout->context.type_mask = macros->context.type_mask;
    layout->context.type_sub = macros->context.type_sub;
    layout->context.type_format = macros->context.type_format;
    layout->context.fake = macros->context.fake;
    layout->op.type += TARG_BYTES; /* a bit field */
    layout->op.type_mask = (1u << OP_TYPE_BITS) - 1;
    layout->sv.is_reference = macros->sv.is_reference;
    layout->cv.is_named = macros->cv.is_named;
    layout->cv.is_xsub = macros->cv.is_xsub;
    layout->hek.is_utf8 = macros->hek.is_utf8;
    return is_known ? 0 : -ENOENT;
}

/* ---- by its headers ---- */

extern char **environ;

/* Include all types, used or not, and link, so that DWARF needs no relocation. The result is never run. */
static int compile(const char *folder, bool is_debugging, const char *source, const char *output)
{
    const char *const argv[] = {"cc",
                                "-w",
                                "-g",
                                "-gz=none",
                                "-fno-eliminate-unused-debug-types",
                                "-fPIC",
                                "-shared",
                                "-nostdlib",
                                "-D_REENTRANT",
                                "-D_GNU_SOURCE",
                                "-D_LARGEFILE_SOURCE",
                                "-D_FILE_OFFSET_BITS=64",
                                is_debugging ? "-DDEBUGGING" : "-UDEBUGGING",
                                "-I",
                                folder,
                                "-o",
                                output,
                                source,
                                NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -ENOMEM;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(pid, &status, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ENOENT;
}

static bool write_source(const char *path)
{
    FILE *file = fopen(path, "wxe");
    bool is_written = file && fputs("#include <EXTERN.h>\n#include <perl.h>\n", file) >= 0;
    return file && fclose(file) == 0 && is_written;
}

int rv_perl_layout_from_headers(struct rv_perl_layout *layout, const char *folder, bool is_debugging)
{
    const char *temporary = getenv("TMPDIR");
    char header[4096], work[4096], source[4200], output[4200];
    struct stat status;
    snprintf(header, sizeof header, "%s/perl.h", folder);
    if (stat(header, &status) != 0)
        return -ENOENT;
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return -EPERM;
    snprintf(work, sizeof work, "%s/ringviz-perl-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(work))
        return -errno;
    snprintf(source, sizeof source, "%s/perl.c", work);
    snprintf(output, sizeof output, "%s/perl.so", work);
    int error = write_source(source) ? compile(folder, is_debugging, source, output) : -EIO;
    if (!error)
        error = rv_perl_layout_from_dwarf(layout, output);
    unlink(source);
    unlink(output);
    rmdir(work);
    return error;
}
