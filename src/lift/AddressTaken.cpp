// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/AddressTaken.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/MachineEncoder.h"
#include "amdgpu/OpcodeMap.h"
#include "amdgpu/RegisterFiles.h"
#include "lift/Decoder.h"
#include "llvm/Support/Endian.h"
#include <set>

using namespace llvm;

namespace luthier {
namespace {

/// Whether \p Address is inside of the last of \p Sorted that begins before.
template <typename T>
bool isInside(ArrayRef<T> Sorted, uint64_t Address, uint64_t T::*Begin,
              uint64_t T::*Size) {
  auto Next = upper_bound(Sorted, Address, [&](uint64_t A, const T &Symbol) {
    return A < Symbol.*Begin;
  });
  return Next != Sorted.begin() &&
         Address - std::prev(Next)->*Begin < std::prev(Next)->*Size;
}

/// Functions need no symbol, as in files that were stripped. What is inside of
/// one that has is no function.
bool isCallable(const CodeObject &Object, uint64_t Address) {
  if (Object.findFunction(Address))
    return true;
  return Address % 4 == 0 && Object.code(Address) &&
         !Object.isKernelEntry(Address) &&
         !isInside(Object.functions(), Address, &FunctionInfo::Address,
                   &FunctionInfo::Size) &&
         !isInside(Object.kernels(), Address, &KernelInfo::EntryAddress,
                   &KernelInfo::CodeSize);
}

/// Looks at what follows each s_getpc.
class AddressScan {
public:
  AddressScan(const CodeObject &Object, const amdgpu::MCTarget &Target)
      : Object(Object), Target(Target), Decode(Target),
        GetPC(encode(AMDGPU::S_GETPC_B64,
                     MCOperand::createReg(AMDGPU::SGPR0_SGPR1)) &
              ~Destination),
        Program(encode(AMDGPU::S_BRANCH, MCOperand::createImm(0)) & Format) {}

  void run();
  std::set<uint64_t> Taken;

private:
  /// Enough for the arguments of a call.
  static constexpr unsigned MostFollowed = 64;
  /// Where it takes longer to see that a register is dead, it may not be.
  static constexpr unsigned MostLookedAt = 1024;
  /// The destination of an operation with one scalar source (SOP1 in all
  /// instruction set architecture manuals).
  static constexpr uint32_t Destination = 0x7f << 16;
  /// What tells program control, such as branches (SOPP in all manuals).
  static constexpr uint32_t Format = 0x1ffu << 23;

  /// An address that code computes.
  struct Computed {
    uint64_t Function;
    MCRegister Pair; ///< Has it from Behind on.
    uint64_t Behind;
  };

  uint32_t encode(unsigned Opcode, MCOperand Operand) const {
    SmallVector<uint8_t, 4> Code;
    amdgpu::MachineEncoder(Target).encode(Opcode, Operand, Code);
    return support::endian::read32le(Code.data());
  }

