// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the instructions that the code around payloads and the prologue are
// made of, for whatever processor and wave size the kernel is for.
#ifndef LUTHIER_REWRITE_EMIT_CALLSITECODE_H
#define LUTHIER_REWRITE_EMIT_CALLSITECODE_H

#include "amdgpu/MachineEncoder.h"
#include "amdgpu/TargetTraits.h"
#include "analysis/WaitCounters.h"

#include <cstdint>

namespace luthier {

class CallSiteCode {
public:
  CallSiteCode(amdgpu::MachineEncoder &Encoder, unsigned WaveSize,
               amdgpu::CodeLayout &Layout);

  static llvm::MCOperand reg(llvm::MCRegister R) {
    return llvm::MCOperand::createReg(R);
  }
  static llvm::MCOperand imm(int64_t I) {
    return llvm::MCOperand::createImm(I);
  }
  llvm::MCRegister sgpr(unsigned N) const;
  llvm::MCRegister sgprPair(unsigned N) const;
  llvm::MCRegister vgpr(unsigned N) const;
  llvm::MCRegister agpr(unsigned N) const;
  /// Half \p I of a 64-bit register.
  llvm::MCRegister half(llvm::MCRegister Pair, unsigned I) const;
  /// The part of a 64-bit register that holds a mask of lanes.
  llvm::MCRegister mask(llvm::MCRegister Pair) const;

  void op(unsigned Opcode, llvm::ArrayRef<llvm::MCOperand> Operands);
  void append(llvm::ArrayRef<uint8_t> Code) { Layout.append(Code); }
  size_t size() const { return Layout.size(); }

  void move(llvm::MCRegister To, llvm::MCRegister From);
  void set(llvm::MCRegister To, uint32_t Value);
  void setPair(llvm::MCRegister To, uint64_t Value);
  /// Masks of lanes, given by 64-bit registers.
  void moveMask(llvm::MCRegister To, llvm::MCRegister From);
  void activateAll(); ///< EXEC = all lanes; SCC stays.
  void invertExec();  ///< SCC is lost.
  void moveVector(llvm::MCRegister To, llvm::MCRegister From);
  void readLane(llvm::MCRegister To, llvm::MCRegister State, unsigned Lane);
  void writeLane(llvm::MCRegister State, unsigned Lane, llvm::MCOperand From);
  /// 1 or 0 from SCC, and back.
  void saveSCC(llvm::MCRegister To);
  void restoreSCC(llvm::MCRegister From);
  void setSCC(bool Value);
  /// \p Vector of active lanes, to or from \p Offset bytes behind the offset in
  /// \p Base, an SGPR, of the wave's scratch; without \p Base from its start,
  /// within MemoryTraits::ScratchReach.
  void store(llvm::MCRegister Vector, llvm::MCRegister Base, unsigned Offset);
  void load(llvm::MCRegister Vector, llvm::MCRegister Base, unsigned Offset);
  /// An SGPR, to or from lane 0 of \p Offset in the wave's scratch, with
  /// nothing but FLAT_SCRATCH for the address: where ScratchReach is 0. Waits.
  void storeScalar(llvm::MCRegister Scalar, unsigned Offset);
  void loadScalar(llvm::MCRegister Scalar, unsigned Offset);
  /// One past the offsets that those two take.
  static constexpr unsigned ScalarReach = (1u << 20) / 64;
  void readMode(llvm::MCRegister To);
  void writeMode(llvm::MCRegister From);
  /// What HIP compiles for: round to nearest even, denormals, IEEE.
  void setDefaultMode();

  /// Runs \p Write twice, once for each value of SCC, and sets it again: for
  /// code that loses it, where no register is free to keep it in.
  template <typename Callback> void keepingSCC(Callback Write) {
    auto One = Layout.createLabel(), Done = Layout.createLabel();
    branch(true, One);
    Write();
    setSCC(false);
    branch(false, Done);
    Layout.bind(One);
    Write();
    setSCC(true);
    Layout.bind(Done);
  }

  /// Runs \p Write's code where SCC is 0.
  template <typename Callback> void unlessSCC(Callback Write) {
    auto Others = Layout.createLabel();
    branch(true, Others);
    Write();
    Layout.bind(Others);
  }

  /// Runs \p Write's code where EXEC has a lane.
  template <typename Callback> void whereLanesAreActive(Callback Write) {
    auto None = Layout.createLabel();
    branchWithoutLanes(None);
    Write();
    Layout.bind(None);
  }

  void await(const WaitCounts &Counts);
  /// For all memory operations that a register may wait for.
  void awaitMemory();
  /// For what load() loads.
  void awaitStack();
  void awaitScalarLoads();
  void waitStates(unsigned Count);
  /// For results of vector and scalar instructions that hardware would not
  /// wait for.
  void awaitALU();

  /// Any vector operation at all, into \p Mask, a pair that nobody needs: what
  /// follows takes v_cmpx for the latest one no more.
  void operateOnVectors(llvm::MCRegister Mask);
  /// What stands before s_sendmsg that gives vector registers back: a wave must
  /// not have stores to its stack on the way then, and hardware wants an s_nop
  /// right before the message.
  void beforeDeallocation(bool UsesStack);

  /// Writes \p Pair back to itself, for awaitALU() to come: what instructions
  /// read it as a mask before then matters no more to those that follow, which
  /// a compiler saw without them. Nothing where hardware has no such hazard.
  void renewMask(llvm::MCRegister Pair);
  /// Before that, where scalar instructions have written the pair since.
  void awaitScalarsOfMasks();
  /// Where hardware does not wait for scalar registers that are written after
  /// vector instructions have read them: what read some before this matters no
  /// more to the application, whose compiler has not seen it.
  void forgetReads();

  const HazardTraits &waits() const { return Traits.Hazards; }

private:
  /// s_cbranch_scc1 or s_branch.
  void branch(bool OnSCC, amdgpu::CodeLayout::Label To);
  void branchWithoutLanes(amdgpu::CodeLayout::Label To);

  amdgpu::MachineEncoder &Encoder;
  const TargetTraits &Traits;
  unsigned WaveSize;
  amdgpu::CodeLayout &Layout;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_CALLSITECODE_H
