// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at the driver's files by each of the C library's functions that take a
// path: also by those that programs call which were built with an older
// library, or with _FORTIFY_SOURCE.
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Which no header declares.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstat64(int, int, struct stat64 *);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
}
// NOLINTEND(readability-identifier-naming)

static int Failures = 0;

static void check(bool Holds, const char *Function) {
  if (Holds)
    return;
  std::printf("%s: %s\n", Function, std::strerror(errno));
  ++Failures;
}

// Each differs from what a machine's own driver has.
static constexpr char Version[] = "/sys/module/amdgpu/version";
static constexpr off_t VersionBytes = sizeof("luthier\n") - 1;
static constexpr char Link[] = "/sys/class/drm/renderD128";
static constexpr char Target[] = "../pci/";
static constexpr char Folder[] = "/sys/class/kfd/kfd/topology/nodes/1";
static constexpr char Node[] = "/dev/dri/renderD128";
static constexpr unsigned GraphicsMajor = 226, RenderMinor = 128;
/// What glibc before 2.33 had in its inline functions.
static constexpr int StatVersion = 1;

template <class T>
static void
checkStat(const char *Function,
          const std::function<int(const char *Path, T *)> &Describe) {
  T S{};
  check(Describe(Version, &S) == 0 && S.st_size == VersionBytes, Function);
  check(Describe(Node, &S) == 0 && S_ISCHR(S.st_mode) &&
            S.st_rdev == makedev(GraphicsMajor, RenderMinor),
        Function);
}

/// The file, or the node, is opened before.
template <class T>
static void checkOpenStat(const char *Function, int (*Describe)(int, T *)) {
  checkStat<T>(Function, [=](const char *Path, T *S) {
    const int Fd = open(Path, O_RDONLY);
    const int Result = Describe(Fd, S);
    close(Fd);
    return Result;
  });
}

static void checkStats() {
  using S = struct stat;
  using S64 = struct stat64;
  checkStat<S>("stat", stat);
  checkStat<S64>("stat64", stat64);
  checkStat<S>("lstat", lstat);
  checkStat<S64>("lstat64", lstat64);
  checkStat<S>("fstatat", [](const char *Path, S *To) {
    return fstatat(AT_FDCWD, Path, To, 0);
  });
  checkStat<S64>("fstatat64", [](const char *Path, S64 *To) {
    return fstatat64(AT_FDCWD, Path, To, AT_SYMLINK_NOFOLLOW);
  });
  checkStat<S>("__xstat", [](const char *Path, S *To) {
    return __xstat(StatVersion, Path, To);
  });
  checkStat<S64>("__xstat64", [](const char *Path, S64 *To) {
    return __xstat64(StatVersion, Path, To);
  });
  checkStat<S>("__lxstat", [](const char *Path, S *To) {
    return __lxstat(StatVersion, Path, To);
  });
  checkStat<S64>("__lxstat64", [](const char *Path, S64 *To) {
    return __lxstat64(StatVersion, Path, To);
  });
  checkStat<S>("__fxstatat", [](const char *Path, S *To) {
    return __fxstatat(StatVersion, AT_FDCWD, Path, To, 0);
  });
  checkStat<S64>("__fxstatat64", [](const char *Path, S64 *To) {
    return __fxstatat64(StatVersion, AT_FDCWD, Path, To, 0);
  });
  checkOpenStat<S>("fstat", fstat);
  checkOpenStat<S64>("fstat64", fstat64);
  checkOpenStat<S>("__fxstat",
                   [](int Fd, S *To) { return __fxstat(StatVersion, Fd, To); });
  checkOpenStat<S64>("__fxstat64", [](int Fd, S64 *To) {
    return __fxstat64(StatVersion, Fd, To);
  });
  checkOpenStat<S>("fstatat of an empty path", [](int Fd, S *To) {
    return fstatat(Fd, "", To, AT_EMPTY_PATH);
  });
  struct stat Status;
  check(lstat(Link, &Status) == 0 && S_ISLNK(Status.st_mode), "lstat");
  check(__lxstat(StatVersion, Link, &Status) == 0 && S_ISLNK(Status.st_mode),
        "__lxstat");
  struct statx X;
  check(statx(AT_FDCWD, Version, 0, STATX_SIZE, &X) == 0 &&
            X.stx_size == size_t(VersionBytes),
        "statx");
  check(statx(AT_FDCWD, Node, 0, STATX_TYPE, &X) == 0 && S_ISCHR(X.stx_mode) &&
            X.stx_rdev_major == GraphicsMajor &&
            X.stx_rdev_minor == RenderMinor,
        "statx of a node");
}

static void checkOpens() {
  auto isThere = [](int Fd, const char *Function) {
    char Text[sizeof(Version)] = {};
    check(read(Fd, Text, sizeof(Text)) == VersionBytes, Function);
    close(Fd);
  };
  isThere(open(Version, O_RDONLY), "open");
  isThere(open64(Version, O_RDONLY), "open64");
  isThere(openat(AT_FDCWD, Version, O_RDONLY), "openat");
  isThere(openat64(AT_FDCWD, Version, O_RDONLY), "openat64");
  isThere(__open_2(Version, O_RDONLY), "__open_2");
  isThere(__open64_2(Version, O_RDONLY), "__open64_2");
  isThere(__openat_2(AT_FDCWD, Version, O_RDONLY), "__openat_2");
  isThere(__openat64_2(AT_FDCWD, Version, O_RDONLY), "__openat64_2");
  for (auto *Open : {fopen, fopen64}) {
    FILE *File = Open(Version, "r");
    check(File, "fopen");
    if (File)
      fclose(File);
  }
  check(access(Version, R_OK) == 0, "access");
  check(eaccess(Version, R_OK) == 0, "eaccess");
  check(euidaccess(Version, R_OK) == 0, "euidaccess");
  check(faccessat(AT_FDCWD, Version, R_OK, 0) == 0, "faccessat");
}

static void checkLinks() {
  char Text[PATH_MAX];
  auto leads = [&](ssize_t Length, const char *Function) {
    check(Length > 0 && std::strncmp(Text, Target, strlen(Target)) == 0,
          Function);
    Text[0] = 0;
  };
  leads(readlink(Link, Text, sizeof(Text)), "readlink");
  leads(readlinkat(AT_FDCWD, Link, Text, sizeof(Text)), "readlinkat");
  leads(__readlink_chk(Link, Text, sizeof(Text), sizeof(Text)),
        "__readlink_chk");
  leads(__readlinkat_chk(AT_FDCWD, Link, Text, sizeof(Text), sizeof(Text)),
        "__readlinkat_chk");
  check(realpath(Version, Text), "realpath");
  check(__realpath_chk(Version, Text, sizeof(Text)), "__realpath_chk");
  char *Found = canonicalize_file_name(Version);
  check(Found, "canonicalize_file_name");
  std::free(Found);
}

static void checkFolders() {
  DIR *Opened = opendir(Folder);
  check(Opened, "opendir");
  if (Opened)
    closedir(Opened);
  dirent **Entries;
  check(scandir(Folder, &Entries, nullptr, alphasort) > 2, "scandir");
  dirent64 **Entries64;
  check(scandir64(Folder, &Entries64, nullptr, alphasort64) > 2, "scandir64");
}

int main() {
  checkOpens();
  checkStats();
  checkLinks();
  checkFolders();
  if (Failures == 0)
    std::puts("passed");
  return Failures != 0;
}