  unsigned opcodeOf(const DecodedInstruction &D) const {
    return Target.opcodes().pseudoOpcode(D.Inst.getOpcode());
  }
  const MCInstrDesc &descOf(const DecodedInstruction &D) const {
    return Target.instructions().get(opcodeOf(D));
  }
  bool isDirectBranch(const DecodedInstruction &D) const {
    return descOf(D).isBranch() && !descOf(D).isIndirectBranch() &&
           D.Inst.getNumOperands() == 1 && D.Inst.getOperand(0).isImm();
  }
  /// Register operand \p Index is part of \p Pair.
  bool isOf(MCRegister Pair, const MCInst &Inst, unsigned Index) const {
    return Index < Inst.getNumOperands() && Inst.getOperand(Index).isReg() &&
           Target.registers().regsOverlap(Inst.getOperand(Index).getReg(),
                                          Pair);
  }
  bool reads(const DecodedInstruction &D, MCRegister Pair) const {
    for (unsigned I = descOf(D).getNumDefs(); I < D.Inst.getNumOperands(); ++I)
      if (isOf(Pair, D.Inst, I))
        return true;
    return false;
  }
  bool writes(const DecodedInstruction &D, MCRegister Pair) const {
    for (unsigned I = 0; I != descOf(D).getNumDefs(); ++I)
      if (isOf(Pair, D.Inst, I))
        return true;
    return false;
  }
  /// From s34 on, functions keep some (AMDGPUUsage, "Non-Kernel Functions").
  bool isCalleeSaved(MCRegister Pair) const {
    constexpr unsigned First = 34;
    return Target.registerFiles().rangeOf(Pair).First >= First;
  }
  /// By the same calling convention.
  bool isReturn(const DecodedInstruction &D) const {
    constexpr unsigned Link = 30;
    return opcodeOf(D) == AMDGPU::S_SETPC_B64 && D.Inst.getOperand(0).isReg() &&
           Target.registerFiles()
                   .rangeOf(D.Inst.getOperand(0).getReg())
                   .First == Link;
  }

  void scan(uint64_t Address, ArrayRef<uint8_t> Code);
  void addBranch(uint64_t Address);
  void addComputed(uint64_t Address);
  bool adds(const DecodedInstruction &D, MCRegister Pair,
            uint64_t &Offset) const;
  bool isTaken(const Computed &C);
  bool isDead(MCRegister Pair, uint64_t Address);

