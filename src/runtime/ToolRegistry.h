// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loaded tools and the calls to them.
#ifndef LUTHIER_RUNTIME_TOOLREGISTRY_H
#define LUTHIER_RUNTIME_TOOLREGISTRY_H

#include "luthier/Tool.h"
#include "runtime/CallContext.h"
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace luthier::runtime {

/// Thread-safe. Holds no lock while a tool runs.
///
/// A tool's library registers a function that makes the tool, from one of its
/// static constructors. The tool is made at the first callback: for a library
/// that Luthier loads, that is after dlopen() has returned; for a preloaded
/// one, after the dynamic linker has started the program.
/// When a dispatch has completed.
struct ToolToCall {
  Tool *Called;
  uint64_t LaunchValue;   ///< As the tool has set it.
  bool WithTimes = false; ///< Likewise.
};

class ToolRegistry {
public:
  using Maker = std::unique_ptr<Tool> (*)();

  /// \p SeesCompletion: the tool overrides onComplete().
  void add(Maker Make, bool SeesCompletion = false);
  /// Loads the libraries named in \p Paths, separated by colons, and gives
  /// their options what \p Options says, a line for each library. Says which
  /// cannot be loaded, are no tools, or do not take their options.
  void loadLibraries(llvm::StringRef Paths, llvm::StringRef Options = "");
  bool empty() const { return Count == 0; }
  bool hasSeveral() const { return Count > 1; }
  /// All tools, which are made now if they are not.
  llvm::ArrayRef<Tool *> loaded();
  /// The library of each of them.
  llvm::SmallVector<ToolLibrary, 4> libraries();

  /// Shows \p Packet, which runs \p Kernel, to all tools. Returns those to call
  /// when it has completed.
  llvm::SmallVector<ToolToCall, 1>
  onDispatch(const hsa::LoadedCodeObjectKernel &Kernel,
             hsa_kernel_dispatch_packet_t &Packet, uint64_t Id,
             const Launch *About, RedirectedLaunch *Redirected = nullptr);
  /// \p Times go to those that have asked for them.
  void onComplete(llvm::ArrayRef<ToolToCall> Of, KernelDispatch Dispatch,
                  std::optional<DispatchTimes> Times = std::nullopt);
  void onCodeObject(const hsa::LoadedCodeObject &Object, bool IsLoaded);
  /// True if there was a dispatch while there were tools.
  bool hasSeenDispatch() const { return Seen; }
  /// There was one that tools are not to see.
  void leftOutDispatch() { Seen = true; }
  /// After this no tool is called any more.
  void onExit();

private:
  using ToolList = llvm::SmallVector<Tool *, 4>;
  struct Registered {
    Maker Make;
    bool SeesCompletion;
  };

  ToolList tools();
  bool seesCompletion(const Tool *T);
  /// True if a tool comes from the library with this dlopen() handle.
  bool registeredBy(void *Library);

  std::atomic<size_t> Count = 0; ///< Registered, made or not.
  std::atomic<bool> Ended = false;
  std::atomic<bool> Seen = false;
  std::mutex MakeLock;
  std::vector<Registered> Makers; ///< In the order of Tools.
  std::shared_mutex ToolsLock;
  /// Never destroyed: a thread that outlives main() may still be in one.
  ToolList Tools;
};

/// \p Named, which lists libraries as HSA_TOOLS_LIB does, with \p Library.
std::string withToolsLibrary(llvm::StringRef Named, llvm::StringRef Library);

/// Lives until the process is gone.
ToolRegistry &toolRegistry();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLREGISTRY_H
