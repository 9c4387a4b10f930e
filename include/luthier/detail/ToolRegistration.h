// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tool's library introduces its device code to libluthier.so. Clang emits
// calls of HIP's registration (__hipRegisterFatBinary and so on) into the
// library's constructor; luthier-tool-support, linked into each tool, defines
// those functions as hidden symbols and forwards to the calls below. A tool's
// library therefore neither needs nor starts HIP.
//
// Called from static constructors, in any process that loads the tool: nothing
// here touches a device or takes long.
#ifndef LUTHIER_DETAIL_TOOLREGISTRATION_H
#define LUTHIER_DETAIL_TOOLREGISTRATION_H

#include "luthier/Export.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What clang emits for a HIP file's device code (__hip_fatbin_wrapper).
struct luthier_fat_binary_wrapper {
  uint32_t magic; ///< "HIPF" read as a number: 0x48495046.
  uint32_t version;
  const void *binary; ///< A clang offload bundle.
  const void *unused;
};

/// Returns a handle for the calls below; null if the wrapper is none. The
/// wrapper and what it points to must stay.
LUTHIER_API void *
luthier_register_fat_binary(const struct luthier_fat_binary_wrapper *Wrapper);

/// The kernel \p DeviceName behind the host stub \p HostFunction.
LUTHIER_API void luthier_register_function(void *Module,
                                           const void *HostFunction,
                                           const char *DeviceName);

/// A __device__ or __constant__ variable and its shadow on the host.
LUTHIER_API void luthier_register_variable(void *Module, const void *HostShadow,
                                           const char *DeviceName, size_t Size);

/// A __managed__ variable: sets *\p Pointer to memory that holds \p Initial
/// (null: zeros) and that the tool may use from now on.
LUTHIER_API void luthier_register_managed_variable(void *Module, void **Pointer,
                                                   const void *Initial,
                                                   const char *DeviceName,
                                                   size_t Size,
                                                   uint32_t Alignment);

#ifdef __cplusplus
}
#endif

#endif // LUTHIER_DETAIL_TOOLREGISTRATION_H
