// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of Inputs/branches.cpp, compiled in several ways.
#ifndef LUTHIER_TEST_PGO_READINPUT_H
#define LUTHIER_TEST_PGO_READINPUT_H

#include "pgo/Execution.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace luthier::test {

inline std::unique_ptr<llvm::MemoryBuffer> inputFile(llvm::StringRef Name) {
  auto File = llvm::MemoryBuffer::getFile(INPUT_DIRECTORY "/" + Name + ".co");
  return File ? std::move(*File) : nullptr;
}

inline std::unique_ptr<CodeObject> readInput(llvm::StringRef Name) {
  return llvm::cantFail(CodeObject::create(
      llvm::arrayRefFromStringRef(inputFile(Name)->getBuffer())));
}

/// Each instruction of the kernel by so many waves and lanes.
inline pgo::CodeCounts everything(const CodeObject &Object,
                                  pgo::ExecutionCount Each) {
  const KernelInfo &Kernel = *Object.findKernel("branches");
  pgo::CodeCounts Counts;
  for (uint64_t A = 0; A < Kernel.CodeSize; A += 4)
    Counts[Kernel.EntryAddress + A] = Each;
  return Counts;
}

} // namespace luthier::test

#endif // LUTHIER_TEST_PGO_READINPUT_H
