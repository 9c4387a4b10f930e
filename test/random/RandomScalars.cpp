// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomScalars.h"
#include "Dice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace luthier::test {
namespace {

constexpr unsigned ArgumentWidths[] = {64, 64, 32};
constexpr unsigned NumArguments = std::size(ArgumentWidths);
constexpr unsigned NumConstants = 12;
constexpr unsigned Widths[] = {8, 16, 32, 64};

constexpr const char *Binaries[] = {"add", "sub", "mul", "and", "or", "xor"};
constexpr const char *Logic[] = {"and", "or", "xor"};
constexpr const char *Shifts[] = {"shl", "lshr", "ashr"};
constexpr const char *Predicates[] = {"eq",  "ne",  "ult", "ule", "ugt",
                                      "uge", "slt", "sle", "sgt", "sge"};
constexpr const char *Minima[] = {"umin", "umax",     "smin",
                                  "smax", "uadd.sat", "usub.sat"};
constexpr const char *Unaries[] = {"ctpop", "ctlz", "cttz", "abs",
                                   "bitreverse"};

template <size_t Count>
const char *anyOf(const char *const (&All)[Count], Dice &D) {
  return All[D.below(Count)];
}

uint64_t anyNumber(Dice &D) {
  switch (D.below(4)) {
  case 0:
    return D.below(4);
  case 1:
    return ~uint64_t(D.below(3));
  case 2:
    return uint64_t(1) << D.below(64);
  default:
    return uint64_t(D.bits()) << 32 | D.bits();
  }
}

std::string typeOf(unsigned Width) { return "i" + utostr(Width); }

} // namespace

ScalarArguments scalarArguments(uint64_t Seed, unsigned Number) {
  Dice D(Seed * 131 + Number);
  ScalarArguments Result;
  Result.A = anyNumber(D);
  Result.B = D.chance(25) ? Result.A : anyNumber(D);
  Result.C = uint32_t(D.chance(25) ? Result.B : anyNumber(D));
  return Result;
}

ScalarComputation::ScalarComputation(uint64_t Seed) {
  Dice D(Seed * 17 + 9);
  for (unsigned N = 0; N != NumConstants; ++N) {
    // One of each width, then more of the widest.
    const unsigned Width =
        N == 0 ? 1 : Widths[std::min<unsigned>(N - 1, std::size(Widths) - 1)];
    Constants.push_back(APInt(64, anyNumber(D)).trunc(Width));
  }
  for (unsigned N = D.between(4, 24); N; --N)
    D.chance(45) ? addFlag(D) : addNumber(D);
  // What is computed last is not to be lost: numbers, and sums of comparisons.
  for (unsigned Value = NumArguments + NumConstants, End = Value + Nodes.size(),
                Sum = 0;
       Value != End; ++Value) {
    unsigned Wide = Value;
    if (widthOf(Value) != 64) {
      Nodes.push_back(
          {Kind::Cast, 64, D.chance(50) ? "zext" : "sext", {Value}});
      Wide = NumArguments + NumConstants + Nodes.size() - 1;
    }
    Nodes.push_back(
        {Kind::Binary, 64, D.chance(70) ? "add" : "xor", {Sum, Wide}});
    Sum = NumArguments + NumConstants + Nodes.size() - 1;
  }
}

unsigned ScalarComputation::widthOf(unsigned Value) const {
  if (Value < NumArguments)
    return ArgumentWidths[Value];
  Value -= NumArguments;
  return Value < NumConstants ? Constants[Value].getBitWidth()
                              : Nodes[Value - NumConstants].Width;
}

/// A value of that width that there is; late ones more often.
unsigned ScalarComputation::any(unsigned Width, Dice &D) {
  SmallVector<unsigned, 32> Found;
  for (unsigned Value = 0; Value != NumArguments + NumConstants + Nodes.size();
       ++Value)
    if (widthOf(Value) == Width) {
      Found.push_back(Value);
      if (Value >= NumArguments + NumConstants || Value < NumArguments)
        Found.append(3, Value);
    }
  return Found[D.below(Found.size())];
}

