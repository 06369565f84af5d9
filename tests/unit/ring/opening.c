/* Files that are not complete trace files are refused, with one line that gives the reason. */
#include "fixture.h"

#define FIELD(member) offsetof(struct rv_wire_header, member), sizeof(((struct rv_wire_header *)0)->member)

struct damage {
    const char *what;
    size_t offset, n_bytes;
    uint64_t value;
    int error;
};

static const struct damage damages[] = {
    {"foreign", FIELD(magic), 0x1234, -EBADMSG},
    {"other byte order", FIELD(magic), 0x52494e4749565a31, -EPROTONOSUPPORT},
    {"other byte order mark", FIELD(endian), 0x04030201, -EPROTONOSUPPORT},
    {"other version", FIELD(major), RV_WIRE_MAJOR + 1, -EPROTONOSUPPORT},
    {"unknown feature", FIELD(feature_incompat), 2, -EPROTONOSUPPORT},
    {"longer than it says", FIELD(file_bytes), 4096, -EBADMSG},
    {"shorter than it says", FIELD(file_bytes), 1ull << 39, -EBADMSG},
    {"huge", FIELD(file_bytes), UINT64_MAX, -EBADMSG},
    {"header size", FIELD(header_bytes), 64, -EBADMSG},
    {"no rings", FIELD(n_rings), 0, -EBADMSG},
    {"too many rings", FIELD(n_rings), 100, -EBADMSG},
    {"absurdly many rings", FIELD(n_rings), UINT32_MAX, -EBADMSG},
    {"ring size not a power of two", FIELD(ring_events), 100, -EBADMSG},
    {"ring too large", FIELD(ring_events), 1 << 20, -EBADMSG},
    {"no slots", FIELD(n_slots), 0, -EBADMSG},
    {"slots do not fit", FIELD(n_slots), 60000, -EBADMSG},
    {"slot size odd", FIELD(slot_bytes), 41, -EBADMSG},
    {"slot size huge", FIELD(slot_bytes), 1 << 30, -EBADMSG},
    {"message size", FIELD(message_bytes), 1 << 30, -EBADMSG},
    {"watches", FIELD(n_watches), 5, -EBADMSG},
    {"control too small", FIELD(control_bytes), 64, -EBADMSG},
    {"control not aligned", FIELD(control_bytes), 4097, -EBADMSG},
    {"control huge", FIELD(control_bytes), UINT32_MAX - 63, -EBADMSG},
    {"processes", FIELD(n_processes), 1 << 20, -EBADMSG},
    {"modules", FIELD(n_modules), 1 << 20, -EBADMSG},
    {"names", FIELD(n_name_ids), 1 << 20, -EBADMSG},
    {"no names", FIELD(n_name_ids), 0, -EBADMSG},
    {"index not a power of two", FIELD(n_index_slots), 2047, -EBADMSG},
    {"index smaller than names", FIELD(n_index_slots), 512, -EBADMSG},
    {"index larger than its section", FIELD(n_index_slots), 1 << 20, -EBADMSG},
    {"policy", FIELD(policy), RV_POLICY_COUNT, -EBADMSG},
    {"clock", FIELD(clock_kind), RV_CLOCK_COUNT, -EBADMSG},
    {"clock rate zero", FIELD(clock_mult), 0, -EBADMSG},
    {"clock shift", FIELD(clock_shift), 64, -EBADMSG},
    {"sections overlap", FIELD(modules.offset), 4096, -EBADMSG},
    {"section not aligned", FIELD(controls.offset), 4097, -EBADMSG},
    {"section outside", FIELD(rings.offset), 1ull << 40, -EBADMSG},
    {"section wraps", FIELD(rings.n_bytes), UINT64_MAX - 4095, -EBADMSG},
    {"section in the header", FIELD(processes.offset), 0, -EBADMSG},
    {"heap too small", FIELD(name_heap.n_bytes), 8, -EBADMSG},
    {"no global message", FIELD(global_message.n_bytes), 0, -EBADMSG},
    {"not begun", FIELD(magic), 0, -EBADMSG},
    {"not finished", FIELD(state), RV_FILE_UNREADY, -EBADMSG},
};

