// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hook bitcode to payloads: one compilation per variant, in a budget of
// registers that the application does not use.
#ifndef LUTHIER_HOOK_PAYLOADCOMPILER_H
#define LUTHIER_HOOK_PAYLOADCOMPILER_H

#include "amdgpu/MCTarget.h"
#include "hook/HookParameters.h"
#include "hook/Payload.h"
#include "hook/PayloadStore.h"
#include "hook/SeenConstants.h"
#include "hook/ir/HookNeeds.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace luthier {

struct CommonLayout;

/// How payloads came about, each time that some were wanted.
struct PayloadCounts {
  unsigned Compiled = 0; ///< By LLVM's code generator, in vain or not.
  unsigned Found = 0;    ///< In the store.
  PayloadCounts &operator+=(const PayloadCounts &Other) {
    Compiled += Other.Compiled;
    Found += Other.Found;
    return *this;
  }
};

/// The hooks of one tool module, parsed once and compiled for any number of
/// kernels. A payload that was compiled before, for the same registers, is not
/// compiled again.
class PayloadCompiler {
public:
  /// Parses \p Module, which outlives the compiler, for a kernel with waves of
  /// \p WaveSize lanes. What \p Store has need not be compiled; hooks with
  /// intrinsics of the tool's own always are, since whatever the tool's host
  /// code makes of those no key covers.
  static llvm::Expected<std::unique_ptr<PayloadCompiler>>
  create(const amdgpu::MCTarget &Target, const HookModule &Module,
         unsigned WaveSize, PayloadStore *Store = nullptr);
  /// The same, without parsing: \p Parsed has done that, for the same target
  /// and wave size, and is used up. The bitcode of \p Module is equal to that
  /// of its module; variables need not be where its own are.
  static std::unique_ptr<PayloadCompiler> create(PayloadCompiler &&Parsed,
                                                 const HookModule &Module,
                                                 PayloadStore *Store);
  ~PayloadCompiler();

  /// Refuses with UnknownHook.
  llvm::Expected<llvm::SmallVector<HookParameter, 4>>
  parametersOf(llvm::StringRef Hook) const;

  /// What \p Variants, all those of this module that a kernel takes, will need
  /// of the ABI. Spilled registers are not known yet: an ABI without a stack
  /// pointer may get compile() to refuse with InstrumentationStack.
  llvm::Expected<HookNeeds> needs(llvm::ArrayRef<PayloadVariant> Variants);

  /// The payloads of all \p Variants, which belong to this module; what is
  /// missing is compiled in one run of the code generator. May be called again
  /// with another ABI. A hook for which LLVM would end the process is refused,
  /// at once after the first time.
  llvm::Expected<std::vector<Payload>>
  compile(llvm::ArrayRef<PayloadVariant> Variants, const PayloadABI &ABI);

  /// Does ahead what the next compilation begins with.
  void setUp();

  /// Whether hooks may ask for what is not made by Luthier or LLVM, registered
  /// or not.
  bool hasIntrinsicsOfTool() const;

  /// All so far.
  const PayloadCounts &counts() const;
  /// Of the kernels that it has compiled for.
  SeenConstants &seenConstants();
  /// It keeps so much that whoever compiles for a long time had better take a
  /// new one.
  bool isFull() const;

private:
  struct Impl;
  explicit PayloadCompiler(std::unique_ptr<Impl> P);
  void startAgain();
  llvm::Error refuseFatalHooks(llvm::ArrayRef<PayloadVariant> Variants) const;
  llvm::Error blame(llvm::ArrayRef<PayloadVariant> Missing,
                    const PayloadABI &ABI, const CommonLayout &Layout);
  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PAYLOADCOMPILER_H
