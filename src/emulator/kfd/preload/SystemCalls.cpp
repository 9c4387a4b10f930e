// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program sees of the kernel's AMD GPU driver comes from the emulator.
// That costs nothing until somebody looks for the device: only one of the
// driver's paths loads the emulator.
//
// Calls go on to the kernel by syscall(2) where that is as good, since the
// loader and allocators call some of these before dlsym(3) works.
#include "emulator/kfd/preload/Preload.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace luthier::preload {

static const luthier_kfd_backend *Loaded = nullptr;

/// The library with the emulator is beside this one.
static void load() {
  Dl_info Info;
  char Path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void *>(&load), &Info) ||
      strlen(Info.dli_fname) + sizeof("libluthier-kfd.so") > sizeof(Path))
    return;
  strcpy(Path, Info.dli_fname);
  char *Slash = strrchr(Path, '/');
  strcpy(Slash ? Slash + 1 : Path, "libluthier-kfd.so");
  // Not for the program to see: it may bring an LLVM of its own.
  void *Library = dlopen(Path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Library) {
    fprintf(stderr, "luthier: the emulated GPU cannot be loaded: %s\n",
            dlerror());
    return;
  }
  using Getter = const luthier_kfd_backend *(*)();
  if (auto Get =
          reinterpret_cast<Getter>(dlsym(Library, "luthier_kfd_get_backend")))
    __atomic_store_n(&Loaded, Get(), __ATOMIC_RELEASE);
}

const luthier_kfd_backend *loadedBackend() {
  return __atomic_load_n(&Loaded, __ATOMIC_ACQUIRE);
}

const luthier_kfd_backend *backend() {
  static pthread_once_t Once = PTHREAD_ONCE_INIT;
  pthread_once(&Once, load);
  return loadedBackend();
}

/// Of the devices that the graphics drivers have.
static constexpr unsigned GraphicsMajor = 226;

/// -1 if it is no render node.
static int renderMinor(const char *Path) {
  constexpr char Prefix[] = "/dev/dri/renderD";
  return strncmp(Path, Prefix, sizeof(Prefix) - 1) == 0
             ? atoi(Path + sizeof(Prefix) - 1)
             : -1;
}

/// Where to look instead, which may be in \p Buffer, or \p Path.
static const char *redirect(const char *Path, char (&Buffer)[PATH_MAX]) {
  static constexpr struct {
    const char *From, *To;
  } Folders[] = {
      {"/sys/devices/virtual/kfd/kfd", "/kfd"},
      {"/sys/class/kfd/kfd", "/kfd"},
      {"/sys/module/amdgpu", "/module"},
      {"/sys/class/drm", "/drm"},
      // By the number of a node of the graphics driver.
      {"/sys/dev/char/226:", "/char/226:"},
      // lsmod reads it, which rocminfo of ROCm 5 runs.
      {"/proc/modules", "/module/modules"},
      {"/dev/kfd", "/dev/kfd"},
      {"/dev/dri", "/dev/dri"},
  };
  if (!Path || Path[0] != '/' || !strchr("sdp", Path[1]))
    return Path;
  for (const auto &Folder : Folders) {
    const size_t Length = strlen(Folder.From);
    if (strncmp(Path, Folder.From, Length) != 0 ||
        (Path[Length] != 0 && Path[Length] != '/' && Path[Length - 1] != ':'))
      continue;
    const luthier_kfd_backend *B = backend();
    const char *Files = B ? B->files() : nullptr;
    if (!Files)
      return Path;
    const int Written = snprintf(Buffer, sizeof(Buffer), "%s%s%s", Files,
                                 Folder.To, Path + Length);
    return Written < int(sizeof(Buffer)) ? Buffer : Path;
  }
  return Path;
}

static int openAt(int Folder, const char *Path, int Flags, mode_t Mode) {
  if (Path && strncmp(Path, "/dev/", 5) == 0) {
    if (strcmp(Path, "/dev/kfd") == 0) {
      if (const luthier_kfd_backend *B = backend())
        return B->open(0, Flags);
    } else if (const int Minor = renderMinor(Path); Minor >= 0) {
      const luthier_kfd_backend *B = backend();
      if (B && B->gpu(Minor))
        return B->open(Minor, Flags);
    }
  }
  char Buffer[PATH_MAX];
  return int(syscall(SYS_openat, Folder, redirect(Path, Buffer), Flags, Mode));
}

