// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool's device code as the engine sees it: the bitcode that the compile-time
// plugin embedded, and where the tool's variables live on one agent.
//
// What the bitcode holds (the contract between plugin and engine):
//  - one definition per hook, named as in the source, with the function
//    attribute "luthier_hook" and always_inline; everything a hook calls is
//    defined and internal; kernels are gone;
//  - each intrinsic as a declaration named like "luthier::readReg.i32.i32" (the
//    demangled name, then the result type unless void, then the argument
//    types), with the function attribute
//    "luthier_intrinsic"="luthier::readReg"; calls to it are convergent and
//    touch inaccessible memory;
//  - luthier::writeExec as a callbr of the inline assembly "luthier::writeExec"
//    with constraints "s,~{memory}" and no indirect target: a terminator, so no
//    pass moves or merges anything across a definition of EXEC;
//  - every variable, constants included, as an external declaration: the tool's
//    code object defines it.
// Of RDNA there may be a second module behind it, of the same hooks compiled
// for waves of 64 lanes, with the same variables.
#ifndef LUTHIER_HOOK_HOOKMODULE_H
#define LUTHIER_HOOK_HOOKMODULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace luthier {

/// Where variables of a tool are on one device.
class VariablePlaces {
public:
  virtual ~VariablePlaces() = default;
  /// Of one of HookModule::Variables. If the tool's code is not on the device,
  /// it is put there first, which may fail.
  virtual llvm::Expected<uint64_t> find(llvm::StringRef Name) = 0;
  /// The same; nothing as long as find() would have to do that.
  virtual std::optional<uint64_t> findPlaced(llvm::StringRef Name) = 0;
};

struct HookModule {
  /// File name of the tool, for messages.
  std::string ToolName;
  /// Contents of the code object's .llvmbc section.
  std::vector<uint8_t> Bitcode;
  /// Device address of each variable the tool's code object defines, or that is
  /// bound to memory. With Places, which knows those, only the names count. For
  /// a managed variable X: the address of the pointer cell "X".
  llvm::StringMap<uint64_t> Variables;
  std::shared_ptr<VariablePlaces> Places; ///< May be null.
  /// For a managed variable X: the address the cell holds, fixed for the life
  /// of the process, so that hooks need not load it.
  llvm::StringMap<uint64_t> ManagedStorage;
  /// Where the tool's host code sees a variable, and where the device does.
  struct HostVariable {
    std::string Name;
    uint64_t Host, Size;
    /// In files a stand-in, or nothing; nothing if Places knows.
    std::optional<uint64_t> Device;
    bool operator==(const HostVariable &) const = default;
  };
  std::vector<HostVariable> HostVariables;
  /// Where constants of the tool's host code are, from begin to end.
  std::vector<std::pair<uint64_t, uint64_t>> HostConstants;
  /// There is no device: instead of the address of each variable, payloads come
  /// with a list of places to put it.
  bool SymbolicVariables = false;

  /// What a pointer of the tool's host code is on the device: into one of the
  /// HostVariables, the device's address; any other stays as it is. Refuses
  /// with HookArguments if the variable has no address yet, and fails as Places
  /// does.
  llvm::Expected<uint64_t> deviceAddress(uint64_t Pointer) const;
};

/// A hook of a module.
struct HookReference {
  const HookModule *Module = nullptr;
  std::string Function;
  /// Which of the tools that have hooks in the kernel asks for it.
  unsigned Tool = 0;
};

/// Finds what LUTHIER_GET_HOOK_HANDLE returned. Fails with UnknownHook,
/// ToolWithoutTarget or ToolWithoutBitcode.
using HookResolver =
    llvm::function_ref<llvm::Expected<HookReference>(const void *Handle)>;

} // namespace luthier

#endif // LUTHIER_HOOK_HOOKMODULE_H
