// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel descriptors that no assembler would make.
#ifndef LUTHIER_TEST_UNIT_REWRITE_CHANGEDDESCRIPTOR_H
#define LUTHIER_TEST_UNIT_REWRITE_CHANGEDDESCRIPTOR_H

#include "codeobject/CodeObject.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cstring>

namespace luthier::test {

/// \p Object, but for the descriptor of its first kernel.
inline std::shared_ptr<const CodeObject> withChangedDescriptor(
    const CodeObject &Object,
    llvm::function_ref<void(llvm::amdhsa::kernel_descriptor_t &)> Change) {
  std::vector<uint8_t> Bytes = Object.bytes();
  auto D = Object.kernels().front().Descriptor.raw();
  const auto *Old = reinterpret_cast<const uint8_t *>(&D);
  auto At = std::search(Bytes.begin(), Bytes.end(), Old, Old + sizeof(D));
  Change(D);
  std::memcpy(&*At, &D, sizeof(D));
  return cantFail(CodeObject::create(Bytes));
}

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_REWRITE_CHANGEDDESCRIPTOR_H
