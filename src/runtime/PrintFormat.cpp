// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/PrintFormat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cstdio>
#include <vector>

using namespace llvm;

namespace luthier::runtime {
namespace {

template <typename T> std::string print(const std::string &Spec, T Value) {
  // The compiler cannot see that they match; conversionOf() sees to it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int Length = std::snprintf(nullptr, 0, Spec.c_str(), Value);
  std::vector<char> Text(std::max(Length, 0) + 1);
  std::snprintf(Text.data(), Text.size(), Spec.c_str(), Value);
#pragma GCC diagnostic pop
  return {Text.data(), Text.size() - 1};
}

/// As wide as \p Length says, extended to 64 bits.
int64_t signedOf(uint64_t Value, StringRef Length) {
  return Length == "hh"   ? int64_t(int8_t(Value))
         : Length == "h"  ? int64_t(int16_t(Value))
         : Length.empty() ? int64_t(int32_t(Value))
                          : int64_t(Value);
}
uint64_t unsignedOf(uint64_t Value, StringRef Length) {
  return Length == "hh"   ? uint8_t(Value)
         : Length == "h"  ? uint16_t(Value)
         : Length.empty() ? uint32_t(Value)
                          : Value;
}

/// The value of a width or precision that is an argument.
std::string starOf(const PrintArgument &A, bool IsPrecision) {
  constexpr int Most = 4096;
  const int N = std::clamp(int(A.Value), -Most, Most);
  return IsPrecision && N < 0 ? ""
                              : (IsPrecision ? "." : "") + std::to_string(N);
}

class Formatter {
public:
  Formatter(StringRef Format, ArrayRef<PrintArgument> Arguments)
      : Rest(Format), Arguments(Arguments) {}

  std::string run() {
    while (!Rest.empty()) {
      const size_t Plain = std::min(Rest.find('%'), Rest.size());
      Result += Rest.take_front(Plain);
      Rest = Rest.drop_front(Plain);
      if (!Rest.empty())
        convert();
    }
    return std::move(Result);
  }

private:
  StringRef take(StringRef Characters) {
    const StringRef Taken =
        Rest.take_while([&](char C) { return Characters.contains(C); });
    Rest = Rest.drop_front(Taken.size());
    return Taken;
  }

  const PrintArgument *next() {
    if (Arguments.empty())
      return nullptr;
    const PrintArgument *First = &Arguments.front();
    Arguments = Arguments.drop_front();
    return First;
  }

  /// Digits, or an argument.
  std::string number(bool IsPrecision) {
    if (Rest.consume_front("*")) {
      const PrintArgument *A = next();
      return A ? starOf(*A, IsPrecision) : "";
    }
    return (IsPrecision ? "." : "") + take("0123456789").take_front(4).str();
  }

  void convert() {
    const StringRef Begin = Rest;
    Rest = Rest.drop_front();
    std::string Spec = "%" + take("-+ #0").take_front(8).str();
    Spec += number(/*IsPrecision=*/false);
    if (Rest.consume_front("."))
      Spec += number(/*IsPrecision=*/true);
    const StringRef Length = take("hlLjzt");
    const char Kind = Rest.empty() ? '\0' : Rest.front();
    Rest = Rest.drop_front(!Rest.empty());
    if (Kind == '%') {
      Result += '%';
      return;
    }
    const PrintArgument *A =
        StringRef("diuxXocfFeEgGaAps").contains(Kind) && Kind ? next()
                                                              : nullptr;
    Result += A ? conversionOf(*A, Spec, Length, Kind)
                : Begin.drop_back(Rest.size()).str();
  }

  static std::string conversionOf(const PrintArgument &A, std::string Spec,
                                  StringRef Length, char Kind) {
    switch (Kind) {
    case 'd':
    case 'i':
      return print(Spec + "lld", (long long)signedOf(A.Value, Length));
    case 'c':
      return print(Spec + "c", int(A.Value));
    case 'p':
      return print(Spec + "p", reinterpret_cast<void *>(A.Value));
    case 's':
      return print(Spec + "s", A.Text.c_str());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print(Spec + "ll" + Kind,
                   (unsigned long long)unsignedOf(A.Value, Length));
    default:
      return print(Spec + Kind, bit_cast<double>(A.Value));
    }
  }

  StringRef Rest;
  ArrayRef<PrintArgument> Arguments;
  std::string Result;
};

} // namespace

std::string formatPrint(StringRef Format, ArrayRef<PrintArgument> Arguments) {
  return Formatter(Format, Arguments).run();
}

} // namespace luthier::runtime
