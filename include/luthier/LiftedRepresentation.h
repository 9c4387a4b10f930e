// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as LLVM machine IR that tools can walk and edit with LLVM's own API.
// Instructions carry pseudo opcodes (AMDGPU::V_READLANE_B32) wherever LLVM has
// one, whatever the encoding of the binary was.
#ifndef LUTHIER_LIFTEDREPRESENTATION_H
#define LUTHIER_LIFTEDREPRESENTATION_H

#include "luthier/Export.h"
#include "luthier/detail/LiftedState.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace llvm {
class LLVMContext;
// Clang shows such a line where a tool looks into one without the header.
class MachineBasicBlock; // #include "luthier/MachineIR.h"
class MachineFunction;   // #include "luthier/MachineIR.h"
class MachineInstr;      // #include "luthier/MachineIR.h"
class Module;
class TargetMachine;
} // namespace llvm

namespace luthier {

/// A function of the code object that was lifted.
struct LiftedSymbol {
  std::string Name;
  /// Of the first instruction, as linked: where hardware begins a kernel that
  /// has its arguments preloaded, that is 256 bytes behind the kernel's symbol.
  uint64_t Address = 0;
  bool IsKernel = false;
  /// Its address is taken: transfers that follow pointers may go there.
  bool IsAddressTaken = false;
};

/// Where `s_getpc` and the additions after it lead: position-dependent code
/// that is emitted so that it still produces the original's addresses.
struct PCRelativeReference {
  llvm::MachineInstr *GetPC = nullptr;
  llvm::MachineInstr *AddLow = nullptr; ///< Null if no addition was recognised.
  llvm::MachineInstr *AddHigh = nullptr;
  uint64_t Target = 0; ///< As linked; the plain PC if no addition follows.
};

/// An instruction with which control leaves its function, other than s_endpgm,
/// or jumps through a register.
struct ControlTransfer {
  enum KindType {
    Call,           ///< Of Callee; comes back.
    TailCall,       ///< To Callee; does not come back.
    Return,         ///< To the caller of the function.
    Jump,           ///< To Target, in the same function, through a register.
    UnresolvedCall, ///< Of an unknown function; comes back.
    UnresolvedJump, ///< To an unknown place: function, jump table, return.
  };
  KindType Kind = UnresolvedJump;
  llvm::MachineInstr *MI = nullptr;
  llvm::MachineFunction *Callee = nullptr;   ///< Of Call and TailCall.
  llvm::MachineBasicBlock *Target = nullptr; ///< Of Jump.
  uint64_t Address = 0;                      ///< Of MI, as linked.
  /// Of an unresolved call or jump through a pointer: where that is the address
  /// of a function among those lifted (IsAddressTaken), its copy runs, with
  /// hooks.
  bool FollowsPointer = false;

  /// Control goes where the lifted code does not show: to a function that
  /// FollowsPointer finds, or to the original's code, which runs uninstrumented
  /// and may do anything with the registers.
  bool isUnresolved() const {
    return Kind == UnresolvedCall || Kind == UnresolvedJump;
  }
};

class InstructionRange; // #include "luthier/Instructions.h"

/// A line of the application's source.
struct SourceLine {
  std::string File; ///< With its path, as the compiler knew it.
  unsigned Line = 0;
};

/// Owned by Luthier or by whoever asked for a clone. Not thread-safe; different
/// objects can be used at once.
class LUTHIER_API LiftedRepresentation : public detail::LiftedState {
public:
  using FunctionList =
      llvm::SmallVector<std::pair<LiftedSymbol, llvm::MachineFunction *>, 1>;

  explicit LiftedRepresentation(std::unique_ptr<Impl> P);
  ~LiftedRepresentation();
  LiftedRepresentation(const LiftedRepresentation &) = delete;
  LiftedRepresentation &operator=(const LiftedRepresentation &) = delete;

  /// The kernel first, then the functions it reaches.
  FunctionList &functions();
  const FunctionList &functions() const;
  llvm::MachineFunction &kernel() { return *functions().front().second; }

  /// All instructions of all functions, in order; see Instructions.h.
  InstructionRange instructions() const;

  /// As the compiler wrote it (mangled), without ".kd".
  llvm::StringRef kernelName() const;
  /// Such as "gfx90a".
  llvm::StringRef processor() const;
  /// With what else the code object asks for, such as "gfx90a:xnack-".
  std::string target() const;
  /// Lanes of the kernel's waves: 32 or 64.
  unsigned waveSize() const;

  llvm::LLVMContext &getContext();
  llvm::Module &module();
  const llvm::TargetMachine &targetMachine() const;

  /// Address, as linked, that \p MI was decoded from. Nothing for instructions
  /// that a tool added.
  std::optional<uint64_t> originalAddress(const llvm::MachineInstr &MI) const;
  /// Where \p MI comes from. Nothing for instructions that a tool added, and
  /// for code that was compiled without -g or -gline-tables-only.
  std::optional<SourceLine> sourceLine(const llvm::MachineInstr &MI) const;
  llvm::ArrayRef<PCRelativeReference> pcRelativeReferences() const;
  /// All of all functions, in order.
  llvm::ArrayRef<ControlTransfer> controlTransfers() const;
  /// Null if \p MI stays in its function.
  const ControlTransfer *transferOf(const llvm::MachineInstr &MI) const;
  /// Some of the code that the kernel runs may not be in functions().
  bool hasUnresolvedTransfers() const;
};

} // namespace luthier

#endif // LUTHIER_LIFTEDREPRESENTATION_H
