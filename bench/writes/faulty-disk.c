/* Preloaded (LD_PRELOAD) into a process that writes below FAULTY_ROOT. Counts its calls that write, sync, rename, remove or make; at call
   FAULTY_AT the disk fails: with FAULTY_HOW=error this call answers EIO, with FAULTY_HOW=cut everything stops there as at a power cut.
   What was written is recorded in FAULTY_LOG, for bench/power-cuts.js to drop or reorder what was not synced. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int count;
static const char *root, *how;
static int at = -1, record = -1;

__attribute__((constructor)) static void start(void) {
  root = getenv("FAULTY_ROOT");
  how = getenv("FAULTY_HOW");
  if (getenv("FAULTY_AT")) at = atoi(getenv("FAULTY_AT"));
  if (getenv("FAULTY_LOG")) record = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULTY_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_below(const char *path) { return root && path && strncmp(path, root, strlen(root)) == 0; }

static const char *path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return path;
}

static const unsigned char *data;
static size_t data_size;

/* Returns whether this call fails. What it writes is recorded in hexadecimal. */
static int fails(const char *what, const char *path, const char *other) {
  if (!is_below(path) && !is_below(other)) return 0;
  int own = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  if (own == at) {
    if (how && strcmp(how, "cut") == 0) _exit(99);
    errno = EIO;
    return 1;
  }
  if (record >= 0) {
    char line[3 * PATH_MAX];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path ? path : "", other ? other : "");
    size_t shown = data_size < 65536 ? data_size : 65536;
    char *whole = malloc((size_t)length + 2 * shown + 1);
    memcpy(whole, line, (size_t)length);
    for (size_t each = 0; each < shown; each++) sprintf(whole + length - 1 + 2 * each, "%02x", data[each]);
    whole[length - 1 + 2 * shown] = '\n';
    syscall(SYS_write, record, whole, (size_t)length + 2 * shown);
    free(whole);
  }
  return 0;
}

static int write_fails(int fd, const void *bytes, size_t size) {
  char path[PATH_MAX];
  data = bytes, data_size = size;
  int failed = fails("write", path_of(fd, path), NULL);
  data_size = 0;
  return failed;
}

#define NEXT(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t size) {
  NEXT(write);
  return write_fails(fd, bytes, size) ? -1 : real(fd, bytes, size);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
  NEXT(pwrite64);
  return write_fails(fd, bytes, size) ? -1 : real(fd, bytes, size, offset);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  NEXT(pwrite);
  return write_fails(fd, bytes, size) ? -1 : real(fd, bytes, size, offset);
}
ssize_t writev(int fd, const struct iovec *parts, int number) {
  NEXT(writev);
  return write_fails(fd, parts[0].iov_base, parts[0].iov_len) ? -1 : real(fd, parts, number);
}
int fsync(int fd) {
  NEXT(fsync);
  char path[PATH_MAX];
  return fails("sync", path_of(fd, path), NULL) ? -1 : real(fd);
}
int fdatasync(int fd) {
  NEXT(fdatasync);
  char path[PATH_MAX];
  return fails("sync", path_of(fd, path), NULL) ? -1 : real(fd);
}
int rename(const char *from, const char *to) {
  NEXT(rename);
  return fails("rename", from, to) ? -1 : real(from, to);
}
int unlink(const char *path) {
  NEXT(unlink);
  return fails("remove", path, NULL) ? -1 : real(path);
}
int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  return fails("folder", path, NULL) ? -1 : real(path, mode);
}
int rmdir(const char *path) {
  NEXT(rmdir);
  return fails("remove", path, NULL) ? -1 : real(path);
}
static int opened(const char *path, int flags) { return (flags & (O_CREAT | O_TRUNC)) && fails("create", path, NULL); }
int open64(const char *path, int flags, ...) {
  NEXT(open64);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags) ? -1 : real(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  NEXT(open);
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return opened(path, flags) ? -1 : real(path, flags, mode);
}
