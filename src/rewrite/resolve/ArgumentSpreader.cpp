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

size_t ArgumentSpreader::numLeft() const {
  return count_if(Parameters.drop_front(Result.size()),
                  [](const HookParameter &P) { return !P.IsContinued; });
}

/// Clang makes a parameter of each member of most structures; each lies where
/// its alignment puts it, which no member's exceeds (#pragma pack).
Error ArgumentSpreader::addBytes(const HookArgument &Argument,
                                 size_t Following) {
  const unsigned Size = Argument.bytes();
  const std::string For = next().Text;
  unsigned Offset = 0, End = 0;
  auto goesOn = [&] {
    if (Result.size() == Parameters.size())
      return false;
    if (next().IsContinued)
      return true;
    // The rest may be padding, and the parameter another argument's.
    const bool MayBePadding = End + Argument.padding() >= Size;
    return Offset + divideCeil(next().Bits, 8) <= Size &&
           !(MayBePadding && numLeft() <= Following);
  };
  const auto *Bytes = reinterpret_cast<const char *>(Argument.words().data());
  do {
    const unsigned Length = divideCeil(next().Bits, 8);
    uint64_t Word = 0;
    if (Offset < Size)
      std::memcpy(&Word, Bytes + Offset, std::min(Length, Size - Offset));
    Result.push_back(Word);
    Offset += Length;
    End = Offset;
    if (Result.size() < Parameters.size() && !next().IsContinued)
      Offset = alignTo(Offset, std::min(next().Align, Argument.align()));
  } while (goesOn());
  // What structures have less than that, clang fills up.
  const unsigned Filled = Size <= 2 ? 2 : alignTo(Size, 4);
  if (End + Argument.padding() < Size || End > Filled)
    return createStringError(describeArgument(Argument, 0) + " is given for " +
                             For);
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
                            size_t Following) {
  if (Result.size() == Parameters.size()) {
    IsTooMany = true;
    return Error::success();
  }
  if (Argument.bytes())
    return addBytes(Argument, Following);
  if (std::optional<double> Number = Argument.floating())
    return addNumber(*Number);
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
