// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/HookCompilers.h"

using namespace llvm;

namespace luthier {

/// Tools, times targets, times wave sizes: few programs have more.
static constexpr size_t MaxModules = 32;

static bool haveSameCode(const HookModule &A, const HookModule &B) {
  return A.ToolName == B.ToolName && A.Bitcode == B.Bitcode &&
         A.Variables == B.Variables &&
         (A.Variables.empty() || A.Places == B.Places) &&
         A.ManagedStorage == B.ManagedStorage &&
         A.HostVariables == B.HostVariables &&
         A.SymbolicVariables == B.SymbolicVariables;
}

void HookCompilers::takeParsed(HookCompilers Other) {
  for (Entry &E : Other.Entries)
    E.Compiler->setUp();
  Parsed.splice(Parsed.end(), Other.Entries);
}

Expected<std::unique_ptr<PayloadCompiler>>
HookCompilers::create(const amdgpu::MCTarget &Target, const HookModule &Module,
                      unsigned WaveSize, PayloadStore *Store) {
  auto It = find_if(Parsed, [&](const Entry &E) {
    return E.Target == &Target && E.WaveSize == WaveSize &&
           E.Module->ToolName == Module.ToolName &&
           E.Module->Bitcode == Module.Bitcode;
  });
  if (It == Parsed.end())
    return PayloadCompiler::create(Target, Module, WaveSize, Store);
  const Entry Found = std::move(*It);
  Parsed.erase(It);
  return PayloadCompiler::create(std::move(*Found.Compiler), Module, Store);
}

Expected<std::shared_ptr<PayloadCompiler>>
HookCompilers::find(const amdgpu::MCTarget &Target, const HookModule &Module,
                    unsigned WaveSize, PayloadStore *Store) {
  auto It = find_if(Entries, [&](const Entry &E) {
    return E.Target == &Target && E.WaveSize == WaveSize &&
           haveSameCode(*E.Module, Module);
  });
  if (It != Entries.end() && !It->Compiler->isFull()) {
    Entries.splice(Entries.begin(), Entries, It);
    return It->Compiler;
  }
  if (It != Entries.end())
    Entries.erase(It);
  auto Copy = std::make_shared<const HookModule>(Module);
  auto Created = create(Target, *Copy, WaveSize, Store);
  if (!Created)
    return Created.takeError();
  // Whoever still uses the compiler when it is dropped here has its module.
  std::shared_ptr<PayloadCompiler> Compiler(
      Created->release(),
      [Copy](PayloadCompiler *Compiler) { delete Compiler; });
  Entries.push_front({&Target, WaveSize, std::move(Copy), Compiler});
  if (Entries.size() > MaxModules)
    Entries.pop_back();
  return Compiler;
}

} // namespace luthier