void ScalarComputation::addFlag(Dice &D) {
  const unsigned Width = Widths[D.below(std::size(Widths))];
  switch (D.below(6)) {
  case 0:
    Nodes.push_back({Kind::Binary, 1, anyOf(Logic, D), {any(1, D), any(1, D)}});
    return;
  case 1:
    Nodes.push_back({Kind::Select, 1, "", {any(1, D), any(1, D), any(1, D)}});
    return;
  case 2:
    Nodes.push_back({Kind::Cast, 1, "trunc", {any(Width, D)}});
    return;
  default:
    Nodes.push_back({Kind::Compare,
                     1,
                     anyOf(Predicates, D),
                     {any(Width, D), any(Width, D)}});
  }
}

void ScalarComputation::addNumber(Dice &D) {
  // Mostly of the widths that registers have.
  const unsigned Width = Widths[D.chance(75) ? D.between(2, 3) : D.below(2)];
  switch (D.below(9)) {
  case 0:
  case 1:
    Nodes.push_back({Kind::Binary,
                     Width,
                     anyOf(Binaries, D),
                     {any(Width, D), any(Width, D)}});
    return;
  case 2:
    Nodes.push_back(
        {Kind::Shift, Width, anyOf(Shifts, D), {any(Width, D), any(Width, D)}});
    return;
  case 3:
    Nodes.push_back(
        {Kind::Select, Width, "", {any(1, D), any(Width, D), any(Width, D)}});
    return;
  case 4:
    Nodes.push_back({Kind::Minimum,
                     Width,
                     anyOf(Minima, D),
                     {any(Width, D), any(Width, D)}});
    return;
  case 5:
    Nodes.push_back({Kind::Unary, Width, anyOf(Unaries, D), {any(Width, D)}});
    return;
  case 6:
    Nodes.push_back(
        {Kind::Joined, Width, "", {any(1, D), any(Width, D), any(Width, D)}});
    return;
  default: {
    const unsigned Other =
        D.chance(50) ? 1 : Widths[D.below(std::size(Widths))];
    const char *Name = Other > Width ? "trunc" : D.chance(50) ? "zext" : "sext";
    if (Other != Width)
      Nodes.push_back({Kind::Cast, Width, Name, {any(Other, D)}});
  }
  }
}

APInt ScalarComputation::compute(const Node &N, ArrayRef<APInt> Values) const {
  auto from = [&](unsigned Which) { return Values[N.From[Which]]; };
  const StringRef Name = N.Name;
  const APInt A = from(0);
  switch (N.K) {
  case Kind::Select:
    return A.isOne() ? from(1) : from(2);
  case Kind::Joined:
    // See print(): one path adds the two.
    return A.isOne() ? from(1) + from(2) : from(1);
  case Kind::Cast:
    return Name == "trunc"  ? A.trunc(N.Width)
           : Name == "zext" ? A.zext(N.Width)
                            : A.sext(N.Width);
  case Kind::Unary:
    return Name == "ctpop"  ? APInt(N.Width, A.popcount())
           : Name == "ctlz" ? APInt(N.Width, A.countl_zero())
           : Name == "cttz" ? APInt(N.Width, A.countr_zero())
           : Name == "abs"  ? A.abs()
                            : A.reverseBits();
  default:
    break;
  }
  const APInt B = from(1);
  const unsigned Amount = unsigned(B.getZExtValue() & (N.Width - 1));
  switch (N.K) {
  case Kind::Binary:
    return Name == "add"   ? A + B
           : Name == "sub" ? A - B
           : Name == "mul" ? A * B
           : Name == "and" ? A & B
           : Name == "or"  ? A | B
                           : A ^ B;
  case Kind::Shift:
    return Name == "shl"    ? A.shl(Amount)
           : Name == "lshr" ? A.lshr(Amount)
                            : A.ashr(Amount);
  case Kind::Compare:
    return APInt(1, StringSwitch<bool>(Name)
                        .Case("eq", A == B)
                        .Case("ne", A != B)
                        .Case("ult", A.ult(B))
                        .Case("ule", A.ule(B))
                        .Case("ugt", A.ugt(B))
                        .Case("uge", A.uge(B))
                        .Case("slt", A.slt(B))
                        .Case("sle", A.sle(B))
                        .Case("sgt", A.sgt(B))
                        .Case("sge", A.sge(B)));
  case Kind::Minimum:
    return Name == "umin"       ? APIntOps::umin(A, B)
           : Name == "umax"     ? APIntOps::umax(A, B)
           : Name == "smin"     ? APIntOps::smin(A, B)
           : Name == "smax"     ? APIntOps::smax(A, B)
           : Name == "uadd.sat" ? A.uadd_sat(B)
                                : A.usub_sat(B);
  default:
    llvm_unreachable("computed above");
  }
}

