/*
 * The sets are those of strace 6.1. Of structures only what has few words is copied; a pointer to others is shown as an
 * address. A call that is not listed here has no arguments that are shown.
 */
#include "prototypes/syscall_prototypes.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_names.h"
#include "base/vec.h"

#define RESULT "errno(long)"

enum {         /* sets */
       F = 1,  /* file */
       D = 2,  /* desc */
       N = 4,  /* network */
       P = 8,  /* process */
       M = 16, /* memory */
       S = 32, /* signal */
       I = 64, /* ipc */
       ALL = 128
};

static const struct {
    const char *name;
    unsigned set;
} SETS[] = {{"file", F},    {"desc", D},   {"descriptor", D}, {"network", N}, {"net", N},
            {"process", P}, {"memory", M}, {"signal", S},     {"ipc", I},     {"all", ALL}};

/* clang-format off */
static const char TYPES[] =
    "typedef sys_at = enum(AT_FDCWD=-100);\n"
    "typedef sys_open = flags(O_TMPFILE=020200000,O_SYNC=04010000,O_RDONLY=0,O_WRONLY=1,O_RDWR=2,"
    "O_CREAT=0100,O_EXCL=0200,O_NOCTTY=0400,O_TRUNC=01000,O_APPEND=02000,O_NONBLOCK=04000,O_DSYNC=010000,"
    "O_ASYNC=020000,O_DIRECT=040000,O_LARGEFILE=0100000,O_DIRECTORY=0200000,O_NOFOLLOW=0400000,"
    "O_NOATIME=01000000,O_CLOEXEC=02000000,O_PATH=010000000);\n"
    "typedef sys_fd = flags(O_CLOEXEC=02000000,O_NONBLOCK=04000,O_DIRECT=040000,EFD_SEMAPHORE=1);\n"
    "typedef sys_prot = flags(PROT_NONE=0,PROT_READ=1,PROT_WRITE=2,PROT_EXEC=4);\n"
    "typedef sys_map = flags(MAP_SHARED_VALIDATE=3,MAP_SHARED=1,MAP_PRIVATE=2,MAP_FIXED=0x10,"
    "MAP_ANONYMOUS=0x20,MAP_GROWSDOWN=0x100,MAP_DENYWRITE=0x800,MAP_LOCKED=0x2000,MAP_NORESERVE=0x4000,"
    "MAP_POPULATE=0x8000,MAP_NONBLOCK=0x10000,MAP_STACK=0x20000,MAP_HUGETLB=0x40000,"
    "MAP_FIXED_NOREPLACE=0x100000);\n"
    "typedef sys_clone = flags(CLONE_VM=0x100,CLONE_FS=0x200,CLONE_FILES=0x400,CLONE_SIGHAND=0x800,"
    "CLONE_PIDFD=0x1000,CLONE_PTRACE=0x2000,CLONE_VFORK=0x4000,CLONE_PARENT=0x8000,CLONE_THREAD=0x10000,"
    "CLONE_NEWNS=0x20000,CLONE_SYSVSEM=0x40000,CLONE_SETTLS=0x80000,CLONE_PARENT_SETTID=0x100000,"
    "CLONE_CHILD_CLEARTID=0x200000,CLONE_CHILD_SETTID=0x1000000,CLONE_NEWUSER=0x10000000,"
    "CLONE_NEWPID=0x20000000,CLONE_NEWNET=0x40000000,SIGCHLD=17);\n"
    "typedef sys_atflags = flags(AT_SYMLINK_NOFOLLOW=0x100,AT_REMOVEDIR=0x200,AT_SYMLINK_FOLLOW=0x400,"
    "AT_NO_AUTOMOUNT=0x800,AT_EMPTY_PATH=0x1000,AT_RECURSIVE=0x8000);\n"
    "typedef sys_access = flags(F_OK=0,R_OK=4,W_OK=2,X_OK=1);\n"
    "typedef sys_whence = enum(SEEK_SET,SEEK_CUR,SEEK_END,SEEK_DATA,SEEK_HOLE);\n"
    "typedef sys_signal = enum(SIGHUP=1,SIGINT,SIGQUIT,SIGILL,SIGTRAP,SIGABRT,SIGBUS,SIGFPE,SIGKILL,SIGUSR1,"
    "SIGSEGV,SIGUSR2,SIGPIPE,SIGALRM,SIGTERM,SIGSTKFLT,SIGCHLD,SIGCONT,SIGSTOP,SIGTSTP,SIGTTIN,SIGTTOU,"
    "SIGURG,SIGXCPU,SIGXFSZ,SIGVTALRM,SIGPROF,SIGWINCH,SIGIO,SIGPWR,SIGSYS,SIGRTMIN);\n"
    "typedef sys_how = enum(SIG_BLOCK,SIG_UNBLOCK,SIG_SETMASK);\n"
    "typedef sys_clock = enum(CLOCK_REALTIME,CLOCK_MONOTONIC,CLOCK_PROCESS_CPUTIME_ID,"
    "CLOCK_THREAD_CPUTIME_ID,CLOCK_MONOTONIC_RAW,CLOCK_REALTIME_COARSE,CLOCK_MONOTONIC_COARSE,"
    "CLOCK_BOOTTIME);\n"
    "typedef sys_time = struct(long,long)*;\n"
    "typedef sys_family = enum(AF_UNSPEC,AF_UNIX,AF_INET,AF_INET6=10,AF_NETLINK=16,AF_PACKET=17);\n"
    "typedef sys_socket = flags(SOCK_NONBLOCK=04000,SOCK_CLOEXEC=02000000,SOCK_RAW=3,SOCK_SEQPACKET=5,"
    "SOCK_STREAM=1,SOCK_DGRAM=2);\n"
    "typedef sys_message = flags(MSG_OOB=1,MSG_PEEK=2,MSG_DONTROUTE=4,MSG_TRUNC=0x20,MSG_DONTWAIT=0x40,"
    "MSG_EOR=0x80,MSG_WAITALL=0x100,MSG_NOSIGNAL=0x4000,MSG_MORE=0x8000,MSG_CMSG_CLOEXEC=0x40000000);\n"
    "typedef sys_futex = enum(FUTEX_WAIT,FUTEX_WAKE,FUTEX_REQUEUE=3,FUTEX_CMP_REQUEUE,FUTEX_WAKE_OP,"
    "FUTEX_LOCK_PI,FUTEX_UNLOCK_PI,FUTEX_WAIT_BITSET=9,FUTEX_WAKE_BITSET,FUTEX_WAIT_PRIVATE=128,"
    "FUTEX_WAKE_PRIVATE,FUTEX_REQUEUE_PRIVATE=131,FUTEX_CMP_REQUEUE_PRIVATE,FUTEX_WAKE_OP_PRIVATE,"
    "FUTEX_LOCK_PI_PRIVATE,FUTEX_UNLOCK_PI_PRIVATE,FUTEX_WAIT_BITSET_PRIVATE=137,FUTEX_WAKE_BITSET_PRIVATE,"
    "FUTEX_WAIT_CLOCK_PRIVATE=393);\n"
    "typedef sys_fcntl = enum(F_DUPFD,F_GETFD,F_SETFD,F_GETFL,F_SETFL,F_GETLK,F_SETLK,F_SETLKW,F_SETOWN,"
    "F_GETOWN,F_OFD_GETLK=36,F_OFD_SETLK,F_OFD_SETLKW,F_DUPFD_CLOEXEC=1030,F_GETPIPE_SZ=1032,"
    "F_SETPIPE_SZ=1031);\n"
    "typedef sys_madvise = enum(MADV_NORMAL,MADV_RANDOM,MADV_SEQUENTIAL,MADV_WILLNEED,MADV_DONTNEED,"
    "MADV_FREE=8,MADV_HUGEPAGE=14,MADV_NOHUGEPAGE);\n"
    "typedef sys_prctl = enum(PR_SET_PDEATHSIG=1,PR_GET_DUMPABLE=3,PR_SET_DUMPABLE,PR_SET_NAME=15,"
    "PR_GET_NAME,PR_SET_SECCOMP=22,PR_CAPBSET_READ,PR_SET_CHILD_SUBREAPER=36,PR_SET_NO_NEW_PRIVS=38,"
    "PR_SET_VMA=0x53564d41);\n"
    "typedef sys_epoll = enum(EPOLL_CTL_ADD=1,EPOLL_CTL_DEL,EPOLL_CTL_MOD);\n"
    "typedef sys_wait = flags(WNOHANG=1,WUNTRACED=2,WEXITED=4,WCONTINUED=8,WNOWAIT=0x1000000);\n"
    "typedef sys_resource = enum(RLIMIT_CPU,RLIMIT_FSIZE,RLIMIT_DATA,RLIMIT_STACK,RLIMIT_CORE,RLIMIT_RSS,"
    "RLIMIT_NPROC,RLIMIT_NOFILE,RLIMIT_MEMLOCK,RLIMIT_AS);\n"
    "typedef sys_arch = enum(ARCH_SET_GS=0x1001,ARCH_SET_FS,ARCH_GET_FS,ARCH_GET_GS);\n";

