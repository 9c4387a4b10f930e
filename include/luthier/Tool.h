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
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace luthier {

namespace runtime {
struct CallContext;
}

class InstrumentationTask;
class LiftedRepresentation;

/// When a kernel ran on its device, in nanoseconds of the GPU runtime's clock
/// (HSA_SYSTEM_INFO_TIMESTAMP).
struct DispatchTimes {
  uint64_t Begin = 0, End = 0;
};

/// A kernel dispatch: on its way to the queue, or completed.
class KernelDispatch {
public:
  const hsa::LoadedCodeObjectKernel &Kernel;
  /// A copy that is submitted after all tools have seen it.
  hsa_kernel_dispatch_packet_t &Packet;
  /// Counts the dispatches of the process: the same in onDispatch() and in
  /// onComplete().
  const uint64_t Id;
  /// Set by onDispatch() to be spared onComplete() of this dispatch.
  bool SkipCompletion = false;
  /// Set by onDispatch() to find Times in onComplete(). Luthier then takes the
  /// place of the packet's completion signal, and completes the application's
  /// some microseconds later.
  bool WithTimes = false;
  /// In onComplete() alone; none if nobody asked, or the runtime has none.
  std::optional<DispatchTimes> Times = std::nullopt;
  /// What luthier::launchValue() yields in the hooks of this dispatch, 0 unless
  /// onDispatch() sets it before it overrides the kernel: the address of a
  /// buffer for its results, for instance. onComplete() finds it again.
  uint64_t LaunchValue = 0;
  /// Bytes of LDS that each workgroup of this dispatch has for the hooks, from
  /// luthier::groupMemory() on. Set likewise; where so much does not fit beside
  /// what the application and other hooks use, overriding the kernel is refused
  /// with SharedMemory.
  uint32_t GroupBytes = 0;

  KernelDispatch(const hsa::LoadedCodeObjectKernel &Kernel,
                 hsa_kernel_dispatch_packet_t &Packet, uint64_t Id = 0,
                 const runtime::CallContext *Context = nullptr)
      : Kernel(Kernel), Packet(Packet), Id(Id), Context(Context) {}

private:
  friend struct runtime::CallContext;
  const runtime::CallContext *Context; ///< What Luthier knows of the launch.
};

/// One object per tool and process. Callbacks never run before the static
/// constructors of the tool's library have finished.
///
/// A tool that treats every dispatch of a kernel alike overrides instrument()
/// and report(). One that decides dispatch by dispatch overrides onDispatch();
/// without instrument() it cannot be used by `luthier instrument`.
///
/// An exception that leaves a callback is said on stderr, with the tool and the
/// kernel. A kernel about which instrument() or onDispatch() throws runs
/// unchanged; a tool whose constructor throws is left out.
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

  /// After a dispatch that onDispatch() was called for has completed on the
  /// device: what its kernel wrote can be read, readVariable() included.
  ///
  /// Only for tools that override it: the queue then stands still from the end
  /// of the kernel until this returns, so that nothing behind it in its queue
  /// has changed what it left. Other queues go on. The application may learn of
  /// the end of the kernel, and submit more, before this is called. Each
  /// dispatch takes the place of three in the queue.
  ///
  /// In a thread of Luthier's, one for each queue, in the order in which the
  /// queue's dispatches were submitted; onDispatch() of later ones may come
  /// before. What \p Dispatch.Packet points to may be gone: the arguments are
  /// the application's. Must not wait for what the application does next, nor
  /// for work behind the kernel. All have returned before onExit(). Not called
  /// for dispatches of a queue that failed or was inactivated, nor for those
  /// that have not completed when the process ends (LUTHIER_EXIT_TIMEOUT).
  virtual void onComplete(const KernelDispatch &Dispatch);

  /// The application has loaded code, which it can dispatch from now on; or is
  /// about to unload it, when none of it runs any more. In the thread that does
  /// so; different threads may call at once. Code that the application never
  /// unloads is not reported again when it ends.
  virtual void onCodeObjectLoaded(const hsa::LoadedCodeObject &Object);
  virtual void onCodeObjectUnloaded(const hsa::LoadedCodeObject &Object);

  /// Writes what the tool has found out; nothing by default.
  virtual void report(llvm::raw_ostream &) {}

  /// Once, when the application ends or shuts the runtime down, after every
  /// instrumented dispatch has completed; variables can still be read. By
  /// default, printReport() of what report() writes.
  ///
  /// Where the program ends otherwise than by exit() (docs/process-ends.md), in
  /// a thread of Luthier's while the ending thread stands still, perhaps inside
  /// this tool: locks that it holds are never released.
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
/// inserted, as in "counts.1234.json". Files of earlier runs get names such as
/// "counts.json.~1~".
LUTHIER_API std::string outputPath(llvm::StringRef FileName);

namespace detail {
LUTHIER_API void registerTool(std::unique_ptr<Tool> (*Make)(),
                              bool SeesCompletion = false);

/// Waiting for the end of each kernel costs time, so Luthier does it only for
/// tools that have something to do there.
template <typename T> constexpr bool overridesOnComplete() {
  if constexpr (requires { &T::onComplete; })
    return !std::is_same_v<decltype(&T::onComplete),
                           decltype(&Tool::onComplete)>;
  else
    return true; // It is not public there.
}

/// What LUTHIER_TOOL takes.
template <typename T>
concept IsTool = std::is_convertible_v<T *, Tool *> && !std::is_abstract_v<T> &&
                 std::is_default_constructible_v<T>;
} // namespace detail

} // namespace luthier

/// Makes \p ToolClass, which has a default constructor, this library's tool.
#define LUTHIER_TOOL(ToolClass)                                                \
  static_assert(std::is_convertible_v<ToolClass *, ::luthier::Tool *>,         \
                #ToolClass " is no tool: write struct " #ToolClass             \
                           " : luthier::Tool, or, of a class, "                \
                           "public luthier::Tool");                            \
  static_assert(!std::is_abstract_v<ToolClass>,                                \
                #ToolClass " lacks a function that its base class needs: "     \
                           "override count() with the same parameters");       \
  static_assert(std::is_abstract_v<ToolClass> ||                               \
                    std::is_default_constructible_v<ToolClass>,                \
                "Luthier makes the tool itself: give " #ToolClass              \
                " a public constructor without parameters");                   \
  namespace {                                                                  \
  template <typename T> bool registerLuthierTool() {                           \
    if constexpr (::luthier::detail::IsTool<T>)                                \
      ::luthier::detail::registerTool(                                         \
          []() -> std::unique_ptr<::luthier::Tool> {                           \
            return std::make_unique<T>();                                      \
          },                                                                   \
          ::luthier::detail::overridesOnComplete<T>());                        \
    return true;                                                               \
  }                                                                            \
  [[maybe_unused]] const bool LuthierToolRegistered =                          \
      registerLuthierTool<ToolClass>();                                        \
  }

#endif // LUTHIER_TOOL_H
