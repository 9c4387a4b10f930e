// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where arguments come that hooks need and the kernel is not given.
#ifndef LUTHIER_REWRITE_PLAN_KERNARGGROWTH_H
#define LUTHIER_REWRITE_PLAN_KERNARGGROWTH_H

#include "codeobject/KernargLayout.h"

namespace luthier {

/// What the hooks of one tool read of luthier::detail::LaunchArguments.
struct LaunchShare {
  unsigned Tool;      ///< As HookReference::Tool has it.
  uint32_t Arguments; ///< hiddenBit() of each.
};

/// How an instrumented kernel's arguments differ from the original's, which
/// keep their places.
struct KernargGrowth {
  struct Argument {
    HiddenArgument Kind;
    unsigned Offset; ///< From the start of all.
    /// Whose KernelDispatch it is of, as HookReference::Tool has it.
    unsigned Tool = 0;
  };
  std::vector<Argument> Added; ///< If empty, nothing differs.
  /// Of the original's, those that hardware preloads included, and of all.
  unsigned OldSize = 0, NewSize = 0;
  unsigned Align = 0; ///< As the metadata has it; 0 where it says nothing.

  bool any() const { return !Added.empty(); }
  /// What the metadata of the instrumented kernel has to say of them.
  std::vector<AddedArgument> forMetadata() const;
};

/// Adds what \p Layout lacks of \p Wanted, hiddenBit() of each, to it: where
/// the kernel's own code object version has such an argument, else behind all.
/// What Luthier gives to the first of \p Shares is among those; the others
/// follow it, LaunchArgumentsBytes each. Refuses what nobody can give: at run
/// time, memory that HIP makes only for kernels that ask for it; \p Offline,
/// where HIP reads the new metadata, what it may not know there.
llvm::Expected<KernargGrowth>
growKernarg(KernargLayout &Layout, const KernelInfo &Kernel,
            unsigned ObjectVersion, uint32_t Wanted, bool Offline,
            llvm::ArrayRef<LaunchShare> Shares = {});

/// Brings descriptor and metadata up to \p Growth.
void growArguments(const KernargGrowth &Growth, KernelDescriptor &Descriptor,
                   KernelMetadata &Metadata);

} // namespace luthier

#endif // LUTHIER_REWRITE_PLAN_KERNARGGROWTH_H