static mode_t modeOf(int Flags, va_list Rest) {
  return Flags & O_CREAT || (Flags & O_TMPFILE) == O_TMPFILE
             ? va_arg(Rest, mode_t)
             : 0;
}

/// Nodes of the graphics driver are devices with its number, whatever stands
/// for them here.
template <typename T>
static void describeNode(const luthier_kfd_gpu &Gpu, T *S) {
  S->st_mode = S_IFCHR | 0666;
  S->st_rdev = makedev(GraphicsMajor, Gpu.RenderMinor);
}

template <typename T> static int describe(int Fd, T *S) {
  static_assert(sizeof(T) == sizeof(struct stat), "as the kernel has it");
  if (syscall(SYS_fstat, Fd, S) != 0)
    return -1;
  if (const luthier_kfd_backend *B = loadedBackend())
    if (const luthier_kfd_gpu *Gpu = B->gpu_of(Fd))
      describeNode(*Gpu, S);
  return 0;
}

/// The GPU behind a path, or behind a descriptor where the path is empty. Null
/// if it is no render node of ours.
static const luthier_kfd_gpu *nodeAt(int Folder, const char *Path, int Flags) {
  const luthier_kfd_backend *B = loadedBackend();
  if (!B || !Path)
    return nullptr;
  if (!*Path)
    return Flags & AT_EMPTY_PATH ? B->gpu_of(Folder) : nullptr;
  const int Minor = renderMinor(Path);
  return Minor >= 0 ? B->gpu(Minor) : nullptr;
}

template <typename T>
static int statAt(int Folder, const char *Path, T *S, int Flags) {
  static_assert(sizeof(T) == sizeof(struct stat), "as the kernel has it");
  char Buffer[PATH_MAX];
  if (syscall(SYS_newfstatat, Folder, redirect(Path, Buffer), S, Flags) != 0)
    return -1;
  if (const luthier_kfd_gpu *Gpu = nodeAt(Folder, Path, Flags))
    describeNode(*Gpu, S);
  return 0;
}

/// The next definition of what this library defines.
template <typename T> static T *next(T *, const char *Name) {
  return reinterpret_cast<T *>(dlsym(RTLD_NEXT, Name));
}

static void *map(void *Address, size_t Size, int Protection, int Flags, int Fd,
                 off_t Offset) {
  const luthier_kfd_backend *B = loadedBackend();
  if (B && Fd >= 0 && B->owns(Fd))
    return B->mmap(Address, Size, Flags, Fd, uint64_t(Offset));
  auto *Begin = reinterpret_cast<void *>(
      syscall(SYS_mmap, Address, Size, Protection, Flags, Fd, Offset));
  // What was there before may have gone without a call of ours.
  if (B && Begin != MAP_FAILED)
    B->forget(Begin, Size);
  return Begin;
}

} // namespace luthier::preload

using namespace luthier::preload;

#define LUTHIER_OPEN(NAME)                                                     \
  LUTHIER_INTERPOSED int NAME(const char *Path, int Flags, ...) {              \
    va_list Rest;                                                              \
    va_start(Rest, Flags);                                                     \
    const mode_t Mode = modeOf(Flags, Rest);                                   \
    va_end(Rest);                                                              \
    return openAt(AT_FDCWD, Path, Flags, Mode);                                \
  }
LUTHIER_OPEN(open)
LUTHIER_OPEN(open64)

#define LUTHIER_OPEN_AT(NAME)                                                  \
  LUTHIER_INTERPOSED int NAME(int Folder, const char *Path, int Flags, ...) {  \
    va_list Rest;                                                              \
    va_start(Rest, Flags);                                                     \
    const mode_t Mode = modeOf(Flags, Rest);                                   \
    va_end(Rest);                                                              \
    return openAt(Folder, Path, Flags, Mode);                                  \
  }
LUTHIER_OPEN_AT(openat)
LUTHIER_OPEN_AT(openat64)

// What _FORTIFY_SOURCE makes of open().
// NOLINTBEGIN(readability-identifier-naming)
LUTHIER_INTERPOSED int __open_2(const char *Path, int Flags) {
  return openAt(AT_FDCWD, Path, Flags, 0);
}
LUTHIER_INTERPOSED int __open64_2(const char *Path, int Flags) {
  return openAt(AT_FDCWD, Path, Flags, 0);
}
LUTHIER_INTERPOSED int __openat_2(int Folder, const char *Path, int Flags) {
  return openAt(Folder, Path, Flags, 0);
}
LUTHIER_INTERPOSED int __openat64_2(int Folder, const char *Path, int Flags) {
  return openAt(Folder, Path, Flags, 0);
}
// NOLINTEND(readability-identifier-naming)

