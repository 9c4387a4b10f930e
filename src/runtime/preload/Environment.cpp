// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/preload/Ends.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace luthier::preload {

/// What luthier run has put into LD_PRELOAD for the emulated GPU, and into
/// HSA_TOOLS_LIB for tools.
static constexpr char EmulatedGpu[] = "libluthier-gpu.so";
static constexpr char Runtime[] = "libluthier.so";
static bool IsEmulated = false, HasTools = false;

static bool names(const char *Libraries, const char *Library) {
  return Libraries && strstr(Libraries, Library);
}

__attribute__((constructor)) static void lookAtStart() {
  IsEmulated = names(getenv("LD_PRELOAD"), EmulatedGpu);
  HasTools = names(getenv("HSA_TOOLS_LIB"), Runtime);
}

static bool isSet(const bool &Flag) {
  return __atomic_load_n(&Flag, __ATOMIC_RELAXED);
}

static void tellOnce(bool &IsToTell, const char *Program, const char *How) {
  // Once: such a program may start many.
  if (!__atomic_exchange_n(&IsToTell, false, __ATOMIC_RELAXED))
    return;
  char Text[512];
  const int Length =
      snprintf(Text, sizeof(Text), "luthier: %.400s is %s\n", Program, How);
  // Whether or not it can be read, the program goes on.
  (void)!write(STDERR_FILENO, Text, Length);
}

/// The value of \p Name, if \p Entry of an environment has it.
static const char *valueOf(const char *Entry, const char *Name) {
  const size_t Length = strlen(Name);
  return strncmp(Entry, Name, Length) == 0 && Entry[Length] == '='
             ? Entry + Length + 1
             : nullptr;
}

void checkEnvironment(const char *Program, char *const Environment[]) {
  bool HasGpu = !isSet(IsEmulated), KeepsTools = !isSet(HasTools);
  if ((HasGpu && KeepsTools) || !Program)
    return;
  for (char *const *Entry = Environment; Entry && *Entry; ++Entry) {
    if (strcmp(*Entry, LUTHIER_STARTS_PROGRAM) == 0)
      return;
    HasGpu |= names(valueOf(*Entry, "LD_PRELOAD"), EmulatedGpu);
    KeepsTools |= names(valueOf(*Entry, "HSA_TOOLS_LIB"), Runtime);
  }
  if (!HasGpu) {
    // Of a program without a GPU, tools would see nothing.
    if (!KeepsTools)
      __atomic_store_n(&HasTools, false, __ATOMIC_RELAXED);
    return tellOnce(IsEmulated, Program,
                    "started without LD_PRELOAD, which the program has "
                    "cleared; it finds no emulated GPU");
  }
  if (!KeepsTools)
    tellOnce(HasTools, Program,
             "started without HSA_TOOLS_LIB, which the program has cleared; "
             "tools do not see its kernels");
}

/// Who names no loader gets nothing preloaded.
static bool isStatic(const unsigned char *Bytes, size_t Size) {
  Elf64_Ehdr Header;
  if (Size < sizeof(Header))
    return false;
  memcpy(&Header, Bytes, sizeof(Header));
  if (memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  for (unsigned N = 0; N != Header.e_phnum; ++N) {
    Elf64_Phdr Segment;
    const uint64_t At = Header.e_phoff + N * sizeof(Segment);
    if (At > Size || Size - At < sizeof(Segment))
      return false;
    memcpy(&Segment, Bytes + At, sizeof(Segment));
    if (Segment.p_type == PT_INTERP)
      return false;
  }
  return true;
}

void checkProgram(const char *Path) {
  if (!isSet(IsEmulated) || !Path)
    return;
  const int File = open(Path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat About;
  if (File < 0)
    return;
  void *Begin = MAP_FAILED;
  if (fstat(File, &About) == 0 && S_ISREG(About.st_mode) && About.st_size > 0)
    Begin =
        mmap(nullptr, size_t(About.st_size), PROT_READ, MAP_PRIVATE, File, 0);
  close(File);
  if (Begin == MAP_FAILED)
    return;
  // Most static programs, such as ldconfig, want none.
  constexpr char Driver[] = "/dev/kfd";
  const size_t Size = size_t(About.st_size);
  if (isStatic(static_cast<unsigned char *>(Begin), Size) &&
      memmem(Begin, Size, Driver, strlen(Driver)))
    tellOnce(IsEmulated, Path,
             "statically linked, so it does not find the emulated GPU");
  munmap(Begin, Size);
}

} // namespace luthier::preload
