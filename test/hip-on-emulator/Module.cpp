// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Module.h"
#include "codeobject/FatBinary.h"
#include <cstring>

using namespace llvm;

namespace luthier::hip {
namespace {

template <class T> T orFail(Expected<T> Value) {
  if (!Value)
    fail(toString(Value.takeError()));
  return std::move(*Value);
}

/// The size of an ELF file in memory, which ends with its section headers.
ArrayRef<uint8_t> wholeElf(const void *Image) {
  const auto *Begin = static_cast<const uint8_t *>(Image);
  uint64_t Sections;
  uint16_t EntrySize, Count;
  std::memcpy(&Sections, Begin + 40, 8);
  std::memcpy(&EntrySize, Begin + 58, 2);
  std::memcpy(&Count, Begin + 60, 2);
  return {Begin, Begin + Sections + uint64_t(EntrySize) * Count};
}

/// The code object for this device; none if there is none. Features are taken
/// as the emulator has them: no XNACK.
std::vector<uint8_t> choose(const void *Image) {
  if (!std::memcmp(Image, "\177ELF", 4)) {
    ArrayRef<uint8_t> Elf = wholeElf(Image);
    return {Elf.begin(), Elf.end()};
  }
  for (const BundledCodeObject &Entry : orFail(readRegisteredBundle(Image)))
    if (Entry.Target.Processor == settings().Target &&
        !Entry.Target.Xnack.value_or(false))
      return {Entry.Bytes.begin(), Entry.Bytes.end()};
  return {};
}

} // namespace

bool Module::load() {
  if (Code)
    return true;
  const std::vector<uint8_t> Bytes = choose(Image);
  if (Bytes.empty())
    return false;
  Object = orFail(CodeObject::create(Bytes));
  device().check(
      luthier_emu_load(device().handle(), Bytes.data(), Bytes.size(), &Code),
      "loading a code object");
  return true;
}

static std::vector<Argument> argumentsOf(luthier_emu_code *Code,
                                         const char *Kernel) {
  std::vector<Argument> All;
  auto Info = sized<luthier_emu_argument_info>();
  for (uint32_t N = 0;
       luthier_emu_kernel_argument(Code, Kernel, N, &Info) == LUTHIER_EMU_OK;
       ++N)
    if (!Info.is_hidden)
      All.push_back({Info.offset, Info.size});
  return All;
}

Function *Module::function(const std::string &Name) {
  if (!load())
    return nullptr;
  std::unique_ptr<Function> &Known = Functions[Name];
  if (Known)
    return Known.get();
  const KernelInfo *Kernel = Object->findKernel(Name);
  if (!Kernel)
    return nullptr;
  auto Info = sized<luthier_emu_kernel_info>();
  device().check(luthier_emu_kernel(Code, Name.c_str(), &Info), Name.c_str());
  Bias = Info.entry_address - Kernel->EntryAddress;
  Known.reset(
      new Function{this, Name, Kernel, Info, argumentsOf(Code, Name.c_str())});
  return Known.get();
}

bool Module::variable(const std::string &Name, void **Address, size_t *Size) {
  uint64_t At = 0, Bytes = 0;
  if (!load() ||
      luthier_emu_symbol(Code, Name.c_str(), &At, &Bytes) != LUTHIER_EMU_OK)
    return false;
  if (Address)
    *Address = reinterpret_cast<void *>(At);
  if (Size)
    *Size = Bytes;
  return true;
}

} // namespace luthier::hip