  const CodeObject &Object;
  const amdgpu::MCTarget &Target;
  Decoder Decode;
  const uint32_t GetPC, Program;
  std::vector<Computed> AllComputed;
  /// Where control may come to other than from the instruction before.
  std::set<uint64_t> Entries;
};

void AddressScan::run() {
  for (const auto &[Address, Code] : Object.code())
    scan(Address, Code);
  for (const Computed &C : AllComputed)
    if (isCallable(Object, C.Function) && !Taken.contains(C.Function) &&
        isTaken(C))
      Taken.insert(C.Function);
}

/// Looks closer at what may be of interest.
void AddressScan::scan(uint64_t Address, ArrayRef<uint8_t> Code) {
  for (size_t At = 0; At + 4 <= Code.size(); At += 4) {
    const uint32_t Word = support::endian::read32le(&Code[At]);
    if ((Word & Format) == Program)
      addBranch(Address + At);
    else if ((Word & ~Destination) == GetPC)
      addComputed(Address + At);
  }
}

void AddressScan::addBranch(uint64_t Address) {
  Expected<DecodedInstruction> D = Decode.at(Object, Address);
  if (!D)
    consumeError(D.takeError());
  else if (isDirectBranch(*D))
    Entries.insert(D->target(0));
}

/// \p D is part of the addition to a program counter in \p Pair.
bool AddressScan::adds(const DecodedInstruction &D, MCRegister Pair,
                       uint64_t &Offset) const {
  const MCInst &I = D.Inst;
  switch (opcodeOf(D)) {
  case AMDGPU::S_SEXT_I32_I16: // Of the upper half, where that is needed.
    return isOf(Pair, I, 0) && isOf(Pair, I, 1);
  case AMDGPU::S_ADD_U32:
  case AMDGPU::S_ADDC_U32:
  case AMDGPU::S_ADD_U64:
    break;
  default:
    return false;
  }
  if (!isOf(Pair, I, 0) || !isOf(Pair, I, 1) || !I.getOperand(2).isImm())
    return false;
  const uint64_t Value = I.getOperand(2).getImm();
  if (opcodeOf(D) == AMDGPU::S_ADDC_U32)
    Offset |= Value << 32;
  else
    Offset |= opcodeOf(D) == AMDGPU::S_ADD_U32 ? uint32_t(Value) : Value;
  return true;
}

void AddressScan::addComputed(uint64_t Address) {
  Expected<DecodedInstruction> D = Decode.at(Object, Address);
  if (!D || opcodeOf(*D) != AMDGPU::S_GETPC_B64)
    return consumeError(D.takeError());
  const MCRegister Pair = D->Inst.getOperand(0).getReg();
  const uint64_t PC = D->end();
  uint64_t Next = PC, Offset = 0;
  // The two additions may stand apart.
  for (unsigned I = 0; I != MostFollowed; ++I) {
    D = Decode.at(Object, Next);
    if (!D)
      return consumeError(D.takeError());
    Next = D->end();
    if (!adds(*D, Pair, Offset))
      continue;
    const bool IsDone =
        opcodeOf(*D) == AMDGPU::S_ADDC_U32 || opcodeOf(*D) == AMDGPU::S_ADD_U64;
    if (!IsDone)
      continue;
    AllComputed.push_back({PC + Offset, Pair, Next});
    Entries.insert(PC + Offset); // A branch that is too far for s_branch.
    return;
  }
}

/// Whether the code does anything else with an address than go there, from the
/// block that computes it, with nothing in between that may make the lifter
/// lose it. The registers that hold it may have it for long:
///     s_swappc_b64 s[30:31], s[4:5]  ; function(), which leaves s[4:5] alone
///     v_mov_b32 v0, s4               ; and is an argument of what follows
/// A call may get it in scalar registers, so that no instruction shows it.
bool AddressScan::isTaken(const Computed &C) {
  bool IsCalled = false;
  uint64_t Address = C.Behind;
  for (unsigned I = 0; I != MostFollowed; ++I) {
    Expected<DecodedInstruction> D = Decode.at(Object, Address);
    if (!D) {
      consumeError(D.takeError());
      return true;
    }
    // From there on, the pair may have another function's address as well.
    if (Entries.contains(Address) || descOf(*D).isTerminator()) {
      if (opcodeOf(*D) == AMDGPU::S_SETPC_B64 && reads(*D, C.Pair))
        return Entries.contains(Address);
      break;
    }
    if (opcodeOf(*D) == AMDGPU::S_SWAPPC_B64 && reads(*D, C.Pair)) {
      if (writes(*D, C.Pair))
        return false;
      // Behind the call, the lifter no longer knows what is in registers that
      // functions are to leave alone.
      if (isCalleeSaved(C.Pair))
        return true;
      IsCalled = true;
    } else if (reads(*D, C.Pair) || descOf(*D).isCall()) {
      return true;
    } else if (writes(*D, C.Pair)) {
      return false;
    }
    Address = D->end();
  }
  return !IsCalled || !isDead(C.Pair, Address);
}

/// Whether all that follows surely overwrites \p Pair before it reads it.
bool AddressScan::isDead(MCRegister Pair, uint64_t Address) {
  std::set<uint64_t> Seen;
  SmallVector<uint64_t> Pending = {Address};
  while (!Pending.empty()) {
    Address = Pending.pop_back_val();
    if (!Seen.insert(Address).second)
      continue;
    Expected<DecodedInstruction> D = Decode.at(Object, Address);
    if (!D) {
      consumeError(D.takeError());
      return false;
    }
    if (Seen.size() > MostLookedAt || reads(*D, Pair) || descOf(*D).isCall())
      return false;
    if (writes(*D, Pair) || isReturn(*D))
      continue;
    if (isDirectBranch(*D))
      Pending.push_back(D->target(0));
    else if (descOf(*D).isBranch())
      return false;
    if (!descOf(*D).isBarrier())
      Pending.push_back(D->end());
  }
  return true;
}

} // namespace

std::vector<uint64_t> addressTakenFunctions(const CodeObject &Object,
                                            const amdgpu::MCTarget &Target) {
  AddressScan Scan(Object, Target);
  for (uint64_t Address : Object.pointers())
    if (isCallable(Object, Address))
      Scan.Taken.insert(Address);
  Scan.run();
  return {Scan.Taken.begin(), Scan.Taken.end()};
}

} // namespace luthier
