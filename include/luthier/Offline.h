// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumentation without a program to run: code objects in, code objects out.
// What `luthier instrument` is made of.
#ifndef LUTHIER_OFFLINE_H
#define LUTHIER_OFFLINE_H

#include "luthier/Export.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace luthier::offline {

struct Kernel {
  std::string Name; ///< As the compiler wrote it, without ".kd".
  /// Another name of the same kernel, under which all that follows is said of
  /// both; else empty.
  std::string SameAs;
  /// Why it is as it was; empty if it is instrumented.
  std::string Unchanged;
  unsigned Points = 0; ///< Hooks inserted.
  /// Which of its code hooks do not see, and why; empty if they see all.
  std::string Unhooked;
  /// Address of each original instruction that was kept, after and before.
  std::vector<std::pair<uint64_t, uint64_t>> Map;
  /// Hooks by the address of the original instruction they precede.
  std::vector<std::pair<uint64_t, std::string>> Hooks;
};

struct Result {
  /// The code object with the instrumented kernels under their old names. All
  /// that was in it is still there, at its address.
  std::vector<uint8_t> CodeObject;
  /// The same, but the old kernels still run under their names: for comparing.
  std::vector<uint8_t> Uninstrumented;
  /// Those that were asked for, in order, with all names of each.
  std::vector<Kernel> Kernels;
  /// Address and size of each of the tool's variables.
  std::vector<std::pair<uint64_t, uint64_t>> Variables;
};

/// Loads the tool library at \p Path, which registers one tool. Tools are asked
/// in the order in which they are loaded.
LUTHIER_API llvm::Error loadTool(llvm::StringRef Path);
/// Sets options of the tool that was loaded last as `--tool NAME:OPTIONS` does.
/// Fails if it has no such options.
LUTHIER_API llvm::Error setToolOptions(llvm::StringRef Options);
/// The options of the tool that was loaded last, a line for each.
LUTHIER_API std::string toolOptions();

/// Asks each tool's instrument() what to insert into each kernel that
/// \p IsWanted, and does it: all tools' hooks or none. A tool that changes the
/// code of a kernel has to be alone. What cannot be instrumented stays as it
/// is, with the reason; so do all kernels if the file cannot be extended.
/// Addresses that hooks get as arguments are those of the file.
///
/// \p LaunchStack is known to be what every launch gives the kernels in bytes
/// of private memory per work-item; 0 if nobody knows: hooks that need a stack
/// are then refused in kernels whose own grows dynamically.
LUTHIER_API llvm::Expected<Result>
instrument(llvm::ArrayRef<uint8_t> CodeObject,
           llvm::function_ref<bool(llvm::StringRef Kernel)> IsWanted,
           uint32_t LaunchStack = 0);

} // namespace luthier::offline

#endif // LUTHIER_OFFLINE_H