Test(opening, each_kind_of_damage_is_refused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *damage = &damages[i];
        uint64_t before = 0;
        cr_assert_eq(pread(f.map.fd, &before, damage->n_bytes, (off_t)damage->offset), (ssize_t)damage->n_bytes);
        cr_assert_eq(pwrite(f.map.fd, &damage->value, damage->n_bytes, (off_t)damage->offset),
                     (ssize_t)damage->n_bytes);
        struct rv_map map;
        cr_expect_eq(rv_map_open(&map, f.path, RV_MAP_OBSERVER, true), damage->error, "%s", damage->what);
        cr_assert_null(map.base, "%s", damage->what);
        cr_assert_eq(pwrite(f.map.fd, &before, damage->n_bytes, (off_t)damage->offset), (ssize_t)damage->n_bytes);
    }
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_OBSERVER, false), 0);
    rv_map_close(&map);
    close_fixture(&f);
}

static void write_file(const char *path, size_t n_bytes, char fill)
{
    char text[8192];
    memset(text, fill, sizeof text);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, n_bytes), (ssize_t)n_bytes);
    close(fd);
}

Test(opening, other_files_are_refused, .timeout = 60)
{
    struct fixture f = {0};
    struct rv_map map;
    make_folder(&f);
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -ENOENT);
    write_file(f.path, 0, 0);
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EBADMSG);
    write_file(f.path, 4095, 'x');
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EBADMSG);
    write_file(f.path, 8192, 'x');
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EBADMSG);
    unlink(f.path);
    cr_assert_eq(mkfifo(f.path, 0600), 0);
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EBADMSG);
    cr_assert_eq(rv_map_open(&map, f.folder, RV_MAP_OBSERVER, true), -EBADMSG);
    remove_folder(&f);
}

Test(opening, a_truncated_file_is_refused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(ftruncate(f.map.fd, (off_t)f.map.geometry.file_bytes - 1), 0);
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EBADMSG);
    close_fixture(&f);
}

Test(opening, a_symbolic_link_is_refused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char link[200];
    snprintf(link, sizeof link, "%s/link", f.folder);
    cr_assert_eq(symlink(f.path, link), 0);
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, link, RV_MAP_PRODUCER, true), -ELOOP);
    unlink(link);
    close_fixture(&f);
}

Test(opening, another_users_file_is_refused, .timeout = 60)
{
    if (geteuid() != 0)
        cr_skip_test("needs root to give a file away");
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(chown(f.path, 65534, 65534), 0);
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true), -EACCES);
    cr_assert_eq(chmod(f.folder, 0755), 0);
    pid_t pid = fork();
    if (pid == 0) {
        if (chown(f.path, 0, 0) || setresuid(65534, 65534, 65534))
            _exit(1);
        _exit(rv_map_open(&map, f.path, RV_MAP_CONSUMER, true) == -EACCES ? 0 : 2);
    }
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

/* Opens `path` and compares all that is written to stderr meanwhile. */
static void expect_line(const char *path, const char *reason)
{
    char expected[300], said[600];
    int pipe_ends[2], saved = dup(2);
    cr_assert_eq(pipe(pipe_ends), 0);
    dup2(pipe_ends[1], 2);
    struct rv_map map;
    int error = rv_map_open(&map, path, RV_MAP_CONSUMER, false);
    fflush(stderr);
    dup2(saved, 2);
    close(pipe_ends[1]);
    ssize_t n = read(pipe_ends[0], said, sizeof said - 1);
    close(pipe_ends[0]);
    close(saved);
    said[n < 0 ? 0 : n] = '\0';
    snprintf(expected, sizeof expected, "ringviz: %s: %s\n", path, reason);
    cr_assert_lt(error, 0);
    cr_assert_str_eq(said, expected);
}

Test(opening, says_in_one_line_why, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char link[200];
    snprintf(link, sizeof link, "%s/link", f.folder);
    cr_assert_eq(symlink(f.path, link), 0);
    expect_line(link, "is a symbolic link");
    unlink(link);
    f.map.header->major = RV_WIRE_MAJOR + 1;
    expect_line(f.path, "made by another version of ringviz");
    f.map.header->major = RV_WIRE_MAJOR;
    f.map.header->magic = 1;
    expect_line(f.path, "not a ringviz trace file");
    f.map.header->magic = __builtin_bswap64(RV_WIRE_MAGIC);
    expect_line(f.path, "written on a machine of the other byte order");
    f.map.header->magic = RV_WIRE_MAGIC;
    cr_assert_eq(ftruncate(f.map.fd, 8192), 0);
    expect_line(f.path, "truncated");
    close_fixture(&f);
}
