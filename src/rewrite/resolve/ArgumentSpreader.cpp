// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/resolve/ArgumentSpreader.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace luthier {

static std::string sized(StringRef What, unsigned Bytes) {
  return (What + " of " + Twine(Bytes) + (Bytes == 1 ? " byte" : " bytes"))
      .str();
}

std::string describeArgument(const HookArgument &Argument, unsigned Dwords) {
  if (Argument.bytes())
    return sized(("a value of type " + Argument.typeName()).str(),
                 Argument.bytes());
  if (Argument.floating())
    return "a floating-point number";
  if (Argument.isPointer())
    return sized("a pointer", 8);
  if (Argument.isConstant())
    return "an integer";
  if (Dwords)
    return sized("a register",
                 4 * (Argument.count() ? Argument.count() : Dwords));
  return "a value of up to 8 bytes";
}

size_t ArgumentSpreader::endOfParameter(size_t First) const {
  do
    ++First;
  while (First < Parameters.size() && Parameters[First].IsContinued);
  return First;
}

unsigned ArgumentSpreader::bytesOf(size_t Parameter) const {
  return divideCeil(Parameters[Parameter].Bits, 8);
}

/// Clang makes a parameter of each member of most structures; each lies where
/// its alignment puts it, which no member's exceeds (#pragma pack).
unsigned ArgumentSpreader::placeOf(size_t Parameter, unsigned Behind,
                                   const HookArgument &Argument) const {
  const HookParameter &P = Parameters[Parameter];
  return P.IsContinued ? Behind
                       : alignTo(Behind, std::min(P.Align, Argument.align()));
}

SmallVector<size_t, 2> ArgumentSpreader::endsOf(const HookArgument &Argument,
                                                size_t First) const {
  if (!Argument.bytes())
    return {endOfParameter(First)};
  const unsigned Size = Argument.bytes();
  // What structures have less than that, clang fills up.
  const unsigned Filled = Size <= 2 ? 2 : alignTo(Size, 4);
  SmallVector<size_t, 2> Ends;
  unsigned End = 0;
  for (size_t Parameter = First; Parameter < Parameters.size(); ++Parameter) {
    const unsigned Offset = placeOf(Parameter, End, Argument);
    const bool IsGap = Offset != End && !Argument.padding();
    if (Parameter != First && !Parameters[Parameter].IsContinued &&
        (IsGap || Offset + bytesOf(Parameter) > Size))
      break;
    End = Offset + bytesOf(Parameter);
    if (Parameter + 1 == endOfParameter(Parameter) && End <= Filled &&
        End + Argument.padding() >= Size)
      Ends.push_back(Parameter + 1);
  }
  return Ends;
}

bool ArgumentSpreader::fit(ArrayRef<HookArgument> Given, size_t First) const {
  if (Given.empty() || First == Parameters.size())
    return Given.empty() && First == Parameters.size();
  return any_of(endsOf(Given.front(), First),
                [&](size_t End) { return fit(Given.drop_front(), End); });
}

Error ArgumentSpreader::addBytes(const HookArgument &Argument,
                                 ArrayRef<HookArgument> Following) {
  const size_t First = Result.size();
  const SmallVector<size_t, 2> Ends = endsOf(Argument, First);
  if (Ends.empty())
    return createStringError(describeArgument(Argument, 0) + " is given for " +
                             next().Text);
  // Its last bytes may be padding, and the next parameter another argument's.
  SmallVector<size_t, 2> Fitting;
  copy_if(Ends, std::back_inserter(Fitting),
          [&](size_t End) { return fit(Following, End); });
  if (Fitting.size() > 1)
    return createStringError(describeArgument(Argument, 0) + " may be for " +
                             Twine(Fitting[0] - First) + " parameters or for " +
                             Twine(Fitting[1] - First) +
                             ": give its members one by one");
  // Where none fits, the caller says what is given for which parameters.
  const size_t Last = Fitting.empty() ? Ends.back() : Fitting.front();
  const auto *Bytes = reinterpret_cast<const char *>(Argument.words().data());
  for (unsigned End = 0; Result.size() < Last;) {
    const unsigned Offset = placeOf(Result.size(), End, Argument);
    End = Offset + bytesOf(Result.size());
    uint64_t Word = 0;
    if (Offset < Argument.bytes())
      std::memcpy(&Word, Bytes + Offset,
                  std::min(End, Argument.bytes()) - Offset);
    Result.push_back(Word);
  }
  return Error::success();
}

Error ArgumentSpreader::addNumber(double Number) {
  if (!next().Float)
    return createStringError("a floating-point number is given for " +
                             next().Text);
  APFloat Value(Number);
  bool LosesInfo = false;
  Value.convert(*next().Float, APFloat::rmNearestTiesToEven, &LosesInfo);
  Result.push_back(Value.bitcastToAPInt().getZExtValue());
  return Error::success();
}

/// Registers have any bits; a number or pointer of the host has a type. The
/// compiler has checked those that host code gives a hook by its handle, but
/// not those for a hook that a name was all that is known of.
bool ArgumentSpreader::isOfOtherKind(const HookArgument &Argument) const {
  if (!Argument.isInteger())
    return false;
  return next().Float || (Argument.isPointer() && next().Bits < 64);
}

/// Two registers at a time; zero where the parameter has more bits.
void ArgumentSpreader::addRegister(const HookArgument &Argument,
                                   unsigned Dwords) {
  const unsigned Count = Argument.count() ? Argument.count() : Dwords;
  unsigned Taken = 0;
  auto part = [&]() -> HookArgument {
    if (Taken >= Count)
      return 0;
    const unsigned First = Argument.firstPart() + Taken;
    const unsigned Length = std::min(2u, Count - Taken);
    return Argument.isRegister()
               ? HookArgument::part(Argument.reg(), First, Length)
               : HookArgument::operandPart(Argument.index(), First, Length);
  };
  do {
    Result.push_back(part());
    Taken += 2;
  } while (isContinued());
}

Error ArgumentSpreader::add(const HookArgument &Argument, unsigned Dwords,
                            ArrayRef<HookArgument> Following) {
  if (Result.size() == Parameters.size()) {
    IsTooMany = true;
    return Error::success();
  }
  if (Argument.bytes())
    return addBytes(Argument, Following);
  if (std::optional<double> Number = Argument.floating())
    return addNumber(*Number);
  if (isOfOtherKind(Argument))
    return createStringError(describeArgument(Argument, Dwords) +
                             " is given for " + next().Text +
                             (next().Float ? ": write 1.0 for 1" : ""));
  const bool IsWide = Result.size() + 1 < Parameters.size() &&
                      Parameters[Result.size() + 1].IsContinued;
  if (IsWide && Dwords > 2) {
    addRegister(Argument, Dwords);
    return Error::success();
  }
  Result.push_back(Argument);
  while (isContinued())
    Result.push_back(0);
  return Error::success();
}

} // namespace luthier
