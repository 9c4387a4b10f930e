// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps hook modules parsed, and what was compiled of them, from one kernel to
// the next.
#ifndef LUTHIER_HOOK_HOOKCOMPILERS_H
#define LUTHIER_HOOK_HOOKCOMPILERS_H

#include "hook/PayloadCompiler.h"
#include <list>
#include <memory>

namespace luthier {

/// Not thread-safe, nor is what find() returns.
class HookCompilers {
public:
  /// The compiler of hooks that are like \p Module's in all that their code
  /// depends on. It keeps a copy of them, so \p Module may go first. \p Store
  /// is null or the same each time, and outlives all compilers.
  llvm::Expected<std::shared_ptr<PayloadCompiler>>
  find(const amdgpu::MCTarget &Target, const HookModule &Module,
       unsigned WaveSize, PayloadStore *Store);

  /// Lets find() use what \p Other has parsed, set up for compiling, and
  /// nothing else of it: variables may be elsewhere, and nobody holds its
  /// compilers any more.
  void takeParsed(HookCompilers Other);

private:
  struct Entry {
    const amdgpu::MCTarget *Target;
    unsigned WaveSize;
    std::shared_ptr<const HookModule> Module;
    std::shared_ptr<PayloadCompiler> Compiler;
  };
  llvm::Expected<std::unique_ptr<PayloadCompiler>>
  create(const amdgpu::MCTarget &Target, const HookModule &Module,
         unsigned WaveSize, PayloadStore *Store);

  /// Used latest first.
  std::list<Entry> Entries;
  std::list<Entry> Parsed; ///< Each of use once.
};

} // namespace luthier

#endif // LUTHIER_HOOK_HOOKCOMPILERS_H
