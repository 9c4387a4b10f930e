// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that was compiled to count, and its run on the emulated GPU. Of 1000
// lanes in workgroups of 100, lane I goes I % 7 times through a loop, and each
// third one takes a branch.
#ifndef LUTHIER_TEST_PGO_COUNTINGKERNEL_H
#define LUTHIER_TEST_PGO_COUNTINGKERNEL_H

#include "CodeBuilder.h"
#include "luthier/emulator.h"
#include "pgo/CounterSections.h"
#include <memory>

namespace luthier::test {

/// How often, by hand.
inline constexpr uint64_t Lanes = 1000, Thirds = 334, LoopTurns = 2997;

/// \p Route is one of `luthier pgo flags`.
Bytes buildCounting(const EngineTarget &T, llvm::StringRef Route = "counters",
                    std::vector<std::string> MoreFlags = {});
/// A kernel that writes the same, and may be another.
Bytes buildCounting(llvm::StringRef Source, const EngineTarget &T,
                    llvm::StringRef Route,
                    std::vector<std::string> MoreFlags = {});

/// A GPU with that code.
class CountingRun {
public:
  CountingRun(const EngineTarget &T, const Bytes &Code);
  /// What the kernel has written is checked.
  void launch();
  /// What is in its memory now.
  llvm::Error read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;
  void write(uint64_t Address, llvm::ArrayRef<uint8_t> From) const;
  Bytes rawProfile() const;

private:
  const Bytes &Code;
  std::unique_ptr<luthier_emu_device, decltype(&luthier_emu_device_destroy)>
      Device{nullptr, luthier_emu_device_destroy};
  std::unique_ptr<luthier_emu_code, decltype(&luthier_emu_unload)> Loaded{
      nullptr, luthier_emu_unload};
};

llvm::StringRef textOf(const Bytes &From);

} // namespace luthier::test

#endif // LUTHIER_TEST_PGO_COUNTINGKERNEL_H
