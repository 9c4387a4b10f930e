// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All modules of the loaded tools: static ones, which their libraries
// registered from static constructors, and dynamic ones.
#ifndef LUTHIER_RUNTIME_TOOLMODULES_H
#define LUTHIER_RUNTIME_TOOLMODULES_H

#include "luthier/InstrumentationModule.h"
#include "runtime/Channels.h"
#include "runtime/OwnHooks.h"
#include "runtime/ToolModule.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace luthier::runtime {

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

  // Dynamic modules, and modules by name.
  std::shared_ptr<ToolModule> addDynamic(std::shared_ptr<ToolModule> New);
  /// Nothing finds \p Module from now on. Its memory goes with the last share
  /// of it. Returns its number.
  uint64_t remove(const ToolModule &Module);
  /// Static ones of the library at \p Path.
  std::vector<std::shared_ptr<ToolModule>> ofLibrary(llvm::StringRef Path);
  /// True if \p Handle is of a hook of the module that had \p Number.
  static bool isHookOf(const void *Handle, uint64_t Number);
  /// What \p Ask says of what is in \p Module.
  llvm::Error ask(ToolModule &Module,
                  llvm::function_ref<void(const ToolModule::Contents &)> Ask);
  /// A handle for the hook: the same each time, and of no other ever. It is no
  /// address.
  llvm::Expected<const void *> handleOf(ToolModule &Module,
                                        llvm::StringRef Hook);
  /// Where the variable is on \p Agent, of \p Size bytes, if that is given.
  llvm::Expected<uint64_t> addressOf(ToolModule &Module, llvm::StringRef Name,
                                     hsa_agent_t Agent,
                                     std::optional<size_t> Size = {});
  llvm::Error read(ToolModule &Module, llvm::StringRef Name, hsa_agent_t Agent,
                   void *To, size_t Size);
  llvm::Error write(ToolModule &Module, llvm::StringRef Name, hsa_agent_t Agent,
                    const void *From, size_t Size);
  llvm::Error bind(ToolModule &Module, llvm::StringRef Name, hsa_agent_t Agent,
                   uint64_t Address, size_t Size);
  llvm::Expected<void *> managed(ToolModule &Module, llvm::StringRef Name,
                                 size_t Size);
  /// Has variable \p Name of a dynamic module be a channel.
  llvm::Expected<Channels::Pointer>
  openChannel(ToolModule &Module, llvm::StringRef Name, uint32_t LargestRecord,
              detail::RawConsumer Consume, const ChannelOptions &Options);
  /// What hooks of a dynamic module print is shown, if they do so.
  llvm::Error openPrints(ToolModule &Module);

  /// The hook behind \p Handle, ready to be linked on \p Agent. Fails with
  /// UnknownHook, ToolWithoutTarget or ToolWithoutBitcode.
  llvm::Expected<ResolvedHook> resolve(const void *Handle, hsa_agent_t Agent);

  /// The same without a device, for code of \p Target: the module's variables
  /// have no addresses.
  llvm::Expected<HookReference> resolveOffline(const void *Handle,
                                               const TargetID &Target);
  /// Of the first static module that has hooks which run on \p Target, those,
  /// with code that is taken for that target's. Nothing if there is none.
  std::optional<OwnHooks> hooksFor(const TargetID &Target);
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

  /// What messages say of a module, also when it is gone.
  struct Description {
    std::string Name;
    std::vector<std::string> Hooks; ///< None before one is asked for.
    auto operator<=>(const Description &) const = default;
  };

  /// A hook of a module, by what its handle is made of.
  struct NumberedHook {
    uint64_t Module; ///< Number.
    unsigned Index;  ///< Among the module's hooks.
  };

  /// Nothing if \p Handle is an address, of a static module's hook.
  static std::optional<NumberedHook> numbered(const void *Handle);

  // All of these expect the caller to hold Lock.
  void describe(uint64_t Number, Description What);
  llvm::Expected<ToolModule::OnAgent &> open(ToolModule &Module,
                                             hsa_agent_t Agent);
  /// Where one of the hooks' variables is. Nothing if there is no such.
  llvm::Expected<std::optional<uint64_t>>
  place(ToolModule &Module, llvm::StringRef Name, hsa_agent_t Agent);
  /// Name is the hook's.
  llvm::Expected<Function> hookOf(const void *Handle) const;
  llvm::Expected<ToolModule::Contents::Variable>
  variable(ToolModule &Module, llvm::StringRef Name,
           std::optional<size_t> Size);
  llvm::Expected<uint64_t> find(ToolModule &Module, llvm::StringRef Name,
                                hsa_agent_t Agent, std::optional<size_t> Size);
  std::shared_ptr<ToolModule> shared(const ToolModule &Module) const;
  llvm::Error listHostVariables(const ToolModule &Module, HookModule &Hooks,
                                bool IsOnDevice);
  llvm::Error tellOfVariables(const ToolModule &Module, hsa_agent_t Agent,
                              const ToolModule::OnAgent &Where);
  /// Device address of \p Size bytes from \p Offset on; the caller holds Lock.
  llvm::Expected<uint64_t> addressOf(const void *Host, hsa_agent_t Agent,
                                     size_t Size, size_t Offset);
  /// Null unless \p Host points into managed memory.
  bool isManaged(const void *Host, size_t Size) const;

  class Places;

  std::mutex Lock;
  /// By number: none is used twice.
  std::map<uint64_t, std::shared_ptr<ToolModule>> Modules;
  /// Each once, since programs load the same module again and again.
  std::set<Description> Descriptions;
  /// Of all modules that there ever were, by number.
  std::vector<const Description *> Described;
  std::unordered_map<const void *, Function> Functions;
  std::unordered_map<const void *, Variable> Variables;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLMODULES_H
