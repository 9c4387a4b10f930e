// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device side of one compilation: a code object for each target, and, once
// something is done with it on an agent, what its hooks need there: their code
// is loaded if one of them needs a variable of it. Static ones are the fat
// binary of a source file of a tool, dynamic ones anything that was loaded at
// run time; but for where their code objects come from and when they end, they
// are the same.
#ifndef LUTHIER_RUNTIME_TOOLMODULE_H
#define LUTHIER_RUNTIME_TOOLMODULE_H

#include "codeobject/FatBinary.h"
#include "hook/HookModule.h"
#include "runtime/HookOwner.h"
#include "runtime/ManagedStorage.h"
#include "runtime/OwnExecutable.h"
#include "runtime/RememberedError.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace luthier::runtime {

/// Not thread-safe: ToolModules guards it. Its end may come in any thread.
class ToolModule : public HookOwner {
public:
  struct OnAgent {
    BundledCodeObject Code; ///< Gone when somebody has tried to place() it.
    HookModule Hooks;
    /// Null as long as nobody needs a variable of it that is not managed.
    std::unique_ptr<OwnExecutable> Executable;
    llvm::StringMap<uint64_t> Addresses; ///< Of what is in Executable.
    /// Cells of managed variables that nobody has asked for. Hooks have the
    /// storage's address, and to fill a cell takes a copy by the GPU.
    llvm::StringMap<uint64_t> EmptyCells;
    std::optional<RememberedError> PlaceError; ///< Why Executable is null.
  };

  /// For code of one target, without a device.
  struct Offline {
    TargetID Target;
    std::unique_ptr<CodeObject> Code;
    HookModule Hooks;
  };

  /// What is in it, whatever the target.
  struct Contents {
    struct Variable {
      uint64_t Size = 0; ///< 0: nobody knows.
      bool IsManaged = false;
    };
    std::map<std::string, Variable> Variables;
    std::vector<std::string> Hooks; ///< Sorted.
    std::vector<std::string> Targets;
    std::string Compilation;
  };

  /// Static: \p Bundle is what the library registered.
  ToolModule(const void *Bundle, llvm::StringRef Library)
      : Library(Library), Bundle(Bundle) {}
  /// Dynamic: \p Images own their bytes. Managed variables get their memory.
  static llvm::Expected<std::shared_ptr<ToolModule>>
  makeDynamic(llvm::StringRef Name, std::vector<BundledCodeObject> Images);
  ~ToolModule();
  ToolModule(const ToolModule &) = delete;
  ToolModule &operator=(const ToolModule &) = delete;

  bool isStatic() const { return Images.empty(); }
  /// File name, for messages.
  std::string name() const;

  /// Null if nobody has opened it on \p Agent.
  OnAgent *find(hsa_agent_t Agent);
  /// Has the hooks for \p Agent, which nobody has opened it on. The device gets
  /// nothing yet. Refuses with ToolWithoutTarget and ToolWithoutBitcode; the
  /// same error comes next time. \p Complete has the last word on what is
  /// there.
  llvm::Expected<OnAgent &>
  open(hsa_agent_t Agent, llvm::function_ref<llvm::Error(OnAgent &)> Complete);
  /// Loads its code, unless it is loaded. If that fails, so it does next time.
  /// \p Complete has the last word.
  llvm::Error place(hsa_agent_t Agent, OnAgent &Where,
                    llvm::function_ref<llvm::Error()> Complete);
  /// Of one of the hooks' Variables. Nothing if that takes place(), as it does
  /// for every open channel, or fillCell(), or there is none.
  std::optional<uint64_t> placeOf(llvm::StringRef Name, hsa_agent_t Agent,
                                  const OnAgent &Where) const;
  /// Has the cell called \p Name lead to its storage, if it is an empty one.
  static llvm::Error fillCell(llvm::StringRef Name, OnAgent &Where);
  /// Without a device. All of HookModule but HostVariables is set.
  llvm::Expected<Offline> makeOffline(const TargetID &Target);
  /// The same, made once.
  llvm::Expected<Offline &> findOffline(const TargetID &Target, bool &IsNew);
  llvm::Expected<const Contents &> contents();

  /// Has a variable be elsewhere on \p Agent, which nobody has opened it on.
  void bind(llvm::StringRef Name, hsa_agent_t Agent, uint64_t Address,
            size_t Size);
  ManagedVariable *findManaged(llvm::StringRef Name);
  bool isOnAnyAgent() const { return !Opened.empty(); }
  /// The GPU runtime ends: what was loaded is gone.
  void closed();

  const std::string Library; ///< Path of the tool, or of a dynamic module.
  std::vector<ManagedVariable> Managed;
  std::deque<Offline> Unloaded; ///< Never moved.
  /// Variables of a dynamic one that are open channels. For Channels, addresses
  /// of the members, which never move, stand for them.
  std::map<std::string, char> ChannelVariables;

private:
  struct BoundMemory {
    uint64_t Address;
    size_t Size;
  };

  llvm::Expected<std::vector<BundledCodeObject>> images() const;
  llvm::Expected<BundledCodeObject> codeObjectFor(const TargetID &Device) const;
  llvm::Expected<BundledCodeObject> codeObjectFor(hsa_agent_t Agent) const;
  llvm::Expected<std::unique_ptr<OnAgent>> openAnew(hsa_agent_t Agent);
  llvm::Error placeAnew(hsa_agent_t Agent, OnAgent &Where);
  llvm::Expected<std::unique_ptr<CodeObject>>
  readHooks(const BundledCodeObject &Entry);
  llvm::Error findStorage(hsa_agent_t Agent, OnAgent &Where);
  llvm::Error add(const BundledCodeObject &Image, Contents &To) const;
  llvm::Error makeManaged();

  const void *Bundle = nullptr;
  std::vector<BundledCodeObject> Images;               ///< Of a dynamic one.
  std::map<uint64_t, std::unique_ptr<OnAgent>> Opened; ///< By agent handle.
  std::map<uint64_t, RememberedError> Failed; ///< What could not be opened.
  std::map<uint64_t, llvm::StringMap<BoundMemory>> Bound; ///< By agent handle.
  std::optional<Contents> Known;
  /// What a code object has without any device, by its target: the engine gets
  /// ready with it before there is something to open.
  std::map<std::string, HookModule> Read;
};

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_TOOLMODULE_H
