// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool implements, and how Luthier finds it.
#ifndef LUTHIER_TOOL_H
#define LUTHIER_TOOL_H

#include "luthier/Export.h"
#include "luthier/Kernel.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <hsa/hsa.h>
#include <memory>
#include <string>
#include <vector>

namespace luthier {

/// A kernel dispatch on its way to the queue.
struct KernelDispatch {
  const hsa::LoadedCodeObjectKernel &Kernel;
  /// A copy that is submitted after all tools have seen it.
  hsa_kernel_dispatch_packet_t &Packet;
};

/// One object per tool and process. Callbacks never run before the static
/// constructors of the tool's library have finished.
class LUTHIER_API Tool {
public:
  virtual ~Tool();

  /// Before each kernel dispatch of the application, in the thread that
  /// submits it; different queues may call at once.
  virtual void onDispatch(KernelDispatch &Dispatch) = 0;

  /// Once, when the application ends or shuts the runtime down, after every
  /// instrumented dispatch has completed; variables can still be read.
  virtual void onExit() {}
};

/// Says on stderr, once per kernel and reason, why \p Kernel runs unchanged,
/// and counts it for refusals(). Consumes \p E.
LUTHIER_API void reportRefusal(const hsa::LoadedCodeObjectKernel &Kernel,
                               llvm::Error E);

/// A kernel that ran unchanged although a tool wanted to instrument it.
struct RefusedKernel {
  std::string Kernel;
  std::string Reason; ///< Spelling of the RefusalReason.
};
LUTHIER_API std::vector<RefusedKernel> refusals();

/// Where a tool writes its files: what `luthier run --output` names, else the
/// current directory. The first process of a run that asks gets the plain name
/// and an empty file of that name, the others get theirs with the process id
/// inserted, as in "counts.1234.json".
LUTHIER_API std::string outputPath(llvm::StringRef FileName);

namespace detail {
LUTHIER_API void registerTool(std::unique_ptr<Tool> (*Make)());
} // namespace detail

} // namespace luthier

/// Makes \p ToolClass, which has a default constructor, this library's tool.
#define LUTHIER_TOOL(ToolClass)                                                \
  namespace {                                                                  \
  [[maybe_unused]] const bool LuthierToolRegistered =                          \
      (::luthier::detail::registerTool(                                        \
           []() -> std::unique_ptr<::luthier::Tool> {                          \
             return std::make_unique<ToolClass>();                             \
           }),                                                                 \
       true);                                                                  \
  }

#endif // LUTHIER_TOOL_H
