#include "base/exec.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SEGMENTS_MOST 128u /* that are read */

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

static bool has_interpreter(int fd, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment;
    for (unsigned i = 0; i < header->e_phnum && i < SEGMENTS_MOST; i++) {
        const off_t at = (off_t)(header->e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) == sizeof segment && segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

bool rv_exec_is_static(const char *path)
{
    Elf64_Ehdr header;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is = read(fd, &header, sizeof header) == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
              header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_EXEC &&
              header.e_phentsize == sizeof(Elf64_Phdr) && !has_interpreter(fd, &header);
    close(fd);
    return is;
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
