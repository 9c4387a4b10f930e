// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/NamePattern.h"
#include <array>
#include <regex.h>

namespace luthier {

struct NamePattern::Impl {
  regex_t Compiled = {};
  bool IsValid = false;

  ~Impl() {
    if (IsValid)
      ::regfree(&Compiled);
  }
};

NamePattern::NamePattern(std::unique_ptr<Impl> P) : P(std::move(P)) {}
NamePattern::~NamePattern() = default;

std::unique_ptr<NamePattern> NamePattern::create(const std::string &Text,
                                                 std::string &Wrong) {
  auto P = std::make_unique<Impl>();
  const int Failure =
      ::regcomp(&P->Compiled, Text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (Failure) {
    std::array<char, 256> Why;
    ::regerror(Failure, &P->Compiled, Why.data(), Why.size());
    Wrong = Why.data();
    return nullptr;
  }
  P->IsValid = true;
  return std::unique_ptr<NamePattern>(new NamePattern(std::move(P)));
}

bool NamePattern::matches(const std::string &Name) const {
  return ::regexec(&P->Compiled, Name.c_str(), 0, nullptr, 0) == 0;
}

} // namespace luthier
