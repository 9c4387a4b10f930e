// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between processors: one row each, in Targets.def. Code asks a
// row for a fact and never compares names or generations; a processor without
// a row is refused.
#ifndef LUTHIER_AMDGPU_TARGETTRAITS_H
#define LUTHIER_AMDGPU_TARGETTRAITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class MCSubtargetInfo;
class MachineInstr;
} // namespace llvm

namespace luthier {

/// Registers and what else a compute unit shares among waves. Where WaveSize is
/// 32, counts of VGPRs and granules halve for wave64 kernels.
struct RegisterFileTraits {
  unsigned WaveSize;            ///< Lanes of a wave in the default mode.
  unsigned VGPRsPerLane;        ///< Of one SIMD, shared by its waves.
  unsigned VGPRGranule;         ///< Allocation unit.
  unsigned VGPREncodingGranule; ///< What the descriptor's field counts.
  unsigned AddressableVGPRs;    ///< v0..v(n-1); AGPRs counted separately.
  unsigned SGPRsPerSIMD;        ///< Shared by its waves.
  unsigned SGPRGranule;      ///< Allocation unit; the descriptor counts halves.
  unsigned AddressableSGPRs; ///< s0..s(n-1), without VCC and the like.
  unsigned ExtraSGPRs;       ///< VCC, FLAT_SCRATCH, XNACK_MASK at the top.
  bool UnifiedAGPRs;   ///< AGPRs lie behind accum_offset in the same file.
  unsigned SIMDsPerCU; ///< In WGP mode a workgroup has two CUs' SIMDs.
  unsigned WavesPerSIMD;
  unsigned LDSBytes;   ///< Of one workgroup at most.
  unsigned LDSGranule; ///< Allocation unit in bytes.

