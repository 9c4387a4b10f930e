// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/InstrumentationModule.h"
#include "luthier/Channel.h"
#include "runtime/ModuleImages.h"
#include "runtime/SourceCompiler.h"
#include "runtime/State.h"
#include "runtime/ToolLibrary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace luthier {

using runtime::moduleError;
using runtime::state;
using runtime::ToolModule;

char ModuleError::ID = 0;

void ModuleError::log(raw_ostream &OS) const { OS << Message; }

std::error_code ModuleError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

/// What \p Fill takes from the module's contents.
template <typename T, typename FillT>
static Expected<T> ask(Expected<std::shared_ptr<ToolModule>> Module,
                       FillT Fill) {
  if (!Module)
    return Module.takeError();
  T Result;
  if (Error E = state().Modules.ask(
          **Module, [&](const auto &All) { Fill(All, Result); }))
    return std::move(E);
  return Result;
}

InstrumentationModule::InstrumentationModule(std::shared_ptr<ToolModule> Module)
    : P(Module), Name(Module->name()) {}

/// What is under way may keep it longer than its users may use it.
Expected<std::shared_ptr<ToolModule>> InstrumentationModule::module() const {
  std::shared_ptr<ToolModule> Module = P.lock();
  if (Module && !Module->IsUnloaded)
    return Module;
  if (Name.empty())
    return moduleError(ModuleFault::Unloaded, "there is no module");
  return moduleError(ModuleFault::Unloaded,
                     "the module " + Name + " is unloaded");
}

Expected<InstrumentationModule> InstrumentationModule::load(StringRef Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return moduleError(ModuleFault::NotReadable,
                       Path + " cannot be read: " + File.getError().message());
  return load(arrayRefFromStringRef<uint8_t>((*File)->getBuffer()), Path);
}

Expected<InstrumentationModule>
InstrumentationModule::load(ArrayRef<uint8_t> Bytes, StringRef Name) {
  auto Images = runtime::readModule(Bytes, Name);
  if (!Images)
    return Images.takeError();
  auto Module = ToolModule::makeDynamic(Name, std::move(*Images));
  if (!Module)
    return Module.takeError();
  if (Error E = state().Modules.openPrints(**Module))
    return std::move(E);
  return InstrumentationModule(state().Modules.addDynamic(std::move(*Module)));
}

Expected<InstrumentationModule>
InstrumentationModule::compile(StringRef Source, const ModuleSource &How) {
  auto Bytes = runtime::compileSource(Source, How);
  if (!Bytes)
    return Bytes.takeError();
  return load(*Bytes, How.Name);
}

std::vector<InstrumentationModule>
InstrumentationModule::ofLibrary(const void *Inside) {
  std::vector<InstrumentationModule> Result;
  for (auto &Module :
       state().Modules.ofLibrary(runtime::libraryOf(Inside).Path))
    Result.push_back(InstrumentationModule(Module));
  return Result;
}

Error InstrumentationModule::unload() {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  if ((*Module)->isStatic())
    return moduleError(ModuleFault::Static,
                       "a module that is a part of the tool " + Name +
                           " cannot be unloaded");
  const uint64_t Number = state().Modules.remove(**Module);
  state().Versions.dropUsersOf(**Module, [&](const void *Handle) {
    return state().Modules.isHookOf(Handle, Number);
  });
  return Error::success();
}

bool InstrumentationModule::isLoaded() const {
  std::shared_ptr<ToolModule> Module = P.lock();
  return Module && !Module->IsUnloaded;
}

bool InstrumentationModule::isStatic() const {
  std::shared_ptr<ToolModule> Module = P.lock();
  return Module && Module->isStatic();
}

Expected<std::string> InstrumentationModule::compilation() const {
  return ask<std::string>(module(), [](const auto &All, std::string &Result) {
    Result = All.Compilation;
  });
}

Expected<std::vector<std::string>> InstrumentationModule::targets() const {
  return ask<std::vector<std::string>>(
      module(), [](const auto &All, auto &Result) { Result = All.Targets; });
}

Expected<std::vector<std::string>> InstrumentationModule::hooks() const {
  return ask<std::vector<std::string>>(
      module(), [](const auto &All, auto &Result) { Result = All.Hooks; });
}

Expected<std::vector<ModuleVariable>> InstrumentationModule::variables() const {
  return ask<std::vector<ModuleVariable>>(
      module(), [](const auto &All, auto &Result) {
        for (const auto &[Name, V] : All.Variables)
          Result.push_back({Name, V.Size, V.IsManaged});
      });
}

Expected<const void *> InstrumentationModule::hook(StringRef Hook) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.handleOf(**Module, Hook);
}

Expected<uint64_t> InstrumentationModule::address(StringRef Variable,
                                                  hsa_agent_t Agent) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.addressOf(**Module, Variable, Agent);
}

Error InstrumentationModule::readBytes(StringRef Variable, hsa_agent_t Agent,
                                       void *To, size_t Size) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.read(**Module, Variable, Agent, To, Size);
}

Error InstrumentationModule::writeBytes(StringRef Variable, hsa_agent_t Agent,
                                        const void *From, size_t Size) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.write(**Module, Variable, Agent, From, Size);
}

Error InstrumentationModule::bind(StringRef Variable, hsa_agent_t Agent,
                                  uint64_t Address, size_t Size) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.bind(**Module, Variable, Agent, Address, Size);
}

Expected<void *> InstrumentationModule::managedBytes(StringRef Variable,
                                                     size_t Size) const {
  auto Module = module();
  if (!Module)
    return Module.takeError();
  return state().Modules.managed(**Module, Variable, Size);
}

struct detail::ModuleAccess {
  static Expected<std::shared_ptr<ToolModule>>
  moduleOf(const InstrumentationModule &M) {
    return M.module();
  }
};

} // namespace luthier

Expected<std::shared_ptr<luthier::detail::OpenChannel>>
luthier::detail::openChannel(const InstrumentationModule &Of,
                             StringRef Variable, uint32_t LargestRecord,
                             RawConsumer Consume,
                             const ChannelOptions &Options) {
  auto Module = ModuleAccess::moduleOf(Of);
  if (!Module)
    return Module.takeError();
  return runtime::state().Modules.openChannel(**Module, Variable, LargestRecord,
                                              std::move(Consume), Options);
}
