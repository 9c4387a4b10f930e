// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/ParsedHooks.h"
#include "hook/ir/WaveSize.h"
#include "luthier/Refusal.h"
#include "llvm/Bitcode/BitcodeReader.h"

using namespace llvm;

namespace luthier {

static Expected<std::unique_ptr<Module>>
chooseModule(MemoryBufferRef Bitcode, unsigned WaveSize, LLVMContext &Context) {
  auto All = getBitcodeModuleList(Bitcode);
  if (!All)
    return All.takeError();
  std::unique_ptr<Module> Chosen;
  for (BitcodeModule &Compiled : *All) {
    auto M = Compiled.getLazyModule(Context, /*ShouldLazyLoadMetadata=*/true,
                                    /*IsImporting=*/false);
    if (!M)
      return M.takeError();
    const bool Fits = waveSizeOf(**M) == WaveSize;
    if (!Chosen || Fits)
      Chosen = std::move(*M);
    if (Fits)
      break;
  }
  if (!Chosen)
    return createStringError("there is no module");
  if (Error E = Chosen->materializeAll())
    return std::move(E);
  return Chosen;
}

Expected<std::unique_ptr<ParsedHooks>>
parseHooks(const amdgpu::MCTarget &Target, const HookModule &Hooks,
           unsigned WaveSize) {
  auto New = std::make_unique<ParsedHooks>();
  New->TM = Target.createTargetMachine();
  StringRef Bytes(reinterpret_cast<const char *>(Hooks.Bitcode.data()),
                  Hooks.Bitcode.size());
  Expected<std::unique_ptr<Module>> M = chooseModule(
      MemoryBufferRef(Bytes, Hooks.ToolName), WaveSize, New->Context);
  if (!M)
    return refuse(RefusalReason::ToolWithoutBitcode,
                  Hooks.ToolName + ": " + toString(M.takeError()));
  New->M = std::move(*M);
  return New;
}

} // namespace luthier
