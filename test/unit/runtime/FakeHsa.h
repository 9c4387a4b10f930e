// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU runtime as far as these tests need one: signals that tests complete by
// hand, and loaded code objects that are whatever a test says.
#ifndef LUTHIER_TEST_UNIT_RUNTIME_FAKEHSA_H
#define LUTHIER_TEST_UNIT_RUNTIME_FAKEHSA_H

#include <cstdint>
#include <functional>
#include <hsa/hsa.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace luthier::test {

struct FakeCodeObject {
  std::vector<uint8_t> *Bytes;
  uint64_t Base, Size;
  int64_t Delta;
};

/// Installs itself as the runtime under Luthier while it exists.
class FakeHsa {
public:
  FakeHsa();
  ~FakeHsa();

  /// By handle of the executable.
  std::vector<FakeCodeObject> Executables;
  /// Signals by handle minus one.
  std::vector<int64_t> Signals;
  /// Memory that was asked for, of a pool for kernel arguments; what is freed
  /// is null.
  std::vector<std::unique_ptr<uint8_t[]>> Memory;
  /// Executables of Luthier's own: numbered from 1 as they are loaded. Each has
  /// a kernel.
  unsigned NumLoaded = 0, NumUnloaded = 0;
  /// Variables that each of them defines, by name. Their memory is the test's.
  std::map<std::string, uint64_t> Variables;
  /// Copies of hsa_memory_copy().
  unsigned NumCopies = 0;
  /// What loading a code object comes to.
  hsa_status_t LoadStatus = HSA_STATUS_SUCCESS;
  static uint64_t kernelObject(uint64_t Executable) {
    return 0x5000'0000'0000 + (Executable << 20);
  }
  /// Called when somebody waits for a signal that is not complete.
  std::function<void()> WhileWaiting;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_RUNTIME_FAKEHSA_H
