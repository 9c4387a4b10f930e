// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device code of a tool as one thing: the hooks and variables of one
// compilation, for all targets it was compiled for and on all devices.
//
// Static modules are the tool's own source files, which luthier_add_tool() has
// put into its library; they are there as long as the process. Dynamic ones
// come from files or memory, or are compiled from source, at any time, and can
// be unloaded at any time.
//
//   auto Module = luthier::InstrumentationModule::load("hooks.co");
//   auto Count = Module->hook<void(uint32_t)>("count");
//   Task.insertHookBefore(MI, *Count, {3u});
//   uint64_t Sum;
//   Module->read("Sum", Agent, Sum);
//
// Hooks of any modules may be in one kernel, those of the same name too. All
// calls are thread-safe; none may be made from static constructors. docs/
// modules.md has more.
#ifndef LUTHIER_INSTRUMENTATIONMODULE_H
#define LUTHIER_INSTRUMENTATIONMODULE_H

#include "luthier/Export.h"
#include "luthier/HookHandle.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <hsa/hsa.h>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace luthier {

namespace runtime {
class ToolModule;
}
namespace detail {
struct ModuleAccess; // Luthier's.
}

/// What is wrong with a module, or with what is asked of it.
enum class ModuleFault {
  NotReadable,    ///< The file cannot be read.
  NotAModule,     ///< No code object, bundle or bitcode, or one without hooks.
  NoHook,         ///< It has no hook of that name.
  NoVariable,     ///< It has no variable of that name.
  WrongSize,      ///< The variable has another size.
  InUse,          ///< Too late: the device has the module already.
  Unloaded,       ///< The module is unloaded, or the object is empty.
  Static,         ///< A part of a tool cannot be unloaded.
  NoCompiler,     ///< The compiler, or something that it needs, is missing.
  DoesNotCompile, ///< The source has errors; the message is the compiler's.
};

class LUTHIER_API ModuleError : public llvm::ErrorInfo<ModuleError> {
public:
  static char ID;
  ModuleError(ModuleFault Fault, std::string Message)
      : Fault(Fault), Message(std::move(Message)) {}

  ModuleFault fault() const { return Fault; }
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

private:
  ModuleFault Fault;
  std::string Message;
};

/// How InstrumentationModule::compile() compiles.
struct ModuleSource {
  /// What messages call the source, and the module.
  std::string Name = "hooks.hip";
  /// Processors, such as "gfx90a"; without any, those of the devices.
  std::vector<std::string> Targets = {};
  /// Further options of clang.
  std::vector<std::string> Flags = {"-O2"};
};

struct ModuleVariable {
  std::string Name;
  uint64_t Size;
  bool IsManaged;
};

/// Cheap to copy. Copies are the same module; unloading one unloads all.
class LUTHIER_API InstrumentationModule {
public:
  /// Of no module: every call fails with Unloaded.
  InstrumentationModule() = default;

  /// A code object, a clang offload bundle of those (compressed or not), a
  /// program or library with one, or LLVM bitcode, also within a bundle:
  /// whatever luthier_add_tool's compiler makes of one source. Code objects
  /// and their bitcode need not be for the devices there are; that is a refusal
  /// (ToolWithoutTarget) where a hook is used. Initial values of variables are
  /// those of the source, except where the bitcode is the bare one of the
  /// hooks: then they are zeros.
  static llvm::Expected<InstrumentationModule> load(llvm::StringRef Path);
  /// The same from memory, which is copied. \p Name is for messages.
  static llvm::Expected<InstrumentationModule>
  load(llvm::ArrayRef<uint8_t> Bytes, llvm::StringRef Name);

  /// Compiles HIP source with the clang that Luthier was built for, in a
  /// process of its own: some seconds. <hip/hip_runtime.h>, Hook.h and
  /// Intrinsics.h are included already, and the source is marked as one with
  /// hooks (MARK_LUTHIER_DEVICE_MODULE may stand in it, too). Fails with
  /// DoesNotCompile, or with NoCompiler where a file is missing that this
  /// needs (docs/modules.md).
  static llvm::Expected<InstrumentationModule>
  compile(llvm::StringRef Source, const ModuleSource &How = {});

  /// The static modules of the library that calls this, one for each of its
  /// source files with device code.
  __attribute__((
      always_inline)) static inline std::vector<InstrumentationModule>
  ofTool();