  bool hasTwoWaveSizes() const { return WaveSize == 32; }
  /// Every wave has all SGPRs, and the descriptor's field stays zero.
  bool hasFixedSGPRs() const { return SGPRGranule > AddressableSGPRs; }
};

/// Who sets up the base of flat scratch instructions.
enum class ScratchSetup : uint8_t {
  RegisterPair,     ///< The kernel, in FLAT_SCRATCH.
  HardwareRegister, ///< The kernel, by s_setreg.
  Architected,      ///< The launch.
};

/// How code reads FLAT_SCRATCH.
enum class FlatScratchRead : uint8_t {
  Operand,          ///< Like any scalar register.
  HardwareRegister, ///< By s_getreg.
  Never,
};

struct LaunchTraits {
  ScratchSetup Scratch;
  FlatScratchRead FlatScratch;
  bool PacksWorkItemIds; ///< All in v0.
  bool HasTtmpIds;       ///< Workgroup ids: x in ttmp9, y and z in ttmp7.
  /// Hardware remembers, without end, which scalar registers vector
  /// instructions have read, and code has to wait when it writes those.
  bool RemembersScalarReads;
};

/// Fields of s_waitcnt and what the counters count.
struct WaitTraits {
  /// Lowest bit and width. The upper part of vmcnt lies apart on some
  /// generations.
  uint8_t VmShift, VmBits, VmHighShift, VmHighBits;
  uint8_t ExpShift, ExpBits, LgkmShift, LgkmBits;
  /// Stores have a counter of their own, which registers do not wait for.
  bool HasStoreCounter;
  /// Each class of operation has a counter and an instruction.
  bool HasSplitCounters;
};

/// Wait states between the application's instructions and inserted ones, the
/// largest that the ISA manuals ask for, and what hardware does not wait for
/// otherwise.
struct HazardTraits {
  unsigned EnterStates;  ///< Before touching the application's VGPRs.
  unsigned MatrixStates; ///< The same in kernels with matrix operations.
  unsigned StoreStates;  ///< From a wide store to overwriting its data.
  unsigned LeaveStates;  ///< After writing registers of the application.
  unsigned M0States;     ///< From a write of M0 to its use.
  unsigned ModeStates;   ///< Between accesses to one hardware register.
  bool AwaitsALU;        ///< There is s_waitcnt_depctr.
  bool HasMaskHazard;    ///< See CallSiteCode::renewMask().
  bool HasReadHazard;    ///< See CallSiteCode::forgetReads().
  /// v_permlane needs a vector operation between it and a v_cmpx.
  bool HasPermuteHazard;
  /// Behind a v_cmpx, writes of a lane, too, have to keep their distance.
  bool HasLaneHazard;
  /// A kernel may tell hardware not to look at dependencies of vector
  /// instructions (DEP_MODE in SCHED_MODE).
  bool HasExpertMode;
};

/// Layout of buffer descriptors and numbering of typed formats.
enum class BufferLayout : uint8_t {
  /// Lane numbers extend the stride by the bits of the data format.
  Gfx9,
  /// Formats stand for pairs of data and number formats.
  Gfx10,
  /// Size of interleaved elements in two bits instead of one; fewer formats.
  Gfx11,
};

struct MemoryTraits {
  unsigned FlatOffsetBits; ///< Of global and scratch instructions, signed.
  /// Generic flat instructions have the same field without a sign.
  bool HasUnsignedFlatOffset;
  /// The last byte of a lane's scratch that an instruction reaches without a
  /// register for the address. 0: each needs one; but there, scalar registers
  /// can be stored by scalar instructions, whose base is FLAT_SCRATCH.
  unsigned ScratchReach;
  BufferLayout Buffers;
};

/// How instructions are encoded, and what else they mean.
struct InstructionTraits {
  /// 16-bit results leave the upper half of the register alone.
  bool KeepsUpperHalf;
  /// Short encodings name halves of v0 to v127.
  bool HasTrue16;
  /// Barriers are named by a number or by M0.
  bool HasNamedBarriers;
  /// MODE has bits for DX10_CLAMP and IEEE; elsewhere both count as set.
  bool HasClampModes;
  /// Message 3 gives the vector registers back.
  bool HasDeallocMessage;
  /// Numbers, as bits, of the hardware registers that hold SCC, EXECZ, VCCZ.
  uint64_t StatusRegisters;
  /// What stands behind a kernel's code, and bytes of it, so that instruction
  /// fetch runs ahead into something that is mapped and decodes.
  uint32_t PaddingWord;
  unsigned PaddingBytes;
};

/// Where LLVM's tables have the encodings (values of SIEncodingFamily), and how
/// the names of its real registers end.
struct EncodingTraits {
  /// Column of most operations, and of those renamed in GFX9.
  int Base, Renamed;
  int SDWA;
  /// Columns that override the base where they have an entry, best first.
  llvm::ArrayRef<int> Overrides;
  llvm::ArrayRef<llvm::StringLiteral> RegisterSuffixes;
};

struct TargetTraits {
  llvm::StringLiteral Processor;
  RegisterFileTraits Registers;
  LaunchTraits Launch;
  WaitTraits Waits;
  HazardTraits Hazards;
  MemoryTraits Memory;
  InstructionTraits Instructions;
  EncodingTraits Encodings;
};

llvm::ArrayRef<TargetTraits> allTargetTraits();

/// Null for a processor this engine does not know.
const TargetTraits *targetTraits(llvm::StringRef Processor);

/// Of the processors that can be lifted: MCTarget refuses others.
const TargetTraits &targetTraits(const llvm::MCSubtargetInfo &ST);
const TargetTraits &targetTraits(const llvm::MachineInstr &MI);

/// Parts of a row; null for a processor this engine does not know.
const RegisterFileTraits *registerFileTraits(llvm::StringRef Processor);
const LaunchTraits *launchTraits(llvm::StringRef Processor);

} // namespace luthier

#endif // LUTHIER_AMDGPU_TARGETTRAITS_H
