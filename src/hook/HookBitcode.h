// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hook bitcode as a file has it: what is in it, and the code object that it
// comes with, or would come with.
#ifndef LUTHIER_HOOK_HOOKBITCODE_H
#define LUTHIER_HOOK_HOOKBITCODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace luthier {

/// Where code objects have it.
inline constexpr llvm::StringLiteral HooksSection = ".llvmbc";

struct BitcodeContents {
  std::vector<std::string> Hooks; ///< In their order.
  struct Variable {
    std::string Name;
    uint64_t Size;  ///< Of a managed one, of what leads to it.
    bool IsManaged; ///< As far as loads tell.
    bool IsConstant;
  };
  /// That the hooks use, but for shared memory. Others define them.
  std::vector<Variable> Variables;
};

/// Of what the plugin embeds (HookModule.h).
llvm::Expected<BitcodeContents> readHookBitcode(llvm::ArrayRef<uint8_t> Bytes);

bool isBitcode(llvm::ArrayRef<uint8_t> Bytes);

/// A code object with the hooks of \p Bytes, for the processor that they were
/// compiled for. \p Bytes is either what clang makes of a tool's device code
/// with Luthier's plugin (-emit-llvm), or what the plugin embeds. In that,
/// variables are only declared: they are defined here, as zeros; not so
/// constants and managed variables, of which something is missing. Fails if
/// there are no hooks.
llvm::Expected<std::vector<uint8_t>>
makeCodeObject(llvm::ArrayRef<uint8_t> Bytes);

} // namespace luthier

#endif // LUTHIER_HOOK_HOOKBITCODE_H
