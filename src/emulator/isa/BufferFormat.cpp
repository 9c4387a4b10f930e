// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed buffer access: memory formats come from the descriptor (MUBUF) or the
// instruction (MTBUF), registers hold 32-bit or packed 16-bit components.
#include "emulator/isa/Buffer.h"
#include "emulator/isa/Element.h"
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

/// Components from the first, in the lowest bits, to the last.
struct Layout {
  unsigned Components = 0;
  unsigned Bits[4] = {};
  unsigned bytes() const { return (Bits[0] + Bits[1] + Bits[2] + Bits[3]) / 8; }
  /// Components share a dword.
  bool isPacked() const { return Bits[0] % 8 != 0; }
};

/// By data format number of generation 9; names count from the highest bits.
constexpr Layout Layouts[16] = {{},
                                {1, {8}},
                                {1, {16}},
                                {2, {8, 8}},
                                {1, {32}},
                                {2, {16, 16}},
                                {3, {11, 11, 10}},
                                {3, {10, 11, 11}},
                                {4, {2, 10, 10, 10}},
                                {4, {10, 10, 10, 2}},
                                {4, {8, 8, 8, 8}},
                                {2, {32, 32}},
                                {4, {16, 16, 16, 16}},
                                {3, {32, 32, 32}},
                                {4, {32, 32, 32, 32}},
                                {}};

// Later generations count through the valid pairs: for each data format, those
// number formats that have a bit here.
constexpr uint8_t Integers = 0x30, Norms = 0x03, NoFloat = 0x3f, Any = 0xbf,
                  Whole = 0xb0, FloatOnly = 0x80;
constexpr uint8_t Unified10[16] = {
    0,       NoFloat, Any,     NoFloat, Whole, Any,   Any,   Any,
    NoFloat, NoFloat, NoFloat, Whole,   Any,   Whole, Whole, 0};
constexpr uint8_t Unified11[16] = {0,         NoFloat,   Any,
                                   NoFloat,   Whole,     Any,
                                   FloatOnly, FloatOnly, Norms | Integers,
                                   NoFloat,   NoFloat,   Whole,
                                   Any,       Whole,     Whole,
                                   0};

/// To data format [3:0] and number format [6:4]; 0 if there is none.
unsigned splitUnified(unsigned Format, const uint8_t (&Valid)[16]) {
  unsigned Number = 1;
  for (unsigned Data = 1; Data != 16; ++Data)
    for (unsigned Kind = 0; Kind != 8; ++Kind)
      if (Valid[Data] >> Kind & 1)
        if (Number++ == Format)
          return Data | Kind << 4;
  return 0;
}

struct Format {
  Format(const BufferDescriptor &Buffer, const Inst &I, const Target &T,
         bool FromInst) {
    unsigned Encoded = FromInst ? unsigned(I.Immediate) : Buffer.Format;
    if (T.Buffers == BufferLayout::Unified)
      Encoded = splitUnified(Encoded, Unified10);
    else if (T.Buffers == BufferLayout::Compact)
      Encoded = splitUnified(Encoded, Unified11);
    Number = Encoded >> 4 & 7;
    Memory = Layouts[Encoded & 15];
    // An instruction's format comes without a swizzle.
    constexpr unsigned Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    Select = FromInst ? Identity : Buffer.Select;
  }
  Layout Memory;
  unsigned Number;
  unsigned Select;
  unsigned bytes() const { return Memory.bytes(); }
};

/// Floats of 11 and 10 bits have the exponent of a half and no sign.
unsigned droppedBits(unsigned Bits) { return 15 - Bits; }
U32 fromSmallFloat(U32 Raw, unsigned Bits) {
  return toBits(F32(fromBits<F16>(Raw << droppedBits(Bits))));
}
/// Toward zero; what is negative becomes zero.
U32 toSmallFloat(U32 Register, unsigned Bits) {
  F32 Value = std::bit_cast<F32>(Register);
  U32 Infinity = U32(31) << (Bits - 5);
  if (Value != Value)
    return Infinity | 1u << (Bits - 6);
  if (!(Value > 0))
    return 0;
  if (isInfinite(Value))
    return Infinity;
  F32 Largest = F32(fromBits<F16>((Infinity - 1) << droppedBits(Bits)));
  F16 Half = F16(std::min(Value, Largest));
  U32 Result = toBits(Half);
  // The conversion to half may have rounded up.
  if (F32(Half) > Value)
    --Result;
  return std::min(Result >> droppedBits(Bits), Infinity - 1);
}

