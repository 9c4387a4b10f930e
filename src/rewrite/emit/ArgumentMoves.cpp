// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/emit/ArgumentMoves.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier {

bool isAperture(MCRegister Reg) {
  return Reg == AMDGPU::SRC_SHARED_BASE || Reg == AMDGPU::SRC_SHARED_LIMIT ||
         Reg == AMDGPU::SRC_PRIVATE_BASE || Reg == AMDGPU::SRC_PRIVATE_LIMIT;
}

namespace {

MCOperand reg(MCRegister R) { return MCOperand::createReg(R); }
MCOperand imm(int64_t I) { return MCOperand::createImm(I); }

/// The part of a move that one instruction makes.
struct Step {
  bool IsVector;
  unsigned To; ///< Number of the first register.
  unsigned Count = 1;
  MCRegister From;
  /// What it reads of the file it writes to.
  amdgpu::RegisterRange Reads = {};

  bool readsWhatIsWrittenBy(const Step &Other) const {
    return Reads.Count && IsVector == Other.IsVector &&
           Reads.First < Other.To + Other.Count && Other.To < Reads.end();
  }
};

class Mover {
public:
  Mover(const PayloadABI &ABI, const amdgpu::MCTarget &Target)
      : ABI(ABI), Target(Target), Files(Target.registerFiles()) {}

  void split(ArrayRef<ArgumentMove> Moves) {
    for (const ArgumentMove &Move : Moves)
      split(Move);
  }

  /// The next step that destroys nothing another one reads; null if each does.
  Step *findFree() {
    for (Step &S : Steps)
      if (none_of(Steps, [&](const Step &Other) {
            return &Other != &S && Other.readsWhatIsWrittenBy(S);
          }))
        return &S;
    return nullptr;
  }

  /// What moves the rest of a pair of scalar registers, if it can be moved with
  /// \p First as a whole; null if there is no such step.
  Step *otherHalf(const Step &First);
  void takeFree(Step &S, amdgpu::MachineEncoder &Encoder,
                SmallVectorImpl<uint8_t> &Code);

  void split(const ArgumentMove &Move);
  void encode(const Step &S, amdgpu::MachineEncoder &Encoder,
              SmallVectorImpl<uint8_t> &Code) const;
  /// What \p Reg held is from now on to be read from \p Instead.
  void redirect(const amdgpu::RegisterRange &Range, MCRegister Instead);

