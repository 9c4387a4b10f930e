// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/detail/ToolRegistration.h"
#include "runtime/Log.h"
#include "runtime/State.h"
#include "runtime/ToolLibrary.h"

using namespace llvm;
using namespace luthier::runtime;

namespace {

constexpr uint32_t WrapperMagic = 0x48495046;

} // namespace

void *luthier_register_fat_binary(const luthier_fat_binary_wrapper *Wrapper) {
  const std::string Path = libraryOf(Wrapper).Path;
  const StringRef Library = Path.empty() ? "a tool" : StringRef(Path);
  if (Wrapper->magic != WrapperMagic || !Wrapper->binary) {
    logWarning(Library + " registers device code in a form that is unknown");
    return nullptr;
  }
  return state().Modules.addModule(Wrapper->binary, Library);
}

void luthier_register_function(void *Module, const void *HostFunction,
                               const char *DeviceName) {
  if (Module)
    state().Modules.addFunction(*static_cast<ToolModule *>(Module),
                                HostFunction, DeviceName);
}

void luthier_register_variable(void *Module, const void *HostShadow,
                               const char *DeviceName, size_t Size) {
  if (Module)
    state().Modules.addVariable(*static_cast<ToolModule *>(Module), HostShadow,
                                DeviceName, Size);
}

void luthier_register_managed_variable(void *Module, void **Pointer,
                                       const void *Initial,
                                       const char *DeviceName, size_t Size,
                                       uint32_t Alignment) {
  if (Module)
    *Pointer = state().Modules.addManagedVariable(
        *static_cast<ToolModule *>(Module), DeviceName, Initial, Size,
        Alignment);
}
