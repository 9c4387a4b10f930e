// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of the loaded tools: what their libraries registered from
// static constructors, and, once something is instrumented on an agent, their
// code objects loaded there.
#ifndef LUTHIER_RUNTIME_TOOLMODULES_H
#define LUTHIER_RUNTIME_TOOLMODULES_H

#include "codeobject/FatBinary.h"
#include "hook/HookModule.h"
#include "runtime/ManagedStorage.h"
#include "runtime/OwnExecutable.h"
#include "runtime/RememberedError.h"
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace luthier::runtime {

/// One fat binary of a tool: a source file of it.
struct ToolModule {
  struct OnAgent {
    std::unique_ptr<OwnExecutable> Executable;
    HookModule Hooks;
  };

  /// For code of one target, without a device.
  struct Offline {
    TargetID Target;
    std::unique_ptr<CodeObject> Code;
    HookModule Hooks;
  };

  const void *Bundle = nullptr;
  std::string Library; ///< Path of the tool.
  std::vector<ManagedVariable> Managed;
  std::map<uint64_t, std::unique_ptr<OnAgent>> Loaded; ///< By agent handle.
  std::deque<Offline> Unloaded;                        ///< Never moved.
  std::map<uint64_t, RememberedError> Failed; ///< What could not be loaded.

  /// File name of the library, for messages.
  std::string name() const;
};

/// Thread-safe.
class ToolModules {
public:
  // Registration. Names are copied; nothing here touches the GPU runtime.
  ToolModule *addModule(const void *Bundle, llvm::StringRef Library);
  void addFunction(ToolModule &Module, const void *Stub, llvm::StringRef Name);
  void addVariable(ToolModule &Module, const void *Shadow, llvm::StringRef Name,
                   size_t Size);
  /// Returns the variable's memory, holding \p Initial already.
  void *addManagedVariable(ToolModule &Module, llvm::StringRef Name,
                           const void *Initial, size_t Size, size_t Alignment);

  /// The hook behind \p Handle, ready to be linked on \p Agent. Fails with
  /// UnknownHook, ToolWithoutTarget or ToolWithoutBitcode.
  llvm::Expected<HookReference> resolve(const void *Handle, hsa_agent_t Agent);

  /// The same without a device, for code of \p Target: the module's variables
  /// have no addresses.
  llvm::Expected<HookReference> resolveOffline(const void *Handle,
                                               const TargetID &Target);
  /// The tool's own code, of a module that resolveOffline() gave.
  const CodeObject *offlineCode(const HookModule &Module);

  /// \p Size bytes from \p Offset on of the variable at \p Host.
  llvm::Error read(const void *Host, hsa_agent_t Agent, void *To, size_t Size,
                   size_t Offset = 0);
  llvm::Error write(const void *Host, hsa_agent_t Agent, const void *From,
                    size_t Size, size_t Offset = 0);

  /// A number that changes when devices write managed variables.
  uint64_t managedFingerprint();
  /// The GPU runtime ends: what was loaded is gone.
  void unloaded();

private:
  struct Variable {
    ToolModule *Module;
    std::string Name;
    size_t Size;
  };
  struct Function {
    ToolModule *Module;
    std::string Name;
  };

  llvm::Expected<ToolModule::OnAgent &> load(ToolModule &Module,
                                             hsa_agent_t Agent);
  llvm::Expected<std::unique_ptr<ToolModule::OnAgent>>
  loadAnew(ToolModule &Module, hsa_agent_t Agent);
  llvm::Expected<BundledCodeObject> codeObjectFor(const ToolModule &Module,
                                                  hsa_agent_t Agent);
  static llvm::Expected<BundledCodeObject>
  codeObjectFor(const ToolModule &Module, const TargetID &Device);
  static llvm::Expected<std::unique_ptr<CodeObject>>
  readHooks(const ToolModule &Module, const BundledCodeObject &Entry,
            HookModule &Hooks);
  /// Name is the hook's.
  llvm::Expected<Function> hookOf(const void *Handle) const;
  llvm::Error linkManaged(ToolModule &Module, ToolModule::OnAgent &Where);
  llvm::Error listHostVariables(const ToolModule &Module, HookModule &Hooks,
                                bool IsLoaded);
  llvm::Error tellOfVariables(const ToolModule &Module, hsa_agent_t Agent,
                              const ToolModule::OnAgent &Where);
  /// Device address of \p Size bytes from \p Offset on; the caller holds Lock.
  llvm::Expected<uint64_t> addressOf(const void *Host, hsa_agent_t Agent,
                                     size_t Size, size_t Offset);
  /// Null unless \p Host points into managed memory.
  bool isManaged(const void *Host, size_t Size) const;

  std::mutex Lock;
  std::deque<ToolModule> Modules;
  std::unordered_map<const void *, Function> Functions;
  std::unordered_map<const void *, Variable> Variables;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLMODULES_H
