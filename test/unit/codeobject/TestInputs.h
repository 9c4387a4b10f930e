// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the build made for the tests, and errors as test failures.
#ifndef LUTHIER_TEST_CODEOBJECT_TESTINPUTS_H
#define LUTHIER_TEST_CODEOBJECT_TESTINPUTS_H

#include "codeobject/FatBinary.h"
#include "luthier/Refusal.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace luthier::test {

/// The file \p Name of the build, or the file with that absolute path.
std::vector<uint8_t> readFile(const std::string &Name);

/// Inputs/kernels.cpp for a target and code object version ("gfx90a-v5").
std::unique_ptr<CodeObject> compiledKernels(const std::string &Name);

/// The value, or a test failure that ends the program: nothing after it makes
/// sense.
template <typename T> T take(llvm::Expected<T> Value) {
  if (Value)
    return std::move(*Value);
  ADD_FAILURE() << detailOf(Value.takeError());
  std::abort();
}

/// The error's text, or a test failure if there is none.
template <typename T> std::string errorOf(llvm::Expected<T> Value) {
  if (!Value)
    return detailOf(Value.takeError());
  ADD_FAILURE() << "succeeded unexpectedly";
  return "";
}

/// All targets with a register table.
inline constexpr const char *Targets[] = {"gfx906",  "gfx908", "gfx90a",
                                          "gfx942",  "gfx950", "gfx1030",
                                          "gfx1100", "gfx1201"};

} // namespace luthier::test

#endif // LUTHIER_TEST_CODEOBJECT_TESTINPUTS_H
