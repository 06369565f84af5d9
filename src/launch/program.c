#include "launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#include "base/exec.h"
#include "base/own_threads.h"
#include "base/stack_walking_runtimes.h"

#define HOOK "__cyg_profile_func_enter"
#define API "ringviz_"

static bool is_profile_hook(const char *name)
{
    return strcmp(name, "mcount") == 0 || strcmp(name, "_mcount") == 0 || strcmp(name, "__fentry__") == 0;
}

static void look_at_symbols(Elf *elf, struct rv_program *program)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        size_t symbol_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
        GElf_Sym symbol;
        for (size_t i = 0; data && symbol_bytes && i < data->d_size / symbol_bytes; i++) {
            const char *name =
                gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header.sh_link, symbol.st_name) : "";
            if (name && strcmp(name, HOOK) == 0)
                *(symbol.st_shndx == SHN_UNDEF ? &program->needs_hook : &program->has_own_hook) = true;
            else if (name && is_profile_hook(name) && symbol.st_shndx == SHN_UNDEF)
                program->needs_profile_hook = true;
            else if (name && strncmp(name, API, strlen(API)) == 0 && symbol.st_shndx == SHN_UNDEF)
                program->needs_api = true;
        }
    }
}

static bool says_pie(Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (size_t i = 0; data && header->sh_entsize && i < data->d_size / header->sh_entsize; i++)
        if (gelf_getdyn(data, (int)i, &entry) && entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE)
            return true;
    return false;
}

static void look_at_sections(Elf *elf, struct rv_program *program)
{
    GElf_Shdr header;
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && header.sh_type == SHT_DYNAMIC)
            program->is_program |= says_pie(section, &header);
        if (name && strcmp(name, ".eh_frame") == 0)
            program->frames = header.sh_addr, program->n_frame_bytes = header.sh_size;
        program->is_go |= name && strcmp(name, ".go.buildinfo") == 0;
    }
}

static void look_at_loader(int fd, const GElf_Phdr *segment, struct rv_program *program)
{
    char path[PATH_MAX] = "";
    const size_t n = segment->p_filesz < sizeof path - 1 ? (size_t)segment->p_filesz : sizeof path - 1;
    program->has_interpreter = true;
    if (pread(fd, path, n, (off_t)segment->p_offset) == (ssize_t)n)
        program->has_other_libc = !rv_exec_is_gnu_loader(path);
}

static void read_image(int fd, struct rv_program *program)
{
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t n_segments = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    program->is_elf = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header);
    if (program->is_elf) {
        program->is_our_machine = rv_exec_is_our_machine((unsigned)gelf_getclass(elf), header.e_machine);
        program->is_executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
        program->is_program = header.e_type == ET_EXEC;
        elf_getphdrnum(elf, &n_segments);
        for (size_t i = 0; i < n_segments && i <= INT_MAX; i++)
            if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
                look_at_loader(fd, &segment, program);
        look_at_symbols(elf, program);
        look_at_sections(elf, program);
    }
    elf_end(elf);
}

/* Base name of the interpreter in a "#!" line, also after env. */
static bool read_script_line(int fd, char *interpreter, size_t n_bytes)
{
    char line[256];
    ssize_t n = pread(fd, line, sizeof line - 1, 0);
    if (n < 3 || line[0] != '#' || line[1] != '!')
        return false;
    line[n] = '\0';
    char *words = NULL, *word = strtok_r(line + 2, " \t\n", &words);
    const char *slash = word ? strrchr(word, '/') : NULL;
    if (word && strcmp(slash ? slash + 1 : word, "env") == 0) {
        char *next = strtok_r(NULL, " \t\n", &words);
        word = next ? next : word;
        slash = strrchr(word, '/');
    }
    snprintf(interpreter, n_bytes, "%s", word ? (slash ? slash + 1 : word) : "");
    return true;
}

int rv_program_read(const char *command, struct rv_program *program)
{
    *program = (struct rv_program){0};
    if (!rv_exec_find(command, program->path, sizeof program->path))
        return -ENOENT;
    int fd = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    program->is_script = read_script_line(fd, program->interpreter, sizeof program->interpreter);
    program->is_privileged = rv_exec_is_privileged(program->path);
    if (!program->is_script)
        read_image(fd, program);
    close(fd);
    return 0;
}

bool rv_program_is_static(const struct rv_program *program)
{
    return program->is_elf && program->is_executable && program->is_our_machine && program->is_program &&
           !program->has_interpreter && !program->is_go && !program->is_privileged;
}

/* What is found in its bytes. */
static const char *search(const struct rv_program *program, const char *(*find)(const void *bytes, size_t n))
{
    const int fd = open(program->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t n = 0;
    elf_version(EV_CURRENT);
    Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const char *bytes = elf_rawfile(elf, &n), *what = bytes ? find(bytes, n) : NULL;
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return what;
}

const char *rv_program_stack_walker(const struct rv_program *program)
{
    return search(program, rv_stack_walking_runtimes_find);
}

static const char *find_own_threads(const void *bytes, size_t n)
{
    return rv_own_threads_are_made(bytes, n) ? "clone" : NULL;
}

bool rv_program_makes_threads(const struct rv_program *program)
{
    return search(program, find_own_threads) != NULL;
}

static const char *find_libunwind(const void *bytes, size_t n)
{
    const char *found = memmem(bytes, n, "libunwind.so.8", sizeof "libunwind.so.8");
    return found && memmem(bytes, n, "libstdc++.so", strlen("libstdc++.so")) ? found : NULL;
}

bool rv_program_throws_by_libunwind(const struct rv_program *program)
{
    return search(program, find_libunwind) != NULL;
}

/* "perl", "perl5.36.0", "perl5.36-x86_64-linux-gnu"; "ruby3.1" */
static bool is_named(const char *path, const char *language)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(language);
    return strncmp(name, language, n) == 0 && (name[n] == '\0' || (name[n] >= '0' && name[n] <= '9'));
}

static bool is_run_by(const struct rv_program *program, const char *language)
{
    char real[PATH_MAX];
    if (program->is_script)
        return is_named(program->interpreter, language);
    return program->is_elf &&
           (is_named(program->path, language) || (realpath(program->path, real) && is_named(real, language)));
}

bool rv_program_is_perl(const struct rv_program *program)
{
    return is_run_by(program, "perl");
}

bool rv_program_is_ruby(const struct rv_program *program)
{
    return is_run_by(program, "ruby");
}