#define LUTHIER_REDIRECTED(RESULT, NAME, PARAMETERS, ...)                      \
  LUTHIER_INTERPOSED RESULT NAME PARAMETERS {                                  \
    static auto *const Next = next(&NAME, #NAME);                              \
    char Buffer[PATH_MAX];                                                     \
    return Next(__VA_ARGS__);                                                  \
  }
#define LUTHIER_PATH redirect(Path, Buffer)
LUTHIER_REDIRECTED(FILE *, fopen, (const char *Path, const char *Mode),
                   LUTHIER_PATH, Mode)
LUTHIER_REDIRECTED(FILE *, fopen64, (const char *Path, const char *Mode),
                   LUTHIER_PATH, Mode)
LUTHIER_REDIRECTED(DIR *, opendir, (const char *Path), LUTHIER_PATH)
LUTHIER_REDIRECTED(int, access, (const char *Path, int Mode), LUTHIER_PATH,
                   Mode)

LUTHIER_REDIRECTED(int, faccessat,
                   (int Folder, const char *Path, int Mode, int Flags), Folder,
                   LUTHIER_PATH, Mode, Flags)
LUTHIER_REDIRECTED(int, euidaccess, (const char *Path, int Mode), LUTHIER_PATH,
                   Mode)
LUTHIER_REDIRECTED(int, eaccess, (const char *Path, int Mode), LUTHIER_PATH,
                   Mode)

#define LUTHIER_SCAN_DIRECTORY(NAME, ENTRY)                                    \
  LUTHIER_REDIRECTED(                                                          \
      int, NAME,                                                               \
      (const char *Path, struct ENTRY ***Found,                                \
       int (*Select)(const struct ENTRY *),                                    \
       int (*Compare)(const struct ENTRY **, const struct ENTRY **)),          \
      LUTHIER_PATH, Found, Select, Compare)
LUTHIER_SCAN_DIRECTORY(scandir, dirent)
LUTHIER_SCAN_DIRECTORY(scandir64, dirent64)

// The last three are what programs call that were built with a C library before
// 2.33. Their first argument says which structure is meant; there is one.
// NOLINTBEGIN(readability-identifier-naming)
#define LUTHIER_STAT(TYPE, SUFFIX)                                             \
  LUTHIER_INTERPOSED int stat##SUFFIX(const char *Path, struct TYPE *S) {      \
    return statAt(AT_FDCWD, Path, S, 0);                                       \
  }                                                                            \
  LUTHIER_INTERPOSED int lstat##SUFFIX(const char *Path, struct TYPE *S) {     \
    return statAt(AT_FDCWD, Path, S, AT_SYMLINK_NOFOLLOW);                     \
  }                                                                            \
  LUTHIER_INTERPOSED int fstat##SUFFIX(int Fd, struct TYPE *S) {               \
    return describe(Fd, S);                                                    \
  }                                                                            \
  LUTHIER_INTERPOSED int fstatat##SUFFIX(int Folder, const char *Path,         \
                                         struct TYPE *S, int Flags) {          \
    return statAt(Folder, Path, S, Flags);                                     \
  }                                                                            \
  LUTHIER_INTERPOSED int __xstat##SUFFIX(int, const char *Path,                \
                                         struct TYPE *S) {                     \
    return statAt(AT_FDCWD, Path, S, 0);                                       \
  }                                                                            \
  LUTHIER_INTERPOSED int __lxstat##SUFFIX(int, const char *Path,               \
                                          struct TYPE *S) {                    \
    return statAt(AT_FDCWD, Path, S, AT_SYMLINK_NOFOLLOW);                     \
  }                                                                            \
  LUTHIER_INTERPOSED int __fxstat##SUFFIX(int, int Fd, struct TYPE *S) {       \
    return describe(Fd, S);                                                    \
  }                                                                            \
  LUTHIER_INTERPOSED int __fxstatat##SUFFIX(int, int Folder, const char *Path, \
                                            struct TYPE *S, int Flags) {       \
    return statAt(Folder, Path, S, Flags);                                     \
  }
