/* Why a command wrote no event, told from its file alone. The first reason that holds is the one said. */
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gelf.h>
#include <libelf.h>

#define HOOK "__cyg_profile_func_enter"

static const char REBUILD[] = "build it with -g -finstrument-functions -fno-optimize-sibling-calls";

struct image {
    bool is_elf, is_executable, has_interpreter, is_our_machine;
    bool needs_hook, has_own_hook;
};

/* As exec finds it. */
static bool find_file(const char *command, char *path, size_t path_bytes)
{
    if (strchr(command, '/'))
        return (size_t)snprintf(path, path_bytes, "%s", command) < path_bytes && access(path, F_OK) == 0;
    const char *folder = getenv("PATH");
    while (folder) {
        size_t n = strcspn(folder, ":");
        if ((size_t)snprintf(path, path_bytes, "%.*s/%s", n ? (int)n : 1, n ? folder : ".", command) < path_bytes &&
            access(path, X_OK) == 0)
            return true;
        folder = folder[n] ? folder + n + 1 : NULL;
    }
    return false;
}

static void look_for_hook(Elf *elf, struct image *image)
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
                *(symbol.st_shndx == SHN_UNDEF ? &image->needs_hook : &image->has_own_hook) = true;
        }
    }
}

static void read_image(int fd, struct image *image)
{
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t n_segments = 0;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    image->is_elf = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header);
    if (image->is_elf) {
        image->is_our_machine = gelf_getclass(elf) == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
        image->is_executable = header.e_type == ET_EXEC || header.e_type == ET_DYN;
        elf_getphdrnum(elf, &n_segments);
        for (size_t i = 0; i < n_segments && i <= INT_MAX; i++)
            image->has_interpreter |= gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP;
        look_for_hook(elf, image);
    }
    elf_end(elf);
}

/* The interpreter of a "#!" line, its base name, as `interpreter`; false when there is none. */
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

static bool is_privileged(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    bool changes_user = (status.st_mode & S_ISUID) && status.st_uid != getuid();
    bool changes_group = (status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid();
    return changes_user || changes_group || (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0);
}

static void explain_image(const struct image *image, char *out, size_t out_bytes)
{
    if (!image->is_elf)
        snprintf(out, out_bytes, "it is neither an ELF program nor a script");
    else if (!image->is_executable || !image->is_our_machine)
        snprintf(out, out_bytes, "it is a program for another machine than ringviz was built for; %s for this one",
                 REBUILD);
    else if (!image->has_interpreter)
        snprintf(out, out_bytes,
                 "it is statically linked, and nothing can be preloaded into it; link it "
                 "dynamically");
    else if (image->has_own_hook)
        snprintf(out, out_bytes, "it has a " HOOK " of its own, which hides ours; leave that out");
    else if (!image->needs_hook)
        snprintf(out, out_bytes, "it is not instrumented; %s", REBUILD);
    else
        snprintf(out, out_bytes,
                 "it is instrumented, but no instrumented function ran, or it was run with another LD_PRELOAD or "
                 "without RINGVIZ_FILE");
}

static void explain_file(int fd, char *out, size_t out_bytes)
{
    char interpreter[128];
    struct image image = {0};
    if (read_script_line(fd, interpreter, sizeof interpreter)) {
        snprintf(out, out_bytes,
                 "it is a script for %s, whose functions are not traced yet; programs it starts are, when built with "
                 "-finstrument-functions",
                 *interpreter ? interpreter : "sh");
    } else if (is_privileged(fd)) {
        snprintf(out, out_bytes,
                 "it is set-user-ID, set-group-ID or has capabilities, and the loader preloads nothing into it; run a "
                 "plain copy of it, or run ringviz as its user");
    } else {
        read_image(fd, &image);
        explain_image(&image, out, out_bytes);
    }
}

void rv_launch_explain_silence(const char *command, char *out, size_t out_bytes)
{
    char path[PATH_MAX], why[400];
    if (!find_file(command, path, sizeof path)) {
        snprintf(out, out_bytes, "%s wrote no event: it is not there any more", command);
        return;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        snprintf(out, out_bytes, "%s wrote no event: why cannot be told, its file is not readable (%s)", command,
                 strerror(errno));
        return;
    }
    explain_file(fd, why, sizeof why);
    close(fd);
    snprintf(out, out_bytes, "%s wrote no event: %s", command, why);
}
