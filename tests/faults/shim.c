/* Numbers the side effects that a process has on the files below one folder, and stops or fails at one of them.
 *
 * Preloaded into a process (LD_PRELOAD), it stands between Python, SQLite and Lance and the C library. The process
 * itself arms it, through ctypes. See shim.py, which names the modes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define LONGEST 4096

enum mode { COUNT = 0, KILL = 1, TEAR = 2, FAIL_ONCE = 3, FAIL_FROM = 4 };
/* The letters of a trace. */
enum kind {
    CREATE = 'c', WRITE = 'w', SYNC = 's', RENAME = 'r', LINK = 'l', UNLINK = 'u', TRUNCATE = 't', MKDIR = 'm',
    RMDIR = 'd', CHMOD = 'p', MARK = 'a'
};

static char folder[LONGEST];
static size_t folder_length;
static enum mode mode;
static int failure;
static long target;
static volatile long count;
static volatile int fired;
static volatile int armed;
static int trace = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

EXPORT void shim_arm(const char *below, int wanted_mode, long number, int error_number) {
    strncpy(folder, below, LONGEST - 1);
    folder_length = strlen(folder);
    mode = wanted_mode;
    target = number;
    failure = error_number;
    count = 0;
    fired = 0;
    armed = 1;
}

EXPORT void shim_disarm(void) { armed = 0; }
EXPORT long shim_count(void) { return count; }
EXPORT int shim_fired(void) { return fired; }
EXPORT void shim_trace(int handle) { trace = handle; }

static void put(const void *data, size_t size) {
    const char *rest = data;
    while (size) {
        long written = syscall(SYS_write, trace, rest, size);
        if (written <= 0) abort();
        rest += written;
        size -= (size_t)written;
    }
}

/* One record of a trace: kind, offset, and three texts with their lengths. */
static void note(int kind, const char *path, const char *other, uint64_t offset, const void *data, size_t size) {
    if (trace < 0) return;
    uint32_t head[4] = {(uint32_t)kind, (uint32_t)strlen(path), (uint32_t)strlen(other), (uint32_t)size};
    put(head, sizeof head);
    put(&offset, sizeof offset);
    put(path, head[1]);
    put(other, head[2]);
    put(data, size);
}

EXPORT void shim_mark(const char *text) {
    pthread_mutex_lock(&lock);
    note(MARK, "", "", 0, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

static int is_below(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]);
}

static int path_of(int handle, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, LONGEST - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_below(path);
}

/* Return the absolute path that a name relative to an open folder means. */
static int path_at(int at, const char *name, char *path) {
    char start[LONGEST];
    if (!name) return 0;
    if (name[0] == '/') {
        snprintf(path, LONGEST, "%s", name);
        return is_below(path);
    }
    if (at == AT_FDCWD) {
        if (syscall(SYS_getcwd, start, sizeof start) < 0) return 0;
    } else {
        path_of(at, start);
    }
    if (!name[0]) snprintf(path, LONGEST, "%s", start);
    else if (snprintf(path, LONGEST, "%s/%s", start, name) >= LONGEST) return 0;
    return is_below(path);
}