uint64_t ScalarComputation::evaluate(const ScalarArguments &Arguments) const {
  SmallVector<APInt, 64> Values = {
      APInt(64, Arguments.A), APInt(64, Arguments.B), APInt(32, Arguments.C)};
  append_range(Values, Constants);
  for (const Node &N : Nodes)
    Values.push_back(compute(N, Values));
  return Values.back().getZExtValue();
}

std::string ScalarComputation::operand(unsigned Value) const {
  if (Value < NumArguments)
    return std::string("%") + "abc"[Value];
  if (Value < NumArguments + NumConstants) {
    const APInt &C = Constants[Value - NumArguments];
    return C.getBitWidth() == 1 ? (C.isOne() ? "true" : "false")
                                : toString(C, 10, /*Signed=*/false);
  }
  return "%v" + utostr(Value);
}

/// Appends to \p Text. \p Block is the one that it ends in.
void ScalarComputation::print(const Node &N, unsigned Value, std::string &Block,
                              std::string &Text) const {
  const std::string Result = operand(Value), Type = typeOf(N.Width),
                    Id = utostr(Value);
  auto from = [&](unsigned Which) {
    return typeOf(widthOf(N.From[Which])) + " " + operand(N.From[Which]);
  };
  auto name = [&](unsigned Which) { return operand(N.From[Which]); };
  auto line = [&](const std::string &What) { Text += "  " + What + "\n"; };
  switch (N.K) {
  case Kind::Binary:
    return line(Result + " = " + N.Name + " " + from(0) + ", " + name(1));
  case Kind::Shift:
    line("%amount" + Id + " = and " + from(1) + ", " + utostr(N.Width - 1));
    return line(Result + " = " + N.Name + " " + from(0) + ", %amount" + Id);
  case Kind::Compare:
    return line(Result + " = icmp " + N.Name + " " + from(0) + ", " + name(1));
  case Kind::Select:
    return line(Result + " = select " + from(0) + ", " + from(1) + ", " +
                from(2));
  case Kind::Cast:
    return line(Result + " = " + N.Name + " " + from(0) + " to " + Type);
  case Kind::Unary: {
    const StringRef Name = N.Name;
    const bool HasFlag = Name == "ctlz" || Name == "cttz" || Name == "abs";
    return line(Result + " = call " + Type + " @llvm." + N.Name + "." + Type +
                "(" + from(0) + (HasFlag ? ", i1 false)" : ")"));
  }
  case Kind::Minimum:
    return line(Result + " = call " + Type + " @llvm." + N.Name + "." + Type +
                "(" + from(0) + ", " + from(1) + ")");
  case Kind::Joined:
    line("br " + from(0) + ", label %then" + Id + ", label %join" + Id);
    Text += "then" + Id + ":\n";
    line("%sum" + Id + " = add " + from(1) + ", " + name(2));
    line("br label %join" + Id);
    Text += "join" + Id + ":\n";
    line(Result + " = phi " + Type + " [ %sum" + Id + ", %then" + Id +
         " ], [ " + name(1) + ", %" + Block + " ]");
    Block = "join" + Id;
    return;
  }
}

std::string ScalarComputation::hook() const {
  std::string Text, Block = "entry";
  for (auto [Index, N] : enumerate(Nodes))
    print(N, NumArguments + NumConstants + Index, Block, Text);
  return "define void @scalars(i64 %a, i64 %b, i32 %c) #0 {\nentry:\n" + Text +
         "  call void @\"luthier::waveAdd.ptr.i64\"(ptr addrspacecast (ptr "
         "addrspace(1) @Counters to ptr), i64 " +
         operand(NumArguments + NumConstants + Nodes.size() - 1) +
         ")\n  ret void\n}\n";
}

} // namespace luthier::test
