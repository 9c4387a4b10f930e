// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a tool's managed variable. The host uses it from the moment the
// tool's library registers it, long before any GPU runtime runs; devices are
// given access when the tool's code is first loaded.
#ifndef LUTHIER_RUNTIME_MANAGEDSTORAGE_H
#define LUTHIER_RUNTIME_MANAGEDSTORAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace luthier::runtime {

/// Never freed: the tool's pointers to it live as long as the process.
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

  /// The address by which all GPUs reach the variable; locks the memory the
  /// first time.
  llvm::Expected<uint64_t> deviceAddress();
  /// The GPU runtime that locked it has ended.
  void unlocked() { Device = 0; }

private:
  std::string Name;
  void *Host = nullptr;
  size_t Size;
  uint64_t Device = 0;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_MANAGEDSTORAGE_H
