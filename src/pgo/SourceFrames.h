// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which source each instruction comes from, with the calls that were inlined.
#ifndef LUTHIER_PGO_SOURCEFRAMES_H
#define LUTHIER_PGO_SOURCEFRAMES_H

#include "codeobject/CodeObject.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include <memory>

namespace luthier::pgo {

/// Of a code object, which has to outlive it. Whatever is wrong with debug
/// information, less of it is known.
class SourceFrames {
public:
  static llvm::Expected<SourceFrames> open(const CodeObject &Object);

  /// The innermost first; none if nothing is known. Functions have the names of
  /// their symbols if the compiler has kept them.
  llvm::DIInliningInfo at(uint64_t Address) const;
  llvm::DWARFContext &context() const { return *Context; }

private:
  SourceFrames() = default;

  std::unique_ptr<llvm::object::ObjectFile> File;
  std::unique_ptr<llvm::DWARFContext> Context;
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_SOURCEFRAMES_H
