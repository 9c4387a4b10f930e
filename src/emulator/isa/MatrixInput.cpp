// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/MatrixInput.h"
#include "emulator/core/Wave.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Which encodings of a small float are no numbers.
enum class Specials {
  None,
  LastIsNan,       ///< Both signs; there are no infinities.
  Ieee,            ///< The last exponent.
  NegativeZeroNan, ///< And nothing else.
};

constexpr F32 powerOfTwo(int Power) {
  return std::bit_cast<F32>(U32(Power + 127) << 23);
}

template <unsigned ExponentBits, unsigned MantissaBits, int Bias, Specials S>
struct SmallFloat {
  using Value = F32;
  static constexpr unsigned Bits = 1 + ExponentBits + MantissaBits;

  /// Without branches and tables, so that it is done for many lanes at once.
  static F32 get(U32 Encoded) {
    constexpr U32 Sign = 1u << (Bits - 1), Hidden = 1u << MantissaBits;
    constexpr U32 Infinity = 0x7f800000, Nan = 0x7fc00000;
    constexpr unsigned Shift = 23 - MantissaBits;
    U32 Magnitude = Encoded & (Sign - 1);
    F32 Denormal =
        F32(I32(Magnitude)) * powerOfTwo(1 - Bias - int(MantissaBits));
    U32 Normal = (Magnitude << Shift) + (U32(127 - Bias) << 23);
    U32 Result = Magnitude < Hidden ? std::bit_cast<U32>(Denormal) : Normal;
    if constexpr (S == Specials::Ieee) {
      constexpr U32 First = Sign - Hidden;
      Result = Magnitude == First ? Infinity : Result;
      Result = Magnitude > First ? Nan : Result;
    }
    if constexpr (S == Specials::LastIsNan)
      Result = Magnitude == Sign - 1 ? Nan : Result;
    Result |= (Encoded & Sign) << (32 - Bits);
    if constexpr (S == Specials::NegativeZeroNan)
      Result = Encoded == Sign ? Nan : Result;
    return std::bit_cast<F32>(Result);
  }
};

struct HalfFloat {
  using Value = F32;
  static constexpr unsigned Bits = 16;
  static F32 get(U32 Encoded) { return F32(fromBits<F16>(Encoded)); }
};
struct BrainFloat {
  using Value = F32;
  static constexpr unsigned Bits = 16;
  static F32 get(U32 Encoded) { return std::bit_cast<F32>(Encoded << 16); }
};
template <class Of, U32 ExponentMask> struct Flushed {
  using Value = F32;
  static constexpr unsigned Bits = 16;
  static F32 get(U32 Encoded) {
    return Of::get(Encoded & ExponentMask ? Encoded : Encoded & 0x8000);
  }
};
struct SingleFloat {
  using Value = F32;
  static constexpr unsigned Bits = 32;
  static F32 get(U32 Encoded) { return std::bit_cast<F32>(Encoded); }
};
struct ShortSingle {
  using Value = F32;
  static constexpr unsigned Bits = 32;
  static F32 get(U32 Encoded) {
    constexpr U32 Exponent = 0x7f800000, Dropped = 0x1fff;
    // To nearest, ties to even. What is infinite or no number stays so.
    U32 Rounded = Encoded + (Dropped >> 1) + (Encoded >> 13 & 1);
    U32 Result = (Encoded & Exponent) == Exponent ? Encoded : Rounded;
    return std::bit_cast<F32>(Result & ~Dropped);
  }
};
struct DoubleFloat {
  using Value = F64;
  static constexpr unsigned Bits = 64;
};
template <unsigned Width, bool Signed> struct SmallInteger {
  using Value = U32;
  static constexpr unsigned Bits = Width;
  static U32 get(U32 Encoded) {
    constexpr U32 Sign = 1u << (Width - 1);
    return Signed ? (Encoded ^ Sign) - Sign : Encoded;
  }
};

/// Elements of one position along K: a register, and where in it.
template <class E, unsigned Size>
void loadRow(const U32 *Low, unsigned Shift, typename E::Value *To) {
  if constexpr (E::Bits == 64) {
    LUTHIER_LANE_LOOP
    for (unsigned N = 0; N != Size; ++N)
      To[N] = std::bit_cast<F64>(Low[N] | U64(Low[N + NumLanes]) << 32);
  } else if (E::Bits == 6 && Shift + E::Bits > 32) {
    LUTHIER_LANE_LOOP
    for (unsigned N = 0; N != Size; ++N)
      To[N] =
          E::get((Low[N] >> Shift | Low[N + NumLanes] << (32 - Shift)) & 0x3f);
  } else {
    constexpr U32 Mask = ~U32(0) >> (32 - E::Bits % 64);
    LUTHIER_LANE_LOOP
    for (unsigned N = 0; N != Size; ++N)
      To[N] = E::get(Low[N] >> Shift & Mask);
  }
}

template <class E, unsigned Size>
void loadRows(const MatrixSource &From, typename E::Value *To) {
  for (unsigned Block = 0; Block != From.Blocks; ++Block)
    for (unsigned K = 0; K != From.K; ++K, To += Size) {
      unsigned Bit = From.Slots[K].Element * E::Bits;
      unsigned Group = Block + From.Blocks * From.Slots[K].Group;
      loadRow<E, Size>(From.Registers + Bit / 32 * NumLanes + Group * Size,
                       Bit % 32, To);
    }
}

template <class E> void load(const MatrixSource &From, typename E::Value *To) {
  switch (From.Size) {
  case 4:
    return loadRows<E, 4>(From, To);
  case 16:
    return loadRows<E, 16>(From, To);
  default:
    return loadRows<E, 32>(From, To);
  }
}

} // namespace

void loadMatrix(Format F, const MatrixSource &From, F32 *To) {
  switch (F) {
  case Format::F8:
    return load<SmallFloat<4, 3, 7, Specials::LastIsNan>>(From, To);
  case Format::BF8:
    return load<SmallFloat<5, 2, 15, Specials::Ieee>>(From, To);
  case Format::F6:
    return load<SmallFloat<2, 3, 1, Specials::None>>(From, To);
  case Format::BF6:
    return load<SmallFloat<3, 2, 3, Specials::None>>(From, To);
  case Format::F4:
    return load<SmallFloat<2, 1, 1, Specials::None>>(From, To);
  case Format::UnsignedZeroF8:
    return load<SmallFloat<4, 3, 8, Specials::NegativeZeroNan>>(From, To);
  case Format::UnsignedZeroBF8:
    return load<SmallFloat<5, 2, 16, Specials::NegativeZeroNan>>(From, To);
  case Format::F16:
    return load<HalfFloat>(From, To);
  case Format::BF16:
    return load<BrainFloat>(From, To);
  case Format::FlushedF16:
    return load<Flushed<HalfFloat, 0x7c00>>(From, To);
  case Format::FlushedBF16:
    return load<Flushed<BrainFloat, 0x7f80>>(From, To);
  case Format::XF32:
    return load<ShortSingle>(From, To);
  default:
    return load<SingleFloat>(From, To);
  }
}

void loadMatrix(Format F, const MatrixSource &From, U32 *To) {
  switch (F) {
  case Format::U8:
    return load<SmallInteger<8, false>>(From, To);
  case Format::I4:
    return load<SmallInteger<4, true>>(From, To);
  case Format::U4:
    return load<SmallInteger<4, false>>(From, To);
  default:
    return load<SmallInteger<8, true>>(From, To);
  }
}

void loadMatrix(Format, const MatrixSource &From, F64 *To) {
  load<DoubleFloat>(From, To);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
