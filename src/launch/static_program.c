/*
 * By ptrace(2), between exec and the program's first instruction: the loader is mapped, program headers are written that
 * describe the program to it, and the auxiliary vector is changed to name both. The loader goes on from there as ever.
 */
#include "launch/static_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/static_program.h"

/* By its parent only: were that killed first, another one, which does not expect it, would have it stopped for ever. */
static int be_traced(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int error = getppid() != parent ? ESRCH : ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno;
    prctl(PR_SET_PDEATHSIG, 0);
    return error;
}

void rv_static_program_offer(pid_t parent, int status_fd)
{
    const int error = be_traced(parent);
    if (write(status_fd, &error, sizeof error) != (ssize_t)sizeof error)
        _exit(1);
}

/* The signal that it stops at; 0: it has ended, and is the caller's to reap. */
static int wait_for_stop(pid_t pid)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT) != 0)
        if (errno != EINTR)
            return 0;
    if (info.si_code != CLD_TRAPPED || waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) != 0)
        return 0;
    return info.si_pid == pid ? info.si_status : 0;
}

/* False: it has ended. Signals that come first are delivered. */
static bool wait_for_exec(pid_t pid)
{
    int sig;
    while ((sig = wait_for_stop(pid)) != 0 && sig != SIGTRAP)
        (void)ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)sig);
    return sig != 0;
}

#if defined(__x86_64__) && defined(__LP64__)

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/user.h>

#define PAGE 4096u
#define MOST_HEADERS 32u
#define N_DYNAMIC 8u
#define LIBC "libc.so.6" /* glibc 2.36 asserts at its end that it has loaded something */
#define ROUND_UP(n) (((n) + PAGE - 1) & ~(uint64_t)(PAGE - 1))
#define ROUND_DOWN(n) ((n) & ~(uint64_t)(PAGE - 1))

/* What the loader is shown, in a mapping of the program's. */
struct shown {
    Elf64_Phdr headers[MOST_HEADERS];
    Elf64_Dyn dynamic[N_DYNAMIC];
    Elf64_Sym no_symbol;
    char names[16];
    char loader[PATH_MAX];
};

struct stopped {
    const struct rv_program *file;
    pid_t pid;
    int memory;                         /* /proc/PID/mem */
    struct user_regs_struct entry;      /* registers at its first instruction */
    uint64_t shown;                     /* address of the mapping */
    uint64_t bias;                      /* difference of its addresses to those in its headers */
    uint64_t at_headers, at_n, at_base; /* where the auxiliary vector has these */
    uint64_t own_headers, n_own;
    Elf64_Phdr own[MOST_HEADERS];
    bool stops; /* a SIGSTOP came meanwhile */
};

static int read_at(const struct stopped *program, uint64_t at, void *to, size_t n)
{
    return pread(program->memory, to, n, (off_t)at) == (ssize_t)n ? 0 : -EFAULT;
}

static int write_at(const struct stopped *program, uint64_t at, const void *from, size_t n)
{
    return pwrite(program->memory, from, n, (off_t)at) == (ssize_t)n ? 0 : -EFAULT;
}

/* ---- signals ---- */

/* Those that come meanwhile wait: but for SIGKILL and SIGSTOP, and the one that ends a step. */
static int hold_signals(pid_t pid, uint64_t *own)
{
    const uint64_t all = ~(UINT64_C(1) << (SIGTRAP - 1));
    return ptrace(PTRACE_GETSIGMASK, pid, (void *)sizeof *own, own) == 0 &&
                   ptrace(PTRACE_SETSIGMASK, pid, (void *)sizeof all, &all) == 0
               ? 0
               : -errno;
}

static void allow_signals(const struct stopped *program, const uint64_t *own)
{
    (void)ptrace(PTRACE_SETSIGMASK, program->pid, (void *)sizeof *own, own);
    if (program->stops)
        (void)kill(program->pid, SIGSTOP);
}

