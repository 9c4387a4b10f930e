// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in assembly, lifted. Labels name places: the instruction after label
// `x:` is Kernel.at("x").
#ifndef LUTHIER_TEST_UNIT_ANALYSIS_KERNELS_H
#define LUTHIER_TEST_UNIT_ANALYSIS_KERNELS_H

#include "lift/Lifter.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <ostream>
#include <string>

namespace luthier::test {

struct TargetCase {
  std::string Processor;
  unsigned WaveSize;
  bool isGfx9() const { return Processor.starts_with("gfx9"); }
};

/// All eight processors, in both wave sizes where they have two.
const std::vector<TargetCase> &allTargets();
/// Spelling for test names: "gfx1100_32".
std::string nameOf(const TargetCase &Target);
inline void PrintTo(const TargetCase &Target, std::ostream *OS) {
  *OS << nameOf(Target);
}

struct LiftedKernel {
  std::shared_ptr<const CodeObject> Object;
  std::unique_ptr<LiftedRepresentation> LR;
  llvm::StringMap<uint64_t> Labels;

  /// The instruction at a label.
  const llvm::MachineInstr &at(llvm::StringRef Label) const;
};

/// \p Assembly is the kernel, and may go on with further functions: labels
/// after a `.type name,@function` and up to a `.size`. Reports a failure and
/// returns nothing in LR when that does not assemble, link or lift. Allocated
/// are 64 VGPRs, where there are AGPRs 32 of those, and 64 SGPRs.
LiftedKernel liftAssembly(const std::string &Assembly,
                          const TargetCase &Target = {"gfx90a", 64});

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_ANALYSIS_KERNELS_H
