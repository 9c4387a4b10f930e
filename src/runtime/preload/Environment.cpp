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

/// What luthier run has put into LD_PRELOAD for the emulated GPU.
static constexpr char EmulatedGpu[] = "libluthier-gpu.so";
static bool IsEmulated = false;

static bool names(const char *Preloaded) {
  return Preloaded && strstr(Preloaded, EmulatedGpu);
}

__attribute__((constructor)) static void lookAtStart() {
  IsEmulated = names(getenv("LD_PRELOAD"));
}

static void tellOnce(const char *Program, const char *How) {
  // Once: such a program may start many.
  if (!__atomic_exchange_n(&IsEmulated, false, __ATOMIC_RELAXED))
    return;
  char Text[512];
  const int Length =
      snprintf(Text, sizeof(Text), "luthier: %.400s is %s\n", Program, How);
  // Whether or not it can be read, the program goes on.
  (void)!write(STDERR_FILENO, Text, Length);
}

void checkEnvironment(const char *Program, char *const Environment[]) {
  if (!__atomic_load_n(&IsEmulated, __ATOMIC_RELAXED) || !Program)
    return;
  constexpr char Name[] = "LD_PRELOAD=";
  for (char *const *Entry = Environment; Entry && *Entry; ++Entry)
    if ((strncmp(*Entry, Name, strlen(Name)) == 0 && names(*Entry)) ||
        strcmp(*Entry, LUTHIER_STARTS_PROGRAM) == 0)
      return;
  tellOnce(Program, "started without LD_PRELOAD, which the program has "
                    "cleared; it finds no emulated GPU");
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
  if (!__atomic_load_n(&IsEmulated, __ATOMIC_RELAXED) || !Path)
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
    tellOnce(Path, "statically linked, so it does not find the emulated GPU");
  munmap(Begin, Size);
}

} // namespace luthier::preload
