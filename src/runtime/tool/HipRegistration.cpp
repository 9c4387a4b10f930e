// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked into each tool. Clang emits a constructor that registers a HIP file's
// device code with the HIP runtime. A tool is loaded into every process of the
// application, also into those that never touch a GPU, and may be loaded while
// that runtime is starting; so its constructor ends up here instead, and HIP
// does not learn of tools. Everything is hidden: the application's own calls
// still reach HIP.
//
// Signatures are those that clang calls (clang/lib/CodeGen/CGCUDANV.cpp),
// without HIP's headers.
#include "luthier/detail/ToolRegistration.h"
#include <atomic>
#include <cstdio>

namespace {

struct Dim3 {
  uint32_t X, Y, Z;
};

constexpr int HipErrorNotSupported = 801;

/// A tool's code runs inside the application's kernels, not in its own.
int refuseLaunch() {
  static std::atomic<bool> Said = false;
  if (!Said.exchange(true))
    std::fputs("luthier: a tool cannot launch kernels of its own\n", stderr);
  return HipErrorNotSupported;
}

} // namespace

#pragma GCC visibility push(hidden)
extern "C" {
// The names are those that clang calls for HIP.
// NOLINTBEGIN(readability-identifier-naming)

void **__hipRegisterFatBinary(const luthier_fat_binary_wrapper *Wrapper) {
  return static_cast<void **>(luthier_register_fat_binary(Wrapper));
}

/// Runs from exit(), when the tool may still be asked for its report: modules
/// are for the life of the process.
void __hipUnregisterFatBinary(void **) {}

int __hipRegisterFunction(void **Module, const void *HostFunction, char *,
                          const char *DeviceName, int, void *, void *, void *,
                          void *, int *) {
  luthier_register_function(Module, HostFunction, DeviceName);
  return 0;
}

void __hipRegisterVar(void **Module, char *HostShadow, char *,
                      const char *DeviceName, int, size_t Size, int, int) {
  luthier_register_variable(Module, HostShadow, DeviceName, Size);
}

void __hipRegisterManagedVar(void **Module, void **Pointer, void *Initial,
                             const char *DeviceName, size_t Size,
                             unsigned Alignment) {
  luthier_register_managed_variable(Module, Pointer, Initial, DeviceName, Size,
                                    Alignment);
}

/// Hooks cannot sample textures.
void __hipRegisterSurface(void **, void *, char *, char *, int, int) {}
void __hipRegisterTexture(void **, void *, char *, char *, int, int, int) {}

int __hipPushCallConfiguration(Dim3, Dim3, size_t, void *) {
  return refuseLaunch();
}

int __hipPopCallConfiguration(Dim3 *, Dim3 *, size_t *, void **) {
  return refuseLaunch();
}

int hipLaunchKernel(const void *, Dim3, Dim3, void **, size_t, void *) {
  return refuseLaunch();
}

// NOLINTEND(readability-identifier-naming)
} // extern "C"
#pragma GCC visibility pop
