// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/RuntimeCheck.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <link.h>

namespace luthier::emulator {

static int addLibrary(dl_phdr_info *Info, size_t, void *Data) {
  const llvm::StringRef Path = Info->dlpi_name;
  const llvm::StringRef Name = Path.substr(Path.rfind('/') + 1);
  if (!Name.starts_with("libhsa-runtime64.so") &&
      !Name.starts_with("libamdhip64.so"))
    return 0;
  RuntimeLibrary Library{Path.str(), {}};
  for (const ElfW(Phdr) &Segment :
       llvm::ArrayRef(Info->dlpi_phdr, Info->dlpi_phnum)) {
    if (Segment.p_type != PT_LOAD || Segment.p_flags != PF_R)
      continue;
    Library.ReadOnly.push_back(
        {reinterpret_cast<const char *>(Info->dlpi_addr + Segment.p_vaddr),
         Segment.p_filesz});
  }
  static_cast<std::vector<RuntimeLibrary> *>(Data)->push_back(
      std::move(Library));
  return 0;
}

std::vector<RuntimeLibrary> loadedRuntimeLibraries() {
  std::vector<RuntimeLibrary> Libraries;
  ::dl_iterate_phdr(addLibrary, &Libraries);
  return Libraries;
}

static bool names(const RuntimeLibrary &Library, const char *Device) {
  return llvm::any_of(Library.ReadOnly, [&](llvm::StringRef Texts) {
    return ::memmem(Texts.data(), Texts.size(), Device, std::strlen(Device));
  });
}

std::vector<std::string>
unknownDevices(llvm::ArrayRef<RuntimeLibrary> Libraries,
               llvm::ArrayRef<const DeviceModel *> Models) {
  std::vector<std::string> Lines;
  for (const DeviceModel *Model : Models)
    for (const RuntimeLibrary &Library : Libraries) {
      // One that was linked otherwise may have its texts elsewhere.
      if (Library.ReadOnly.empty() || names(Library, Model->Name))
        continue;
      const std::string Line = Library.Path + " does not know the emulated " +
                               Model->Name + "; the first ROCm that does is " +
                               Model->FirstRocm;
      if (!llvm::is_contained(Lines, Line))
        Lines.push_back(Line);
    }
  return Lines;
}

} // namespace luthier::emulator