static void die(void) {
    syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

/* A full disk takes no new bytes and names; what is there can be removed. */
static int needs_space(int kind) {
    return kind == CREATE || kind == WRITE || kind == RENAME || kind == LINK || kind == MKDIR || kind == TRUNCATE;
}

/* Count a side effect. Returns 0 to go on, 1 to tear, or fails with errno set: -1. */
static int step(int kind) {
    long number = __sync_add_and_fetch(&count, 1);
    if (mode == FAIL_FROM ? number < target : number != target) return 0;
    switch (mode) {
    case KILL: die(); return -1;
    case TEAR:
        if (kind != WRITE) return 0;
        fired = 1;
        return 1;
    case FAIL_ONCE:
        fired = 1;
        errno = failure;
        return -1;
    case FAIL_FROM:
        if (failure == ENOSPC && !needs_space(kind)) return 0;
        fired = 1;
        errno = failure;
        return -1;
    default: return 0;
    }
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* Calls that write bytes */

#define WRITE_BODY(HANDLE, BYTES, SIZE, OFFSET, WHOLE, HALF)                                  \
    char path[LONGEST];                                                                       \
    if (!armed || !path_of(HANDLE, path)) return WHOLE;                                       \
    int what = step(WRITE);                                                                   \
    if (what < 0) return -1;                                                                  \
    if (what > 0) { (void)!(HALF); die(); }                                                   \
    pthread_mutex_lock(&lock);                                                                \
    int64_t place = (OFFSET);                                                                 \
    ssize_t written = WHOLE;                                                                  \
    if (written > 0) note(WRITE, path, "", (uint64_t)place, BYTES, (size_t)written);          \
    pthread_mutex_unlock(&lock);                                                              \
    return written;

static int64_t here(int handle) {
    int flags = fcntl(handle, F_GETFL);
    if (flags >= 0 && flags & O_APPEND) {
        struct stat found;
        return fstat(handle, &found) ? 0 : found.st_size;
    }
    return lseek(handle, 0, SEEK_CUR);
}

EXPORT ssize_t write(int handle, const void *data, size_t size) {
    REAL(write);
    WRITE_BODY(handle, data, size, here(handle), real(handle, data, size), real(handle, data, size / 2))
}

EXPORT ssize_t pwrite(int handle, const void *data, size_t size, off_t offset) {
    REAL(pwrite);
    WRITE_BODY(handle, data, size, offset, real(handle, data, size, offset), real(handle, data, size / 2, offset))
}

EXPORT ssize_t pwrite64(int handle, const void *data, size_t size, off64_t offset) {
    REAL(pwrite64);
    WRITE_BODY(handle, data, size, offset, real(handle, data, size, offset), real(handle, data, size / 2, offset))
}

/* A short write is legal: only the first part is written, so that its bytes can be traced. */
EXPORT ssize_t writev(int handle, const struct iovec *parts, int number) {
    REAL(writev);
    char path[LONGEST];
    if (!armed || !path_of(handle, path) || number < 1) return real(handle, parts, number);
    return write(handle, parts[0].iov_base, parts[0].iov_len);
}

/* Without these two, programs fall back to reading and writing, which is counted. */
EXPORT ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
    REAL(copy_file_range);
    char path[LONGEST];
    if (!armed || !path_of(out, path)) return real(in, from, out, to, size, flags);
    errno = EXDEV;
    return -1;
}

EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
    char path[LONGEST];
    if (armed && path_of(out, path)) {
        errno = EINVAL;
        return -1;
    }
    return syscall(SYS_sendfile, out, in, offset, size);
}

EXPORT ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) { return sendfile(out, in, offset, size); }

/* Calls on an open file */

#define HANDLE_BODY(KIND, HANDLE, OFFSET, CALL)                       \
    char path[LONGEST];                                               \
    if (!armed || !path_of(HANDLE, path)) return CALL;                \
    if (step(KIND) < 0) return -1;                                    \
    pthread_mutex_lock(&lock);                                        \
    int done = CALL;                                                  \
    if (!done) note(KIND, path, "", (uint64_t)(OFFSET), "", 0);       \
    pthread_mutex_unlock(&lock);                                      \
    return done;

EXPORT int fsync(int handle) { REAL(fsync); HANDLE_BODY(SYNC, handle, 0, real(handle)) }
EXPORT int fdatasync(int handle) { REAL(fdatasync); HANDLE_BODY(SYNC, handle, 0, real(handle)) }
EXPORT int ftruncate(int handle, off_t size) { REAL(ftruncate); HANDLE_BODY(TRUNCATE, handle, size, real(handle, size)) }
EXPORT int ftruncate64(int handle, off64_t size) { REAL(ftruncate64); HANDLE_BODY(TRUNCATE, handle, size, real(handle, size)) }
EXPORT int fchmod(int handle, mode_t bits) { REAL(fchmod); HANDLE_BODY(CHMOD, handle, bits, real(handle, bits)) }

EXPORT int fallocate(int handle, int flags, off_t from, off_t size) {
    REAL(fallocate);
    HANDLE_BODY(TRUNCATE, handle, from + size, real(handle, flags, from, size))
}

EXPORT int posix_fallocate(int handle, off_t from, off_t size) {
    REAL(posix_fallocate);
    HANDLE_BODY(TRUNCATE, handle, from + size, real(handle, from, size))
}

/* Calls on a name */

#define NAME_BODY(KIND, AT, NAME, OFFSET, CALL)                       \
    char path[LONGEST];                                               \
    if (!armed || !path_at(AT, NAME, path)) return CALL;              \
    if (step(KIND) < 0) return -1;                                    \
    pthread_mutex_lock(&lock);                                        \
    int done = CALL;                                                  \
    if (!done) note(KIND, path, "", (uint64_t)(OFFSET), "", 0);       \
    pthread_mutex_unlock(&lock);                                      \
    return done;

