// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects from assembly text, LLVM IR (both in this process) or C++ and
// HIP (by clang, results kept in the build folder).
#ifndef LUTHIER_TEST_SUPPORT_CODEBUILDER_H
#define LUTHIER_TEST_SUPPORT_CODEBUILDER_H

#include "Targets.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace luthier::test {

using Bytes = std::vector<uint8_t>;

/// A kernel named "kernel" in assembly. Launch state: s[0:1] address of the
/// kernel arguments; v0 (and v1, v2, or packed into v0) the work-item ids. The
/// macros below work on every target:
///   workgroup_id_x Sgpr     what the launch gives
///   wait_all                until all loads and stores are done
///   vadd Vdst, A, B         32-bit addition without carry
/// Other mnemonics are those of the target, where LLVM knows old spellings on
/// new targets, too (global_load_dword, s_load_dwordx2).
struct AssemblyKernel {
  std::string Body; ///< From the entry to the last s_endpgm.
  std::string
      Functions; ///< Further functions with their symbols; may be empty.
  unsigned VGPRs = 32, AGPRs = 0, SGPRs = 32;
  unsigned Lds = 0;         ///< Bytes of a workgroup.
  unsigned Scratch = 0;     ///< Bytes of a work-item.
  unsigned WorkItemIds = 1; ///< Axes, 1 to 3.
  /// User SGPRs after s[0:1] for the rest of the launch: with scratch, on
  /// targets before gfx940, s[2:3] is flat_scratch_init.
  unsigned MaxWorkgroup = 1024;
  unsigned KernargBytes = 64;
  std::string Directives; ///< Further lines for .amdhsa_kernel.
};

/// \p Version is 4, 5 or 6.
llvm::Expected<Bytes> assembleKernel(const EngineTarget &T,
                                     const AssemblyKernel &Kernel,
                                     unsigned Version = 5);
/// A whole file with its own directives.
llvm::Expected<Bytes> assembleFile(const EngineTarget &T,
                                   const std::string &Text,
                                   unsigned Version = 5);

/// LLVM IR; triple and data layout are filled in. Only the code generator runs,
/// unless \p Optimise.
llvm::Expected<Bytes>
compileIR(const EngineTarget &T, const std::string &IR, unsigned Version = 5,
          llvm::CodeGenOptLevel Level = llvm::CodeGenOptLevel::Default,
          bool Optimise = false);
/// The same for a module, which is used up. Fails with errc::not_supported
/// where LLVM itself gives up, as for want of registers.
llvm::Expected<Bytes>
compileModule(const EngineTarget &T, llvm::Module &M, unsigned Version = 5,
              llvm::CodeGenOptLevel Level = llvm::CodeGenOptLevel::Default,
              bool Optimise = false);

/// C++ for the bare device, without any library: kernels are
/// extern "C" [[clang::amdgpu_kernel, gnu::visibility("protected")]] void.
/// \p Flags such as "-O0" come last.
llvm::Expected<Bytes>
compileCpp(const EngineTarget &T, const std::string &Source,
           const std::vector<std::string> &Flags = {"-O2"},
           unsigned Version = 5);
/// HIP with its headers and the device libraries.
llvm::Expected<Bytes>
compileHip(const EngineTarget &T, const std::string &Source,
           const std::vector<std::string> &Flags = {"-O2"},
           unsigned Version = 5);
/// HIP hooks, as luthier_add_tool() compiles them: the code object that holds
/// the bitcode, of RDNA for both wave sizes, and the variables. \p Source is
/// without includes.
llvm::Expected<Bytes> compileHooks(const EngineTarget &T,
                                   const std::string &Source,
                                   bool OneWaveSize = false);

} // namespace luthier::test

#endif // LUTHIER_TEST_SUPPORT_CODEBUILDER_H
