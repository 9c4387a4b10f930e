// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells code objects apart that have kernels of the same name, in reports.
#ifndef TOOLS_COMMON_CODEDIGESTS_H
#define TOOLS_COMMON_CODEDIGESTS_H

#include "luthier/luthier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"
#include <hsa/hsa.h>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Bytes of the device; empty if they cannot be read.
inline std::vector<uint8_t> bytesAt(uint64_t Address, uint64_t Size) {
  std::vector<uint8_t> Bytes(Size);
  if (hsa_memory_copy(Bytes.data(), reinterpret_cast<void *>(Address), Size) !=
      HSA_STATUS_SUCCESS)
    Bytes.clear();
  return Bytes;
}

/// Of what the file has in the first segment, which loading does not change, as
/// the emulated GPU has it in its counts (docs/emulator.md). Empty if the code
/// object does not begin with that.
inline std::string digestOf(const luthier::hsa::LoadedCodeObject &Object) {
  using namespace llvm::ELF;
  constexpr uint64_t Page = 4096;
  const auto Head = bytesAt(Object.address(), std::min(Page, Object.size()));
  const auto *Header = reinterpret_cast<const Elf64_Ehdr *>(Head.data());
  if (Head.size() < sizeof(Elf64_Ehdr) || !Header->checkMagic() ||
      Header->e_phoff > Head.size() ||
      Header->e_phnum > (Head.size() - Header->e_phoff) / sizeof(Elf64_Phdr))
    return "";
  const auto *Segments =
      reinterpret_cast<const Elf64_Phdr *>(Head.data() + Header->e_phoff);
  for (unsigned I = 0; I != Header->e_phnum; ++I) {
    const Elf64_Phdr &Segment = Segments[I];
    if (Segment.p_type != PT_LOAD)
      continue;
    if (Segment.p_offset || Segment.p_vaddr || Segment.p_filesz > Object.size())
      break;
    return llvm::utohexstr(
        llvm::xxh3_64bits(bytesAt(Object.address(), Segment.p_filesz)),
        /*LowerCase=*/true);
  }
  return "";
}

/// Of the code objects that are loaded, by address.
class CodeDigests {
public:
  void add(const luthier::hsa::LoadedCodeObject &Object) {
    Loaded[Object.address()] = {Object.size(), digestOf(Object)};
  }
  void remove(const luthier::hsa::LoadedCodeObject &Object) {
    Loaded.erase(Object.address());
  }
  /// Empty if that of \p Kernel is not known.
  std::string of(const luthier::hsa::LoadedCodeObjectKernel &Kernel) const {
    const uint64_t Address = Kernel.kernelObject();
    const auto After = Loaded.upper_bound(Address);
    if (After == Loaded.begin())
      return "";
    const auto &[Begin, Object] = *std::prev(After);
    return Address - Begin < Object.Size ? Object.Digest : "";
  }

private:
  struct Code {
    uint64_t Size;
    std::string Digest;
  };
  std::map<uint64_t, Code> Loaded;
};

/// Digests of the code objects in which kernels are, by the kernels' names.
using CodeOfKernels = std::map<std::string, std::set<std::string>>;

/// For "refused" of a report: all that ran unchanged, in each code object of
/// \p Of; one with an empty digest where nothing is known but the name.
inline llvm::json::Array refusedKernels(const CodeOfKernels &Of) {
  llvm::json::Array Result;
  for (const luthier::RefusedKernel &R : luthier::refusals()) {
    const auto Known = Of.find(R.Kernel);
    for (const std::string &Digest :
         Known == Of.end() ? std::set<std::string>{""} : Known->second)
      Result.push_back(llvm::json::Object{
          {"name", R.Kernel}, {"code", Digest}, {"reason", R.Reason}});
  }
  return Result;
}

#endif // TOOLS_COMMON_CODEDIGESTS_H
