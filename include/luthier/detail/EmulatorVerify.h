// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libluthier.so tells the emulated GPU below it, if there is one and the
// user asked it to verify: which of the kernels it dispatches are instrumented
// versions of which others. The emulator then runs both in lockstep before each
// such dispatch. On a real GPU there is no such function, and nothing here
// changes what is dispatched.
#ifndef LUTHIER_DETAIL_EMULATORVERIFY_H
#define LUTHIER_DETAIL_EMULATORVERIFY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct luthier_verify_pc_pair {
  uint64_t instrumented;
  uint64_t original;
} luthier_verify_pc_pair;

/// A hook that runs before the original's instruction at \p original, or on
/// the way to it. For messages.
typedef struct luthier_verify_hook {
  uint64_t original;
  const char *name;
} luthier_verify_hook;

/// All addresses are the device's. Everything is copied.
typedef struct luthier_verify_kernel {
  size_t struct_size;
  /// What packets carry to run the two versions.
  uint64_t original;
  uint64_t instrumented;
  /// For each instruction of the original that is still there.
  const luthier_verify_pc_pair *map;
  size_t map_count;
  /// Code of the original that the instrumented version may run in place.
  uint64_t in_place_begin;
  uint64_t in_place_end;
  const luthier_verify_hook *hooks;
  size_t hook_count;
} luthier_verify_kernel;

/// Callable from any thread.
typedef struct luthier_verify_api {
  size_t struct_size;
  /// Before the first dispatch of the kernel's instrumented version, and after
  /// the last.
  void (*add_kernel)(const luthier_verify_kernel *kernel);
  void (*remove_kernel)(uint64_t instrumented);
  /// Memory of tools, which instrumented versions may write.
  void (*add_own_memory)(uint64_t begin, uint64_t end);
  /// Tells that a packet was changed to run an instrumented version: both point
  /// to 64 bytes, what the application wrote and what is about to be submitted.
  /// The emulator knows the latter again by its kernel, its arguments and the
  /// rest, in this order: a tool may still change it.
  void (*redirected)(const void *original, const void *submitted);
  /// A kernel runs unchanged although a tool wanted to instrument it.
  void (*unchanged)(const char *kernel, const char *reason);
  /// What add_own_memory() got with this begin may be the application's again.
  void (*remove_own_memory)(uint64_t begin);
} luthier_verify_api;

/// Exported by the emulator's libluthier-gpu.so, which is preloaded. Null
/// unless the user asked for verification and the device is open.
const luthier_verify_api *luthier_emulator_verify(void);

#ifdef __cplusplus
}
#endif

#endif // LUTHIER_DETAIL_EMULATORVERIFY_H
