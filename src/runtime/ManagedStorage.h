// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a tool's managed variable. The host uses it from the moment the
// tool's library registers it, long before any GPU runtime runs, or from that
// on when a dynamic module is loaded; devices are given access when a hook of
// the module is first asked for there.
#ifndef LUTHIER_RUNTIME_MANAGEDSTORAGE_H
#define LUTHIER_RUNTIME_MANAGEDSTORAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace luthier::runtime {

/// Freed by release() alone: a tool's pointers to its own live as long as the
/// process.
class ManagedVariable {
public:
  /// \p Initial may be null for zeros.
  ManagedVariable(llvm::StringRef Name, const void *Initial, size_t Size,
                  size_t Alignment);

  llvm::StringRef name() const { return Name; }
  void *host() const { return Host; }
  llvm::ArrayRef<uint8_t> contents() const {
    return {static_cast<const uint8_t *>(Host), Size};
  }
  bool contains(const void *Pointer, size_t Bytes) const;

  /// The address by which all GPUs reach the variable: the host's, where the
  /// driver shares addresses. Gives them access the first time.
  llvm::Expected<uint64_t> deviceAddress();
  /// The GPU runtime that gave access to it has ended.
  void unlocked() {
    Device = 0;
    IsLocked = false;
  }
  /// Nobody uses the memory any more.
  void release();

private:
  std::string Name;
  void *Host = nullptr;
  size_t Size;
  uint64_t Device = 0;
  bool IsLocked = false; ///< It is at another address there.
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_MANAGEDSTORAGE_H