  const PayloadABI &ABI;
  const amdgpu::MCTarget &Target;
  const amdgpu::RegisterFiles &Files;
  SmallVector<Step, 8> Steps;
};

void Mover::split(const ArgumentMove &Move) {
  const bool IsVector = Move.Slot.IsVector;
  const unsigned First = Move.Slot.Index + (IsVector ? ABI.FirstArgumentVGPR
                                                     : ABI.FirstArgumentSGPR);
  if (isAperture(Move.From)) {
    Steps.push_back({IsVector, First, 2, Move.From});
    return;
  }
  for (unsigned I = 0; I < Move.Slot.Dwords; ++I) {
    const MCRegister From =
        Move.Slot.Dwords == 1 ? Move.From
                              : Target.registers().getSubReg(
                                    Move.From, I ? AMDGPU::sub1 : AMDGPU::sub0);
    Step S{IsVector, First + I, 1, From, Files.rangeOf(From)};
    if (S.Reads.File == amdgpu::RegisterFile::AGPR)
      S.Reads = {};
    // In its place already.
    if (S.Reads.Count && S.Reads.First == S.To)
      continue;
    Steps.push_back(S);
  }
}

/// None if they are no pair.
MCRegister wholeOf(MCRegister Low, MCRegister High,
                   const amdgpu::RegisterFiles &Files) {
  if (Low == AMDGPU::VCC_LO)
    return High == AMDGPU::VCC_HI ? AMDGPU::VCC : MCRegister();
  const amdgpu::RegisterRange Range = Files.rangeOf(Low);
  const bool IsPair =
      Range.Count && Range.File == amdgpu::RegisterFile::SGPR &&
      Range.First % 2 == 0 &&
      Range.First + 1 < Files.count(amdgpu::RegisterFile::SGPR) &&
      High == Files.sgpr(Range.First + 1);
  return IsPair ? Files.sgprPair(Range.First) : MCRegister();
}

Step *Mover::otherHalf(const Step &First) {
  if (First.IsVector || First.Count != 1 || First.To % 2)
    return nullptr;
  for (Step &S : Steps)
    if (!S.IsVector && S.Count == 1 && S.To == First.To + 1 &&
        wholeOf(First.From, S.From, Files))
      return none_of(Steps,
                     [&](const Step &Other) {
                       return &Other != &S && &Other != &First &&
                              Other.readsWhatIsWrittenBy(S);
                     })
                 ? &S
                 : nullptr;
  return nullptr;
}

void Mover::takeFree(Step &S, amdgpu::MachineEncoder &Encoder,
                     SmallVectorImpl<uint8_t> &Code) {
  Step *Other = otherHalf(S);
  if (!Other) {
    encode(S, Encoder, Code);
    Steps.erase(&S);
    return;
  }
  encode({/*IsVector=*/false, S.To, 2, wholeOf(S.From, Other->From, Files)},
         Encoder, Code);
  // From the back, so that the other one stays where it is.
  Steps.erase(std::max(&S, Other));
  Steps.erase(std::min(&S, Other));
}

void Mover::redirect(const amdgpu::RegisterRange &Range, MCRegister Instead) {
  for (Step &S : Steps)
    if (S.Reads.File == Range.File && S.Reads.First == Range.First) {
      S.From = Instead;
      S.Reads = Files.rangeOf(Instead);
    }
}

/// Where later generations keep what used to be an operand.
std::optional<unsigned> hardwareRegister(MCRegister Reg,
                                         const amdgpu::MCTarget &Target) {
  constexpr unsigned Mode = 1, FlatScratchLow = 20, FlatScratchHigh = 21;
  const bool IsLater =
      Target.traits().Launch.FlatScratch != FlatScratchRead::Operand;
  if (Reg == AMDGPU::MODE)
    return Mode;
  if (IsLater && Reg == AMDGPU::FLAT_SCR_LO)
    return FlatScratchLow;
  if (IsLater && Reg == AMDGPU::FLAT_SCR_HI)
    return FlatScratchHigh;
  return std::nullopt;
}

void Mover::encode(const Step &S, amdgpu::MachineEncoder &Encoder,
                   SmallVectorImpl<uint8_t> &Code) const {
  const MCOperand To = reg(S.IsVector     ? Files.vgpr(S.To)
                           : S.Count == 2 ? Files.sgprPair(S.To)
                                          : Files.sgpr(S.To));
  const MCRegister From = S.From;
  if (From == AMDGPU::SCC) {
    Encoder.encode(AMDGPU::S_CSELECT_B32, {To, imm(1), imm(0)}, Code);
  } else if (auto Id = hardwareRegister(From, Target)) {
    // A write of the register may be less than two cycles ago.
    Encoder.encode(AMDGPU::S_NOP, {imm(1)}, Code);
    constexpr unsigned AllBits = 31 << 11;
    Encoder.encode(AMDGPU::S_GETREG_B32, {To, imm(*Id | AllBits)}, Code);
  } else if (Files.rangeOf(From).File == amdgpu::RegisterFile::AGPR) {
    Encoder.encode(AMDGPU::V_ACCVGPR_READ_B32_e64, {To, reg(From)}, Code);
  } else {
    Encoder.encode(S.IsVector     ? AMDGPU::V_MOV_B32_e32
                   : S.Count == 2 ? AMDGPU::S_MOV_B64
                                  : AMDGPU::S_MOV_B32,
                   {To, reg(From)}, Code);
  }
}

} // namespace

void encodeMoves(ArrayRef<ArgumentMove> Moves, const PayloadABI &ABI,
                 amdgpu::MachineEncoder &Encoder,
                 SmallVectorImpl<uint8_t> &Code, MCRegister Temporary) {
  Mover M(ABI, Encoder.target());
  M.split(Moves);
  while (!M.Steps.empty()) {
    if (Step *Free = M.findFree()) {
      M.takeFree(*Free, Encoder, Code);
      continue;
    }
    // Only cycles are left.
    Step &S = M.Steps.front();
    const amdgpu::RegisterRange Taken{S.Reads.File, S.To, 1};
    if (S.IsVector) {
      const MCRegister From = S.From;
      const MCRegister To = M.Files.vgpr(S.To);
      Encoder.encode(AMDGPU::V_SWAP_B32,
                     {reg(To), reg(From), reg(From), reg(To)}, Code);
      M.Steps.erase(&S);
      M.redirect(Taken, From);
      // Of two that exchanged, the other has its value now, too.
      erase_if(M.Steps, [](const Step &Each) {
        return Each.Reads.Count && Each.Reads.First == Each.To;
      });
    } else {
      assert(Temporary && "see needsTemporary()");
      Encoder.encode(AMDGPU::S_MOV_B32,
                     {reg(Temporary), reg(M.Files.sgpr(S.To))}, Code);
      M.redirect(Taken, Temporary);
    }
  }
}

bool needsTemporary(ArrayRef<ArgumentMove> Moves, const PayloadABI &ABI,
                    const amdgpu::MCTarget &Target) {
  Mover M(ABI, Target);
  M.split(Moves);
  while (Step *Free = M.findFree())
    M.Steps.erase(Free);
  return any_of(M.Steps, [](const Step &S) { return !S.IsVector; });
}

} // namespace luthier
