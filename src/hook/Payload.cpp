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

SmallVector<uint8_t, 128> Payload::codeWith(ArrayRef<uint32_t> Given) const {
  SmallVector<uint8_t, 128> Bytes(Code.begin(), Code.end());
  for (const PayloadLiteral &L : Literals) {
    uint32_t Value;
    if (L.Index < FirstLiteralSum) {
      Value = Given[L.Index];
    } else {
      const unsigned Half = L.Index - FirstLiteralSum;
      Value = LiteralSums[Half / 2].valueFor(Given) >> (Half % 2 ? 32 : 0);
    }
    support::endian::write32le(&Bytes[L.Offset], Value);
  }
  return Bytes;
}

} // namespace luthier
