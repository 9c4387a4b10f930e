// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VectorVariant.h"
#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace luthier::test {

unsigned dwordsOf(Kind K) {
  switch (K) {
  case Kind::None:
    return 0;
  case Kind::U64:
  case Kind::I64:
  case Kind::F64:
  case Kind::PkF32:
    return 2;
  case Kind::Wide3:
    return 3;
  case Kind::Wide4:
    return 4;
  case Kind::Wide6:
    return 6;
  case Kind::Wide8:
    return 8;
  case Kind::Wide16:
    return 16;
  case Kind::Wide32:
    return 32;
  default:
    return 1;
  }
}

const Format *formatOf(Kind K) {
  switch (K) {
  case Kind::F16:
  case Kind::PkF16:
    return &Half;
  case Kind::Bf16:
  case Kind::PkBf16:
    return &Bfloat;
  case Kind::B32:
  case Kind::F32:
  case Kind::Mix:
  case Kind::PkF32:
    return &Single;
  case Kind::F64:
    return &Double;
  default:
    return nullptr;
  }
}

const std::vector<TargetTraits> &testedTargets() {
  static const std::vector<TargetTraits> Targets = {
      {"gfx906", 9, 64},   {"gfx908", 9, 64},   {"gfx90a", 9, 64},
      {"gfx942", 9, 64},   {"gfx950", 9, 64},   {"gfx1030", 10, 32},
      {"gfx1030", 10, 64}, {"gfx1100", 11, 32}, {"gfx1100", 11, 64},
      {"gfx1201", 12, 32}, {"gfx1201", 12, 64}};
  return Targets;
}

TargetTraits traitsOf(const std::string &Processor) {
  const auto Row =
      std::ranges::find(testedTargets(), Processor, &TargetTraits::Processor);
  if (Row == testedTargets().end())
    throw std::invalid_argument("testedTargets() does not have " + Processor);
  return *Row;
}

namespace {

/// A DPP control and where each lane of a row of 16 reads.
struct Permutation {
  const char *Text;
  int (*From)(int Lane);
};
const Permutation Permutations[] = {
    {"quad_perm:[1,3,0,2]",
     [](int L) {
       const int Order[] = {1, 3, 0, 2};
       return L - L % 4 + Order[L % 4];
     }},
    {"row_shl:5", [](int L) { return L % 16 + 5 < 16 ? L + 5 : -1; }},
    {"row_shr:7", [](int L) { return L % 16 >= 7 ? L - 7 : -1; }},
    {"row_ror:3", [](int L) { return L - L % 16 + (L % 16 + 13) % 16; }},
    {"row_mirror", [](int L) { return L - L % 16 + 15 - L % 16; }},
    {"row_half_mirror", [](int L) { return L - L % 8 + 7 - L % 8; }},
    // Not everywhere from here on.
    {"row_bcast:15", [](int L) { return L < 16 ? -1 : L - L % 16 - 1; }},
    {"wave_ror:1", [](int L) { return (L + 63) % 64; }},
    {"row_newbcast:4", [](int L) { return L - L % 16 + 4; }},
    {"row_share:9", [](int L) { return L - L % 16 + 9; }},
    {"row_xmask:6", [](int L) { return L ^ 6; }},
    {"dpp8:[7,6,1,0,3,2,5,4]",
     [](int L) {
       const int Order[] = {7, 6, 1, 0, 3, 2, 5, 4};
       return L - L % 8 + Order[L % 8];
     }},
};

std::string registers(char File, unsigned First, unsigned Count) {
  if (Count == 1)
    return File + std::to_string(First);
  return std::string(1, File) + "[" + std::to_string(First) + ":" +
         std::to_string(First + Count - 1) + "]";
}

std::string maskText(bool Vcc, unsigned Sgpr, const TargetTraits &T) {
  if (Vcc)
    return T.WaveSize == 64 ? "vcc" : "vcc_lo";
  return registers('s', Sgpr, T.WaveSize / 32);
}

const char *const SectionNames[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                    "WORD_0", "WORD_1", "DWORD"};

std::string list(const char *Name, std::initializer_list<bool> Bits,
                 unsigned Count) {
  std::string Text = std::string(" ") + Name + ":[";
  unsigned N = 0;
  for (bool Bit : Bits)
    if (N++ < Count)
      Text += (N == 1 ? "" : ",") + std::to_string(int(Bit));
  return Text + "]";
}

unsigned numSources(const VectorRow &Row) {
  unsigned Count = 0;
  while (Count != 3 && Row.Src[Count] != Kind::None)
    ++Count;
  return Count;
}

std::string sourceText(const Variant &V, unsigned N) {
  const SourceSpec &S = V.Src[N];
  Kind K = V.Row->Src[N];
  std::string Text = S.From == SourceSpec::Constant ? S.Text
                     : S.From == SourceSpec::Sgpr
                         ? registers('s', SourceSgpr + 4 * N, dwordsOf(K))
                     : K == Kind::Mask
                         ? registers('s', SourceSgpr + 4 * N, 2)
                         : registers('v', SourceVgpr[N], dwordsOf(K));
  if (V.Halves && isHalfWidth(K) && S.From == SourceSpec::Vgpr)
    Text += S.High ? ".h" : ".l";
  if (isPacked(K) && K != Kind::Mix)
    return Text;
  if (S.SignExtend)
    return "sext(" + Text + ")";
  if (V.Form == Encoding::Packed && K != Kind::Mix)
    return Text;
  if (S.Absolute)
    Text = "|" + Text + "|";
  return S.Negate ? "neg(" + Text + ")" : Text;
}

const char *suffix(const Variant &V) {
  switch (V.Form) {
  case Encoding::Short:
  case Encoding::Packed:
    return "";
  case Encoding::Long:
    return V.Row->Traits & Vop3p ? "" : "_e64";
  case Encoding::Sdwa:
    return "_sdwa";
  case Encoding::Dpp:
    return "_dpp";
  case Encoding::LongDpp:
    return "_e64_dpp";
  }
  return "";
}

} // namespace