  /// Ends a dynamic module. Its hooks can no longer be inserted, kernels that
  /// have them are instrumented anew when they are next dispatched, and what is
  /// under way runs to its end: code and variables stay until then. Memory that
  /// was bound to its variables has to stay as well; managed() pointers are
  /// invalid from now on. Fails with Static.
  llvm::Error unload();
  bool isLoaded() const;
  bool isStatic() const;
  /// File name, of a static module the tool's.
  std::string name() const { return Name; }
  /// Clang's identifier of the compilation (-cuid), the same on all devices.
  llvm::Expected<std::string> compilation() const;
  /// Such as "gfx90a:xnack-".
  llvm::Expected<std::vector<std::string>> targets() const;
  /// Of all targets, sorted.
  llvm::Expected<std::vector<std::string>> hooks() const;
  llvm::Expected<std::vector<ModuleVariable>> variables() const;

  /// What InstrumentationTask takes, for hook \p Name; fails with NoHook.
  /// Whether its arguments fit is checked when a kernel is instrumented.
  llvm::Expected<const void *> hook(llvm::StringRef Name) const;
  /// The same with a type that the hook is known to have, such as
  /// void(uint32_t): the compiler then checks arguments.
  template <typename Signature>
  llvm::Expected<HookHandle<Signature>> hook(llvm::StringRef Name) const {
    llvm::Expected<const void *> Handle = hook(Name);
    if (!Handle)
      return Handle.takeError();
    return HookHandle<Signature>(*Handle);
  }

  /// Where variable \p Name is for \p Agent: an argument for any hook. Of a
  /// managed variable, the same for all agents.
  llvm::Expected<uint64_t> address(llvm::StringRef Name,
                                   hsa_agent_t Agent) const;

  /// The value of variable \p Name on \p Agent. Call it when no kernel that
  /// writes the variable is running. Fails with NoVariable and WrongSize, and
  /// as hooks are refused if the module is not for that device.
  template <typename T>
  llvm::Error read(llvm::StringRef Name, hsa_agent_t Agent, T &Value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return readBytes(Name, Agent, &Value, sizeof(T));
  }
  template <typename T>
  llvm::Error write(llvm::StringRef Name, hsa_agent_t Agent,
                    const T &Value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return writeBytes(Name, Agent, &Value, sizeof(T));
  }
  /// The same for a size known only at run time.
  llvm::Error readBytes(llvm::StringRef Name, hsa_agent_t Agent, void *To,
                        size_t Size) const;
  llvm::Error writeBytes(llvm::StringRef Name, hsa_agent_t Agent,
                         const void *From, size_t Size) const;

  /// Has variable \p Name be the \p Size bytes at \p Address, memory of the
  /// tool's that \p Agent can access, instead of the module's own. Comes before
  /// anything else that is done with the module on that agent (InUse); the
  /// memory has what it has, not the variable's initial value, and stays until
  /// the module and the last kernel with its hooks are gone. Of a managed
  /// variable, managed() does not follow.
  llvm::Error bind(llvm::StringRef Name, hsa_agent_t Agent, uint64_t Address,
                   size_t Size) const;

  /// A managed variable as host code uses it, from now until the module is
  /// unloaded.
  template <typename T>
  llvm::Expected<T *> managed(llvm::StringRef Name) const {
    llvm::Expected<void *> Memory = managedBytes(Name, sizeof(T));
    if (!Memory)
      return Memory.takeError();
    return static_cast<T *>(*Memory);
  }

  friend bool operator==(const InstrumentationModule &A,
                         const InstrumentationModule &B) {
    return !A.P.owner_before(B.P) && !B.P.owner_before(A.P);
  }

private:
  friend struct detail::ModuleAccess;
  InstrumentationModule(std::shared_ptr<runtime::ToolModule> Module);
  llvm::Expected<std::shared_ptr<runtime::ToolModule>> module() const;
  llvm::Expected<void *> managedBytes(llvm::StringRef Name, size_t Size) const;
  static std::vector<InstrumentationModule> ofLibrary(const void *Inside);

  std::weak_ptr<runtime::ToolModule> P;
  std::string Name;
};

namespace detail {
/// In each source its own.
static constexpr char InThisLibrary = 0;
} // namespace detail

inline std::vector<InstrumentationModule> InstrumentationModule::ofTool() {
  return ofLibrary(&detail::InThisLibrary);
}

} // namespace luthier

#endif // LUTHIER_INSTRUMENTATIONMODULE_H
