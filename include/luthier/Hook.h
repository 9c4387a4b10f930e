// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How device code says what it is. A tool is a HIP file built by
// luthier_add_tool() (cmake/LuthierTool.cmake), which compiles it with
// Luthier's plugin:
//
//   MARK_LUTHIER_DEVICE_MODULE
//
//   LUTHIER_HOOK_ANNOTATE countLoad(uint64_t Address) { ... }
//   LUTHIER_EXPORT_HOOK_HANDLE(countLoad);
//
//   Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(countLoad), {...});
//
// A hook is inlined where it is inserted. It returns nothing and takes
// numbers, pointers, vectors and structures of at most 64 bytes. It may call
// other device functions, recursive and virtual ones too.
// Inline assembly is refused, because nobody can say which registers it uses;
// use the functions of Intrinsics.h. The plugin reports what it refuses as an
// error at compile time.
#ifndef LUTHIER_HOOK_H
#define LUTHIER_HOOK_H

#if __cplusplus < 202002L
#error "Luthier's headers need C++20 (-std=c++20)"
#endif

#include "luthier/HookHandle.h"

/// Once in each file that defines hooks, at namespace scope. The plugin leaves
/// files without it as they are.
#define MARK_LUTHIER_DEVICE_MODULE                                             \
  inline __attribute__((device, used)) char __luthier_reserved = 0;

/// In place of a hook's linkage and result type. Hooks have C names, which are
/// unique within a tool.
#define LUTHIER_HOOK_ANNOTATE                                                  \
  extern "C" __attribute__((device, used, annotate("luthier_hook"))) void

/// The host cannot name a device function, so a kernel that nobody launches
/// stands for hook \p HookName there. At namespace scope, in the hook's file.
#define LUTHIER_EXPORT_HOOK_HANDLE(HookName)                                   \
  extern "C" __attribute__((global, used)) void                                \
  __luthier_hook_handle_##HookName() {}                                        \
  [[maybe_unused]] constexpr bool                                              \
      LUTHIER_EXPORT_HOOK_HANDLE_is_missing_for_##HookName = false;            \
  static_assert(true, "takes the semicolon")

/// What InstrumentationTask::insertHookBefore() takes: a HookHandle that knows
/// the types of the hook's parameters.
#define LUTHIER_GET_HOOK_HANDLE(HookName)                                      \
  (static_cast<void>(LUTHIER_EXPORT_HOOK_HANDLE_is_missing_for_##HookName),    \
   ::luthier::HookHandle<decltype(HookName)>(                                  \
       reinterpret_cast<const void *>(__luthier_hook_handle_##HookName)))

/// For device functions that stand for a sequence of machine code. Their bodies
/// never run: hooks keep calls to them, which the engine expands by the
/// function's qualified name. They take and return scalars.
#define LUTHIER_INTRINSIC_ANNOTATE                                             \
  __attribute__((device, noinline, annotate("luthier_intrinsic")))

/// The same where the result is a scalar: one value for the wave, in a scalar
/// register and exact whatever EXEC is, so that operations of the wave take it
/// (see "Scalars" in Intrinsics.h). Of what no annotation says this, each lane
/// may have a value of its own.
#define LUTHIER_SCALAR_INTRINSIC_ANNOTATE                                      \
  __attribute__((device, noinline, annotate("luthier_scalar_intrinsic")))

/// For a device function that calls itself, directly or through others, and
/// that hooks call: up to \p Calls of its calls nest, the outermost included. A
/// call beyond that is left out, with zero as its result. The hook's stack has
/// room for as many; without the macro, for 64, and the compiler warns.
#define LUTHIER_MAX_DEPTH(Calls) LUTHIER_DETAIL_MAX_DEPTH(Calls)
#define LUTHIER_DETAIL_MAX_DEPTH(Calls)                                        \
  __attribute__((annotate("luthier_max_depth=" #Calls)))

#endif // LUTHIER_HOOK_H
