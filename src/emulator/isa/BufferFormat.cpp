// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed buffer access: memory formats come from the descriptor (MUBUF) or the
// instruction (MTBUF), registers hold 32-bit or packed 16-bit components.
#include "emulator/isa/Buffer.h"
#include "emulator/isa/FloatMath.h"
#include "emulator/isa/Tables.h"
#include <algorithm>

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

enum NumberFormat : unsigned {
  UNorm,
  SNorm,
  UScaled,
  SScaled,
  UInt,
  SInt,
  Float = 7
};

struct Layout {
  unsigned Components = 0;
  unsigned Bytes = 0; ///< Of each component.
};

/// By data format number. Formats whose components differ in size are absent.
constexpr Layout Layouts[16] = {{},     {1, 1}, {1, 2}, {2, 1}, {1, 4}, {2, 2},
                                {},     {},     {},     {},     {4, 1}, {2, 4},
                                {4, 2}, {3, 4}, {4, 4}, {}};

struct Format {
  Format(const BufferDescriptor &Buffer, const Inst &I, bool FromInst) {
    unsigned Data = FromInst ? I.Immediate & 15 : Buffer.DataFormat;
    Number = FromInst ? I.Immediate >> 4 & 7 : Buffer.NumberFormat;
    Memory = Layouts[Data & 15];
    // An instruction's format comes without a swizzle.
    constexpr unsigned Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    Select = FromInst ? Identity : Buffer.Select;
  }
  Layout Memory;
  unsigned Number;
  unsigned Select;
  unsigned bytes() const { return Memory.Components * Memory.Bytes; }
};

/// One component to the 32-bit value that the register gets.
U32 decode(U32 Raw, const Format &F) {
  unsigned Bits = 8 * F.Memory.Bytes;
  I32 Signed = I32(Raw << (32 - Bits)) >> (32 - Bits);
  switch (F.Number) {
  case UNorm:
    return toBits(F32(F64(Raw) / F64((U64(1) << Bits) - 1)));
  case SNorm: {
    F64 Value = F64(Signed) / F64((U64(1) << (Bits - 1)) - 1);
    return toBits(F32(std::max(Value, -1.0)));
  }
  case UScaled:
    return toBits(F32(Raw));
  case SScaled:
    return toBits(F32(Signed));
  case SInt:
    return U32(Signed);
  case Float:
    return Bits == 16 ? toBits(F32(fromBits<F16>(Raw))) : Raw;
  default:
    return Raw;
  }
}

U32 encode(U32 Register, const Format &F) {
  unsigned Bits = 8 * F.Memory.Bytes;
  F64 Value = std::bit_cast<F32>(Register);
  if (Value != Value)
    Value = 0;
  switch (F.Number) {
  case UNorm:
    return U32(__builtin_roundeven(std::clamp(Value, 0.0, 1.0) *
                                   F64((U64(1) << Bits) - 1)));
  case SNorm:
    return U32(I32(__builtin_roundeven(std::clamp(Value, -1.0, 1.0) *
                                       F64((U64(1) << (Bits - 1)) - 1))));
  case UScaled:
    return U32(std::clamp(Value, 0.0, F64((U64(1) << Bits) - 1)));
  case SScaled:
    return U32(I32(std::clamp(Value, -F64(U64(1) << (Bits - 1)),
                              F64((U64(1) << (Bits - 1)) - 1))));
  case Float:
    return Bits == 16 ? toBits(F16(std::bit_cast<F32>(Register))) : Register;
  default:
    return Register;
  }
}

bool isIntegral(const Format &F) {
  return F.Number == UInt || F.Number == SInt;
}

/// 16-bit registers hold halves or integers.
U32 narrowed(U32 Value, const Format &F) {
  return isIntegral(F) ? Value & 0xffff
                       : toBits(F16(std::bit_cast<F32>(Value)));
}
U32 widened(U32 Value, const Format &F) {
  if (isIntegral(F))
    return F.Number == SInt ? U32(I16(Value)) : Value & 0xffff;
  return toBits(F32(fromBits<F16>(Value)));
}