/* What is read and written is shown with its NULs: a buffer of so many characters. */
#define BUFFER(length) "string(array(char," length ")*)"

static const struct call {
    const char *name;
    unsigned sets;
    const char *parameters, *result; /* result NULL: RESULT */
} CALLS[] = {
    {"read", D, "int, +" BUFFER("retval") ", ulong", NULL},
    {"write", D, "int, " BUFFER("arg3") ", ulong", NULL},
    {"open", F, "string, sys_open, oct", NULL},
    {"close", D, "int", NULL},
    {"stat", F, "string, addr", NULL},
    {"fstat", D, "int, addr", NULL},
    {"lstat", F, "string, addr", NULL},
    {"poll", D, "addr, ulong, int", NULL},
    {"lseek", D, "int, long, sys_whence", NULL},
    {"mmap", M|D, "addr, ulong, sys_prot, sys_map, int, addr", "errno(ulong)"},
    {"mprotect", M, "addr, ulong, sys_prot", NULL},
    {"munmap", M, "addr, ulong", NULL},
    {"brk", M, "addr", "errno(ulong)"},
    {"rt_sigaction", S, "sys_signal, addr, addr, ulong", NULL},
    {"rt_sigprocmask", S, "sys_how, bitvec(ulong)*, +bitvec(ulong)*, ulong", NULL},
    {"ioctl", D, "int, hex(ulong), addr", NULL},
    {"pread64", D, "int, +" BUFFER("retval") ", ulong, long", NULL},
    {"pwrite64", D, "int, " BUFFER("arg3") ", ulong, long", NULL},
    {"readv", D, "int, addr, int", NULL},
    {"writev", D, "int, addr, int", NULL},
    {"access", F, "string, sys_access", NULL},
    {"pipe", D, "+array(int, 2)*", NULL},
    {"select", D, "int, addr, addr, addr, addr", NULL},
    {"sched_yield", 0, "", NULL},
    {"mremap", M, "addr, ulong, ulong, hex(int), addr", "errno(ulong)"},
    {"msync", M, "addr, ulong, hex(int)", NULL},
    {"mincore", M, "addr, ulong, addr", NULL},
    {"madvise", M, "addr, ulong, sys_madvise", NULL},
    {"shmget", I, "int, ulong, hex(int)", NULL},
    {"shmat", I|M, "int, addr, hex(int)", "errno(ulong)"},
    {"shmctl", I, "int, int, addr", NULL},
    {"dup", D, "int", NULL},
    {"dup2", D, "int, int", NULL},
    {"pause", S, "", NULL},
    {"nanosleep", 0, "sys_time, +sys_time", NULL},
    {"getitimer", 0, "int, addr", NULL},
    {"alarm", 0, "uint", NULL},
    {"setitimer", 0, "int, addr, addr", NULL},
    {"getpid", 0, "", NULL},
    {"sendfile", D|N, "int, int, addr, ulong", NULL},
    {"socket", N, "sys_family, sys_socket, int", NULL},
    {"connect", N, "int, addr, int", NULL},
    {"accept", N, "int, addr, addr", NULL},
    {"sendto", N, "int, " BUFFER("arg3") ", ulong, sys_message, addr, int", NULL},
    {"recvfrom", N, "int, +" BUFFER("retval") ", ulong, sys_message, addr, addr", NULL},
    {"sendmsg", N, "int, addr, sys_message", NULL},
    {"recvmsg", N, "int, addr, sys_message", NULL},
    {"shutdown", N, "int, enum(SHUT_RD,SHUT_WR,SHUT_RDWR)", NULL},
    {"bind", N, "int, addr, int", NULL},
    {"listen", N, "int, int", NULL},
    {"getsockname", N, "int, addr, addr", NULL},
    {"getpeername", N, "int, addr, addr", NULL},
    {"socketpair", N, "sys_family, sys_socket, int, +array(int, 2)*", NULL},
    {"setsockopt", N, "int, int, int, addr, int", NULL},
    {"getsockopt", N, "int, int, int, addr, addr", NULL},
    {"clone", P, "sys_clone, addr, addr, addr, addr", NULL},
    {"fork", P, "", NULL},
    {"vfork", P, "", NULL},
    {"execve", F|P, "string, array(string, zero)*, addr", NULL},
    {"exit", P, "int", NULL},
    {"wait4", P, "int, +int*, sys_wait, addr", NULL},
    {"kill", S|P, "int, sys_signal", NULL},
    {"uname", 0, "addr", NULL},
    {"semget", I, "int, int, hex(int)", NULL},
    {"semop", I, "int, addr, ulong", NULL},
    {"semctl", I, "int, int, int, addr", NULL},
    {"shmdt", I|M, "addr", NULL},
    {"msgget", I, "int, hex(int)", NULL},
    {"msgsnd", I, "int, addr, ulong, hex(int)", NULL},
    {"msgrcv", I, "int, addr, ulong, long, hex(int)", NULL},
    {"msgctl", I, "int, int, addr", NULL},
    {"fcntl", D, "int, sys_fcntl, hex(ulong)", NULL},
    {"flock", D, "int, flags(LOCK_SH=1,LOCK_EX=2,LOCK_NB=4,LOCK_UN=8)", NULL},
    {"fsync", D, "int", NULL},
    {"fdatasync", D, "int", NULL},
    {"truncate", F, "string, long", NULL},
    {"ftruncate", D, "int, long", NULL},
    {"getdents", D, "int, addr, uint", NULL},
    {"getcwd", F, "+string, ulong", NULL},
    {"chdir", F, "string", NULL},
    {"fchdir", D, "int", NULL},
    {"rename", F, "string, string", NULL},
    {"mkdir", F, "string, oct", NULL},
    {"rmdir", F, "string", NULL},
    {"creat", F, "string, oct", NULL},
    {"link", F, "string, string", NULL},
    {"unlink", F, "string", NULL},
    {"symlink", F, "string, string", NULL},
    {"readlink", F, "string, +string[retval], ulong", NULL},
    {"chmod", F, "string, oct", NULL},
    {"fchmod", D, "int, oct", NULL},
    {"chown", F, "string, int, int", NULL},
    {"fchown", D, "int, int, int", NULL},
    {"lchown", F, "string, int, int", NULL},
    {"umask", 0, "oct", NULL},
    {"gettimeofday", 0, "addr, addr", NULL},
    {"getrlimit", 0, "sys_resource, addr", NULL},
    {"getrusage", 0, "int, addr", NULL},
    {"sysinfo", 0, "addr", NULL},
    {"times", 0, "addr", NULL},
    {"ptrace", 0, "int, int, addr, addr", NULL},
    {"getuid", 0, "", NULL},
    {"syslog", 0, "int, addr, int", NULL},
    {"getgid", 0, "", NULL},
    {"setuid", 0, "int", NULL},
    {"setgid", 0, "int", NULL},
    {"geteuid", 0, "", NULL},
    {"getegid", 0, "", NULL},
    {"setpgid", 0, "int, int", NULL},
    {"getppid", 0, "", NULL},
    {"getpgrp", 0, "", NULL},
    {"setsid", 0, "", NULL},
    {"setreuid", 0, "int, int", NULL},
    {"setregid", 0, "int, int", NULL},
    {"getgroups", 0, "int, addr", NULL},
    {"setgroups", 0, "int, addr", NULL},
    {"setresuid", 0, "int, int, int", NULL},
    {"setresgid", 0, "int, int, int", NULL},
    {"getpgid", 0, "int", NULL},
    {"getsid", 0, "int", NULL},
    {"rt_sigpending", S, "addr, ulong", NULL},
    {"rt_sigtimedwait", S, "addr, addr, sys_time, ulong", NULL},
    {"rt_sigqueueinfo", S|P, "int, sys_signal, addr", NULL},
    {"rt_sigsuspend", S, "bitvec(ulong)*, ulong", NULL},
    {"sigaltstack", S, "addr, addr", NULL},
    {"utime", F, "string, addr", NULL},
    {"mknod", F, "string, oct, hex(ulong)", NULL},
    {"statfs", F, "string, addr", NULL},
    {"fstatfs", D, "int, addr", NULL},
    {"getpriority", 0, "int, int", NULL},
    {"setpriority", 0, "int, int, int", NULL},
    {"mlock", M, "addr, ulong", NULL},
    {"munlock", M, "addr, ulong", NULL},
    {"mlockall", M, "hex(int)", NULL},
    {"munlockall", M, "", NULL},
    {"pivot_root", F, "string, string", NULL},
    {"prctl", 0, "sys_prctl, hex(ulong), hex(ulong), hex(ulong), hex(ulong)", NULL},
    {"arch_prctl", 0, "sys_arch, addr", NULL},
    {"setrlimit", 0, "sys_resource, addr", NULL},
    {"chroot", F, "string", NULL},
    {"sync", 0, "", NULL},
    {"acct", F, "string", NULL},
    {"mount", F, "string, string, string, hex(ulong), addr", NULL},
    {"umount2", F, "string, hex(int)", NULL},
    {"swapon", F, "string, hex(int)", NULL},
    {"swapoff", F, "string", NULL},
    {"sethostname", 0, "string[arg2], int", NULL},
    {"gettid", 0, "", NULL},
    {"readahead", D, "int, long, ulong", NULL},
    {"setxattr", F, "string, string, addr, ulong, int", NULL},
    {"lsetxattr", F, "string, string, addr, ulong, int", NULL},
    {"fsetxattr", D, "int, string, addr, ulong, int", NULL},
    {"getxattr", F, "string, string, addr, ulong", NULL},
    {"lgetxattr", F, "string, string, addr, ulong", NULL},
    {"fgetxattr", D, "int, string, addr, ulong", NULL},
    {"listxattr", F, "string, addr, ulong", NULL},
    {"llistxattr", F, "string, addr, ulong", NULL},
    {"flistxattr", D, "int, addr, ulong", NULL},
    {"removexattr", F, "string, string", NULL},
    {"lremovexattr", F, "string, string", NULL},
    {"fremovexattr", D, "int, string", NULL},
    {"tkill", S|P, "int, sys_signal", NULL},
    {"time", 0, "addr", NULL},
    {"futex", 0, "addr, sys_futex, uint, addr, addr, uint", NULL},
    {"sched_setaffinity", 0, "int, ulong, addr", NULL},
    {"sched_getaffinity", 0, "int, ulong, addr", NULL},
    {"epoll_create", D, "int", NULL},
    {"getdents64", D, "int, addr, ulong", NULL},
    {"set_tid_address", 0, "addr", NULL},
    {"restart_syscall", 0, "", NULL},
    {"fadvise64", D, "int, long, ulong, int", NULL},
    {"timer_create", 0, "sys_clock, addr, addr", NULL},
    {"timer_settime", 0, "int, int, addr, addr", NULL},
    {"timer_delete", 0, "int", NULL},
    {"clock_settime", 0, "sys_clock, sys_time", NULL},
    {"clock_gettime", 0, "sys_clock, +sys_time", NULL},
    {"clock_getres", 0, "sys_clock, +sys_time", NULL},
    {"clock_nanosleep", 0, "sys_clock, hex(int), sys_time, addr", NULL},
    {"exit_group", P, "int", NULL},
    {"epoll_wait", D, "int, addr, int, int", NULL},
    {"epoll_ctl", D, "int, sys_epoll, int, addr", NULL},
    {"tgkill", S|P, "int, int, sys_signal", NULL},
    {"utimes", F, "string, addr", NULL},
    {"mbind", M, "addr, ulong, int, addr, ulong, uint", NULL},
    {"waitid", P, "int, int, addr, sys_wait, addr", NULL},
    {"inotify_init", D, "", NULL},
    {"inotify_add_watch", D|F, "int, string, hex(int)", NULL},
    {"inotify_rm_watch", D, "int, int", NULL},
    {"openat", D|F, "sys_at, string, sys_open, oct", NULL},
    {"mkdirat", D|F, "sys_at, string, oct", NULL},
    {"mknodat", D|F, "sys_at, string, oct, hex(ulong)", NULL},
    {"fchownat", D|F, "sys_at, string, int, int, sys_atflags", NULL},
    {"futimesat", D|F, "sys_at, string, addr", NULL},
    {"newfstatat", D|F, "sys_at, string, addr, sys_atflags", NULL},
    {"unlinkat", D|F, "sys_at, string, sys_atflags", NULL},
    {"renameat", D|F, "sys_at, string, sys_at, string", NULL},
    {"linkat", D|F, "sys_at, string, sys_at, string, sys_atflags", NULL},
    {"symlinkat", D|F, "string, sys_at, string", NULL},
    {"readlinkat", D|F, "sys_at, string, +string[retval], ulong", NULL},
    {"fchmodat", D|F, "sys_at, string, oct", NULL},
    {"faccessat", D|F, "sys_at, string, sys_access", NULL},
    {"pselect6", D, "int, addr, addr, addr, sys_time, addr", NULL},
    {"ppoll", D, "addr, uint, sys_time, addr, ulong", NULL},
    {"unshare", P, "sys_clone", NULL},
    {"set_robust_list", 0, "addr, ulong", NULL},
    {"get_robust_list", 0, "int, addr, addr", NULL},
    {"splice", D, "int, addr, int, addr, ulong, uint", NULL},
    {"tee", D, "int, int, ulong, uint", NULL},
    {"sync_file_range", D, "int, long, long, uint", NULL},
    {"vmsplice", D, "int, addr, ulong, uint", NULL},
    {"move_pages", M, "int, ulong, addr, addr, addr, int", NULL},
    {"utimensat", D|F, "sys_at, string, addr, sys_atflags", NULL},
    {"epoll_pwait", D, "int, addr, int, int, addr", NULL},
    {"signalfd", D|S, "int, addr, ulong", NULL},
    {"timerfd_create", D, "sys_clock, sys_fd", NULL},
    {"eventfd", D, "uint", NULL},
    {"fallocate", D, "int, hex(int), long, long", NULL},
    {"timerfd_settime", D, "int, int, addr, addr", NULL},
    {"timerfd_gettime", D, "int, addr", NULL},
    {"accept4", N, "int, addr, addr, sys_socket", NULL},
    {"signalfd4", D|S, "int, addr, ulong, sys_fd", NULL},
    {"eventfd2", D, "uint, sys_fd", NULL},
    {"epoll_create1", D, "sys_fd", NULL},
    {"dup3", D, "int, int, sys_fd", NULL},
    {"pipe2", D, "+array(int, 2)*, sys_fd", NULL},
    {"inotify_init1", D, "sys_fd", NULL},
    {"preadv", D, "int, addr, ulong, long", NULL},
    {"pwritev", D, "int, addr, ulong, long", NULL},
    {"rt_tgsigqueueinfo", S|P, "int, int, sys_signal, addr", NULL},
    {"perf_event_open", D, "addr, int, int, int, hex(ulong)", NULL},
    {"recvmmsg", N, "int, addr, uint, sys_message, addr", NULL},
    {"fanotify_init", D, "uint, uint", NULL},
    {"prlimit64", 0, "int, sys_resource, addr, addr", NULL},
    {"name_to_handle_at", D|F, "sys_at, string, addr, addr, sys_atflags", NULL},
    {"syncfs", D, "int", NULL},
    {"sendmmsg", N, "int, addr, uint, sys_message", NULL},
    {"setns", D, "int, sys_clone", NULL},
    {"getcpu", 0, "addr, addr, addr", NULL},
    {"process_vm_readv", 0, "int, addr, ulong, addr, ulong, ulong", NULL},
    {"process_vm_writev", 0, "int, addr, ulong, addr, ulong, ulong", NULL},
    {"sched_setattr", 0, "int, addr, uint", NULL},
    {"sched_getattr", 0, "int, addr, uint, uint", NULL},
    {"renameat2", D|F, "sys_at, string, sys_at, string, hex(int)", NULL},
    {"seccomp", 0, "uint, uint, addr", NULL},
    {"getrandom", 0, "addr, ulong, hex(int)", NULL},
    {"memfd_create", D, "string, hex(int)", NULL},
    {"bpf", D, "int, addr, uint", NULL},
    {"execveat", D|F|P, "sys_at, string, array(string, zero)*, addr, sys_atflags", NULL},
    {"membarrier", 0, "int, hex(int), int", NULL},
    {"mlock2", M, "addr, ulong, hex(int)", NULL},
    {"copy_file_range", D, "int, addr, int, addr, ulong, hex(int)", NULL},
    {"preadv2", D, "int, addr, ulong, long, long, hex(int)", NULL},
    {"pwritev2", D, "int, addr, ulong, long, long, hex(int)", NULL},
    {"pkey_mprotect", M, "addr, ulong, sys_prot, int", NULL},
    {"statx", D|F, "sys_at, string, sys_atflags, hex(int), addr", NULL},
    {"rseq", 0, "addr, uint, hex(int), hex(uint)", NULL},
    {"pidfd_send_signal", D|S|P, "int, sys_signal, addr, hex(int)", NULL},
    {"io_uring_setup", D, "uint, addr", NULL},
    {"io_uring_enter", D|S, "int, uint, uint, hex(int), addr, ulong", NULL},
    {"io_uring_register", D|M, "int, uint, addr, uint", NULL},
    {"pidfd_open", D, "int, hex(int)", NULL},
    {"clone3", P, "addr, ulong", NULL},
    {"close_range", 0, "uint, uint, hex(int)", NULL},
    {"openat2", D|F, "sys_at, string, addr, ulong", NULL},
    {"pidfd_getfd", D, "int, int, hex(int)", NULL},
    {"faccessat2", D|F, "sys_at, string, sys_access, sys_atflags", NULL},
    {"epoll_pwait2", D, "int, addr, int, sys_time, addr", NULL},
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct call *find_call(const char *name)
{
    for (size_t i = 0; i < COUNT(CALLS); i++)
        if (strcmp(CALLS[i].name, name) == 0)
            return &CALLS[i];
    return NULL;
}

/* Network calls take descriptors, too. */
static unsigned sets_of(const char *name)
{
    const struct call *call = find_call(name);
    const unsigned sets = call ? call->sets : 0;
    return sets | ALL | (sets & N ? D : 0);
}

static unsigned find_set(const char *word, size_t n_word)
{
    for (size_t i = 0; i < COUNT(SETS); i++)
        if (strncmp(SETS[i].name, word, n_word) == 0 && !SETS[i].name[n_word])
            return SETS[i].set;
    return 0;
}

/* ---- the choice ---- */

static bool choose_matching(bool *chosen, const char *pattern)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    for (unsigned i = 0; i < RV_SYSCALLS; i++)
        chosen[i] |= rv_syscall_name(i) && regexec(&regex, rv_syscall_name(i), 0, NULL, 0) == 0;
    regfree(&regex);
    return true;
}

