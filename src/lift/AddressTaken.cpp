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

/// Looks at what follows each s_getpc.
class AddressScan {
public:
  AddressScan(const CodeObject &Object, const amdgpu::MCTarget &Target)
      : Object(Object), Target(Target), Decode(Target),
        GetPC(encodeGetPC(Target)) {}

  void scan(uint64_t Address, uint64_t Size);
  std::set<uint64_t> Taken;

private:
  /// Enough for the arguments of a call.
  static constexpr unsigned MostFollowed = 64;
  /// The destination of an operation with one scalar source (SOP1 in all
  /// instruction set architecture manuals).
  static constexpr uint32_t Destination = 0x7f << 16;

  static uint32_t encodeGetPC(const amdgpu::MCTarget &Target) {
    SmallVector<uint8_t, 4> Code;
    amdgpu::MachineEncoder(Target).encode(
        AMDGPU::S_GETPC_B64, MCOperand::createReg(AMDGPU::SGPR0_SGPR1), Code);
    return support::endian::read32le(Code.data()) & ~Destination;
  }

  unsigned opcodeOf(const DecodedInstruction &D) const {
    return Target.opcodes().pseudoOpcode(D.Inst.getOpcode());
  }
  /// Register operand \p Index is part of \p Pair.
  bool isOf(MCRegister Pair, const MCInst &Inst, unsigned Index) const {
    return Index < Inst.getNumOperands() && Inst.getOperand(Index).isReg() &&
           Target.registers().regsOverlap(Inst.getOperand(Index).getReg(),
                                          Pair);
  }
  /// From s34 on, functions keep some (AMDGPUUsage, "Non-Kernel Functions").
  bool isCalleeSaved(MCRegister Pair) const {
    constexpr unsigned First = 34;
    return Target.registerFiles().rangeOf(Pair).First >= First;
  }
  bool adds(const DecodedInstruction &D, MCRegister Pair,
            uint64_t &Offset) const;
  bool isTaken(uint64_t Address, MCRegister Pair);
  void follow(uint64_t Address);

  const CodeObject &Object;
  const amdgpu::MCTarget &Target;
  Decoder Decode;
  const uint32_t GetPC;
};

void AddressScan::scan(uint64_t Address, uint64_t Size) {
  const std::optional<ArrayRef<uint8_t>> Code = Object.code(Address);
  if (!Code)
    return;
  const ArrayRef<uint8_t> Bytes =
      Code->take_front(std::min<uint64_t>(Size, Code->size()));
  for (size_t At = 0; At + 4 <= Bytes.size(); At += 4)
    if ((support::endian::read32le(&Bytes[At]) & ~Destination) == GetPC)
      follow(Address + At);
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

void AddressScan::follow(uint64_t Address) {
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
    const uint64_t Function = PC + Offset;
    const bool IsDone =
        opcodeOf(*D) == AMDGPU::S_ADDC_U32 || opcodeOf(*D) == AMDGPU::S_ADD_U64;
    if (!IsDone)
      continue;
    if (Object.findFunction(Function) && !Taken.contains(Function) &&
        isTaken(Next, Pair))
      Taken.insert(Function);
    return;
  }
}

/// Whether the code at \p Address does anything else with the address in
/// \p Pair than go there, once. What happens behind the block's end is not
/// looked at. Behind a call, the lifter no longer knows what is in registers
/// that functions are to leave alone.
bool AddressScan::isTaken(uint64_t Address, MCRegister Pair) {
  for (unsigned I = 0; I != MostFollowed; ++I) {
    Expected<DecodedInstruction> D = Decode.at(Object, Address);
    if (!D) {
      consumeError(D.takeError());
      break;
    }
    const MCInstrDesc &Desc = Target.instructions().get(opcodeOf(*D));
    const bool Goes = opcodeOf(*D) == AMDGPU::S_SWAPPC_B64 ||
                      opcodeOf(*D) == AMDGPU::S_SETPC_B64;
    bool IsWritten = false, IsRead = false;
    for (unsigned Index = 0; Index != D->Inst.getNumOperands(); ++Index)
      if (isOf(Pair, D->Inst, Index))
        (Index < Desc.getNumDefs() ? IsWritten : IsRead) = true;
    if (IsRead)
      return !Goes || (Desc.isCall() && !IsWritten && isCalleeSaved(Pair));
    if (IsWritten)
      return false;
    if (Desc.isTerminator() || Desc.isBarrier())
      break;
    Address = D->end();
  }
  return true;
}

} // namespace

std::vector<uint64_t> addressTakenFunctions(const CodeObject &Object,
                                            const amdgpu::MCTarget &Target) {
  AddressScan Scan(Object, Target);
  for (uint64_t Address : Object.pointers())
    if (Object.findFunction(Address))
      Scan.Taken.insert(Address);
  for (const KernelInfo &K : Object.kernels())
    Scan.scan(K.EntryAddress, K.CodeSize);
  for (const FunctionInfo &F : Object.functions())
    Scan.scan(F.Address, F.Size);
  return {Scan.Taken.begin(), Scan.Taken.end()};
}

} // namespace luthier