/* One instruction. False: it has ended. */
static bool step(struct stopped *program)
{
    int sig = 0;
    do {
        program->stops |= sig == SIGSTOP;
        sig = ptrace(PTRACE_SINGLESTEP, program->pid, NULL, NULL) == 0 ? wait_for_stop(program->pid) : 0;
    } while (sig && sig != SIGTRAP);
    return sig != 0;
}

/* ---- system calls of the program's ---- */

struct call {
    long number;
    uint64_t a, b, c, d, e, f;
};

/* The instruction at its entry makes it, and is put back in any case: else the program must not go on. The result, or a
 * negative errno. */
static int64_t make_call(struct stopped *program, const struct call *call)
{
    static const uint8_t SYSCALL[2] = {0x0f, 0x05};
    uint8_t own[sizeof SYSCALL];
    struct user_regs_struct registers = program->entry;
    registers.rax = (uint64_t)call->number;
    registers.rdi = call->a, registers.rsi = call->b, registers.rdx = call->c;
    registers.r10 = call->d, registers.r8 = call->e, registers.r9 = call->f;
    int error = read_at(program, program->entry.rip, own, sizeof own);
    if (error)
        return error;
    error = write_at(program, program->entry.rip, SYSCALL, sizeof SYSCALL);
    if (!error && (ptrace(PTRACE_SETREGS, program->pid, NULL, &registers) != 0 || !step(program) ||
                   ptrace(PTRACE_GETREGS, program->pid, NULL, &registers) != 0))
        error = -ESRCH;
    if (write_at(program, program->entry.rip, own, sizeof own) != 0) {
        (void)kill(program->pid, SIGKILL);
        return -ESRCH;
    }
    return error ? error : (int64_t)registers.rax;
}

struct mapping {
    uint64_t at; /* 0: anywhere */
    uint64_t n_bytes;
    int protection;
    int64_t fd; /* -1: none */
    uint64_t offset;
};

static int64_t map(struct stopped *program, const struct mapping *mapping)
{
    const uint64_t flags =
        MAP_PRIVATE | (mapping->at ? (uint64_t)MAP_FIXED : 0) | (mapping->fd < 0 ? (uint64_t)MAP_ANONYMOUS : 0);
    const struct call call = {SYS_mmap, mapping->at,           mapping->n_bytes, (uint64_t)mapping->protection,
                              flags,    (uint64_t)mapping->fd, mapping->offset};
    return make_call(program, &call);
}

/* ---- the loader ---- */

struct loader {
    Elf64_Ehdr header;
    Elf64_Phdr segments[MOST_HEADERS];
};

/* That of this program: our library fits it. */
static const char *find_loader(void)
{
    const Elf64_Phdr *headers = (const Elf64_Phdr *)(uintptr_t)getauxval(AT_PHDR);
    const size_t n = getauxval(AT_PHNUM);
    uint64_t bias = 0;
    for (size_t i = 0; i < n; i++)
        if (headers[i].p_type == PT_PHDR)
            bias = (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; i < n; i++)
        if (headers[i].p_type == PT_INTERP)
            return (const char *)(uintptr_t)(bias + headers[i].p_vaddr);
    return "";
}

