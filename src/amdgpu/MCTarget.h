// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's machine-code layer for one processor: what is needed to decode and
// encode instructions, made once and shared.
#ifndef LUTHIER_AMDGPU_MCTARGET_H
#define LUTHIER_AMDGPU_MCTARGET_H

#include "amdgpu/TargetTraits.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm {
class Function;
class MachineFunction;
class MachineModuleInfo;
} // namespace llvm

namespace luthier::amdgpu {

class OpcodeMap;
class MCTarget;
class RegisterFiles;

/// Keeps a code generator, with what it has worked out about its processor, for
/// who needs one next.
struct KeepTargetMachine {
  const MCTarget *Target = nullptr;
  void operator()(llvm::TargetMachine *TM) const;
};
using TargetMachineHandle =
    std::unique_ptr<llvm::TargetMachine, KeepTargetMachine>;

/// Immutable once made; safe to share between threads.
class MCTarget {
public:
  /// The target for \p Processor with \p Features ("-xnack,+sramecc"), made at
  /// its first use and kept. Fails for a processor without a row in
  /// Targets.def.
  static llvm::Expected<const MCTarget &> get(llvm::StringRef Processor,
                                              llvm::StringRef Features);
  ~MCTarget();

  const TargetTraits &traits() const { return *Traits; }
  const llvm::Target &target() const { return *TheTarget; }
  const llvm::Triple &triple() const { return TheTriple; }
  const llvm::MCRegisterInfo &registers() const { return *MRI; }
  const llvm::MCInstrInfo &instructions() const { return *MCII; }
  const llvm::MCSubtargetInfo &subtarget() const { return *STI; }
  const llvm::MCAsmInfo &asmInfo() const { return *MAI; }
  const OpcodeMap &opcodes() const { return *Opcodes; }
  const RegisterFiles &registerFiles() const { return *Files; }

  /// A code generator for this processor, that nobody else uses meanwhile:
  /// LLVM's is not thread-safe.
  TargetMachineHandle createTargetMachine() const;

  /// The one that all machine functions of lifted code refer to. It only
  /// describes the processor: nobody generates code with it.
  const llvm::TargetMachine &describingMachine() const;
  /// A machine function for \p F, whose \p MMI is of describingMachine().
  llvm::MachineFunction &createFunction(llvm::MachineModuleInfo &MMI,
                                        llvm::Function &F) const;

private:
  friend KeepTargetMachine;
  MCTarget() = default;
  const llvm::Target *TheTarget = nullptr;
  llvm::Triple TheTriple;
  const TargetTraits *Traits = nullptr;
  std::string Processor, Features;
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> MRI;
  std::unique_ptr<llvm::MCAsmInfo> MAI;
  std::unique_ptr<llvm::MCInstrInfo> MCII;
  std::unique_ptr<llvm::MCSubtargetInfo> STI;
  std::unique_ptr<OpcodeMap> Opcodes;
  const RegisterFiles *Files = nullptr;
  std::unique_ptr<llvm::TargetMachine> makeMachine() const;

  mutable std::mutex SpareMutex;
  mutable std::vector<std::unique_ptr<llvm::TargetMachine>> Spare;
  /// Held while a function makes it look up its subtarget.
  mutable std::mutex DescribingMutex;
  mutable std::unique_ptr<llvm::TargetMachine> Describing;
};

} // namespace luthier::amdgpu

#endif // LUTHIER_AMDGPU_MCTARGET_H