/// One component to the 32-bit value that the register gets.
U32 decode(U32 Raw, unsigned Bits, unsigned Number) {
  I32 Signed = I32(Raw << (32 - Bits)) >> (32 - Bits);
  switch (Number) {
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
    if (Bits == 32)
      return Raw;
    return Bits == 16 ? toBits(F32(fromBits<F16>(Raw)))
                      : fromSmallFloat(Raw, Bits);
  default:
    return Raw;
  }
}

U32 encode(U32 Register, unsigned Bits, unsigned Number) {
  F64 Value = std::bit_cast<F32>(Register);
  if (Value != Value)
    Value = 0;
  const F64 UnsignedMax = F64((U64(1) << Bits) - 1);
  const F64 SignedMax = F64((U64(1) << (Bits - 1)) - 1);
  switch (Number) {
  case UNorm:
    return U32(__builtin_roundeven(std::clamp(Value, 0.0, 1.0) * UnsignedMax));
  case SNorm:
    return U32(
        I32(__builtin_roundeven(std::clamp(Value, -1.0, 1.0) * SignedMax)));
  case UScaled:
    return U32(std::clamp(Value, 0.0, UnsignedMax));
  case SScaled:
    return U32(I32(std::clamp(Value, -SignedMax - 1, SignedMax)));
  case Float:
    if (Bits == 32)
      return Register;
    return Bits == 16 ? toBits(F16(std::bit_cast<F32>(Register)))
                      : toSmallFloat(Register, Bits);
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

/// Halves in memory and in registers are the same, NaNs included.
template <Registers R> bool isCopied(const Format &F) {
  return R != Registers::Full && F.Number == Float && F.Memory.Bits[0] == 16;
}
template <Registers R> U32 toRegister(U32 Raw, unsigned Bits, const Format &F) {
  if (isCopied<R>(F))
    return Raw;
  U32 Value = decode(Raw, Bits, F.Number);
  return R == Registers::Full ? Value : narrowed(Value, F);
}
template <Registers R>
U32 fromRegister(U32 Register, unsigned Bits, const Format &F) {
  if (isCopied<R>(F))
    return Register;
  return encode(R == Registers::Full ? Register : widened(Register, F), Bits,
                F.Number);
}

bool isSupported(Wave &W, const Format &F) {
  if (F.Memory.Components && F.Number != 6)
    return true;
  W.fault(ExecutionFault::Kind::UnknownOperation,
          "buffer format is not emulated");
  return false;
}

/// The raw components of a lane's element, or false and a fault.
bool readElement(Wave &W, const BufferAccess &A, const Layout &Memory,
                 unsigned L, U32 *Raw) {
  unsigned At = 0;
  for (unsigned C = 0; C != Memory.Components; ++C) {
    // A packed dword is read once for each component.
    unsigned Bits = Memory.Bits[C], Bytes = Memory.isPacked() ? 4 : Bits / 8;
    const uint8_t *P = A.pointer(W, L, Memory.isPacked() ? 0 : At / 8, Bytes);
    if (!P)
      return false;
    U32 Word = 0;
    std::memcpy(&Word, P, Bytes);
    if (Memory.isPacked())
      Word = Word >> At & ((1u << Bits) - 1);
    Raw[C] = Word;
    At += Bits;
  }
  return true;
}
/// Components that the instruction does not supply stay as they are, except
/// that those of a packed dword become zero.
void writeElement(Wave &W, const BufferAccess &A, const Layout &Memory,
                  unsigned L, const U32 *Raw, unsigned Count) {
  unsigned At = 0;
  U32 Packed = 0;
  for (unsigned C = 0; C != std::min(Count, Memory.Components); ++C) {
    unsigned Bits = Memory.Bits[C];
    if (Memory.isPacked())
      Packed |= (Raw[C] & ((1u << Bits) - 1)) << At;
    else if (uint8_t *P = A.pointer(W, L, At / 8, Bits / 8))
      std::memcpy(P, &Raw[C], Bits / 8);
    At += Bits;
  }
  if (!Memory.isPacked())
    return;
  if (uint8_t *P = A.pointer(W, L, 0, 4))
    std::memcpy(P, &Packed, 4);
}

template <unsigned Count, Registers R, bool FromInst>
void load(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  Format F(A.Buffer, I, *W.T, FromInst);
  if (!isSupported(W, F))
    return;
  U32 *To = W.vgpr(I.Dst.Reg);
  const OtherHalf Half(W);
  forEachLane(W.exec(), [&](unsigned L) {
    // What memory does not have: zero, and one for alpha.
    U32 One = isIntegral(F) ? 1 : R == Registers::Full ? 0x3f800000 : 0x3c00;
    U32 Memory[4] = {0, 0, 0, One};
    if (A.inRange(L, 0, F.bytes())) {
      U32 Raw[4];
      if (!readElement(W, A, F.Memory, L, Raw))
        return;
      for (unsigned C = 0; C != F.Memory.Components; ++C)
        Memory[C] = toRegister<R>(Raw[C], F.Memory.Bits[C], F);
    } else {
      Memory[3] = 0;
    }
    for (unsigned C = 0; C != Count; ++C) {
      unsigned Select = F.Select >> (3 * C) & 7;
      U32 Value = Select >= 4 ? Memory[Select - 4] : Select == 1 ? One : 0;
      if constexpr (R == Registers::Full) {
        To[C * NumLanes + L] = Value;
      } else if constexpr (R == Registers::High) {
        To[L] = Value << 16 | (To[L] & 0xffff & Half.Keep);
      } else {
        U32 &Pair = To[C / 2 * NumLanes + L];
        Pair = C % 2 ? Pair | Value << 16 : Value;
      }
    }
  });
}

template <unsigned Count, Registers R, bool FromInst>
void store(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  Format F(A.Buffer, I, *W.T, FromInst);
  if (!isSupported(W, F))
    return;
  const U32 *From = W.vgpr(I.Dst.Reg);
  forEachLane(W.exec(), [&](unsigned L) {
    if (!A.inRange(L, 0, F.bytes()))
      return;
    U32 Raw[4];
    for (unsigned C = 0; C != std::min(Count, F.Memory.Components); ++C) {
      U32 Value;
      if constexpr (R == Registers::Full)
        Value = From[C * NumLanes + L];
      else if constexpr (R == Registers::High)
        Value = From[L] >> 16;
      else
        Value = From[C / 2 * NumLanes + L] >> (16 * (C % 2)) & 0xffff;
      Raw[C] = fromRegister<R>(Value, F.Memory.Bits[C], F);
    }
    writeElement(W, A, F.Memory, L, Raw, Count);
  });
}

/// The first component straight to LDS, at M0 plus the lane's place.
void loadToLds(Wave &W, const Inst &I) {
  BufferAccess A(W, I);
  Format F(A.Buffer, I, *W.T, false);
  if (!isSupported(W, F))
    return;
  U32 Base = (W.m0() & 0xffff) + U32(I.Offset);
  forEachLane(W.exec(), [&](unsigned L) {
    U32 One = isIntegral(F) ? 1 : 0x3f800000;
    U32 Memory[4] = {0, 0, 0, 0};
    if (A.inRange(L, 0, F.bytes())) {
      U32 Raw[4];
      if (!readElement(W, A, F.Memory, L, Raw))
        return;
      Memory[3] = One;
      for (unsigned C = 0; C != F.Memory.Components; ++C)
        Memory[C] = decode(Raw[C], F.Memory.Bits[C], F.Number);
    }
    unsigned Select = F.Select & 7;
    U32 Value = Select >= 4 ? Memory[Select - 4] : Select == 1 ? One : 0;
    if (uint8_t *To = ldsPointer(W, Base + 4 * L, 4))
      std::memcpy(To, &Value, 4);
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
    row("buffer_load_format_x lds", loadToLds),
    row("buffer_load_format_d16_hi_x", load<1, Registers::High, false>),
    row("buffer_store_format_d16_hi_x", store<1, Registers::High, false>),
};

} // namespace

std::span<const Operation> bufferFormatRows() { return Rows; }

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