EXPORT int unlink(const char *name) { REAL(unlink); NAME_BODY(UNLINK, AT_FDCWD, name, 0, real(name)) }
EXPORT int rmdir(const char *name) { REAL(rmdir); NAME_BODY(RMDIR, AT_FDCWD, name, 0, real(name)) }
EXPORT int mkdir(const char *name, mode_t bits) { REAL(mkdir); NAME_BODY(MKDIR, AT_FDCWD, name, bits, real(name, bits)) }
EXPORT int mkdirat(int at, const char *name, mode_t bits) { REAL(mkdirat); NAME_BODY(MKDIR, at, name, bits, real(at, name, bits)) }
EXPORT int chmod(const char *name, mode_t bits) { REAL(chmod); NAME_BODY(CHMOD, AT_FDCWD, name, bits, real(name, bits)) }
EXPORT int truncate(const char *name, off_t size) { REAL(truncate); NAME_BODY(TRUNCATE, AT_FDCWD, name, size, real(name, size)) }

EXPORT int unlinkat(int at, const char *name, int flags) {
    REAL(unlinkat);
    NAME_BODY(flags & AT_REMOVEDIR ? RMDIR : UNLINK, at, name, 0, real(at, name, flags))
}

#define TWO_NAMES_BODY(KIND, FROM_AT, FROM, TO_AT, TO, CALL)          \
    char path[LONGEST], other[LONGEST];                               \
    int from_here = armed && path_at(FROM_AT, FROM, path);            \
    int to_here = armed && path_at(TO_AT, TO, other);                 \
    if (!from_here && !to_here) return CALL;                          \
    if (step(KIND) < 0) return -1;                                    \
    pthread_mutex_lock(&lock);                                        \
    int done = CALL;                                                  \
    if (!done) note(KIND, path, other, 0, "", 0);                     \
    pthread_mutex_unlock(&lock);                                      \
    return done;

EXPORT int rename(const char *from, const char *to) {
    REAL(rename);
    TWO_NAMES_BODY(RENAME, AT_FDCWD, from, AT_FDCWD, to, real(from, to))
}

EXPORT int renameat(int from_at, const char *from, int to_at, const char *to) {
    REAL(renameat);
    TWO_NAMES_BODY(RENAME, from_at, from, to_at, to, real(from_at, from, to_at, to))
}

EXPORT int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    REAL(renameat2);
    TWO_NAMES_BODY(RENAME, from_at, from, to_at, to, real(from_at, from, to_at, to, flags))
}

EXPORT int link(const char *from, const char *to) {
    REAL(link);
    TWO_NAMES_BODY(LINK, AT_FDCWD, from, AT_FDCWD, to, real(from, to))
}

EXPORT int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    REAL(linkat);
    TWO_NAMES_BODY(LINK, from_at, from, to_at, to, real(from_at, from, to_at, to, flags))
}

/* Opening: only what creates or empties a file is a side effect. */

static int opened(int at, const char *name, int flags, mode_t bits) {
    char path[LONGEST];
    int wanted = flags & (O_CREAT | O_TRUNC);
    if (!armed || !wanted || !path_at(at, name, path)) return (int)syscall(SYS_openat, at, name, flags, bits);
    int exists = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
    if (exists && !(flags & O_TRUNC)) return (int)syscall(SYS_openat, at, name, flags, bits);
    if (step(exists ? TRUNCATE : CREATE) < 0) return -1;
    pthread_mutex_lock(&lock);
    int handle = (int)syscall(SYS_openat, at, name, flags, bits);
    if (handle >= 0) note(exists ? TRUNCATE : CREATE, path, "", 0, "", 0);
    pthread_mutex_unlock(&lock);
    return handle;
}

#define BITS(LAST) mode_t bits = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, LAST); bits = va_arg(rest, mode_t); va_end(rest); }

EXPORT int open(const char *name, int flags, ...) { BITS(flags) return opened(AT_FDCWD, name, flags, bits); }
EXPORT int open64(const char *name, int flags, ...) { BITS(flags) return opened(AT_FDCWD, name, flags | O_LARGEFILE, bits); }
EXPORT int openat(int at, const char *name, int flags, ...) { BITS(flags) return opened(at, name, flags, bits); }
EXPORT int openat64(int at, const char *name, int flags, ...) { BITS(flags) return opened(at, name, flags | O_LARGEFILE, bits); }
EXPORT int creat(const char *name, mode_t bits) { return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, bits); }

/* What a full disk answers when it is asked for its free space */

static int is_full(void) { return armed && fired && mode == FAIL_FROM && failure == ENOSPC; }

EXPORT int statvfs64(const char *name, struct statvfs64 *found) {
    REAL(statvfs64);
    int done = real(name, found);
    if (!done && is_full()) found->f_bavail = found->f_bfree = 0;
    return done;
}

EXPORT int statvfs(const char *name, struct statvfs *found) {
    REAL(statvfs);
    int done = real(name, found);
    if (!done && is_full()) found->f_bavail = found->f_bfree = 0;
    return done;
}
