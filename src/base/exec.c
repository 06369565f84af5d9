#include "base/exec.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SEGMENTS_MOST 128u /* that are read */
#define ENTRIES_MOST 256u

/* No stdio: producers call this too. folder: an entry of PATH, where the empty one is the current folder. */
static bool join(char *path, size_t path_bytes, const char *folder, size_t n, const char *name)
{
    size_t name_bytes = strlen(name) + 1;
    if (n == 0) {
        folder = ".";
        n = 1;
    }
    if (n + 1 + name_bytes > path_bytes)
        return false;
    memcpy(path, folder, n);
    path[n] = '/';
    memcpy(path + n + 1, name, name_bytes);
    return true;
}

bool rv_exec_find(const char *command, char *path, size_t path_bytes)
{
    size_t n_bytes = strlen(command) + 1;
    if (strchr(command, '/')) {
        if (n_bytes > path_bytes)
            return false;
        memcpy(path, command, n_bytes);
        return access(path, F_OK) == 0;
    }
    const char *folder = getenv("PATH");
    while (folder) {
        size_t n = strcspn(folder, ":");
        if (join(path, path_bytes, folder, n, command) && access(path, X_OK) == 0)
            return true;
        folder = folder[n] ? folder + n + 1 : NULL;
    }
    return false;
}

static bool is_script(const char *path)
{
    char magic[2];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false; /* the kernel could not give it to an interpreter either */
    bool is = read(fd, magic, sizeof magic) == sizeof magic && magic[0] == '#' && magic[1] == '!';
    close(fd);
    return is;
}

/* Do the marks on the file count? */
static bool can_gain(const char *path)
{
    struct statvfs mount;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 && statvfs(path, &mount) == 0 && !(mount.f_flag & ST_NOSUID) &&
           !is_script(path);
}

bool rv_exec_is_our_machine(unsigned elf_class, unsigned machine)
{
#if defined __x86_64__
    const unsigned ours = EM_X86_64;
#elif defined __aarch64__
    const unsigned ours = EM_AARCH64;
#else
    const unsigned ours = machine;
#endif
    return elf_class == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) && machine == ours;
}

bool rv_exec_is_gnu_loader(const char *loader)
{
    static const char *const NAMES[] = {"ld-linux", "ld64.so", "ld.so"};
    const char *slash = strrchr(loader, '/'), *name = slash ? slash + 1 : loader;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strncmp(name, NAMES[i], strlen(NAMES[i])) == 0)
            return true;
    return false;
}

static enum rv_exec_loader read_loader(int fd, const Elf64_Phdr *segment)
{
    char loader[PATH_MAX] = "";
    const size_t n = segment->p_filesz < sizeof loader - 1 ? (size_t)segment->p_filesz : sizeof loader - 1;
    const bool is_read = pread(fd, loader, n, (off_t)segment->p_offset) == (ssize_t)n;
    return is_read && !rv_exec_is_gnu_loader(loader) ? RV_EXEC_OTHER_LOADER : RV_EXEC_GNU_LOADER;
}

/* Marked as a position-independent program: the loader itself, which can be run, too, is not. */
static bool is_marked_program(int fd, const Elf64_Phdr *dynamic)
{
    Elf64_Dyn entry;
    for (unsigned i = 0; i < ENTRIES_MOST && i < dynamic->p_filesz / sizeof entry; i++)
        if (pread(fd, &entry, sizeof entry, (off_t)(dynamic->p_offset + i * sizeof entry)) == sizeof entry &&
            entry.d_tag == DT_FLAGS_1)
            return entry.d_un.d_val & DF_1_PIE;
    return false;
}

static enum rv_exec_loader find_loader(int fd, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment;
    bool is_program = header->e_type == ET_EXEC;
    for (unsigned i = 0; i < header->e_phnum && i < SEGMENTS_MOST; i++) {
        const off_t at = (off_t)(header->e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return RV_EXEC_GNU_LOADER;
        if (segment.p_type == PT_INTERP)
            return read_loader(fd, &segment);
        is_program |= segment.p_type == PT_DYNAMIC && is_marked_program(fd, &segment);
    }
    return is_program ? RV_EXEC_NO_LOADER : RV_EXEC_GNU_LOADER;
}

enum rv_exec_loader rv_exec_loader(const char *path)
{
    Elf64_Ehdr header;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return RV_EXEC_GNU_LOADER;
    enum rv_exec_loader loader = RV_EXEC_GNU_LOADER;
    if (read(fd, &header, sizeof header) == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        loader = !rv_exec_is_our_machine(header.e_ident[EI_CLASS], header.e_machine) ? RV_EXEC_OTHER_MACHINE
                 : header.e_phentsize == sizeof(Elf64_Phdr)                          ? find_loader(fd, &header)
                                                                                     : RV_EXEC_GNU_LOADER;
    close(fd);
    return loader;
}

bool rv_exec_is_privileged(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    bool has_capabilities = getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
    bool gains = (has_capabilities || (status.st_mode & (S_ISUID | S_ISGID))) && can_gain(path);
    bool changes_user = gains && (status.st_mode & S_ISUID);
    bool changes_group = gains && (status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP);
    return (changes_user ? status.st_uid : geteuid()) != getuid() ||
           (changes_group ? status.st_gid : getegid()) != getgid() || (gains && has_capabilities);
}