int permutedLane(unsigned Permutation, unsigned Lane) {
  return Permutations[Permutation].From(int(Lane));
}

bool usesVcc(const Variant &V) {
  return V.Row->Traits & ImpliedVcc || V.Form == Encoding::Short ||
         V.Form == Encoding::Dpp ||
         (V.Form == Encoding::Sdwa && V.Row->Dst != Kind::Mask);
}

std::string textOf(const Variant &V, const TargetTraits &T) {
  const VectorRow &Row = *V.Row;
  unsigned Count = numSources(Row);
  bool Vcc = usesVcc(V);
  std::string Text = std::string(Row.Name) + suffix(V);
  std::string Comma = " ";
  auto Add = [&](const std::string &Operand) {
    Text += Comma + Operand;
    Comma = ", ";
  };
  if (Row.Dst == Kind::Mask) {
    // From GFX10 on, v_cmpx has EXEC as its implied destination.
    if (!(Row.Traits & WritesExec) || T.Generation < 10)
      Add(maskText(Vcc, ResultSgpr, T));
  } else if (Row.Traits & ScalarResult) {
    Add(registers('s', ResultSgpr, dwordsOf(Row.Dst)));
  } else {
    std::string Register = registers('v', ResultVgpr, dwordsOf(Row.Dst));
    if (V.Halves && isHalfWidth(Row.Dst))
      Register += V.DstHigh ? ".h" : ".l";
    Add(Register);
  }
  if (Row.Traits & WritesMask)
    Add(maskText(Vcc, ResultSgpr, T));
  for (unsigned N = 0; N != Count; ++N)
    Add(sourceText(V, N));
  if (Row.Traits & ReadsMask)
    Add(maskText(Vcc, MaskSgpr, T));

  const SourceSpec *S = V.Src;
  if (V.Form == Encoding::Packed) {
    // Not every target lets dot products select; mixed operations always do.
    bool IsMix = Row.Src[0] == Kind::Mix;
    if (IsMix || S[0].High || S[1].High || S[2].High)
      Text += list("op_sel", {S[0].High, S[1].High, S[2].High}, Count);
    if (IsMix || !(S[0].HighOfHigh && S[1].HighOfHigh && S[2].HighOfHigh))
      Text += list("op_sel_hi",
                   {S[0].HighOfHigh, S[1].HighOfHigh, S[2].HighOfHigh}, Count);
    if (Row.Src[0] != Kind::Mix && (S[0].Negate || S[1].Negate || S[2].Negate))
      Text += list("neg_lo", {S[0].Negate, S[1].Negate, S[2].Negate}, Count);
    if (S[0].NegateHigh || S[1].NegateHigh || S[2].NegateHigh)
      Text += list("neg_hi",
                   {S[0].NegateHigh, S[1].NegateHigh, S[2].NegateHigh}, Count);
  } else if (V.OpSel) {
    bool IsSign = Row.Traits & SignSelect;
    Text += IsSign ? " neg_lo:[" : " op_sel:[";
    unsigned Fields = Row.Traits & FourSelects ? 4
                      : Row.Traits & Vop3p     ? Count
                                               : Count + 1;
    for (unsigned N = 0; N != Fields; ++N)
      Text += (N ? "," : "") + std::to_string(V.OpSel >> N & 1);
    Text += "]";
  } else if (V.Halves) {
    // In the names of the registers.
  } else if (V.DstHigh || S[0].High || S[1].High || S[2].High) {
    bool Bits[4] = {S[0].High, S[1].High, S[2].High, false};
    Bits[Count] = V.DstHigh;
    Text += list("op_sel", {Bits[0], Bits[1], Bits[2], Bits[3]},
                 Row.Dst == Kind::Mask ? Count : Count + 1);
  }
  if (std::string(Row.Name).find("bitop3") != std::string::npos)
    Text += " bitop3:" + std::to_string(V.Immediate);
  if (V.Byte)
    Text += " byte_sel:" + std::to_string(V.Byte);
  if (V.Clamp)
    Text += " clamp";
  static const char *const OutputModifiers[] = {"", " mul:2", " mul:4",
                                                " div:2"};
  Text += OutputModifiers[V.OutputModifier];
  if (V.Form == Encoding::Sdwa) {
    static const char *const UnusedNames[] = {"UNUSED_PAD", "UNUSED_SEXT",
                                              "UNUSED_PRESERVE"};
    if (Row.Dst != Kind::Mask)
      Text += std::string(" dst_sel:") + SectionNames[int(V.DstSelect)] +
              " dst_unused:" + UnusedNames[V.DstUnused];
    Text += std::string(" src0_sel:") + SectionNames[int(S[0].Select)];
    if (Count > 1)
      Text += std::string(" src1_sel:") + SectionNames[int(S[1].Select)];
  }
  if (V.Form == Encoding::Dpp || V.Form == Encoding::LongDpp) {
    std::string Control = Permutations[V.Permutation].Text;
    Text += " " + Control;
    if (!Control.starts_with("dpp8")) {
      Text += " row_mask:" + std::to_string(V.RowMask) +
              " bank_mask:" + std::to_string(V.BankMask);
      if (V.BoundControl)
        Text += " bound_ctrl:1";
    }
    if (V.FetchInactive)
      Text += " fi:1";
  }
  return Text;
}

