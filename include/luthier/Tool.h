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

namespace llvm {
class raw_ostream;
}

namespace luthier {

class InstrumentationTask;
class LiftedRepresentation;

/// A kernel dispatch on its way to the queue.
struct KernelDispatch {
  const hsa::LoadedCodeObjectKernel &Kernel;
  /// A copy that is submitted after all tools have seen it.
  hsa_kernel_dispatch_packet_t &Packet;
};

/// One object per tool and process. Callbacks never run before the static
/// constructors of the tool's library have finished.
///
/// A tool that treats every dispatch of a kernel alike overrides instrument()
/// and report(). One that decides dispatch by dispatch overrides onDispatch();
/// without instrument() it cannot be used by `luthier instrument`.
class LUTHIER_API Tool {
public:
  virtual ~Tool();

  /// Says what to insert into one kernel; may also edit \p LR, which is a
  /// private copy. Once per kernel and device, or, for `luthier instrument`,
  /// without any device. Different threads may call at once.
  virtual llvm::Error instrument(LiftedRepresentation &LR,
                                 InstrumentationTask &Task);

  /// Before each kernel dispatch of the application, in the thread that
  /// submits it; different queues may call at once. By default, the dispatch
  /// runs what instrument() asks for, or the original and a refusal is
  /// reported.
  virtual void onDispatch(KernelDispatch &Dispatch);

  /// Writes what the tool has found out; nothing by default.
  virtual void report(llvm::raw_ostream &) {}

  /// Once, when the application ends or shuts the runtime down, after every
  /// instrumented dispatch has completed; variables can still be read. By
  /// default, report() to stderr.
  virtual void onExit();
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