static bool choose_word(bool *chosen, const char *word, size_t n_word)
{
    const bool is_percent = n_word && *word == '%';
    const unsigned set = find_set(word + is_percent, n_word - is_percent);
    char name[64];
    if (n_word >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)n_word, word);
    const int number = set || is_percent ? -1 : rv_syscall_find(name);
    for (unsigned i = 0; set && i < RV_SYSCALLS; i++)
        chosen[i] |= rv_syscall_name(i) && sets_of(rv_syscall_name(i)) & set;
    if (number >= 0)
        chosen[number] = true;
    return set || number >= 0;
}

/* False: *word is wrong. */
static bool choose(bool *chosen, const char *choice, const char **word, size_t *n_word)
{
    const bool is_inverse = *choice == '!';
    for (*word = choice + is_inverse;; *word += *n_word + 1) {
        const bool is_regex = **word == '/';
        *n_word = is_regex ? strlen(*word) : strcspn(*word, ",");
        if (!(is_regex ? choose_matching(chosen, *word + 1) : choose_word(chosen, *word, *n_word)))
            return false;
        if (!(*word)[*n_word])
            break;
    }
    for (unsigned i = 0; is_inverse && i < RV_SYSCALLS; i++)
        chosen[i] = rv_syscall_name(i) && !chosen[i];
    return true;
}

/* ---- the text ---- */

struct text {
    char *bytes;
    size_t n, capacity;
};

static void add(struct text *text, const char *word)
{
    const size_t n = strlen(word);
    text->bytes = rv_vec_reserve(text->bytes, &text->capacity, text->n + n + 1, 1);
    memcpy(text->bytes + text->n, word, n + 1);
    text->n += n;
}

static void add_prototype(struct text *text, const char *name)
{
    const struct call *call = find_call(name);
    add(text, call && call->result ? call->result : RESULT);
    add(text, " " RV_SYSCALL_FRONT);
    add(text, name);
    add(text, "(");
    add(text, call ? call->parameters : "");
    add(text, ");\n");
}

char *rv_syscalls_take_prototypes(const char *choice, const char **word, size_t *n_word)
{
    bool chosen[RV_SYSCALLS] = {false};
    struct text text = {0};
    if (!choose(chosen, choice, word, n_word))
        return NULL;
    add(&text, TYPES);
    for (unsigned i = 0; i < RV_SYSCALLS; i++)
        if (chosen[i])
            add_prototype(&text, rv_syscall_name(i));
    return text.bytes;
}