enum class Registers { Full, Packed, High };

bool isSupported(Wave &W, const Format &F) {
  if (F.Memory.Components && F.Number != 6)
    return true;
  W.fault(ExecutionFault::Kind::UnknownOperation,
          "buffer format is not emulated");
  return false;
}

template <unsigned Count, Registers R, bool FromInst>
void load(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  Format F(A.Buffer, I, FromInst);
  if (!isSupported(W, F))
    return;
  U32 *To = W.vgpr(I.Dst.Reg);
  forEachLane(W.exec(), [&](unsigned L) {
    // What memory does not have: zero, and one for alpha.
    U32 One = isIntegral(F) ? 1 : toBits(1.0f);
    U32 Memory[4] = {0, 0, 0, One};
    if (A.inRange(L, F.bytes())) {
      for (unsigned C = 0; C != F.Memory.Components; ++C) {
        uint8_t *P = A.pointer(W, L, C * F.Memory.Bytes, F.Memory.Bytes);
        if (!P)
          return;
        U32 Raw = 0;
        std::memcpy(&Raw, P, F.Memory.Bytes);
        Memory[C] = decode(Raw, F);
      }
    } else {
      Memory[3] = 0;
    }
    for (unsigned C = 0; C != Count; ++C) {
      unsigned Select = F.Select >> (3 * C) & 7;
      U32 Value = Select >= 4 ? Memory[Select - 4] : Select == 1 ? One : 0;
      if constexpr (R == Registers::Full) {
        To[C * NumLanes + L] = Value;
      } else if constexpr (R == Registers::High) {
        To[L] = narrowed(Value, F) << 16;
      } else {
        U32 &Pair = To[C / 2 * NumLanes + L];
        Pair = C % 2 ? Pair | narrowed(Value, F) << 16 : narrowed(Value, F);
      }
    }
  });
}

template <unsigned Count, Registers R, bool FromInst>
void store(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  Format F(A.Buffer, I, FromInst);
  if (!isSupported(W, F))
    return;
  const U32 *From = W.vgpr(I.Dst.Reg);
  forEachLane(W.exec(), [&](unsigned L) {
    if (!A.inRange(L, F.bytes()))
      return;
    for (unsigned C = 0; C != std::min(Count, F.Memory.Components); ++C) {
      U32 Value;
      if constexpr (R == Registers::Full)
        Value = From[C * NumLanes + L];
      else if constexpr (R == Registers::High)
        Value = widened(From[L] >> 16, F);
      else
        Value = widened(From[C / 2 * NumLanes + L] >> (16 * (C % 2)), F);
      U32 Raw = encode(Value, F);
      if (uint8_t *P = A.pointer(W, L, C * F.Memory.Bytes, F.Memory.Bytes))
        std::memcpy(P, &Raw, F.Memory.Bytes);
    }
  });
}

constexpr Operation row(const char *Name, Handler Fn) {
  Operation Op{Name, Fn};
  Op.FloatMode = 4;
  return Op;
}

#define BOTH(Access, D16, Suffix, Count, R)                                    \
  row("buffer_" #Access "_format_" D16 Suffix,                                 \
      Access<Count, Registers::R, false>),                                     \
      row("tbuffer_" #Access "_format_" D16 Suffix,                            \
          Access<Count, Registers::R, true>)
#define ALL(Access, D16, R)                                                    \
  BOTH(Access, D16, "x", 1, R), BOTH(Access, D16, "xy", 2, R),                 \
      BOTH(Access, D16, "xyz", 3, R), BOTH(Access, D16, "xyzw", 4, R)

constexpr Operation Rows[] = {
    ALL(load, "", Full),
    ALL(store, "", Full),
    ALL(load, "d16_", Packed),
    ALL(store, "d16_", Packed),
    row("buffer_load_format_d16_hi_x", load<1, Registers::High, false>),
    row("buffer_store_format_d16_hi_x", store<1, Registers::High, false>),
};

} // namespace

std::span<const Operation> bufferFormatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