static int read_loader(struct loader *loader)
{
    const int fd = open(find_loader(), O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? -errno : 0;
    if (!error && pread(fd, &loader->header, sizeof loader->header, 0) != (ssize_t)sizeof loader->header)
        error = -EBADMSG;
    if (!error && loader->header.e_phnum > MOST_HEADERS)
        error = -EBADMSG;
    const size_t n = error ? 0 : loader->header.e_phnum * sizeof *loader->segments;
    if (!error && pread(fd, loader->segments, n, (off_t)loader->header.e_phoff) != (ssize_t)n)
        error = -EBADMSG;
    if (fd >= 0)
        close(fd);
    return error;
}

static int protection_of(const Elf64_Phdr *segment)
{
    return (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
           (segment->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Of a segment that has more memory than bytes in its file, the rest is 0. */
static int64_t map_rest(struct stopped *program, const Elf64_Phdr *segment, uint64_t base)
{
    static const uint8_t ZEROES[PAGE];
    const uint64_t end = base + segment->p_vaddr + segment->p_filesz, page_end = ROUND_UP(end);
    const uint64_t rest = ROUND_UP(base + segment->p_vaddr + segment->p_memsz) - page_end;
    int64_t error = write_at(program, end, ZEROES, page_end - end);
    if (!error && rest)
        error = map(program, &(struct mapping){page_end, rest, protection_of(segment), -1, 0});
    return error;
}

static int64_t map_segment(struct stopped *program, const Elf64_Phdr *segment, uint64_t base, int64_t fd)
{
    const uint64_t start = ROUND_DOWN(segment->p_vaddr), end = ROUND_UP(segment->p_vaddr + segment->p_filesz);
    int64_t error = map(program, &(struct mapping){base + start, end - start, protection_of(segment), fd,
                                                   ROUND_DOWN(segment->p_offset)});
    if (error >= 0 && segment->p_memsz > segment->p_filesz)
        error = map_rest(program, segment, base);
    return error;
}

/* Returns where, or a negative errno. */
static int64_t map_loader(struct stopped *program, const struct loader *loader)
{
    const size_t n = loader->header.e_phnum;
    uint64_t end = 0;
    for (size_t i = 0; i < n; i++)
        if (loader->segments[i].p_type == PT_LOAD)
            end = ROUND_UP(loader->segments[i].p_vaddr + loader->segments[i].p_memsz);
    const struct call opening = {.number = SYS_openat,
                                 .a = (uint64_t)AT_FDCWD,
                                 .b = program->shown + offsetof(struct shown, loader),
                                 .c = O_RDONLY | O_CLOEXEC};
    const int64_t fd = make_call(program, &opening);
    if (fd < 0)
        return fd;
    const int64_t base = map(program, &(struct mapping){0, end, PROT_NONE, -1, 0});
    int64_t error = base < 0 ? base : 0;
    for (size_t i = 0; i < n && error >= 0; i++)
        if (loader->segments[i].p_type == PT_LOAD)
            error = map_segment(program, &loader->segments[i], (uint64_t)base, fd);
    (void)make_call(program, &(struct call){.number = SYS_close, .a = (uint64_t)fd});
    return error < 0 ? error : base;
}

/* ---- what it is shown ---- */

/* Behind the arguments and the environment. */
static int read_vector(struct stopped *program)
{
    uint64_t word, at = program->entry.rsp + sizeof word;
    Elf64_auxv_t entry;
    for (unsigned n_lists = 0; n_lists < 2; at += sizeof word) {
        if (read_at(program, at, &word, sizeof word) != 0)
            return -EFAULT;
        n_lists += word == 0;
    }
    for (;; at += sizeof entry) {
        if (read_at(program, at, &entry, sizeof entry) != 0)
            return -EFAULT;
        if (entry.a_type == AT_NULL)
            break;
        const uint64_t value_at = at + offsetof(Elf64_auxv_t, a_un);
        if (entry.a_type == AT_PHDR)
            program->at_headers = value_at, program->own_headers = entry.a_un.a_val;
        else if (entry.a_type == AT_PHNUM)
            program->at_n = value_at, program->n_own = entry.a_un.a_val;
        else if (entry.a_type == AT_BASE)
            program->at_base = value_at;
    }
    const bool is_complete = program->at_headers && program->at_n && program->at_base;
    if (!is_complete || program->n_own > MOST_HEADERS - 5)
        return -EBADMSG;
    return read_at(program, program->own_headers, program->own, program->n_own * sizeof *program->own);
}

/* By the first segment, which begins with the file's header. */
static int find_bias(struct stopped *program)
{
    Elf64_Ehdr header;
    for (size_t i = 0; i < program->n_own; i++)
        if (program->own[i].p_type == PT_LOAD && program->own[i].p_offset == 0) {
            const uint64_t at = program->own_headers - sizeof header;
            if (read_at(program, at, &header, sizeof header) != 0 || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
                return -EBADMSG;
            program->bias = at - program->own[i].p_vaddr;
            return 0;
        }
    return -EBADMSG;
}

static bool is_loaded(const struct stopped *program, uint64_t at, uint64_t n_bytes)
{
    for (size_t i = 0; i < program->n_own; i++) {
        const Elf64_Phdr *segment = &program->own[i];
        const uint64_t offset = at - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && offset <= segment->p_memsz && n_bytes <= segment->p_memsz - offset)
            return true;
    }
    return n_bytes == 0;
}

static bool is_part_loaded(const struct stopped *program, const Elf64_Phdr *part)
{
    return is_loaded(program, part->p_vaddr, part->p_type == PT_TLS ? part->p_filesz : part->p_memsz);
}

/* The kernel reads less of a program than the loader and our library do. */
static int check_parts(const struct stopped *program)
{
    for (size_t i = 0; i < program->n_own; i++)
        switch (program->own[i].p_type) {
        case PT_DYNAMIC:
        case PT_NOTE:
        case PT_TLS:
        case PT_GNU_EH_FRAME:
        case PT_GNU_PROPERTY:
            if (!is_part_loaded(program, &program->own[i]))
                return -EBADMSG;
        }
    return 0;
}

/* Of a position-independent program's own dynamic section: the relocations that need no symbol. The program makes them
 * itself, later, and is not harmed by a second time; but functions are planned by what is relocated. */
static size_t show_relocations(const struct stopped *program, const Elf64_Phdr *segment, Elf64_Dyn *shown)
{
    Elf64_Dyn entry;
    uint64_t table = 0, n = 0;
    for (uint64_t at = 0; at < segment->p_memsz; at += sizeof entry) {
        if (read_at(program, program->bias + segment->p_vaddr + at, &entry, sizeof entry) != 0)
            return 0;
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_RELA)
            table = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_RELACOUNT)
            n = entry.d_un.d_val;
    }
    if (!table || !n || n > SIZE_MAX / sizeof(Elf64_Rela) || !is_loaded(program, table, n * sizeof(Elf64_Rela)))
        return 0;
    shown[0] = (Elf64_Dyn){DT_RELA, {.d_ptr = table}};
    shown[1] = (Elf64_Dyn){DT_RELASZ, {n * sizeof(Elf64_Rela)}};
    shown[2] = (Elf64_Dyn){DT_RELAENT, {sizeof(Elf64_Rela)}};
    return 3;
}

static Elf64_Phdr header_of(const struct stopped *program, uint32_t type, size_t offset, size_t n_bytes)
{
    return (Elf64_Phdr){.p_type = type,
                        .p_flags = PF_R,
                        .p_vaddr = program->shown + offset - program->bias,
                        .p_filesz = n_bytes,
                        .p_memsz = n_bytes};
}

/* What the loader would do with these, the program does itself. */
static bool is_shown(const Elf64_Phdr *header)
{
    return header->p_type != PT_PHDR && header->p_type != PT_DYNAMIC && header->p_type != PT_GNU_RELRO;
}

/* Returns how many headers. */
static size_t fill(const struct stopped *program, struct shown *shown)
{
    const uint64_t symbol = program->shown + offsetof(struct shown, no_symbol) - program->bias;
    const uint64_t names = program->shown + offsetof(struct shown, names) - program->bias;
    size_t n = 0, n_dynamic = 0, n_own_dynamic = 0;
    strcpy(shown->names + 1, LIBC);
    shown->dynamic[n_dynamic++] = (Elf64_Dyn){DT_NEEDED, {1}};
    shown->dynamic[n_dynamic++] = (Elf64_Dyn){DT_SYMTAB, {.d_ptr = symbol}};
    shown->dynamic[n_dynamic++] = (Elf64_Dyn){DT_STRTAB, {.d_ptr = names}};
    shown->headers[n++] = header_of(program, PT_PHDR, 0, sizeof shown->headers);
    shown->headers[n++] = header_of(program, PT_INTERP, offsetof(struct shown, loader), strlen(shown->loader) + 1);
    for (size_t i = 0; i < program->n_own; i++) {
        if (is_shown(&program->own[i]))
            shown->headers[n++] = program->own[i];
        else if (program->own[i].p_type == PT_DYNAMIC && n_own_dynamic++ == 0)
            n_dynamic += show_relocations(program, &program->own[i], shown->dynamic + n_dynamic);
    }
    shown->headers[n++] = header_of(program, PT_DYNAMIC, offsetof(struct shown, dynamic), sizeof shown->dynamic);
    shown->headers[n++] =
        (Elf64_Phdr){.p_type = RV_STATIC_PROGRAM_HEADERS, .p_vaddr = program->own_headers, .p_memsz = program->n_own};
    if (program->file->frames)
        shown->headers[n++] = (Elf64_Phdr){.p_type = RV_STATIC_PROGRAM_FRAMES,
                                           .p_vaddr = program->file->frames,
                                           .p_memsz = program->file->n_frame_bytes};
    return n;
}

static int tell(const struct stopped *program, uint64_t n_headers, uint64_t base)
{
    int error = write_at(program, program->at_headers, &program->shown, sizeof program->shown);
    if (!error)
        error = write_at(program, program->at_n, &n_headers, sizeof n_headers);
    return error ? error : write_at(program, program->at_base, &base, sizeof base);
}

/* ---- all of it ---- */

static int64_t enter(struct stopped *program, struct loader *loader)
{
    struct shown shown = {.loader = ""};
    int64_t error = read_loader(loader);
    if (!error)
        error = read_vector(program);
    if (!error)
        error = find_bias(program);
    if (!error)
        error = check_parts(program);
    if (error)
        return error;
    const int64_t page = map(program, &(struct mapping){0, ROUND_UP(sizeof shown), PROT_READ | PROT_WRITE, -1, 0});
    if (page < 0)
        return page;
    program->shown = (uint64_t)page;
    snprintf(shown.loader, sizeof shown.loader, "%s", find_loader());
    const size_t n = fill(program, &shown);
    error = write_at(program, program->shown, &shown, sizeof shown);
    const int64_t base = error ? error : map_loader(program, loader);
    return base < 0 ? base : (tell(program, n, (uint64_t)base), base);
}

static int64_t enter_stopped(pid_t pid, const struct rv_program *file)
{
    char path[64];
    struct loader loader;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    struct stopped program = {.pid = pid, .file = file, .memory = open(path, O_RDWR | O_CLOEXEC)};
    if (program.memory < 0)
        return -errno;
    /* Half changed it must not go on without us. */
    (void)ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(intptr_t)PTRACE_O_EXITKILL);
    uint64_t mask;
    int64_t base = hold_signals(pid, &mask);
    if (base) {
        close(program.memory);
        return base;
    }
    base = ptrace(PTRACE_GETREGS, pid, NULL, &program.entry) == 0 ? 0 : -errno;
    program.entry.orig_rax = UINT64_MAX; /* it is in no system call that could be begun again */
    if (!base)
        base = enter(&program, &loader);
    if (base > 0)
        program.entry.rip = (uint64_t)base + loader.header.e_entry;
    if (ptrace(PTRACE_SETREGS, pid, NULL, &program.entry) != 0)
        base = -errno;
    allow_signals(&program, &mask);
    close(program.memory);
    return base;
}

#else

static int64_t enter_stopped(pid_t pid, const struct rv_program *file)
{
    (void)pid;
    (void)file;
    return -ENOTSUP;
}

#endif

void rv_static_program_enter(pid_t pid, const struct rv_program *file, int status_fd)
{
    int refusal = 0;
    if (read(status_fd, &refusal, sizeof refusal) != (ssize_t)sizeof refusal)
        return;
    if (!refusal && !wait_for_exec(pid))
        return;
    const int64_t result = refusal ? -refusal : enter_stopped(pid, file);
    if (!refusal)
        (void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
    if (result == -EBADMSG)
        rv_err(EBADMSG, "a statically linked program is not traced: the loader cannot read its headers");
    else if (result < 0 && result != -ESRCH) /* else it has ended */
        rv_err((int)-result, "a statically linked program is not traced: ptrace(2): %s", strerror((int)-result));
}
