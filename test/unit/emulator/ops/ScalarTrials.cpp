// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar integer operations.
#include "Trial.h"

namespace luthier::test {

namespace {

/// What an evaluator sees and sets.
struct ScalarCase {
  uint64_t A = 0, B = 0;
  /// The destination, before and after.
  uint64_t D = 0;
  bool Scc = false;
  uint64_t Exec = 0;

  uint32_t a() const { return uint32_t(A); }
  uint32_t b() const { return uint32_t(B); }
  int32_t ia() const { return int32_t(A); }
  int32_t ib() const { return int32_t(B); }
};
using Evaluator = void (*)(ScalarCase &);

enum Trait { Plain = 0, Immediate16 = 1, ChangesExec = 2, ExecLow = 4 };

struct ScalarRow {
  const char *Names;
  /// Bits of destination (0: none) and sources.
  unsigned Dst, Src0, Src1;
  Evaluator Evaluate;
  int Traits = Plain;
};

unsigned bitCount(uint64_t Value) {
  unsigned Count = 0;
  for (; Value; Value >>= 1)
    Count += Value & 1;
  return Count;
}
uint64_t lowBits(unsigned Count) {
  return Count >= 64 ? ~uint64_t(0) : (uint64_t(1) << Count) - 1;
}

template <unsigned Bits> void result(ScalarCase &C, uint64_t Value) {
  C.D = Value & lowBits(Bits);
  C.Scc = C.D != 0;
}
template <unsigned Bits> void quiet(ScalarCase &C, uint64_t Value) {
  C.D = Value & lowBits(Bits);
}

template <unsigned Bits> void wholeQuads(ScalarCase &C) {
  uint64_t Result = 0;
  for (unsigned B = 0; B != Bits; ++B)
    if (C.A >> (B & ~3u) & 15)
      Result |= uint64_t(1) << B;
  result<Bits>(C, Result);
}
template <unsigned Bits> void quadMask(ScalarCase &C) {
  uint64_t Result = 0;
  for (unsigned Q = 0; Q != Bits / 4; ++Q)
    if (C.A >> (4 * Q) & 15)
      Result |= uint64_t(1) << Q;
  result<Bits>(C, Result);
}
template <unsigned Bits> void reverse(ScalarCase &C) {
  uint64_t Result = 0;
  for (unsigned B = 0; B != Bits; ++B)
    Result |= (C.A >> B & 1) << (Bits - 1 - B);
  quiet<Bits>(C, Result);
}
/// First bit equal to \p Value from the bottom.
template <unsigned Bits, bool Value> void findLow(ScalarCase &C) {
  for (unsigned B = 0; B != Bits; ++B)
    if ((C.A >> B & 1) == Value)
      return quiet<32>(C, B);
  quiet<32>(C, ~uint64_t(0));
}
template <unsigned Bits> void findHigh(ScalarCase &C) {
  for (unsigned B = 0; B != Bits; ++B)
    if (C.A >> (Bits - 1 - B) & 1)
      return quiet<32>(C, B);
  quiet<32>(C, ~uint64_t(0));
}
template <unsigned Bits> void findSignChange(ScalarCase &C) {
  uint64_t Sign = C.A >> (Bits - 1) & 1;
  for (unsigned B = 1; B != Bits; ++B)
    if ((C.A >> (Bits - 1 - B) & 1) != Sign)
      return quiet<32>(C, B);
  quiet<32>(C, ~uint64_t(0));
}
template <unsigned Bits, bool Set> void changeBit(ScalarCase &C) {
  uint64_t Bit = uint64_t(1) << (C.A & (Bits - 1));
  quiet<Bits>(C, Set ? C.D | Bit : C.D & ~Bit);
}
template <unsigned Bits, bool Signed> void extract(ScalarCase &C) {
  unsigned Offset = unsigned(C.B) & (Bits - 1), Width = C.B >> 16 & 0x7f;
  uint64_t Value = C.A & lowBits(Bits);
  uint64_t Result = Value >> Offset & lowBits(Width);
  if (Signed && Width) {
    // The sign is the field's last bit, or the register's if it ends before.
    unsigned Last = std::min(Offset + Width, Bits) - 1;
    if (Value >> Last & 1)
      Result |= ~lowBits(Last - Offset + 1);
  }
  result<Bits>(C, Result);
}
template <unsigned Shift> void shiftAdd(ScalarCase &C) {
  unsigned __int128 Sum = ((unsigned __int128)C.a() << Shift) + C.b();
  C.D = uint32_t(Sum);
  C.Scc = Sum > 0xffffffff;
}
template <unsigned Bits, bool Value> void testBit(ScalarCase &C) {
  C.Scc = (C.A >> (C.B & (Bits - 1)) & 1) == Value;
}
template <bool Signed, bool Larger> void pick(ScalarCase &C) {
  bool Less = Signed ? C.ia() < C.ib() : C.a() < C.b();
  bool Equal = C.a() == C.b();
  bool First = Larger ? !Less && !Equal : Less;
  C.Scc = First;
  C.D = First ? C.a() : C.b();
}
void signedAdd(ScalarCase &C, int64_t Result) {
  C.D = uint32_t(Result);
  C.Scc = Result != int32_t(Result);
}
template <int Order, bool Signed> bool ordered(ScalarCase &C) {
  int64_t A = Signed ? int64_t(C.ia()) : int64_t(C.a());
  int64_t B = Signed ? int64_t(C.ib()) : int64_t(C.b());
  switch (Order) {
  case 0:
    return A == B;
  case 1:
    return A != B;
  case 2:
    return A > B;
  case 3:
    return A >= B;
  case 4:
    return A < B;
  default:
    return A <= B;
  }
}
template <int Order, bool Signed> void compare(ScalarCase &C) {
  C.Scc = ordered<Order, Signed>(C);
}

#define BOTH(Stem, Sources, Expression)                                        \
  {Stem "_b32", 32, 32, Sources * 32,                                          \
   [](ScalarCase &C) { result<32>(C, Expression); }},                          \
  {                                                                            \
    Stem "_b64", 64, 64, Sources * 64,                                         \
        [](ScalarCase &C) { result<64>(C, Expression); }                       \
  }
#define RENAMED(Old, New, Expression)                                          \
  {Old "_b32|" New "_b32", 32, 32, 32,                                         \
   [](ScalarCase &C) { result<32>(C, Expression); }},                          \
  {                                                                            \
    Old "_b64|" New "_b64", 64, 64, 64,                                        \
        [](ScalarCase &C) { result<64>(C, Expression); }                       \
  }
#define SAVE(Names32, Names64, Expression)                                     \
  {Names32,                                                                    \
   32,                                                                         \
   32,                                                                         \
   0,                                                                          \
   [](ScalarCase &C) {                                                         \
     uint64_t E = C.Exec, S = C.A, New = uint32_t(Expression);                 \
     C.D = uint32_t(E);                                                        \
     C.Exec = (E & ~uint64_t(0xffffffff)) | New;                               \
     C.Scc = New != 0;                                                         \
   },                                                                          \
   ChangesExec},                                                               \
  {                                                                            \
    Names64, 64, 64, 0,                                                        \
        [](ScalarCase &C) {                                                    \
          uint64_t E = C.Exec, S = C.A, New = Expression;                      \
          C.D = E;                                                             \
          C.Exec = New;                                                        \
          C.Scc = New != 0;                                                    \
        },                                                                     \
        ChangesExec                                                            \
  }
#define WRITE(Names32, Names64, Expression)                                    \
  {Names32,                                                                    \
   32,                                                                         \
   32,                                                                         \
   0,                                                                          \
   [](ScalarCase &C) {                                                         \
     uint64_t E = C.Exec, S = C.A, New = uint32_t(Expression);                 \
     C.D = New;                                                                \
     C.Exec = (E & ~uint64_t(0xffffffff)) | New;                               \
     C.Scc = New != 0;                                                         \
   },                                                                          \
   ChangesExec},                                                               \
  {                                                                            \
    Names64, 64, 64, 0,                                                        \
        [](ScalarCase &C) {                                                    \
          uint64_t E = C.Exec, S = C.A, New = Expression;                      \
          C.D = New;                                                           \
          C.Exec = New;                                                        \
          C.Scc = New != 0;                                                    \
        },                                                                     \
        ChangesExec                                                            \
  }
#define COMPARE(Name, Order)                                                   \
  {"s_cmp_" Name "_i32", 0, 32, 32, compare<Order, true>},                     \
      {"s_cmp_" Name "_u32", 0, 32, 32, compare<Order, false>},                \
      {"s_cmpk_" Name "_i32", 0, 32, 0, compare<Order, true>, Immediate16}, {  \
    "s_cmpk_" Name "_u32", 0, 32, 0,                                           \
        [](ScalarCase &C) {                                                    \
          C.B &= 0xffff;                                                       \
          C.Scc = ordered<Order, false>(C);                                    \
        },                                                                     \
        Immediate16                                                            \
  }

// clang-format off
const ScalarRow Rows[] = {
    {"s_mov_b32", 32, 32, 0, [](ScalarCase &C) { C.D = C.a(); }},
    {"s_mov_b64", 64, 64, 0, [](ScalarCase &C) { C.D = C.A; }},
    {"s_cmov_b32", 32, 32, 0, [](ScalarCase &C) { if (C.Scc) C.D = C.a(); }},
    {"s_cmov_b64", 64, 64, 0, [](ScalarCase &C) { if (C.Scc) C.D = C.A; }},
    BOTH("s_not", 0, ~C.A),
    {"s_wqm_b32", 32, 32, 0, wholeQuads<32>},
    {"s_wqm_b64", 64, 64, 0, wholeQuads<64>},
    {"s_brev_b32", 32, 32, 0, reverse<32>},
    {"s_brev_b64", 64, 64, 0, reverse<64>},
    {"s_bcnt0_i32_b32", 32, 32, 0, [](ScalarCase &C) { result<32>(C, 32 - bitCount(C.a())); }},
    {"s_bcnt0_i32_b64", 32, 64, 0, [](ScalarCase &C) { result<32>(C, 64 - bitCount(C.A)); }},
    {"s_bcnt1_i32_b32", 32, 32, 0, [](ScalarCase &C) { result<32>(C, bitCount(C.a())); }},
    {"s_bcnt1_i32_b64", 32, 64, 0, [](ScalarCase &C) { result<32>(C, bitCount(C.A)); }},
    {"s_ff0_i32_b32", 32, 32, 0, findLow<32, false>},
    {"s_ff0_i32_b64", 32, 64, 0, findLow<64, false>},
    {"s_ff1_i32_b32|s_ctz_i32_b32", 32, 32, 0, findLow<32, true>},
    {"s_ff1_i32_b64|s_ctz_i32_b64", 32, 64, 0, findLow<64, true>},
    {"s_flbit_i32_b32|s_clz_i32_u32", 32, 32, 0, findHigh<32>},
    {"s_flbit_i32_b64|s_clz_i32_u64", 32, 64, 0, findHigh<64>},
    {"s_flbit_i32|s_cls_i32", 32, 32, 0, findSignChange<32>},
    {"s_flbit_i32_i64|s_cls_i32_i64", 32, 64, 0, findSignChange<64>},
    {"s_sext_i32_i8", 32, 32, 0, [](ScalarCase &C) { quiet<32>(C, uint64_t(int64_t(int8_t(C.A)))); }},
    {"s_sext_i32_i16", 32, 32, 0, [](ScalarCase &C) { quiet<32>(C, uint64_t(int64_t(int16_t(C.A)))); }},
    {"s_bitset0_b32", 32, 32, 0, changeBit<32, false>},
    {"s_bitset0_b64", 64, 32, 0, changeBit<64, false>},
    {"s_bitset1_b32", 32, 32, 0, changeBit<32, true>},
    {"s_bitset1_b64", 64, 32, 0, changeBit<64, true>},
    {"s_quadmask_b32", 32, 32, 0, quadMask<32>},
    {"s_quadmask_b64", 64, 64, 0, quadMask<64>},
    {"s_abs_i32", 32, 32, 0, [](ScalarCase &C) { result<32>(C, C.ia() < 0 ? uint64_t(-int64_t(C.ia())) : C.a()); }},
    {"s_bitreplicate_b64_b32", 64, 32, 0, [](ScalarCase &C) {
       uint64_t R = 0;
       for (unsigned B = 0; B != 64; ++B)
         R |= (C.A >> (B / 2) & 1) << B;
       C.D = R;
     }},

    SAVE("s_and_saveexec_b32", "s_and_saveexec_b64", S & E),
    SAVE("s_or_saveexec_b32", "s_or_saveexec_b64", S | E),
    SAVE("s_xor_saveexec_b32", "s_xor_saveexec_b64", S ^ E),
    SAVE("s_nand_saveexec_b32", "s_nand_saveexec_b64", ~(S & E)),
    SAVE("s_nor_saveexec_b32", "s_nor_saveexec_b64", ~(S | E)),
    SAVE("s_xnor_saveexec_b32", "s_xnor_saveexec_b64", ~(S ^ E)),
    SAVE("s_andn1_saveexec_b32|s_and_not0_saveexec_b32", "s_andn1_saveexec_b64|s_and_not0_saveexec_b64", ~S & E),
    SAVE("s_andn2_saveexec_b32|s_and_not1_saveexec_b32", "s_andn2_saveexec_b64|s_and_not1_saveexec_b64", S & ~E),
    SAVE("s_orn1_saveexec_b32|s_or_not0_saveexec_b32", "s_orn1_saveexec_b64|s_or_not0_saveexec_b64", ~S | E),
    SAVE("s_orn2_saveexec_b32|s_or_not1_saveexec_b32", "s_orn2_saveexec_b64|s_or_not1_saveexec_b64", S | ~E),
    WRITE("s_andn1_wrexec_b32|s_and_not0_wrexec_b32", "s_andn1_wrexec_b64|s_and_not0_wrexec_b64", ~S & E),
    WRITE("s_andn2_wrexec_b32|s_and_not1_wrexec_b32", "s_andn2_wrexec_b64|s_and_not1_wrexec_b64", S & ~E),

    {"s_add_u32|s_add_co_u32", 32, 32, 32, [](ScalarCase &C) { uint64_t R = uint64_t(C.a()) + C.b(); C.D = uint32_t(R); C.Scc = R >> 32; }},
    {"s_sub_u32|s_sub_co_u32", 32, 32, 32, [](ScalarCase &C) { C.D = uint32_t(C.a() - C.b()); C.Scc = C.b() > C.a(); }},
    {"s_add_i32|s_add_co_i32", 32, 32, 32, [](ScalarCase &C) { signedAdd(C, int64_t(C.ia()) + C.ib()); }},
    {"s_sub_i32|s_sub_co_i32", 32, 32, 32, [](ScalarCase &C) { signedAdd(C, int64_t(C.ia()) - C.ib()); }},
    {"s_addc_u32|s_add_co_ci_u32", 32, 32, 32, [](ScalarCase &C) { uint64_t R = uint64_t(C.a()) + C.b() + C.Scc; C.D = uint32_t(R); C.Scc = R >> 32; }},
    {"s_subb_u32|s_sub_co_ci_u32", 32, 32, 32, [](ScalarCase &C) { int64_t R = int64_t(C.a()) - C.b() - C.Scc; C.D = uint32_t(R); C.Scc = R < 0; }},
    {"s_add_nc_u64", 64, 64, 64, [](ScalarCase &C) { C.D = C.A + C.B; }},
    {"s_sub_nc_u64", 64, 64, 64, [](ScalarCase &C) { C.D = C.A - C.B; }},
    {"s_mul_u64", 64, 64, 64, [](ScalarCase &C) { C.D = C.A * C.B; }},
    {"s_min_i32", 32, 32, 32, pick<true, false>},
    {"s_min_u32", 32, 32, 32, pick<false, false>},
    {"s_max_i32", 32, 32, 32, pick<true, true>},
    {"s_max_u32", 32, 32, 32, pick<false, true>},
    {"s_cselect_b32", 32, 32, 32, [](ScalarCase &C) { C.D = C.Scc ? C.a() : C.b(); }},
    {"s_cselect_b64", 64, 64, 64, [](ScalarCase &C) { C.D = C.Scc ? C.A : C.B; }},
    {"s_mul_i32", 32, 32, 32, [](ScalarCase &C) { quiet<32>(C, uint64_t(C.a()) * C.b()); }},
    {"s_mul_hi_u32", 32, 32, 32, [](ScalarCase &C) { C.D = uint64_t(C.a()) * C.b() >> 32; }},
    {"s_mul_hi_i32", 32, 32, 32, [](ScalarCase &C) { C.D = uint32_t((int64_t(C.ia()) * C.ib()) >> 32); }},
    {"s_absdiff_i32", 32, 32, 32, [](ScalarCase &C) { uint32_t R = C.a() - C.b(); result<32>(C, int32_t(R) < 0 ? uint32_t(-R) : R); }},
    {"s_lshl1_add_u32", 32, 32, 32, shiftAdd<1>},
    {"s_lshl2_add_u32", 32, 32, 32, shiftAdd<2>},
    {"s_lshl3_add_u32", 32, 32, 32, shiftAdd<3>},
    {"s_lshl4_add_u32", 32, 32, 32, shiftAdd<4>},
    {"s_pack_ll_b32_b16", 32, 32, 32, [](ScalarCase &C) { C.D = (C.a() & 0xffff) | (C.b() & 0xffff) << 16; }},
    {"s_pack_lh_b32_b16", 32, 32, 32, [](ScalarCase &C) { C.D = (C.a() & 0xffff) | (C.b() >> 16) << 16; }},
    {"s_pack_hh_b32_b16", 32, 32, 32, [](ScalarCase &C) { C.D = (C.a() >> 16) | (C.b() >> 16) << 16; }},
    {"s_pack_hl_b32_b16", 32, 32, 32, [](ScalarCase &C) { C.D = (C.a() >> 16) | (C.b() & 0xffff) << 16; }},

    BOTH("s_and", 1, C.A & C.B),
    BOTH("s_or", 1, C.A | C.B),
    BOTH("s_xor", 1, C.A ^ C.B),
    BOTH("s_nand", 1, ~(C.A & C.B)),
    BOTH("s_nor", 1, ~(C.A | C.B)),
    BOTH("s_xnor", 1, ~(C.A ^ C.B)),
    RENAMED("s_andn2", "s_and_not1", C.A & ~C.B),
    RENAMED("s_orn2", "s_or_not1", C.A | ~C.B),
    {"s_lshl_b32", 32, 32, 32, [](ScalarCase &C) { result<32>(C, uint64_t(C.a()) << (C.B & 31)); }},
    {"s_lshl_b64", 64, 64, 32, [](ScalarCase &C) { result<64>(C, C.A << (C.B & 63)); }},
    {"s_lshr_b32", 32, 32, 32, [](ScalarCase &C) { result<32>(C, C.a() >> (C.B & 31)); }},
    {"s_lshr_b64", 64, 64, 32, [](ScalarCase &C) { result<64>(C, C.A >> (C.B & 63)); }},
    {"s_ashr_i32", 32, 32, 32, [](ScalarCase &C) { result<32>(C, uint64_t(int64_t(C.ia()) >> (C.B & 31))); }},
    {"s_ashr_i64", 64, 64, 32, [](ScalarCase &C) { result<64>(C, uint64_t(int64_t(C.A) >> (C.B & 63))); }},
    {"s_bfm_b32", 32, 32, 32, [](ScalarCase &C) { quiet<32>(C, lowBits(C.A & 31) << (C.B & 31)); }},
    {"s_bfm_b64", 64, 32, 32, [](ScalarCase &C) { quiet<64>(C, lowBits(C.A & 63) << (C.B & 63)); }},
    {"s_bfe_u32", 32, 32, 32, extract<32, false>},
    {"s_bfe_i32", 32, 32, 32, extract<32, true>},
    {"s_bfe_u64", 64, 64, 32, extract<64, false>},
    {"s_bfe_i64", 64, 64, 32, extract<64, true>},

    COMPARE("eq", 0), COMPARE("lg", 1), COMPARE("gt", 2),
    COMPARE("ge", 3), COMPARE("lt", 4), COMPARE("le", 5),
    {"s_cmp_eq_u64", 0, 64, 64, [](ScalarCase &C) { C.Scc = C.A == C.B; }},
    {"s_cmp_lg_u64", 0, 64, 64, [](ScalarCase &C) { C.Scc = C.A != C.B; }},
    {"s_bitcmp0_b32", 0, 32, 32, testBit<32, false>},
    {"s_bitcmp1_b32", 0, 32, 32, testBit<32, true>},
    {"s_bitcmp0_b64", 0, 64, 32, testBit<64, false>},
    {"s_bitcmp1_b64", 0, 64, 32, testBit<64, true>},

    {"s_movk_i32", 32, 0, 0, [](ScalarCase &C) { C.D = C.b(); }, Immediate16},
    {"s_cmovk_i32", 32, 0, 0, [](ScalarCase &C) { if (C.Scc) C.D = C.b(); }, Immediate16},
    {"s_addk_i32|s_addk_co_i32", 32, 0, 0, [](ScalarCase &C) { signedAdd(C, int64_t(int32_t(C.D)) + C.ib()); }, Immediate16},
    {"s_mulk_i32", 32, 0, 0, [](ScalarCase &C) { quiet<32>(C, C.D * C.B); }, Immediate16},
};
// clang-format on

constexpr unsigned DstReg = 20, Src0Reg = 24, Src1Reg = 28;

/// How a source is written and what it is worth.
struct Source {
  std::string Text;
  std::function<uint64_t(const TrialState &)> Value;
};
Source inRegister(unsigned Reg, unsigned Bits) {
  return {registerText('s', Reg, Bits / 32), [=](const TrialState &State) {
            return Bits == 64 ? State.s64(Reg) : State.S[Reg];
          }};
}
Source constant(int64_t Value, unsigned Bits) {
  return {std::to_string(Value),
          [=](const TrialState &) { return uint64_t(Value) & lowBits(Bits); }};
}
/// Operations on 64 signed bits extend it.
Source literal(uint32_t Value, unsigned Bits, bool Signed) {
  uint64_t Wide = Signed && Bits == 64 ? uint64_t(int64_t(int32_t(Value)))
                                       : uint64_t(Value);
  return {"0x" +
              [=] {
                char Text[9];
                snprintf(Text, sizeof(Text), "%x", Value);
                return std::string(Text);
              }(),
          [=](const TrialState &) { return Wide; }};
}

Trial make(const std::string &Name, const ScalarRow &Row, const Source *A,
           const Source *B, int64_t Imm) {
  std::vector<std::string> Operands;
  // Comparisons with an immediate name their source first.
  bool IsImmediate = Row.Traits & Immediate16;
  if (Row.Dst)
    Operands.push_back(registerText('s', DstReg, Row.Dst / 32));
  for (const Source *S : {A, B})
    if (S)
      Operands.push_back(S->Text);
  if (IsImmediate)
    Operands.push_back(std::to_string(Imm));
  Trial Result{Name, Name, {}, {}};
  for (size_t N = 0; N != Operands.size(); ++N)
    Result.Line += (N ? ", " : " ") + Operands[N];
  std::function<uint64_t(const TrialState &)> ValueA, ValueB;
  if (A)
    ValueA = A->Value;
  if (B)
    ValueB = B->Value;
  Result.Prepare = [](TrialState &State, RandomSource &Random) {
    // Values that meet: equal ones, small ones, those next to the ends.
    switch (Random() % 5) {
    case 0:
      State.setS64(Src1Reg, State.s64(Src0Reg));
      break;
    case 1:
      State.setS64(Src0Reg, Random() % 80 - 16);
      State.setS64(Src1Reg, Random() % 80 - 16);
      break;
    case 2:
      State.setS64(Src0Reg, uint64_t(1) << (Random() % 64));
      State.setS64(Src1Reg, ~uint64_t(0) >> (Random() % 64));
      break;
    }
  };
  Result.Expect = [=](TrialState &State) {
    ScalarCase C;
    C.A = ValueA ? ValueA(State) : 0;
    C.B = IsImmediate ? uint64_t(Imm) : ValueB ? ValueB(State) : 0;
    C.D = Row.Dst == 64 ? State.s64(DstReg) : State.S[DstReg];
    C.Scc = State.Scc;
    C.Exec = State.s64(TrialState::Exec);
    Row.Evaluate(C);
    State.Scc = C.Scc;
    if (Row.Traits & ChangesExec)
      State.setS64(TrialState::Exec, C.Exec);
    if (Row.Dst == 64)
      State.setS64(DstReg, C.D);
    else if (Row.Dst)
      State.S[DstReg] = uint32_t(C.D);
  };
  return Result;
}

} // namespace

std::vector<Trial> scalarTrials(const TargetTraits &, RandomSource &Random) {
  std::vector<Trial> Trials;
  for (const ScalarRow &Row : Rows)
    for (const std::string &Name : spellings(Row.Names)) {
      bool Signed = Name.ends_with("i64");
      auto Imm = int64_t(int16_t(Random()));
      if (Name.ends_with("u32"))
        Imm &= 0xffff;
      Source A = inRegister(Src0Reg, std::max(Row.Src0, 32u));
      Source B = inRegister(Src1Reg, std::max(Row.Src1, 32u));
      const Source *First = Row.Src0 ? &A : nullptr;
      const Source *Second = Row.Src1 ? &B : nullptr;
      Trials.push_back(make(Name, Row, First, Second, Imm));
      if (Row.Traits & Immediate16)
        continue;
      Source Small = constant(int64_t(Random() % 81) - 16, Row.Src0);
      Trials.push_back(make(Name, Row, &Small, Second, 0));
      Source Large = literal(uint32_t(Random()) | 0x80008000,
                             Second ? Row.Src1 : Row.Src0, Signed);
      Trials.push_back(make(Name, Row, Second ? First : &Large,
                            Second ? &Large : nullptr, 0));
    }
  return Trials;
}

} // namespace luthier::test