namespace {

struct InlineFloat {
  const char *Text;
  uint32_t Half, Single;
  uint64_t Double;
};
const InlineFloat InlineFloats[] = {
    {"0.5", 0x3800, 0x3f000000, 0x3fe0000000000000},
    {"-1.0", 0xbc00, 0xbf800000, 0xbff0000000000000},
    {"2.0", 0x4000, 0x40000000, 0x4000000000000000},
    {"-4.0", 0xc400, 0xc0800000, 0xc010000000000000},
    {"0.15915494", 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

/// An inline constant that \p K can take; integers stand for their bits.
SourceSpec inlineConstant(Kind K, std::mt19937_64 &Random) {
  SourceSpec S;
  S.From = SourceSpec::Constant;
  const Format *F = formatOf(K);
  if (F && K != Kind::Bf16 && K != Kind::PkBf16 && Random() % 2) {
    const InlineFloat &I = InlineFloats[Random() % std::size(InlineFloats)];
    S.Text = I.Text;
    // 1 / (2 pi) needs all digits to be recognised.
    if (F == &Double && S.Text.size() > 8)
      S.Text = "0.15915494309189532";
    S.Value = F == &Half ? I.Half : F == &Single ? I.Single : I.Double;
    return S;
  }
  int Value = int(Random() % 81) - 16;
  S.Text = std::to_string(Value);
  S.Value = uint64_t(int64_t(Value));
  return S;
}

class Maker {
public:
  Maker(const VectorRow &Row, const TargetTraits &T, std::mt19937_64 &Random)
      : Row(Row), T(T), Random(Random), Count(numSources(Row)) {}

  std::vector<Variant> all() {
    bool IsPackedRow = isPacked(Row.Dst) || isPacked(Row.Src[0]);
    addPlain();
    if (IsPackedRow && !(Row.Traits & PlainOnly)) {
      for (int N = 0; N != 4; ++N)
        addPacked(N != 0);
    } else if (!IsPackedRow) {
      addConstants();
      addLong();
    }
    if (!(Row.Traits & (PlainOnly | Vop3p | Vop3Only)) && !IsPackedRow) {
      if (T.Generation == 9)
        for (int N = 0; N != 3; ++N)
          addSdwa();
      for (int N = 0; N != 4; ++N)
        addDpp(N % 2 ? Encoding::LongDpp : Encoding::Dpp);
    }
    return std::move(Result);
  }

private:
  bool chance() { return Random() % 2; }
  bool isMasked() const {
    return Row.Traits & (ReadsMask | WritesMask) || Row.Dst == Kind::Mask;
  }
  Variant make(Encoding Form) {
    Variant V;
    V.Row = &Row;
    V.Form = Form;
    V.Immediate = uint32_t(Random() & 0xff);
    V.Halves = Row.Traits & HalfRegisters;
    for (unsigned N = 0; N != 3; ++N)
      if (Row.Src[N] == Kind::Mask || Row.Traits & ScalarResult)
        V.Src[N].From = SourceSpec::Sgpr;
    if (Row.Traits & LiteralSecond)
      V.Src[1] = literal(Row.Src[1]);
    if (Row.Traits & LiteralThird)
      V.Src[2] = literal(Row.Src[2]);
    return V;
  }
  SourceSpec literal(Kind K) {
    SourceSpec S;
    S.From = SourceSpec::Constant;
    S.Value = randomValue(K, Random) | 0x1000;
    if (isHalfWidth(K))
      S.Value &= 0xffff;
    S.Text = std::to_string(S.Value & 0xffffffff);
    S.Value &= 0xffffffff;
    return S;
  }
  void addPlain() {
    Variant V =
        make(isPacked(Row.Dst) || isPacked(Row.Src[0]) ? Encoding::Packed
                                                       : Encoding::Short);
    if (Row.Traits & PlainOnly)
      V.Form = Encoding::Short;
    V.Required = true;
    Result.push_back(V);
  }
  bool isFixed(unsigned N) const {
    return (N == 1 && (Row.Traits & LiteralSecond)) ||
           (N == 2 && (Row.Traits & LiteralThird)) || Row.Src[N] == Kind::Mask;
  }
  void addConstants() {
    for (Encoding Form : {Encoding::Short, Encoding::Long}) {
      Variant V = make(Form);
      if (!isFixed(0) && dwordsOf(Row.Src[0]) <= 2) {
        V.Src[0] = inlineConstant(Row.Src[0], Random);
        Result.push_back(V);
        V = make(Form);
        V.Src[0].From = SourceSpec::Sgpr;
        Result.push_back(V);
      }
    }
    for (unsigned N = 1; N != Count; ++N) {
      if (isFixed(N) || dwordsOf(Row.Src[N]) > 2)
        continue;
      Variant V = make(Encoding::Long);
      V.Src[N] = inlineConstant(Row.Src[N], Random);
      Result.push_back(V);
      V = make(Encoding::Long);
      V.Src[N].From = SourceSpec::Sgpr;
      Result.push_back(V);
    }
    if (dwordsOf(Row.Src[0]) == 1 &&
        !(Row.Traits & (LiteralSecond | LiteralThird)) && !isFixed(0)) {
      Variant V = make(Encoding::Short);
      V.Src[0] = literal(Row.Src[0]);
      Result.push_back(V);
    }
  }
  void addSigns(Variant &V) {
    for (unsigned N = 0; N != Count; ++N)
      if (formatOf(Row.Src[N]) && V.Src[N].From != SourceSpec::Constant) {
        V.Src[N].Negate = chance();
        // Where a second result is named, there is no room for abs.
        V.Src[N].Absolute = !(Row.Traits & WritesMask) && chance();
      }
  }
  bool isFloatRow() const {
    bool Any = formatOf(Row.Dst) != nullptr;
    for (unsigned N = 0; N != Count; ++N)
      Any |= formatOf(Row.Src[N]) != nullptr;
    return Any && !(Row.Traits & NoModifiers);
  }
  bool hasFloatResult() const {
    return isFloatRow() && formatOf(Row.Dst) && Row.Dst != Kind::B32;
  }
  void addLong() {
    Result.push_back(make(Encoding::Long));
    if (Row.Traits & ByteSelect)
      for (unsigned Byte = 1; Byte != 4; ++Byte) {
        Variant V = make(Encoding::Long);
        V.Byte = Byte;
        Result.push_back(V);
      }
    if (isFloatRow())
      for (int N = 0; N != 3; ++N) {
        Variant V = make(Encoding::Long);
        addSigns(V);
        Result.push_back(V);
      }
    if (hasFloatResult() || (Row.Traits & Saturates))
      for (int N = 0; N != 2; ++N) {
        Variant V = make(Encoding::Long);
        V.Clamp = true;
        Result.push_back(V);
      }
    // Scaling makes more of a distance where the range ends.
    if (hasFloatResult() && !Row.Units)
      for (unsigned Modifier = 1; Modifier != 4; ++Modifier) {
        Variant V = make(Encoding::Long);
        V.OutputModifier = Modifier;
        V.Clamp = chance();
        addSigns(V);
        Result.push_back(V);
      }
    bool HasHalf = isHalfWidth(Row.Dst);
    for (unsigned N = 0; N != Count; ++N)
      HasHalf |= isHalfWidth(Row.Src[N]);
    // From GFX11 on, half registers have names and short encodings.
    bool Named = HasHalf && T.Generation >= 11 && !(Row.Traits & ScalarResult);
    for (int M = 0; M != 3 && Named; ++M) {
      Variant V = make(Encoding::Short);
      V.Halves = true;
      for (unsigned N = 0; N != Count; ++N)
        V.Src[N].High = isHalfWidth(Row.Src[N]) && chance();
      V.DstHigh = isHalfWidth(Row.Dst) && chance();
      Result.push_back(V);
    }
    if (HasHalf && !(Row.Traits & OwnOpSel))
      for (int M = 0; M != 4; ++M) {
        Variant V = make(Encoding::Long);
        for (unsigned N = 0; N != Count; ++N)
          V.Src[N].High = isHalfWidth(Row.Src[N]) && chance();
        V.DstHigh = isHalfWidth(Row.Dst) && chance();
        Result.push_back(V);
      }
    if (Row.Traits & (OwnOpSel | SignSelect))
      for (unsigned Bits = 1; Bits != 16; ++Bits) {
        Variant V = make(Encoding::Long);
        V.OpSel = Bits;
        V.Clamp = (Row.Traits & Saturates) && chance();
        Result.push_back(V);
      }
  }
  void addPacked(bool Selects) {
    Variant V = make(Encoding::Packed);
    for (unsigned N = 0; N != Count; ++N) {
      SourceSpec &S = V.Src[N];
      bool HasSigns = formatOf(Row.Src[N]) && !(Row.Traits & NoModifiers);
      if (!isPacked(Row.Src[N])) {
        S.Negate = HasSigns && chance();
        // Of one float, there is no upper half to negate.
        S.NegateHigh = HasSigns && chance();
        continue;
      }
      if (Selects)
        S.High = chance(), S.HighOfHigh = chance();
      if (HasSigns)
        S.Negate = chance(), S.NegateHigh = chance();
      if (Row.Src[N] == Kind::Mix)
        S.Absolute = chance(), S.NegateHigh = false;
    }
    V.Clamp = (formatOf(Row.Dst) || (Row.Traits & Saturates)) && chance();
    Result.push_back(V);
  }
  void addSdwa() {
    Variant V = make(Encoding::Sdwa);
    for (unsigned N = 0; N != Count; ++N) {
      V.Src[N].Select = Section(Random() % 7);
      if (!formatOf(Row.Src[N]))
        V.Src[N].SignExtend = chance();
    }
    if (isFloatRow())
      addSigns(V);
    if (!isMasked() || Row.Dst != Kind::Mask) {
      // Of an approximation, a part cannot be compared.
      V.DstSelect = Row.Units ? Section::All : Section(Random() % 7);
      V.DstUnused = unsigned(Random() % 3);
      V.Clamp = hasFloatResult() && chance();
    }
    Result.push_back(V);
  }
  void addDpp(Encoding Form) {
    Variant V = make(Form);
    V.Permutation = unsigned(Random() % std::size(Permutations));
    V.BoundControl = chance();
    V.FetchInactive = T.Generation >= 10 && chance();
    V.RowMask = chance() ? 15 : unsigned(Random() % 16);
    V.BankMask = chance() ? 15 : unsigned(Random() % 16);
    if (isFloatRow())
      addSigns(V);
    Result.push_back(V);
  }

  const VectorRow &Row;
  const TargetTraits &T;
  std::mt19937_64 &Random;
  unsigned Count;
  std::vector<Variant> Result;
};

} // namespace

std::vector<Variant> variantsOf(const VectorRow &Row, const TargetTraits &T,
                                std::mt19937_64 &Random) {
  if (Row.Traits & UpToGfx10 && T.Generation > 10)
    return {};
  return Maker(Row, T, Random).all();
}

} // namespace luthier::test
