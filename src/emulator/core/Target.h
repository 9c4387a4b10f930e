// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What differs between processors, one row each. Code asks for a fact, never
// for a name.
#ifndef LUTHIER_EMULATOR_CORE_TARGET_H
#define LUTHIER_EMULATOR_CORE_TARGET_H

#include "emulator/core/HardwareRegister.h"
#include "emulator/core/HazardFamily.h"
#include "emulator/core/ScalarOperand.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace luthier::emulator {

/// Where flat scratch instructions find the wave's scratch.
enum class ScratchSetup : uint8_t {
  /// The kernel writes SGPR pair FLAT_SCRATCH from its launch registers.
  RegisterPair,
  /// The same through s_setreg.
  HardwareRegister,
  /// The launch sets it up ("architected").
  Architected,
};

/// How a wave counts its outstanding memory operations.
enum class WaitLayout : uint8_t {
  Gfx9,  ///< vmcnt [3:0][15:14], expcnt [6:4], lgkmcnt [11:8]
  Gfx10, ///< the same with lgkmcnt [13:8], and vscnt on its own
  Gfx11, ///< expcnt [2:0], lgkmcnt [9:4], vmcnt [15:10], and vscnt
  Gfx12, ///< a counter and an instruction per class of operation
};

/// Which values of dpp_ctrl mean something; quad_perm, shifts and rotations in
/// a row and mirrors do everywhere.
enum class DppControls : uint8_t {
  /// Shifts and rotations of the wave by one, and row_bcast.
  Gcn,
  /// The same and row_newbcast, the only one for 64-bit operands.
  Cdna,
  /// row_share and row_xmask.
  Rdna,
};

/// How the fourth word of a buffer's descriptor says what is in the buffer.
enum class BufferLayout : uint8_t {
  /// Data and number format apart; instructions say how ranges are checked.
  Split,
  Unified, ///< One format of 7 bits, and a field for range checks.
  Compact, ///< The same with 6 bits, and more sizes of elements.
};

/// Fields of COMPUTE_TMPRING_SIZE.
struct TmpringLayout {
  unsigned WaveSizeBits;
  unsigned WaveSizeUnit; ///< Bytes.
  /// Waves are counted for each shader engine, not for the device.
  bool CountsPerEngine;
};

struct Target {
  std::string_view Name;
  /// The version: "gfx90a" is 9, 0, 10. Tables with rows for generations
  /// (Timing.def, unused fields of encodings) are looked up with the first.
  unsigned Generation, Minor, Stepping;
  /// EF_AMDGPU_MACH of code objects.
  unsigned ElfMachine;
  /// Waves may have 32 lanes.
  bool HasWave32;

  /// Registers each lane of a SIMD has, the units in which descriptors count
  /// them, and those in which hardware allocates them: all for waves of 64
  /// lanes, and twice as many for waves of 32.
  unsigned VgprsPerSimd, VgprGranule, VgprAllocation;
  bool HasAgprs;
  /// VGPRs and AGPRs are parts of one file that accum_offset splits. Tuples of
  /// vector registers begin with an even one then.
  bool HasUnifiedFile;
  /// SGPRs that an encoding can name. Fewer are allocated only where the
  /// descriptor counts them.
  unsigned MaxSgprs;
  bool CountsSgprs;

  unsigned SimdsPerUnit, MaxWavesPerSimd;
  /// Two compute units can run a workgroup together (WGP mode).
  bool HasWorkgroupPairs;
  /// The descriptor can ask for registers that the halves of a wave share, or
  /// that are allocated while a wave runs. Neither is emulated.
  bool HasSharedVgprs, HasDynamicVgprs;
  /// Most bytes a workgroup may have, and the unit of allocation.
  unsigned LdsPerUnit, LdsGranule;

  /// All three work-item ids are in v0.
  bool PacksWorkItemIds;
  /// Workgroup ids are in trap-temporary registers.
  bool WorkgroupIdsInTtmp;
  bool PreloadsKernargs;
  ScratchSetup Scratch;
  TmpringLayout Tmpring;
  /// Number in Wave::S of the low half of FLAT_SCRATCH.
  unsigned FlatScratch;

  /// Operands of 16 bits are halves of registers. (LLVM's default differs by
  /// processor, the hardware does not.)
  bool HasTrue16;
  /// Encodings of 64 bits have room for a literal.
  bool WideEncodingsTakeLiterals;
  /// Bits [31:25] of v_madmk_f16, later v_fmamk_f16; v_madak_f16 is next.
  unsigned MadmkF16;
  bool HasScalarBarriers;
  /// Encodings of scalar operands. What is in none of them cannot be executed.
  std::span<const ScalarOperandRange> ScalarOperands;
  ScalarOperand scalarOperand(unsigned Encoding) const;
  bool has(ScalarOperand What) const;
  /// The number in Wave::S of a register that is encoded as \p Encoding.
  unsigned scalarIndex(unsigned Encoding) const;
  /// What s_getreg and s_setreg name.
  emulator::HardwareRegisters HardwareRegisters;

  /// MODE bits that do not exist because they count as always set.
  uint32_t ImpliedMode;
  DppControls Dpp;
  /// MODE can make M0 an index into the vector registers.
  bool HasGprIndexMode;
  WaitLayout Waits;
  hazard::Family Hazards;
  BufferLayout Buffers;
  /// A message gives vector registers back before the wave ends.
  bool HasDeallocMessage;

  /// Bits of the signed offset of flat instructions; the generic ones of
  /// generation 9 do without the sign.
  unsigned FlatOffsetBits;
  bool FlatOffsetIsUnsigned;
  /// Memory operations name the scope of an access, and no single caches.
  bool HasCacheScopes;

  /// A 16-bit load into half a register clears the other half: registers have
  /// error correction, so whole dwords are written.
  bool NarrowLoadsClear;
  /// 16-bit results leave the upper half of the register alone.
  bool NarrowResultsKeepHigh;
  /// The 8-bit floats have one zero, one NaN, no infinity, and a bias that is
  /// greater by one than that of the OCP formats.
  bool HasUnsignedZeroFloats8;
  /// Matrix operations on 16-bit floats treat denormals, also those of the
  /// accumulator, as zeroes.
  bool MatrixFlushesDenormals;
  /// Eight-bit floats have no infinities and no negative zero.
  bool HasFnuzFp8;
  /// Both halves of a wave hold a matrix operation's factors (WMMA).
  bool WmmaReplicates;
  /// Dot products of 16-bit floats round once more before the addend.
  bool DotAddsLate;
  /// v_cmpx writes EXEC and nothing else.
  bool CmpxWritesOnlyExec;
  /// Lanes among which ds_permute and ds_bpermute exchange in 64-lane waves.
  unsigned PermuteSpan64;
};

std::span<const Target> targets();
/// Null when there is no such row.
const Target *findTarget(std::string_view Name);
const Target *findTarget(unsigned ElfMachine);

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_TARGET_H
