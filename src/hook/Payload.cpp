// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/Payload.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier {

void LiteralSum::add(const LiteralSum &Other, uint64_t Factor) {
  assert((Other.Symbol.empty() || (Symbol.empty() && Factor == 1)) &&
         "two addresses have no sum");
  Symbol += Other.Symbol;
  Constant += Other.Constant * Factor;
  for (const Term &New : Other.Terms) {
    auto Same = find_if(Terms, [&](const Term &T) {
      return T.Index == New.Index && T.IsSigned == New.IsSigned;
    });
    if (Same == Terms.end())
      Same = Terms.insert(Same, {New.Index, New.IsWide, New.IsSigned, 0});
    Same->Factor += New.Factor * Factor;
  }
}

uint64_t LiteralSum::valueFor(ArrayRef<uint32_t> Literals) const {
  assert(Symbol.empty() && "addresses are filled in before");
  uint64_t Value = Constant;
  for (const Term &T : Terms) {
    const uint32_t Low = Literals[T.Index];
    const uint64_t High = T.IsWide     ? Literals[T.Index + 1]
                          : T.IsSigned ? uint64_t(int64_t(int32_t(Low))) >> 32
                                       : 0;
    Value += (Low | High << 32) * T.Factor;
  }
  return Value;
}

uint32_t Payload::literalFor(unsigned Index, ArrayRef<uint32_t> Given) const {
  if (Index < FirstLiteralSum)
    return Given[Index];
  const unsigned Half = Index - FirstLiteralSum;
  return LiteralSums[Half / 2].valueFor(Given) >> (Half % 2 ? 32 : 0);
}

SmallVector<uint8_t, 128> Payload::codeWith(ArrayRef<uint32_t> Given) const {
  SmallVector<uint8_t, 128> Bytes(Code.begin(), Code.end());
  for (const PayloadLiteral &L : Literals)
    support::endian::write32le(&Bytes[L.Offset], literalFor(L.Index, Given));
  return Bytes;
}

} // namespace luthier