LUTHIER_STAT(stat, )
LUTHIER_STAT(stat64, 64)

LUTHIER_INTERPOSED int statx(int Folder, const char *Path, int Flags,
                             unsigned Mask, struct statx *S) {
  char Buffer[PATH_MAX];
  if (syscall(SYS_statx, Folder, redirect(Path, Buffer), Flags, Mask, S) != 0)
    return -1;
  if (const luthier_kfd_gpu *Gpu = nodeAt(Folder, Path, Flags)) {
    S->stx_mode = S_IFCHR | 0666;
    S->stx_rdev_major = GraphicsMajor;
    S->stx_rdev_minor = Gpu->RenderMinor;
  }
  return 0;
}

LUTHIER_REDIRECTED(ssize_t, readlink,
                   (const char *Path, char *Target, size_t Size), LUTHIER_PATH,
                   Target, Size)
LUTHIER_REDIRECTED(ssize_t, readlinkat,
                   (int Folder, const char *Path, char *Target, size_t Size),
                   Folder, LUTHIER_PATH, Target, Size)
LUTHIER_REDIRECTED(char *, realpath, (const char *Path, char *Resolved),
                   LUTHIER_PATH, Resolved)
LUTHIER_REDIRECTED(char *, canonicalize_file_name, (const char *Path),
                   LUTHIER_PATH)
// What _FORTIFY_SOURCE makes of them; Room is what there is for the result.
LUTHIER_REDIRECTED(ssize_t, __readlink_chk,
                   (const char *Path, char *Target, size_t Size, size_t Room),
                   LUTHIER_PATH, Target, Size, Room)
LUTHIER_REDIRECTED(ssize_t, __readlinkat_chk,
                   (int Folder, const char *Path, char *Target, size_t Size,
                    size_t Room),
                   Folder, LUTHIER_PATH, Target, Size, Room)
LUTHIER_REDIRECTED(char *, __realpath_chk,
                   (const char *Path, char *Resolved, size_t Room),
                   LUTHIER_PATH, Resolved, Room)
// NOLINTEND(readability-identifier-naming)

LUTHIER_INTERPOSED int ioctl(int Fd, unsigned long Request, ...) {
  va_list Rest;
  va_start(Rest, Request);
  void *Argument = va_arg(Rest, void *);
  va_end(Rest);
  // These letters are the drivers', but not only theirs.
  const unsigned Letter = _IOC_TYPE(Request);
  if (const luthier_kfd_backend *B = loadedBackend();
      B && (Letter == 'K' || Letter == DRM_IOCTL_BASE)) {
    if (Letter == 'K' && B->owns(Fd))
      return B->ioctl(Fd, Request, Argument);
    if (const luthier_kfd_gpu *Gpu = B->gpu_of(Fd))
      return askGraphics(*Gpu, Request, Argument);
  }
  return int(syscall(SYS_ioctl, Fd, Request, Argument));
}

LUTHIER_INTERPOSED void *mmap(void *Address, size_t Size, int Protection,
                              int Flags, int Fd, off_t Offset) {
  return map(Address, Size, Protection, Flags, Fd, Offset);
}
LUTHIER_INTERPOSED void *mmap64(void *Address, size_t Size, int Protection,
                                int Flags, int Fd, off64_t Offset) {
  return map(Address, Size, Protection, Flags, Fd, Offset);
}

/// What is unmapped is not shared with the device any more.
LUTHIER_INTERPOSED int munmap(void *Address, size_t Size) {
  if (const luthier_kfd_backend *B = loadedBackend())
    B->forget(Address, Size);
  return int(syscall(SYS_munmap, Address, Size));
}

// libluthier.so looks for these by name.
// NOLINTNEXTLINE(readability-identifier-naming)
LUTHIER_INTERPOSED void luthier_emulator_on_fault(void (*Handler)(uint64_t)) {
  if (const luthier_kfd_backend *B = backend())
    B->on_fault(Handler);
}
LUTHIER_INTERPOSED const luthier_verify_api *luthier_emulator_verify(void) {
  const luthier_kfd_backend *B = loadedBackend();
  return B ? B->verify() : nullptr;
}
// NOLINTNEXTLINE(readability-identifier-naming)
LUTHIER_INTERPOSED void luthier_emulator_write_statistics(void) {
  if (const luthier_kfd_backend *B = loadedBackend())
    B->write_statistics();
}
