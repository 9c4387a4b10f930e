// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Luthier's passes share: IR passes (IRPass) are run in turn by the
// compiler, machine passes by LLVM's code generator. PassPipeline.cpp has both
// in order.
#ifndef LUTHIER_HOOK_PASSCONTEXT_H
#define LUTHIER_HOOK_PASSCONTEXT_H

#include "amdgpu/MCTarget.h"
#include "hook/Payload.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Function;
class GlobalVariable;
class Value;
} // namespace llvm

namespace luthier::amdgpu {
class CompileErrors;
} // namespace luthier::amdgpu

namespace llvm {
class MCRegisterInfo;
}

namespace luthier {

/// Variables in shared memory, with the offset of each from the module's first
/// one.
struct SharedMemory {
  llvm::SmallVector<std::pair<llvm::GlobalVariable *, unsigned>, 4> Variables;
  unsigned Bytes = 0, Align = 1;
};

/// What stands for a counter's variable after binding: an address if its first
/// is null, else bytes from the begin of that variable on.
using CounterKey = std::pair<const llvm::Value *, int64_t>;

/// Numbers of the wave-private counters that the payloads name.
using Counters = llvm::MapVector<CounterKey, unsigned>;

/// Beside the code that a pass works on.
struct PassContext {
  PassContext(const amdgpu::MCTarget &Target, llvm::TargetMachine &TM,
              const amdgpu::CompileErrors &Errors,
              unsigned CompiledWaveSize = 0)
      : Target(Target), TM(TM), Errors(Errors),
        CompiledWaveSize(CompiledWaveSize) {}

  const amdgpu::MCTarget &Target;
  llvm::TargetMachine &TM;
  /// What LLVM reported; after an error, code may not be complete.
  const amdgpu::CompileErrors &Errors;
  /// Of the hooks' bitcode; 0: it does not say.
  const unsigned CompiledWaveSize;

  /// From here on, nothing is known while hooks are prepared.
  PayloadABI ABI;
  SharedMemory Shared;
  Counters KnownCounters;
  /// Addresses of variables are filled in before payloads are copied.
  bool HasAddresses = false;
  /// What the passes have found out, by the names of functions.
  llvm::StringMap<Payload> Payloads;
  /// Those of the function that was compiled last; null before.
  const llvm::MCRegisterInfo *Registers = nullptr;

  /// Keeps the first failure of a machine pass, which cannot return one.
  void fail(llvm::Error E) {
    llvm::handleAllErrors(std::move(E),
                          [&](std::unique_ptr<llvm::ErrorInfoBase> Info) {
                            if (!Failure)
                              Failure = std::move(Info);
                          });
  }
  bool hasFailed() const { return Failure != nullptr; }
  llvm::Error takeFailure() {
    return Failure ? llvm::Error(std::move(Failure)) : llvm::Error::success();
  }

private:
  std::unique_ptr<llvm::ErrorInfoBase> Failure;
};

/// A step on the IR of one payload. The comment of each class is its contract:
/// what it expects, what it leaves, and what it refuses.
class IRPass {
public:
  virtual ~IRPass() = default;
  /// As lists and luthier-pass call it.
  virtual llvm::StringRef name() const = 0;
  virtual llvm::Error run(llvm::Function &F, PassContext &C) = 0;
};

} // namespace luthier

#endif // LUTHIER_HOOK_PASSCONTEXT_H
