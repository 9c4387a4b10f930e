// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffer loads and stores that convert: formats of the descriptor (MUBUF) and
// of the instruction (MTBUF).
#include "BufferCase.h"
#include "MemoryElement.h"
#include <algorithm>

namespace luthier::test {

namespace {

enum Number { UNorm, SNorm, UScaled, SScaled, UInt, SInt, Float = 7 };

struct DataFormat {
  unsigned Id;
  std::vector<unsigned> Bits; ///< From the lowest.
  bool isPacked() const { return Bits[0] % 8; }
  unsigned bytes() const {
    unsigned Sum = 0;
    for (unsigned B : Bits)
      Sum += B;
    return Sum / 8;
  }
};
const DataFormat DataFormats[] = {
    {1, {8}},
    {2, {16}},
    {3, {8, 8}},
    {4, {32}},
    {5, {16, 16}},
    {6, {11, 11, 10}},
    {7, {10, 11, 11}},
    {8, {2, 10, 10, 10}},
    {9, {10, 10, 10, 2}},
    {10, {8, 8, 8, 8}},
    {11, {32, 32}},
    {12, {16, 16, 16, 16}},
    {13, {32, 32, 32}},
    {14, {32, 32, 32, 32}},
};

/// Those pairs that generations before 11 have.
bool isValid(const DataFormat &D, unsigned N) {
  if (D.Bits[0] == 32)
    return N == UInt || N == SInt || N == Float;
  if (N == Float)
    return D.Bits[0] == 16 || D.Bits.size() == 3;
  return N < 6;
}
bool isValidFrom11(const DataFormat &D, unsigned N) {
  if (D.Id == 6 || D.Id == 7)
    return N == Float;
  if (D.Id == 8)
    return N == UNorm || N == SNorm || N == UInt || N == SInt;
  return isValid(D, N);
}

struct Choice {
  const DataFormat *Data;
  unsigned Kind;
  /// As the descriptor and the instruction encode it.
  unsigned Encoded;
};
std::vector<Choice> choices(const TargetTraits &T) {
  std::vector<Choice> All;
  unsigned Next = 1;
  for (const DataFormat &D : DataFormats)
    for (unsigned N = 0; N != 8; ++N)
      if (T.Generation >= 11 ? isValidFrom11(D, N) : isValid(D, N))
        All.push_back({&D, N, T.Generation == 9 ? D.Id | N << 4 : Next++});
  return All;
}

const Format SmallFloats[] = {{5, 5}, {5, 6}};
const Format &floatFormat(unsigned Bits) {
  if (Bits == 32)
    return Single;
  return Bits == 16 ? Half : SmallFloats[Bits - 10];
}

uint32_t decode(const Choice &C, unsigned Bits, uint64_t Raw) {
  auto Signed = int64_t(Raw << (64 - Bits)) >> (64 - Bits);
  Exact Max = exactOf((__int128(1) << (Bits - (C.Kind == SNorm))) - 1);
  switch (C.Kind) {
  case UNorm:
    return uint32_t(Raw ? round(Single, quotient(exactOf(__int128(Raw)), Max))
                        : 0);
  case SNorm:
    // The lowest value counts as the next one.
    Signed = std::max(Signed, -((int64_t(1) << (Bits - 1)) - 1));
    return uint32_t(
        Signed ? round(Single, quotient(exactOf(__int128(Signed)), Max)) : 0);
  case UScaled:
    return uint32_t(round(Single, exactOf(__int128(Raw))));
  case SScaled:
    return uint32_t(round(Single, exactOf(__int128(Signed))));
  case SInt:
    return uint32_t(Signed);
  case Float:
    return Bits == 32
               ? uint32_t(Raw)
               : uint32_t(convert(floatFormat(Bits), Single, Raw, {}, {}));
  default:
    return uint32_t(Raw);
  }
}

uint64_t encode(const Choice &C, unsigned Bits, uint32_t Value) {
  uint64_t Mask = (uint64_t(1) << Bits) - 1;
  if (C.Kind == UInt || C.Kind == SInt || (C.Kind == Float && Bits == 32))
    return Value & Mask;
  if (C.Kind == Float) {
    const Format &F = floatFormat(Bits);
    if (Bits == 16)
      return convert(Single, F, Value, {}, {});
    if (Single.isNan(Value))
      return F.quietNan();
    if (Single.isNegative(Value))
      return 0;
    return convert(Single, F, Value, {}, {Rounding::Zero});
  }
  bool Signed = C.Kind == SNorm || C.Kind == SScaled;
  bool IsNorm = C.Kind == UNorm || C.Kind == SNorm;
  __int128 Max = (__int128(1) << (Bits - Signed)) - 1;
  __int128 Min = !Signed ? 0 : IsNorm ? -Max : -Max - 1;
  if (Single.isNan(Value))
    return 0;
  if (Single.isInfinite(Value))
    return uint64_t(Single.isNegative(Value) ? Min : Max) & Mask;
  Exact E = exactOf(Single, Value);
  if (IsNorm)
    E = product(E, exactOf(Max));
  // Norms round, scaled values are cut off. Far larger ones do not fit.
  if (compare(E, exactOf(Max)) > 0)
    return uint64_t(Max);
  if (compare(E, exactOf(Min)) < 0)
    return uint64_t(Min) & Mask;
  Exact Whole = integral(E, IsNorm ? Rounding::Nearest : Rounding::Zero);
  return uint64_t(Whole.isZero() ? 0 : toInteger(Whole)) & Mask;
}

bool isIntegral(const Choice &C) { return C.Kind == UInt || C.Kind == SInt; }
enum class Width { Full, Packed, High };

/// Halves in memory and in registers are the same, NaNs included.
bool isCopied(const Choice &C, Width W) {
  return W != Width::Full && C.Kind == Float && C.Data->Bits[0] == 16;
}
uint32_t narrowed(const Choice &C, uint32_t Value) {
  return isIntegral(C) ? Value & 0xffff
                       : uint32_t(convert(Single, Half, Value, {}, {}));
}
uint32_t widened(const Choice &C, uint32_t Value) {
  if (isIntegral(C))
    return C.Kind == SInt ? uint32_t(int16_t(Value)) : Value & 0xffff;
  return uint32_t(convert(Half, Single, Value & 0xffff, {}, {}));
}

struct Operation {
  std::string Name;
  unsigned Count;
  Width W;
  bool IsTyped;
};

constexpr unsigned DataReg = BufferCase::DataReg;
constexpr unsigned Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;

unsigned registers(const Operation &O) {
  return O.W == Width::Full ? O.Count : (O.Count + 1) / 2;
}

void expectLoad(TrialState &S, const BufferCase &C, const Choice &F,
                const Operation &O, unsigned Select) {
  uint32_t One = isIntegral(F) ? 1 : 0x3f800000;
  for (unsigned L = 0; L != S.T->WaveSize; ++L) {
    if (!S.isActive(L))
      continue;
    bool Exists = C.exists(S, L, 0, F.Data->bytes());
    if (isCopied(F, O.W))
      One = 0x3c00;
    uint32_t Values[4] = {0, 0, 0, Exists ? One : 0};
    auto Narrow = [&](uint32_t Value) {
      return isCopied(F, O.W) ? Value : narrowed(F, Value);
    };
    unsigned At = 0;
    for (size_t N = 0; Exists && N != F.Data->Bits.size(); ++N) {
      unsigned Bits = F.Data->Bits[N];
      uint64_t Raw = F.Data->isPacked() ? C.read(S, L, 0, 4) >> At
                                        : C.read(S, L, At / 8, Bits / 8);
      Raw &= (uint64_t(1) << Bits) - 1;
      Values[N] = isCopied(F, O.W) ? uint32_t(Raw) : decode(F, Bits, Raw);
      At += Bits;
    }
    for (unsigned N = 0; N != O.Count; ++N) {
      unsigned From = Select >> (3 * N) & 7;
      uint32_t Value = From >= 4 ? Values[From - 4] : From == 1 ? One : 0;
      uint32_t Old = S.V[DataReg][L];
      if (O.W == Width::Full)
        S.V[DataReg + N][L] = Value;
      else if (O.W == Width::High)
        S.V[DataReg][L] =
            Narrow(Value) << 16 | (S.T->Generation == 9 ? 0 : Old & 0xffff);
      else if (N % 2)
        S.V[DataReg + N / 2][L] |= Narrow(Value) << 16;
      else
        S.V[DataReg + N / 2][L] = Narrow(Value);
    }
  }
}

/// What a register would get goes to LDS instead.
void expectToLds(TrialState &S, const BufferCase &C, const Choice &F,
                 const Operation &O, unsigned Select) {
  uint32_t Kept[TrialState::NumLanes];
  std::copy_n(S.V[DataReg], TrialState::NumLanes, Kept);
  expectLoad(S, C, F, O, Select);
  for (unsigned L = 0; L != S.T->WaveSize; ++L)
    if (S.isActive(L))
      S.writeLds(S.S[TrialState::M0] + C.Immediate + 4 * L, S.V[DataReg][L], 4);
  std::copy_n(Kept, TrialState::NumLanes, S.V[DataReg]);
}

void expectStore(TrialState &S, const BufferCase &C, const Choice &F,
                 const Operation &O) {
  for (unsigned L = 0; L != S.T->WaveSize; ++L) {
    if (!S.isActive(L) || !C.exists(S, L, 0, F.Data->bytes()))
      continue;
    unsigned At = 0;
    uint64_t Dword = 0;
    for (size_t N = 0; N != std::min<size_t>(O.Count, F.Data->Bits.size());
         ++N) {
      unsigned Bits = F.Data->Bits[N];
      uint32_t Value = S.V[DataReg + N][L];
      if (O.W == Width::High)
        Value = S.V[DataReg][L] >> 16;
      else if (O.W == Width::Packed)
        Value = S.V[DataReg + N / 2][L] >> (16 * (N % 2)) & 0xffff;
      uint64_t Raw = Value;
      if (!isCopied(F, O.W))
        Raw = encode(F, Bits, O.W == Width::Full ? Value : widened(F, Value));
      if (F.Data->isPacked())
        Dword |= Raw << At;
      else
        C.write(S, L, At / 8, Raw, Bits / 8);
      At += Bits;
    }
    if (F.Data->isPacked())
      C.write(S, L, 0, Dword, 4);
  }
}

/// Floats that conversions are sensitive to.
void fillFloats(TrialState &S, RandomSource &Random, Width W) {
  for (unsigned N = 0; N != 4; ++N)
    for (unsigned L = 0; L != 64; ++L) {
      uint32_t &To = S.V[DataReg + N][L];
      if (W == Width::Full) {
        static const float Some[] = {0.5f, -0.5f, 1.0f, 0.75f, 100.7f, -3.2f};
        To = uint32_t(randomValue(Kind::F32, Random));
        if (Random() % 2)
          std::memcpy(&To, &Some[Random() % 6], 4);
      } else {
        To = uint32_t(randomValue(Kind::F16, Random) |
                      randomValue(Kind::F16, Random) << 16);
      }
    }
}

} // namespace

std::vector<Trial> bufferFormatTrials(const TargetTraits &T,
                                      RandomSource &Random) {
  static const char *const Suffixes[] = {"x", "xy", "xyz", "xyzw"};
  std::vector<Operation> Operations;
  for (const char *Access : {"load", "store"})
    for (bool IsTyped : {false, true}) {
      std::string Stem = std::string(IsTyped ? "tbuffer_" : "buffer_") + Access;
      for (unsigned Count = 1; Count != 5; ++Count) {
        std::string Suffix = Suffixes[Count - 1];
        Operations.push_back(
            {Stem + "_format_" + Suffix, Count, Width::Full, IsTyped});
        // Two spellings, of earlier and later generations.
        for (const char *Middle : {"_format_d16_", "_d16_format_"})
          Operations.push_back(
              {Stem + Middle + Suffix, Count, Width::Packed, IsTyped});
      }
      for (const char *Middle : {"_format_d16_hi_", "_d16_hi_format_"})
        if (!IsTyped)
          Operations.push_back({Stem + Middle + "x", 1, Width::High, false});
    }
  std::vector<Choice> Choices = choices(T);
  std::vector<Trial> Trials;
  for (const Operation &O : Operations)
    for (const Choice &F : Choices) {
      bool IsLoad = O.Name.find("load") != std::string::npos;
      unsigned Unit = F.Data->isPacked() ? 4 : F.Data->Bits[0] / 8;
      // One way of addressing for each format, a different one each time.
      auto Cases = BufferCase::all(F.Data->bytes(), Unit, Random);
      BufferCase C = Cases[Random() % 3 + 1];
      auto Select = uint32_t(Identity);
      if (IsLoad && !O.IsTyped && Random() % 2)
        Select = 5 | 1 << 3 | 4 << 6 | 0 << 9;
      std::string Text = C.text();
      if (O.IsTyped) {
        // Behind the resource and before the flags.
        std::string Format =
            T.Generation == 9
                ? "dfmt:" + std::to_string(F.Encoded & 15) +
                      ", nfmt:" + std::to_string(F.Encoded >> 4) + ", "
                : "";
        if (T.Generation == 9)
          Text.insert(Text.find("s12"), Format);
        else
          Text.insert(Text.find("s12") + 3,
                      " format:" + std::to_string(F.Encoded));
      }
      uint32_t Word = 0;
      if (!O.IsTyped)
        Word = T.Generation == 9
                   ? (F.Encoded & 15) << 15 | (F.Encoded >> 4) << 12
                   : F.Encoded << 12;
      if (O.Name == "buffer_load_format_x")
        Trials.push_back(
            {O.Name + " lds", O.Name + " " + Text + " lds",
             [=](TrialState &S, RandomSource &R) {
               C.prepare(S, R, Word, Select);
               S.S[TrialState::M0] = uint32_t(R() % 64 * 4);
             },
             [=](TrialState &S) { expectToLds(S, C, F, O, Select); }});
      Trials.push_back({O.Name,
                        O.Name + " " +
                            registerText('v', DataReg, registers(O)) + ", " +
                            Text,
                        [=](TrialState &S, RandomSource &R) {
                          C.prepare(S, R, Word, Select);
                          if (!IsLoad && !isIntegral(F))
                            fillFloats(S, R, O.W);
                        },
                        [=](TrialState &S) {
                          if (IsLoad)
                            expectLoad(S, C, F, O, Select);
                          else
                            expectStore(S, C, F, O);
                        }});
    }
  return Trials;
}

} // namespace luthier::test
