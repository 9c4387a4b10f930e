// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One decoded instruction: everything a handler needs, resolved once per PC.
#ifndef LUTHIER_EMULATOR_CORE_INST_H
#define LUTHIER_EMULATOR_CORE_INST_H

#include "emulator/core/ControlFlow.h"
#include "emulator/core/Timing.h"
#include <cstdint>

namespace luthier::emulator {

struct Wave;
struct Inst;
struct DualInst;
struct InstInfo;
using Handler = void (*)(Wave &, const Inst &);

/// How an operation reads or writes an operand. Decides what modifiers and
/// constants mean, and how many registers are touched.
enum class ValueType : uint8_t {
  None,
  U16,
  I16,
  F16,
  B32, ///< Bits; neg and abs, where encoded, act as on F32.
  U32,
  I32,
  F32,
  Pk16, ///< Two 16-bit halves; the handler itself applies op_sel and neg.
  B64,
  U64,
  I64,
  F64,
  Pk32, ///< Two 32-bit halves of a register pair, as for Pk16.
  Wide, ///< A tuple whose size the operand's register class gives.
};

inline bool isNarrow(ValueType T) {
  return T == ValueType::U16 || T == ValueType::I16 || T == ValueType::F16;
}

inline bool isPair(ValueType T) {
  return T >= ValueType::B64 && T <= ValueType::Pk32;
}

enum class Source : uint8_t {
  None,
  Vgpr, ///< Reg indexes the wave's vector file; AGPRs follow the VGPRs.
  Sgpr, ///< Reg indexes Wave::S.
  Special,
  Constant,
};

enum OperandModifier : uint8_t {
  Negate = 1,
  Absolute = 2, ///< Also "negate the high half" for packed operations.
  OpSel = 4,
  OpSelHi = 8,
  SignExtend = 16,
};

/// What SDWA selects of a dword.
enum class Part : uint8_t { Byte0, Byte1, Byte2, Byte3, Word0, Word1, Dword };

struct Operand {
  Source Kind = Source::None;
  ValueType Type = ValueType::None;
  uint8_t Modifiers = 0;
  Part Select = Part::Dword;
  uint16_t Reg = 0;
  /// Registers of a Wide operand.
  uint8_t NumRegs = 1;
  /// Not a plain register read: broadcast, modify, select or permute first.
  bool Slow = false;
  /// Slow, but no more than a broadcast of an SGPR or constant.
  bool Plain = false;
  uint64_t Value = 0;
};

/// What becomes of the bits a narrow result does not fill.
enum class Unused : uint8_t { Zero, SignExtend, Preserve };

struct Inst {
  /// Highest register of each file plus one, in 16-bit lanes: VGPR, AGPR, SGPR.
  uint64_t Needs = 0;
  Operand Src[3];
  Operand Dst;
  /// Second scalar result: carry-out, division scale.
  uint16_t ScalarDst = 0;
  /// Carry-in or select mask of operations that read a lane mask.
  uint16_t MaskSrc = 0;
  /// Vector registers with the scales of a matrix operation's A and B, and the
  /// byte of them that counts.
  uint16_t ScaleReg[2] = {};
  uint8_t ScaleByte[2] = {};
  uint8_t Dwords = 1;
  ControlFlow Flow = ControlFlow::Next;
  /// 1 for a real instruction, 0 for the slots that steer the loop.
  uint8_t Counted = 0;
  /// Lane instructions of a scalar operation; vector ones add popcount(EXEC).
  uint8_t ScalarLanes = 0;
  bool IsVector = false;
  /// Which denormal and rounding mode applies: 0 none, 1 f32, 2 f64 and f16,
  /// 3 f32 without denormals, 4 none of them: nearest, with denormals, 5 from
  /// f32 to f64 or f16, 6 the other way.
  uint8_t FloatMode = 0;
  /// The result needs more than a masked store.
  bool SlowResult = false;
  bool Clamp = false;
  uint8_t OutputModifier = 0;
  Part DstSelect = Part::Dword;
  Unused DstUnused = Unused::Zero;
  bool IsDpp = false;
  /// Each lane of eight names its source in Offset, three bits per lane, and
  /// not in DppControl.
  bool IsDpp8 = false;
  /// DPP reads inactive lanes too.
  bool FetchInactive = false;
  /// Operand indices that GPR-index mode may offset are VALU ones only.
  bool IsValu = false;
  bool Glc = false;
  /// Looks where other compute units and devices write, as atomic loads do.
  bool IsCoherent = false;
  bool BoundControl = false;
  uint8_t RowMask = 0xf;
  uint8_t BankMask = 0xf;
  uint16_t DppControl = 0;
  /// Addressing: bits depend on the encoding (see isa/Memory.h).
  uint16_t AddressMode = 0;
  int32_t Offset = 0;
  /// Branch distance, wait count, register id and other plain immediates.
  int32_t Immediate = 0;
  InstTiming Timing;
  /// Only where an observer asks. These live as long as the DecodedInst.
  const InstInfo *Info = nullptr;
  /// What an instruction with two operations is made of.
  const DualInst *Dual = nullptr;
};

/// The operations of a VOPD instruction. Both read before either writes.
struct DualInst {
  struct Part {
    Inst I;
    Handler Fn = nullptr;
  };
  Part Parts[2];
  /// Either may only run first if it does not write what the other one reads.
  bool SecondReadsFirst = false, FirstReadsSecond = false;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CORE_INST_H
